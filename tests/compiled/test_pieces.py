"""Views in lists beside arrays that were made for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import s2sad

X = np.random.default_rng(8).normal(size=(3, 3))


def columns_of_what_was_filled(x):
    frames = []
    for k in range(3):
        frame = np.zeros((3, 3))
        for i in range(3):
            frame[i] = x[i] * (k + 1.0)
        frames.append(frame)
    first = [np.array([0.0, 0.0, 1.0])] + [f[:, 2] for f in frames[:-1]]
    second = [np.zeros(3)] + [f[:, 1] for f in frames[:-1]]
    return sum(np.sum(a * b) + np.sum(np.cross(a, b)) for a, b in zip(first, second))


def columns_of_what_is_filled_later(x):
    frame = x * 2.0
    columns = [frame[:, 0], frame[:, 1]]
    frame[0] = x[2] ** 2
    return np.sum(columns[0] * columns[1])


def columns_filled_in_the_next_iteration(x):
    frame, columns = x * 2.0, []
    for k in range(3):
        frame[k] = x[2] ** 2
        columns.append(frame[:, k])
    return np.sum(columns[0] * columns[1] * columns[2])


def columns_changed_as_items(x):
    frame = x * 2.0
    columns = [frame[:, 0], frame[:, 1]]
    columns[1] *= x[0]
    return np.sum(frame) * np.sum(columns[0])


def test_what_was_filled_before_is_copied() -> None:
    expected = np.sum(s2sad.grad(columns_of_what_was_filled)(X) * np.cos(X))
    tangent = s2sad.jvp(columns_of_what_was_filled, (X,), (np.cos(X),), backend="numba")[1]
    np.testing.assert_allclose(tangent, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "f",
    [
        columns_of_what_is_filled_later,
        columns_filled_in_the_next_iteration,
        columns_changed_as_items,
    ],
)
def test_what_is_filled_later_is_not(f: Callable[[np.ndarray], float]) -> None:
    expected = s2sad.grad(f)(X)
    np.testing.assert_allclose(s2sad.grad(f, backend="numba")(X), expected, rtol=1e-12)
    tangent = s2sad.jvp(f, (X,), (np.cos(X),), backend="numba")[1]
    np.testing.assert_allclose(tangent, np.sum(expected * np.cos(X)), rtol=1e-12)
    s2sad.check_grads(f)(X)
