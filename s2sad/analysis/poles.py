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

from s2sad.analysis.bounds import Bounds
from s2sad.analysis.memory import Class, Memory
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Callee, Const, For, Function, If, Op, Store, Var, While, With, kind_of
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
_EXPONENTIALS: set[Any] = {np.exp, np.exp2, np.expm1, math.exp, math.expm1}
#: Those with a pole at zero.
_AT_ZERO: set[Any] = {np.log, np.log2, np.log10, np.sqrt, math.log, math.log2, math.log10, math.sqrt}
_AT_MINUS_ONE: set[Any] = {np.log1p, math.log1p}
#: Numbers that are at least so large have quotients, and exponents that are at most so large have powers of e, whose
#: squares are finite in single precision too.
_APART, _MODERATE = 1e-12, 40.0


class Poles:
    """The values of a function that may not be finite."""

    def __init__(self, function: Function, memory: Memory) -> None:
        self.memory = memory
        self.bounds = Bounds(function, memory)
        self.found: set[Var] = set()
        self.classes: set[Class] = set()
        while self._go_over(function):
            pass

    def may_meet(self, a: Atom) -> bool:
        """Whether a value may be infinite, or NaN."""
        return isinstance(a, Var) and (a in self.found or self.memory.of(a) in self.classes)

    def in_partial(self, op: Op, partial: Atom) -> bool:
        """Whether a partial of an element-wise operation may be infinite, or NaN, and not for all elements alike."""
        return self.makes(op) or any(
            not isinstance(kind_of(a), K.Scalar) and self.may_meet(a)
            for a in ((partial,) if partial in op.args else op.args)
        )

    def makes(self, op: Op) -> bool:
        """Whether an operation may give what is not finite of what is: a quotient, a logarithm, an exponential."""
        match op:
            case Op(fn=fn, args=(x, n), kwargs=()) if fn in _POWERS:
                return not _is_whole_and_positive(n) and not (_is_moderate(n) and self.is_apart(x))
            case Op(fn=fn, args=(_, y), kwargs=()) if fn in _QUOTIENTS:
                return not self.is_apart(y)
            case Op(fn=fn, args=(x,), kwargs=()) if fn in _EXPONENTIALS:
                return self.bounds.of(x)[1] > _MODERATE
            case Op(fn=fn, args=(x,), kwargs=()) if fn in _AT_ZERO:
                return self.bounds.of(x)[0] < _APART
            case Op(fn=fn, args=(x,), kwargs=()) if fn in _AT_MINUS_ONE:
                return self.bounds.of(x)[0] < 0.0
        if isinstance(op.fn, Callee | Function):
            return True
        rule = rule_for(op.fn)
        return rule is not None and rule.form == "elementwise" and op.fn not in FINITE

    def is_apart(self, a: Atom) -> bool:
        """Whether a value is known to be apart from zero."""
        if isinstance(a, Const) and isinstance(a.value, int | float):
            return a.value != 0
        low, high = self.bounds.of(a)
        return low >= _APART or high <= -_APART

    def _go_over(self, function: Function) -> bool:
        before = len(self.found), len(self.classes)
        for s in walk(function):
            match s:
                case Op(target=Var() as target, args=args) if _is_floating(target.kind):
                    if self.makes(s) or any(map(self.may_meet, (*args, *(a for _, a in s.kwargs)))):
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


def _is_whole_and_positive(n: Atom) -> bool:
    value = n.value if isinstance(n, Const) else None
    return isinstance(value, int | float) and value >= 1 and float(value).is_integer()


def _is_moderate(n: Atom) -> bool:
    return isinstance(n, Const) and isinstance(n.value, int | float) and -2 <= n.value <= 2
