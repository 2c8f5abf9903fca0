"""Values that are read only before their memory changes, where a view and a copy are the same.

::

    v = y[k]             # a view or a copy: k is a tuple of a length that only a run tells
    w = v * x
    y[k] = w             # v is not read from here on

Requires: nothing of the IR but that each value has one definition.
Ensures: an answer that is on the safe side: those found are read in the block that gives them, by operations that
neither change them nor hold nor share them, and by nothing after the first statement that may change their memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from s2sad.analysis.effects import writes_of
from s2sad.analysis.memory import Memory
from s2sad.analysis.sharing import shared_operands
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import blocks_of, use_counts, uses_of, walk

__all__ = ["momentary_values"]


def momentary_values(function: Function, memory: Memory, asked: Callable[[Op], bool]) -> frozenset[Var]:
    """What the operations ``asked`` for give, of which nobody can tell whether it is a view or a copy."""
    blocks = [function.body, *(b for s in walk(function) for b in blocks_of(s))]
    suspects = [(b, k, s.target) for b in blocks for k, s in enumerate(b.stmts) if type(s) is Op and asked(s)]
    counts = use_counts(function) if suspects else {}
    return frozenset(
        v for b, k, v in suspects if v is not None and _is_momentary(v, b.stmts[k + 1 :], counts.get(v, 0), memory)
    )


def _is_momentary(v: Var, after: Iterable[Stmt], uses: int, memory: Memory) -> bool:
    """Whether all uses of a value are plain readings, before any change of its memory."""
    for s in after:
        if not uses:
            return True
        here = sum(a is v for a in uses_of(s))
        if here and not _only_reads(s, v):
            return False
        uses -= here
        if any(_changes(inner, v, memory) for inner in (s, *_within(s))):
            return not uses
        inside = sum(a is v for inner in _within(s) for a in uses_of(inner))
        if inside and not all(_only_reads(inner, v) for inner in _within(s)):
            return False
        uses -= inside
    return not uses


def _within(s: Stmt) -> Iterable[Stmt]:
    """The statements in the blocks of one."""
    return (inner for b in blocks_of(s) for inner in walk(b))


def _only_reads(s: Stmt, v: Var) -> bool:
    """Whether a statement, blocks apart, neither changes nor holds nor shares a value."""
    match s:
        case Op():
            return v not in shared_operands(s) and v not in writes_of(s)
        case Store(obj=obj, index=index):
            return obj is not v and index is not v and isinstance(getattr(obj, "kind", None), K.Array | K.Numeric)
    return v not in uses_of(s)


def _changes(s: Stmt, v: Var, memory: Memory) -> bool:
    """Whether a statement, blocks apart, may change the memory of a value."""
    if not isinstance(s, Op | Store):
        return False
    c = memory.of(v)
    return any(c in memory.reachable(a) for a in writes_of(s))
