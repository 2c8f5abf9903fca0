"""Arrays that may change after an operation has given them.

::

    y[0] = x             # y changes here, and not behind the reshape
    z = np.reshape(y, n) # view or copy: the same values for good

Requires: nothing of the IR but that each value has one definition.
Ensures: an answer that is on the safe side: of what is not found, no store comes after the operation that gives it,
nor in a loop around that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from s2sad.analysis.effects import writes_of
from s2sad.analysis.memory import Class, Memory
from s2sad.ir.nodes import Block, For, Function, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of

__all__ = ["changed_later"]

#: A place in the text, and the loops around it.
_Place: TypeAlias = "tuple[int, frozenset[int]]"


def changed_later(function: Function, memory: Memory, ops: Iterable[Op]) -> set[Var]:
    """The results of these operations whose memory may be stored into from then on."""
    placed = [(s, (k, loops)) for k, (s, loops) in enumerate(_in_order(function.body, frozenset()))]
    places = {id(s): place for s, place in placed}
    writes: dict[Class | None, list[_Place]] = {}
    for s, place in placed:
        for c in _changed(s, memory):
            writes.setdefault(c, []).append(place)
    unseen = memory.changed_by_calls | memory.asked
    return {
        v
        for s in ops
        if (v := s.target) is not None
        and (memory.of(v) in unseen or any(_is_later(at, places[id(s)]) for at in writes.get(memory.of(v), ())))
    }


def _in_order(block: Block, loops: frozenset[int]) -> Iterator[tuple[Stmt, frozenset[int]]]:
    """All statements as they are written down, with the loops around each."""
    for s in block.stmts:
        yield s, loops
        inner = loops | {id(s)} if isinstance(s, For | While) else loops
        for b in blocks_of(s):
            yield from _in_order(b, inner)


def _changed(s: Stmt, memory: Memory) -> Iterator[Class | None]:
    """The memory that a statement, blocks apart, stores into."""
    if isinstance(s, Op | Store):
        yield from map(memory.of, writes_of(s))


def _is_later(at: _Place, then: _Place) -> bool:
    """Whether what is at the first place may be done after what is at the second."""
    return at[0] > then[0] or not at[1].isdisjoint(then[1])
