"""Three bodies under gravity by the classical Runge-Kutta method, the right-hand side passed as an argument."""

from __future__ import annotations

import numpy as np

from examples.runge_kutta import rk4_step
from tests.benchmarks.peers import by_autograd, by_casadi, by_jax, by_numba, by_numpy, by_torch
from tests.benchmarks.program import Program

__all__ = ["THREE_BODIES"]


def gravity(y, t, mass):
    """Velocities and accelerations of three bodies, y being their positions, then velocities, as rows."""
    acceleration = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            if i != j:
                away = y[j] - y[i]
                acceleration[i] += mass[j] * away / (np.sum(away**2) + 0.01) ** 1.5
    return np.concatenate((y[3:], acceleration))


def miss(rhs, y, mass, target, steps):
    """Squared distance of the bodies from a target after the flight."""
    h = 1.0 / steps
    for step in range(steps):
        y = rk4_step(rhs, y, step * h, h, mass)
    return np.sum((y[:3] - target) ** 2)


# By hand, in array operations ---------------------------------------------------------------------------------------


def pull(y, mass):
    """The right-hand side, all pairs at once."""
    away = y[:3] - y[:3, np.newaxis]  # from i to j
    cubes = (np.einsum("ijk,ijk->ij", away, away) + 0.01) ** -1.5
    return np.concatenate((y[3:], np.einsum("ij,j,ijk->ik", cubes, mass, away)))


def pull_reversed(y, mass, ct):
    """Its adjoint, by state and masses."""
    away = y[:3] - y[:3, np.newaxis]
    squares = np.einsum("ijk,ijk->ij", away, away) + 0.01
    cubes = squares**-1.5
    along = np.einsum("ijk,ik->ij", away, ct[3:])
    b_mass = np.einsum("ij,ij->j", cubes, along)
    b_away = (mass * cubes)[..., np.newaxis] * ct[3:, np.newaxis]
    b_away -= (3.0 * mass * along * cubes / squares)[..., np.newaxis] * away
    return np.concatenate((b_away.sum(axis=0) - b_away.sum(axis=1), ct[:3])), b_mass


def gradient_by_hand(rhs, y, mass, target, steps):
    """The gradient by the start and the masses; the states at the start of each step are kept."""
    h = 1.0 / steps
    states = []
    for _ in range(steps):
        k1 = pull(y, mass)
        k2 = pull(y + 0.5 * h * k1, mass)
        k3 = pull(y + 0.5 * h * k2, mass)
        k4 = pull(y + h * k3, mass)
        states.append((y, k1, k2, k3))
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    b = np.concatenate((2.0 * (y[:3] - target), np.zeros((3, 3))))
    b_mass = np.zeros(3)
    for y, k1, k2, k3 in reversed(states):
        b4, m4 = pull_reversed(y + h * k3, mass, h / 6.0 * b)
        b3, m3 = pull_reversed(y + 0.5 * h * k2, mass, h / 3.0 * b + h * b4)
        b2, m2 = pull_reversed(y + 0.5 * h * k1, mass, h / 3.0 * b + 0.5 * h * b3)
        b1, m1 = pull_reversed(y, mass, h / 6.0 * b + 0.5 * h * b2)
        b = b + b1 + b2 + b3 + b4
        b_mass += m1 + m2 + m3 + m4
    return b, b_mass


# By hand, in loops --------------------------------------------------------------------------------------------------


def pull_into(k, y, mass):
    """Fill k with the right-hand side."""
    for i in range(3):
        for c in range(3):
            k[i, c] = y[3 + i, c]
            k[3 + i, c] = 0.0
    for i in range(3):
        for j in range(i):
            dx, dy, dz = y[j, 0] - y[i, 0], y[j, 1] - y[i, 1], y[j, 2] - y[i, 2]
            square = dx * dx + dy * dy + dz * dz + 0.01
            cube = 1.0 / (square * np.sqrt(square))
            for c, d in ((0, dx), (1, dy), (2, dz)):
                k[3 + i, c] += mass[j] * cube * d
                k[3 + j, c] -= mass[i] * cube * d


def pull_reversed_into(b, b_mass, y, mass, ct):
    """Fill b with the adjoint by the state, and add that by the masses."""
    for i in range(3):
        for c in range(3):
            b[i, c] = 0.0
            b[3 + i, c] = ct[i, c]
    for i in range(3):
        for j in range(i):
            dx, dy, dz = y[j, 0] - y[i, 0], y[j, 1] - y[i, 1], y[j, 2] - y[i, 2]
            square = dx * dx + dy * dy + dz * dz + 0.01
            cube = 1.0 / (square * np.sqrt(square))
            at_i = dx * ct[3 + i, 0] + dy * ct[3 + i, 1] + dz * ct[3 + i, 2]
            at_j = dx * ct[3 + j, 0] + dy * ct[3 + j, 1] + dz * ct[3 + j, 2]
            b_mass[j] += cube * at_i
            b_mass[i] -= cube * at_j
            slope = 3.0 * (mass[j] * at_i - mass[i] * at_j) * cube / square
            for c, d in ((0, dx), (1, dy), (2, dz)):
                by = cube * (mass[j] * ct[3 + i, c] - mass[i] * ct[3 + j, c]) - slope * d
                b[j, c] += by
                b[i, c] -= by


def weighted(out, y, w, k):
    """Fill ``out`` with ``y + w * k``."""
    for i in range(6):
        for c in range(3):
            out[i, c] = y[i, c] + w * k[i, c]


def fly(states, slopes, mass, h):
    """Fill states (steps + 1, 6, 3) from the first, and the slopes (steps, 4, 6, 3) on the way."""
    point = np.empty((6, 3))
    for s in range(len(slopes)):
        y, k = states[s], slopes[s]
        pull_into(k[0], y, mass)
        for stage, w in ((1, 0.5 * h), (2, 0.5 * h), (3, h)):
            weighted(point, y, w, k[stage - 1])
            pull_into(k[stage], point, mass)
        for i in range(6):
            for c in range(3):
                states[s + 1, i, c] = y[i, c] + h / 6.0 * (k[0, i, c] + 2.0 * (k[1, i, c] + k[2, i, c]) + k[3, i, c])


def miss_loops(y, mass, target, steps):
    """The program itself, two states at a time."""
    states, slopes = np.empty((2, 6, 3)), np.empty((1, 4, 6, 3))
    states[1] = y
    for _ in range(steps):
        states[0] = states[1]
        fly(states, slopes, mass, 1.0 / steps)
    return np.sum((states[1, :3] - target) ** 2)


def gradient_loops(y, mass, target, steps):
    """The gradient by the start and the masses."""
    h = 1.0 / steps
    states, slopes = np.empty((steps + 1, 6, 3)), np.empty((steps, 4, 6, 3))
    states[0] = y
    fly(states, slopes, mass, h)
    b, b_mass = np.zeros((6, 3)), np.zeros(3)
    b[:3] = 2.0 * (states[steps, :3] - target)
    point, ct, part, total = np.empty((6, 3)), np.empty((6, 3)), np.zeros((6, 3)), np.empty((6, 3))
    for s in range(steps - 1, -1, -1):
        total[:] = b
        part[:] = 0.0
        for stage, w, share in ((3, h, 6.0), (2, 0.5 * h, 3.0), (1, 0.5 * h, 3.0), (0, 0.0, 6.0)):
            carried = h if stage == 2 else 0.5 * h
            for i in range(6):
                for c in range(3):
                    ct[i, c] = h / share * b[i, c] + carried * part[i, c]
            weighted(point, states[s], w, slopes[s, max(stage - 1, 0)])
            pull_reversed_into(part, b_mass, point, mass, ct)
            for i in range(6):
                for c in range(3):
                    total[i, c] += part[i, c]
        b[:] = total
    return b, b_mass


# Other libraries ----------------------------------------------------------------------------------------------------


def pairs(xp):
    """The right-hand side, all pairs at once, for a module of array functions."""

    def rhs(y, mass):
        away = y[:3] - y[:3][:, None]
        cubes = ((away**2).sum(2) + 0.01) ** -1.5
        return xp.concatenate((y[3:], ((cubes * mass)[:, :, None] * away).sum(1)))

    return rhs


def step(rhs, y, mass, h):
    """A step of the method."""
    k1 = rhs(y, mass)
    k2 = rhs(y + 0.5 * h * k1, mass)
    k3 = rhs(y + 0.5 * h * k2, mass)
    k4 = rhs(y + h * k3, mass)
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def _jax():
    import jax
    import jax.numpy as jnp

    rhs = pairs(jnp)

    def function(_, y, mass, target, steps):
        y, _ = jax.lax.scan(lambda y, _: (step(rhs, y, mass, 1.0 / steps), None), y, length=steps)
        return ((y[:3] - target) ** 2).sum()

    return function


def _looped(xp):
    rhs = pairs(xp)

    def function(_, y, mass, target, steps):
        for _ in range(steps):
            y = step(rhs, y, mass, 1.0 / steps)
        return ((y[:3] - target) ** 2).sum()

    return function


def _torch():
    import torch

    return _looped(torch)


def _autograd():
    import autograd.numpy

    return _looped(autograd.numpy)


def _casadi(casadi, rhs, start, mass, target, steps):
    """A function for one step, called in a loop, which is how CasADi's users keep graphs small."""
    y, m = casadi.SX.sym("y", 3, 6), casadi.SX.sym("m", 3)  # columns there are rows here

    def slope(y, m):
        columns = []
        for i in range(3):
            total = 0.0
            for j in range(3):
                if i != j:
                    away = y[:, j] - y[:, i]
                    total += m[j] * away / (casadi.sumsqr(away) + 0.01) ** 1.5
            columns.append(total)
        return casadi.horzcat(y[:, 3:], *columns)

    one = casadi.Function("step", [y, m], [step(slope, y, m, 1.0 / steps)])
    y, m = casadi.MX.sym("y", 3, 6), casadi.MX.sym("m", 3)
    end, _ = one.mapaccum("flight", steps)(y, casadi.repmat(m, 1, steps)), None
    cost = casadi.sumsqr(end[:, -3 - 3 : -3] - target.T)
    gradients = [casadi.gradient(cost, y), casadi.gradient(cost, m)]
    return casadi.Function("gradient", [y, m], gradients), [start, mass]


def _make_args(steps):
    rng = np.random.default_rng(0)
    return gravity, rng.normal(size=(6, 3)), rng.uniform(0.5, 1.5, 3), rng.normal(size=(3, 3)), steps


WRT = (1, 2)

THREE_BODIES = Program(
    name="three bodies",
    stresses="calls, small arrays",
    function=miss,
    make_args=_make_args,
    sizes=((20,), (1_000,)),
    tiny=(3,),
    kind="loop",
    wrt=WRT,
    peers={
        "hand": by_numpy(gradient_by_hand),
        "hand numba": lambda _, *args: by_numba(gradient_loops)(*args),
        "jax": by_jax(_jax, WRT),
        "torch": by_torch(_torch, WRT),
        "autograd": by_autograd(_autograd, WRT),
        "casadi": by_casadi(_casadi),
    },
    loops=lambda _, *args: by_numba(miss_loops)(*args),
)
