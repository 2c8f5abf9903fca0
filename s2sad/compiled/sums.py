"""Integers as sums of lengths, loop indices and numbers.

``i + n - 1`` of ``n = x.shape[0]`` is ``{i: 1, ("axis", x, 0): 1, None: -1}``: of what nothing simpler is known stands
for itself, and so does the length of an axis. Arrays of one shape have one symbol for it
(:mod:`s2sad.optimise.flow`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from s2sad.analysis.effects import WRITES
from s2sad.analysis.inequalities import Linear, added, combined, less, scaled
from s2sad.analysis.memory import Memory
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Ref, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import walk
from s2sad.optimise.flow import shapes_through

__all__ = ["Sums", "is_integer", "is_length", "number_in", "resized_by", "symbols_of", "terms_of"]


class Sums:
    """The integers of a function."""

    def __init__(self, function: Function) -> None:
        self.memory = Memory(function)
        self.shapes = shapes_through(function, self.memory)
        statements = list(walk(function))
        self.makers = {s.target: s for s in statements if isinstance(s, Op) and s.target is not None}
        self.resized = {self.memory.of(a) for a in map(resized_by, statements) if a is not None}
        self.resized |= self.memory.changed_by_calls
        self.measures: dict[Any, dict[tuple[Var, int], None]] = {}  #: what has a length that a symbol stands for

    def length(self, base: Var, axis: int) -> Linear:
        """The length of an axis."""
        shape = self.shapes.get(base)
        known = isinstance(base.kind, K.Array) and shape is not None and axis < len(shape)
        own: Linear = {("axis", base, axis): 1}
        length = self.of_dim(shape[axis]) if known else own  # type: ignore[index]
        if len(length) == 1:
            (symbol,) = length
            if symbol is not None and is_length(symbol):
                self.measures.setdefault(symbol, {})[base, axis] = None
        return length

    def of_dim(self, dim: Any) -> Linear:
        """A dimension as a sum."""
        match dim:
            case int():
                return {None: dim}
            case ("int", a) if is_integer(a):
                return self.linear(a)
            case ("sum", int(n), *parts):
                total: Linear = {None: n}
                for part in parts:
                    total = added(total, self.of_dim(part))
                return total
        return {dim: 1}

    def linear(self, a: Atom) -> Linear:
        """An integer as a sum of lengths and of variables of which nothing simpler is known."""
        if isinstance(a, Const):
            return {None: int(a.value)}
        op = self.makers.get(a) if isinstance(a, Var) else None
        if op is None:
            return {a: 1}
        if op.fn in (operator.add, operator.sub, operator.mul, operator.neg) and all(map(is_integer, op.args)):
            total = combined(op.fn, *map(self.linear, op.args))
            return {a: 1} if total is None else total
        if op.fn is prims.identity and is_integer(op.args[0]):
            return self.linear(op.args[0])
        return self.of_measure(a, op)  # type: ignore[arg-type]

    def of_measure(self, a: Var, op: Op) -> Linear:
        """A number that is the length of something."""
        match op:
            case Op(fn=f, args=(Var(kind=K.Array()) as of,)) if f is len:
                return self.length(of, 0)
            case Op(fn=f, args=(Var(kind=K.List()) as of,)) if f is len and self.is_measured(of):
                return self.length(of, 0)
            case Op(fn=operator.getitem, args=(Var() as shape, Const(int(k)))):
                made = self.makers.get(shape)
                whole = made.args[0] if made is not None and _is_shape(made) else None
                rank = K.rank_of(whole.kind) if isinstance(whole, Var) and isinstance(whole.kind, K.Array) else None
                if isinstance(whole, Var) and rank is not None and -rank <= k < rank:
                    return self.length(whole, k % rank)
        return {a: 1}

    def by_nature(self, symbol: Any) -> Iterator[Linear]:
        """What is known of a symbol by what it is."""
        me: Linear = {symbol: 1}
        if is_length(symbol):  # a length
            yield me
            if isinstance(symbol, tuple) and symbol[0] == "less" and isinstance(symbol[2], int):
                yield added(me, scaled(added(self.of_dim(symbol[1]), {None: -symbol[2]}), -1))
            return
        match self.makers.get(symbol) if isinstance(symbol, Var) else None:
            case Op(fn=operator.floordiv, args=(a, Const(int(c)))) if c > 0 and is_integer(a):
                rest = added(self.linear(a), scaled(me, -c))
                yield from (rest, less(rest, {None: c}))
            case Op(fn=operator.mod, args=(a, n)) if is_integer(a) and is_integer(n):
                length = self.linear(n)
                lengths = all(k > 0 and is_length(s) for s, k in terms_of(length).items())
                if lengths and number_in(length) >= 0:  # where that is zero, it raises
                    yield from (me, less(me, length))
            case Op(fn=f, args=(a, b), kwargs=()) if f in (min, max) and is_integer(a) and is_integer(b):
                for other in map(self.linear, (a, b)):
                    yield added(scaled(me, 1 if f is max else -1), scaled(other, -1 if f is max else 1))
            case Op(fn=f, args=(Var(kind=K.Array(rank=1)) as x,), kwargs=()) if f in (np.argmax, np.argmin):
                yield from (me, less(me, self.length(x, 0)))

    def is_timed(self, v: Var) -> bool:
        """Whether all that makes a list longer or shorter is in sight, if anything does."""
        return self.memory.of(v) not in self.memory.changed_by_calls

    def is_measured(self, v: Var) -> bool:
        """Whether something is as long all the time as it was made."""
        return not isinstance(v.kind, K.List) or self.memory.of(v) not in self.resized


def resized_by(s: Stmt) -> Atom | None:
    """The list that a statement by itself may make longer or shorter."""
    match s:
        case Op(fn=f, args=args) if f in WRITES and isinstance(kind_of(args[WRITES[f]]), K.List):
            return args[WRITES[f]]
        case Store(obj=obj, index=index) if isinstance(kind_of(obj), K.List) and not is_integer(index):
            return obj
    return None


def is_integer(a: Atom) -> bool:
    kind = kind_of(a)
    return isinstance(kind, K.Scalar) and kind.dtype.startswith(("int", "uint"))


def _is_shape(op: Op) -> bool:
    return op.fn is np.shape or (op.fn is prims.getattr_ and op.args[1] == Const("shape"))


def is_length(symbol: Any) -> bool:
    """Whether a symbol stands for the length of something."""
    return not isinstance(symbol, Var | Ref)


def terms_of(e: Linear) -> Linear:
    """A sum without its number."""
    return {symbol: k for symbol, k in e.items() if symbol is not None and k != 0}


def number_in(e: Linear) -> int:
    """The number in a sum."""
    return e.get(None, 0)


def symbols_of(*sums: Linear) -> list[Any]:
    """The symbols of sums."""
    return [symbol for e in sums for symbol in terms_of(e)]
