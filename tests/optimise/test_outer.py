"""Which outer products wait for the end of the loop that adds them to a matrix."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad

A, X = np.eye(3) / 2, np.ones(3)


def steps(A, x):
    for _ in range(3):
        x = np.tanh(A @ x)
    return x @ x


def state_in_place(A, x):
    for _ in range(3):
        x[:] = np.tanh(A @ x)
    return x @ x


def new_matrix_each_time(A, x):
    for _ in range(3):
        x = np.tanh(A @ x)
        A = A * x
    return x @ x


def sum_over_points(A, x):
    total = 0.0
    for k in range(3):
        total += np.sum(np.tanh(A @ (x + k)))
    return total


@pytest.mark.parametrize(
    ("fn", "waits"),
    [
        (steps, True),
        (state_in_place, True),
        (new_matrix_each_time, False),
        (sum_over_points, False),  # each point is reversed at once, and nothing is held
    ],
)
def test_which_outer_products_wait(fn, waits: bool) -> None:
    source = s2sad.grad(fn).source_for(A, X)
    assert ("lefts" in source) is waits and ("np.outer" in source) is not waits


def test_single_precision_stays() -> None:
    gradient = s2sad.grad(steps, wrt=(0, 1))(A.astype(np.float32), X.astype(np.float32))
    assert [g.dtype for g in gradient] == [np.float32, np.float32]
