"""Arrays made of lists: Python's floats beside numbers of single precision make one of double precision."""

import numpy as np
import pytest

from s2sad import CompileError, jvp, vjp

TIERS = pytest.mark.parametrize("backend", ["python", "numba"])
FACTOR = np.array([1.5, 2.0], np.float32)


def made(x):
    return np.array([np.float32(x), 1.0]) * FACTOR


def sine(x):
    return np.sin([np.float32(x), 1.0])


def product(x):
    return FACTOR * (1.0, np.float32(x))


def nested(x):
    return np.asarray([[np.float32(x)], [2.0]])


def with_integer(x):
    return FACTOR * [np.float32(x), 1]


def stacked(x):
    return FACTOR * np.stack([np.float32(x), 1.0])


def joined(x):
    return FACTOR * np.concatenate([[np.float32(x)], [2.0]])


def appended(x):
    items = [np.float32(x)]
    items.append(1.0)
    return np.array(items) * FACTOR


def appended_in_a_lambda(x):
    return (lambda items: (items.append(1.0), np.array(items))[1])([np.float32(x)])


def chosen(x):
    return np.array([np.float32(x) if i == 0 else 2.0 for i in range(2)])


def of_single(x):
    return np.array([np.float32(x), np.float32(1.0)])


def with_truth(x):
    return np.array([np.float32(x), True]) * FACTOR


def spaced(x):
    return np.linspace(np.float32(x), 1.0, 3)


def in_a_row(x):
    return np.r_[np.float32(x), 1.0]


def by_integers(x):
    return np.float32(x) * np.arange(3)


FUNCTIONS = [made, sine, product, nested, with_integer, stacked, joined, appended, appended_in_a_lambda, chosen]
FUNCTIONS += [of_single, with_truth, spaced, by_integers]
#: What joins lists or puts items of several types into one is refused in the compiled tier.
REFUSED = {joined, nested, chosen}


@TIERS
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_dtype_and_derivative(function, backend):
    expected, slope = function(0.75), function(1.75) - function(0.75)
    ct = np.linspace(0.5, 1.5, expected.size).reshape(expected.shape).astype(expected.dtype)
    if backend == "numba" and function in REFUSED:
        with pytest.raises(CompileError):
            jvp(function, (0.75,), (1.0,), backend=backend)
        return
    value, pullback = vjp(function, 0.75, backend=backend)
    assert value.dtype == expected.dtype
    np.testing.assert_allclose(value, expected, rtol=1e-6)
    y, dy = jvp(function, (0.75,), (1.0,), backend=backend)
    assert y.dtype == dy.dtype == expected.dtype
    if function is sine:
        slope = np.array([np.cos(0.75), 0.0])
    np.testing.assert_allclose(dy, slope, rtol=1e-6)
    np.testing.assert_allclose(pullback(ct)[0], np.sum(ct * slope), rtol=1e-6)


def test_rows_are_not_widened_by_numbers_of_python():
    value, pullback = vjp(in_a_row, 0.75)
    assert value.dtype == in_a_row(0.75).dtype == np.float32
    np.testing.assert_allclose(pullback(np.array([2.0, 3.0], np.float32))[0], 2.0)


@TIERS
@pytest.mark.parametrize("items", [[np.float32(0.5), 1.0], [1.0, np.float32(0.5)]])
def test_lists_that_are_passed(items, backend):
    def doubled(xs):
        return np.array(xs) * np.float32(2.0)

    value, pullback = vjp(doubled, items, backend=backend)
    assert value.dtype == np.float64
    np.testing.assert_allclose(pullback(np.array([1.0, 3.0]))[0], [2.0, 6.0])


@pytest.mark.parametrize("operation", [np.add, np.multiply, np.arctan2, np.divide], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [np.float32(0.7), np.array([0.7, 0.3, 0.2], np.float32)], ids=["number", "array"])
@pytest.mark.parametrize("n", [np.int64(3), np.array([1, 2, 3])], ids=["integer", "integers"])
def test_integers_of_numpy_widen_in_compiled_code(operation, x, n):
    expected = operation(x, n)
    value, _ = vjp(operation, x, n, backend="numba")
    assert np.asarray(value).dtype == expected.dtype == np.float64
    np.testing.assert_allclose(value, expected, rtol=1e-14)
