"""How values cross between Python and compiled code: what Numba does not take, or return, as something that it does."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


def as_floats(xs: Any) -> Any:
    """A list of numbers as an array, to be passed to compiled code."""
    return np.array(xs, dtype=np.float64)


def as_array(xs: Any, empty: str = "float") -> Any:
    """A list of numbers or flags as an array, to be passed to compiled code; of which type, if it has no items."""
    return np.array(xs) if len(xs) else np.array(xs, empty)


def as_complex(xs: Any) -> Any:
    """A list of complex numbers as an array, to be passed to compiled code; of real ones the adjoint would be real."""
    if not all(isinstance(x, (complex, np.complexfloating)) for x in xs):
        raise TypeError("a list with real numbers and complex ones cannot be compiled: make all of them complex")
    return np.array(xs)


def as_tuples(x: Any) -> Any:
    """x with tuples in place of records and dicts and each array in one piece, to be passed to compiled code."""
    if isinstance(x, np.ndarray):
        return np.ascontiguousarray(x) if x.ndim else x
    if isinstance(x, list):
        return [as_tuples(item) for item in x]
    if isinstance(x, (tuple, dict)):
        return tuple([as_tuples(item) for item in (x.values() if isinstance(x, dict) else x)])
    if hasattr(x, "__dataclass_fields__"):
        return tuple([as_tuples(getattr(x, field.name)) for field in dataclasses.fields(x)])
    return x


def class_of(x: Any, module: Any, name: Any) -> Any:
    """The class of that name, of x or of the first that it holds; None where it holds none."""
    if (type(x).__module__, type(x).__qualname__) == (module, name):
        return type(x)
    parts = x.values() if isinstance(x, dict) else x if isinstance(x, (list, tuple)) else ()
    if hasattr(x, "__dataclass_fields__"):
        parts = [getattr(x, field.name) for field in dataclasses.fields(x)]
    found = (class_of(part, module, name) for part in parts)
    return next((cls for cls in found if cls is not None), None)


def as_ragged(xs: Any) -> Any:
    """A list of lists of numbers as one array and the lengths, to be passed to compiled code."""
    return np.array(all_items(xs), dtype=np.float64), np.array([len(row) for row in xs], dtype=np.int64)


def all_items(xs: Any) -> Any:
    """The items of some lists, one list after the other."""
    items: list[Any] = []
    for row in xs:
        items += row
    return items


def as_columns(xs: Any, form: Any) -> Any:
    """A list of nested lists and tuples as arrays, to be passed to compiled code: Numba corrupts what it is passed.

    ``form`` is the form of an item: a dtype, a dtype and a rank for an array, ``[form]`` for a list, a tuple of forms,
    None for what is passed as it is. A list of tuples becomes a tuple of lists, a list of lists the list of all their
    items and the lengths, a list of arrays all their items and the shapes.
    """
    if form is None:
        return as_tuples(xs)
    if form == ["float64"]:
        return as_ragged(xs)
    if isinstance(form, list):
        return as_columns(all_items(xs), form[0]), np.array([len(row) for row in xs], dtype=np.int64)
    if isinstance(form, tuple) and isinstance(form[-1], int):
        dtype, rank = form
        if any(x.dtype != dtype for x in xs):
            raise TypeError(f"a list of arrays of other dtypes than {dtype} cannot be compiled")
        shapes = np.array([x.shape for x in xs], dtype=np.int64).reshape(len(xs), rank)
        return np.concatenate([x.ravel() for x in xs]) if xs else np.empty(0, dtype), shapes
    if isinstance(form, tuple):
        rows = [x if isinstance(x, tuple) else as_tuples(x) for x in xs]
        return tuple([as_columns([row[k] for row in rows], part) for k, part in enumerate(form)])
    return as_floats(xs) if form == "float64" else np.array(xs, dtype=form)


def counted(xs: Any, form: Any) -> Any:
    """A list and the number of its items; an empty one, of which Numba asks the type, has a blank item.

    ``form`` is the form of an item: a dtype, a dtype and a rank for an array, a list of forms for a tuple.
    """
    return xs or [blank(form)], len(xs)


def blank(form: Any) -> Any:
    """A value of such a form: zeros, and arrays without items."""
    if isinstance(form, list):
        return tuple([blank(part) for part in form])
    if isinstance(form, tuple):
        return np.empty((0,) * form[1], form[0])
    return np.dtype(form).type(0).item()


def rows_of(ragged: Any) -> Any:
    """The list of lists that an array and lengths stand for."""
    flat, lengths = ragged
    rows = []
    start = 0
    for n in lengths:
        rows.append(list(flat[start : start + n]))
        start += n
    return rows


def ragged_of(rows: Any) -> Any:
    """A list of lists of numbers as one array and the lengths."""
    lengths = np.empty(len(rows), np.int64)
    total = 0
    for k in range(len(rows)):
        lengths[k] = len(rows[k])
        total += len(rows[k])
    flat = np.empty(total, np.float64)
    start = 0
    for row in rows:
        for x in row:
            flat[start] = x
            start += 1
    return flat, lengths


def as_rows(ragged: Any) -> Any:
    """The list of lists of numbers that compiled code returned as an array and the lengths."""
    flat, lengths = ragged
    ends = np.cumsum(lengths)
    return [flat[end - n : end].tolist() for end, n in zip(ends, lengths, strict=True)]


def in_place(x: Any) -> Any:
    """x as ``as_tuples`` gives it, where that copies nothing: compiled code is to change the arrays themselves."""
    if isinstance(x, np.ndarray) and not x.flags.c_contiguous:
        raise ValueError("a list that holds views of arrays that change, with gaps in them, cannot be compiled")
    if isinstance(x, list):
        return [in_place(item) for item in x]
    if isinstance(x, tuple):
        return tuple([in_place(item) for item in x])
    if isinstance(x, dict):
        return tuple([in_place(item) for item in x.values()])
    if hasattr(x, "__dataclass_fields__"):
        return tuple([in_place(getattr(x, field.name)) for field in dataclasses.fields(x)])
    return x


def one_memory(x: Any, found: Any = None) -> Any:
    """x with views of one array in place of arrays that share memory: Numba gives each as if it had its own."""
    if found is None:
        found = memory_of(x)
    if isinstance(x, (list, tuple)):
        make = getattr(type(x), "_make", type(x))  # of a named tuple
        return make([one_memory(item, found) for item in x])
    if isinstance(x, dict):
        return {key: one_memory(item, found) for key, item in x.items()}
    if not isinstance(x, np.ndarray) or x.size == 0:
        return x
    low = np.lib.array_utils.byte_bounds(x)[0]
    start, flat = next((start, flat) for start, stop, flat in found if start <= low < stop)
    return np.ndarray(x.shape, x.dtype, flat, x.__array_interface__["data"][0] - start, x.strides)


def memory_of(x: Any) -> list[tuple[int, int, Any]]:
    """The stretches of memory that the arrays of nested lists and tuples take, each as an array of bytes."""
    arrays = []
    work = [x]
    for item in work:
        if isinstance(item, (list, tuple, dict)):
            work.extend(item.values() if isinstance(item, dict) else item)
        elif isinstance(item, np.ndarray) and item.size:
            arrays.append((*np.lib.array_utils.byte_bounds(item), item))
    found: list[tuple[int, int, Any]] = []
    for low, high, a in sorted(arrays, key=lambda entry: entry[:2]):
        if found and low < found[-1][1]:
            found[-1] = found[-1][0], max(high, found[-1][1]), found[-1][2]
        else:
            lowest = a[tuple([slice(0, 1) if step >= 0 else slice(-1, None) for step in a.strides])]
            found.append((low, high, lowest.reshape(1).view(np.uint8)))
    return [(low, high, np.lib.stride_tricks.as_strided(a, (high - low,), (1,))) for low, high, a in found]
