"""One tape for what is recorded together.

Before::

    def f(x: float, n: int):
        a_tape: list[float] = []
        b_tape: list[float] = []
        for i in range(0, n) carrying (y: float = x):
            a = math.sin(y)
            b = math.cos(y)
            list_append(a_tape, a)
            c = a * b
            list_append(b_tape, b)
            next c
        -> z
        for j in range(0, n) carrying (bz: float = 1.0):
            b_1: float = list_pop(b_tape, -1)
            a_1: float = list_pop(a_tape, -1)
            d = b_1 - a_1
            u = d * bz
            next u
        -> w
        return w

After::

    def f(x, n):
        tape = []
        for i in range(0, n) carrying (y = x):
            a = math.sin(y)
            b = math.cos(y)
            c = a * b
            t = (a, b)
            list_append(tape, t)
            next c
        -> z
        for j in range(0, n) carrying (bz = 1.0):
            t_1 = list_pop(tape, -1)
            a_1 = t_1[0]
            b_1 = t_1[1]
            d = b_1 - a_1
            u = d * bz
            next u
        -> w
        return w

A tape is a list that is appended to in one place and popped in one other. Those that are made in
one block, appended to in one and popped in one, with no loop or branch in between, grow and shrink
as one.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from s2sad.ir import prims
from s2sad.ir.kinds import List, Tuple
from s2sad.ir.nodes import Atom, Block, Const, Function, Op, Stmt, Var, kind_of
from s2sad.ir.rewrite import blocks_of, map_stmts, substitute, uses_of, with_body

__all__ = ["merge_tapes"]


def merge_tapes(function: Function) -> Function:
    """Make one tape of those that are written and read together."""
    finder = _Finder()
    finder.block(function.body)
    groups: dict[tuple[int, ...], list[_Tape]] = {}
    for tape in finder.tapes.values():
        if tape.is_plain:
            groups.setdefault((tape.made, *(place for place, _, _ in tape.uses)), []).append(tape)
    replaced: dict[int, tuple[Stmt, ...]] = {}
    again: dict[Var, Atom] = {}
    for tapes in groups.values():
        if len(tapes) > 1:
            replaced |= _joined(tapes, again)
    if not replaced:
        return function
    body = map_stmts(function.body, lambda s: replaced.get(id(s), s))
    return with_body(function, substitute(body, again) if again else body)


@dataclass(slots=True)
class _Tape:
    """A list: where it is made, and each append and pop with where it is and how many statements come before."""

    maker: Op
    made: int
    uses: list[tuple[int, int, Op]] = field(default_factory=list)
    other: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it is a tape: first there is an append, then in another place a pop, and nothing else."""
        if self.other or len(self.uses) != 2:
            return False
        (written, _, append), (read, _, pop) = self.uses
        return append.fn is prims.list_append and pop.fn is prims.list_pop and written != read

    @property
    def value(self) -> Atom:
        """What is recorded."""
        return self.uses[0][2].args[1]

    def statements(self) -> Iterator[Op]:
        """All that is done with it."""
        yield self.maker
        for _, _, op in self.uses:
            yield op

    @property
    def read(self) -> Var:
        """The variable that takes it in the reverse sweep."""
        target = self.uses[1][2].target
        assert target is not None
        return target


class _Finder:
    """Numbers the stretches of straight code, and notes what happens to lists in each."""

    def __init__(self) -> None:
        self.tapes: dict[Atom, _Tape] = {}
        self.stretches = count()
        self.here = 0
        self.statements = 0

    def block(self, block: Block) -> None:
        """A block: each statement with blocks ends a stretch."""
        self.here = next(self.stretches)
        for s in block.stmts:
            self.statements += 1
            if type(s) is Op:
                self.op(s)
                continue
            self.others(uses_of(s))
            if inner := blocks_of(s):
                for b in inner:
                    self.block(b)
                self.here = next(self.stretches)
        self.others(block.outs)

    def op(self, op: Op) -> None:
        """An operation."""
        if op.fn is prims.make_list and not op.args and op.target is not None:
            self.tapes[op.target] = _Tape(op, self.here)
            return
        tape = self.tapes.get(op.args[0]) if op.args else None
        appends = op.fn is prims.list_append and op.target is None
        pops = op.fn is prims.list_pop and op.args[1:] in ((), (Const(-1),)) and op.target is not None
        if tape is not None and (appends or pops):
            tape.uses.append((self.here, self.statements, op))
            self.others(op.args[1:])
        else:
            self.others(uses_of(op))

    def others(self, atoms: tuple[Atom, ...]) -> None:
        """Any other use."""
        for a in atoms:
            if type(a) is Var and (tape := self.tapes.get(a)) is not None:
                tape.other = True


def _joined(tapes: list[_Tape], again: dict[Var, Atom]) -> dict[int, tuple[Stmt, ...]]:
    """The statements of some tapes, replaced by those of one of tuples: made first, appended to last, popped first.

    What was recorded twice is recorded once; ``again`` tells the second by the first.
    """
    everything = sorted(tapes, key=lambda t: t.uses[0][1])
    distinct: dict[Atom, _Tape] = {}
    for t in everything:
        if distinct.setdefault(t.value, t) is not t:
            again[t.read] = distinct[t.value].read
    if len(distinct) == 1:
        return _only_first(everything)
    tapes = list(distinct.values())
    kind = Tuple(tuple(kind_of(t.value) for t in tapes))
    tape, written, read = Var("tape", List(kind)), Var("t", kind), Var("t", kind)
    replaced: dict[int, tuple[Stmt, ...]] = {id(s): () for t in everything for s in t.statements()}
    replaced[id(everything[0].maker)] = (Op(tape, prims.make_list, ()),)
    replaced[id(everything[-1].uses[0][2])] = (
        Op(written, prims.make_tuple, tuple(t.value for t in tapes)),
        Op(None, prims.list_append, (tape, written)),
    )
    first = min((t.uses[1] for t in everything), key=lambda use: use[1])
    items = (Op(t.read, operator.getitem, (read, Const(k))) for k, t in enumerate(tapes))
    replaced[id(first[2])] = (Op(read, prims.list_pop, (tape, Const(-1))), *items)
    return replaced


def _only_first(tapes: list[_Tape]) -> dict[int, tuple[Stmt, ...]]:
    """Tapes of one value: the first of them is enough, read as early as any was."""
    replaced: dict[int, tuple[Stmt, ...]] = {id(s): () for t in tapes for s in t.statements()}
    pop = tapes[0].uses[1][2]
    for s in (tapes[0].maker, tapes[0].uses[0][2]):
        replaced[id(s)] = (s,)
    replaced[id(min((t.uses[1] for t in tapes), key=lambda use: use[1])[2])] = (pop,)
    return replaced
