"""Kinds of live Python objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.frontend.own_items import gives_items_its_own_way
from s2sad.ir import kinds as K
from s2sad.ir.nodes import UNDEF
from s2sad.rules.foreign import is_foreign

__all__ = ["constant_kind", "kind_of_object"]


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
