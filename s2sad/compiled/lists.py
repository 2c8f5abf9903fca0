"""Helpers of compiled derivatives for lists, ranges, orders and diagonals, written for Numba."""

from __future__ import annotations

from typing import Any

import numpy as np


def part_of_range(r: Any, s: slice) -> range:
    """r[s] of a range."""
    start, stop, step = s.indices(len(r))
    return range(r.start + start * r.step, r.start + stop * r.step, r.step * step)


def item_of_range(r: Any, i: int) -> int:
    """r[i] of a range."""
    k = i + len(r) if i < 0 else i
    if k < 0 or k >= len(r):
        raise IndexError("range object index out of range")
    item: int = r.start + k * r.step
    return item


def taken_out(xs: Any, i: int) -> Any:
    """xs.pop(i) of objects: Numba's own leaves the last of them behind the end, and frees it with the next append."""
    k = i + len(xs) if i < 0 else i
    if k < 0 or k >= len(xs):
        raise IndexError("pop index out of range")
    item = xs[k]
    for j in range(k, len(xs) - 1):
        xs[j] = xs[j + 1]
    xs.pop()
    return item


def order_of(keys: Any) -> Any:
    """The places of the keys in ascending order, equal ones as they come: runs of 1, 2, 4, ... keys are merged."""
    n = len(keys)
    order, merged = list(range(n)), list(range(n))
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, stop = min(start + width, n), min(start + 2 * width, n)
            i, j = start, middle
            for k in range(start, stop):
                if i < middle and (j == stop or not keys[order[j]] < keys[order[i]]):
                    merged[k] = order[i]
                    i += 1
                else:
                    merged[k] = order[j]
                    j += 1
        order, merged = merged, order
        width *= 2
    return order


def all_true(xs: Any) -> bool:
    """Whether no item is zero or False."""
    for x in xs:  # noqa: SIM110  (Numba has no all)
        if not x:
            return False
    return True


def any_true(xs: Any) -> bool:
    """Whether an item is neither zero nor False."""
    for x in xs:  # noqa: SIM110
        if x:
            return True
    return False


def falling_order_of(keys: Any) -> Any:
    """The places of the keys in descending order, equal ones as they come."""
    n = len(keys)
    order = order_of(keys[::-1])
    return [n - 1 - order[k] for k in range(n - 1, -1, -1)]


def place_of_max(keys: Any) -> int:
    """The place of the largest key, the first of equals."""
    if len(keys) == 0:
        raise ValueError("max() iterable argument is empty")
    best = 0
    for k in range(1, len(keys)):
        if keys[k] > keys[best]:
            best = k
    return best


def place_of_min(keys: Any) -> int:
    """The place of the smallest key, the first of equals."""
    if len(keys) == 0:
        raise ValueError("min() iterable argument is empty")
    best = 0
    for k in range(1, len(keys)):
        if keys[k] < keys[best]:
            best = k
    return best


def need_below(place: int, n: int) -> None:
    """ValueError where a place is none of n items."""
    if place < 0 or place >= n:
        raise ValueError("index is out of bounds for array with this size")


def need_all_below(places: Any, n: int) -> None:
    """ValueError where one of several places is none of n items."""
    for place in places.flat:
        if place < 0 or place >= n:
            raise ValueError("index is out of bounds for array with this size")


def places_around(k: int, n: int, m: int) -> Any:
    """The order of n items and m others behind them, with these put before place k."""
    first = k + n if k < 0 else k
    if first < 0 or first > n:
        raise IndexError("index is out of bounds for axis")
    order = np.empty(n + m, np.int64)
    for i in range(n + m):
        order[i] = i if i < first else i - m if i >= first + m else n + i - first
    return order


def places_among(places: Any, n: int) -> Any:
    """The order of n items and others behind them, one of which is put before each of these places."""
    m = len(places)
    before = np.zeros(n + 2, np.int64)  # how many come before each place
    for place in places:
        k = place + n if place < 0 else place
        if k < 0 or k > n:
            raise IndexError("index is out of bounds for axis")
        before[k + 1] += 1
    for k in range(n + 1):
        before[k + 1] += before[k]
    order = np.empty(n + m, np.int64)
    for k in range(n):
        order[k + before[k + 1]] = k
    for i in range(m):
        k = places[i] + n if places[i] < 0 else places[i]
        order[k + before[k]] = n + i
        before[k] += 1
    return order


def kept_item(d: Any, key: Any) -> Any:
    """What a dict has under a key, in a list: nothing where there is no such key."""
    return [d[key] for _ in range(1 if key in d else 0)]


def put_back(d: Any, key: Any, kept: Any) -> None:
    """Give a key of a dict what :func:`kept_item` kept, or take it out."""
    if len(kept) > 0:
        d[key] = kept[0]
    else:
        del d[key]


def need_same_count(n: int, m: int) -> None:
    """ValueError where as many values are needed as there are places."""
    if n != m:
        raise ValueError("there are not as many values as places")


def diagonal(a: Any, k: int) -> Any:
    """The k-th diagonal of a matrix, as a view."""
    part = a[:, k:] if k >= 0 else a[-k:, :]
    n = min(part.shape)
    return np.lib.stride_tricks.as_strided(part, (n,), (part.strides[0] + part.strides[1],))


def undiagonal(x: Any, like: Any, k: int) -> Any:
    """Zeros like the matrix like, with x on the k-th diagonal."""
    out = np.zeros(like.shape, like.dtype)
    for i in range(len(x)):
        out[i - min(k, 0), i + max(k, 0)] = x[i]
    return out


def one_length(n: int, m: int) -> int:
    """The length of two axes that are not stretched."""
    if n != m:
        raise ValueError("lengths that were taken to be equal differ")
    return n


def stretched_length(n: int, m: int) -> int:
    """The length of two axes, of which one may be stretched along the other."""
    if n != m and n != 1 and m != 1:
        raise ValueError("shape mismatch: indexing arrays could not be broadcast together")
    return m if n == 1 else n


def add_along(out: Any, indices: Any, x: Any) -> None:
    """out[i, indices[i, k, j], j] += x[i, k, j] of arrays with three axes, the outer ones stretched to those of x."""
    p, q = int(out.shape[0] > 1), int(out.shape[2] > 1)
    r, s = int(indices.shape[0] > 1), int(indices.shape[2] > 1)
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            for j in range(x.shape[2]):
                out[p * i, indices[r * i, k, s * j], q * j] += x[i, k, j]


def take_along(a: Any, indices: Any, n: int, m: int) -> Any:
    """a[i, indices[i, k, j], j] of arrays with three axes, the outer ones stretched to n and m."""
    p, q = int(a.shape[0] > 1), int(a.shape[2] > 1)
    r, s = int(indices.shape[0] > 1), int(indices.shape[2] > 1)
    out = np.empty((n, indices.shape[1], m), a.dtype)
    for i in range(n):
        for k in range(indices.shape[1]):
            for j in range(m):
                out[i, k, j] = a[p * i, indices[r * i, k, s * j], q * j]
    return out


def sort_along(a: Any) -> Any:
    """a with its items in ascending order along the middle one of three axes."""
    out = np.empty(a.shape, a.dtype)
    for i in range(a.shape[0]):
        for j in range(a.shape[2]):
            column = np.sort(a[i, :, j])
            for k in range(len(column)):
                out[i, k, j] = column[k]
    return out


def argsort_1(a: Any) -> Any:
    """The places of the items in ascending order, equal ones as they come."""
    return np.argsort(a, kind="mergesort")


def argsort_along(a: Any) -> Any:
    """The places of the items in ascending order along the middle one of three axes, equal ones as they come."""
    out = np.empty(a.shape, np.int64)
    for i in range(a.shape[0]):
        for j in range(a.shape[2]):
            column = argsort_1(a[i, :, j])
            for k in range(len(column)):
                out[i, k, j] = column[k]
    return out


def join_rows(xs: Any) -> Any:
    """The matrices of a list, one below the other."""
    m = xs[0].shape[1]
    n = 0
    for x in xs:
        if x.shape[1] != m:
            raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
        n += x.shape[0]
    out = np.empty((n, m), xs[0].dtype)
    n = 0
    for x in xs:
        for i in range(x.shape[0]):
            for j in range(m):
                out[n + i, j] = x[i, j]
        n += x.shape[0]
    return out


def join_columns(xs: Any) -> Any:
    """The matrices of a list, side by side."""
    m = xs[0].shape[0]
    n = 0
    for x in xs:
        if x.shape[0] != m:
            raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
        n += x.shape[1]
    out = np.empty((m, n), xs[0].dtype)
    n = 0
    for x in xs:
        for i in range(m):
            for j in range(x.shape[1]):
                out[i, n + j] = x[i, j]
        n += x.shape[1]
    return out


def stack_matrices(xs: Any) -> Any:
    """The matrices of a list, one behind the other."""
    n, m = xs[0].shape
    out = np.empty((len(xs), n, m), xs[0].dtype)
    for k in range(len(xs)):
        x = xs[k]
        if x.shape[0] != n or x.shape[1] != m:
            raise ValueError("all input arrays must have the same shape")
        for i in range(n):
            for j in range(m):
                out[k, i, j] = x[i, j]
    return out


def cut_apart(x: Any, xs: Any) -> Any:
    """A vector in parts as long as those of a list."""
    parts = []
    n = 0
    for a in xs:
        parts.append(np.ascontiguousarray(x[n : n + len(a)]))
        n += len(a)
    return parts


def cut_rows(x: Any, xs: Any) -> Any:
    """``join_rows`` undone: the rows of a matrix, in parts like those of a list."""
    parts = []
    n = 0
    for a in xs:
        parts.append(np.ascontiguousarray(x[n : n + a.shape[0]]))
        n += a.shape[0]
    return parts


def cut_columns(x: Any, xs: Any) -> Any:
    """``join_columns`` undone."""
    parts = []
    n = 0
    for a in xs:
        parts.append(np.ascontiguousarray(x[:, n : n + a.shape[1]]))
        n += a.shape[1]
    return parts


def rows_as_lists(x: Any) -> Any:
    """The rows of a matrix, each a list."""
    return [[x[i, j] for j in range(x.shape[1])] for i in range(x.shape[0])]


def places_to_pad(n: int, before: int, after: int, mode: int) -> Any:
    """Which of n items np.pad repeats: edge (0), wrap (1), reflect (2) or symmetric (3)."""
    if n < 1:
        raise ValueError("can't extend an empty axis using modes other than 'constant' or 'empty'")
    places = np.arange(-before, n + after)
    if mode == 0:
        return np.minimum(np.maximum(places, 0), n - 1)
    if mode == 1:
        return places % n
    if mode == 2:
        places = places % max(2 * (n - 1), 1)
        return np.minimum(places, 2 * (n - 1) - places)
    places = places % (2 * n)
    return np.minimum(places, 2 * n - 1 - places)
