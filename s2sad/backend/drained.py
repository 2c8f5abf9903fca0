"""Loops over a list from its end, in place of loops that take its items from there.

::

    for k in range(len(tape)):              for x in reversed(tape):
        x = tape.pop()              =>          b = x * b
        b = x * b

Where nothing else has to do with the list from there on, it does not matter whether it is empty afterwards. A copy that
was made to be emptied need not be made if what it is a copy of is full by then, and never changes again.
"""

from __future__ import annotations

import builtins
from collections import Counter
from dataclasses import replace

from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Function, Op, Stmt, Var, While
from s2sad.ir.rewrite import blocks_of, use_counts, walk, with_blocks, with_body

__all__ = ["over_items"]


def over_items(function: Function) -> Function:
    """The function with such loops."""
    if not any(isinstance(s, Op) and s.fn is prims.list_pop for s in walk(function)):
        return function
    return with_body(function, _Drainer(function).block(function.body, ()))


class _Drainer:
    """Walks a function with what is known of its lists."""

    def __init__(self, function: Function) -> None:
        self.uses: Counter[Atom] = Counter(use_counts(function))
        self.made: dict[Atom, tuple[Op, tuple[Stmt, ...]]] = {}  #: where a list is made, and the loops around that
        self.lengths: dict[Atom, Var] = {}  #: lists by their lengths
        self.appended: Counter[Atom] = Counter()
        self.copied: Counter[Atom] = Counter()

    def block(self, block: Block, around: tuple[Stmt, ...]) -> Block:
        """A block, with the loops and closures around it."""
        stmts: list[Stmt] = []
        for s in block.stmts:
            if isinstance(s, Op):
                self.note(s, around)
            elif isinstance(s, For) and (tape := self.drained_by(s, around)) is not None:
                s = self.over(s, tape, stmts)
            if inner := blocks_of(s):
                within = (*around, s) if isinstance(s, For | While | Closure) else around
                s = with_blocks(s, tuple(self.block(b, within) for b in inner))
            stmts.append(s)
        return Block(tuple(stmts), block.outs)

    def note(self, s: Op, around: tuple[Stmt, ...]) -> None:
        """What an operation has to do with lists."""
        match s:
            case Op(target=Var() as target, fn=prims.make_list | prims.list_copy):
                self.made[target] = s, around
                self.copied.update(s.args if s.fn is prims.list_copy else ())
            case Op(fn=prims.list_append, args=(Var() as tape, _)):
                self.appended[tape] += 1
            case Op(target=Var() as length, fn=builtins.len, args=(Var() as tape,)):
                self.lengths[length] = tape

    def drained_by(self, s: For, around: tuple[Stmt, ...]) -> Var | None:
        """The list of which a loop takes all items, and that nothing has to do with afterwards."""
        tape = self.lengths.get(s.stop)
        if tape is None or tape not in self.made or (s.start, s.step, s.has_exit) != (Const(0), Const(1), False):
            return None
        _, there = self.made[tape]
        pops = [t for t in s.body.stmts if _pops(t, tape)]
        others = self.uses[tape] - len(pops) - 1  # its length is looked at as well
        is_only = len(pops) == 1 and others == self.appended[tape] and self.uses.get(s.stop) == 1
        return tape if is_only and not self.uses.get(s.index) and there == around else None

    def over(self, s: For, tape: Var, before: list[Stmt]) -> For:
        """The loop over a list, without what was made for it alone."""
        item = next(t.target for t in s.body.stmts if isinstance(t, Op) and _pops(t, tape))
        body = Block(tuple(t for t in s.body.stmts if not _pops(t, tape)), s.body.outs)
        copied = self.copied_from(tape)
        gone = {s.stop} if copied is None else {s.stop, tape}
        before[:] = [t for t in before if not (isinstance(t, Op) and t.target in gone)]
        return replace(s, index=item or s.index, stop=Const(0), body=body, items=copied or tape)

    def copied_from(self, tape: Var) -> Var | None:
        """The list that one was copied from to be emptied, if it is filled by then, and only ever copied."""
        maker, there = self.made[tape]
        source = maker.args[0] if maker.fn is prims.list_copy else None
        if not isinstance(source, Var) or source not in self.made:
            return None
        if self.uses[source] != self.appended[source] + self.copied[source]:
            return None
        _, outer = self.made[source]
        is_around = there[: len(outer)] == outer and all(isinstance(s, Closure) for s in there[len(outer) :])
        return source if is_around else None


def _pops(s: Stmt, tape: Atom) -> bool:
    """Whether a statement takes the last item of a list."""
    return isinstance(s, Op) and s.fn is prims.list_pop and s.args == (tape, Const(-1))
