"""Axes that only a run tells: each that there is, as in NumPy; others raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, vjp

pytest.importorskip("numba")

X = np.sin(np.arange(1.0, 25.0)).reshape(2, 3, 4)


def along_one(x, axis):
    y = np.cumsum(np.concatenate([x, x * x], axis=axis), axis) * np.mean(x, axis=axis, keepdims=True)
    return np.sum(np.take(y, [1, 0], axis=axis) ** 2) + np.sum(np.max(x, axis) ** 3) + np.argmin(x[0, 0])


def along_each(x):
    for axis in range(2):
        x = np.sum(x * x, axis=axis, keepdims=True) * x
    return np.sum(x)


def along_each_of_a_list(x, axes):
    for axis in axes:
        x = np.cumsum(x * x, axis=axis)
    return np.sum(x)


def in_order(x, first, second):
    order = [0, 1, 2]
    order[first], order[second] = order[second], order[first]
    y = np.transpose(x, order) * 2.0
    return np.sum(y[0] ** 2) + np.sum(np.sum(x, axis=(first, second)) ** 3)


def contracted(x, y, axis):
    return np.tensordot(x, y, axes=([1], [axis]))


def agree(f: Callable[..., Any], x: np.ndarray, *rest: Any) -> None:
    """Both tiers give the same in both modes, and that is what differences give."""
    value, slope = jvp(f, (x, *rest), (np.cos(x), *(None for _ in rest)), backend="numba")
    assert value == pytest.approx(f(x, *rest), rel=1e-13)
    moved = [f(x + k * 1e-3 * np.cos(x), *rest) for k in (-2, -1, 1, 2)]
    assert slope == pytest.approx((moved[0] - 8 * moved[1] + 8 * moved[2] - moved[3]) / 12e-3, rel=1e-7)
    assert np.sum(grad(f, backend="numba")(x, *rest) * np.cos(x)) == pytest.approx(slope, rel=1e-12)


@pytest.mark.parametrize("axis", [0, 1, -1, -3])
def test_an_axis(axis: int) -> None:
    agree(along_one, X, axis)


def test_an_axis_that_a_loop_counts() -> None:
    agree(along_each, X)
    np.testing.assert_allclose(hvp(along_each, backend="numba")(X, X), hvp(along_each)(X, X), rtol=1e-12)


def test_the_only_axis() -> None:
    agree(along_each_of_a_list, X[0, 0], [0, -1])


@pytest.mark.parametrize("axes", [(0, 1), (2, 0), (1, 2), (2, 1)])
def test_orders_of_axes(axes: tuple[int, int]) -> None:
    agree(in_order, X, *axes)


@pytest.mark.parametrize("axis", [0, -1])
def test_axes_of_either_operand(axis: int) -> None:
    x, y, ct = X[0], X[1].T @ X[1], np.cos(np.arange(12.0)).reshape(3, 4)
    value, pullback = vjp(contracted, x, y, axis, backend="numba")
    np.testing.assert_allclose(value, x @ (y if axis == 0 else y.T), rtol=1e-13)
    np.testing.assert_allclose(pullback(ct)[0], ct @ (y.T if axis == 0 else y), rtol=1e-13)


@pytest.mark.parametrize("axis", [3, -4])
def test_axes_that_there_are_not(axis: int) -> None:
    with pytest.raises(np.exceptions.AxisError):
        along_one(X, axis)
    with pytest.raises(IndexError):
        grad(along_one, backend="numba")(X, axis)


def test_an_axis_that_is_there_twice() -> None:
    with pytest.raises(ValueError, match="duplicate"):
        in_order(X, 1, 1)
    with pytest.raises(ValueError, match="repeated axis"):
        grad(in_order, backend="numba")(X, 1, -2)


def test_an_order_of_too_few_axes() -> None:
    def f(x, n):
        order = [1, 0, 2]
        while len(order) > n:
            order.pop()
        return np.sum(np.transpose(x, order)[0] ** 2)

    with pytest.raises(ValueError, match="axes don't match array"):
        f(X, 2)
    with pytest.raises(ValueError, match="axes don't match array"):
        grad(f, backend="numba")(X, 2)
    agree(f, X, 3)
