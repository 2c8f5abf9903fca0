"""Tangents of fresh results have memory of their own, where a rule gives the tangent of an argument as it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import s2sad


def clipped(x: np.ndarray) -> np.ndarray:
    y = x * 1.0
    z = np.clip(y, None, None)
    z[0] = 3.0 * x[1]
    z *= 2.0
    return z * y


def fractions(x: np.ndarray) -> np.ndarray:
    y = x * 1.0
    z = np.modf(y)[0]
    z[0] = 3.0 * x[1]
    z *= 2.0
    return z * y


def unwrapped(x: np.ndarray) -> np.ndarray:
    y = x * 1.0
    z = np.unwrap(y)
    z[0] = 3.0 * x[1]
    z *= 2.0
    return z * y


@pytest.mark.parametrize("f", [clipped, fractions, unwrapped])
def test_a_fresh_result_is_updated_without_its_argument(f: Callable[[np.ndarray], np.ndarray]) -> None:
    x, dx, h = np.array([0.3, -0.4, 0.9]), np.array([0.7, 0.2, -0.5]), 1e-6
    _, got = s2sad.jvp(f, (x,), (dx,))
    np.testing.assert_allclose(got, (f(x + h * dx) - f(x - h * dx)) / (2 * h), rtol=1e-7)
