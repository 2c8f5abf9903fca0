"""Loops that take from a list what an earlier one put there: as many rounds as it has items.

Before::

    def f(x: float, m: float):
        tape: list[float] = []
        while carrying (y: float = x, n: int = 0):
            a = y < m
            test a
        do:
            n_1 = n + 1
            list_append(tape, y)
            z = y * y
            next z, n_1
        -> w, k
        last = k - 1
        for j in range(last, -1, -1) carrying (bw: float = 1.0):
            y_1: float = list_pop(tape, -1)
            u = y_1 * bw
            next u
        -> v
        return v

After::

    def f(x, m):
        tape = []
        while carrying (y = x):
            a = y < m
            test a
        do:
            list_append(tape, y)
            z = y * y
            next z
        -> w
        t = len(tape)
        for j in range(0, t) carrying (bw = 1.0):
            y_1 = list_pop(tape, -1)
            u = y_1 * bw
            next u
        -> v
        return v

Nothing has to count what the list holds, and the text may go over the list itself (:mod:`s2sad.backend.drained`).

Requires: the last passes over the derivative have run, and loops still say which they reverse.
Ensures: the same iterations. Those whose index is read stay as they are.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace

from s2sad.analysis.rounds import counters_of
from s2sad.ir import prims
from s2sad.ir.kinds import INT
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Stmt, Var, While, With
from s2sad.ir.rewrite import blocks_of, definitions, map_stmts, use_counts, uses_of, walk, with_body
from s2sad.optimise.dead import dead_code

__all__ = ["go_by_what_is_there"]

_ONE, _DOWN = Const(1), Const(-1)


def go_by_what_is_there(function: Function) -> Function:
    """The function with loops over as many rounds as a list has items, of those that take all of them."""
    if not any(isinstance(s, For) and s.step == _DOWN for s in walk(function)):
        return function
    lists = _Lists(function)

    def change(s: Stmt) -> Stmt | tuple[Stmt, ...]:
        if not isinstance(s, For) or (tape := lists.taken_by(s)) is None:
            return s
        length = Var("", INT)
        loop = replace(s, start=Const(0), stop=length, step=_ONE, reverses=None)
        return Op(length, len, (tape,)), loop

    body = map_stmts(function.body, change)
    return function if body is function.body else dead_code(with_body(function, body))


@dataclass(frozen=True)
class _Use:
    """A statement that has to do with a list, and the blocks and loops around it, from the outermost."""

    stmt: Op
    around: tuple[Stmt, ...]


class _Lists:
    """Which lists are filled by one loop, and emptied by another."""

    def __init__(self, function: Function) -> None:
        self.made = definitions(function)
        self.counts = use_counts(function)
        self.uses: dict[Atom, list[_Use]] = {}
        self.places: dict[Atom, tuple[Stmt, ...]] = {}
        self.loops: dict[Var, tuple[Stmt, ...]] = {}  #: what is around a loop, by its index
        self.collect(function.body, ())

    def collect(self, block: Block, around: tuple[Stmt, ...]) -> None:
        """Note what is done with lists in a block."""
        for s in block.stmts:
            if isinstance(s, For):
                self.loops[s.index] = around
            if isinstance(s, Op) and s.fn in (prims.make_list, prims.list_copy):
                self.places[s.target or s.args[0]] = around
            for a in uses_of(s):
                if a in self.places:
                    self.uses.setdefault(a, []).append(_Use(s if isinstance(s, Op) else Op(None, len, (a,)), around))
            for inner in blocks_of(s):
                self.collect(inner, (*around, s))
                for a in inner.outs:
                    if a in self.places:
                        self.uses.setdefault(a, []).append(_Use(Op(None, len, (a,)), around))

    def taken_by(self, loop: For) -> Atom | None:
        """The list of which a loop takes all items, one in each iteration; None if there is none."""
        if loop.step != _DOWN or loop.has_exit or self.counts.get(loop.index):
            return None
        pops = (s for s in loop.body.stmts if isinstance(s, Op) and s.fn is prims.list_pop and s.args[1] == _DOWN)
        return next((s.args[0] for s in pops if self.is_emptied(s.args[0], loop)), None)

    def is_emptied(self, tape: Atom, loop: For) -> bool:
        """Whether a list holds an item for each iteration of a loop, and nothing else is done with it."""
        uses = self.uses.get(tape, [])
        maker = self.made.get(tape) if isinstance(tape, Var) else None
        if not isinstance(maker, Op) or tape not in self.places or not self.runs_once(loop, self.places[tape]):
            return False
        if maker.fn is prims.list_copy:
            source = maker.args[0]
            uses = [use for use in self.uses.get(source, []) if use.stmt is not maker] + uses
            maker = self.made.get(source) if isinstance(source, Var) else None
        if not isinstance(maker, Op) or maker.fn is not prims.make_list or maker.args or len(uses) != 2:
            return False
        filled, emptied = uses
        if filled.stmt.fn is not prims.list_append or emptied.stmt.fn is not prims.list_pop:
            return False
        match filled.around:
            case (*outer, For() | While() as before) if tuple(outer) == self.places[maker.target or tape]:
                return any(s is filled.stmt for s in before.body.stmts) and self.reverses(loop, before)
        return False

    def runs_once(self, loop: For, place: tuple[Stmt, ...]) -> bool:
        """Whether a loop is reached at most once where a list is made there."""
        around = self.loops[loop.index]
        return around[: len(place)] == place and all(isinstance(s, If | With) for s in around[len(place) :])

    def reverses(self, loop: For, other: For | While) -> bool:
        """Whether a loop has as many iterations as another had."""
        if isinstance(other, For) and loop.reverses is other.index:
            return not other.has_exit
        last = self.made.get(loop.start) if isinstance(loop.start, Var) else None
        match last:
            case Op(fn=operator.sub, args=(count, Const(1))) if loop.stop == _DOWN:
                return any(count is r for r in counters_of(other))
        return False
