"""How freely an operation may be moved within its block."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from s2sad.analysis.effects import WRITES, is_pure, metadata_positions, only_computes, writes_of
from s2sad.backend.tree import EFFECT, PURE, READS
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Kind, Numeric, Other, Scalar, Tuple
from s2sad.ir.nodes import Atom, Const, Op, Ref, Var

__all__ = ["is_immutable", "order_of"]

#: These make or compare references, and read nothing of what they refer to.
_REFERENCES_ONLY: tuple[Callable[..., Any], ...] = (
    prims.make_tuple,
    prims.make_slice,
    prims.make_list,
    prims.make_dict,
    operator.is_,
    operator.is_not,
)
_CALLS: tuple[Callable[..., Any], ...] = (prims.call_value, prims.call_method)
_IMMUTABLE = {str, bytes, type(None), slice, range, ModuleType, type}


def order_of(op: Op) -> int:
    """PURE, READS or EFFECT."""
    fn = op.fn
    if not op.kwargs and only_computes(fn) and all(map(_is_number, op.args)):
        return PURE
    if any(fn is f for f in _REFERENCES_ONLY):
        return PURE
    if not is_pure(fn) or any(fn is f for f in _CALLS) or fn in WRITES or writes_of(op):
        return EFFECT
    if fn is operator.getitem and isinstance(getattr(op.args[0], "kind", None), Tuple):
        return PURE
    light = metadata_positions(fn)
    fixed = all(_is_fixed(a, i in light) for i, a in enumerate(op.args))
    return PURE if fixed and all(_is_fixed(a, k in light) for k, a in op.kwargs) else READS


def _is_number(a: Atom) -> bool:
    return type(a) is Const or (type(a) is Var and type(a.kind) is Scalar)


def _is_fixed(a: Atom, metadata_only: bool) -> bool:
    """Whether what is read of an operand never changes: its all, or its shape and dtype."""
    match a:
        case Const():
            return True
        case Ref(root=root):
            return root is np or root is math or root is builtins
    return is_immutable(a.kind) or (metadata_only and isinstance(a.kind, Array | Numeric))


def is_immutable(kind: Kind) -> bool:
    """Whether no store can change a value of this kind, or anything it holds."""
    match kind:
        case Scalar():
            return True
        case Tuple(items):
            return all(map(is_immutable, items))
        case Other(type=t):
            return t is not None and (t in _IMMUTABLE or issubclass(t, BaseException | np.dtype))
    return False
