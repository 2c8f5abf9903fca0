"""Helpers of compiled derivatives: what :mod:`s2sad.runtime.helpers` does, written for Numba.

Each is specialised by Numba for the types it is called with; tests of ``ndim`` cost nothing then.
All run uncompiled too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# ---------------------------------------------------------------- at the boundary


def as_floats(xs: Any) -> Any:
    """A list of numbers as an array, to be passed to compiled code."""
    return np.array(xs, dtype=np.float64)


def as_array(xs: Any) -> Any:
    """A list of numbers or flags as an array, to be passed to compiled code."""
    return np.array(xs)


def as_tuples(x: Any) -> Any:
    """x with tuples in place of named tuples and dataclasses, to be passed to compiled code."""
    if isinstance(x, list):
        return [as_tuples(item) for item in x]
    if isinstance(x, tuple):
        return tuple([as_tuples(item) for item in x])
    if hasattr(x, "__dataclass_fields__"):
        return tuple([as_tuples(getattr(x, name)) for name in x.__dataclass_fields__])
    return x


def as_records(x: Any, like: Any) -> Any:
    """as_tuples undone: x with the classes of like."""
    if isinstance(like, list):
        return [as_records(item, like[0]) for item in x]
    if isinstance(like, tuple):
        items = [as_records(*pair) for pair in zip(x, like, strict=True)]
        return type(like)(*items) if hasattr(like, "_fields") else tuple(items)
    if hasattr(like, "__dataclass_fields__"):
        names = like.__dataclass_fields__
        return type(like)(**{n: as_records(part, getattr(like, n)) for n, part in zip(names, x, strict=True)})
    return x


# ---------------------------------------------------------------- shapes of adjoints


def item_0(x: Any) -> Any:
    """The item of an array without axes."""
    return x[()]


def full_like(x: Any, like: Any) -> Any:
    """An array of the shape and floating type of like, filled with the number x."""
    out = np.empty(like.shape, like.dtype)
    out[...] = x
    return out


def broadcast_like(x: Any, like: Any) -> Any:
    """x repeated up to the shape of like."""
    out = np.empty(like.shape, like.dtype)
    out[...] = x
    return out


def float_zeros(x: Any) -> Any:
    """Zeros of the shape of an array of integers."""
    return np.zeros(x.shape, np.float64)


def unbroadcast_1(x: Any, like: Any) -> Any:
    """x summed over its axis if like was stretched along it, or repeated up to the length of like."""
    if x.shape == like.shape:
        return x
    if x.shape[0] == 1:
        return broadcast_like(x, like)
    out = np.zeros(like.shape, like.dtype)
    for i in range(x.shape[0]):
        out[0] += x[i]
    return out


def unbroadcast_2(x: Any, like: Any) -> Any:
    """x summed over the axes along which like was stretched, or repeated up to its shape."""
    if x.shape == like.shape:
        return x
    n, m = max(x.shape[0], like.shape[0]), max(x.shape[1], like.shape[1])
    a, b = min(x.shape[0] - 1, 1), min(x.shape[1] - 1, 1)
    c, d = min(like.shape[0] - 1, 1), min(like.shape[1] - 1, 1)
    out = np.zeros(like.shape, like.dtype)
    for i in range(n):
        for j in range(m):
            out[c * i, d * j] += x[a * i, b * j]
    return out


def unbroadcast_3(x: Any, like: Any) -> Any:
    """x summed over the axes along which like was stretched, or repeated up to its shape."""
    if x.shape == like.shape:
        return x
    out = np.zeros(like.shape, like.dtype)
    for i in range(max(x.shape[0], like.shape[0])):
        part = unbroadcast_2(x[min(i, x.shape[0] - 1)], like[min(i, like.shape[0] - 1)])
        out[min(i, like.shape[0] - 1)] += part
    return out


def unbroadcast_4(x: Any, like: Any) -> Any:
    """x summed over the axes along which like was stretched, or repeated up to its shape."""
    if x.shape == like.shape:
        return x
    out = np.zeros(like.shape, like.dtype)
    for i in range(max(x.shape[0], like.shape[0])):
        part = unbroadcast_3(x[min(i, x.shape[0] - 1)], like[min(i, like.shape[0] - 1)])
        out[min(i, like.shape[0] - 1)] += part
    return out


# ---------------------------------------------------------------- points without a derivative


def times_scalar(x: Any, partial: Any) -> Any:
    """x * partial, and zero where x is zero."""
    return x * partial if x != 0.0 else 0.0 * x


def times_array(x: Any, partial: Any) -> Any:
    """x * partial, and zero wherever x is zero."""
    out = x * partial
    out[...] = np.where(x + 0.0 * out == 0.0, 0.0, out)
    return out


def quotient_scalar(x: Any, y: Any) -> Any:
    """x / y, and zero where y is zero."""
    return x / y if y != 0.0 else 0.0 * x


def quotient_array(x: Any, y: Any) -> Any:
    """x / y, and zero where y is zero."""
    return np.where(y == 0.0, 0.0, x / np.where(y == 0.0, 1.0, y))


def safe_log_scalar(x: Any) -> Any:
    """log(x), 0.0 at zero, NaN below."""
    return np.log(x) if x > 0.0 else 0.0 if x == 0.0 else np.nan


def safe_log_array(x: Any) -> Any:
    """log(x), 0.0 at zero, NaN below."""
    return np.log(np.where(x == 0.0, 1.0, np.where(x < 0.0, np.nan, x)))


def sign_scalar(x: Any) -> Any:
    """-1, 0 or 1."""
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0 * x


def exp_difference(x: Any, y: Any) -> Any:
    """exp(x - y), and zero where both are the same infinity."""
    return np.where(np.isinf(x) & (x == y), 0.0, np.exp(x - y))


def exp_difference_scalar(x: Any, y: Any) -> Any:
    """exp(x - y), and zero where both are the same infinity."""
    return 0.0 if np.isinf(x) and x == y else np.exp(x - y)


def power_slope_scalar(x: Any, y: Any) -> Any:
    """y * x ** (y - 1), and zero where y is zero."""
    return y * x ** (y - 1.0) if y != 0.0 else 0.0 * x


def power_slope_array(x: Any, y: Any) -> Any:
    """y * x ** (y - 1), and zero where y is zero."""
    return y * x ** np.where(y == 0.0, 0.0, y - 1.0)


def where_larger_scalar(value: Any, x: Any, y: Any) -> Any:
    """value where x > y, half of it where x == y, else zero."""
    return value if x > y else 0.5 * value if x == y else 0.0 * value


def where_larger_array(value: Any, x: Any, y: Any) -> Any:
    """value where x > y, half of it where x == y, else zero."""
    return np.where(x > y, value, np.where(x == y, 0.5 * value, 0.0))


# ---------------------------------------------------------------- reductions along an axis


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


# ---------------------------------------------------------------- subscripts


def add_at_1(target: Any, index: Any, value: Any) -> None:
    """target[index] += value for a list of indices and a value for each; an index that repeats counts each time."""
    for k in range(len(index)):
        target[index[k]] += value[k]


def add_at_same(target: Any, index: Any, value: Any) -> None:
    """target[index] += value for a list of indices and one value for all."""
    for k in range(len(index)):
        target[index[k]] += value


def add_at_pairs(target: Any, i: Any, j: Any, value: Any) -> None:
    """target[i, j] += value for two lists of indices and a value for each pair."""
    for k in range(len(i)):
        target[i[k], j[k]] += value[k]


def add_at_pairs_same(target: Any, i: Any, j: Any, value: Any) -> None:
    """target[i, j] += value for two lists of indices and one value for all."""
    for k in range(len(i)):
        target[i[k], j[k]] += value


def take_pairs(a: Any, i: Any, j: Any) -> Any:
    """a[i, j] for two lists of indices."""
    out = np.empty(len(i), a.dtype)
    for k in range(len(i)):
        out[k] = a[i[k], j[k]]
    return out


def add_where(target: Any, mask: Any, value: Any) -> None:
    """target[mask] += value, a value for each item of target that the mask picks."""
    k = 0
    for i in range(len(mask)):
        if mask[i]:
            target[i] += value[k]
            k += 1


def add_items(target: Any, index: slice, values: Any) -> None:
    """target[index][k] += values[k] for every k, in place."""
    start, _, step = index.indices(len(target))
    for k in range(len(values)):
        target[start + k * step] += values[k]


# ---------------------------------------------------------------- products, sharing


def matmul_stacked(a: Any, b: Any) -> Any:
    """The products of two stacks of matrices."""
    n = max(a.shape[0], b.shape[0])
    out = np.empty((n, a.shape[1], b.shape[2]), a.dtype)
    for i in range(n):
        out[i] = np.dot(a[min(i, a.shape[0] - 1)], b[min(i, b.shape[0] - 1)])
    return out


def shadow_view(view: Any, x: Any, base: Any) -> Any:
    """The shadow of x: the view of its base's shadow where x is a view, zeros where x is a copy."""
    return view if x.ctypes.data == base.ctypes.data else np.zeros_like(view)


def add_back(target: Any, part: Any) -> None:
    """Add the shadow of a reshaped copy to that of what was copied; of a view, it is there already."""
    if target.ctypes.data != part.ctypes.data:
        target += part.reshape(target.shape)


# ---------------------------------------------------------------- joining


def stack_list(xs: Any) -> Any:
    """The arrays of a list, each with one axis, as the rows of one."""
    out = np.empty((len(xs), len(xs[0])), xs[0].dtype)
    for k in range(len(xs)):
        out[k] = xs[k]
    return out


def join_list(xs: Any) -> Any:
    """The arrays of a list, each with one axis, one after the other."""
    n = 0
    for x in xs:
        n += len(x)
    out = np.empty(n, xs[0].dtype)
    n = 0
    for x in xs:
        out[n : n + len(x)] = x
        n += len(x)
    return out
