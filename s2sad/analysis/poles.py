"""Poles: which values may be infinite, or NaN, though what a function is given is finite.

::

    y = np.log(x)          # at 0
    z = x * y              # so is this one, and the slope of the product in x

The adjoint of ``z`` may be zero there, behind ``np.where(x > 0, z, 0.0)``: :mod:`s2sad.analysis.masks` says where.

Requires: nothing of the IR but that each value has one definition.
Ensures: an answer that is on the safe side, for arrays and the numbers made of them.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from s2sad.analysis.memory import Class, Memory
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Callee, Const, For, Function, If, Op, Store, Var, While, With
from s2sad.ir.rewrite import walk
from s2sad.rules.table import rule_for

__all__ = ["FINITE", "Poles"]

#: Element-wise primitives whose values and partials are finite wherever their arguments are.
FINITE: set[Any] = {
    *(np.add, np.subtract, np.multiply, np.negative, np.positive, np.square, np.sin, np.cos, np.tanh, np.arctan),
    *(np.absolute, np.maximum, np.minimum, np.logaddexp, np.where, np.clip, np.degrees, np.radians),
    *(operator.add, operator.sub, operator.mul, operator.neg, operator.pos, abs),
    *(math.sin, math.cos, math.tanh, math.atan, math.fabs),
}
_POWERS: set[Any] = {operator.pow, np.power}
_QUOTIENTS: set[Any] = {operator.truediv, np.divide}


class Poles:
    """The values of a function that may not be finite."""

    def __init__(self, function: Function, memory: Memory) -> None:
        self.memory = memory
        self.found: set[Var] = set()
        self.classes: set[Class] = set()
        while self._go_over(function):
            pass

    def may_meet(self, a: Atom) -> bool:
        """Whether a value may be infinite, or NaN."""
        return isinstance(a, Var) and (a in self.found or self.memory.of(a) in self.classes)

    def _go_over(self, function: Function) -> bool:
        before = len(self.found), len(self.classes)
        for s in walk(function):
            match s:
                case Op(target=Var() as target, args=args) if _is_floating(target.kind):
                    if _makes_poles(s) or any(map(self.may_meet, (*args, *(a for _, a in s.kwargs)))):
                        self.found.add(target)
                case Store(obj=obj, value=value) if self.may_meet(value):
                    self._note_class(obj)
                case If(then=then, orelse=orelse, results=results):
                    self._merge(results, then.outs, orelse.outs)
                case For() | While():
                    self._merge(s.params, s.inits, s.body.outs)
                    self._merge(s.results, s.inits, s.body.outs)
                case With(body=body, results=results):
                    self._merge(results, body.outs, body.outs)
        return before != (len(self.found), len(self.classes))

    def _merge(self, into: tuple[Var, ...], *sources: tuple[Atom, ...]) -> None:
        for outs in sources:
            self.found.update(v for v, a in zip(into, outs, strict=False) if self.may_meet(a))

    def _note_class(self, obj: Atom) -> None:
        if (c := self.memory.of(obj)) is not None:
            self.classes.add(c)


def _is_floating(kind: K.Kind) -> bool:
    """Whether a value of this kind is, or holds, numbers that may be infinite."""
    return K.is_float(kind) or not K.is_numeric(kind)


def _makes_poles(op: Op) -> bool:
    """Whether an operation may give what is not finite of what is: a quotient, a logarithm, an exponential."""
    fn = op.fn
    if fn in _POWERS and isinstance(op.args[1], Const):
        return not _is_whole_and_positive(op.args[1].value)
    if fn in _QUOTIENTS and isinstance(op.args[1], Const):
        return bool(op.args[1].value == 0)
    if isinstance(fn, Callee | Function):
        return True
    rule = rule_for(fn)
    return rule is not None and rule.form == "elementwise" and fn not in FINITE


def _is_whole_and_positive(value: Any) -> bool:
    return isinstance(value, int | float) and value >= 1 and float(value).is_integer()
