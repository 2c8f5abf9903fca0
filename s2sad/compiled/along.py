"""Small loops for Numba: reductions along the middle one of three axes, stores into parts, sums and zeros.

What Numba has of its own for the last three takes longer to compile, by a tenth of a second to two seconds each.
"""

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


def step_of(n: Any, m: Any) -> int:
    """The step along an axis of length n that is stored into one of length m: 0 where it is stretched."""
    if n != m and n != 1:
        raise ValueError("could not broadcast input array")
    return int(n == m)


def put_1(view: Any, value: Any) -> None:
    """view[...] = value"""
    a = step_of(value.shape[0], view.shape[0])
    for i in range(view.shape[0]):
        view[i] = value[a * i]


def put_2(view: Any, value: Any) -> None:
    """view[...] = value"""
    a, b = step_of(value.shape[0], view.shape[0]), step_of(value.shape[1], view.shape[1])
    for i in range(view.shape[0]):
        for j in range(view.shape[1]):
            view[i, j] = value[a * i, b * j]


def add_1(view: Any, value: Any) -> None:
    """view[...] += value"""
    a = step_of(value.shape[0], view.shape[0])
    for i in range(view.shape[0]):
        view[i] += value[a * i]


def add_2(view: Any, value: Any) -> None:
    """view[...] += value"""
    a, b = step_of(value.shape[0], view.shape[0]), step_of(value.shape[1], view.shape[1])
    for i in range(view.shape[0]):
        for j in range(view.shape[1]):
            view[i, j] += value[a * i, b * j]


def plus_1(x: Any, y: Any) -> Any:
    """x + y, of one length."""
    if x.shape != y.shape:
        raise ValueError("operands could not be broadcast together")
    out = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = x[i] + y[i]
    return out


def plus_2(x: Any, y: Any) -> Any:
    """x + y, of one shape."""
    if x.shape != y.shape:
        raise ValueError("operands could not be broadcast together")
    out = np.empty((x.shape[0], x.shape[1]))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] + y[i, j]
    return out


def zeros_1(n: Any) -> Any:
    """n zeros."""
    out = np.empty(n)
    for i in range(n):
        out[i] = 0.0
    return out


def taken(memory: Any, used: Any, n: Any) -> Any:
    """An array of n numbers: the next in a memory of which so much is used, or one of its own if that is full."""
    start = used[0]
    if n < 0 or start + n > memory.shape[0]:
        return np.empty(n)
    used[0] = start + n
    return memory[start : start + n]


def taken_full(memory: Any, used: Any, n: Any, x: Any) -> Any:
    """Such an array, filled with the number x."""
    out = taken(memory, used, n)
    for i in range(n):
        out[i] = x
    return out


def zeros_2(n: Any, m: Any) -> Any:
    """n by m zeros."""
    out = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            out[i, j] = 0.0
    return out


def zeros_3(n: Any, m: Any, k: Any) -> Any:
    """n by m by k zeros."""
    out = np.empty((n, m, k))
    for i in range(n):
        for j in range(m):
            for l in range(k):  # noqa: E741
                out[i, j, l] = 0.0
    return out
