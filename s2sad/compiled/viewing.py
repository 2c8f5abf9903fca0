"""Helpers of compiled derivatives: arrays in another shape, or with axes in another order, as views where NumPy
gives views.

Of another shape Numba gives none of what is not in one piece. Where the result or what it shows is stored into it
matters which it is. To put axes in order it compiles for seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def new_strides(a: Any, shape: Any) -> Any:
    """The strides of a view of a in another shape; one more number says whether there is one."""
    lengths, strides = np.array(shape), np.zeros(len(shape) + 1, np.int64)
    old = [k for k in range(a.ndim) if a.shape[k] != 1]
    i, k = 0, 0  # axes of the new shape and the old one that are done
    while i < len(lengths) and k < len(old):
        j, m = i + 1, k + 1
        new_items, old_items = lengths[i], a.shape[old[k]]
        while new_items != old_items:
            if new_items < old_items:
                new_items *= lengths[j]
                j += 1
            else:
                if a.strides[old[m - 1]] != a.shape[old[m]] * a.strides[old[m]]:
                    return strides
                old_items *= a.shape[old[m]]
                m += 1
        strides[j - 1] = a.strides[old[m - 1]]
        for n in range(j - 1, i, -1):
            strides[n - 1] = strides[n] * lengths[n]
        i, k = j, m
    for n in range(i, len(lengths)):
        strides[n] = strides[i - 1] if i > 0 else a.itemsize
    strides[-1] = 1
    return strides


def in_one_piece(a: Any) -> Any:
    """The array itself if it is laid out by rows, or a copy that is."""
    return np.ascontiguousarray(a)


def ravelled(a: Any) -> Any:
    """a.ravel(): a view of what is in one piece, by rows."""
    step, whole = a.itemsize, True
    for k in range(a.ndim - 1, -1, -1):
        whole = whole and (a.shape[k] == 1 or a.strides[k] == step)
        step *= a.shape[k]
    if whole:
        return np.lib.stride_tricks.as_strided(a, (a.size,), (a.itemsize,))
    return np.lib.stride_tricks.as_strided(a.copy().reshape(a.size), (a.size,), (a.itemsize,))


def viewed_1(a: Any, n: int) -> Any:
    """a.reshape(n)."""
    n = a.size if n == -1 else n
    if n != a.size:
        raise ValueError("cannot reshape array to this size")
    strides = new_strides(a, (n,)) if a.size else np.zeros(2, np.int64)
    if strides[-1] == 0:
        return np.lib.stride_tricks.as_strided(a.copy().reshape(n), (n,), (a.itemsize,))
    return np.lib.stride_tricks.as_strided(a, (n,), (strides[0],))


def viewed_2(a: Any, n: int, m: int) -> Any:
    """a.reshape(n, m)."""
    n, m = a.size // m if n == -1 else n, a.size // n if m == -1 else m
    if n * m != a.size:
        raise ValueError("cannot reshape array to this size")
    strides = new_strides(a, (n, m)) if a.size else np.zeros(3, np.int64)
    if strides[-1] == 0:
        return np.lib.stride_tricks.as_strided(a.copy().reshape((n, m)), (n, m), (m * a.itemsize, a.itemsize))
    return np.lib.stride_tricks.as_strided(a, (n, m), (strides[0], strides[1]))


def lengths_for(a: Any, shape: Any) -> Any:
    """The lengths of a shape that a is to have, one of which may be -1."""
    lengths, others = np.array(shape), 1
    for n in shape:
        others *= 1 if n == -1 else n
    for k in range(len(lengths)):
        if lengths[k] == -1 and others != 0:
            lengths[k] = a.size // others
    if np.prod(lengths) != a.size or np.min(lengths) < 0:
        raise ValueError("cannot reshape array to this size")
    return lengths


def viewed_3(a: Any, n: int, m: int, k: int) -> Any:
    """a.reshape(n, m, k)."""
    lengths = lengths_for(a, (n, m, k))
    shape = lengths[0], lengths[1], lengths[2]
    s = new_strides(a, shape) if a.size else np.zeros(4, np.int64)
    if s[-1] == 0:
        a = a.copy().reshape(shape)
        return np.lib.stride_tricks.as_strided(a, shape, a.strides)
    return np.lib.stride_tricks.as_strided(a, shape, (s[0], s[1], s[2]))


def viewed_4(a: Any, n: int, m: int, k: int, i: int) -> Any:
    """a.reshape(n, m, k, i)."""
    lengths = lengths_for(a, (n, m, k, i))
    shape = lengths[0], lengths[1], lengths[2], lengths[3]
    s = new_strides(a, shape) if a.size else np.zeros(5, np.int64)
    if s[-1] == 0:
        a = a.copy().reshape(shape)
        return np.lib.stride_tricks.as_strided(a, shape, a.strides)
    return np.lib.stride_tricks.as_strided(a, shape, (s[0], s[1], s[2], s[3]))


def viewed_5(a: Any, n: int, m: int, k: int, i: int, j: int) -> Any:
    """a.reshape(n, m, k, i, j)."""
    lengths = lengths_for(a, (n, m, k, i, j))
    shape = lengths[0], lengths[1], lengths[2], lengths[3], lengths[4]
    s = new_strides(a, shape) if a.size else np.zeros(6, np.int64)
    if s[-1] == 0:
        a = a.copy().reshape(shape)
        return np.lib.stride_tricks.as_strided(a, shape, a.strides)
    return np.lib.stride_tricks.as_strided(a, shape, (s[0], s[1], s[2], s[3], s[4]))


def viewed_6(a: Any, n: int, m: int, k: int, i: int, j: int, p: int) -> Any:
    """a.reshape(n, m, k, i, j, p)."""
    lengths = lengths_for(a, (n, m, k, i, j, p))
    shape = lengths[0], lengths[1], lengths[2], lengths[3], lengths[4], lengths[5]
    s = new_strides(a, shape) if a.size else np.zeros(7, np.int64)
    if s[-1] == 0:
        a = a.copy().reshape(shape)
        return np.lib.stride_tricks.as_strided(a, shape, a.strides)
    return np.lib.stride_tricks.as_strided(a, shape, (s[0], s[1], s[2], s[3], s[4], s[5]))


def turned_3(a: Any, i: int, j: int, k: int) -> Any:
    """A view of a whose axes are axes i, j and k of a."""
    shape, strides = a.shape, a.strides
    return np.lib.stride_tricks.as_strided(a, (shape[i], shape[j], shape[k]), (strides[i], strides[j], strides[k]))


def turned_4(a: Any, i: int, j: int, k: int, m: int) -> Any:
    """A view of a whose axes are axes i, j, k and m of a."""
    n, s = a.shape, a.strides
    return np.lib.stride_tricks.as_strided(a, (n[i], n[j], n[k], n[m]), (s[i], s[j], s[k], s[m]))


def arrays_1(flat: Any, shapes: Any) -> Any:
    """The vectors of these lengths that follow each other in one."""
    arrays = []
    start = 0
    for k in range(len(shapes)):
        n = shapes[k, 0]
        arrays.append(flat[start : start + n])
        start += n
    return arrays


def arrays_2(flat: Any, shapes: Any) -> Any:
    """The matrices of these shapes whose items follow each other in one."""
    arrays = []
    start = 0
    for k in range(len(shapes)):
        n, m = shapes[k, 0], shapes[k, 1]
        arrays.append(flat[start : start + n * m].reshape(n, m))
        start += n * m
    return arrays


def arrays_3(flat: Any, shapes: Any) -> Any:
    """The arrays of these shapes whose items follow each other in one."""
    arrays = []
    start = 0
    for k in range(len(shapes)):
        n, m, p = shapes[k, 0], shapes[k, 1], shapes[k, 2]
        arrays.append(flat[start : start + n * m * p].reshape(n, m, p))
        start += n * m * p
    return arrays


def arrays_4(flat: Any, shapes: Any) -> Any:
    """The arrays of these shapes whose items follow each other in one."""
    arrays = []
    start = 0
    for k in range(len(shapes)):
        n, m, p, q = shapes[k, 0], shapes[k, 1], shapes[k, 2], shapes[k, 3]
        arrays.append(flat[start : start + n * m * p * q].reshape(n, m, p, q))
        start += n * m * p * q
    return arrays


def cut(items: Any, lengths: Any) -> Any:
    """The lists of so many items each that follow each other in one."""
    rows = []
    start = 0
    for n in lengths:
        rows.append(items[start : start + n])
        start += n
    return rows


ARRAYS = {1: arrays_1, 2: arrays_2, 3: arrays_3, 4: arrays_4}  #: by rank
