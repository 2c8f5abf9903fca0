"""Copies of arrays that may share memory, which share it as these do.

An array in machine code does not say what it is a view of. Where its items are does: arrays overlap if the bytes
between their first and their last do, and what overlaps is copied to one piece of memory, at the same distances.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["as_it_lies", "copied_to", "places_in_copy", "room_for_copy", "span"]


def as_it_lies(a: Any) -> Any:
    """The array itself, of the type of arrays in any layout."""
    return np.lib.stride_tricks.as_strided(a, a.shape, a.strides)


def span(a: Any) -> Any:
    """Where the lowest byte of an array is, where the highest ends, and where the first item is."""
    first = np.int64(a.ctypes.data)
    low, high = first, first
    if a.size > 0:
        high += a.itemsize
        for k in range(a.ndim):
            step = a.strides[k] * (a.shape[k] - 1)
            low += min(step, 0)
            high += max(step, 0)
    return low, high, first


def places_in_copy(spans: Any) -> Any:
    """At which bytes of a copy the first items of arrays come to lie; the last number is how long that is."""
    n = len(spans)
    lows = np.array([low for low, _, _ in spans])
    places = np.zeros(n + 1, np.int64)
    begin, end, total = np.int64(0), np.int64(0), np.int64(0)  # of the memory that is shared, and what is before it
    for k in np.argsort(lows):
        low, high, first = spans[k]
        if low >= end:
            total += end - begin
            begin, end = low, high
        places[k] = total + first - begin
        end = max(end, high)
    places[n] = total + end - begin
    return places


def room_for_copy(places: Any, a: Any) -> Any:
    """Memory for such copies, of items like those of an array."""
    return np.empty(places[-1] // a.itemsize, a.dtype)


def copied_to(room: Any, places: Any, k: int, a: Any) -> Any:
    """The copy of one of the arrays, at its place."""
    begin = room[places[k] // a.itemsize :]
    copy = np.lib.stride_tricks.as_strided(begin, a.shape, a.strides)
    for place, item in np.ndenumerate(a):
        copy[place] = item
    return copy
