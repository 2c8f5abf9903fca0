"""Reads and stores of items, undone: what was gathered is scattered, what was taken is put back."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.helpers.adjoints import accumulate, cast, unbroadcast, zeros_like

__all__ = [
    "add_at",
    "add_to_rows",
    "addend",
    "as_index",
    "copy_order",
    "last_stored",
    "pack",
    "place",
    "scatter",
    "spread_items",
    "unpack",
    "untake",
    "untake_along_axis",
    "untake_flat",
]


def add_at(target: Any, index: Any, value: Any) -> None:
    """target[index] += value, where an index that repeats counts each time."""
    if isinstance(target, np.ndarray):
        add_to_rows(target, index, value)
    else:
        target[index] = accumulate(target[index], value)


def add_to_rows(target: Any, index: Any, value: Any) -> None:
    """np.add.at(target, index, value): of many numbers in rows one by one, which NumPy does several times sooner."""
    if np.ndim(value) > 1 and np.size(value) > max(500, target.size // 2) and target.flags.c_contiguous:
        places = np.arange(target.size).reshape(target.shape)[index]
        value = np.broadcast_to(value, places.shape).ravel()
        target, index = target.reshape(-1), places.ravel()
    np.add.at(target, index, value)


def addend(x: Any, target: Any) -> Any:
    """x as it may be added to items of an array: its real part where these are real, as those of like may turn out."""
    return np.real(x) if np.iscomplexobj(x) and np.isrealobj(target) else x


def scatter(x: Any, index: Any, like: Any) -> Any:
    """Zeros like like, with x added at index: its real part, where an item of a tuple is real and x is not."""
    if isinstance(like, tuple):
        items = [zeros_like(item) for item in like]
        real = isinstance(x, (complex, np.number, np.ndarray)) and np.isrealobj(like[index])
        items[index] = np.real(x) if real and np.iscomplexobj(x) else x
        return type(like)(*items) if hasattr(like, "_fields") else tuple(items)
    out = zeros_like(like)
    add_at(out, index, addend(x, out))
    return out


def unpack(x: Any, like: Any) -> Any:
    """The items of the array x in the nested lists of like: what np.array(like) packed."""
    if isinstance(like, (list, tuple)):
        if isinstance(x, np.ndarray) and x.ndim == 1 and all(type(item) is float for item in like):
            return type(like)(x.tolist())
        return type(like)([unpack(part, item) for part, item in zip(x, like, strict=True)])
    return unbroadcast(x, like)


def untake(x: Any, indices: Any, like: Any, axis: Any = None) -> Any:
    """Zeros like like, with x added at the indices that np.take read."""
    if axis is None:
        return untake_flat(x, indices, like)
    out = np.asarray(zeros_like(like))
    add_to_rows(out, (slice(None),) * (axis % out.ndim) + (np.asarray(indices),), addend(x, out))
    return cast(out, like)


def untake_flat(x: Any, indices: Any, like: Any) -> Any:
    """Zeros of the shape of like, with x added at indices that count its items by rows, however it lies in memory."""
    out = np.asarray(zeros_like(np.ravel(like)))
    np.add.at(out, np.asarray(indices), addend(x, out))
    return cast(np.reshape(out, np.shape(like)), like)


def untake_along_axis(x: Any, indices: Any, like: Any, axis: Any = -1) -> Any:
    """Zeros like like, with x added where np.take_along_axis read."""
    if axis is None:
        return untake_flat(x, indices, like)
    out = zeros_like(like)
    where = list(np.ix_(*map(np.arange, np.shape(like))))  # stretched, and stretching, as np.take_along_axis does
    where[axis] = indices
    np.add.at(out, tuple(where), addend(x, out))
    return out


def spread_items(x: Any, like: Any) -> Any:
    """x for each item of like: the adjoint of a sum."""
    if isinstance(like, np.ndarray):
        return cast(np.broadcast_to(x, like.shape).copy(), like)
    return [unbroadcast(x, item) for item in like]


def last_stored(target: Any, index: Any) -> Any:
    """target[index], but zero where a later repetition of an index overwrote what was stored."""
    order = np.zeros(target.shape, dtype=int)
    values = np.array(target[index])
    ranks = np.arange(1, values.size + 1).reshape(values.shape)
    order[index] = ranks
    return values * (order[index] == ranks)


def copy_order(target: Any, index: Any, source: Any) -> Any:
    """Which item of source each item of target[index] gets: NumPy may overwrite some before it reads them."""
    if not np.may_share_memory(target, source):
        places = np.arange(np.size(source)).reshape(np.shape(source))
        return np.broadcast_to(places if places.size != 1 else 0, np.shape(target[index]))
    items, old, kept = source.view(), source.copy(), np.copy(target[index])
    items.flags.writeable = True
    items[...] = np.arange(items.size).reshape(items.shape)
    target[index] = items
    order = np.real(target[index]).astype(int)
    target[index] = kept
    items[...] = old
    return order


def place(x: Any, index: Any, like: Any) -> Any:
    """Zeros like like, with x stored at index: the adjoint of last_stored."""
    out = zeros_like(like)
    out[index] = x
    return out


def pack(values: Any, like: Any) -> Any:
    """The items of a list as what like is: an array, where it is one."""
    return np.array(values) if isinstance(like, np.ndarray) else values


def as_index(xs: Any) -> Any:
    """The array that a list spells in a subscript: one without items selects nothing, whatever its dtype would be."""
    found = np.asarray(xs)
    return found if found.size > 0 else found.astype(np.intp)
