"""Tuples of arrays of which the number of items is known while compiling."""

import numpy as np
import pytest

from s2sad import grad


def at_places(x, y):
    y = y.copy()
    for k in np.argwhere(x > 0):
        y[tuple(k)] *= x[tuple(k)]
    return np.sum(y**2)


def beside_places(x, y):
    y = y.copy()
    for k in np.argwhere(x > 0):
        m = np.clip(k + np.array((1, -1)), 0, 3)
        y[tuple(m)] += y[tuple(k)] * x[tuple(k // 2)]
    return np.sum(y**2)


def by_shape(x, y):
    return np.sum(np.ones(tuple(np.array(x.shape) + 1))[1:, 1:] * x * y**2)


def along_one_axis(x, y):
    total = 0.0
    for k in np.argwhere(x[0] > 0):
        total += np.sum(x[tuple(k)] * y[tuple(k)])
    return total


@pytest.mark.parametrize("f", [at_places, beside_places, by_shape, along_one_axis], ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["python", "numba"])
def test_tuples_of_places(f, backend):
    if backend == "numba":
        pytest.importorskip("numba")
    rng = np.random.default_rng(3)
    x, y, dx, dy = rng.normal(size=(4, 4, 4))
    h = 1e-6
    expected = (f(x + h * dx, y + h * dy) - f(x - h * dx, y - h * dy)) / (2 * h)
    bx, by = grad(f, wrt=(0, 1), backend=backend)(x, y)
    np.testing.assert_allclose(np.vdot(bx, dx) + np.vdot(by, dy), expected, rtol=1e-7)


def test_an_array_of_lengths_as_a_shape():
    """The rank is known: the adjoint of an item is a number, and looks at nothing."""

    def f(x):
        wide = np.zeros(np.array(x.shape) + 1)
        wide[1, 1] = x[0, 0] ** 2
        return wide[1, 1] * wide[0, 1] + wide[1, 1]

    x = np.arange(6.0).reshape(2, 3) + 1.0
    df = grad(f)
    np.testing.assert_allclose(df(x), [[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert "unbroadcast" not in df.source_for(x)
