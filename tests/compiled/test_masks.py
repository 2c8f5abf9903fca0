"""Masks of another length than what they pick from: Numba would read and write where there is no memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad

X = np.array([[0.5, -1.0], [2.0, 0.3], [1.5, -0.2], [0.7, 0.9]])


def picked(x, m):
    return np.sum(x[m] * 2.0)


def stored_and_picked(x, m):
    y = x * x
    y[m] = 0.0
    y[m] += x[m]
    return np.sum(y * x)


def picked_behind_an_axis(x, m):
    y = x * x
    y[:, m] = y[:, m] * x[:, m]
    return np.sum(y)


def picked_in_a_loop(x, m):
    total = 0.0
    for k in range(3):
        total += k * np.sum(x[m] * x[m])
    return total


@pytest.mark.parametrize(
    ("f", "x"), [(picked, X), (picked, X[:, 0]), (stored_and_picked, X[:, 0]), (picked_in_a_loop, X[:, 0])]
)
def test_masks_of_another_length_raise(f: Any, x: Any) -> None:
    derivative, m = grad(f, backend="numba"), np.array([True, False, True, True])
    np.testing.assert_allclose(derivative(x, m), grad(f)(x, m))
    for other in (m[:3], np.append(m, True)):
        with pytest.raises(IndexError):
            f(x, other)
        with pytest.raises(ValueError, match="lengths"):
            derivative(x, other)
    np.testing.assert_allclose(derivative(x, m), grad(f)(x, m))


def test_masks_behind_an_axis_are_checked_along_theirs() -> None:
    derivative, m = grad(picked_behind_an_axis, backend="numba"), np.array([True, False])
    np.testing.assert_allclose(derivative(X, m), grad(picked_behind_an_axis)(X, m))
    with pytest.raises(ValueError, match="lengths"):
        derivative(X, np.array([True, False, True, True]))


def test_what_is_made_of_the_array_is_not_checked() -> None:
    def f(x):
        return np.sum(x[x > 0.0] ** 2)

    assert "_same_length" not in grad(f, backend="numba").source_for(X[:, 0])


def means_of_bins(x, places, bins):
    means = np.zeros(bins)
    for k in range(bins):
        inside = np.logical_and(k <= places, places < k + 1)
        outside = ~inside & (places > 0.5) | (places < 0.1)
        means[k] = np.mean(x[inside]) + 0.1 * np.sum(np.where(outside, x * x, 0.0))
    return np.sum(means**2)


def means_of_bins_that_move(x, places, bins):
    places = places.copy()
    total = 0.0
    for k in range(bins):
        inside = np.logical_and(k <= places, places < k + 1)
        total += np.sum(x[inside]) ** 2
        places += 0.3 * x
    return total


@pytest.mark.parametrize("f", [means_of_bins, means_of_bins_that_move])
def test_masks_are_computed_again_where_what_they_ask_of_stays(f: Callable[..., Any]) -> None:
    x, places = np.linspace(-1.0, 2.0, 12), np.linspace(0.05, 2.95, 12)[::-1].copy()
    df = grad(f, backend="numba")
    np.testing.assert_allclose(df(x, places, 3), grad(f)(x, places, 3), rtol=1e-12)
    assert f is means_of_bins_that_move or "inside_tape" not in df.source_for(x, places, 3)
