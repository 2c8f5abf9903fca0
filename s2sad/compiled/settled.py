"""What may be copied when it is recorded: arrays that nothing changes from then on.

A tape holds references. The reverse sweep may restore the array behind one, or add to it (a shadow that travels);
then only the array itself will do. Otherwise a copy made at the time of recording holds the same numbers.
"""

from __future__ import annotations

from s2sad.analysis.memory import Class, Memory
from s2sad.analysis.reads import classes_written
from s2sad.compiled.parts import Tape
from s2sad.ir.nodes import Block, Function, Op, Store
from s2sad.ir.rewrite import all_vars, blocks_of, walk

__all__ = ["Settled"]


class Settled:
    """Answers for the tapes of a function, each of which records one thing."""

    def __init__(self, function: Function) -> None:
        self.memory = Memory(function)
        self.variables = list(all_vars(function))
        self.blocks: dict[int, tuple[Block, int]] = {}  #: the block of each statement, and where in it
        self.place(function.body)

    def place(self, block: Block) -> None:
        """Note where statements are."""
        for k, s in enumerate(block.stmts):
            self.blocks[id(s)] = block, k
            for inner in blocks_of(s):
                self.place(inner)

    def holds(self, tape: Tape) -> bool:
        """Whether what a tape records keeps its contents."""
        memory = self.memory
        assert tape.append is not None and tape.pop is not None
        c = memory.of(tape.value)
        if c is None:
            return True
        if memory.opaque:
            return False
        return c not in memory.written or (c not in memory.external and self.is_finished(tape, c))

    def is_finished(self, tape: Tape, c: Class) -> bool:
        """Whether what is recorded is made in the same iteration, and written there before it is recorded only.

        All references to it, and to what holds them, are found there or come from the tape.
        """
        assert tape.append is not None and tape.pop is not None
        memory = self.memory
        block, at = self.blocks[id(tape.append)]
        before = Block(block.stmts[:at])
        popped, _ = self.blocks[id(tape.pop)]
        inside = {*all_vars(before), *all_vars(Block(popped.stmts))}
        lists = {op.target for op in (tape.made, tape.copy) if op is not None}
        classes = [c]
        for d in classes:
            holders = {h for h in map(memory.find, list(memory.elements)) if memory.element(h) == d}
            classes += [h for h in holders if h not in classes]
        found = [v for v in self.variables if v not in lists and memory.of(v) in classes]
        if not all(v in inside for v in found):
            return False
        return self.stores(before, c) == self.stores(memory.function, c)

    def stores(self, root: Block | Function, c: Class) -> int:
        """How many statements change what is of a class."""
        changed = (classes_written(self.memory, s) for s in walk(root) if isinstance(s, Op | Store))
        return sum(c in map(self.memory.find, classes) for classes in changed)
