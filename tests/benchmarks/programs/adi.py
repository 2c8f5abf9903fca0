"""Alternating-direction implicit steps: tridiagonal sweeps along columns, then along rows.

The program is linear in what it starts from, and its second half step is the first one transposed. By hand, the
elimination's coefficients, which are those of every line and every step, are computed once.
"""

from __future__ import annotations

import functools

import numpy as np

from examples.adi import adi_energy
from tests.benchmarks.peers import by_autograd, by_jax, by_numba, by_torch
from tests.benchmarks.program import Program

__all__ = ["ADI"]


def adi_loops(u, steps):
    """The program in loops."""
    u = u.copy()
    n = len(u)
    v, p, q = np.empty_like(u), np.empty_like(u), np.empty_like(u)
    mu = n * n / steps
    a, b, d, e = -mu, 1.0 + 2.0 * mu, -0.5 * mu, 1.0 + mu
    for _ in range(steps):
        for i in range(1, n - 1):
            v[0, i], v[n - 1, i] = 1.0, 1.0
            p[0, i], q[0, i] = 0.0, 1.0
        for j in range(1, n - 1):
            for i in range(1, n - 1):
                pivot = a * p[j - 1, i] + b
                known = (1.0 + 2.0 * d) * u[j, i] - d * (u[j, i - 1] + u[j, i + 1])
                p[j, i] = -a / pivot
                q[j, i] = (known - a * q[j - 1, i]) / pivot
        for j in range(n - 2, 0, -1):
            for i in range(1, n - 1):
                v[j, i] = p[j, i] * v[j + 1, i] + q[j, i]
        for i in range(1, n - 1):
            u[i, 0], u[i, n - 1] = 1.0, 1.0
            p[i, 0], q[i, 0] = 0.0, 1.0
            for j in range(1, n - 1):
                pivot = d * p[i, j - 1] + e
                known = (1.0 + 2.0 * a) * v[i, j] - a * (v[i - 1, j] + v[i + 1, j])
                p[i, j] = -d / pivot
                q[i, j] = (known - d * q[i, j - 1]) / pivot
            for j in range(n - 2, 0, -1):
                u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]
    return np.sum(u[1:-1, 1:-1] ** 2)


# By hand ------------------------------------------------------------------------------------------------------------


def eliminated(n, off, diagonal):
    """The factors of back substitution, and the inverse pivots."""
    p, inverse = np.zeros(n), np.ones(n)
    for j in range(1, n - 1):
        inverse[j] = 1.0 / (off * p[j - 1] + diagonal)
        p[j] = -off * inverse[j]
    return p, inverse


def half_step(u, explicit, implicit, p, inverse):
    """Explicit along rows, implicit from row to row; the new array has ones on its first and last row."""
    v = np.ones_like(u)
    known = (1.0 + 2.0 * explicit) * u[:, 1:-1] - explicit * (u[:, :-2] + u[:, 2:])
    for j in range(1, len(u) - 1):
        v[j, 1:-1] = (known[j] - implicit * v[j - 1, 1:-1]) * inverse[j]
    for j in range(len(u) - 2, 0, -1):
        v[j, 1:-1] += p[j] * v[j + 1, 1:-1]
    return v


def half_step_reversed(v, explicit, implicit, p, inverse):
    """From the adjoint of the new array to that of the old."""
    t = np.zeros_like(v)
    for j in range(1, len(v) - 1):
        t[j, 1:-1] = v[j, 1:-1] + p[j - 1] * t[j - 1, 1:-1]
    for j in range(len(v) - 2, 0, -1):
        t[j, 1:-1] = (t[j, 1:-1] - implicit * t[j + 1, 1:-1]) * inverse[j]
    u = (1.0 + 2.0 * explicit) * t
    u[:, 1:] -= explicit * t[:, :-1]
    u[:, :-1] -= explicit * t[:, 1:]
    return u


def half_step_loops(u, explicit, implicit, p, inverse):
    """The same in loops."""
    n = len(u)
    v = np.ones_like(u)
    for j in range(1, n - 1):
        for i in range(1, n - 1):
            known = (1.0 + 2.0 * explicit) * u[j, i] - explicit * (u[j, i - 1] + u[j, i + 1])
            v[j, i] = (known - implicit * v[j - 1, i]) * inverse[j]
    for j in range(n - 2, 0, -1):
        for i in range(1, n - 1):
            v[j, i] += p[j] * v[j + 1, i]
    return v


def half_step_reversed_loops(v, explicit, implicit, p, inverse):
    """The same in loops."""
    n = len(v)
    t, u = np.zeros_like(v), np.zeros_like(v)
    for j in range(1, n - 1):
        for i in range(1, n - 1):
            t[j, i] = v[j, i] + p[j - 1] * t[j - 1, i]
    for j in range(n - 2, 0, -1):
        for i in range(1, n - 1):
            t[j, i] = (t[j, i] - implicit * t[j + 1, i]) * inverse[j]
        for i in range(1, n - 1):
            u[j, i] = (1.0 + 2.0 * explicit) * t[j, i] - explicit * (t[j, i - 1] + t[j, i + 1])
        u[j, 0] = -explicit * t[j, 1]
        u[j, n - 1] = -explicit * t[j, n - 2]
    return u


def gradient(half, half_reversed, u, steps):
    """The gradient by half steps of either kind."""
    n = len(u)
    mu = n * n / steps
    along, across = (-0.5 * mu, -mu), (-mu, -0.5 * mu)
    p, inverse_p = eliminated(n, -mu, 1.0 + 2.0 * mu)
    q, inverse_q = eliminated(n, -0.5 * mu, 1.0 + mu)
    for _ in range(steps):
        v = half(u, along[0], along[1], p, inverse_p)
        u = half(np.ascontiguousarray(v.T), across[0], across[1], q, inverse_q).T.copy()
    b = np.zeros_like(u)
    b[1:-1, 1:-1] = 2.0 * u[1:-1, 1:-1]
    for _ in range(steps):
        bv = half_reversed(np.ascontiguousarray(b.T), across[0], across[1], q, inverse_q)
        b = half_reversed(np.ascontiguousarray(bv.T), along[0], along[1], p, inverse_p)
    return b


# Other libraries ----------------------------------------------------------------------------------------------------


def in_halves(xp, solve, loop):
    """The energy by rows between the edges. ``solve(n, off, diagonal)`` gives the solver for the inner rows."""

    def function(u, steps):
        n = u.shape[0]
        mu = n * n / steps
        ones = xp.ones((n - 2, 1))
        solvers = solve(n, -mu, 1.0 + 2.0 * mu), solve(n, -0.5 * mu, 1.0 + mu)

        def half(known, solver, explicit):
            right = (1.0 + 2.0 * explicit) * known[:, 1:-1] - explicit * (known[:, :-2] + known[:, 2:])
            return xp.concatenate((ones, solver(right).T, ones), 1)

        def step(rows):
            return half(half(rows, solvers[0], -0.5 * mu), solvers[1], -mu)

        rows = loop(steps, step, u[1:-1])
        return (rows[:, 1:-1] ** 2).sum()

    return function


def plain_loop(steps, step, rows):
    """A Python loop."""
    for _ in range(steps):
        rows = step(rows)
    return rows


def inverse_of(n, off, diagonal):
    """The inverse of the tridiagonal matrix, and what the edges add to the right-hand side."""
    matrix = diagonal * np.eye(n - 2) + off * (np.eye(n - 2, k=1) + np.eye(n - 2, k=-1))
    edges = np.zeros((n - 2, 1))
    edges[0] = edges[-1] = -off
    return np.linalg.inv(matrix), edges


def _jax():
    """Elimination and back substitution as scans over rows."""
    import jax
    import jax.numpy as jnp

    def solve(n, off, diagonal):
        p, inverse = eliminated(n, off, diagonal)
        p, inverse = jnp.array(p[1:-1]), jnp.array(inverse[1:-1])

        def down(before, row):
            known, scale = row
            now = (known - off * before) * scale
            return now, now

        def up(after, row):
            known, factor = row
            now = known + factor * after
            return now, now

        def solver(right):
            ones = jnp.ones(n - 2)
            _, q = jax.lax.scan(down, ones, (right, inverse))
            return jax.lax.scan(up, ones, (q, p), reverse=True)[1]

        return solver

    return in_halves(jnp, solve, lambda steps, step, rows: jax.lax.fori_loop(0, steps, lambda _, r: step(r), rows))


def _jax_rewritten():
    """Products with the inverse."""
    import jax
    import jax.numpy as jnp

    def solve(*tridiagonal):
        inverse, edges = inverse_of(*tridiagonal)
        return lambda right: inverse @ (right + edges)

    return in_halves(jnp, solve, lambda steps, step, rows: jax.lax.fori_loop(0, steps, lambda _, r: step(r), rows))


def _torch():
    import torch

    class Double:
        """Torch makes single precision unless told otherwise."""

        ones = staticmethod(functools.partial(torch.ones, dtype=torch.float64))
        concatenate = staticmethod(torch.concatenate)

    def solve(*tridiagonal):
        inverse, edges = map(torch.tensor, inverse_of(*tridiagonal))
        return lambda right: inverse @ (right + edges)

    return in_halves(Double, solve, plain_loop)


def _autograd():
    import autograd.numpy

    def solve(*tridiagonal):
        inverse, edges = inverse_of(*tridiagonal)
        return lambda right: autograd.numpy.dot(inverse, right + edges)

    return in_halves(autograd.numpy, solve, plain_loop)


ADI = Program(
    name="ADI",
    stresses="recurrences in place, in two directions",
    function=adi_energy,
    make_args=lambda n, steps: (np.random.default_rng(0).normal(size=(n, n)), steps),
    sizes=((30, 10), (100, 20)),
    tiny=(6, 3),
    kind="in place",
    changes=(0,),
    peers={
        "hand": lambda *args: functools.partial(gradient, half_step, half_step_reversed, *args),
        "hand numba": lambda *args: by_numba(gradient)(half_step_loops, half_step_reversed_loops, *args),
        "jax": by_jax(_jax),
        "jax rewritten": by_jax(_jax_rewritten),
        "torch": by_torch(_torch),
        "autograd": by_autograd(_autograd),
    },
    loops=by_numba(adi_loops),
)
