"""Triangles of a vector, which NumPy repeats in the rows of a matrix first."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad

V = np.array([0.3, 0.7, 1.1])


def products_in_triangles(v):
    return np.sum(np.tril(v) ** 2 * v[:, None]) + np.sum(np.triu(v, 1)[0] * v)


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_slopes(backend):
    value, slope = s2sad.value_and_grad(products_in_triangles, backend=backend)(V)
    later = np.cumsum(V[::-1])[::-1]
    expected = 2.0 * V * later + np.cumsum(V**2) + np.array([0.0, 2.0 * V[1], 2.0 * V[2]])
    np.testing.assert_allclose(value, products_in_triangles(V), rtol=1e-13)
    np.testing.assert_allclose(slope, expected, rtol=1e-13)


def test_a_jacobian_has_the_axes_of_the_matrix():
    assert s2sad.jacobian(np.tril)(V).shape == (3, 3, 3)
