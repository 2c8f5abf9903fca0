"""Functions of ``math`` that Numba lacks, or has with fewer arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from s2sad import hvp, value_and_grad

pytest.importorskip("numba")


def logarithms(x: Any) -> Any:
    return math.log(x, 3.0) * math.log(x, 10) + math.log(2.0, x)


def lengths(x: Any) -> Any:
    return math.hypot(x, 1.0, 2.0) * math.hypot(-x) + math.hypot(x, 2.0)


def cube_roots(x: Any) -> Any:
    total = math.cbrt(8) * x
    for k in range(3):
        total += math.cbrt(k - 2 * x)
    return total


def closeness(x: Any) -> Any:
    near = math.isclose(x, 0.7, rel_tol=1e-3) or math.isclose(x, 1.3, abs_tol=0.01)
    return (2.0 if near else 3.0) * x * (1.0 if math.isclose(x, math.inf) else 5.0) * (1 + math.isclose(x, x))


@pytest.mark.parametrize("f", [logarithms, lengths, cube_roots, closeness])
@pytest.mark.parametrize("x", [0.7003, 0.75, 1.305])
def test_they_are_as_without_numba(f: Callable[..., Any], x: float) -> None:
    value, slope = value_and_grad(f, backend="numba")(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    assert slope == pytest.approx(value_and_grad(f)(x)[1], rel=1e-13)
    assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-8)
    assert hvp(f, backend="numba")(x, 1.0) == pytest.approx(hvp(f)(x, 1.0), rel=1e-12)
