"""Arrays rolled along their axes, one call for each roll: what stores rows into rows takes Numba long to compile."""

from __future__ import annotations

from typing import Any

import numpy as np


def rolled_by(shift: Any, n: Any) -> Any:
    """How far a roll moves the first of n items: not at all, or up to n - 1 places."""
    return shift % n if n > 0 else 0


def rolled_1(a: Any, shift: Any) -> Any:
    """np.roll(a, shift)"""
    n = a.shape[0]
    out, first = np.empty(n, a.dtype), rolled_by(shift, n)
    for i in range(n - first):
        out[first + i] = a[i]
    for i in range(first):
        out[i] = a[n - first + i]
    return out


def rolled_2(a: Any, shift0: Any, shift1: Any) -> Any:
    """np.roll(a, (shift0, shift1), (0, 1))"""
    n, m = a.shape
    out, first, second = np.empty((n, m), a.dtype), rolled_by(shift0, n), rolled_by(shift1, m)
    for k in range(n):
        i = k - first if k >= first else k - first + n
        for j in range(m - second):
            out[k, second + j] = a[i, j]
        for j in range(second):
            out[k, j] = a[i, m - second + j]
    return out


def rolled_3(a: Any, shift0: Any, shift1: Any, shift2: Any) -> Any:
    """np.roll(a, (shift0, shift1, shift2), (0, 1, 2))"""
    out, first = np.empty(a.shape, a.dtype), rolled_by(shift0, a.shape[0])
    n, m = a.shape[1:]
    second, third = rolled_by(shift1, n), rolled_by(shift2, m)
    for h in range(a.shape[0]):
        g = h - first if h >= first else h - first + a.shape[0]
        for k in range(n):
            i = k - second if k >= second else k - second + n
            for j in range(m - third):
                out[h, k, third + j] = a[g, i, j]
            for j in range(third):
                out[h, k, j] = a[g, i, m - third + j]
    return out


def rolled_along(a: Any, shift: Any) -> Any:
    """An array rolled along the middle one of three axes."""
    return rolled_3(a, 0, shift, 0)


def axis_among(axis: Any, rank: Any) -> Any:
    """An axis of an array of so many, counted from the first."""
    if not -rank <= axis < rank:
        raise ValueError("the array has no such axis")
    return axis % rank


def rolled_2_by(a: Any, shift: Any, axis: Any) -> Any:
    """np.roll(a, shift, axis) along an axis of two that only a run tells."""
    along = axis_among(axis, 2)
    return rolled_2(a, shift if along == 0 else 0, shift if along == 1 else 0)


def rolled_3_by(a: Any, shift: Any, axis: Any) -> Any:
    """np.roll(a, shift, axis) along an axis of three that only a run tells."""
    along = axis_among(axis, 3)
    return rolled_3(a, shift if along == 0 else 0, shift if along == 1 else 0, shift if along == 2 else 0)
