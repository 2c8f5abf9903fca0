"""Gauss-Seidel in two dimensions: each point needs the one before it, in the primal and in reverse."""

from __future__ import annotations

import numpy as np

from tests.benchmarks.peers import by_autograd, by_jax, by_numba, by_numpy, by_torch
from tests.benchmarks.program import Program

__all__ = ["GAUSS_SEIDEL"]


def gauss_seidel(A, steps):
    """Average nine neighbours into each interior point, in place; the loop along a row is what must be one."""
    n, m = A.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            A[i, 1:-1] += (
                A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            )
            for j in range(1, m - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0


def energy(A, steps):
    """Sum of squares after the sweeps."""
    gauss_seidel(A, steps)
    return np.sum(A * A)


def sweeps_loops(A, steps):
    """The sweeps in loops."""
    n, m = A.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                above = A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                below = A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
                A[i, j] = (above + below + A[i, j - 1] + A[i, j] + A[i, j + 1]) / 9.0


def energy_loops(A, steps):
    """The program in loops."""
    A = A.copy()
    sweeps_loops(A, steps)
    return np.sum(A * A)


def gradient_loops(A, steps):
    """The gradient in loops: the recurrence along a row, then its sums of neighbours, each a loop that vectorises."""
    A = A.copy()
    sweeps_loops(A, steps)
    a = 2.0 * A
    n, m = a.shape
    row = np.zeros(m)
    for _ in range(steps):
        for i in range(n - 2, 0, -1):
            carried = 0.0
            for j in range(m - 2, 0, -1):
                carried = (a[i, j] + carried) / 9.0
                row[j] = carried
            a[i, 0] += row[1]
            a[i, m - 1] += row[m - 2]
            for j in range(1, m - 1):
                a[i, j] = row[j] + row[j - 1]
            for near in (i - 1, i + 1):
                a[near, 0] += row[1]
                a[near, m - 1] += row[m - 2]
                for j in range(1, m - 1):
                    a[near, j] += row[j - 1] + row[j] + row[j + 1]
    return a


def carrying(count):
    """The matrix of the recurrence ``x[j] = (c[j] + x[j - 1]) / 9``, which takes c to x."""
    distance = np.subtract.outer(np.arange(count), np.arange(count))
    return np.where(distance >= 0, 9.0 ** -(1.0 + np.maximum(distance, 0)), 0.0)


def gradient_by_hand(A, steps):
    """The gradient in array operations, the recurrence along a row as a product with its matrix."""
    A = A.copy()
    carry = carrying(A.shape[1] - 2)
    for _ in range(steps):
        for i in range(1, len(A) - 1):
            A[i, 1:-1] = carry @ new_row(A[i - 1], A[i], A[i + 1])
    a = 2.0 * A
    for _ in range(steps):
        for i in range(len(A) - 2, 0, -1):
            row = a[i, 1:-1] @ carry
            a[i, 0] += row[0]
            a[i, 1:-1] = row
            a[i, 2:] += row
            for near in (a[i - 1], a[i + 1]):
                near[:-2] += row
                near[1:-1] += row
                near[2:] += row
    return a


def new_row(above, row, below):
    """What is carried along a row: sums of the neighbours, the one before only at the start."""
    start = (np.arange(len(row) - 2) == 0) * row[0]
    return above[:-2] + above[1:-1] + above[2:] + row[1:-1] + row[2:] + below[:-2] + below[1:-1] + below[2:] + start


# Other libraries ----------------------------------------------------------------------------------------------------


def _jax(rewritten):
    """A loop over rows, and either a scan along each or the product with the matrix of the recurrence."""
    import jax
    import jax.numpy as jnp

    def scanned(terms):
        def carry(before, term):
            now = (before + term) / 9.0
            return now, now

        return jax.lax.scan(carry, 0.0, terms)[1]

    def function(A, steps):
        n, m = A.shape
        matrix = carrying(m - 2)
        first = jnp.arange(m - 2) == 0

        def update(k, A):
            i = 1 + k % (n - 2)
            above, row, below = jax.lax.dynamic_slice_in_dim(A, i - 1, 3)
            terms = above[:-2] + above[1:-1] + above[2:] + row[1:-1] + row[2:] + below[:-2] + below[1:-1] + below[2:]
            terms = terms + first * row[0]
            return A.at[i, 1:-1].set(matrix @ terms if rewritten else scanned(terms))

        A = jax.lax.fori_loop(0, steps * (n - 2), update, A)
        return (A * A).sum()

    return function


def _rows(module, matrix_of):
    """For libraries of array operations: rows in a list, and the product with the matrix of the recurrence."""

    def function(A, steps):
        rows = [A[i] for i in range(len(A))]
        matrix = matrix_of(A.shape[1] - 2)
        for _ in range(steps):
            for i in range(1, len(rows) - 1):
                above, row, below = rows[i - 1], rows[i], rows[i + 1]
                rest = above[1:-1] + above[2:] + row[1:-1] + row[2:] + below[:-2] + below[1:-1] + below[2:]
                terms = above[:-2] + rest
                terms = module.concatenate((terms[:1] + row[:1], terms[1:]))
                rows[i] = module.concatenate((row[:1], matrix @ terms, row[-1:]))
        return (module.stack(rows) ** 2).sum()

    return function


def _torch():
    import torch

    return _rows(torch, lambda count: torch.tensor(carrying(count)))


def _autograd():
    import autograd.numpy

    return _rows(autograd.numpy, carrying)


def _make_args(side, steps):
    return np.random.default_rng(0).normal(size=(side, side)), steps


GAUSS_SEIDEL = Program(
    name="Gauss-Seidel",
    stresses="recurrence in place",
    function=energy,
    make_args=_make_args,
    sizes=((50, 7), (150, 20)),
    tiny=(5, 2),
    kind="in place",
    changes=(0,),
    loops=by_numba(energy_loops),
    peers={
        "hand": by_numpy(gradient_by_hand),
        "hand numba": by_numba(gradient_loops),
        "jax": by_jax(lambda: _jax(rewritten=False)),
        "jax rewritten": by_jax(lambda: _jax(rewritten=True)),
        "torch": by_torch(_torch),
        "autograd": by_autograd(_autograd),
    },
)
