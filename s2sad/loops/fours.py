"""Sums in four parts.

Before::

    for i in range(0, n) carrying (total = a):
        t = x[i]
        t_1 = total + t
        next t_1
    -> s

After::

    m = n // 4
    for k in range(0, m) carrying (p = 0.0, q = 0.0, r = 0.0, s = 0.0):
        i = k * 4
        t = x[i]
        p_1 = p + t
        i_1 = i + 1
        ...
        next p_1, q_1, r_1, s_1
    -> ...
    ... (a + ((p + q) + (r + s))), and what is left as before, from m * 4 on

A compiler that keeps to the order of a sum adds one number in the time that an addition takes, which is that of
four additions that do not wait for each other.

Requires: an innermost loop, written down.
Ensures: the same values, but for the order of its sums: every fourth element, the four sums in pairs, then the rest.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import INT, Scalar
from s2sad.ir.nodes import Atom, Block, Const, For, Op, Stmt, Var
from s2sad.ir.rewrite import clone_block, use_counts

__all__ = ["in_fours"]

#: What takes no longer than an addition.
_QUICK = {operator.add, operator.sub, operator.mul, operator.neg, operator.getitem, prims.make_tuple, np.float64}
_MOST = 16  # statements of a body that is written down five times
_FEW = 12  # items, of which there are so many for certain, that gain nothing


def in_fours(loop: For, signed: bool) -> list[Stmt]:
    """A loop that computes sums, with four of each running side by side; other loops as they are.

    ``signed``: the length may be negative, and the loop is then empty.
    """
    if not _is_short(loop) or not all(_is_sum(loop, k) for k in range(len(loop.params))):
        return [loop]
    out: list[Stmt] = []

    def emit(fn: Any, *args: Atom, kind: Any = INT) -> Var:
        target = Var("", kind)
        out.append(Op(target, fn, args))
        return target

    size = emit(max, loop.stop, Const(0)) if signed else loop.stop
    quarter = emit(operator.floordiv, size, Const(4))
    fours, sums = _four_times(loop, quarter)
    out.append(fours)
    inits: list[Atom] = []
    for init, (p, q, r, s) in zip(loop.inits, sums, strict=True):
        kind = p.kind
        pairs = emit(operator.add, p, q, kind=kind), emit(operator.add, r, s, kind=kind)
        four = emit(operator.add, *pairs, kind=kind)
        inits.append(four if init == Const(0.0) else emit(operator.add, init, four, kind=kind))
    first = emit(operator.mul, quarter, Const(4))
    rest = For(
        loop.index, first, size, Const(1), loop.params, tuple(inits), loop.body, loop.results, False, loop.origin
    )
    return [*out, rest]


def _four_times(loop: For, quarter: Atom) -> tuple[For, list[tuple[Var, ...]]]:
    """The loop over all but the rest, and the four sums of each."""
    index = Var("k", INT)
    params = [tuple(Var(p.hint, p.kind) for _ in range(4)) for p in loop.params]
    results = [tuple(Var(p.hint, p.kind) for _ in range(4)) for p in loop.params]
    at = Var(loop.index.hint, INT)
    stmts: list[Stmt] = [Op(at, operator.mul, (index, Const(4)))]
    outs: list[list[Atom]] = [[] for _ in loop.params]
    for r in range(4):
        here = at
        if r:
            here = Var("", INT)
            stmts.append(Op(here, operator.add, (at, Const(r))))
        given: dict[Var, Atom] = {loop.index: here}
        given |= {p: four[r] for p, four in zip(loop.params, params, strict=True)}
        copy = clone_block(loop.body, given)
        stmts += copy.stmts
        for k, a in enumerate(copy.outs):
            outs[k].append(a)
    flat = tuple(p for four in params for p in four)
    body = Block(tuple(stmts), tuple(a for four in outs for a in four))
    given_back = tuple(p for four in results for p in four)
    return (
        For(index, Const(0), quarter, Const(1), flat, (Const(0.0),) * len(flat), body, given_back, False, loop.origin),
        results,
    )


def _is_short(loop: For) -> bool:
    """Whether a loop is innermost, and so short that what its sums wait for is their additions."""
    stmts = loop.body.stmts
    if not loop.params or len(stmts) > _MOST or loop.start != Const(0) or loop.step != Const(1):
        return False
    if isinstance(loop.stop, Const) and loop.stop.value <= _FEW:
        return False
    return all(isinstance(s, Op) and s.fn in _QUICK for s in stmts)


def _is_sum(loop: For, k: int) -> bool:
    """Whether what a loop carries is a sum, which nothing else reads."""
    param, out = loop.params[k], loop.body.outs[k]
    if param.kind not in (Scalar("float64"), Scalar("float")) or not isinstance(out, Var):
        return False
    made = next((s for s in loop.body.stmts if isinstance(s, Op) and s.target is out), None)
    counts = use_counts(loop.body)
    added = made is not None and made.fn is operator.add and made.args[0] is param and made.args[1] is not param
    return added and counts.get(param) == 1 and counts.get(out) == 1
