"""``np.where`` of floats, which asks whether they are zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad


def guarded(x: Any) -> Any:
    return np.where(x, x * x, 7.0 * x)


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_floats_that_carry_a_derivative_say_where(backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    x = np.array([1.5, 0.0, np.nan, -0.0, np.inf])
    value, slope = s2sad.jvp(guarded, (x,), (np.ones(5),), backend=backend)
    np.testing.assert_array_equal(value, guarded(x))
    np.testing.assert_array_equal(slope, [3.0, 7.0, np.nan, 7.0, np.inf])
    np.testing.assert_array_equal(s2sad.vjp(guarded, x, backend=backend)[1](np.ones(5))[0], slope)


def test_numbers_do() -> None:
    assert s2sad.grad(guarded)(1.5) == 3.0
    assert s2sad.grad(guarded)(0.0) == 7.0
    assert s2sad.grad(lambda k, x: np.where(k, x, 2.0 * x), wrt=1)(0, 1.5) == 2.0
