"""Adjoints in the form of their primals: zeros and ones, sums over what was broadcast, accumulation."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

__all__ = [
    "accumulate",
    "as_result",
    "cast",
    "complex_zero_leaf",
    "complex_zeros",
    "count",
    "field_names",
    "map_leaves",
    "need_number",
    "ones_like",
    "record_of",
    "spread",
    "unbroadcast",
    "unit_seed",
    "zero_item",
    "zero_items",
    "zero_leaf",
    "zeros_like",
]


def cast(x: Any, like: Any) -> Any:
    """x with the floating type of like, its real part where that is real; a scalar where like is one, else an array."""
    if isinstance(like, np.ndarray):
        kind = like.dtype.kind
        return np.asarray(np.real(x) if kind == "f" else x, like.dtype if kind in "fc" else None)
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x[()]
    if isinstance(like, (float, np.floating)):
        x = x.real
    if isinstance(x, np.ndarray):
        return x
    if isinstance(like, np.inexact):
        return type(like)(x)
    is_narrow = isinstance(x, np.inexact) and not isinstance(x, (float, complex))
    return x.item() if is_narrow and isinstance(like, (float, complex)) else x


def unbroadcast(x: Any, like: Any) -> Any:
    """x summed over the axes along which like was stretched, or repeated up to its shape."""
    if type(x) is type(like) is np.ndarray and x.shape == like.shape and x.dtype == like.dtype:
        return x
    shape, size = np.shape(like), np.shape(x)
    if size == () != shape:
        x = np.full(shape, x)
    elif size != shape:
        extra = len(size) - len(shape)
        if extra < 0 or [n for n, m in zip(shape, size[extra:], strict=True) if n not in (m, 1)]:
            x = np.broadcast_to(x, np.broadcast_shapes(size, shape))
            size, extra = x.shape, x.ndim - len(shape)
        axes = [k for k, n in enumerate(shape, extra) if n != size[k]]
        x = np.add.reduce(x, axis=(*range(extra), *axes)).reshape(shape)
    return cast(x, like)


def spread(x: Any, like: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """x repeated along the axes of like that a reduction summed away."""
    if not isinstance(like, np.ndarray):
        return cast(x, like)
    if axis is not None and not keepdims:
        kept = list(like.shape)
        for k in axis if isinstance(axis, tuple) else (axis,):
            kept[k] = 1
        x = np.reshape(x, kept)
    return np.broadcast_to(cast(x, like), like.shape).copy()


def count(a: Any, axis: Any = None) -> int:
    """How many items of a go into each item of its reduction."""
    if axis is None:
        return np.size(a)
    axes = axis if isinstance(axis, tuple) else (axis,)
    return math.prod(np.shape(a)[i] for i in axes)


def field_names(record: Any) -> list[str]:
    """The names of the fields of a dataclass instance: class variables are none."""
    return [field.name for field in dataclasses.fields(record)]


def record_of(cls: Any, /, **values: Any) -> Any:
    """A dataclass instance with these fields: its constructor, which is not called, may change what it is given."""
    record = object.__new__(cls)
    for name, value in values.items():
        object.__setattr__(record, name, value)
    return record


def map_leaves(f: Any, x: Any, *rest: Any) -> Any:
    """f of the leaves of nested tuples, lists, dicts, named tuples and dataclasses."""
    if isinstance(x, dict):
        return {k: map_leaves(f, v, *(r[k] for r in rest)) for k, v in x.items()}
    if isinstance(x, (tuple, list)):
        items = [map_leaves(f, *parts) for parts in zip(x, *rest, strict=True)]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    if hasattr(x, "__dataclass_fields__"):
        names = field_names(x)
        return record_of(type(x), **{n: map_leaves(f, getattr(x, n), *(getattr(r, n) for r in rest)) for n in names})
    return f(x, *rest)


def zero_leaf(x: Any) -> Any:
    """The zero adjoint of a number or an array, None for what has no adjoint."""
    if isinstance(x, np.ndarray):
        return np.zeros_like(x, dtype=None if x.dtype.kind in "fc" else float, subok=False)
    if isinstance(x, complex):
        return 0j
    if isinstance(x, (np.float16, np.float32)):
        return type(x)(0.0)
    return 0.0 if isinstance(x, (int, float, np.number, np.bool_)) else None


def zeros_like(x: Any) -> Any:
    """A floating zero with the structure of x."""
    return map_leaves(zero_leaf, x)


def zero_items(x: Any) -> Any:
    """A floating zero like x, of which items can be added to in place: a list for a tuple, an array for a number."""
    if isinstance(x, tuple):
        return [*map(zeros_like, x)]
    return np.asarray(zeros_like(x)) if isinstance(x, np.number) else zeros_like(x)


def complex_zero_leaf(x: Any) -> Any:
    """The zero adjoint of a number or an array that counts as complex."""
    if isinstance(x, np.ndarray):
        return np.zeros_like(x, dtype=np.result_type(x, np.complex64), subok=False)
    return 0j if isinstance(x, (int, float, complex, np.number, np.bool_)) else None


def complex_zeros(x: Any) -> Any:
    """A complex zero with the structure of x, of which some may be real."""
    return map_leaves(complex_zero_leaf, x)


def zero_item(x: Any, *path: Any) -> Any:
    """The zero adjoint of the item at a path of places and names of fields; 0.0 where None is met on the way."""
    for k in path:
        if x is None:
            return 0.0
        x = getattr(x, k) if isinstance(k, str) else x[k]
    return zeros_like(x)


def ones_like(x: Any) -> Any:
    """A floating one with the shape of x."""
    if isinstance(x, np.ndarray):
        return np.ones_like(x, dtype=None if x.dtype.kind in "fc" else float, subok=False)
    return 1.0


def accumulate(a: Any, b: Any) -> Any:
    """a + b, item by item; None and 0.0 stand for a zero of any structure."""
    if type(a) is type(b) is np.ndarray:
        return a + b
    if a is None or (isinstance(a, float) and a == 0.0):
        return b
    if b is None or (isinstance(b, float) and b == 0.0):
        return a
    if isinstance(a, tuple) and hasattr(b, "__dataclass_fields__"):
        a, b = b, a
    if isinstance(a, (tuple, list)):
        items = [accumulate(*pair) for pair in zip(a, b, strict=True)]
        return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
    if isinstance(a, dict):
        return {k: accumulate(a.get(k), b.get(k)) for k in {**a, **b}}
    if hasattr(a, "__dataclass_fields__"):
        names = field_names(a)
        parts = b if isinstance(b, tuple) else [getattr(b, n) for n in names]
        return record_of(type(a), **{n: accumulate(getattr(a, n), p) for n, p in zip(names, parts, strict=True)})
    return a + b


def as_result(bx: Any, x: Any) -> Any:
    """The adjoint bx with the structure, shapes and floating types of x, in memory of its own."""
    if isinstance(x, np.ndarray):
        bx = zero_leaf(x) if bx is None else unbroadcast(bx, x)
        return np.array(bx, dtype=None if bx.dtype.kind in "fc" else float)
    if isinstance(x, (complex, np.complexfloating)):
        return 0j if bx is None else unbroadcast(bx, x) + 0j
    if isinstance(x, (int, float, np.number, np.bool_)):
        return zero_leaf(x) if bx is None else unbroadcast(bx, x)
    if isinstance(x, (tuple, list, dict)) or hasattr(x, "__dataclass_fields__"):
        bx = zeros_like(x) if bx is None or isinstance(bx, float) else bx
        return map_leaves(lambda leaf, b: as_result(b, leaf), x, bx)
    return None


def need_number(y: Any) -> None:
    """TypeError where a result is no real number, 0-d arrays counted as such."""
    if isinstance(y, np.ndarray) and y.ndim:
        raise TypeError(
            f"grad needs a function with a scalar result, and this one has shape {y.shape}: use vjp or jacobian"
        )
    if np.iscomplexobj(y):
        raise TypeError("the result is complex: take np.real of it, or use vjp")


def unit_seed(y: Any) -> Any:
    """The cotangent 1 of a scalar result; TypeError where it is none."""
    need_number(y)
    return np.ones_like(y, dtype=float) if isinstance(y, np.ndarray) else 1.0
