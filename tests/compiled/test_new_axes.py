"""Subscripts by arrays of indices beside new axes, and by arrays of integers without axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import jvp, structure, value_and_grad, vjp

X = np.array([0.5, 1.2, 2.7, 0.9])
TWICE = np.array([1, 0, 1])


def before_and_behind(x):
    y = x.reshape(2, 2)
    return np.sum(y[np.array([1, 0]), None] ** 2) + np.sum(y[None, [0], :] ** 3)


def between(x):
    y = x.reshape(2, 2)
    spread = y[:, None, TWICE] * np.arange(6.0).reshape(2, 1, 3)
    return np.sum(spread) + np.sum(y[..., TWICE, None] ** 2)


def parting(x):
    y = x.reshape(1, 2, 2)
    return np.sum(y[0, TWICE, None, TWICE] ** 2 * np.arange(3.0)[:, None])


def masks(x):
    y = x.reshape(2, 2)
    return np.sum(y[None, y > 1.0] ** 2) + np.sum(y[y[:, 0] > 1.0, None] ** 3)


def stores(x):
    y = np.zeros((2, 2))
    y[TWICE[:2], None] = x[:2].reshape(1, 1, 2)
    y[None, [0]] += x[2:]
    return np.sum(y**2 * np.arange(4.0).reshape(2, 2))


def additions(x):
    y = np.zeros((2, 3))
    np.add.at(y, (TWICE, None), x[0] * np.ones((3, 1, 3)))
    np.add.at(y, (np.array(1), slice(1, None)), x[1])
    return np.sum(y**2)


def without_axes(x):
    y = x.reshape(2, 2) * 1.0
    picked = y[np.array(0), :]
    picked[0] = 7.0 * x[3]
    return np.sum(y**2) + np.sum(picked * x[1]) + np.sum(y[np.array(1), 1:] ** 3)


def beside_an_ellipsis(x):
    y = np.outer(x, x).reshape(2, 2, 2, 2)
    z = y.copy()
    z[..., TWICE] *= 2.0
    z[TWICE, ...] += y[::-1][TWICE] * 0.1
    z[TWICE, ..., None, TWICE] *= 1.5
    added = np.zeros((2, 2, 2, 2))
    np.add.at(added, (TWICE, ..., TWICE), y[0, 0, 0, 0] * np.arange(12.0).reshape(3, 2, 2))
    return np.sum(z * y) + np.sum(y[TWICE, ..., TWICE] ** 2) + np.sum(added * y) + np.sum(y[[1], [0], ..., 1] ** 3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "f", [before_and_behind, between, parting, masks, stores, additions, without_axes, beside_an_ellipsis]
)
def test_they_are_as_in_python(f: Callable[..., Any], dtype: Any) -> None:
    x = X.astype(dtype)
    found, expected = [
        (value_and_grad(f, backend=b)(x), jvp(f, (x,), (np.cos(x),), backend=b), vjp(f, x, backend=b)[1](1.0))
        for b in ("numba", "python")
    ]
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13 if dtype is np.float64 else 1e-6)
        assert np.asarray(a).dtype == np.asarray(b).dtype
