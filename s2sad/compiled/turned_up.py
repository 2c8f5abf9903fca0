"""Loops that count down turned into ones that count up, where their iterations may run in any order.

Before::

    def f(x: float64[2]#1, w: float64[1]#2, y: float64[1]#3, bw: float64[1]#2, n: int, t: int):
        for i: int in range(0, n) as terms:
            for k: int in range(t, -1, -1):
                u: float = y[k]
                at: (int, int) = (i, k)
                v: float = x[at]
                a: float = u * v
                y[k] = a
                bw[k] += a
        return bw

After::

    def f(x, w, y, bw, n, t):
        for i in range(0, n) as terms:
            stop = t + 1
            for k in range(0, stop):
                u = y[k]
                at = (i, k)
                v = x[at]
                a = u * v
                y[k] = a
                bw[k] += a
        return bw

LLVM asks once, before the outer loop, whether the arrays of an inner one lie apart, and then runs it number by number
if the outer one goes through an array from its end.

Requires: a loop over terms of a sum, of which it is known what the terms add to.
Ensures: the same values, but for the order of sums of adjoints.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

import numpy as np

from s2sad.analysis.effects import is_pure, only_raises, writes_of
from s2sad.analysis.memory import Class
from s2sad.compiled.bodies import first_index, forward_range
from s2sad.compiled.expand import kind_of
from s2sad.compiled.varied import Varied
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, For, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import targets_of, walk

__all__ = ["turned_up"]


def turned_up(loop: For, varied: Varied, made: Mapping[Var, Stmt]) -> tuple[list[Stmt], For]:
    """The loop as one that counts up, if it may, and what computes its ends."""
    if loop.step != Const(-1) or loop.params or loop.has_exit or not _runs_either_way(loop, varied):
        return [], loop
    stmts: list[Stmt] = []
    start, stop = forward_range(loop, made, stmts)
    return stmts, For(loop.index, start, stop, Const(1), (), (), loop.body, (), origin=loop.origin)


def _runs_either_way(loop: For, varied: Varied) -> bool:
    """Whether iterations share nothing but sums: what one of them stores into is at its own place along an axis.

    Two indices are two places if none of them is counted from the end.
    """
    if first_index(loop) < 0:
        return False
    stmts = list(walk(loop.body))
    indices: dict[Atom, tuple[Atom, ...]] = {
        v: s.args for s in stmts if isinstance(s, Op) and s.fn is prims.make_tuple for v in targets_of(s)
    }
    written: set[Class] = set()
    axes: dict[Class, set[int]] = {}
    for s in stmts:
        match s:
            case Store(obj=obj) if varied.is_sum(obj):
                continue
            case Store(obj=obj, index=index) | Op(fn=operator.getitem, args=(obj, index), target=Var(kind=K.Scalar())):
                c = varied.memory.of(obj)
                if isinstance(s, Store):
                    written.add(c)
                parts = indices.get(index, (index,))
                own = {k for k, a in enumerate(parts) if a is loop.index and isinstance(kind_of(obj), K.Array)}
                axes[c] = axes.get(c, own) & own
            case Op(fn=fn) if isinstance(fn, Function) or writes_of(s) or not (is_pure(fn) or only_raises(fn)):
                return False
            case Op(fn=fn) if fn not in (len, np.shape):
                axes |= {c: set() for a in s.args for c in varied.memory.reachable(a)}
    return not any(c in varied.viewed or not axes[c] for c in written)
