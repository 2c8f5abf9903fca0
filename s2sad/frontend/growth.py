"""Refusal of lists that change their length while they are iterated over.

A loop over a list is lowered to a loop whose trip count is the length at its start. Python
looks at the length again before each iteration.
"""

from __future__ import annotations

import operator

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, For, Op, Var
from s2sad.ir.rewrite import walk

__all__ = ["refuse_growth"]


def refuse_growth(lo: Lowering, body: Block) -> None:
    """Refuse a body in which a loop of ``lo.iterations`` changes the length of what it goes over.

    Requires that all is lowered: only then is it known which names may mean one list.
    """
    for loop in walk(body):
        if not isinstance(loop, For) or loop.index not in lo.iterations:
            continue
        iterated = [xs for xs in _measured(lo, loop.stop) if isinstance(kind_of(xs), K.List)]
        for s in walk(loop.body) if iterated else ():
            if isinstance(s, Op) and s.fn in prims.RESIZES and any(_may_be(lo, s.args[0], xs) for xs in iterated):
                raise UnsupportedSyntax(
                    "a list that may be the one that is iterated over changes its length here.",
                    help="Iterate over a copy, `list(xs)`, or write `while k < len(xs)`.",
                    origin=s.origin,
                )


def _measured(lo: Lowering, length: Atom) -> list[Atom]:
    """What a trip count is the length of."""
    op = lo.definitions.get(length) if isinstance(length, Var) else None
    if op is None or op.fn not in (len, min):
        return []
    return [op.args[0]] if op.fn is len else [xs for n in op.args for xs in _measured(lo, n)]


def _may_be(lo: Lowering, changed: Atom, iterated: Atom) -> bool:
    """Whether a list may be the iterated one: where one is made in sight, the other must be bound later."""
    if changed is iterated:
        return True
    if _is_made(lo, changed, iterated) or _is_made(lo, iterated, changed):
        return False
    return bool(lo.containers.find(changed) == lo.containers.find(iterated))


def _is_made(lo: Lowering, xs: Atom, before: Atom) -> bool:
    """Whether a list is made in sight, after ``before`` was bound."""
    op = lo.definitions.get(xs) if isinstance(xs, Var) else None
    if op is None or not isinstance(xs, Var):
        return False
    makes = op.fn in prims.ALLOCATES or (op.fn is operator.getitem and kind_of(op.args[1]) == K.SLICE)
    return makes and isinstance(before, Var) and before.id < xs.id
