"""Reductions and running sums along the middle one of three axes, for Numba."""

from __future__ import annotations

from typing import Any

import numpy as np


def sum_along(a: Any) -> Any:
    """The sums along the middle one of three axes."""
    out = np.zeros((a.shape[0], a.shape[2]), a.dtype)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(a.shape[2]):
                out[i, j] += a[i, k, j]
    return out


def prod_along(a: Any) -> Any:
    """The products along the middle one of three axes."""
    out = np.ones((a.shape[0], a.shape[2]), a.dtype)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(a.shape[2]):
                out[i, j] *= a[i, k, j]
    return out


def max_along(a: Any) -> Any:
    """The largest items along the middle one of three axes; NaN where one of them is."""
    out = a[:, 0].copy()
    for i in range(a.shape[0]):
        for k in range(1, a.shape[1]):
            for j in range(a.shape[2]):
                if a[i, k, j] > out[i, j] or a[i, k, j] != a[i, k, j]:
                    out[i, j] = a[i, k, j]
    return out


def min_along(a: Any) -> Any:
    """The smallest items along the middle one of three axes; NaN where one of them is."""
    out = a[:, 0].copy()
    for i in range(a.shape[0]):
        for k in range(1, a.shape[1]):
            for j in range(a.shape[2]):
                if a[i, k, j] < out[i, j] or a[i, k, j] != a[i, k, j]:
                    out[i, j] = a[i, k, j]
    return out


def any_along(a: Any) -> Any:
    """Whether any item is true, along the middle one of three axes."""
    out = np.zeros((a.shape[0], a.shape[2]), np.bool_)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(a.shape[2]):
                out[i, j] |= bool(a[i, k, j])
    return out


def all_along(a: Any) -> Any:
    """Whether all items are true, along the middle one of three axes."""
    out = np.ones((a.shape[0], a.shape[2]), np.bool_)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(a.shape[2]):
                out[i, j] &= bool(a[i, k, j])
    return out


def cumsum_along(a: Any) -> Any:
    """The running sums along the middle one of three axes."""
    out = a.copy()
    for i in range(a.shape[0]):
        for k in range(1, a.shape[1]):
            for j in range(a.shape[2]):
                out[i, k, j] += out[i, k - 1, j]
    return out


def cumprod_along(a: Any) -> Any:
    """The running products along the middle one of three axes."""
    out = a.copy()
    for i in range(a.shape[0]):
        for k in range(1, a.shape[1]):
            for j in range(a.shape[2]):
                out[i, k, j] *= out[i, k - 1, j]
    return out


def exclusive_along(a: Any) -> Any:
    """For each item along the middle one of three axes, the product of the others."""
    out = np.ones(a.shape, a.dtype)
    for i in range(a.shape[0]):
        for j in range(a.shape[2]):
            before = 1.0
            for k in range(a.shape[1]):
                out[i, k, j] = before
                before *= a[i, k, j]
            after = 1.0
            for k in range(a.shape[1] - 1, -1, -1):
                out[i, k, j] *= after
                after *= a[i, k, j]
    return out
