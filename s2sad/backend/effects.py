"""How freely an operation may be moved within its block."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from s2sad.backend.callables import locate
from s2sad.backend.tree import EFFECT, PURE, READS
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Kind, Numeric, Other, Scalar, Tuple
from s2sad.ir.nodes import Atom, Const, Function, Op, Ref

__all__ = ["is_immutable", "order_of"]

_REFERENCES_ONLY: set[Callable[..., Any]] = {
    prims.make_tuple,
    prims.make_slice,
    prims.make_list,
    prims.make_dict,
    operator.is_,
    operator.is_not,
}
_METADATA: set[Callable[..., Any]] = {np.shape, np.ndim, np.size}
_PURE_BUILTINS = frozenset(
    "abs bool complex dict divmod enumerate float format frozenset getattr hasattr int isinstance issubclass len list"
    " max min pow range repr reversed round set slice sorted str sum tuple type zip".split()
)
_IMPURE_NUMPY = frozenset(
    "copyto put place putmask put_along_axis fill_diagonal save savez savetxt seterr seterrcall setbufsize at"
    " set_printoptions errstate".split()
)
_IMPURE_HELPERS = frozenset({"add_at"})
_IMPURE_OPERATORS = frozenset({"setitem", "delitem", "call", "methodcaller"})


def is_immutable(kind: Kind) -> bool:
    """Whether no store can change a value of this kind, or anything it holds."""
    match kind:
        case Scalar():
            return True
        case Tuple(items):
            return all(map(is_immutable, items))
        case Other(type=t):
            return t is not None and (t in _IMMUTABLE or issubclass(t, BaseException))
    return False


_IMMUTABLE = {str, bytes, type(None), slice, range, ModuleType, type, np.dtype}


def _atom_is_immutable(a: Atom) -> bool:
    match a:
        case Const():
            return True
        case Ref(root=root):
            return root is np or root is math or root is builtins
    return is_immutable(a.kind)


def order_of(op: Op) -> int:
    """PURE, READS or EFFECT."""
    fn = op.fn
    if isinstance(fn, Function):
        return EFFECT
    if _is_immutable_reader(op):
        return PURE
    if _has_effect(fn) or any(k == "out" for k, _ in op.kwargs):
        return EFFECT
    args = (*op.args, *(a for _, a in op.kwargs)) if op.kwargs else op.args
    return PURE if all(map(_atom_is_immutable, args)) else READS


def _is_immutable_reader(op: Op) -> bool:
    """Whether the op reads only what never changes of its arguments."""
    fn, args = op.fn, op.args
    if _hashed(fn, _REFERENCES_ONLY):
        return True
    if fn is operator.getitem:
        return isinstance(getattr(args[0], "kind", None), Tuple)
    return _hashed(fn, _METADATA) and isinstance(getattr(args[0], "kind", None), Array | Numeric)


def _hashed(fn: Any, table: Any) -> bool:
    try:
        return fn in table
    except TypeError:
        return False


def _has_effect(fn: Any) -> bool:
    if _hashed(fn, prims.WRITES) or fn is prims.raise_ or fn is prims.assert_:
        return True
    module = getattr(fn, "__module__", None)
    if module == "s2sad.ir.prims":
        return fn is prims.call_value or fn is prims.call_method
    if module == "s2sad.runtime.helpers":
        return fn.__name__ in _IMPURE_HELPERS
    if isinstance(fn, type) and issubclass(fn, BaseException):
        return False
    found = locate(fn)
    if found is None:
        return True
    root, path = found
    if root is builtins:
        return path[0] not in _PURE_BUILTINS
    if root is operator:
        return path[0] in _IMPURE_OPERATORS or (path[0].startswith("i") and path[0] not in _I_BUT_PURE)
    return path[-1] in _IMPURE_NUMPY or "random" in path or root.__name__ == "scipy.stats"


_I_BUT_PURE = {"index", "indexOf", "inv", "invert", "is_", "is_not", "itemgetter"}
