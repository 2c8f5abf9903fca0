"""Indices of loops, which need no record.

Before::

    def f(n: int, m: int):
        tape: list[int] = []
        for i in range(0, n):
            for j in range(i, m):
                list_append(tape, i)
        n_1 = n - 1
        m_1 = m - 1
        for k in range(n_1, -1, -1):
            k_1 = k - 1
            for l in range(m_1, k_1, -1):
                t: int = list_pop(tape, -1)
                print(t)
        return n

After::

    def f(n, m):
        for i in range(0, n):
            for j in range(i, m):
                pass
        n_1 = n - 1
        m_1 = m - 1
        for k in range(n_1, -1, -1):
            k_1 = k - 1
            for l in range(m_1, k_1, -1):
                print(k)
        return n

What is popped in a loop was recorded in the one that it reverses. If the ranges are each other's reverse, then so are
the indices. Subscripts are recorded whole where a part of them must be.

Requires: tapes of one part each (:mod:`s2sad.compiled.parts`), and loops around a pop that reverse those around the
append.
Ensures: the same values.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from s2sad.compiled.parts import Tape, find_tapes
from s2sad.ir.nodes import Atom, Block, Const, For, Function, Op, Var, While
from s2sad.ir.rewrite import blocks_of, map_stmts, substitute, walk, with_body

__all__ = ["drop_indices"]

Offset = tuple[Var | None, int]


def drop_indices(function: Function) -> Function:
    """Take indices from the loops of the reverse sweep."""
    tapes = [t for t in find_tapes(function) if isinstance(t.value, Var)]
    if not tapes:
        return function
    mirrors = _Mirrors(function)
    gone: set[int] = set()
    again: dict[Var, Atom] = {}
    for tape in tapes:
        index = mirrors.index(tape)
        if index is not None and tape.pop is not None and tape.pop.target is not None:
            again[tape.pop.target] = index
            gone |= {id(s) for s in (tape.made, tape.append, tape.pop, tape.copy) if s is not None}
    if not gone:
        return function
    body = map_stmts(function.body, lambda s: [] if id(s) in gone else s)
    return with_body(function, substitute(body, again))


class _Mirrors:
    """The loops around each statement, and what they have to do with each other."""

    def __init__(self, function: Function) -> None:
        self.definitions = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}
        self.around: dict[int, tuple[For | While, ...]] = {}
        self.place(function.body, ())

    def place(self, block: Block, loops: tuple[For | While, ...]) -> None:
        """Note where statements are."""
        for s in block.stmts:
            self.around[id(s)] = loops
            for inner in blocks_of(s):
                self.place(inner, (*loops, s) if isinstance(s, For | While) else loops)

    def index(self, tape: Tape) -> Var | None:
        """The index that has the value of what a tape records, where that is popped."""
        there, here = (self.around[id(s)] for s in (tape.append, tape.pop))
        if len(there) != len(here):
            return None
        return dict(self.pairs(there, here)).get(tape.value)  # type: ignore[arg-type]

    def pairs(self, there: tuple[For | While, ...], here: tuple[For | While, ...]) -> Iterator[tuple[Var, Var]]:
        """The indices of loops by those of the loops they reverse, from the outermost inwards."""
        known: dict[Var, Var] = {}
        for a, b in zip(there, here, strict=True):
            if isinstance(a, For) and isinstance(b, For) and self.reverses(b, a, known):
                known[a.index] = b.index
                yield a.index, b.index

    def reverses(self, b: For, a: For, known: dict[Var, Var]) -> bool:
        """Whether one loop has the range of another, from its end to its beginning."""
        if a.has_exit or b.has_exit or a.step not in (Const(1), Const(-1)):
            return False
        step: int = a.step.value  # type: ignore[union-attr]
        ends = [self.offset(a.stop, known, -step), self.offset(a.start, known, -step)]
        return None not in ends and b.step == Const(-step) and ends == [self.offset(x, {}) for x in (b.start, b.stop)]

    def offset(self, a: Atom, known: dict[Var, Var], more: int = 0) -> Offset | None:
        """An integer as a variable and a constant; indices by those that ``known`` has for them."""
        while True:
            match self.definitions.get(a) if isinstance(a, Var) else a:
                case Const(int(c)):
                    return None, c + more
                case Op(fn=operator.add, args=(Var() as b, Const(int(c)))):
                    a, more = b, more + c
                case Op(fn=operator.sub, args=(Var() as b, Const(int(c)))):
                    a, more = b, more - c
                case _:
                    return (known.get(a, a), more) if isinstance(a, Var) else None
