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
the elements are (:mod:`s2sad.analysis.sections`), and whether all of the array is stored anew before. What is added to
an array reads it only if the sum is read.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Any

from s2sad.analysis.effects import WRITES, is_pure
from s2sad.analysis.facts import Facts
from s2sad.analysis.light import follows_metadata
from s2sad.analysis.memory import Class
from s2sad.analysis.reads import classes_written, op_reads, store_reads
from s2sad.ir.kinds import Array, List
from s2sad.ir.nodes import Atom, Block, Closure, For, Function, Op, Stmt, Store, Var, While, kind_of
from s2sad.ir.rewrite import all_vars, blocks_of, free_vars, walk, with_blocks, with_body

__all__ = ["drop_unread"]


def drop_unread(function: Function, *, observed: Collection[Var] = (), facts: Facts | None = None) -> Function:
    """Remove stores into objects that are not read later, returned, global or in ``observed``."""
    facts = facts or Facts(function)
    return function if facts.still else _Walker(facts, observed).run()


def is_mutation(op: Op) -> bool:
    """Whether an operation only changes an object, like a store: ``xs.append(x)``, ``xs.pop()``."""
    return op.target is None and is_pure(op.fn) and not isinstance(op.fn, Function) and op.fn in WRITES


class _Walker:
    """Goes backwards with the classes that are read later."""

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
        self.known_sums: dict[Class, list[Store]] = {}

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
                self.later.update(self.op_reads(stmt))
            case Store():
                if not self.is_read(stmt):
                    return None
                if (c := self.renewed_by(stmt)) is not None:
                    self.later.discard(c)
                self.later.update(store_reads(self.memory, stmt))
            case _:
                return self.structure(stmt)
        return stmt

    def structure(self, stmt: Stmt) -> Stmt:
        """A statement with blocks, each of which may be run or not."""
        if isinstance(stmt, For | While):
            self.later.update(c for b in blocks_of(stmt) for c in self.reads(b))
        before, behind, new = set(self.later), frozenset(self.later), []
        for b in reversed(blocks_of(stmt)):
            self.later = set(behind)
            new.append(self.block(b))
            before |= self.later
        self.later = before
        return with_blocks(stmt, tuple(reversed(new)))

    def op_reads(self, op: Op) -> Iterable[Class]:
        """The classes whose contents an operation reads: none, if only the shape of its result is asked."""
        return () if op.target in self.facts.light and follows_metadata(op) else op_reads(self.memory, op)

    def renewed_by(self, store: Store) -> Class | None:
        """The class that holds nothing from before a store, which is into all of the only array there is of it."""
        whole = self.facts.whole
        c, base = self.memory.of(store.obj), whole.of(store.obj)
        if c is None or c in self.always or store.aug is not None or not whole.is_index(store.index):
            return None
        if any(whole.is_index(s.index) and isinstance(kind_of(s.value), Array) for s in self.sums.get(c, [])):
            return None  # what is added to all of it may not fit, which is an error still
        return c if isinstance(base, Var) and self.shown.get(c) == {base} else None

    @cached_property
    def shown(self) -> dict[Class, set[Var]]:
        """The arrays of each class that are no views of others."""
        found: dict[Class, set[Var]] = {}
        for v in all_vars(self.function):
            if (c := self.memory.of(v)) is not None:
                found.setdefault(c, set()).add(self.facts.sections.viewed(v))
        return found

    def is_read(self, stmt: Op | Store) -> bool:
        """Whether what a statement changes may be read later."""
        classes = list(classes_written(self.memory, stmt))
        return not classes or any(c in self.later and self.may_be_seen(stmt, c) for c in classes)

    def may_be_seen(self, stmt: Op | Store, c: Class) -> bool:
        """Whether elements that a statement changes may be among those that are read later."""
        readers = self.readers.get(c, [])
        if not isinstance(stmt, Store) or c in self.always or readers is None:
            return True
        return any(self.facts.sections.may_see(what, at, stmt) for what, at in readers) or any(
            self.facts.sections.may_see(other, other, stmt) for other in self.sums_read(c)
        )

    def sums_read(self, c: Class) -> list[Store]:
        """The stores that add to what is there, and of which the sum is read, by others or by one of these."""
        if c not in self.known_sums:
            sections, readers = self.facts.sections, self.readers.get(c) or []
            left, found = self.sums.get(c, []), list[Store]()
            new = [s for s in left if any(sections.may_see(what, at, s) for what, at in readers)]
            while new:
                found += new
                left = [s for s in left if not any(s is other for other in new)]
                new = [s for s in left if any(sections.may_see(other, other, s) for other in new)]
            self.known_sums[c] = found
        return self.known_sums[c]

    @cached_property
    def sums(self) -> dict[Class, list[Store]]:
        """The stores that read what they change."""
        found: dict[Class, list[Store]] = {}
        for s in walk(self.function):
            if isinstance(s, Store) and s.aug:
                for c in classes_written(self.memory, s):
                    found.setdefault(c, []).append(s)
        return found

    @cached_property
    def readers(self) -> dict[Class, list[tuple[Var | Store, Stmt]] | None]:
        """What is read of each class, and where, but by sums; None where parts of it may be read in other ways."""
        found: dict[Class, list[tuple[Var | Store, Stmt]] | None] = {}
        for s in walk(self.function):
            if isinstance(s, Op):
                for c in set(self.op_reads(s)):
                    self.note(found, c, self.parts_read(s, c), s)
            elif isinstance(s, Store):
                for c in set(store_reads(self.memory, s)):
                    self.note(found, c, self.direct([s.index, s.value], c), s)
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
                found.update(c for c in self.op_reads(s) if c not in own)
            elif isinstance(s, Store):
                found.update(store_reads(self.memory, s))
        return found
