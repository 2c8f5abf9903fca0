"""Values that are read only before their memory changes, where a view and a copy are the same.

::

    v = y[k]             # a view or a copy: k is a tuple of a length that only a run tells
    w = v * x
    y[k] = w             # v is not read from here on

Requires: nothing of the IR but that each value has one definition.
Ensures: an answer that is on the safe side: those found are read in the block that gives them, by operations that
compute something else of them (no list or tuple holds them, no function of the program gets them), and by nothing
after the first statement that may change their memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from s2sad.analysis.effects import WRITES, is_pure, writes_of
from s2sad.analysis.finished import HOLDERS
from s2sad.analysis.memory import Memory
from s2sad.analysis.sharing import shared_operands
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Block, Callee, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import all_blocks, use_counts, uses_of, walk

__all__ = ["momentary_values"]


def momentary_values(function: Function, memory: Memory, asked: Callable[[Op], bool]) -> frozenset[Var]:
    """What the operations ``asked`` for give, of which nobody can tell whether it is a view or a copy."""
    ops = ((b, k, s) for b in all_blocks(function) for k, s in enumerate(b.stmts) if type(s) is Op)
    suspects = [(b, k, s.target) for b, k, s in ops if asked(s)]
    counts = use_counts(function) if suspects else {}
    return frozenset(
        v for b, k, v in suspects if v is not None and _is_momentary(v, b.stmts[k + 1 :], counts.get(v, 0), memory)
    )


def _is_momentary(v: Var, after: Iterable[Stmt], uses: int, memory: Memory) -> bool:
    """Whether all uses of a value are plain readings, before any change of its memory."""
    for s in after:
        if not uses:
            return True
        around, *inside = walk(Block((s,), ()))
        here = _readings(around, v)
        if here is None:
            return False
        uses -= here
        if any(_changes(t, v, memory) for t in (around, *inside)):
            return not uses
        within = [_readings(t, v) for t in inside]
        if None in within:
            return False
        uses -= sum(n for n in within if n is not None)
    return not uses


def _readings(s: Stmt, v: Var) -> int | None:
    """How often a statement, blocks apart, reads a value; None where it may do something else with it."""
    uses = sum(a is v for a in uses_of(s))
    return uses if not uses or _only_reads(s, v) else None


def _only_reads(s: Stmt, v: Var) -> bool:
    """Whether a statement, blocks apart, neither changes nor holds nor shares a value."""
    match s:
        case Op(fn=fn):
            computes = not isinstance(fn, Function | Callee) and is_pure(fn) and fn not in WRITES and fn not in HOLDERS
            return computes and v not in shared_operands(s) and v not in writes_of(s)
        case Store(obj=obj, index=index):
            return obj is not v and index is not v and isinstance(getattr(obj, "kind", None), K.Array | K.Numeric)
    return False


def _changes(s: Stmt, v: Var, memory: Memory) -> bool:
    """Whether a statement, blocks apart, may change the memory of a value."""
    if not isinstance(s, Op | Store):
        return False
    c = memory.of(v)
    return any(c in memory.reachable(a) for a in writes_of(s))
