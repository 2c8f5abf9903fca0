"""Arrays that are made of zeros are of floats in double precision, whatever is put into them."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import value_and_grad


def filled_by_an_integer(x, n):
    y = np.zeros((2, 3))
    y[...] = n
    y[0] = 0.5 * x
    return np.sum(y * x)


def added_to_by_an_integer(x, n):
    y = np.zeros(3)
    y += n
    y /= 2
    y[0] += x[0]
    return np.sum(y * x)


def added_to_by_a_truth_value(x, n):
    y = np.zeros(3)
    y += n > 1
    y[0] += x[0]
    return np.sum(y * x)


def total_in_double_precision(x, n):
    y = np.zeros(())
    y += np.sum(x)
    y += 1e-9 * n
    return y * 1.0


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("f", [filled_by_an_integer, added_to_by_an_integer, added_to_by_a_truth_value])
@pytest.mark.parametrize("n", [3, np.int64(3), np.float32(3.0)])
def test_what_fills_an_array_does_not_tell_its_type(f, n, backend):
    """Zeros are floats, also where an integer is stored into all of them."""
    x, step = np.array([0.3, 0.5, 0.7]), 1e-6
    value, slope = value_and_grad(f, backend=backend)(x, n)
    assert value == pytest.approx(f(x, n), rel=1e-14)
    for i, e in enumerate(step * np.eye(3)):
        assert slope[i] == pytest.approx((f(x + e, n) - f(x - e, n)) / (2.0 * step), rel=1e-6)


def bytes_taken_away(x, n):
    y = np.zeros(3)
    y[1] = 0.0
    y[1] -= np.uint8(3)
    y[2] += np.int8(100)
    y[2] += np.int8(100)
    return np.sum(y * x)


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_sums_of_narrow_integers(backend):
    value, slope = value_and_grad(bytes_taken_away, backend=backend)(np.ones(3), 1)
    assert value == bytes_taken_away(np.ones(3), 1) == 197.0
    assert slope.tolist() == [0.0, -3.0, 200.0]


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_what_fills_an_array_does_not_tell_its_precision(backend):
    x = np.ones(3, np.float32)
    value = value_and_grad(total_in_double_precision, backend=backend)(x, 1)[0]
    assert float(value) == float(total_in_double_precision(x, 1)) == 3.0 + 1e-9
