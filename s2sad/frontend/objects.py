"""Kinds of live Python objects."""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.ir.nodes import UNDEF
from s2sad.rules.foreign import is_foreign

__all__ = ["constant_kind", "gives_items_its_own_way", "kind_of_object"]

#: What a list, a tuple or a dict is asked for its items, or changed by.
_PROTOCOL = frozenset(
    (
        *("__getitem__", "__missing__", "__iter__", "__reversed__", "__len__", "__bool__", "__contains__"),
        *("__setitem__", "__delitem__", "__iadd__", "__ior__", "get", "keys", "values", "items", "index", "count"),
        *("append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "sort", "reverse"),
    )
)


def gives_items_its_own_way(cls: Any) -> bool:
    """Whether a class of lists, tuples or dicts has methods of its own for what its items are, or how they change.

    >>> gives_items_its_own_way(dict), gives_items_its_own_way(type("Upper", (dict,), {"get": lambda self, key: key}))
    (False, True)
    """
    return cls not in (list, tuple, dict) and _has_methods_for_items(cls)


@functools.lru_cache(maxsize=256)
def _has_methods_for_items(cls: Any) -> bool:
    if not issubclass(cls, list | tuple | dict) or cls.__module__.partition(".")[0] in sys.stdlib_module_names:
        return False
    own = (name for base in cls.__mro__ for name, raw in vars(base).items() if isinstance(raw, types.FunctionType))
    return not _PROTOCOL.isdisjoint(own)


def constant_kind(value: Any) -> K.Kind:
    """The kind of a Python constant.

    >>> constant_kind(1.5), constant_kind(True)
    (Scalar(dtype='float'), Scalar(dtype='bool'))
    """
    match value:
        case bool():
            return K.BOOL
        case int():
            return K.INT
        case float():
            return K.FLOAT
        case complex():
            return K.Scalar("complex")
        case str():
            return K.STR
        case None:
            return K.NONE
    if value is UNDEF.value:
        return K.BOTTOM
    return K.Other(type(value))


def kind_of_object(value: Any) -> K.Kind:
    """The kind of a live Python object."""
    match value:
        case np.ndarray() if type(value) is not np.ndarray and is_foreign(type(value)):
            return K.Other(type(value))
        case np.ndarray():
            return K.Array(value.dtype.name, value.ndim)
        case np.generic():
            return K.Scalar(value.dtype.name) if isinstance(value, np.number | np.bool_) else K.Other(type(value))
        case list() | dict() | tuple() if gives_items_its_own_way(type(value)):
            return K.Other(type(value))
        case list():
            item: K.Kind = K.BOTTOM
            for v in value:
                item = K.join(item, kind_of_object(v))
            return K.List(item)
        case dict():
            item = K.BOTTOM
            for v in value.values():
                item = K.join(item, kind_of_object(v))
            return K.Dict(item)
        case tuple():
            cls = type(value)
            return K.Tuple(tuple(kind_of_object(v) for v in value), None if cls is tuple else cls)
    return constant_kind(value)
