"""Helpers of compiled derivatives: what :mod:`s2sad.runtime.helpers` does, written for Numba.

Each is specialised by Numba for the types it is called with; tests of ``ndim`` cost nothing then.
All run uncompiled too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad.runtime.helpers import stretch

# ---------------------------------------------------------------- shapes of adjoints


def number_in(x: Any) -> Any:
    """The item of an array without axes, or a number as it is."""
    return np.asarray(x)[()]


def full_like(x: Any, like: Any) -> Any:
    """An array of the shape and type of like, filled with the number x."""
    out = np.empty(like.shape, like.dtype)
    out[...] = x
    return out


def float_full(x: Any, like: Any) -> Any:
    """An array of floats of the shape of like, filled with the number x."""
    out = np.empty(like.shape, np.float64)
    out[...] = x
    return out


def as_long_as_each_other(xs: Any) -> bool:
    """Whether all arrays of a list have one length along their first axes."""
    alike = True
    for x in xs:
        alike = alike and len(x) == len(xs[0])
    return alike


def step_along(n: Any, m: Any) -> int:
    """The step along an axis of length n that is read up to length m: 0 where it is stretched."""
    if n != m and n != 1:
        raise ValueError("operands could not be broadcast together")
    return int(n == m)


def broadcast_like_1(x: Any, like: Any) -> Any:
    """x repeated up to the length of like."""
    out = np.empty(like.shape, like.dtype)
    a = step_along(x.shape[0], like.shape[0])
    for i in range(like.shape[0]):
        out[i] = x[a * i]
    return out


def broadcast_like_2(x: Any, like: Any) -> Any:
    """x repeated up to the shape of like."""
    out = np.empty(like.shape, like.dtype)
    a, b = step_along(x.shape[0], like.shape[0]), step_along(x.shape[1], like.shape[1])
    for i in range(like.shape[0]):
        for j in range(like.shape[1]):
            out[i, j] = x[a * i, b * j]
    return out


def broadcast_like_3(x: Any, like: Any) -> Any:
    """x repeated up to the shape of like."""
    out = np.empty(like.shape, like.dtype)
    a, b = step_along(x.shape[0], like.shape[0]), step_along(x.shape[1], like.shape[1])
    c = step_along(x.shape[2], like.shape[2])
    for i in range(like.shape[0]):
        for j in range(like.shape[1]):
            for k in range(like.shape[2]):
                out[i, j, k] = x[a * i, b * j, c * k]
    return out


def broadcast_like_4(x: Any, like: Any) -> Any:
    """x repeated up to the shape of like."""
    out = np.empty(like.shape, like.dtype)
    a, b = step_along(x.shape[0], like.shape[0]), step_along(x.shape[1], like.shape[1])
    c, d = step_along(x.shape[2], like.shape[2]), step_along(x.shape[3], like.shape[3])
    for i in range(like.shape[0]):
        for j in range(like.shape[1]):
            for k in range(like.shape[2]):
                for m in range(like.shape[3]):
                    out[i, j, k, m] = x[a * i, b * j, c * k, d * m]
    return out


def float_zeros(x: Any) -> Any:
    """Zeros of the shape of an array of integers."""
    return np.zeros(x.shape, np.float64)


def unbroadcast_1(x: Any, like: Any) -> Any:
    """x summed over its axis if like was stretched along it, or repeated up to the length of like."""
    if x.shape == like.shape:
        return x
    out = np.zeros(like.shape, x.dtype)
    n = max(x.shape[0], like.shape[0])
    a, b = step_along(x.shape[0], n), step_along(like.shape[0], n)
    for i in range(n):
        out[b * i] += x[a * i]
    return out


def unbroadcast_2(x: Any, like: Any) -> Any:
    """x summed over the axes along which like was stretched, or repeated up to its shape."""
    if x.shape == like.shape:
        return x
    out = np.zeros(like.shape, x.dtype)
    n, m = max(x.shape[0], like.shape[0]), max(x.shape[1], like.shape[1])
    a, b = step_along(x.shape[0], n), step_along(x.shape[1], m)
    p, q = step_along(like.shape[0], n), step_along(like.shape[1], m)
    for i in range(n):
        for j in range(m):
            out[p * i, q * j] += x[a * i, b * j]
    return out


def unbroadcast_3(x: Any, like: Any) -> Any:
    """x summed over the axes along which like was stretched, or repeated up to its shape."""
    if x.shape == like.shape:
        return x
    out = np.zeros(like.shape, x.dtype)
    n, m = max(x.shape[1], like.shape[1]), max(x.shape[2], like.shape[2])
    rows = max(x.shape[0], like.shape[0])
    a, b, c = step_along(x.shape[0], rows), step_along(x.shape[1], n), step_along(x.shape[2], m)
    p, q, r = step_along(like.shape[0], rows), step_along(like.shape[1], n), step_along(like.shape[2], m)
    for h in range(rows):
        for i in range(n):
            for j in range(m):
                out[p * h, q * i, r * j] += x[a * h, b * i, c * j]
    return out


def unbroadcast_4(x: Any, like: Any) -> Any:
    """x summed over the axes along which like was stretched, or repeated up to its shape."""
    if x.shape == like.shape:
        return x
    out = np.zeros(like.shape, x.dtype)
    rows = max(x.shape[0], like.shape[0])
    a, p = step_along(x.shape[0], rows), step_along(like.shape[0], rows)
    for h in range(rows):
        part = unbroadcast_3(x[a * h], like[p * h])
        for i in range(like.shape[1]):
            for j in range(like.shape[2]):
                for k in range(like.shape[3]):
                    out[p * h, i, j, k] += part[i, j, k]
    return out


# ---------------------------------------------------------------- points without a derivative


def need_three(n: Any) -> None:
    """Raise what NumPy raises where vectors of other lengths are multiplied by ``np.linalg.cross``."""
    if n != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors")


def need_one(n: Any) -> None:
    """Raise what NumPy raises where ``np.squeeze`` is to drop a longer axis."""
    if n != 1:
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")


def need_aligned(n: Any, m: Any) -> None:
    """Raise what NumPy raises where axes that a product adds up over are not as long as each other."""
    if n != m:
        raise ValueError("shapes of a product are not aligned: axes that it adds up over differ in length")


def need_values(n: Any, m: Any) -> None:
    """Raise what Python raises where n values are unpacked into m names, but for the numbers: text compiles slowly."""
    if n > m:
        raise ValueError("too many values to unpack")
    if n < m:
        raise ValueError("not enough values to unpack")


def need_more_values(n: Any, m: Any) -> None:
    """Raise what Python raises where n values are unpacked into m names and one with a star."""
    if n < m:
        raise ValueError("not enough values to unpack")


def need_divisor(n: Any) -> None:
    """ZeroDivisionError for zero."""
    if n == 0:
        raise ZeroDivisionError("integer division or modulo by zero")


def where_or_zero(here: Any, x: Any) -> Any:
    """x here, and zero elsewhere."""
    return x if here else 0.0


def only_item(a: Any) -> Any:
    """The item of an array that has one."""
    if a.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    return a.flat[0]


def integer_power(n: Any, m: Any) -> Any:
    """n ** m of integers, where m is not negative."""
    if m < 0:
        raise ValueError("an integer to a negative power is a float, and to another an integer")
    return n**m


def times_scalar(x: Any, partial: Any) -> Any:
    """x * partial, and zero where x is zero."""
    return x * partial if x != 0.0 else 0.0 * x


def times_array(x: Any, partial: Any) -> Any:
    """x * partial, and zero wherever x is zero."""
    return x * np.where(x != 0.0, partial, 0.0)


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


def power_term_scalar(c: Any, x: Any, y: Any) -> Any:
    """c * x ** y, and zero where c is zero."""
    return c * x**y if c != 0.0 else 0.0 * x


def power_term_array(c: Any, x: Any, y: Any) -> Any:
    """c * x ** y, and zero where c is zero."""
    return c * x ** np.where(c == 0.0, 0.0, y)


def where_larger_scalar(value: Any, x: Any, y: Any) -> Any:
    """value where x > y, half of it where x == y, else zero."""
    return value if x > y else 0.5 * value if x == y else 0.0 * value


def where_larger_array(value: Any, x: Any, y: Any) -> Any:
    """value where x > y, half of it where x == y, else zero."""
    return np.where(x > y, value, np.where(x == y, 0.5 * value, 0.0))


# ---------------------------------------------------------------- subscripts


def add_at_1(target: Any, index: Any, value: Any) -> None:
    """target[index] += value for a list of indices; an index that repeats counts each time."""
    if len(value) != 1 and len(value) != len(index):
        raise ValueError("array is not broadcastable to correct shape")
    step = 0 if len(value) == 1 else 1
    given = value.copy()  # it may be of target
    for k in range(len(index)):
        target[index[k]] += given[k * step]


def add_at_same(target: Any, index: Any, value: Any) -> None:
    """target[index] += value for a list of indices and one value for all."""
    for k in range(len(index)):
        target[index[k]] += value


def add_where(target: Any, mask: Any, value: Any) -> None:
    """target[mask] += value, for each item of target that the mask picks."""
    picked = 0
    for i in range(len(mask)):
        picked += 1 if mask[i] else 0
    if len(value) != 1 and len(value) != picked:
        raise ValueError("array is not broadcastable to correct shape")
    step = 0 if len(value) == 1 else 1
    given = value.copy()  # it may be of target
    k = 0
    for i in range(len(mask)):
        if mask[i]:
            target[i] += given[k]
            k += step


def add_items(target: Any, index: slice, values: Any) -> None:
    """target[index][k] += values[k] for every k, in place."""
    start, _, step = index.indices(len(target))
    for k in range(len(values)):
        target[start + k * step] += values[k]


def copy_order(target: Any, source: Any) -> Any:
    """Which item of a vector each item of another gets by ``target[:] = source``, where they share memory.

    NumPy copies the source first if the two run in opposite directions. If not, it goes through the target in the order
    of memory, or backwards where the source begins below it and reaches into it (``raw_array_assign_array``).
    """
    n = len(target)
    step = stretch(len(source), n)
    order = np.empty(n, np.int64)
    for k in range(n):
        order[k] = step * k
    start, begin = np.int64(target.ctypes.data), np.int64(source.ctypes.data)
    stride, width = target.strides[0], step * source.strides[0]
    if n < 2 or target.strides[0] * source.strides[0] < 0:
        return order
    flipped = stride < 0
    if flipped:
        start, begin, stride, width = start + (n - 1) * stride, begin + (n - 1) * width, -stride, -width
    backwards = begin < start and begin + n * width > start
    for t in range(n):
        place = n - 1 - t if backwards else t
        gap = begin + place * width - start
        read = gap // stride
        written = read > place if backwards else read < place
        if gap % stride == 0 and 0 <= read < n and written:
            order[n - 1 - place if flipped else place] = order[n - 1 - read if flipped else read]
    return order


# ---------------------------------------------------------------- sharing


def shadow_view(view: Any, x: Any, base: Any) -> Any:
    """The shadow of x: the view of its base's shadow where x is a view, zeros where x is a copy."""
    return view if x.ctypes.data == base.ctypes.data else np.zeros_like(view)


def add_back(target: Any, part: Any) -> None:
    """Add the shadow of a reshaped copy to that of what was copied; of a view, it is there already."""
    if target.ctypes.data != part.ctypes.data:  # a sum of arrays of several axes takes Numba seconds
        items = np.ascontiguousarray(part).reshape(-1)
        for k, place in enumerate(np.ndindex(target.shape)):
            target[place] += items[k]


# ---------------------------------------------------------------- joining


def pack_floats(xs: Any) -> Any:
    """The numbers in a list as an array."""
    out = np.empty(len(xs), np.float64)
    for k in range(len(xs)):
        out[k] = xs[k]
    return out


def pack_integers(xs: Any) -> Any:
    """The integers in a list as an array."""
    out = np.empty(len(xs), np.int64)
    for k in range(len(xs)):
        out[k] = xs[k]
    return out


def pack_rows(rows: Any) -> Any:
    """The numbers in the lists of a list as a matrix."""
    out = np.empty((len(rows), len(rows[0])), np.float64)
    for i in range(len(rows)):
        if len(rows[i]) != out.shape[1]:
            raise ValueError("setting an array element with a sequence: the lists differ in length")
        for j in range(out.shape[1]):
            out[i, j] = rows[i][j]
    return out


def stack_list(xs: Any) -> Any:
    """The arrays of a list, each with one axis, as the rows of one."""
    out = np.empty((len(xs), len(xs[0])), xs[0].dtype)
    for k in range(len(xs)):
        row = xs[k]
        if len(row) != out.shape[1]:
            raise ValueError("all input arrays must have the same shape")
        for i in range(len(row)):
            out[k, i] = row[i]
    return out


def join_list(xs: Any) -> Any:
    """The arrays of a list, each with one axis, one after the other."""
    n = 0
    for x in xs:
        n += len(x)
    out = np.empty(n, xs[0].dtype)
    n = 0
    for x in xs:
        for i in range(len(x)):
            out[n + i] = x[i]
        n += len(x)
    return out


def diagonal_mask(n: Any) -> Any:
    """The n by n mask of the diagonal."""
    out = np.zeros((n, n), np.bool_)
    for i in range(n):
        out[i, i] = True
    return out


def upper_mask(n: Any) -> Any:
    """The n by n mask of the upper triangle."""
    out = np.zeros((n, n), np.bool_)
    for i in range(n):
        for j in range(i, n):
            out[i, j] = True
    return out


def polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma, the slope of math.lgamma."""
    if x <= -4503599627370496.0:
        return math.nan  # a float so large is an integer, and these are poles
    total, sign, factorial = 0.0, (-1.0) ** (n + 1), math.gamma(n + 1.0)
    while x < 12.0:
        total += sign * factorial / x ** (n + 1)
        x += 1.0
    total += math.log(x) if n == 0 else sign * math.gamma(max(n, 1)) / x**n
    total += sign * factorial / (2.0 * x ** (n + 1))
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
    term = sign * factorial * (n + 1) / (2.0 * x ** (n + 2))
    for i in range(8):
        total += bernoulli[i] * term
        k = 2 * i + 2
        term *= (k + n) * (k + n + 1) / ((k + 1) * (k + 2) * x * x)
    return total


def unconvolve(x: Any, like: Any, v: Any, before: Any) -> Any:
    """The adjoint of like in a convolution with v whose result begins so many items late."""
    out = np.zeros(len(like), x.dtype)
    for i in range(len(like)):
        for j in range(len(v)):
            if 0 <= i + j - before < len(x):
                out[i] += x[i + j - before] * v[j]
    return out


# ---------------------------------------------------------------- lists


def add_repeats(target: Any, values: Any) -> None:
    """Add the items of xs * n to those of xs: what each repetition has, in place."""
    for k in range(len(values)):
        target[k % len(target)] += values[k]


def take_tail(target: Any, n: Any) -> Any:
    """Remove the last n items of a list, and return them."""
    tail = target[len(target) - n :]
    for _ in range(n):
        target.pop()
    return tail
