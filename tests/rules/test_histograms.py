"""Items are put into intervals of one width as NumPy does it, without a search."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from s2sad import grad, value_and_grad
from s2sad.rules.histograms import interval_of

EXACT = np.linspace(-1.0, 2.0, 13)  # all ends, for 1, 2, 3, 4, 6 and 12 intervals


def weighed(weights, x, n, low, high):
    return np.sum(np.histogram(x, n, range=(low, high), weights=weights)[0] ** 2)


@pytest.mark.parametrize("n", [1, 3, 4, 7, 12, 100])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_items_are_where_numpy_puts_them(n, dtype) -> None:
    near = np.concatenate([np.nextafter(EXACT, -9.0), EXACT, np.nextafter(EXACT, 9.0)])
    for x in (np.random.default_rng(n).uniform(-1.5, 2.5, 500), near, np.append(EXACT, [np.nan, np.inf, -np.inf])):
        x = x.astype(dtype)
        counts, edges = np.histogram(x, n, range=(-1.0, 2.0))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            places = interval_of(x, edges, n)
        np.testing.assert_array_equal(np.bincount(places, minlength=n + 1)[:n], counts)


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_the_gradient_by_weights(backend) -> None:
    x, weights = np.append(EXACT, 5.0), np.arange(14.0)
    value, found = value_and_grad(weighed, backend=backend)(weights, x, 3, -1.0, 2.0)
    sums, _ = np.histogram(x, 3, range=(-1.0, 2.0), weights=weights)
    assert value == np.sum(sums**2)
    places = np.minimum(np.arange(13) // 4, 2)
    np.testing.assert_array_equal(found, np.append(2.0 * sums[places], 0.0))


def test_nothing_is_searched() -> None:
    assert "searchsorted" not in grad(weighed).source_for(EXACT, EXACT, 3, -1.0, 2.0)
