"""The shapes of what loops record, found before the loops run.

An array has the same shape in each iteration if each of its axes is a number, or an axis of an array that was there
before, or is cut out of one by numbers that were. Its lengths are then computed where the tape is made, by operations
that cannot fail: the loop may not run at all.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable

import numpy as np

from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Var
from s2sad.optimise.flow import Flow
from s2sad.runtime import helpers

__all__ = ["Extents", "Recorded"]

Dim = Hashable
#: For each axis what it is known to be as long as.
Lengths = tuple[tuple[Dim, ...], ...]
#: Arithmetic that never fails.
_SAFE = {operator.add, operator.sub, operator.mul, operator.neg, min, max}


class Recorded(Flow):
    """The axes of what some statements record, in what is known of it there.

    ``tried``: whether what records checks that it has these lengths, so that what a check says may be believed all
    over, though that is in a branch, say.
    """

    def __init__(self, function: Function, sites: Iterable[Op], tried: bool) -> None:
        super().__init__(function)
        self.tried = tried
        self.wanted = {id(op) for op in sites}
        self.lengths: dict[int, Lengths] = {}  #: by the identity of the statement
        self.told: dict[Dim, Atom] = {}  #: lengths that have been computed, at some place
        self.run()

    def is_local(self, dim: Dim) -> bool:
        """Whether a dimension is only spoken of in the block of the walk, or may be taken to be."""
        return self.tried or super().is_local(dim)

    def op(self, op: Op) -> None:
        """An operation, which may be one that records."""
        super().op(op)
        if id(op) in self.wanted:
            self.lengths[id(op)] = tuple(map(self.as_long, self.shapes.of(op.args[1])))

    def as_long(self, dim: Dim) -> tuple[Dim, ...]:
        """A dimension, and all that are known to be as long."""
        name = self.shapes.find(dim)
        equal = [d for d in (*self.shapes.same, *self.shapes.tokens) if self.shapes.find(d) == name]
        return tuple(dict.fromkeys((name, dim, *equal)))


class Extents:
    """Puts down lengths at a place where some variables are in sight."""

    def __init__(self, there: set[Var], definitions: dict[Var, Op], recorded: Recorded) -> None:
        self.definitions = definitions
        self.recorded = recorded
        self.shapes = recorded.shapes
        self.there = there
        arrays = [v for v in self.there if isinstance(v.kind, K.Array) and v.kind.rank is not None]
        self.by_token = {v.kind.shape: v for v in sorted(arrays, key=lambda v: v.id)}  # type: ignore[attr-defined]
        self.stmts: list[Stmt] = []
        told = recorded.told.items()
        self.made: dict[Dim, Atom | None] = {d: a for d, a in told if isinstance(a, Const) or a in self.there}

    def sizes(self, lengths: Lengths) -> tuple[Atom, ...] | None:
        """The length of each axis; None if one of them is not known here."""
        mark, before = len(self.stmts), dict(self.made)
        found: list[Atom] = []
        for candidates in lengths:
            size = next((a for d in candidates if (a := self.length(d)) is not None), None)
            if size is None:
                del self.stmts[mark:]
                self.made = before
                return None
            found.append(size)
        self.recorded.told |= {d: a for d, a in self.made.items() if a is not None}
        return tuple(found)

    def length(self, dim: Dim) -> Atom | None:
        """The length of a dimension."""
        if dim not in self.made:
            self.made[dim] = None  # it may be told by itself
            self.made[dim] = self.computed(dim)
        return self.made[dim]

    def computed(self, dim: Dim) -> Atom | None:
        """The length of a dimension, put down."""
        match dim:
            case int():
                return Const(dim)
            case ("axis", ("token", token), int(k)):
                return self.axis(self.by_token.get(token), k)
            case ("axis", Var() as v, int(k)):
                return self.axis(v, k)
            case ("int", (Var() | Const()) as a):
                n = self.number(a)
                return None if n is None else self.emit(max, n, Const(0))
            case ("less", whole, int(cut)):
                n = self.known(whole)
                return None if n is None else self.emit(max, self.emit(operator.sub, n, Const(cut)), Const(0))
            case ("sum", int(number), *parts):
                n = Const(number)
                for part in parts:
                    m = self.known(part)
                    if m is None:
                        return None
                    n = self.emit(operator.add, n, m)
                return n
            case ("slice", whole, Var() | Const() as start, Var() | Const() as stop, Const(None) | Const(1)):
                return self.part(whole, start, stop)
        return None

    def known(self, dim: Dim) -> Atom | None:
        """The length of a dimension, told by it or what it stands for."""
        found = self.length(dim)
        return self.length(self.shapes.find(dim)) if found is None else found

    def axis(self, v: Var | None, k: int) -> Atom | None:
        """``v.shape[k]``"""
        if v is None or v not in self.there or not isinstance(v.kind, K.Array) or v.kind.rank is None:
            return None
        shape = Var("shape", K.Tuple((K.INT,) * v.kind.rank))
        self.stmts.append(Op(shape, np.shape, (v,)))
        return self.emit(operator.getitem, shape, Const(k))

    def part(self, whole: Dim, start: Atom, stop: Atom) -> Atom | None:
        """The length of a slice."""
        n = self.known(whole)
        if n is None:
            return None
        ends: list[Atom] = []
        for end, default in ((start, Const(0)), (stop, n)):
            if end == Const(None):
                ends.append(default)
                continue
            a = self.number(end)
            if a is None:
                return None
            ends.append(self.emit(helpers.within, a, n))
        return self.emit(max, self.emit(operator.sub, ends[1], ends[0]), Const(0))

    def number(self, a: Atom) -> Atom | None:
        """An integer of the loops, computed here."""
        if isinstance(a, Const):
            return a if type(a.value) is int else None
        if not isinstance(a, Var) or a.kind not in (K.INT, K.Scalar("int64")):
            return None
        if a in self.there:
            return a
        op = self.definitions.get(a)
        if op is None or op.kwargs:
            return None
        if op.fn is len or op.fn is operator.getitem:
            return self.known(self.shapes.dim_of(a)) if self.shapes.dim_of(a) != ("int", a) else None
        if op.fn not in _SAFE:
            return None
        args = [self.number(x) for x in op.args]
        known = [x for x in args if x is not None]
        return self.emit(op.fn, *known) if len(known) == len(args) else None

    def emit(self, fn: Callable[..., object], *args: Atom) -> Atom:
        """The integer result of an operation."""
        target = Var("", K.INT)
        self.stmts.append(Op(target, fn, args))
        return target
