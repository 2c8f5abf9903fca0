"""Which operands the result of an operation may share memory with."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.analysis.effects import ASKS_IDENTITY, only_computes
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Kind, List, Numeric, Other, Scalar
from s2sad.ir.nodes import Atom, Callee, Const, Function, Op
from s2sad.rules.aliasing import MAYBE, VIEWS, alias_of
from s2sad.runtime import helpers

__all__ = ["SHARES_ALL", "makes_fresh", "shared_operands"]

_NONE: tuple[Atom, ...] = ()


def shared_operands(op: Op) -> tuple[Atom, ...]:
    """The operands whose memory the result of a pure operation may share, or be, or hold.

    Arithmetic makes fresh arrays; a transpose is a view; a reshape may be one.
    """
    fn = op.fn
    if isinstance(fn, Callee):
        return _NONE if fn.catches or fn.apart else op.args
    if isinstance(fn, np.ufunc):
        return tuple(a for k, a in op.kwargs if k == "out")
    if fn is operator.getitem:
        return _NONE if alias_of(fn, op.args)[0] == "fresh" else op.args[:1]
    if fn is prims.identity:
        return op.args
    if fn is prims.getattr_:
        return _NONE if isinstance(_kind(op.args[0]), Array | Numeric) else op.args[:1]
    if fn in SHARES_ALL:
        if fn is np.einsum and len(op.args) != 2 and isinstance(op.args[0], Const):
            return _NONE  # a product; of one operand it may be a view
        if fn is np.meshgrid and all(k != "copy" for k, _ in op.kwargs):
            return _NONE
        return op.args + tuple(a for _, a in op.kwargs)
    if fn in (np.diff, np.array, np.diag):
        return _NONE if alias_of(fn, op.args, op.kwargs)[0] == "fresh" else op.args[:1]
    if fn in _HOLDS_FIRST or getattr(fn, "__module__", "") == _VIEWING:
        return _NONE if op.target is not None and _is_numbers(op.target.kind) else op.args[:1]
    if _may_view(fn):
        first = op.args[:1] or tuple(a for _, a in op.kwargs[:1])
        return first if isinstance(_kind(first[0]), Array | Numeric | Other) else _NONE
    return tuple(a for k, a in op.kwargs if k == "out") if op.kwargs else _NONE


_fresh: dict[Any, bool] = {}


def makes_fresh(fn: Any) -> bool:
    """Whether ``fn`` only computes a value that shares nothing with its operands, an ``out=`` apart.

    >>> makes_fresh(np.sin), makes_fresh(np.reshape), makes_fresh(operator.getitem)
    (True, False, False)
    """
    try:
        known = _fresh.get(fn)
        if known is None:
            known = only_computes(fn) and not (
                isinstance(fn, Callee)
                or getattr(fn, "__module__", "") == prims.__name__
                or any(
                    fn in family
                    for family in ({operator.getitem, np.array, np.diff}, SHARES_ALL, _HOLDS_FIRST, ASKS_IDENTITY)
                )
                or _may_view(fn)
                or getattr(fn, "__module__", "") == _VIEWING
            )
            if not isinstance(fn, Callee | Function):
                _fresh[fn] = known
    except TypeError:  # unhashable: the user's
        return False
    return known


def _may_view(fn: Any) -> bool:
    """Whether ``fn`` gives its first operand, or a view of it."""
    return fn in VIEWS or fn in MAYBE or fn in _MORE


def _kind(a: Atom) -> Kind:
    return Other(type(a.value)) if isinstance(a, Const) else a.kind


def _is_numbers(kind: Kind) -> bool:
    """Whether this is nested lists of numbers, which share no memory with an array they are made of."""
    return isinstance(kind, List) and (isinstance(kind.item, Scalar) or _is_numbers(kind.item))


def _of(module: Any, names: str) -> set[Callable[..., Any]]:
    return {getattr(module, n) for n in names.split() if hasattr(module, n)}


#: Share with the first operand where that is an array; :mod:`s2sad.rules.aliasing` lists the others.
_MORE = (
    _of(np, "real_if_close unstack permute_dims trim_zeros")
    | _of(np.lib.stride_tricks, "as_strided sliding_window_view")
    | _of(
        helpers, "crop unstack split_like flatten_axes unflatten_axes undiag spread_items resized as_it_lies copied_to"
    )
)

#: The module of helpers of compiled code that share with the first operand, or hold parts of it.
_VIEWING = "s2sad.compiled.viewing"

#: Hold the first operand, or its items, whatever it is.
_HOLDS_FIRST = _of(helpers, "scatter pack unpack kept_item take_tail shadow_view")

#: May be, or hold, any operand.
SHARES_ALL = (
    _of(np, "broadcast_arrays einsum atleast_1d atleast_2d atleast_3d meshgrid")
    | _of(helpers, "accumulate map_leaves copy_state")
    | {getattr, tuple, list, dict, reversed, enumerate, zip, sorted, max, min}
)
