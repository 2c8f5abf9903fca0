"""When the contents of objects last changed, while a pass walks a function in order."""

from __future__ import annotations

from collections.abc import Iterable, Set

from s2sad.analysis.effects import KEEPS_NOTHING, is_pure, only_computes
from s2sad.analysis.facts import Facts
from s2sad.analysis.memory import Class
from s2sad.analysis.reads import classes_written
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, free_vars

__all__ = ["Clock"]

_ALWAYS = 1 << 60
_NONE: frozenset[Class] = frozenset()


class Clock:
    """Counts statements, and remembers when each alias class was last written.

    ``unchanged(atoms, since)`` is the question it answers: do these operands hold now
    what they held at that time? A loop writes, at its entry, all that its body writes;
    a closure may run at any later time.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.now = 0
        self.last_write: dict[Class, int] = {}
        self.last_opaque = -1
        self.inside: dict[int, tuple[set[Class], bool]] = {}
        self.still = facts.still or not (facts.memory.written or facts.memory.opaque)  #: nothing ever changes
        if not self.still:
            self.memory = facts.memory
            self._summarise(facts.function.body)

    def _summarise(self, block: Block) -> tuple[set[Class], bool]:
        """What each structured statement writes, and whether it calls what we do not know."""
        written: set[Class] = set()
        opaque = False
        for stmt in block.stmts:
            if type(stmt) is Op or type(stmt) is Store:
                classes, calls = self._writes(stmt)
            else:
                parts = [self._summarise(b) for b in blocks_of(stmt)]
                classes, calls = set().union(*(p[0] for p in parts)), any(p[1] for p in parts)
                self.inside[id(stmt)] = classes, calls
                if isinstance(stmt, Closure):
                    self._volatile(stmt, classes)
            written |= classes
            opaque = opaque or calls
        return written, opaque

    def _volatile(self, closure: Closure, written: set[Class]) -> None:
        """What a closure writes of the objects around it may change whenever it is called."""
        if written:
            for v in free_vars(closure.function):
                for c in self.memory.reachable(v):
                    if c in written:
                        self.last_write[c] = _ALWAYS

    def _writes(self, stmt: Op | Store) -> tuple[Set[Class], bool]:
        if type(stmt) is Op and not stmt.kwargs and only_computes(stmt.fn):
            return _NONE, False
        classes = set(classes_written(self.memory, stmt))
        if type(stmt) is Store or is_pure(stmt.fn):  # type: ignore[union-attr]
            return classes, False
        return classes, not any(stmt.fn is f for f in KEEPS_NOTHING)  # type: ignore[union-attr]

    # ------------------------------------------------------------ running

    def note(self, stmt: Op | Store) -> None:
        """A statement has run."""
        self.now += 1
        if not self.still:
            self._set(*self._writes(stmt))

    def enter(self, stmt: Stmt) -> None:
        """A structured statement begins: a loop or closure may meet the effects of its own later statements."""
        self.now += 1
        if self.still:
            return
        if isinstance(stmt, For | While):
            self._set(*self.inside[id(stmt)])
        elif isinstance(stmt, Closure):
            self._set(self.memory.written, True)

    def unify(self, a: Atom, b: Atom) -> None:
        """Say that two atoms refer to one object, which was written when either was."""
        for kept, gone in self.facts.memory.unify(a, b):
            if gone in self.last_write:
                self.last_write[kept] = max(self.last_write[gone], self.last_write.get(kept, 0))

    def _set(self, classes: Set[Class], opaque: bool) -> None:
        for c in map(self.memory.find, classes):  # some were found before others were joined
            self.last_write[c] = max(self.now, self.last_write.get(c, 0))
        if opaque:
            self.last_opaque = self.now

    def unchanged(self, atoms: Iterable[Atom], since: int) -> bool:
        """Whether the operands, and all they hold, are as they were at time ``since``."""
        if self.still:
            return True
        memory = self.memory
        for a in atoms:
            if type(a) is Const or (type(a) is Var and memory.of(a) is None):
                continue
            for c in memory.reachable(a):
                if self.last_write.get(c, -1) > since or (self.last_opaque > since and c in memory.external):
                    return False
        return True
