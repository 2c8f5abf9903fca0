"""Which memory belongs to a part of a function: what nothing outside of that part refers to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from s2sad.analysis.memory import Class, Memory
from s2sad.ir.nodes import Block, Var
from s2sad.ir.rewrite import all_vars

__all__ = ["Owners"]


class Owners:
    """Who refers to the memory of each class, and what holds it."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.members = Counter(memory.find(k) for k in memory.parent if not isinstance(k, int))
        self.holders: dict[Class, set[Class]] = {}
        for holder, held in memory.elements.items():
            if memory.find(holder) != memory.find(held):
                self.holders.setdefault(memory.find(held), set()).add(memory.find(holder))

    def of(self, blocks: Iterable[Block], besides: Collection[Var] = ()) -> set[Class]:
        """The classes to which only variables that these blocks define refer, ``besides`` these lists.

        What a block hands over has a name outside of it, and is not among them. So each time that the
        blocks are run, they have objects of these classes of their own.
        """
        parent = self.memory.parent
        inside = Counter(self.memory.find(v) for block in blocks for v in all_vars(block) if v in parent)
        own = {c for c, n in inside.items() if n == self.members[c]}
        allowed = own | {self.memory.find(v) for v in besides if v in parent}
        while lost := {c for c in own if not self.holders.get(c, set()) <= allowed}:
            own -= lost
            allowed -= lost
        return own
