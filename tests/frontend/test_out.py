"""Arrays that library functions put their results into, given by name or by position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import NotDifferentiable, UnsupportedSyntax, check_grads, grad, value_and_grad, vjp

X = np.array([[1.0, 2.0, 0.5], [3.0, 0.2, 1.4]])


def filled(shape: Any, put: Callable[..., Any], dtype: Any = float) -> Callable[..., Any]:
    """What is made of the array that ``put`` fills."""

    def f(x):
        b = np.zeros(shape, dtype)
        result = put(x, b)
        return np.sum(b * b) + np.sum(x) * np.sum(result)

    return f


CALLS = {
    "sum": filled(3, lambda x, b: np.sum(x, 0, None, b)),
    "sum by name": filled(3, lambda x, b: np.sum(x, axis=0, out=b)),
    "method": filled(3, lambda x, b: x.sum(0, None, b)),
    "reduce": filled(3, lambda x, b: np.add.reduce(x, 0, None, b)),
    "nansum": filled(3, lambda x, b: np.nansum(x, axis=0, out=b)),
    "nansum by position": filled(3, lambda x, b: np.nansum(x, 0, None, b)),
    "nanmax": filled(3, lambda x, b: np.nanmax(x, 0, b)),
    "median": filled(2, lambda x, b: np.median(x, 1, b)),
    "mean": filled(3, lambda x, b: np.mean(x, 0, None, b)),
    "cumsum": filled((2, 3), lambda x, b: np.cumsum(x, 1, None, b)),
    "clip": filled((2, 3), lambda x, b: np.clip(x, 0.3, 1.7, b)),
    "dot": filled((2, 2), lambda x, b: np.dot(x, x.T, b)),
    "einsum": filled((2, 2), lambda x, b: np.einsum("ij,kj->ik", x, x, out=b)),
    "concatenate": filled((4, 3), lambda x, b: np.concatenate((x, x), 0, b)),
    "ufunc": filled((2, 3), lambda x, b: np.multiply(x, 2.0, b)),
    "ufunc, in a tuple": filled((2, 3), lambda x, b: np.exp(x, out=(b,))),
    "argmax": filled(3, lambda x, b: np.argmax(x, 0, b), int),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_is_filled(name: str) -> None:
    f = CALLS[name]
    assert value_and_grad(f)(X)[0] == pytest.approx(f(X), rel=1e-13)
    check_grads(f)(X)


def test_two_arrays_are_refused() -> None:
    def f(x):
        a, b = np.zeros((2, 3)), np.zeros((2, 3))
        np.modf(x, a, b)
        return np.sum(a)

    with pytest.raises(UnsupportedSyntax, match="`out=` is handled only where it is an array known here"):
        grad(f)(X)


@pytest.mark.parametrize("fn", [np.nanvar, np.nanstd])
def test_a_dtype_is_not_passed_over(fn: Callable[..., Any]) -> None:
    x = X.astype(np.float32)
    with pytest.raises(NotDifferentiable, match="`dtype=` is not handled here"):
        grad(lambda x: fn(x, dtype=np.float64))(x)
    assert grad(lambda x: fn(x))(x).dtype == np.float32


@pytest.mark.parametrize("fn", [np.nansum, np.nanmean, np.nanprod])
def test_a_dtype_is_what_is_reduced(fn: Callable[..., Any]) -> None:
    x = X.astype(np.float32)
    y, pullback = vjp(lambda x: fn(x, dtype=np.float64), x)
    assert y.dtype == np.float64
    assert y == pytest.approx(fn(x, dtype=np.float64), rel=1e-14)
    assert pullback(np.float64(1.0))[0].dtype == np.float32
    assert grad(lambda x: fn(x))(x).dtype == np.float32


def test_items_that_a_mask_leaves_out_need_an_array() -> None:
    """Without ``out=`` they are whatever the memory held."""
    with pytest.raises(UnsupportedSyntax, match="`where=` argument of a ufunc is handled only with `out=`"):
        grad(lambda x: np.sum(np.sqrt(x, where=x > 1.0)))(X)


def test_the_outer_form_of_a_ufunc_takes_out() -> None:
    def total(x: Any) -> Any:
        sums, products = np.zeros((3, 3)), np.zeros((3, 3))
        np.add.outer(x, 2.0 * x, out=sums)
        np.multiply.outer(x, x, out=products)
        return np.sum(sums * products) + np.sum(np.subtract.outer(x, x, dtype=np.float64) ** 3 * products)

    check_grads(total)(X[0])
