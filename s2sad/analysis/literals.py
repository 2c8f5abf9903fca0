"""List literals that only say what an operation is applied to, as in ``np.array([x, y])``.

What such an operation contributes to the list goes to the items one by one: the list needs no shadow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.analysis.effects import BLIND, TRANSPARENT, WRITES
from s2sad.ir import prims
from s2sad.ir.nodes import Block, Callee, For, Function, Op, Stmt, Var, While
from s2sad.ir.rewrite import blocks_of, uses_of
from s2sad.rules.table import rule_for

__all__ = ["literal_lists"]

_Loops = tuple[int, ...]


def literal_lists(function: Function, stays: Callable[[Var], bool] = lambda v: True) -> dict[Var, Op]:
    """Lists that are made and used in one iteration, and are operands of rules or items of such lists.

    ``stays`` tells of such a list whether it is seen by no other name and never changes, where memory has been looked
    at; its uses alone tell as much of a list of arrays.
    """
    finder = _Finder()
    finder.block(function.body, ())
    found = {v: op for v, (op, _) in finder.made.items() if v not in finder.other and stays(v)}
    while True:  # one is an item of another
        kept = {v: op for v, op in found.items() if finder.holders.get(v, set()) <= found.keys()}
        if len(kept) == len(found):
            return found
        found = kept


class _Finder:
    """Walks a function: which lists are made, what holds them, and which have other uses."""

    def __init__(self) -> None:
        self.made: dict[Var, tuple[Op, _Loops]] = {}
        self.holders: dict[Var, set[Var]] = {}
        self.other: set[Var] = set()

    def block(self, block: Block, loops: _Loops) -> None:
        """A block within some loops."""
        for s in block.stmts:
            self.stmt(s, loops)
            inner = (*loops, id(s)) if isinstance(s, For | While) else loops
            for b in blocks_of(s):
                self.block(b, inner)
        self.other.update(a for a in block.outs if isinstance(a, Var))

    def stmt(self, s: Stmt, loops: _Loops) -> None:
        """A statement, blocks apart."""
        holder = s.target if isinstance(s, Op) and s.fn is prims.make_list else None
        if holder is not None:
            assert isinstance(s, Op)
            self.made[holder] = s, loops
        for a in uses_of(s):
            if not isinstance(a, Var) or a not in self.made:
                continue
            if self.made[a][1] != loops or not (holder or (isinstance(s, Op) and _takes_items(s))):
                self.other.add(a)
            elif holder is not None:
                self.holders.setdefault(a, set()).add(holder)


def _takes_items(op: Op) -> bool:
    """Whether an operation is one of a rule, or asks for a length: what it gives does not hold the list."""
    fn: Any = op.fn
    if isinstance(fn, Callee | Function) or fn in TRANSPARENT or fn in WRITES:
        return False
    return fn is len or (fn not in BLIND and rule_for(fn) is not None)
