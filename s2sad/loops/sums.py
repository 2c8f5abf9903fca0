"""Sums in an order that is left open.

Before::

    for i in range(0, n) carrying (total = a):
        t = x[i]
        total_1 = total + t
        next total_1
    -> s

After::

    for i in range(0, n) carrying (total = a):
        t = x[i]
        total_1 = plus(total, t)
        next total_1
    -> s

A compiler that keeps to the order of a sum adds one number in the time that an addition takes, and makes no vector code
of the loop. :func:`~s2sad.runtime.helpers.plus` is an addition of which it may do several side by side.

Requires: an innermost loop, written down, of a sum that the user has not written in an order of their own.
Ensures: the same values, but for the order of sums.
"""

from __future__ import annotations

import operator
from dataclasses import replace

from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Atom, Block, For, Op, Stmt, Var
from s2sad.ir.rewrite import use_counts
from s2sad.runtime.helpers import plus

__all__ = ["sums_in_any_order"]


def sums_in_any_order(loop: For) -> For:
    """The loop, with additions to what it carries in any order, where nothing else reads that."""
    counts = use_counts(loop.body)
    sums: set[Atom] = {
        out
        for param, out in zip(loop.params, loop.body.outs, strict=True)
        if isinstance(out, Var) and param.kind in (Scalar("float64"), Scalar("float"), Scalar("complex128"))
        if counts.get(param) == counts.get(out) == 1
    }
    if not sums:
        return loop
    stmts = tuple(_open(s, loop.params, sums) for s in loop.body.stmts)
    return replace(loop, body=Block(stmts, loop.body.outs))


def _open(s: Stmt, params: tuple[Atom, ...], sums: set[Atom]) -> Stmt:
    """An addition to one of the sums, in any order; other statements as they are."""
    if isinstance(s, Op) and s.target in sums and s.fn is operator.add:
        carried = [a in params for a in s.args]
        if carried in ([True, False], [False, True]):
            return replace(s, fn=plus, args=s.args if carried[0] else s.args[::-1])
    return s
