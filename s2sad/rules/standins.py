"""What a primitive returns, learnt by running it once on tiny arguments of the same kinds."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.rules.foreign import foreign_example, is_foreign

__all__ = ["UNKNOWN", "Unknown", "dtype_by_running", "item_of", "kind_by_running", "value_kind"]

_NUMBERS = "biufc"


class Unknown(Exception):
    """No stand-in can be made."""


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


#: The value of an argument that is not a literal.
UNKNOWN = _Unknown()


def value_kind(value: Any) -> K.Kind:
    """The kind of a Python value."""
    match value:
        case np.ndarray() if type(value) is not np.ndarray and is_foreign(type(value)):
            return K.Other(type(value))
        case np.ndarray():
            return K.Array(value.dtype.name, value.ndim) if value.dtype.kind in _NUMBERS else K.Other(np.ndarray)
        case np.generic():
            return K.Scalar(value.dtype.name) if value.dtype.kind in _NUMBERS else K.Other(type(value))
        case bool() | int() | float() | complex():
            return K.Scalar(type(value).__name__)
        case tuple():
            return K.Tuple(tuple(map(value_kind, value)), type(value) if hasattr(value, "_fields") else None)
        case list():
            return K.List(item_of(map(value_kind, value)))
        case dict():
            return K.Dict(item_of(map(value_kind, value.values())))
    return K.Other(type(value))


_NOTHING: K.Kind = K.BOTTOM


def join_all(kinds: Iterable[K.Kind]) -> K.Kind:
    """The least kind that covers all; Bottom of none."""
    return functools.reduce(K.join, kinds, _NOTHING)


def item_of(kinds: Iterable[K.Kind]) -> K.Kind:
    """The kind of the items of a container that holds these; Bottom of none."""
    return functools.reduce(K.join_items, kinds, _NOTHING)


_WEAK: dict[str, Any] = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}


def _scalar(dtype: str, integer: int) -> Any:
    if dtype == "any":
        raise Unknown
    if dtype in _WEAK:
        return type(_WEAK[dtype])(integer if dtype == "int" else 1)
    value = np.dtype(dtype).type(1)
    return type(value)(integer) if np.dtype(dtype).kind in "iu" else value


def _array(dtype: str, rank: int | None, size: int) -> Any:
    if dtype == "any" or rank is None:
        raise Unknown
    a = np.ones((size,) * rank, dtype)
    if rank >= 2 and a.dtype.kind in "iufc":
        a = a + np.eye(size, dtype=a.dtype)
    return a


def stand_in(kind: K.Kind, value: Any, size: int, integer: int) -> Any:
    """A small value of the kind; the value itself where it is a literal."""
    if value is not UNKNOWN:
        return value
    match kind:
        case K.Scalar(dtype):
            return _scalar(dtype, integer)
        case K.Array(dtype, rank):
            return _array(dtype, rank, size)
        case K.Tuple(items, cls):
            made = [stand_in(item, UNKNOWN, size, integer) for item in items]
            return cls(*made) if cls is not None else tuple(made)
        case K.List(item):
            return [stand_in(item, UNKNOWN, size, integer) for _ in range(2)]
        case K.Other(t) if t is type(None):
            return None
        case K.Other(t) if t is type(Ellipsis):
            return Ellipsis
        case K.Other(t) if t is slice:
            return slice(None)
        case K.Other(type() as t) if is_foreign(t) and t not in K.DERIVED:
            return foreign_example(t, size)
    raise Unknown


@lru_cache(maxsize=4096)
def dtype_by_running(fn: Callable[..., Any], dtypes: tuple[tuple[str, bool], ...]) -> str:
    """The dtype of an element-wise result; an argument is given by its dtype and whether it is an array."""
    try:
        with np.errstate(all="ignore"):
            kind = value_kind(fn(*(_array(d, 1, 1) if array else _scalar(d, 1) for d, array in dtypes)))
    except Exception:
        return "any"
    return K.dtype_of(kind)


@lru_cache(maxsize=4096)
def kind_by_running(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: tuple[Any, ...]) -> K.Kind | None:
    """The kind of ``fn``'s result; arguments are (kind, literal) pairs. None where none of the trials ran."""
    for size, integer in ((2, 1), (2, 0), (3, 1), (4, 2), (1, 1)):
        try:
            made = [stand_in(k, _value(v), size, integer) for k, v in args]
            named = {n: stand_in(k, _value(v), size, integer) for n, (k, v) in kwargs}
            with np.errstate(all="ignore"):
                return value_kind(fn(*made, **named))
        except Unknown:
            return None
        except Exception:
            continue
    return None


def _value(literal: Any) -> Any:
    """A literal out of its cache key (see :func:`literal_key`)."""
    return literal if literal is UNKNOWN else literal[1]


def literal_key(value: Any) -> Any:
    """A key that tells 1, 1.0 and True apart, and 0.0 from -0.0."""
    if value is UNKNOWN:
        return value
    sign = math.copysign(1.0, value) if isinstance(value, float) else None
    return (type(value), value, sign)
