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
from s2sad.ir.nodes import Atom, Block, Const, For, Function, Op, Stmt, Var, While
from s2sad.ir.rewrite import blocks_of
from s2sad.optimise.shapes import Shapes
from s2sad.runtime import helpers

__all__ = ["Extents", "Recorded"]

Dim = Hashable
#: For each axis what it is known to be as long as.
Lengths = tuple[tuple[Dim, ...], ...]
#: Arithmetic that never fails.
_SAFE = {operator.add, operator.sub, operator.mul, operator.neg, min, max}


class Recorded:
    """The axes of what some statements record, in what is known of it there.

    A loop that hands on arrays of the shape it got them in keeps the shape of the first.
    """

    def __init__(self, function: Function, sites: Iterable[Op] = ()) -> None:
        self.wanted = {id(op) for op in sites}
        self.lengths: dict[int, Lengths] = {}  #: by the identity of the statement
        self.firsts: dict[Dim, dict[Dim, None]] = {}  #: for axes of what loops carry, those of what they start with
        self.kept: dict[tuple[Var, ...], set[int]] = {}  #: for the results of a loop, which keep their shapes
        self.told: dict[Dim, Atom] = {}  #: lengths that have been computed, at some place
        self.walks = Shapes(function.params), Shapes(function.params, scoped=False)
        for shapes in self.walks:
            self.visit(function.body, shapes)

    def visit(self, block: Block, shapes: Shapes, loop: For | While | None = None) -> None:
        """A block in order, with what holds in blocks where it was found, or throughout."""
        mark = shapes.mark()
        for s in block.stmts:
            if isinstance(s, Op):
                shapes.note(s)
                if id(s) in self.wanted:
                    self.record(s, shapes)
            for inner in blocks_of(s):
                self.visit(inner, shapes, s if isinstance(s, For | While) and inner is s.body else None)
            if isinstance(s, For | While):
                for k in self.kept.get(s.results, ()):
                    for a, b in zip(shapes.of(s.results[k]), shapes.of(s.inits[k]), strict=True):
                        shapes.unify(a, b)
        if loop is not None:
            self.carried(loop, shapes)
        shapes.forget(mark)

    def carried(self, loop: For | While, shapes: Shapes) -> None:
        """At the end of a loop's body: which of the arrays that it carries have kept their shapes."""
        rows = zip(loop.params, loop.results, loop.inits, loop.body.outs, strict=False)
        for k, (p, r, init, out) in enumerate(rows):
            first = shapes.of(init)
            known = isinstance(p.kind, K.Array) and len(first) == p.kind.rank and not isinstance(init, Const)
            if known and shapes.equal(p, out):
                self.kept.setdefault(loop.results, set()).add(k)
                for v in (p, r):
                    for a, b in zip(shapes.of(v), first, strict=True):
                        self.same(_as_long(shapes, a), _as_long(shapes, b))

    def same(self, later: tuple[Dim, ...], first: tuple[Dim, ...]) -> None:
        """Axes that are as long as others that were there before."""
        for d in later:
            self.firsts.setdefault(d, {}).update(dict.fromkeys(first))

    def record(self, s: Op, shapes: Shapes) -> None:
        """A statement that records."""
        found = tuple(_as_long(shapes, d) for d in shapes.of(s.args[1]))
        before = self.lengths.get(id(s), ((),) * len(found))
        self.lengths[id(s)] = tuple((*a, *b) for a, b in zip(before, found, strict=True))


def _as_long(shapes: Shapes, dim: Dim) -> tuple[Dim, ...]:
    """A dimension, and all that are known to be as long."""
    name = shapes.find(dim)
    equal = [d for d in (*shapes.same, *shapes.tokens) if shapes.find(d) == name]
    return tuple(dict.fromkeys((name, dim, *equal)))


class Extents:
    """Puts down lengths in front of a statement at the top of a function."""

    def __init__(self, function: Function, place: int, definitions: dict[Var, Op], recorded: Recorded) -> None:
        self.definitions = definitions
        self.recorded = recorded
        self.shapes = recorded.walks[1]
        before = function.body.stmts[:place]
        self.there = {*function.params, *(s.target for s in before if isinstance(s, Op) and s.target is not None)}
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
            found = self.computed(dim)
            if found is None:
                firsts = self.recorded.firsts.get(dim, ())
                found = next((a for d in firsts if (a := self.length(d)) is not None), None)
            self.made[dim] = found
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
