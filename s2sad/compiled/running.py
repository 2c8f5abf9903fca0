"""Running extrema, places of extrema, angles without jumps, diagonals of stacked matrices, triangles: small loops."""

from __future__ import annotations

from typing import Any

import numpy as np


def running_max(a: Any) -> Any:
    """The largest items so far, along the middle one of three axes; NaN from the first NaN on."""
    out = a.copy()
    for i in range(a.shape[0]):
        for k in range(1, a.shape[1]):
            for j in range(a.shape[2]):
                if not (a[i, k, j] >= out[i, k - 1, j] or a[i, k, j] != a[i, k, j]):
                    out[i, k, j] = out[i, k - 1, j]
    return out


def running_min(a: Any) -> Any:
    """The smallest items so far, along the middle one of three axes; NaN from the first NaN on."""
    out = a.copy()
    for i in range(a.shape[0]):
        for k in range(1, a.shape[1]):
            for j in range(a.shape[2]):
                if not (a[i, k, j] <= out[i, k - 1, j] or a[i, k, j] != a[i, k, j]):
                    out[i, k, j] = out[i, k - 1, j]
    return out


def places_so_far(a: Any, extremum: Any) -> Any:
    """Where along the middle one of three axes the last item so far is that equals the running extremum, or is NaN."""
    out = np.zeros(a.shape, np.int64)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(a.shape[2]):
                here = a[i, k, j] == extremum[i, k, j] or a[i, k, j] != a[i, k, j]
                out[i, k, j] = k if here or k == 0 else out[i, k - 1, j]
    return out


def argmax_along(a: Any) -> Any:
    """Where along the middle one of three axes the first of the largest items is, or the first NaN."""
    if a.shape[1] == 0:
        raise ValueError("attempt to get argmax of an empty sequence")
    out = np.zeros((a.shape[0], a.shape[2]), np.int64)
    for i in range(a.shape[0]):
        for j in range(a.shape[2]):
            best = a[i, 0, j]
            for k in range(1, a.shape[1]):
                if best == best and (a[i, k, j] > best or a[i, k, j] != a[i, k, j]):
                    best, out[i, j] = a[i, k, j], k
    return out


def argmin_along(a: Any) -> Any:
    """Where along the middle one of three axes the first of the smallest items is, or the first NaN."""
    if a.shape[1] == 0:
        raise ValueError("attempt to get argmin of an empty sequence")
    out = np.zeros((a.shape[0], a.shape[2]), np.int64)
    for i in range(a.shape[0]):
        for j in range(a.shape[2]):
            best = a[i, 0, j]
            for k in range(1, a.shape[1]):
                if best == best and (a[i, k, j] < best or a[i, k, j] != a[i, k, j]):
                    best, out[i, j] = a[i, k, j], k
    return out


def unwrapped(a: Any, discont: Any, period: Any) -> Any:
    """Angles along the middle one of three axes without jumps of a period, as np.unwrap adds them up."""
    out = a.copy()
    high = period / 2
    for i in range(a.shape[0]):
        for j in range(a.shape[2]):
            added = 0.0
            for k in range(1, a.shape[1]):
                step = a[i, k, j] - a[i, k - 1, j]
                within = np.mod(step + high, period) - high
                if within == -high and step > 0:
                    within = high
                if not abs(step) < discont:
                    added += within - step
                out[i, k, j] = a[i, k, j] + added
    return out


def diagonals(a: Any, offset: Any) -> Any:
    """The diagonals of stacked matrices, one to a row."""
    below, right = max(-offset, 0), max(offset, 0)
    out = np.empty((a.shape[0], max(min(a.shape[1] - below, a.shape[2] - right), 0)), a.dtype)
    for i in range(a.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = a[i, below + k, right + k]
    return out


def undiagonals(x: Any, n: Any, m: Any, offset: Any) -> Any:
    """Stacked matrices of zeros, n by m, with the rows of x on their diagonals."""
    below, right = max(-offset, 0), max(offset, 0)
    out = np.zeros((x.shape[0], n, m), x.dtype)
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            out[i, below + k, right + k] = x[i, k]
    return out


def lower_triangle(a: Any, k: Any) -> Any:
    """np.tril(a, k) of a matrix."""
    n, m = a.shape
    out = np.empty((n, m), a.dtype)
    for i in range(n):
        kept = min(max(i + k + 1, 0), m)
        for j in range(kept):
            out[i, j] = a[i, j]
        for j in range(kept, m):
            out[i, j] = 0
    return out


def upper_triangle(a: Any, k: Any) -> Any:
    """np.triu(a, k) of a matrix."""
    n, m = a.shape
    out = np.empty((n, m), a.dtype)
    for i in range(n):
        blank = min(max(i + k, 0), m)
        for j in range(blank):
            out[i, j] = 0
        for j in range(blank, m):
            out[i, j] = a[i, j]
    return out
