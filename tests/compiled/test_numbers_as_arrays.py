"""Functions that make an array of what they are given, called with numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp, value_and_grad

pytest.importorskip("numba")


def squares(x: Any) -> Any:
    x = np.asarray(x)
    return np.sum(x * x)


def floats(x: Any) -> Any:
    x = np.asarray(x, dtype=float)
    return np.sum(np.exp(x) * x)


def copied(x: Any) -> Any:
    x = np.array(x, dtype=np.float64)
    return np.sum(np.where(x > 0.0, x * x, 0.0)) + np.mean(x)


def of_any_class(x: Any) -> Any:
    x = np.asanyarray(x)
    return (x * x).sum() + np.asanyarray(x, dtype=float).max()


def a_number(x: Any) -> Any:
    return float(np.exp(np.asarray(x, float)))


@pytest.mark.parametrize("f", [squares, floats, copied, of_any_class, a_number])
@pytest.mark.parametrize("x", [1.3, np.float64(-0.7), np.array(0.4), np.array([0.4, 1.7])], ids=repr)
def test_agree_with_python(f: Callable[..., Any], x: Any) -> None:
    if f is a_number and np.ndim(x):
        return
    value, slope = value_and_grad(f, backend="numba")(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    np.testing.assert_allclose(slope, grad(f)(x), rtol=1e-13)
    assert np.shape(slope) == np.shape(x)
    ones = np.ones_like(x) if isinstance(x, np.ndarray) else 1.0
    np.testing.assert_allclose(jvp(f, (x,), (ones,), backend="numba")[1], np.sum(grad(f)(x)), rtol=1e-13)
