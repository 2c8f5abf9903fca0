"""Stores that nobody reads afterwards.

Before::

    def f(b):
        by: float64[1] = np.zeros(3)
        by[0] += b
        t = by[0]
        by[0] = 0.0                   # the adjoint of y[0] = x; by is not looked at again
        return t

After::

    def f(b):
        by = np.zeros(3)
        by[0] += b
        t = by[0]
        return t

Unlike :mod:`s2sad.optimise.dead` this looks at the order: one walk backwards, with the alias
classes that may be read later. In a loop, that is all its body reads. Of arrays that are read later it is asked whether
the elements are (:mod:`s2sad.analysis.sections`).
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

from s2sad.analysis.effects import WRITES, is_pure
from s2sad.analysis.facts import Facts
from s2sad.analysis.memory import Class
from s2sad.analysis.reads import classes_written, op_reads, store_reads
from s2sad.ir.kinds import Array, List
from s2sad.ir.nodes import Atom, Block, Closure, For, Function, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, free_vars, walk, with_blocks, with_body

__all__ = ["drop_unread"]


def drop_unread(function: Function, *, observed: Collection[Var] = (), facts: Facts | None = None) -> Function:
    """Remove stores into objects that are not read later, returned, global or in ``observed``."""
    facts = facts or Facts(function)
    return function if facts.still else _Walker(facts, observed).run()


def is_mutation(op: Op) -> bool:
    """Whether an operation only changes an object, like a store: ``xs.append(x)``, ``xs.pop()``."""
    return op.target is None and is_pure(op.fn) and not isinstance(op.fn, Function) and op.fn in WRITES


class _Walker:
    """Goes backwards; ``later`` only grows, which is safe on both sides of a branch."""

    def __init__(self, facts: Facts, observed: Collection[Var]) -> None:
        self.facts = facts
        self.function = function = facts.function
        self.memory = memory = facts.memory
        self.later: set[Class] = memory.outside
        self.later |= memory.escaping
        for v in observed:
            self.later.update(memory.reachable(v))
        for s in walk(function):
            if isinstance(s, Closure):  # it may run after all else, and sees what is around it
                for v in free_vars(s.function):
                    self.later.update(memory.reachable(v))
        self.always = frozenset(self.later)

    def run(self) -> Function:
        """The function without the stores."""
        return with_body(self.function, self.block(self.function.body))

    def block(self, block: Block) -> Block:
        """A block, last statement first."""
        kept: list[Stmt] = []
        same = True
        for stmt in reversed(block.stmts):
            new = self.stmt(stmt)
            same = same and new is stmt
            if new is not None:
                kept.append(new)
        return block if same else Block(tuple(reversed(kept)), block.outs)

    def stmt(self, stmt: Stmt) -> Stmt | None:
        """A statement, or None if nobody sees its effect."""
        match stmt:
            case Op():
                if is_mutation(stmt) and not self.is_read(stmt):
                    return None
                self.later.update(op_reads(self.memory, stmt))
            case Store():
                if not self.is_read(stmt):
                    return None
                self.later.update(store_reads(self.memory, stmt))
            case _:
                if isinstance(stmt, For | While):
                    self.later.update(c for b in blocks_of(stmt) for c in self.reads(b))
                return with_blocks(stmt, tuple(self.block(b) for b in reversed(blocks_of(stmt)))[::-1])
        return stmt

    def is_read(self, stmt: Op | Store) -> bool:
        """Whether what a statement changes may be read later."""
        classes = list(classes_written(self.memory, stmt))
        return not classes or any(c in self.later and self.may_be_seen(stmt, c) for c in classes)

    def may_be_seen(self, stmt: Op | Store, c: Class) -> bool:
        """Whether elements that a statement changes may be among those that are read later."""
        readers = self.readers.get(c, [])
        if not isinstance(stmt, Store) or c in self.always or readers is None:
            return True
        return any(self.facts.sections.may_see(what, at, stmt) for what, at in readers)

    @cached_property
    def readers(self) -> dict[Class, list[tuple[Var | Store, Stmt]] | None]:
        """What is read of each class, and where; None where parts of it may be read in other ways."""
        found: dict[Class, list[tuple[Var | Store, Stmt]] | None] = {}
        for s in walk(self.function):
            if isinstance(s, Op):
                for c in set(op_reads(self.memory, s)):
                    self.note(found, c, self.parts_read(s, c), s)
            elif isinstance(s, Store):
                for c in set(store_reads(self.memory, s)):
                    self.note(found, c, self.direct([s.index, s.value], c), s)
                for c in classes_written(self.memory, s) if s.aug else ():
                    self.note(found, c, [s], s)
        return found

    def note(self, found: dict[Class, Any], c: Class, parts: Sequence[Var | Store] | None, at: Stmt) -> None:
        """Note what a statement reads of a class."""
        if parts is None or found.get(c, []) is None:
            found[c] = None
        else:
            found.setdefault(c, []).extend((part, at) for part in parts)

    def parts_read(self, op: Op, c: Class) -> list[Var] | None:
        """The arrays and lists of a class whose numbers an operation reads, or what a subscript takes from one."""
        if op.fn is operator.getitem and op.target is not None and self.memory.of(op.args[0]) == c:
            index = self.direct(op.args[1:], c)
            return None if index is None else [op.target, *index]
        return self.direct([*op.args, *(a for _, a in op.kwargs)], c)

    def direct(self, atoms: Sequence[Atom], c: Class) -> list[Var] | None:
        """Those that are arrays or lists of a class; None if others hold some."""
        found: list[Var] = []
        for a in atoms:
            if self.memory.of(a) == c and isinstance(a, Var) and isinstance(a.kind, Array | List):
                found.append(a)
            elif c in self.memory.reachable(a):
                return None
        return found

    def reads(self, block: Block) -> set[Class]:
        """All that a block reads, inner blocks included."""
        found: set[Class] = set()
        for s in walk(block):
            if isinstance(s, Op):
                own = set(classes_written(self.memory, s)) if is_mutation(s) else set()
                found.update(c for c in op_reads(self.memory, s) if c not in own)
            elif isinstance(s, Store):
                found.update(store_reads(self.memory, s))
        return found
