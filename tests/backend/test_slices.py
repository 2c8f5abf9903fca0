"""Slices in tuples that are no subscripts as they stand: their syntax is that of a call."""

import numpy as np

from s2sad import grad


def by_a_tuple_in_a_loop(x):
    y = x * 2.0
    total = 0.0
    for k in range(2):
        index = (slice(None), k)
        total += np.sum(y[index] ** 2)
        if k:
            y[index] *= total
    return np.sum(y * x) + total


def test_slices_in_tuples_are_calls():
    x = np.linspace(0.3, 1.4, 6).reshape(3, 2)
    dx, h = np.cos(np.arange(6.0)).reshape(3, 2), 1e-6
    expected = (by_a_tuple_in_a_loop(x + h * dx) - by_a_tuple_in_a_loop(x - h * dx)) / (2 * h)
    np.testing.assert_allclose(np.vdot(grad(by_a_tuple_in_a_loop)(x), dx), expected, rtol=1e-7)
    for backend in ("python", "numba"):
        assert "(None)," not in grad(by_a_tuple_in_a_loop, backend=backend).source_for(x)
