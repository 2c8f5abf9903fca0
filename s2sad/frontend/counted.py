"""Loops over a few integers that are written down: one by one, or as the loop that they are.

``for d in (-1, 0, 1): ...`` is spelt out, so that each ``d`` is known. Where the body goes in loops of its own that are
not simply along arrays, as over the neighbours of a cell, little comes of that, and nine or 27 copies of such a body
take as many times as long to derive and to compile. So what an iteration comes to is looked at when the first is
lowered: if all together are long, lowering starts anew with the loop as it is, over a range or by places in a tuple.
If it is refused in this form, the loop is spelt out after all.

>>> from s2sad.frontend.values import RangeV, TupleV
>>> as_counted(TupleV((Const(-1), Const(0), Const(1)))) == RangeV(Const(-1), Const(2), Const(1))
True
>>> as_counted(TupleV((Const(0.5), Const(1.5)))) is None
True
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from s2sad.frontend.values import AVal, IterV, RangeV, TupleV
from s2sad.ir.nodes import Block, Const, For, If, Stmt, While
from s2sad.ir.rewrite import walk

__all__ = ["are_many", "as_counted"]

#: Statements that a loop is spelt out to, at most, if its body goes in loops that are not simply along arrays.
_MOST = 64


def as_counted(source: AVal) -> AVal | None:
    """What a loop over integers, or tuples of as many, can go over without being spelt out; None of anything else."""
    match source:
        case TupleV(items, None) if len(items) > 1 and all(
            isinstance(i, Const) and type(i.value) is int for i in items
        ):
            return _as_range([i.value for i in items if isinstance(i, Const)]) or source
        case TupleV([TupleV(first, None), *_] as rows, None) if first:
            same = [r.items for r in rows if isinstance(r, TupleV) and r.cls is None and len(r.items) == len(first)]
            return (
                _counted_columns("zip", [TupleV(c) for c in zip(*same, strict=True)])
                if len(same) == len(rows)
                else None
            )
        case IterV(form="product", parts=parts) if parts:
            return _counted_columns("product", parts)
    return None


def are_many(stmts: Sequence[Stmt], times: int) -> bool:
    """Whether an iteration, of these statements, is better not spelt out so many times."""
    within = list(walk(Block(tuple(stmts))))
    return times * len(within) > _MOST and any(map(_is_involved, within))


def _is_involved(stmt: Stmt) -> bool:
    """Whether a statement is a loop that does not become one nest with its like."""
    return isinstance(stmt, While) or (isinstance(stmt, For) and any(isinstance(s, If) for s in walk(stmt.body)))


def _counted_columns(form: str, parts: Sequence[AVal]) -> AVal | None:
    columns = [as_counted(p) if isinstance(p, TupleV) else None for p in parts]
    known = tuple(c for c in columns if c is not None)
    return IterV(form, known) if len(known) == len(columns) else None


def _as_range(numbers: Sequence[int]) -> RangeV | None:
    """The range of these numbers, if they are evenly spaced."""
    start, step = numbers[0], numbers[1] - numbers[0]
    if step == 0 or any(b - a != step for a, b in pairwise(numbers)):
        return None
    return RangeV(Const(start), Const(numbers[-1] + step), Const(step))
