"""Lengths that pullbacks capture, in place of arrays that they only ask for them.

Before::

    def f_vjp(x: float64[1]):
        half: float64[1] = x[part]
        ...
        def f_pullback(by: float64[1]):
            c = unbroadcast(by, half)
            return c
        result = (y, f_pullback)
        return result

After::

    def f_vjp(x):
        half = x[part]
        ...
        shape = np.shape(half)
        n = shape[0]
        def f_pullback(by):
            t = (n,)
            half_1 = np.empty(t, <class 'numpy.float64'>)
            c = unbroadcast(by, half_1)
            return c
        result = (y, f_pullback)
        return result

What a pullback of a function that calls itself captures is copied into lists, at each level of the calls.

Requires: a function that gives a pullback, and calls no method of what this captures.
Ensures: the same values.
"""

from __future__ import annotations

import operator

import numpy as np

from s2sad.compiled.lengths import DTYPES, only_shapes
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Block, Closure, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import free_vars, substitute, with_body

__all__ = ["lengths_captured"]


def lengths_captured(function: Function) -> Function:
    """The function, with lengths for arrays that its pullbacks only ask for these."""
    stmts: list[Stmt] = []
    for s in function.body.stmts:
        stmts += _told(s) if isinstance(s, Closure) else [s]
    return with_body(function, Block(tuple(stmts), function.body.outs))


def _told(closure: Closure) -> list[Stmt]:
    """A pullback, after the statements that ask for lengths."""
    before: list[Stmt] = []
    within: list[Stmt] = []
    stands: dict[Var, Var] = {}
    inner = closure.function
    for v in only_shapes(inner, free_vars(inner)):
        assert isinstance(v.kind, K.Array) and isinstance(v.kind.rank, int)
        lengths = [Var("n", K.INT) for _ in range(v.kind.rank)]
        sizes = K.Tuple((K.INT,) * len(lengths))
        asked, shape, stand = Var("shape", sizes), Var("", sizes), Var(v.hint, v.kind)
        before.append(Op(asked, np.shape, (v,), (), closure.origin))
        before += [Op(n, operator.getitem, (asked, Const(k)), (), closure.origin) for k, n in enumerate(lengths)]
        within.append(Op(shape, prims.make_tuple, tuple(lengths)))
        within.append(Op(stand, np.empty, (shape, Const(DTYPES[v.kind.dtype]))))
        stands[v] = stand
    if not stands:
        return [closure]
    body = substitute(inner.body, stands)
    told = with_body(inner, Block((*within, *body.stmts), body.outs))
    return [*before, Closure(closure.target, told, closure.origin)]
