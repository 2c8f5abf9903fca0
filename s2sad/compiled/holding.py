"""Where variables may hold references that Numba would let go of, and where they surely do not.

Numba lets go of what a variable holds wherever it is assigned or deleted. As there may be nothing, it fills variables
with zeros at the beginning of a function, and where they are deleted. To LLVM an array is thus there from the first
statement to the last, and in all that lies between: of a function twice as long it makes much more than twice the work.
But variables are deleted after their last use, on all paths: nearly everywhere it is known whether there is something.

Requires: blocks of Numba's IR with the deletions that are put down.
Ensures: what is said of statements and variables is so on all paths.

>>> from numba.core import ir
>>> loc = ir.unknown_loc
>>> x = ir.Var(ir.Scope(None, loc), "x", loc)
>>> assign, delete, around = ir.Assign(ir.Const(1, loc), x, loc), ir.Del("x", loc), ir.Jump(1, loc)
>>> start, loop = ir.Block(x.scope, loc), ir.Block(x.scope, loc)
>>> start.body, loop.body = [ir.Jump(1, loc)], [assign, around]
>>> found = Holding({0: start, 1: loop}, {"x"})
>>> found.may_hold(assign), found.is_asked_at_first("x")  # once around the loop there is what was assigned before
(True, True)
>>> loop.body.insert(1, delete)
>>> found = Holding({0: start, 1: loop}, {"x"})
>>> found.may_hold(assign), found.may_hold(delete), found.is_asked_after(delete), found.is_asked_at_first("x")
(False, True, False, False)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import reduce
from operator import or_
from typing import Any

from numba.core import ir

__all__ = ["Holding"]


class Holding:
    """What is known of some variables of a function. Sets of variables are integers, with a bit for each."""

    def __init__(self, blocks: Mapping[int, Any], names: Collection[str]) -> None:
        self.bits = {name: 1 << k for k, name in enumerate(names)}
        self.changes = {label: [s for s in block.body if self._bit(s)] for label, block in blocks.items()}
        self.successors = {label: block.terminator.get_targets() for label, block in blocks.items()}
        self.held, self.asked = set[int](), set[int]()  # statements, by their identity
        self._note_held()
        self.first = self._note_asked()[min(blocks)]

    def may_hold(self, statement: Any) -> bool:
        """Whether there may be something in what a statement assigns or deletes."""
        return id(statement) in self.held

    def is_asked_after(self, deletion: Any) -> bool:
        """Whether one may let go of what the variable holds, after this deletion, before it is assigned."""
        return id(deletion) in self.asked

    def is_asked_at_first(self, name: str) -> bool:
        """Whether one may do so before the variable is assigned at all."""
        return bool(self.first & self.bits[name])

    def _bit(self, statement: Any) -> int:
        match statement:
            case ir.Assign():
                return self.bits.get(statement.target.name, 0)
            case ir.Del():
                return self.bits.get(statement.value, 0)
        return 0

    def _note_held(self) -> None:
        def through(label: int, held: int, note: Callable[[Any], None] = lambda s: None) -> int:
            for s in self.changes[label]:
                bit = self._bit(s)
                if held & bit:
                    note(s)
                held = held | bit if isinstance(s, ir.Assign) else held & ~bit
            return held

        predecessors: dict[int, list[int]] = {label: [] for label in self.successors}
        for label, after in self.successors.items():
            for successor in after:
                predecessors[successor].append(label)
        out = _fixpoint(sorted(self.changes), predecessors, through)
        for label in self.changes:
            through(label, _union(out, predecessors[label]), lambda s: self.held.add(id(s)))

    def _note_asked(self) -> dict[int, int]:
        """Note where what is held is asked for later; whether it is so at the beginning of each block."""

        def through(label: int, asked: int, note: Callable[[Any], None] = lambda s: None) -> int:
            for s in reversed(self.changes[label]):
                bit = self._bit(s)
                if asked & bit:
                    note(s)
                asked = asked | bit if self.may_hold(s) else asked & ~bit
            return asked

        into = _fixpoint(sorted(self.changes, reverse=True), self.successors, through)
        for label in self.changes:
            through(label, _union(into, self.successors[label]), lambda s: self.asked.add(id(s)))
        return into


def _union(found: Mapping[int, int], labels: Iterable[int]) -> int:
    return reduce(or_, (found[label] for label in labels), 0)


def _fixpoint(
    labels: Collection[int], sources: Mapping[int, Collection[int]], through: Callable[[int, int], int]
) -> dict[int, int]:
    """What leaves each block, the least that agrees with what enters it from its sources."""
    found = dict.fromkeys(labels, 0)
    changed = True
    while changed:
        changed = False
        for label in labels:
            leaving = through(label, _union(found, sources[label]))
            changed |= leaving != found[label]
            found[label] = leaving
    return found
