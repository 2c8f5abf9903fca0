"""Axes that an array does not have, which loops that are made for an axis would give some value for."""

import numpy as np
import pytest

from s2sad import CompileError, grad, hvp

pytest.importorskip("numba")

CALLS = {
    "sum": lambda x: np.sum(np.sum(x, axis=2)),
    "negative": lambda x: np.sum(np.max(x, axis=-3)),
    "method": lambda x: np.sum(x.mean(axis=5)),
    "cumsum": lambda x: np.sum(np.cumsum(x, axis=2)),
    "flip": lambda x: np.sum(np.flip(x, axis=2)),
    "roll": lambda x: np.sum(np.roll(x, 1, axis=2)),
    "swapped": lambda x: np.sum(np.swapaxes(x, 0, 2)),
    "moved": lambda x: np.sum(np.moveaxis(x, 0, 3)),
    "argmax": lambda x: x[np.argmax(x, axis=2)[0], 0],
    "several": lambda x: np.sum(np.sum(x, axis=(0, 2))),
    "expanded": lambda x: np.sum(np.expand_dims(x, 3)),
}


@pytest.mark.parametrize("f", CALLS.values(), ids=list(CALLS))
def test_axes_that_there_are_not_are_refused(f):
    x = np.ones((2, 3))
    with pytest.raises(np.exceptions.AxisError):
        f(x)
    with pytest.raises(CompileError, match="out of bounds for an array of 2 axes"):
        grad(f, backend="numba")(x)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_axes_that_there_are_are_not(axis):
    def f(x):
        return np.sum(np.expand_dims(x, axis) ** 2)

    np.testing.assert_array_equal(grad(f, backend="numba")(np.ones((2, 3))), np.full((2, 3), 2.0))


def test_axes_that_are_made_count():
    def f(x):
        return np.sum(np.expand_dims(x, (1, 3)) ** 2)

    np.testing.assert_array_equal(grad(f, backend="numba")(np.ones((2, 3))), np.full((2, 3), 2.0))


def test_axes_in_a_derivative_are_those_of_the_function():
    def f(x):
        return np.sum(np.max(x, axis=(1, 2)) ** 2)

    x = np.linspace(0.3, 1.7, 24).reshape(2, 3, 4)
    np.testing.assert_allclose(hvp(f, backend="numba")(x, x), hvp(f)(x, x), rtol=1e-13)


def grown(x):
    y = x.copy()
    y += np.ones((2, 3)) * x
    return np.sum(y)


def test_an_array_of_more_axes_is_not_added_in_place():
    with pytest.raises(ValueError, match="non-broadcastable"):
        grown(np.ones(3))
    with pytest.raises(CompileError, match="2 axes cannot be added in place to one with 1"):
        grad(grown, backend="numba")(np.ones(3))
