"""Expressions in the course of folding: what is pending, and what may move into what.

An assignment that has been put down is pending as long as it may still move into the expression that reads it. One that
reads memory may not move past a change of memory, and one that changes it only into the very next statement.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from s2sad.analysis.raising import may_raise
from s2sad.backend import jumps
from s2sad.backend.effects import order_of
from s2sad.backend.expressions import Writer, is_none, overhead, width_of
from s2sad.backend.suggest import carried_name
from s2sad.backend.tree import EFFECT, PURE, READS, Assign, Expr, TreeStmt
from s2sad.backend.truths import taken_whole
from s2sad.backend.usage import Usage, is_offset
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Const, Function, Op, Ref, Var
from s2sad.ir.rewrite import all_vars
from s2sad.names import identifier, is_temporary

__all__ = ["WIDTH", "Folding", "Slots"]

WIDTH = 76


@dataclass(slots=True)
class Pending:
    """An assignment already in place that may still move into the expression that reads it.

    A ``weak`` one does so only where staying would cost a copy.
    """

    slot: int
    value: Expr
    weak: bool


Slots = list[TreeStmt | None]


class Folding:
    """The assignments of a block that may still move, and the expressions that they move into."""

    def __init__(self, function: Function, writer: Writer, in_order: bool = False) -> None:
        self.writer = writer
        self.symbols = writer.symbols
        self.usage = Usage(function)
        self.whole = taken_whole(function)  #: of which more is asked than their truth
        self.in_order = in_order  # which of two operations raises first is what a function that catches tells
        self.hints = {v.hint for v in all_vars(function)}
        self.everywhere: dict[Var, Expr] = {}  # written out at each use: subscripts
        self.pending: dict[Var, Pending] = {}
        self.reading: list[Var] = []  # those of them that depend on memory
        self.acting: list[Var] = []  # those that the latest statement added and that have an effect
        self.slots: Slots = []
        self.effects = 0
        self.captured: set[Var] = set()
        self.definitions: dict[Var, Op] = {}
        self.names: dict[Var, str] = {}

    def atom(self, a: Atom) -> Expr:
        """An atom as an expression."""
        a = self.usage.atom(a)
        match a:
            case Var():
                known = self.everywhere.get(a)
                return known or Expr(self.symbols.local(a), (a,), PURE, len(identifier(a.hint)), a)
            case Const():
                node = self.writer.constant(None if a == UNDEF else a.value)
                return Expr(node, (), PURE, width_of(node))
            case Ref():
                node = self.symbols.ref(a)
                return Expr(node, (), PURE if a.path[0] in ("np", "math") else READS, width_of(node))
        raise AssertionError(a)

    def operands(self, atoms: Sequence[Atom], room: int = WIDTH, last_first: bool = False) -> list[Expr]:
        """Atoms as expressions, folding what may be folded into ``room`` columns."""
        exprs = [self.atom(a) for a in atoms]
        if not self.pending:
            return exprs
        fixed = last_first or any(e.order != PURE for e in exprs)
        chosen: list[int] = []
        for i, e in enumerate(exprs):
            p = None if e.atom is None else self.pending.get(e.atom)
            if p is not None and not p.weak and not (p.value.order == EFFECT and fixed):
                chosen.append(i)
        total = sum(e.width for e in exprs)
        folded = {i: self.pending[exprs[i].atom].value for i in chosen}  # type: ignore[index]
        total += sum(e.width - exprs[i].width for i, e in folded.items())
        while folded and total > room:
            widest = max(folded, key=lambda i: folded[i].width)
            total -= folded.pop(widest).width - exprs[widest].width
        for i in folded:
            exprs[i] = self.take(exprs[i].atom)  # type: ignore[arg-type]
        return exprs

    def take(self, v: Var) -> Expr:
        """Fold a pending assignment away."""
        p = self.pending.pop(v)
        self.slots[p.slot] = None
        return p.value

    def barrier(self) -> None:
        """Memory may change here: what reads it stays before."""
        for v in self.reading:
            self.pending.pop(v, None)
        self.reading = []
        self.effects += 1

    def assign(self, target: Var, value: Expr, origin: object) -> None:
        """``target = value``, which may be folded later."""
        if is_temporary(target.hint) and target not in self.names:
            self.names[target] = carried_name(target, "test")
        if self.usage.is_local(target):
            self.pending[target] = Pending(len(self.slots), value, not is_temporary(target.hint))
            if value.order != PURE:
                self.reading.append(target)
            if value.order == EFFECT:
                self.acting.append(target)
        self.slots.append(Assign(target, value, origin))  # type: ignore[arg-type]

    def expression(self, op: Op, args: list[Expr], kwargs: list[Expr]) -> Expr:
        """An operation on folded operands."""
        everything = args + kwargs
        node = self.writer.op(op, args, kwargs)
        own = EFFECT if self.in_order and may_raise(op) else order_of(op)
        order = max((own, *(e.order for e in everything)))
        uses = tuple(v for e in everything for v in e.uses)
        if isinstance(node, ast.Slice):
            width = 1 + sum(e.width for e in everything if not is_none(e.node))
        else:
            width = sum(e.width for e in everything) + overhead(node) + 2 * max(len(everything) - 1, 0)
        origin = op.origin or next((e.origin for e in everything if e.origin), None)
        return Expr(node, uses, order, width, None, origin)

    def is_subscript(self, op: Op, target: Var) -> bool:
        """Whether the op only makes part of subscripts, and is written out in each of them."""
        if not self.usage.only_indexes(target):
            return False
        if op.fn is prims.make_tuple or op.fn is prims.make_slice:
            if not self.usage.is_local(target):
                return True
            return not any(isinstance(a, Var) and a in self.pending for a in op.args)
        return is_offset(op) and is_temporary(target.hint)

    def strengthen(self, pairs: list[tuple[Var, Atom]]) -> None:
        """Let an out move to the end where the variable it replaces is read after its definition."""
        sources = {o: t for t, o in pairs if isinstance(o, Var) and o in self.pending and o is not t}
        at_end = {o for _, o in pairs}
        for o in sources:
            if not self.pending[o].weak:
                at_end.update(self.pending[o].value.uses)
        changed = bool(sources)
        while changed:
            changed = False
            later: set[Atom] = set(at_end)
            for i in range(len(self.slots) - 1, min(self.pending[o].slot for o in sources) - 1, -1):
                stmt = self.slots[i]
                if stmt is None:
                    continue
                if isinstance(stmt, Assign) and (target := sources.get(stmt.target)) is not None:
                    p = self.pending[stmt.target]
                    if not p.weak:
                        continue
                    if target in later:
                        p.weak = False
                        at_end.update(p.value.uses)
                        changed = True
                        break
                later.update(jumps.reads(stmt))
