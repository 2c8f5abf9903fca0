"""Axes that an array does not have.

NumPy raises AxisError. Loops that are made for an axis are made for those that there are, so compiled code would give
some value.

Requires: the three-address form of a function for Numba, before it is differentiated.
Ensures: the function as it is. :class:`~s2sad.errors.CompileError` for an axis that is known not to be there, and for
``y += x`` where ``x`` has more axes than ``y``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

import numpy as np

from s2sad.compiled.errors import HELP
from s2sad.errors import CompileError
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const, Function, Op, Store, kind_of
from s2sad.ir.rewrite import walk
from s2sad.rules.lookup import rule_of
from s2sad.runtime import helpers
from s2sad.transform.operations import item_kind

__all__ = ["refuse_missing_axes"]

_ADDED = {np.expand_dims: "axis", np.stack: ""}  #: what names the axes that the result has beside those of the operand
_OURS = {f for f in vars(helpers).values() if isinstance(f, FunctionType)}  #: whose axes are often of a later operand
_NAMES = ("axis", "axis1", "axis2", "source", "destination")


def refuse_missing_axes(function: Function) -> None:
    """Refuse the axes that are not there."""
    for s in walk(function):
        match s:
            case Op() if not isinstance(s.fn, Function):
                _check_axes(s)
            case Store(aug=str()):
                into, value = K.rank_of(item_kind(kind_of(s.obj), s.index)), kind_of(s.value)
                added = K.rank_of(value) if isinstance(value, K.Array) else 0
                if isinstance(kind_of(s.obj), K.Array) and None not in (into, added) and added > into:  # type: ignore[operator]
                    message = f"an array with {added} axes cannot be added in place to one with {into}."
                    raise CompileError(message, "Make the array that it is put into as large as both.", origin=s.origin)


def _check_axes(op: Op) -> None:
    """Refuse axes of an operation that its first operand does not have."""
    rule, kind = rule_of(op), kind_of(op.args[0]) if op.args else None
    rank = kind.rank if isinstance(kind, K.Array) else None
    if rule is None or rank is None or op.fn in _OURS:
        return
    bound: Mapping[str, Any] = dict(op.kwargs)
    if rule.form != "zero":
        try:
            bound = rule.bind(op.args, bound)
        except TypeError:
            return
    most = rank
    if op.fn in _ADDED:
        most += len(_numbers(bound.get(_ADDED[op.fn]))) or 1
    for axis in (a for name in _NAMES for a in _numbers(bound.get(name))):
        if not -most <= axis < most:
            raise CompileError(f"axis {axis} is out of bounds for an array of {rank} axes.", HELP, origin=op.origin)


def _numbers(axis: Any) -> tuple[int, ...]:
    """The axes that a constant names."""
    value = axis.value if isinstance(axis, Const) else None
    axes = value if isinstance(value, tuple) else (value,)
    return tuple(a for a in axes if type(a) is int)
