"""The quickstart's formulas against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from examples import quickstart
from s2sad import grad, jvp, value_and_grad, vjp


def test_gradient_of_the_formula() -> None:
    d1, d2 = grad(quickstart.f, wrt=(0, 1))(2.0, 5.0)
    assert d1 == pytest.approx(5.5, rel=1e-14)
    assert d2 == pytest.approx(2.0 - math.cos(5.0), rel=1e-14)


def test_parameters_may_be_named() -> None:
    assert grad(quickstart.f, wrt="x2")(2.0, 5.0) == grad(quickstart.f, wrt=1)(2.0, 5.0)


@pytest.mark.parametrize("tangents", [(1.0, 0.0), (0.0, 1.0), (0.3, -2.0)])
def test_tangent_of_the_formula(tangents: tuple[float, float]) -> None:
    value, tangent = jvp(quickstart.f, (2.0, 5.0), tangents)
    assert value == pytest.approx(math.log(2.0) + 10.0 - math.sin(5.0), rel=1e-15)
    assert tangent == pytest.approx(5.5 * tangents[0] + (2.0 - math.cos(5.0)) * tangents[1], rel=1e-14)


def test_product_plus_sine() -> None:
    value, gradient = value_and_grad(quickstart.product_plus_sine, wrt=(0, 1))(0.5, 4.2)
    assert value == pytest.approx(2.579425538604203, rel=1e-15)
    assert gradient == pytest.approx((5.077582561890373, 0.5), rel=1e-15)


@pytest.mark.parametrize("x", [-3.0, 0.0, 0.7, 20.0])
def test_sigmoid(x: float) -> None:
    s = 1.0 / (1.0 + math.exp(-x))
    value, slope = value_and_grad(quickstart.sigmoid)(x)
    assert value == pytest.approx(s, rel=1e-14)
    assert slope == pytest.approx(math.exp(-x) * s * s, rel=1e-13)


def test_two_outputs_from_one_forward_sweep_and_two_pullback_calls() -> None:
    (radius, angle), pullback = vjp(quickstart.polar, 3.0, 4.0)
    assert (radius, angle) == pytest.approx((5.0, math.atan2(4.0, 3.0)))
    assert pullback((1.0, 0.0)) == pytest.approx((0.6, 0.8), rel=1e-14)
    assert pullback((0.0, 1.0)) == pytest.approx((-4.0 / 25.0, 3.0 / 25.0), rel=1e-14)
    assert pullback((2.0, 1.0)) == pytest.approx((1.2 - 0.16, 1.6 + 0.12), rel=1e-14)


def seidel_adjoint(A: np.ndarray, steps: int) -> np.ndarray:
    """The adjoint of the sweep, written by hand."""
    n = A.shape[0]
    bA = np.ones_like(A)
    for _ in range(steps):
        for i in reversed(range(1, n - 1)):
            for j in reversed(range(1, n - 1)):
                b = bA[i, j] / 3.0
                bA[i, j] = b
                bA[i, j - 1] += b
                bA[i - 1, j] += b
    return bA


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_sweep(steps: int) -> None:
    A = np.random.default_rng(0).normal(size=(6, 6))
    before = A.copy()
    np.testing.assert_allclose(grad(quickstart.seidel)(A, steps), seidel_adjoint(A, steps), rtol=1e-13, atol=1e-14)
    np.testing.assert_array_equal(A, before)
