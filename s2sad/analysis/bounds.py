"""Bounds: between which numbers the elements of a value are, where the program says so.

::

    e = np.exp(x - np.max(x))         # from 0 to 1
    p = e / np.sum(e)                 # from 0 to 1: the greatest element of e is 1, so the sum is at least that
    s = np.log(p + 1e-12)             # finite

Requires: nothing of the IR but that each value has one definition.
Ensures: every element that is no NaN is within the bounds. Of what is stored into, and of what loops carry, nothing is
said.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from s2sad.analysis.memory import Memory
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Const, Function, If, Op, Var
from s2sad.ir.rewrite import blocks_of

__all__ = ["ANYTHING", "Bounds", "Interval"]

Interval: TypeAlias = tuple[float, float]

ANYTHING: Interval = (-math.inf, math.inf)
_NO_LESS: Interval = (0.0, math.inf)


class Bounds:
    """The bounds of the values of a function."""

    def __init__(self, function: Function, memory: Memory) -> None:
        self.memory = memory
        self.made: dict[Var, Op] = {}
        self.found: dict[Var, Interval] = {}
        self._block(function.body)

    def of(self, a: Atom) -> Interval:
        """The least and the greatest number that an operand may be, or hold."""
        match a:
            case Const(bool() | int() | float() as value) if math.isfinite(value):
                return float(value), float(value)
            case Var() if self.lasts(a):
                return self.found.get(a, ANYTHING)
        return ANYTHING

    def lasts(self, a: Atom) -> bool:
        """Whether an operand is a number, or an array that is as it was made."""
        if not isinstance(a, Var) or not isinstance(a.kind, K.Scalar | K.Array) or not _is_real(a.kind.dtype):
            return False
        return self.memory.of(a) not in self.memory.written

    def maker(self, a: Atom) -> Op | None:
        """What made an operand that is as it was made."""
        return self.made.get(a) if isinstance(a, Var) and self.lasts(a) else None

    def _block(self, block: Block) -> None:
        for s in block.stmts:
            for inner in blocks_of(s):
                self._block(inner)
            match s:
                case Op(target=Var() as target):
                    self.made[target] = s
                    self._note(target, _of_op(self, s))
                case If(then=then, orelse=orelse, results=results):
                    for r, a, b in zip(results, then.outs, orelse.outs, strict=True):
                        self._note(r, _hull(self.of(a), self.of(b)))

    def _note(self, v: Var, bounds: Interval) -> None:
        if bounds != ANYTHING:
            self.found[v] = bounds


def _is_real(dtype: str) -> bool:
    """Whether numbers of a type are real, do not wrap around, and are not rounded to zero above 1e-12."""
    return dtype in ("bool", "int", "float", "float32", "float64")


def _of_op(known: Bounds, op: Op) -> Interval:
    try:
        rule = _RULES.get(op.fn)
    except TypeError:  # unhashable: the user's
        return ANYTHING
    return ANYTHING if rule is None else rule(known, op)


def _hull(*parts: Interval) -> Interval:
    return min(low for low, _ in parts), max(high for _, high in parts)


# ---------------------------------------------------------------- element by element


_Rule: TypeAlias = Callable[[Bounds, Op], Interval]


def _of_one(f: Callable[[Interval], Interval]) -> _Rule:
    return lambda known, op: ANYTHING if len(op.args) != 1 or op.kwargs else f(known.of(op.args[0]))


def _of_two(f: Callable[[Interval, Interval], Interval]) -> _Rule:
    return lambda known, op: ANYTHING if len(op.args) != 2 or op.kwargs else f(*map(known.of, op.args))


def _rising(f: Callable[[float], float], least: float, greatest: float = math.inf) -> _Rule:
    """A function that grows, with the limits of its values."""

    def at(x: float) -> float:
        try:
            return f(x)
        except (ValueError, OverflowError):
            return least if x <= 0 else greatest

    return _of_one(lambda x: (max(at(x[0]), least), min(at(x[1]), greatest)))


def _magnitude(x: Interval) -> Interval:
    low, high = sorted(map(abs, x))
    return (0.0 if x[0] <= 0.0 <= x[1] else low), high


def _sum(x: Interval, y: Interval) -> Interval:
    return x[0] + y[0], x[1] + y[1]


def _negative(x: Interval) -> Interval:
    return -x[1], -x[0]


def _product(x: Interval, y: Interval) -> Interval:
    ends = [a * b if a and b else 0.0 for a in x for b in y]  # an infinite bound stands for any number
    return min(ends), max(ends)


def _inverse(x: Interval) -> Interval:
    if x[0] > 0.0 or x[1] < 0.0:
        return 1.0 / x[1], 1.0 / x[0]
    return _NO_LESS if x[0] == 0.0 else (-math.inf, 0.0) if x[1] == 0.0 else ANYTHING


def _multiplied(known: Bounds, op: Op) -> Interval:
    if len(op.args) != 2 or op.kwargs:
        return ANYTHING
    x, y = map(known.of, op.args)
    return _power_of(x, 2) if op.args[0] == op.args[1] and isinstance(op.args[0], Var) else _product(x, y)


def _power_of(x: Interval, n: float) -> Interval:
    """The bounds of a power with a whole number as its exponent."""
    low, high = _magnitude(x) if n % 2 == 0 else x
    try:
        return (low ** n if math.isfinite(low) else low), (high ** n if math.isfinite(high) else high)
    except OverflowError:
        return (0.0 if n % 2 == 0 else -math.inf), math.inf


def _power(known: Bounds, op: Op) -> Interval:
    match op.args:
        case (x, Const(bool() | int() | float() as n)) if not op.kwargs and n >= 1 and n == int(n):
            return _power_of(known.of(x), n)
        case (x, _) if known.of(x)[0] > 0.0:
            return _NO_LESS
    return ANYTHING


def _difference(known: Bounds, op: Op) -> Interval:
    """``a - np.max(a)`` is no greater than zero."""
    if len(op.args) != 2 or op.kwargs:
        return ANYTHING
    low, high = _sum(known.of(op.args[0]), _negative(known.of(op.args[1])))
    return (low, min(high, 0.0)) if _less_its_greatest(known, op) is not None else (low, high)


def _less_its_greatest(known: Bounds, op: Op | None) -> Op | None:
    """The maximum that is subtracted from what it is that of; along the same axes."""
    if op is None or op.fn not in _SUBTRACTS or len(op.args) != 2 or not known.lasts(op.args[0]):
        return None
    made = known.maker(op.args[1])
    if made is None or made.fn is not np.max or made.args[:1] != op.args[:1]:
        return None
    named = dict(made.kwargs)
    if named.keys() - {"axis", "keepdims"} or len(made.args) > 1:
        return None
    return made if named.get("axis", Const(None)) == Const(None) or named.get("keepdims") == Const(True) else None


# ---------------------------------------------------------------- reductions, and parts of arrays


def _first(known: Bounds, op: Op) -> Interval:
    """Nothing but elements of the first operand."""
    named = {name for name, _ in op.kwargs}
    return ANYTHING if not op.args or named - {"axis", "keepdims", "order"} else known.of(op.args[0])


def _total(known: Bounds, op: Op) -> Interval:
    """A sum of numbers of one sign; of ``np.exp(a - np.max(a))`` it has one for the greatest."""
    low, high = _first(known, op)
    if low >= 0.0:
        return (1.0 if _has_a_one(known, op) else 0.0), math.inf
    return (-math.inf, 0.0) if high <= 0.0 else ANYTHING


def _has_a_one(known: Bounds, total: Op) -> bool:
    exponential = known.maker(total.args[0])
    if exponential is None or exponential.fn not in _EXPONENTIALS or len(exponential.args) != 1:
        return False
    greatest = _less_its_greatest(known, known.maker(exponential.args[0]))
    if greatest is None or len(total.args) > 1:
        return False
    along = [dict(op.kwargs).get("axis", Const(None)) for op in (greatest, total)]
    return along[0] == along[1] and isinstance(along[0], Const)


def _part(known: Bounds, op: Op) -> Interval:
    return known.of(op.args[0]) if isinstance(getattr(op.args[0], "kind", None), K.Array) else ANYTHING


def _chosen(known: Bounds, op: Op) -> Interval:
    return _hull(*map(known.of, op.args[1:])) if len(op.args) == 3 and not op.kwargs else ANYTHING


_SUBTRACTS: set[Any] = {operator.sub, np.subtract}
_EXPONENTIALS: set[Any] = {np.exp, math.exp}
_NEVER_NEGATIVE = (len, np.size, np.var, np.std, np.linalg.norm, math.hypot, np.hypot, math.dist)
_WITHIN_ONE = (np.sin, np.cos, np.tanh, math.sin, math.cos, math.tanh)
_SAME = (
    *(np.max, np.min, np.mean, np.copy, np.array, np.asarray, np.reshape, np.ravel, np.transpose, np.expand_dims),
    *(np.squeeze, np.sort, np.flip, np.swapaxes, np.moveaxis, float, np.float64),
)
_RULES: dict[Any, _Rule] = {
    **dict.fromkeys(_NEVER_NEGATIVE, lambda known, op: _NO_LESS),
    **dict.fromkeys(_WITHIN_ONE, lambda known, op: (-1.0, 1.0)),
    **dict.fromkeys(_SAME, _first),
    **dict.fromkeys((operator.add, np.add), _of_two(_sum)),
    **dict.fromkeys(_SUBTRACTS, _difference),
    **dict.fromkeys((operator.mul, np.multiply), _multiplied),
    **dict.fromkeys((operator.truediv, np.divide), _of_two(lambda x, y: _product(x, _inverse(y)))),
    **dict.fromkeys((operator.pow, np.power), _power),
    **dict.fromkeys((operator.neg, np.negative), _of_one(_negative)),
    **dict.fromkeys((abs, np.absolute, math.fabs), _of_one(_magnitude)),
    **dict.fromkeys((np.maximum, np.fmax), _of_two(lambda x, y: (max(x[0], y[0]), max(x[1], y[1])))),
    **dict.fromkeys((np.minimum, np.fmin), _of_two(lambda x, y: (min(x[0], y[0]), min(x[1], y[1])))),
    **dict.fromkeys(_EXPONENTIALS, _rising(math.exp, 0.0)),
    **dict.fromkeys((np.sqrt, math.sqrt), _rising(math.sqrt, 0.0)),
    **dict.fromkeys((np.log, math.log), _rising(math.log, -math.inf)),
    **dict.fromkeys((np.log1p, math.log1p), _rising(math.log1p, -math.inf)),
    np.square: _of_one(lambda x: _power_of(x, 2)),
    np.sum: _total,
    np.where: _chosen,
    operator.getitem: _part,
}
