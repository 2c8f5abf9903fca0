"""Jumps of a function that a solver calls, at places that move with what the function is differentiated by.

The derivative of an integral is that of its integrand, integrated, where the integrand is continuous in between. Of
``t > c`` the integral changes with ``c`` and the integrand, wherever it has a derivative, does not: so what is
compared, rounded or cut off in such a function may depend on what the solver chooses, or on what moves, not on both.
A division by zero, and a root or norm of what vanishes, at a place that moves are not seen.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from s2sad.analysis.activity import Activity, carries_derivative
from s2sad.analysis.effects import read_atoms
from s2sad.analysis.memory import Memory
from s2sad.errors import NotDifferentiable
from s2sad.ir import prims
from s2sad.ir.nodes import Function, Op, Var
from s2sad.ir.rewrite import use_counts, walk
from s2sad.rules.lookup import rule_of
from s2sad.runtime import helpers

__all__ = ["refuse_jumps"]

#: What jumps although it has a derivative elsewhere.
_JUMPING: set[Any] = {
    *(operator.mod, operator.floordiv, divmod, math.fmod, math.remainder, math.copysign, math.atan2),
    *(np.mod, np.fmod, np.remainder, np.divmod, np.copysign, np.arctan2, np.unwrap, np.angle),
    *(helpers.where_larger, helpers.tied_mean, helpers.tied_share),  # the slopes of what has a kink
}
#: What does not change where arguments change little.
_ASKING: set[Any] = {isinstance, type, operator.is_, operator.is_not, prims.identity}
#: The helpers of derivatives of solvers: what they give has no derivative, by which nothing changes in the end.
_SOLVERS = "s2sad.runtime.solvers"


def refuse_jumps(function: Function, varies: int, moving: Iterable[Var]) -> None:
    """Refuse a function that may jump, in its first ``varies`` parameters, where that depends on what moves.

    Raises :class:`~s2sad.errors.NotDifferentiable` at the first operation that may.
    """
    memory = Memory(function)
    places, shifts = (Activity(function, vs, memory) for vs in (function.params[:varies], moving))
    used = use_counts(function)
    for s in walk(function):
        if not isinstance(s, Op) or not used.get(s.target) or not _jumps(s):  # type: ignore[arg-type]
            continue
        read = [a for a, light in read_atoms(s) if not light]
        if any(map(places.is_varied, read)) and any(map(shifts.is_varied, read)):
            raise NotDifferentiable(
                "a solver calls this, and it may jump, at a place that moves with what is differentiated by.",
                help="Split the range there, or use what is continuous: np.maximum, abs.",
                origin=function.origin if s.origin is None else s.origin,
            )


def _jumps(op: Op) -> bool:
    """Whether what an operation gives may change at once where its arguments change little."""
    if op.fn in _JUMPING:
        return True
    if op.fn is helpers.constant or op.fn in _ASKING or getattr(op.fn, "__module__", "") == _SOLVERS:
        return False
    if op.target is not None and not carries_derivative(op.target.kind):
        return True  # numbers that are counted, or truth
    rule = rule_of(op)
    return rule is not None and rule.form == "zero"
