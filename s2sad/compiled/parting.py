"""What needs no direction: statements of a sweep that are the same for all columns, or rows, of a Jacobian."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sad.analysis.effects import writes_of
from s2sad.analysis.memory import Memory
from s2sad.ir.nodes import Atom, Block, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import all_vars, free_vars, walk

__all__ = ["parted"]


def parted(function: Function, directions: Sequence[Var]) -> tuple[list[Stmt], list[Stmt]]:
    """The statements that are the same for all directions and may go before the loop, and the others.

    What the others write to is theirs alone, with all that reads it; and nothing that they read is written to after
    they have read it.
    """
    stmts = [s for s in function.body.stmts if getattr(s, "target", s) != function.result]
    memory = Memory(function)
    parts = [_Part(s, memory) for s in stmts]
    each: set[int] = set()
    varied: set[Any] = set(directions)
    written: set[Any] = set()
    while True:
        before = len(each)
        touched: set[Any] = set()
        for k, part in enumerate(parts):
            late = not touched.isdisjoint(part.writes)
            if late or not varied.isdisjoint(part.reads) or not written.isdisjoint(part.touches):
                each.add(k)
            if k in each:
                varied |= part.makes
                written |= part.writes
                touched |= part.touches
        if len(each) == before:
            break
    return [s for k, s in enumerate(stmts) if k not in each], [s for k, s in enumerate(stmts) if k in each]


class _Part:
    """A statement, with what it reads, makes, touches and writes."""

    def __init__(self, stmt: Stmt, memory: Memory) -> None:
        block = Block((stmt,))
        self.makes = set(all_vars(block))
        self.reads = set(free_vars(block))
        self.touches = {c for v in self.makes | self.reads for c in memory.reachable(v)}
        written: list[Atom] = [a for s in walk(block) if isinstance(s, Op | Store) for a in writes_of(s)]
        written += [a for s in walk(block) if isinstance(s, Op) and isinstance(s.fn, Function) for a in s.args]
        self.writes = {c for a in written for c in memory.reachable(a)}
