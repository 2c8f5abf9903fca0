"""Axes of arguments that are taken to have the lengths of a first call, and checked.

Before::

    def f(u: float64[2]#1, b: float64[2]#2):
        w: float64[2] = u + b
        return w

After, for length one of the first axis of ``b``::

    def f(u, b):
        shape = np.shape(b)
        n = shape[0]
        same_length(n, 1)
        w = u + b
        return w

A column of masses or a row of biases is stretched wherever it meets a matrix: :mod:`s2sad.optimise.assume` lets such an
axis alone.

Ensures: the same values where no check fails. A caller that gets the error of one derives anew, without them.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator

import numpy as np

from s2sad.ir.kinds import INT, Tuple, rank_of
from s2sad.ir.nodes import Block, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import with_body
from s2sad.runtime import helpers

__all__ = ["take_lengths"]


def take_lengths(function: Function, axes: Iterable[tuple[Var, int, int]]) -> Function:
    """The function with checks that axes have lengths, as soon as there is what they are of.

    They are axes of parameters, or of what is taken out of them: other variables are let be.
    """
    wanted: dict[Var | None, list[Stmt]] = {}
    for v, k, n in axes:
        wanted.setdefault(v, []).extend(_is_as_long(v, k, n))
    if not wanted:
        return function
    stmts = [check for p in function.params for check in wanted.get(p, ())]
    for s in function.body.stmts:
        stmts += [s, *wanted.get(s.target, ())] if isinstance(s, Op) else [s]
    return with_body(function, Block(tuple(stmts), function.body.outs))


def _is_as_long(v: Var, axis: int, length: int) -> Iterator[Op]:
    """The check that an axis of an array has a length."""
    shape, n = Var("shape", Tuple((INT,) * (rank_of(v.kind) or 0))), Var("n", INT)
    yield Op(shape, np.shape, (v,))
    yield Op(n, operator.getitem, (shape, Const(axis)))
    yield Op(None, helpers.same_length, (n, Const(length)))
