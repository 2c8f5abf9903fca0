"""What is recorded, as soon as it is there.

Before::

    def f(x: float, n: int):
        tape: list[float] = []
        for i in range(0, n) carrying (y: float = x):
            a = 0.5 * y
            b = a > 1.0
            if b:
                c: float = y - a
                give c
            else:
                give a
            -> y_1: float
            list_append(tape, y)
            next y_1
        -> z
        return z

After::

    def f(x, n):
        tape = []
        for i in range(0, n) carrying (y = x):
            list_append(tape, y)
            a = 0.5 * y
            b = a > 1.0
            if b:
                c = y - a
                give c
            else:
                give a
            -> y_1
            next y_1
        -> z
        return z

What a loop carries, and records at the end of an iteration, has to live until then beside what takes its name, and a
branch that leaves the loop has to wait for it. So it is recorded at the beginning, or as soon as all is there that is
recorded with it.

Requires: the final form of a derivative; what is recorded comes from no line of the user's, on lists for that alone.
Ensures: the same tapes, in the same order. Arrays that anything is stored into are recorded where they were.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Container, Iterator

from s2sad.analysis.memory import Memory, is_immutable
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, For, Function, Op, Stmt, Var, While
from s2sad.ir.rewrite import blocks_of, targets_of, use_counts, uses_of, walk, with_blocks, with_body

__all__ = ["record_early"]


def record_early(function: Function) -> Function:
    """The function with such appends where what they append is there."""
    tapes = _tapes(function)
    return with_body(function, _Mover(Memory(function), tapes).block(function.body)) if tapes else function


def _tapes(function: Function) -> set[Atom]:
    """The lists that are made empty, of which nothing is asked but to record and to give again, under one name."""
    made: set[Atom] = set()
    uses: Counter[Atom] = Counter()
    for s in walk(function):
        match s:
            case Op(target=Var() as target, fn=prims.make_list, args=()):
                made.add(target)
            case Op(fn=prims.list_append, args=(tape, value), origin=None) if tape != value:
                uses[tape] += 1
            case Op(fn=prims.list_pop | prims.list_copy | builtins.len, args=(tape, *_)):
                uses[tape] += 1
    counts = use_counts(function)
    return {tape for tape in made if isinstance(tape, Var) and counts.get(tape) == uses[tape]}


class _Mover:
    """Moves what records."""

    def __init__(self, memory: Memory, tapes: set[Atom]) -> None:
        self.memory = memory
        self.tapes = tapes

    def block(self, block: Block, carried: Container[Atom] = ()) -> Block:
        """A block, and those in it."""
        stmts = list(map(self.stmt, block.stmts))
        places = self.places(stmts, carried) if any(map(self.records, stmts)) else {}
        order = sorted(range(len(stmts)), key=lambda k: (places.get(k, k), k not in places, k))
        return Block(tuple(stmts[k] for k in order), block.outs)

    def stmt(self, s: Stmt) -> Stmt:
        """A statement with the blocks in it."""
        *before, last = blocks_of(s) or (None,)
        carried = s.params if isinstance(s, For | While) else ()
        return s if last is None else with_blocks(s, (*map(self.block, before), self.block(last, carried)))

    def records(self, s: Stmt) -> bool:
        """Whether a statement puts something on a tape."""
        return isinstance(s, Op) and s.fn is prims.list_append and s.args[0] in self.tapes

    def places(self, stmts: list[Stmt], carried: Container[Atom]) -> dict[int, int]:
        """The statements to be moved, each with that which it goes before."""
        found: dict[int, int] = {}
        behind: dict[Atom, int] = {}  #: the first place where a variable is there, and a tape may be appended to
        for k, s in enumerate(stmts):
            if self.records(s):
                tape, value = uses_of(s)
                made = stmts[k - 1] if k else None
                is_packed = isinstance(made, Op) and made.fn is prims.make_tuple and made.target is value
                values = uses_of(made) if made is not None and is_packed else (value,)
                place = max((behind.get(a, 0) for a in (tape, *values)), default=0)
                if any(a in carried for a in values) and all(map(self.stays, values)):
                    if place < k - is_packed:
                        found |= dict.fromkeys(range(k - is_packed, k + 1), place)
                    behind[tape] = place
                    continue
            for a in (*targets_of(s), *self.tapes_in(s)):
                behind[a] = k + 1
        return found

    def stays(self, a: Atom) -> bool:
        """Whether a value is the same throughout."""
        if not isinstance(a, Var) or is_immutable(a.kind):
            return True
        return self.memory.of(a) not in self.memory.written and not self.memory.opaque

    def tapes_in(self, s: Stmt) -> Iterator[Atom]:
        """The tapes that a statement has to do with, at any depth."""
        for inner in walk(Block((s,))):
            yield from (a for a in uses_of(inner) if a in self.tapes)
