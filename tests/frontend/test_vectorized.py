"""Ufuncs that numba.vectorize has made: their functions, item by item."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import check_grads, grad, value_and_grad, vjp

numba = pytest.importorskip("numba")


@numba.vectorize
def saturation(t):
    if t < 0.0:
        return math.exp(0.1 * t)
    return math.exp(0.07 * t) + 0.01 * t


@numba.vectorize
def humidity(t, p):
    return 0.6 * saturation(t) / (p - saturation(t))


@numba.vectorize(["float64(float64, float64)"])
def mixed(a, b):
    return a * b + a


def total(t: Any, p: Any) -> Any:
    return np.sum(humidity(t, p)) * 2.0


def against_a_constant(t: Any) -> Any:
    return np.sum(mixed(t, np.arange(3)))


ITEMS = np.array([20.0, -3.0, 5.0])


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize(
    ("f", "args"),
    [
        (total, (20.0, 100.0)),
        (total, (ITEMS, 100.0)),
        (total, (ITEMS, np.array([[90.0], [100.0]]))),
        (total, (np.zeros(0), 100.0)),
        (against_a_constant, (2.0,)),
        (saturation, (3.0,)),
        (humidity, (3.0, 90.0)),
    ],
    ids=["numbers", "an array", "broadcast", "empty", "a constant", "itself", "itself of two"],
)
def test_they_are_differentiated(f: Any, args: tuple[Any, ...], backend: str) -> None:
    wrt = tuple(range(len(args)))
    assert value_and_grad(f, wrt=wrt, backend=backend)(*args)[0] == pytest.approx(f(*args), rel=1e-14)
    check_grads(f, wrt=wrt, backend=backend)(*args)
    if f is total and np.size(args[0]):
        check_grads(lambda t: np.sum(grad(total)(t, args[1]) * t))(args[0])


def test_one_of_an_array_has_a_pullback() -> None:
    value, pullback = vjp(saturation, ITEMS)
    np.testing.assert_allclose(value, saturation(ITEMS), rtol=1e-14)
    (slopes,) = pullback(np.ones(3))
    np.testing.assert_allclose(slopes, [grad(saturation)(t) for t in ITEMS])


@pytest.mark.parametrize("t", [np.float32(3.0), ITEMS.astype(np.float32)])
def test_single_precision_is_refused(t: Any) -> None:
    """Numba computes with the constants in double precision, and Python does not."""
    with pytest.raises(s2sad.UnsupportedSyntax, match="double precision"):
        grad(total)(t, 100.0)


@numba.vectorize
def steps(t):
    return 1 if t > 0.0 else 0


def test_integers_are_refused() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="gives floats"):
        grad(lambda t: steps(t) * t)(2.0)
