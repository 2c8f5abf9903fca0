"""Cavity flow: explicit steps of the velocities around Jacobi iterations of the pressure, all in place.

Only the step itself is nonlinear, so by hand a step's velocities and its final pressure are kept, and the pressure
iterations are reversed without looking at any value.
"""

from __future__ import annotations

import numpy as np

from examples.cavity_flow import kinetic_energy
from tests.benchmarks.peers import by_autograd, by_jax, by_numba, by_numpy, by_torch
from tests.benchmarks.program import Program

__all__ = ["CAVITY"]

DT = 0.01  # the program's time step; its density is one


# Steps in array operations, that leave their arguments alone ---------------------------------------------------------


def source(u, v, dx, dy):
    """The right-hand side of the pressure equation, inside."""
    du_dx, dv_dy = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx), (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)
    du_dy, dv_dx = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy), (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
    return (du_dx + dv_dy) / DT - du_dx**2 - 2 * du_dy * dv_dx - dv_dy**2


def relaxed(p, b, dx, dy):
    """The inner pressures after one iteration."""
    sums = (p[1:-1, 2:] + p[1:-1, :-2]) * dy**2 + (p[2:, 1:-1] + p[:-2, 1:-1]) * dx**2
    return (sums - dx**2 * dy**2 * b) / (2 * (dx**2 + dy**2))


def moved(w, u, v, push, nu, dx, dy):
    """The inner values of a velocity w after a step of advection, diffusion and push."""
    w0, west, east, south, north = w[1:-1, 1:-1], w[1:-1, :-2], w[1:-1, 2:], w[:-2, 1:-1], w[2:, 1:-1]
    return (
        w0
        - u[1:-1, 1:-1] * (DT / dx) * (w0 - west)
        - v[1:-1, 1:-1] * (DT / dy) * (w0 - south)
        - push
        + (nu * DT / dx**2) * (east - 2 * w0 + west)
        + (nu * DT / dy**2) * (north - 2 * w0 + south)
    )


def pushes(p, dx, dy):
    """What the pressure does to both velocities."""
    return DT / (2 * dx) * (p[1:-1, 2:] - p[1:-1, :-2]), DT / (2 * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])


# By hand, in array operations ---------------------------------------------------------------------------------------


def gradient_by_hand(u, v, p, nu, lid, steps, iterations):
    """The gradient by the fields at the start."""
    u, v, p = u.copy(), v.copy(), p.copy()
    dx, dy = 2.0 / (u.shape[1] - 1), 2.0 / (u.shape[0] - 1)
    kept = []
    for _ in range(steps):
        b = source(u, v, dx, dy)
        for _ in range(iterations):
            p[1:-1, 1:-1] = relaxed(p, b, dx, dy)
            walls(p)
        kept.append((u, v, p.copy()))
        push_u, push_v = pushes(p, dx, dy)
        new_u, new_v = np.zeros_like(u), np.zeros_like(v)
        new_u[1:-1, 1:-1] = moved(u, u, v, push_u, nu, dx, dy)
        new_v[1:-1, 1:-1] = moved(v, u, v, push_v, nu, dx, dy)
        new_u[-1] = lid
        u, v = new_u, new_v
    au, av, ap = u, v, np.full_like(p, 1.0 / p.size)
    for u, v, p in reversed(kept):
        cu, cv = au[1:-1, 1:-1], av[1:-1, 1:-1]
        au, av = np.zeros_like(u), np.zeros_like(v)
        moved_reversed(cu, u, au, (u, v), (au, av), nu, dx, dy)
        moved_reversed(cv, v, av, (u, v), (au, av), nu, dx, dy)
        ap[1:-1, 2:] -= DT / (2 * dx) * cu
        ap[1:-1, :-2] += DT / (2 * dx) * cu
        ap[2:, 1:-1] -= DT / (2 * dy) * cv
        ap[:-2, 1:-1] += DT / (2 * dy) * cv
        total = np.zeros_like(cu)
        for _ in range(iterations):
            walls_reversed(ap)
            c = ap[1:-1, 1:-1] / (2 * (dx**2 + dy**2))
            total += c
            ap = np.zeros_like(p)
            ap[1:-1, 2:] = dy**2 * c
            ap[1:-1, :-2] += dy**2 * c
            ap[2:, 1:-1] += dx**2 * c
            ap[:-2, 1:-1] += dx**2 * c
        source_reversed(-(dx**2) * dy**2 * total, u, v, au, av, dx, dy)
    return au, av, ap


def walls(p):
    """The conditions at the walls, in the program's order."""
    p[:, -1] = p[:, -2]
    p[0] = p[1]
    p[:, 0] = p[:, 1]
    p[-1] = 0.0


def walls_reversed(ap):
    """Hand the walls' adjoints to where their values came from."""
    ap[-1] = 0.0
    ap[:, 1] += ap[:, 0]
    ap[:, 0] = 0.0
    ap[1] += ap[0]
    ap[0] = 0.0
    ap[:, -2] += ap[:, -1]
    ap[:, -1] = 0.0


def moved_reversed(c, w, aw, velocities, adjoints, nu, dx, dy):
    """Add to the adjoints what c, the adjoint of the inner values of a moved velocity w, owes them."""
    (u, v), (au, av) = velocities, adjoints
    u0, v0 = u[1:-1, 1:-1] * (DT / dx), v[1:-1, 1:-1] * (DT / dy)
    ex, ey = nu * DT / dx**2, nu * DT / dy**2
    aw[1:-1, 1:-1] += c * (1.0 - u0 - v0 - 2.0 * (ex + ey))
    aw[1:-1, :-2] += c * (u0 + ex)
    aw[1:-1, 2:] += c * ex
    aw[:-2, 1:-1] += c * (v0 + ey)
    aw[2:, 1:-1] += c * ey
    au[1:-1, 1:-1] -= c * (DT / dx) * (w[1:-1, 1:-1] - w[1:-1, :-2])
    av[1:-1, 1:-1] -= c * (DT / dy) * (w[1:-1, 1:-1] - w[:-2, 1:-1])


def source_reversed(c, u, v, au, av, dx, dy):
    """Add to the adjoints what c, the adjoint of the pressure equation's right-hand side, owes them."""
    du_dx, dv_dy = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx), (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)
    du_dy, dv_dx = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy), (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
    by_du_dx, by_dv_dy = c * (1.0 / DT - 2 * du_dx) / (2 * dx), c * (1.0 / DT - 2 * dv_dy) / (2 * dy)
    by_du_dy, by_dv_dx = -c * dv_dx / dy, -c * du_dy / dx
    au[1:-1, 2:] += by_du_dx
    au[1:-1, :-2] -= by_du_dx
    au[2:, 1:-1] += by_du_dy
    au[:-2, 1:-1] -= by_du_dy
    av[1:-1, 2:] += by_dv_dx
    av[1:-1, :-2] -= by_dv_dx
    av[2:, 1:-1] += by_dv_dy
    av[:-2, 1:-1] -= by_dv_dy


# By hand, in loops --------------------------------------------------------------------------------------------------


def source_loops(b, u, v, dx, dy):
    """Fill b."""
    n, m = u.shape
    for j in range(1, n - 1):
        for i in range(1, m - 1):
            du_dx, dv_dy = (u[j, i + 1] - u[j, i - 1]) / (2 * dx), (v[j + 1, i] - v[j - 1, i]) / (2 * dy)
            du_dy, dv_dx = (u[j + 1, i] - u[j - 1, i]) / (2 * dy), (v[j, i + 1] - v[j, i - 1]) / (2 * dx)
            b[j, i] = (du_dx + dv_dy) / DT - du_dx * du_dx - 2 * du_dy * dv_dx - dv_dy * dv_dy


def relax_loops(p, new, b, dx, dy):
    """One iteration from p to new, and the walls of new."""
    n, m = p.shape
    scale = 1.0 / (2 * (dx * dx + dy * dy))
    fx, fy, fb = dx * dx * scale, dy * dy * scale, dx * dx * dy * dy * scale
    for j in range(1, n - 1):
        for i in range(1, m - 1):
            new[j, i] = (p[j, i + 1] + p[j, i - 1]) * fy + (p[j + 1, i] + p[j - 1, i]) * fx - fb * b[j, i]
    walls(new)


def move_loops(new, w, u, v, nu, dx, dy):
    """Fill the inside of new with w after advection and diffusion."""
    n, m = w.shape
    ex, ey = nu * DT / (dx * dx), nu * DT / (dy * dy)
    for j in range(1, n - 1):
        for i in range(1, m - 1):
            here = w[j, i]
            new[j, i] = (
                here
                - u[j, i] * (DT / dx) * (here - w[j, i - 1])
                - v[j, i] * (DT / dy) * (here - w[j - 1, i])
                + ex * (w[j, i + 1] - 2 * here + w[j, i - 1])
                + ey * (w[j + 1, i] - 2 * here + w[j - 1, i])
            )


def push_loops(u, v, p, dx, dy):
    """Add what the pressure does."""
    n, m = p.shape
    for j in range(1, n - 1):
        for i in range(1, m - 1):
            u[j, i] -= DT / (2 * dx) * (p[j, i + 1] - p[j, i - 1])
            v[j, i] -= DT / (2 * dy) * (p[j + 1, i] - p[j - 1, i])


def advance_loops(new_u, new_v, u, v, p, spare, b, nu, lid, iterations, dx, dy):
    """Fill new_u and new_v; return the new pressure and the other array."""
    source_loops(b, u, v, dx, dy)
    for _ in range(iterations):
        relax_loops(p, spare, b, dx, dy)
        p, spare = spare, p
    move_loops(new_u, u, u, v, nu, dx, dy)
    move_loops(new_v, v, u, v, nu, dx, dy)
    push_loops(new_u, new_v, p, dx, dy)
    new_u[-1] = lid
    return p, spare


def energy_loops(u, v, p, nu, lid, steps, iterations):
    """The program in loops."""
    u, v, p = u.copy(), v.copy(), p.copy()
    dx, dy = 2.0 / (u.shape[1] - 1), 2.0 / (u.shape[0] - 1)
    new_u, new_v, spare, b = np.zeros_like(u), np.zeros_like(v), np.empty_like(p), np.zeros_like(p)
    for _ in range(steps):
        p, spare = advance_loops(new_u, new_v, u, v, p, spare, b, nu, lid, iterations, dx, dy)
        u, new_u, v, new_v = new_u, u, new_v, v
        for w in (new_u, new_v):
            w[0] = 0.0
            w[-1] = 0.0
            w[:, 0] = 0.0
            w[:, -1] = 0.0
    return 0.5 * (np.sum(u * u) + np.sum(v * v)) + np.mean(p)


def gradient_loops(u, v, p, nu, lid, steps, iterations):
    """The gradient in loops, each inner one updating one array at one offset."""
    n, m = u.shape
    dx, dy = 2.0 / (m - 1), 2.0 / (n - 1)
    us, vs, ps = np.zeros((steps + 1, n, m)), np.zeros((steps + 1, n, m)), np.zeros((steps, n, m))
    us[0], vs[0] = u, v
    p, spare, b = p.copy(), np.empty_like(p), np.zeros_like(p)
    for s in range(steps):
        p, spare = advance_loops(us[s + 1], vs[s + 1], us[s], vs[s], p, spare, b, nu, lid, iterations, dx, dy)
        ps[s] = p
    cu, cv, ap = us[steps].copy(), vs[steps].copy(), np.full((n, m), 1.0 / (n * m))
    au, av = np.zeros((n, m)), np.zeros((n, m))
    total = np.zeros((n, m))
    for s in range(steps - 1, -1, -1):
        au[:] = 0.0
        av[:] = 0.0
        move_reversed_loops(cu, us[s], au, us[s], vs[s], au, av, nu, dx, dy)
        move_reversed_loops(cv, vs[s], av, us[s], vs[s], au, av, nu, dx, dy)
        push_reversed_loops(cu, cv, ap, dx, dy)
        total[:] = 0.0
        for _ in range(iterations):
            relax_reversed_loops(ap, spare, total, dx, dy)
            ap, spare = spare, ap
        source_reversed_loops(total, us[s], vs[s], au, av, dx, dy)
        cu, au, cv, av = au, cu, av, cv
    return cu, cv, ap


def move_reversed_loops(c, w, aw, u, v, au, av, nu, dx, dy):
    """As in array operations; c's edges are not read."""
    n, m = w.shape
    fx, fy = DT / dx, DT / dy
    ex, ey = nu * DT / (dx * dx), nu * DT / (dy * dy)
    for j in range(1, n - 1):
        for i in range(1, m - 1):
            aw[j, i] += c[j, i] * (1.0 - fx * u[j, i] - fy * v[j, i] - 2.0 * (ex + ey))
        for i in range(1, m - 1):
            aw[j, i - 1] += c[j, i] * (fx * u[j, i] + ex)
        for i in range(1, m - 1):
            aw[j, i + 1] += c[j, i] * ex
        for i in range(1, m - 1):
            aw[j - 1, i] += c[j, i] * (fy * v[j, i] + ey)
        for i in range(1, m - 1):
            aw[j + 1, i] += c[j, i] * ey
        for i in range(1, m - 1):
            au[j, i] -= c[j, i] * fx * (w[j, i] - w[j, i - 1])
        for i in range(1, m - 1):
            av[j, i] -= c[j, i] * fy * (w[j, i] - w[j - 1, i])


def push_reversed_loops(cu, cv, ap, dx, dy):
    """As in array operations."""
    n, m = ap.shape
    fx, fy = DT / (2 * dx), DT / (2 * dy)
    for j in range(1, n - 1):
        for i in range(1, m - 1):
            ap[j, i + 1] -= fx * cu[j, i]
        for i in range(1, m - 1):
            ap[j, i - 1] += fx * cu[j, i]
        for i in range(1, m - 1):
            ap[j + 1, i] -= fy * cv[j, i]
        for i in range(1, m - 1):
            ap[j - 1, i] += fy * cv[j, i]


def relax_reversed_loops(ap, new, total, dx, dy):
    """One iteration, gathering: with the walls' adjoints handed inside and cleared, ap has a margin of zeros."""
    n, m = ap.shape
    scale = 1.0 / (2 * (dx * dx + dy * dy))
    fx, fy, fb = dx * dx * scale, dy * dy * scale, dx * dx * dy * dy * scale
    walls_reversed(ap)
    for j in range(1, n - 1):
        for i in range(1, m - 1):
            total[j, i] -= fb * ap[j, i]
        for i in range(1, m - 1):
            new[j, i] = fy * (ap[j, i - 1] + ap[j, i + 1]) + fx * (ap[j - 1, i] + ap[j + 1, i])
        new[j, 0] = fy * ap[j, 1]
        new[j, m - 1] = fy * ap[j, m - 2]
    for i in range(m):
        new[0, i] = fx * ap[1, i]
        new[n - 1, i] = fx * ap[n - 2, i]


def source_reversed_loops(c, u, v, au, av, dx, dy):
    """As in array operations, a row of slopes at a time."""
    n, m = u.shape
    slopes = np.zeros((4, m))
    for j in range(1, n - 1):
        for i in range(1, m - 1):
            du_dx, dv_dy = (u[j, i + 1] - u[j, i - 1]) / (2 * dx), (v[j + 1, i] - v[j - 1, i]) / (2 * dy)
            du_dy, dv_dx = (u[j + 1, i] - u[j - 1, i]) / (2 * dy), (v[j, i + 1] - v[j, i - 1]) / (2 * dx)
            slopes[0, i] = c[j, i] * (1.0 / DT - 2 * du_dx) / (2 * dx)
            slopes[1, i] = -c[j, i] * dv_dx / dy
            slopes[2, i] = -c[j, i] * du_dy / dx
            slopes[3, i] = c[j, i] * (1.0 / DT - 2 * dv_dy) / (2 * dy)
        for a, along, across in ((au, slopes[0], slopes[1]), (av, slopes[2], slopes[3])):
            a[j, 0] -= along[1]
            a[j, m - 1] += along[m - 2]
            for i in range(1, m - 1):
                a[j, i] += along[i - 1] - along[i + 1]
            for i in range(1, m - 1):
                a[j + 1, i] += across[i]
            for i in range(1, m - 1):
                a[j - 1, i] -= across[i]


# Other libraries ----------------------------------------------------------------------------------------------------


def flow(array, bordered, walled, loop):
    """The energy by functions of whole arrays.

    ``bordered`` puts inner values into zeros, ``walled`` between the values that the walls' conditions give, and
    ``loop`` repeats a function.
    """

    def function(u, v, p, nu, lid, steps, iterations):
        n, m = u.shape
        dx, dy = 2.0 / (m - 1), 2.0 / (n - 1)
        at_lid = np.zeros((n, m))
        at_lid[-1] = lid
        at_lid = array(at_lid)

        def step(fields):
            u, v, p = fields
            b = source(u, v, dx, dy)
            p = loop(iterations, lambda p: walled(relaxed(p, b, dx, dy)), p)
            push_u, push_v = pushes(p, dx, dy)
            new_u = bordered(moved(u, u, v, push_u, nu, dx, dy)) + at_lid
            return new_u, bordered(moved(v, u, v, push_v, nu, dx, dy)), p

        u, v, p = loop(steps, step, (u, v, p))
        return 0.5 * ((u * u).sum() + (v * v).sum()) + p.mean()

    return function


def _jax():
    import jax
    import jax.numpy as jnp

    def walled(inner):
        return jnp.pad(jnp.pad(inner, ((1, 0), (1, 1)), "edge"), ((0, 1), (0, 0)))

    def loop(times, function, value):
        return jax.lax.fori_loop(0, times, lambda _, v: function(v), value)

    return flow(jnp.asarray, lambda inner: jnp.pad(inner, 1), walled, loop)


def _plain_loop(times, function, value):
    for _ in range(times):
        value = function(value)
    return value


def _torch():
    import torch

    pad = torch.nn.functional.pad

    def walled(inner):
        sides = pad(inner[None], (1, 1, 1, 0), mode="replicate")[0]
        return pad(sides, (0, 0, 0, 1))

    return flow(torch.tensor, lambda inner: pad(inner, (1, 1, 1, 1)), walled, _plain_loop)


def _autograd():
    import autograd.numpy as np

    def walled(inner):
        wide = np.concatenate((inner[:, :1], inner, inner[:, -1:]), axis=1)
        return np.concatenate((wide[:1], wide, np.zeros((1, wide.shape[1]))))

    return flow(np.array, lambda inner: np.pad(inner, 1, "constant"), walled, _plain_loop)


def _make_args(side, steps, iterations):
    rng = np.random.default_rng(0)
    u, v, p = (0.1 * rng.normal(size=(side, side)) for _ in range(3))
    return u, v, p, 0.02, 1.0, steps, iterations


WRT = (0, 1, 2)

CAVITY = Program(
    name="cavity flow",
    stresses="stencils in place, nonlinear",
    function=kinetic_energy,
    make_args=_make_args,
    sizes=((20, 5, 10), (60, 20, 25)),
    tiny=(5, 2, 3),
    kind="in place",
    wrt=WRT,
    changes=WRT,
    peers={
        "hand": by_numpy(gradient_by_hand),
        "hand numba": by_numba(gradient_loops),
        "jax": by_jax(_jax, WRT),
        "torch": by_torch(_torch, WRT),
        "autograd": by_autograd(_autograd, WRT),
    },
    loops=by_numba(energy_loops),
)
