"""Stencils on two arrays in turn: 2-D Jacobi and 3-D heat.

Both are linear, so nothing is recorded. By hand, the reverse sweep is turned from scattering into gathering: when a
half step is reversed, the adjoint of the interior it read from is zero. So the sweep assigns to each interior point the
sum over its neighbours, as the primal does, and adds to edge points. For that, adjoints of interiors have a margin of
zeros, and those of the edges are kept in arrays of their own.
"""

from __future__ import annotations

import functools

import numpy as np

from examples.stencils import heat_energy, jacobi_energy
from tests.benchmarks.peers import by_autograd, by_jax, by_numba, by_torch
from tests.benchmarks.program import Program

__all__ = ["HEAT", "JACOBI"]


def energy(sweep, weight, A, B, steps):
    """The program for any sweep from one array to the other."""
    A, B = A.copy(), B.copy()
    for _ in range(steps):
        sweep(A, B)
        sweep(B, A)
    return np.sum(A * A) + weight * np.sum(B * B)


def gradient(sweep, gather, inside, weight, A, B, steps):
    """Its gradient. ``gather(b, a, edge)`` reverses a sweep from A to B; ``inside`` views the interior."""
    A, B = A.copy(), B.copy()
    for _ in range(steps):
        sweep(A, B)
        sweep(B, A)
    a, b = np.zeros_like(A), np.zeros_like(B)
    inside(a)[:] = 2.0 * inside(A)
    edge_a, edge_b = 2.0 * A, 2.0 * weight * B
    inside(edge_a)[:] = 0.0
    inside(edge_b)[:] = 0.0
    for step in range(steps):
        gather(a, b, edge_b)
        if step == 0:
            inside(b)[:] += 2.0 * weight * inside(B)
        gather(b, a, edge_a)
    return a + edge_a, edge_b


def by_hand(*parts):
    """A peer of these parts, run as they stand."""
    return lambda *args: functools.partial(gradient, *parts, *args)


def by_hand_compiled(function, *parts):
    """A peer of these parts under Numba."""
    return lambda *args: by_numba(function)(*parts, *args)


# Jacobi -------------------------------------------------------------------------------------------------------------


def inside_2d(x):
    """The interior of a matrix."""
    return x[1:-1, 1:-1]


def jacobi_sweep(A, B):
    """A half step in array operations."""
    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])


def jacobi_gather(b, a, edge):
    """Its reversal."""
    jacobi_sweep(b, a)
    edge[0, 1:-1] += 0.2 * b[1, 1:-1]
    edge[-1, 1:-1] += 0.2 * b[-2, 1:-1]
    edge[1:-1, 0] += 0.2 * b[1:-1, 1]
    edge[1:-1, -1] += 0.2 * b[1:-1, -2]


def jacobi_sweep_loops(A, B):
    """A half step in loops."""
    n, m = A.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])


def jacobi_gather_loops(b, a, edge):
    """Its reversal."""
    n, m = a.shape
    jacobi_sweep_loops(b, a)
    for j in range(1, m - 1):
        edge[0, j] += 0.2 * b[1, j]
        edge[n - 1, j] += 0.2 * b[n - 2, j]
    for i in range(1, n - 1):
        edge[i, 0] += 0.2 * b[i, 1]
        edge[i, m - 1] += 0.2 * b[i, m - 2]


def jacobi_mean(A):
    """The new interior, for libraries without updates in place."""
    return 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])


# Heat ---------------------------------------------------------------------------------------------------------------


def inside_3d(x):
    """The interior of a block."""
    return x[1:-1, 1:-1, 1:-1]


def heat_sweep(A, B):
    """A half step in array operations, the terms at the point itself taken together: 1 - 6 / 8."""
    B[1:-1, 1:-1, 1:-1] = heat_mean(A)


def heat_mean(A):
    """The new interior."""
    return 0.25 * A[1:-1, 1:-1, 1:-1] + 0.125 * (
        A[2:, 1:-1, 1:-1]
        + A[:-2, 1:-1, 1:-1]
        + A[1:-1, 2:, 1:-1]
        + A[1:-1, :-2, 1:-1]
        + A[1:-1, 1:-1, 2:]
        + A[1:-1, 1:-1, :-2]
    )


def heat_gather(b, a, edge):
    """Its reversal."""
    heat_sweep(b, a)
    edge[0, 1:-1, 1:-1] += 0.125 * b[1, 1:-1, 1:-1]
    edge[-1, 1:-1, 1:-1] += 0.125 * b[-2, 1:-1, 1:-1]
    edge[1:-1, 0, 1:-1] += 0.125 * b[1:-1, 1, 1:-1]
    edge[1:-1, -1, 1:-1] += 0.125 * b[1:-1, -2, 1:-1]
    edge[1:-1, 1:-1, 0] += 0.125 * b[1:-1, 1:-1, 1]
    edge[1:-1, 1:-1, -1] += 0.125 * b[1:-1, 1:-1, -2]


def heat_sweep_loops(A, B):
    """A half step in loops."""
    n, m, r = A.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            for k in range(1, r - 1):
                B[i, j, k] = 0.25 * A[i, j, k] + 0.125 * (
                    A[i + 1, j, k] + A[i - 1, j, k] + A[i, j + 1, k] + A[i, j - 1, k] + A[i, j, k + 1] + A[i, j, k - 1]
                )


def heat_gather_loops(b, a, edge):
    """Its reversal."""
    n, m, r = a.shape
    heat_sweep_loops(b, a)
    for j in range(1, m - 1):
        for k in range(1, r - 1):
            edge[0, j, k] += 0.125 * b[1, j, k]
            edge[n - 1, j, k] += 0.125 * b[n - 2, j, k]
    for i in range(1, n - 1):
        for k in range(1, r - 1):
            edge[i, 0, k] += 0.125 * b[i, 1, k]
            edge[i, m - 1, k] += 0.125 * b[i, m - 2, k]
        for j in range(1, m - 1):
            edge[i, j, 0] += 0.125 * b[i, j, 1]
            edge[i, j, r - 1] += 0.125 * b[i, j, r - 2]


# Other libraries ----------------------------------------------------------------------------------------------------


def _jax(mean, rank, weight):
    """Updates by ``at[].set``, which XLA does in place, in a ``fori_loop``."""
    import jax

    interior = (slice(1, -1),) * rank

    def function(A, B, steps):
        def step(_, arrays):
            A, B = arrays
            B = B.at[interior].set(mean(A))
            return A.at[interior].set(mean(B)), B

        A, B = jax.lax.fori_loop(0, steps, step, (A, B))
        return (A * A).sum() + weight * (B * B).sum()

    return function


def _torch(mean, rank, weight):
    """Updates in place, which torch follows."""
    interior = (slice(1, -1),) * rank

    def function(A, B, steps):
        A, B = A.clone(), B.clone()
        for _ in range(steps):
            B[interior] = mean(A)
            A[interior] = mean(B)
        return (A * A).sum() + weight * (B * B).sum()

    return function


def _autograd(mean, rank, weight):
    """No updates in place there: interiors are padded, and the edges added."""
    import autograd.numpy as np

    def function(A, B, steps):
        edges = 1.0 - np.pad(np.ones([n - 2 for n in A.shape]), 1)
        edge_a, edge_b = A * edges, B * edges
        for _ in range(steps):
            B = np.pad(mean(A), 1, "constant") + edge_b
            A = np.pad(mean(B), 1, "constant") + edge_a
        return (A * A).sum() + weight * (B * B).sum()

    return function


def _arrays(rank):
    """Two arrays of a side, and the number of steps."""

    def make_args(side, steps):
        rng = np.random.default_rng(0)
        return rng.normal(size=(side,) * rank), rng.normal(size=(side,) * rank), steps

    return make_args


def _grid(name, function, sizes, tiny, mean, weight, hand, loops):
    """A program of two arrays."""
    rank = 2 if mean is jacobi_mean else 3
    return Program(
        name=name,
        stresses=f"stencil in place, {rank}-D",
        function=function,
        make_args=_arrays(rank),
        sizes=sizes,
        tiny=tiny,
        kind="in place",
        wrt=(0, 1),
        changes=(0, 1),
        loops=by_hand_compiled(energy, loops[0], weight),
        peers={
            "hand": by_hand(*hand, weight),
            "hand numba": by_hand_compiled(gradient, *loops, hand[2], weight),
            "jax": by_jax(lambda: _jax(mean, rank, weight), (0, 1)),
            "torch": by_torch(lambda: _torch(mean, rank, weight), (0, 1)),
            "autograd": by_autograd(lambda: _autograd(mean, rank, weight), (0, 1)),
        },
    )


JACOBI = _grid(
    name="Jacobi 2-D",
    function=jacobi_energy,
    sizes=((50, 20), (150, 49)),
    tiny=(5, 3),
    mean=jacobi_mean,
    weight=1.0,
    hand=(jacobi_sweep, jacobi_gather, inside_2d),
    loops=(jacobi_sweep_loops, jacobi_gather_loops),
)

HEAT = _grid(
    name="heat 3-D",
    function=heat_energy,
    sizes=((16, 10), (40, 20)),
    tiny=(4, 2),
    mean=heat_mean,
    weight=0.0,
    hand=(heat_sweep, heat_gather, inside_3d),
    loops=(heat_sweep_loops, heat_gather_loops),
)
