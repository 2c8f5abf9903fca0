"""Dtypes that are asked of arrays, and limits that are asked of dtypes.

Before::

    def f(x: float64[*]):
        d = getattr_(x, 'dtype')
        y: any[*] = np.zeros(3, dtype=d)
        z: any[*] = y + x
        return z

After::

    def f(x: float64[*]):
        y: float64[*] = np.zeros(3, dtype=np.float64)
        z: float64[*] = y + x
        return z

The Python tier asks at run time.  Machine code is made for the dtypes that arguments have.  What ``np.finfo`` and
``np.iinfo`` say of a type is a number.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; what is made with the dtype of an array, where that is known, is known to have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.compiled.expand import kind_of
from s2sad.compiled.forms_conversions import native_type
from s2sad.compiled.settle import resettled
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Ref, Var
from s2sad.ir.rewrite import walk
from s2sad.transform.assemble import retold

__all__ = ["limit", "tell_dtypes"]


def tell_dtypes(lowered: Lowered) -> Lowered:
    """Put types in the place of the dtypes that are asked of arrays."""
    asked = [s for s in walk(lowered.function) if isinstance(s, Op) and s.target is not None and s.fn is prims.getattr_]
    if not asked:
        return lowered
    definitions = definitions_of(lowered.function)
    answers = {s.target: _asked(s) or limit(s, definitions) for s in asked}
    found = {v: answer for v, answer in answers.items() if v is not None and answer is not None}
    if not found:
        return lowered
    function, renamed = resettled(lowered.function, found)
    return replace(lowered, function=function, result=retold(lowered.result, renamed))


def _asked(op: Op) -> Atom | None:
    """The type that an operation asks an array, or a NumPy scalar, for."""
    match op:
        case Op(fn=prims.getattr_, args=(Var() as x, Const("dtype"))) if isinstance(kind_of(x), K.Array | K.Scalar):
            return _type_of(x)
    return None


def _type_of(x: Atom) -> Atom | None:
    """The type of the items of an array, or of a NumPy scalar."""
    name = K.dtype_of(kind_of(x))
    cls = getattr(np, name, None)
    known = isinstance(cls, type) and issubclass(cls, np.floating | np.integer)
    return Ref(("np", name), np, cls, K.Other(type)) if known else None


def limit(op: Op, definitions: Mapping[Var, Op]) -> Atom | None:
    """The number that an operation asks ``np.finfo`` or ``np.iinfo`` of a type for."""
    obj, name = op.args
    made = definitions.get(obj) if isinstance(obj, Var) else None
    if made is None or made.fn not in (np.finfo, np.iinfo) or len(made.args) != 1 or not isinstance(name, Const):
        return None
    dtype = _common(made.args[0], definitions)
    value = None if dtype is None else getattr(made.fn(dtype), name.value)
    match value:
        case float() | np.floating():
            return Const(float(value))
        case int():
            return Const(value)
    return None


def _common(dtype: Atom, definitions: Mapping[Var, Op]) -> Any:
    """The type that a dtype is, or that ``np.result_type`` finds for arrays and types; None where it cannot be told."""
    made = definitions.get(dtype) if isinstance(dtype, Var) else None
    if made is not None and made.fn is prims.getattr_ and made.args[1] == Const("dtype"):
        return _item_type(made.args[0])
    if made is None or made.fn is not np.result_type or made.kwargs:
        return native_type(dtype)
    types = [native_type(a) or _item_type(a) for a in made.args]
    return None if None in types else np.result_type(*types).type


def _item_type(a: Atom) -> Any:
    """The type of the items of an array."""
    known = _type_of(a) if isinstance(kind_of(a), K.Array) else None
    return None if known is None else native_type(known)
