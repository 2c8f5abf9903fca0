"""``np.squeeze`` without axes, in the compiled tier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import NotDifferentiable, grad, hvp, jvp, value_and_grad

A = np.array([[0.3, 0.9, -0.4], [1.2, 0.7, 0.5]])


def of_slices(a):
    total = 0.0
    for k in range(3):
        total += np.sum(a[:, k : k + 1].squeeze() ** 2) * k
    return total + np.sum(np.squeeze(a[:, :1]) ** 3)


def of_new_axes(a):
    y = a.copy()
    np.squeeze(y[None])[0] = np.sin(y[1])
    return np.sum(y * y * a)


def of_means(a):
    return np.sum(np.mean(a, axis=1, keepdims=True).squeeze() * a[:, 0]) * np.squeeze(np.sum(a, keepdims=True))


def of_nothing(a):
    return np.sum(np.squeeze(a) @ np.ones(3) ** 2)


@pytest.mark.parametrize("f", [of_slices, of_new_axes, of_means, of_nothing])
def test_both_tiers_agree(f: Callable[[Any], Any]) -> None:
    for found, expected in (
        (value_and_grad(f, backend="numba")(A), value_and_grad(f)(A)),
        (jvp(f, (A,), (A,), backend="numba"), jvp(f, (A,), (A,))),
        ((hvp(f, backend="numba")(A, A),), (hvp(f)(A, A),)),
    ):
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13)


def test_axes_of_arguments_that_have_length_one() -> None:
    def f(w: Any, x: Any) -> Any:
        return np.sum((x.T @ w).squeeze() ** 3)

    w, x = A[:, :1], A
    np.testing.assert_allclose(grad(f, backend="numba")(w, x), grad(f)(w, x), rtol=1e-13)
    np.testing.assert_allclose(grad(f, backend="numba")(A, x), grad(f)(A, x), rtol=1e-13)


def test_an_axis_that_has_one_item_only_at_times() -> None:
    """An axis without items stays, as in NumPy; one with one item would go, and is not known to."""

    def f(x: Any, n: int) -> Any:
        return np.sum(x[:n].squeeze() ** 2)

    g = grad(f, backend="numba")
    for n in (2, 0):
        np.testing.assert_allclose(g(A, n), grad(f)(A, n), rtol=1e-13)
    with pytest.raises(NotDifferentiable, match="an axis that has one item only at times"):
        g(A, 1)
