"""Restoring: which stores the reverse sweep must undo.

Those are found from the result (Hascoet & Pascual 2013, "to be recorded", but looking back): of a reverse sweep
that restores nothing, and from which dead code is gone, each read of an object that a store may have changed since.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from s2sad.analysis.effects import WRITES, read_atoms
from s2sad.analysis.memory import Memory, makes_object
from s2sad.analysis.sections import Sections
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Function, Op, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import all_blocks, blocks_of, inner_targets_of, targets_of, uses_of, walk
from s2sad.transform.adjoint import Reverse
from s2sad.transform.recording import ELEMENTWISE

__all__ = ["stores_to_restore"]


def stores_to_restore(primal: Function, derived: Function, reverse: Reverse, memory: Memory) -> set[int]:
    """Stores that change what the reverse sweep reads again, and so must be undone in it."""
    reads: dict[Any, list[tuple[int, Var, Var | Store | None]]] = {}
    for s, where, a in _reads(derived, reverse):
        a = reverse.original(a)
        if not isinstance(a, Var) or a not in memory.parent:
            continue
        for c in memory.reachable(a):
            if c in memory.written:
                part = reverse.part_read(s, a) if isinstance(s, Op) and c == memory.of(a) else None
                reads.setdefault(c, []).append((where, a, part))
    if not reads:
        return set()
    births = _Births(primal, memory, reverse.sections)
    at = {place: s for s in walk(reverse.out.function) if (place := reverse.places.get(id(s))) is not None}

    def changes(s: Stmt, obj: Var, c: Any, read: int, a: Var, part: Var | Store | None) -> bool:
        """Whether a store through ``obj`` may come after a read of what ``a`` is or leads to."""
        same = births.viewed(a) is births.viewed(obj) and c == memory.of(a)
        made = births.maker(obj) if same else None  # each time another object
        once = None if made is None else reverse.places.get(id(made))
        if not reverse.may_follow(reverse.places[id(s)], read, once) or births.apart(a, obj):
            return False
        return part is None or not isinstance(s, Store) or reverse.sections.may_change(s, part, at[read])

    writes = _writes(primal, memory)
    return {id(s) for s, obj, c in writes if any(changes(s, obj, c, *read) for read in reads.get(c, ()))}


def _writes(primal: Function, memory: Memory) -> list[tuple[Stmt, Var, Any]]:
    """Statements that change an object, with their reference to it and its class."""
    found: list[tuple[Stmt, Var, Any]] = []
    for s in walk(primal):
        obj: Any = None
        if isinstance(s, Store):
            obj = s.obj
        elif isinstance(s, Op) and s.fn in WRITES:
            obj = s.args[WRITES[s.fn]]
        c = memory.of(obj) if isinstance(obj, Var) else None
        if c is not None:
            found.append((s, obj, c))
    return found


def _reads(derived: Function, reverse: Reverse) -> Iterator[tuple[Op | Store, int, Atom]]:
    """What the statements of the reverse sweep read, and at which place of the primal.

    Results say at which place they are asked for; of a statement without a result, an earlier place is taken.
    """
    wanted = _wanted(derived)
    place = min(reverse.places.values(), default=0)
    for s in reversed([*walk(derived)]):
        if not isinstance(s, Op | Store) or id(s) in reverse.places:  # which is one of the forward sweep
            continue
        if isinstance(s, Op) and s.target is not None:
            if s.target not in reverse.positions:
                continue
            place = reverse.positions[s.target]
            if s.target not in wanted and not _whole(s):
                continue
        yield from ((s, place, a) for a in _read_by(s))


def _read_by(s: Op | Store) -> Iterator[Atom]:
    """What a statement reads the numbers of; of lists, the length too."""
    if isinstance(s, Store):
        yield from (s.index, s.value)
    elif s.fn is not prims.list_append:  # of what is recorded, it is seen elsewhere that it stays
        yield from (a for a, only_shape in read_atoms(s) if not only_shape or _may_grow(a))


def _may_grow(a: Atom) -> bool:
    """Whether a length may change: that of a list, not the shape of an array."""
    return isinstance(kind_of(a), K.List | K.Dict)


def _wanted(derived: Function) -> set[Atom]:
    """What is asked for more than its shape, which arithmetic on arrays and their parts have from their operands'."""
    wanted: set[Atom] = {a for block in all_blocks(derived) for a in block.outs}
    for s in reversed([*walk(derived)]):
        if not isinstance(s, Op):
            wanted.update(uses_of(s))
            continue
        whole = s.target in wanted or _whole(s)
        wanted.update(a for a, metadata_only in read_atoms(s) if not metadata_only and (whole or not _is_array(a)))
    return wanted


def _whole(s: Op) -> bool:
    """Whether the shape of a result may be that of numbers among the operands."""
    if s.fn is operator.getitem:  # an item of a list, which another may have taken the place of, or picked by an array
        return not _is_array(s.args[0]) or any(map(_is_array, s.args[1:]))
    return s.fn not in ELEMENTWISE or not all(K.is_numeric(kind_of(a)) for a in s.args)


def _is_array(a: Atom) -> bool:
    return isinstance(kind_of(a), K.Array)


class _Births:
    """Where variables are bound: in which block, and when in the order of the program."""

    def __init__(self, function: Function, memory: Memory, sections: Sections) -> None:
        self.memory = memory
        self.makers, self.viewed = sections.makers, sections.viewed
        self.places: dict[Var, tuple[tuple[int, ...], int]] = {}
        self.bind(function.params, ())
        self.block(function.body, ())

    def bind(self, variables: tuple[Var, ...], path: tuple[int, ...]) -> None:
        """Variables that are bound next, in a block."""
        for v in variables:
            self.places[v] = path, len(self.places)

    def block(self, block: Block, path: tuple[int, ...]) -> None:
        """A block, and those in it."""
        for s in block.stmts:
            for b in blocks_of(s):
                self.bind(inner_targets_of(s), (*path, id(b)))
                self.block(b, (*path, id(b)))
            self.bind(targets_of(s), path)

    def apart(self, a: Var, obj: Var) -> bool:
        """Whether ``a`` is no reference to an object, nor leads to it, as long as stores go through ``obj``.

        A reference that was bound before an object was made is not to that object, nor is a view of what it is to. If
        both happen in one iteration of a loop, and the first in no inner block, no store of the object comes after
        ``a`` is bound again.
        """
        if self.maker(obj) is None:
            return False
        if self.memory.of(obj) in self.held(a):
            return False
        (outer, early), (inner, late) = self.places[self.viewed(a)], self.places[self.viewed(obj)]
        return early < late and inner[: len(outer)] == outer

    def maker(self, obj: Var) -> Op | None:
        """The operation that makes what a variable refers to, or is a view of, each time that it is bound."""
        maker = self.makers.get(self.viewed(obj))
        return maker if maker is not None and makes_object(maker) else None

    def held(self, a: Var) -> list[Any]:
        """The classes of what an object holds, and of what that holds."""
        memory = self.memory
        found: list[Any] = []
        c = memory.elements.get(memory.of(a))
        while c is not None and (c := memory.find(c)) not in found:
            found.append(c)
            c = memory.elements.get(c)
        return found
