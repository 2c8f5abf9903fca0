"""Arrays as sets of numbers, and arrays taken apart, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, value_and_grad

x = np.array([3.0, 1.0, 2.0, 0.5])


def with_places(x: Any) -> Any:
    values, first, back, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    return np.sum(values[back] * np.sin(x)) + np.sum(counts * values * first)


def by_labels(x: Any) -> Any:
    _, of = np.unique(np.array(["a", "b", "a", "c"]), return_inverse=True)
    return np.sum(x[of] * np.sin(x))


def trimmed(x: Any) -> Any:
    return np.sum(np.trim_zeros(np.pad(x, 2)) ** 3) + np.sum(np.trim_zeros(np.pad(x, 1), "f")[:4] ** 2)


def in_two(x: Any) -> Any:
    a, b = np.unstack(np.reshape(x, (2, 2)), axis=1)
    return np.sum(a * np.sin(b))


def placed(x: Any) -> Any:
    y = x * x
    np.place(y, x > 0.7, [x[0], 2.0])
    return np.sum(y * x)


@pytest.mark.parametrize("f", [with_places, by_labels, trimmed, in_two, placed])
def test_gradients(f: Callable[..., Any]) -> None:
    check_grads(f)(x)
    check_grads(lambda x: np.sum(np.cos(grad(f)(x))))(x)


@pytest.mark.parametrize("f", [with_places, trimmed, in_two, placed])
def test_compiled(f: Callable[..., Any]) -> None:
    value, slope = value_and_grad(f, backend="numba")(x)
    assert value == pytest.approx(f(x))
    np.testing.assert_allclose(slope, grad(f)(x), rtol=1e-12)


def test_the_first_of_equal_items_is_kept() -> None:
    slope = grad(lambda x: np.sum(np.unique(x) * np.array([1.0, 2.0])))(np.array([5.0, 4.0, 5.0, 4.0]))
    np.testing.assert_array_equal(slope, [2.0, 1.0, 0.0, 0.0])


def test_nan_counts_as_one() -> None:
    slope = grad(lambda x: np.nansum(np.unique(x)))(np.array([np.nan, 1.0, np.nan]))
    np.testing.assert_array_equal(slope, [0.0, 1.0, 0.0])
