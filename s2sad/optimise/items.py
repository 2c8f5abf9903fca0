"""Adjoints of lists of arrays and tuples as a person writes them.

Before::

    def f(bstates: list[(float64[1], float64[1])], k: int, u: float64[1]):
        b: (float64[1], float64[1]) = bstates[k]
        zero: (float64[1], float64[1]) = zeros_like(b)
        bstates[k] = zero
        bh = np.cos(u)
        bm = np.sin(u)
        t = (bh, bm)
        add_at(bstates, k, t)

After::

    def f(bstates, k, u):
        b = bstates[k]
        zero = zeros_like(b)              # dead by now
        bh = np.cos(u)
        bm = np.sin(u)
        t = (bh, bm)
        bstates[k] = t                    # cleared, then added to: assigned

Requires that what is added has the structure of the item, as every adjoint has. The item is then
what was added rather than a sum, so neither may be changed in place, nor be part of a result.
"""

from __future__ import annotations

import operator

from s2sad.analysis.effects import WRITES_DEEP, is_pure, writes_of
from s2sad.analysis.facts import Facts
from s2sad.analysis.memory import Class
from s2sad.analysis.reads import classes_written, op_reads, store_reads
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Block, Comment, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import blocks_of, walk, with_blocks, with_body
from s2sad.runtime import helpers

__all__ = ["assign_items"]


def assign_items(function: Function, *, facts: Facts | None = None) -> Function:
    """Turn the clearing of an item and the first addition to it into one assignment."""
    facts = facts or Facts(function)
    cleared = {s.value for s in walk(function) if type(s) is Store and _replaces_item(s)}
    if not cleared:
        return function
    zeros = {s.target for s in walk(function) if type(s) is Op and s.fn is helpers.zeros_like and s.target in cleared}
    if not zeros or facts.memory.opaque:
        return function
    worker = _Assigner(facts, {z for z in zeros if z is not None and facts.uses.get(z) == 1})
    return with_body(function, worker.block(function.body))


def _replaces_item(s: Store) -> bool:
    return s.aug is None and isinstance(s.obj, Var) and isinstance(s.obj.kind, K.List)


class _Assigner:
    """Works on one block at a time, inner blocks first."""

    def __init__(self, facts: Facts, zeros: set[Var]) -> None:
        self.memory = facts.memory
        self.zeros = zeros
        self.fixed = self.memory.escaping | self._changed(facts.function)

    def _changed(self, function: Function) -> set[Class]:
        """The classes of objects changed in place, lists apart whose items are replaced."""
        found: set[Class] = set()
        for s in walk(function):
            if isinstance(s, Op | Store):
                deep = s.aug is not None if isinstance(s, Store) else s.fn in WRITES_DEEP
                for a in writes_of(s):
                    classes = self.memory.reachable(a)
                    kept = isinstance(getattr(a, "kind", None), K.List)
                    found.update(classes[kept:] if deep else classes[kept:1])
        return found

    def block(self, block: Block) -> Block:
        """A block."""
        stmts = [with_blocks(s, tuple(self.block(b) for b in blocks_of(s))) if blocks_of(s) else s for s in block.stmts]
        i = 0
        while i < len(stmts):
            s = stmts[i]
            j = self.addition(stmts, i, s) if type(s) is Store and s.value in self.zeros else None
            if j is None:
                i += 1
                continue
            added = stmts[j]
            assert isinstance(s, Store)
            value = added.args[2] if isinstance(added, Op) else added.value  # type: ignore[union-attr]
            stmts[j] = Store(s.obj, s.index, value, None, added.origin)  # type: ignore[union-attr]
            del stmts[i]
        if len(stmts) == len(block.stmts) and all(map(operator.is_, stmts, block.stmts)):
            return block
        return Block(tuple(stmts), block.outs)

    def addition(self, stmts: list[Stmt], i: int, clear: Store) -> int | None:
        """Where the item is next added to, if nothing in between would notice that it is not cleared."""
        c = self.memory.of(clear.obj)
        for j in range(i + 1, len(stmts)):
            match stmts[j]:
                case Op(target=None, fn=helpers.add_at, args=(clear.obj, clear.index, Var() as value)):
                    return j if self.may_hold(clear, value) else None
                case Comment():
                    continue
                case Store() as s if c not in (*classes_written(self.memory, s), *store_reads(self.memory, s)):
                    continue
                case Op() as op if is_pure(op.fn):
                    if c in (*classes_written(self.memory, op), *op_reads(self.memory, op)):
                        return None
                case _:
                    return None
        return None

    def may_hold(self, clear: Store, value: Var) -> bool:
        """Whether the list may hold the value itself."""
        assert isinstance(clear.obj, Var) and isinstance(clear.value, Var)
        if not _alike(clear.value.kind, value.kind):
            return False
        held = [*self.memory.reachable(clear.obj)[1:], *self.memory.reachable(value)]
        return not any(h in self.fixed for h in held)


def _alike(zero: K.Kind, value: K.Kind) -> bool:
    """Whether two adjoints are made of arrays and numbers of the same types in the same places of the same classes."""
    match zero, value:
        case K.Tuple(these, cls), K.Tuple(those, other) if cls is other and len(these) == len(those):
            return all(map(_alike, these, those))
        case K.Array(), K.Array():
            return zero.dtype == value.dtype != "any" and zero.rank == value.rank
        case K.Scalar(), K.Scalar():
            return zero == value
    return False
