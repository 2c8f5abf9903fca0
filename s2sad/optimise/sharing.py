"""Which operands the result of a NumPy operation may share memory with."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.ir.kinds import Array, Bottom, Kind, Numeric, Other, Scalar, Tuple
from s2sad.ir.nodes import Atom, Const, Op
from s2sad.runtime import helpers

__all__ = ["shared_operands"]

_NONE: tuple[Atom, ...] = ()


def shared_operands(op: Op) -> tuple[Atom, ...]:
    """The operands whose memory the result of a pure operation may share, or be.

    Arithmetic makes fresh arrays; a transpose is a view; a reshape may be one.
    """
    fn = op.fn
    if isinstance(fn, np.ufunc):
        return tuple(a for k, a in op.kwargs if k == "out")
    if fn is operator.getitem:
        return _subscript(op)
    if fn in _SHARES_FIRST:
        return op.args[:1] or tuple(a for _, a in op.kwargs[:1])
    if fn in _SHARES_ALL:
        return op.args + tuple(a for _, a in op.kwargs)
    return tuple(a for k, a in op.kwargs if k == "out") if op.kwargs else _NONE


def _subscript(op: Op) -> tuple[Atom, ...]:
    """A subscript with integer arrays or a mask copies; any other may give a view."""
    obj, index = op.args
    if isinstance(_kind(obj), Array | Numeric) and _is_advanced(_kind(index)):
        return _NONE
    return (obj,)


def _is_advanced(kind: Kind) -> bool:
    match kind:
        case Array():
            return True
        case Tuple(items):
            return any(isinstance(k, Array) for k in items) and all(
                isinstance(k, Array | Scalar | Bottom) or (isinstance(k, Other) and k.type is not None) for k in items
            )
    return False


def _kind(a: Atom) -> Kind:
    return Other(type(a.value)) if isinstance(a, Const) else a.kind


def _of(module: Any, names: str) -> set[Callable[..., Any]]:
    return {getattr(module, n) for n in names.split() if hasattr(module, n)}


_SHARES_FIRST = _of(
    np,
    "transpose permute_dims matrix_transpose reshape ravel asarray asanyarray ascontiguousarray asfortranarray "
    "squeeze expand_dims broadcast_to swapaxes moveaxis rollaxis diagonal diag real imag flip flipud fliplr rot90 "
    "split array_split hsplit vsplit dsplit real_if_close nan_to_num astype array require unstack",
) | _of(helpers, "cast unbroadcast item astype spread unpack")
_SHARES_ALL = (
    _of(np, "broadcast_arrays einsum atleast_1d atleast_2d atleast_3d meshgrid")
    | _of(helpers, "accumulate map_leaves")
    | {getattr, tuple, list, dict, reversed, enumerate, zip, sorted, max, min}
)
