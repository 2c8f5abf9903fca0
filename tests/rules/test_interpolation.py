"""The rules of scipy.interpolate, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, value_and_grad

interpolate = pytest.importorskip("scipy.interpolate")

t = np.linspace(0.0, 3.0, 7)
y = np.sin(t)
SPLINES = {
    "CubicSpline": interpolate.CubicSpline(t, y),
    "PchipInterpolator": interpolate.PchipInterpolator(t, y),
    "Akima1DInterpolator": interpolate.Akima1DInterpolator(t, y),
    "make_interp_spline": interpolate.make_interp_spline(t, y),
    "PPoly": interpolate.PPoly(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.0, 1.0, 2.0])),
    "of vectors": interpolate.CubicSpline(t, np.stack((y, y * y), axis=1)),
}


@pytest.mark.parametrize("name", SPLINES)
@pytest.mark.parametrize("x", [1.1, np.array([0.3, 1.1]), np.array([[0.3], [1.9]])], ids=["number", "vector", "matrix"])
def test_splines(name: str, x: Any) -> None:
    spline = SPLINES[name]

    def f(x: Any) -> Any:
        return np.sum(np.sin(spline(x))) + np.sum(spline(x, 1) ** 2)

    assert value_and_grad(f)(x)[0] == pytest.approx(f(x))
    check_grads(f)(x)
    check_grads(lambda x: np.sum(np.cos(grad(f)(x))))(x)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: interpolate.CubicSpline(t, y)(x),
        lambda x: interpolate.make_interp_spline(t, y, k=3)(x),
        lambda x, spline=SPLINES["CubicSpline"]: spline(x),
    ],
    ids=["made here", "by a function", "an argument"],
)
def test_where_splines_come_from(f: Callable[..., Any]) -> None:
    check_grads(f)(1.1)


def test_the_second_derivative_is_the_splines_own() -> None:
    spline = SPLINES["CubicSpline"]
    assert grad(grad(lambda x: spline(x)))(1.1) == pytest.approx(float(spline(1.1, 2)))


def test_integrals_from_or_to_a_number_that_is_written_down() -> None:
    spline = SPLINES["CubicSpline"]
    check_grads(lambda x: spline.integrate(0.3, x))(1.1)
    check_grads(lambda x: spline.integrate(x, 2))(1.1)


def test_other_axes_are_refused() -> None:
    spline = interpolate.CubicSpline(t, np.stack((y, y * y)), axis=1)
    with pytest.raises(NotImplementedError, match="first axis"):
        grad(lambda x: np.sum(spline(x)))(np.array([0.3, 1.1]))
