"""Objects that change only before anything else holds them.

::

    row = [0.0] * n
    row[0] = x           # row changes, by the name that it was made under
    rows.append((row, x))    # from here on it is held, and does not change

What holds such an object may have an adjoint of the object by value: when that is passed on, no change is left to be
undone that came later.

Requires: nothing of the IR but that each value has one definition.
Ensures: an answer that is on the safe side.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from s2sad.analysis.effects import WRITES_DEEP, writes_of
from s2sad.analysis.memory import Class, Memory, makes_object
from s2sad.analysis.sharing import shared_operands
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Callee, For, Function, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, uses_of

__all__ = ["HOLDERS", "finished_when_held"]

#: A place in the text, and the loops around it.
_Place: TypeAlias = "tuple[int, tuple[int, ...]]"
#: What makes a container of its operands, or of the items of one.
HOLDERS: set[Any] = {prims.make_tuple, prims.make_list, prims.make_dict, prims.make_instance}
HOLDERS |= {prims.list_copy, prims.list_repeat}


def finished_when_held(function: Function, memory: Memory) -> set[Class]:
    """The classes of memory that are written, and that of no object after something else holds it."""
    walk = _Walk(memory)
    walk.block(function.body, ())
    late = {memory.of(v) for v, writes in walk.writes.items() if not walk.are_early(v, writes)}
    return {c for c in memory.written if c not in late | walk.unknown}


class _Walk:
    """Notes where objects are made, written under the names that they are made under, and held."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.made: dict[Var, _Place] = {}
        self.writes: dict[Var, list[_Place]] = {}
        self.held: dict[Var, list[_Place]] = {}
        #: written in other ways
        self.unknown: set[Class | None] = {*memory.changed_by_calls, *memory.asked}
        self.position = 0

    def block(self, block: Block, loops: tuple[int, ...]) -> None:
        """A block within some loops; what it hands out is held from its end on."""
        for s in block.stmts:
            self.position += 1
            self.stmt(s, (self.position, loops))
            inner = (*loops, id(s)) if isinstance(s, For | While) else loops
            for b in blocks_of(s):
                self.block(b, inner)
        self.position += 1
        self.hold(block.outs, (self.position, loops))

    def stmt(self, s: Stmt, place: _Place) -> None:
        """A statement, blocks apart."""
        if not isinstance(s, Op | Store):
            self.hold(uses_of(s), place)
            return
        if isinstance(s, Op) and s.target is not None and makes_object(s):
            self.made[s.target] = place
        for a in writes_of(s):
            self.write(a, s, place)
        self.hold(_held_by(s), place)

    def write(self, a: Atom, s: Op | Store, place: _Place) -> None:
        """Something is stored into."""
        deep = isinstance(s, Op) and s.fn in WRITES_DEEP
        if isinstance(a, Var) and a in self.made and not deep:
            self.writes.setdefault(a, []).append(place)
        else:
            self.unknown |= set(self.memory.reachable(a)) if deep else {self.memory.of(a)}

    def hold(self, atoms: Any, place: _Place) -> None:
        """These are held, or go by another name, from here on."""
        for a in atoms:
            if isinstance(a, Var):
                self.held.setdefault(a, []).append(place)

    def are_early(self, v: Var, writes: list[_Place]) -> bool:
        """Whether what is made under a name is written before it is held: not in a loop with that, which comes back."""
        depth = len(self.made[v][1])
        return all(
            at < then and not set(loops[depth:]) & set(others[depth:])
            for at, loops in writes
            for then, others in self.held.get(v, [])
        )


def _held_by(s: Op | Store) -> Iterator[Atom]:
    """What is held after a statement by something else, or may be."""
    match s:
        case Store(obj=obj, value=value):
            if not isinstance(getattr(obj, "kind", None), K.Array):
                yield value
        case Op(fn=prims.list_append | prims.list_insert | prims.list_extend, args=(_, *args)):
            yield from args
        case Op(fn=fn, args=args) if isinstance(fn, Function | Callee) or fn in HOLDERS:
            yield from args
        case Op():
            yield from shared_operands(s)
