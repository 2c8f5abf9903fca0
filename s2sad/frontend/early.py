"""Refusal of loops that change what they would read later, and have read already.

What a generator, ``filter`` or ``itertools.accumulate`` gives is computed before the loop over it. Python computes
each item when its turn comes, and sees what the loop has changed by then.
"""

from __future__ import annotations

from s2sad.analysis.effects import writes_of
from s2sad.analysis.memory import Memory
from s2sad.errors import UnsupportedSyntax
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, For, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import free_vars, uses_of, walk

__all__ = ["changes_others", "read_by", "refuse_early"]

_PUT = (prims.list_append, prims.make_list)


def read_by(stmts: list[Stmt]) -> tuple[Atom, ...]:
    """What statements compute with, other than to put it into a list."""
    found: dict[Atom, None] = {}
    for s in walk(Block(tuple(stmts))):
        if isinstance(s, Op | Store) and not (isinstance(s, Op) and s.fn in _PUT):
            found.update(dict.fromkeys(a for a in uses_of(s) if isinstance(a, Var)))
    return tuple(found)


def changes_others(stmts: list[Stmt], out: Var) -> bool:
    """Whether statements that compute ``out`` change what was there before them."""
    block = Block(tuple(stmts), (out,))
    there = free_vars(block)
    memory = Memory(Function("early", there, block))
    return any(c in memory.written for v in there for c in memory.reachable(v))


def refuse_early(function: Function, early: dict[Var, tuple[Atom, ...]], definitions: dict[Var, Op]) -> None:
    """Refuse a function in which a loop over what was read ``early`` may change what was read.

    ``early`` gives what was read by the list, or by the number, of what a loop goes over; ``definitions`` tells what a
    trip count is computed of.
    """
    loops = [s for s in walk(function.body) if isinstance(s, For)] if early else []
    read = {loop.index: _read_before(loop.stop, early, definitions) for loop in loops}
    if not any(read.values()):
        return
    memory = Memory(function)
    for loop in loops:
        classes = {memory.of(a) for a in read[loop.index]} - {None}
        for s in walk(loop.body) if classes else ():
            if isinstance(s, Op | Store) and any(memory.of(a) in classes for a in writes_of(s)):
                raise UnsupportedSyntax(
                    "what this changes is read, bit by bit, by what the loop around it goes over.",
                    help="Make a list of that before the loop: `list(...)`, or `[...]` for a generator.",
                    origin=s.origin,
                )


def _read_before(length: Atom, early: dict[Var, tuple[Atom, ...]], definitions: dict[Var, Op]) -> set[Atom]:
    """What was read for what a trip count counts."""
    read: set[Atom] = set()
    work, seen = [length], set()
    while work:
        a = work.pop()
        if not isinstance(a, Var) or a in seen:
            continue
        seen.add(a)
        read.update(early.get(a, ()))
        op = definitions.get(a)
        if op is not None and not isinstance(a.kind, K.List):
            work += op.args
    return read
