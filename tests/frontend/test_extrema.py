"""Python's ``max`` and ``min`` of an array: of its items along the first axis the first of equals, as in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, jvp, value_and_grad

TIERS = pytest.mark.parametrize("backend", ["python", "numba"])
NAN = np.nan


def largest(x: Any) -> Any:
    return max(x) * 2.0


def smallest_of_products(x: Any) -> Any:
    return min(x * x)


def largest_to_come(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += max(x[i:]) * x[0]
    return total


def largest_sum(x: Any) -> Any:
    return max(np.sum(x, axis=1), default=0.0)


def total_of_largest_row(x: Any) -> Any:
    return np.sum(max(x))


@TIERS
@pytest.mark.parametrize(
    ("function", "x", "slope"),
    [
        (largest, [1.0, 3.0, 3.0], [0.0, 2.0, 0.0]),
        (largest, [1.0, NAN, 2.0], [0.0, 0.0, 2.0]),
        (largest, [NAN, 1.0], [2.0, 0.0]),
        (smallest_of_products, [2.0, -1.0, 1.0], [0.0, -2.0, 0.0]),
        (largest_to_come, [2.0, 1.0, 1.0], [6.0, 2.0, 2.0]),
        (largest_sum, [[1.0, 2.0], [3.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]]),
    ],
)
def test_the_first_of_equals(function: Any, x: Any, slope: Any, backend: str) -> None:
    for dtype in (np.float64, np.float32):
        given = np.array(x, dtype)
        value, found = value_and_grad(function, backend=backend)(given)
        np.testing.assert_equal(float(value), float(function(given)))
        assert found.dtype == dtype
        np.testing.assert_allclose(found, slope)
        np.testing.assert_allclose(jvp(function, (given,), (np.ones_like(given),), backend=backend)[1], np.sum(slope))


@pytest.mark.parametrize("shape", [(1, 3), (3, 1)])
def test_rows(shape: tuple[int, ...]) -> None:
    x = np.arange(3.0).reshape(shape)
    value, slope = value_and_grad(total_of_largest_row)(x)
    assert value == total_of_largest_row(x)
    np.testing.assert_array_equal(slope, [[1.0] * 3] if shape[0] == 1 else [[0.0], [0.0], [1.0]])
    pytest.importorskip("numba")
    with pytest.raises(CompileError):
        grad(total_of_largest_row, backend="numba")(x)


def test_what_python_does_not_compare() -> None:
    with pytest.raises(ValueError, match="ambiguous"):
        grad(total_of_largest_row)(np.eye(2))
    with pytest.raises(TypeError):
        grad(largest)(0.5)
    with pytest.raises(ValueError, match="empty"):
        grad(largest)(np.zeros(0))
