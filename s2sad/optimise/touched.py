"""What statements touch, and which of them may change places."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from s2sad.analysis.effects import KEEPS_NOTHING, is_pure
from s2sad.analysis.memory import Class, Memory, makes_object
from s2sad.analysis.reads import classes_written, is_of_numbers, op_reads, store_reads
from s2sad.ir.kinds import Array, List, Scalar
from s2sad.ir.nodes import Atom, Block, Closure, Comment, For, Function, If, Op, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import free_vars, substitute, targets_of, uses_of, walk
from s2sad.runtime import helpers

__all__ = ["ADDS", "Merged", "Moves", "Parted", "Touched", "touched_by"]

#: Operations that add to their first operand.
ADDS: tuple[Any, ...] = (np.add.at, np.subtract.at, helpers.add_at, helpers.add_items, helpers.add_nested)
ADDS += (helpers.add_repeats, helpers.add_back, helpers.add_product)

Part = tuple[Class, bool]  #: the numbers in the memory of a class, or the references there


@dataclass(slots=True)
class Touched:
    """The memory whose contents are read, added to, or changed otherwise; ``effects``: whether something is shown."""

    reads: set[Part] = field(default_factory=set)
    adds: set[Part] = field(default_factory=set)
    writes: set[Part] = field(default_factory=set)
    effects: bool = False
    unknown: bool = False

    def include(self, other: Touched) -> None:
        """Note all that another part touches."""
        self.reads |= other.reads
        self.adds |= other.adds
        self.writes |= other.writes
        self.effects |= other.effects
        self.unknown |= other.unknown

    def meets(self, other: Touched) -> bool:
        """Whether it matters which of two goes first; additions may change places."""
        mine, others = self.adds | self.writes, other.adds | other.writes
        if self.unknown or other.unknown or (self.effects and other.effects):
            return True
        return bool(mine & other.reads or others & self.reads or self.writes & others or other.writes & mine)


@dataclass(frozen=True, slots=True)
class Parted:
    """What is between two loops: what may go before both, what must go behind, what that touches and defines."""

    before: list[Stmt]
    after: list[Stmt]
    touched: Touched
    late: set[Var]


@dataclass(frozen=True, slots=True)
class Merged:
    """Two branches as one, between what goes before it and what goes behind."""

    parted: Parted
    branch: If


class Moves:
    """Which statements of a function may go before others, and what each touches, once found."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.seen: dict[int, tuple[Stmt, Touched, frozenset[Var]]] = {}

    def parted(self, forward: For | If, first: Touched, between: Iterable[Stmt]) -> Parted | None:
        """Statements behind a loop or a branch by whether they may go before it; None where nothing is known of one."""
        parted = Parted([], [], Touched(), set(forward.results))
        for s in between:
            if isinstance(s, Comment):
                parted.before.append(s)
                continue
            _, touched, free = self.seen.get(id(s)) or self.see(s)
            if touched.unknown:
                return None
            meets = touched.meets(first) or touched.meets(parted.touched)
            if meets or not parted.late.isdisjoint(free):
                parted.after.append(s)
                parted.touched.include(touched)
                parted.late.update(targets_of(s))
            else:
                parted.before.append(s)
        return parted

    def see(self, s: Stmt) -> tuple[Stmt, Touched, frozenset[Var]]:
        """What a statement outside of the loops touches, and the variables it reads."""
        block = Block((s,))
        found = self.seen[id(s)] = s, touched_by(self.memory, block), frozenset(free_vars(block))
        return found

    def merged(self, forward: If, between: Sequence[Stmt], reverse: If) -> Merged | None:
        """Two branches by one condition as one, and what is between them; None if they cannot be one."""
        touched, last = (touched_by(self.memory, Block((s,))) for s in (forward, reverse))
        parted = self.parted(forward, touched, between)
        if parted is None or last.meets(parted.touched):
            return None
        if not (parted.late - {*forward.results}).isdisjoint(free_vars(Block((reverse,)))):
            return None
        sides = []
        for one, other in ((forward.then, reverse.then), (forward.orelse, reverse.orelse)):
            again = substitute(other, dict(zip(forward.results, one.outs, strict=True)))
            sides.append(Block((*one.stmts, *again.stmts), (*one.outs, *again.outs)))
        results = *forward.results, *reverse.results
        then, orelse = sides
        return Merged(parted, If(forward.cond, then, orelse, results, forward.origin))


def touched_by(memory: Memory, block: Block, tapes: Collection[Var] = (), own: Collection[Class] = ()) -> Touched:
    """What the statements of a block touch besides these tapes, and what belongs to one iteration.

    What is written through the name with which an object was made is seen by no other iteration: it is written
    before the object is handed on.
    """
    touched = Touched()
    made = {s.target for s in walk(block) if isinstance(s, Op) and s.target is not None and makes_object(s)}
    for s in walk(block):
        if isinstance(s, Closure):
            touched.unknown = True
        elif isinstance(s, Op) and not (s.args and s.args[0] in tapes):
            _note(memory, s, made, touched)
        elif isinstance(s, Store):
            touched.reads |= set(_parts(store_reads(memory, s)))
            if s.obj not in made:
                into = touched.adds if s.aug in ("+", "-") else touched.writes
                into |= set(_parts(classes_written(memory, s), s.obj))
    for parts in (touched.reads, touched.adds, touched.writes):
        parts.difference_update({part for part in parts if part[0] in own})
    return touched


def _note(memory: Memory, op: Op, made: Collection[Var], touched: Touched) -> None:
    """Note what an operation touches."""
    if isinstance(op.fn, Function) or not is_pure(op.fn):
        touched.effects = True
        touched.unknown |= not any(op.fn is fn for fn in KEEPS_NOTHING)
        touched.reads |= set(_parts(c for a in uses_of(op) for c in memory.reachable(a)))
    elif op.fn in ADDS:
        touched.reads |= set(_parts(c for a in uses_of(op)[1:] for c in memory.reachable(a)))
        touched.adds |= set() if op.args[0] in made else set(_parts(classes_written(memory, op)))
    else:
        item = op.fn is operator.getitem and isinstance(kind_of(op.args[1]), Scalar)
        touched.reads |= set(_parts(op_reads(memory, op), op.args[0] if item else None))
        if not (op.args and op.args[0] in made and not op.kwargs):
            touched.writes |= set(_parts(classes_written(memory, op)))


def _parts(classes: Iterable[Class], obj: Atom | None = None) -> Iterator[Part]:
    """The numbers of some memory, or the references in it: those of one object, or what there is of any."""
    if obj is None or not isinstance(kind_of(obj), Array | List):
        numbers: tuple[bool, ...] = True, False
    else:
        numbers = (is_of_numbers(obj),)
    yield from product(classes, numbers)
