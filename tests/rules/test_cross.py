"""Products of vectors: of vectors of three they are differentiated, of others refused.

Of two vectors of two, np.cross gives one number, so its result has another rank, which only NumPy knows when it runs.
"""

import numpy as np
import pytest

from s2sad import grad, jvp

TIERS = pytest.mark.parametrize("backend", ["python", "numba"])


def squared(a, b):
    return np.sum(np.cross(a, b) ** 2)


def weighted(a, b):
    return np.sum(np.cross(a, b) * 2.0)


def along_axes(a, b):
    return np.sum(np.cross(a, b, axisa=0, axisb=0, axisc=0) ** 2)


def along_axis(a, b):
    return np.sum(np.cross(a, b, axis=0) ** 2)


def beside(x, a, b):
    return np.sum(x * np.cross(a, b))


@TIERS
@pytest.mark.parametrize("function", [squared, weighted, along_axes, along_axis])
@pytest.mark.parametrize("shapes", [((2, 2), (2, 2)), ((2, 2), (3, 3)), ((3, 3), (2, 2)), ((2,), (2,)), ((3,), (2,))])
def test_vectors_of_two_are_refused(function, shapes, backend):
    a, b = (np.ones(shape) for shape in shapes)
    for wrt in (0, 1):
        with pytest.raises(ValueError, match="3-dimensional"):
            grad(function, wrt=wrt, backend=backend)(a, b)
    with pytest.raises(ValueError, match="3-dimensional"):
        jvp(function, (a, b), (a, b), backend=backend)


@TIERS
def test_vectors_of_two_are_refused_where_they_are_constant(backend):
    with pytest.raises(ValueError, match="3-dimensional"):
        grad(beside, backend=backend)(np.array([1.0, 2.0]), np.eye(2), np.ones((2, 2)))


@TIERS
def test_vectors_of_three_along_axes(backend):
    a, b = np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.25]]), np.array([[0.3, 1.5], [-1.0, 0.5], [2.0, 1.0]])
    expected = 2.0 * np.cross(b, np.cross(a, b, axis=0), axis=0)
    for function in (along_axes, along_axis):
        np.testing.assert_allclose(grad(function, backend=backend)(a, b), 0.0 + expected, rtol=1e-12)
