"""Integers that are the same in each iteration, computed before the loop.

Before::

    def f(x: float64[2], n: int, k: int):
        for i in range(0, n):
            m = max(k, 0)
            shape: (int, int) = np.shape(x)
            s = shape[0]
            j = s - m
            t: float64[1] = np.empty(j)
            t[0] = 1.0
        return x

After::

    def f(x, n, k):
        m = max(k, 0)
        shape = np.shape(x)
        s = shape[0]
        j = s - m
        for i in range(0, n):
            t = np.empty(j)
            t[0] = 1.0
        return x

What has such a length can then be made once, too (:mod:`s2sad.loops`).

Requires: nothing.
Ensures: the same values; what is moved cannot fail, and so may be computed where no iteration is run.
"""

from __future__ import annotations

import operator
from collections.abc import Set
from typing import Any

import numpy as np

from s2sad.ir.kinds import Array, Scalar, Tuple
from s2sad.ir.nodes import Block, Const, For, Function, Op, Stmt, Var, While, kind_of
from s2sad.ir.rewrite import all_vars, blocks_of, inner_targets_of, uses_of, with_blocks, with_body

__all__ = ["integers_before"]

_SAFE: set[Any] = {operator.add, operator.sub, operator.mul, operator.neg, max, min}
_INTEGERS = ("int", "int64")


def integers_before(function: Function, scratch: Set[Var] = frozenset()) -> Function:
    """Compute integers before the loops in which they are the same all along.

    So are arrays of ``scratch`` made there: each iteration stores what it then reads of them.
    """
    return with_body(function, _block(function.body, scratch))


def _block(block: Block, scratch: Set[Var]) -> Block:
    """A block, with what needs no iteration before its loops."""
    stmts: list[Stmt] = []
    for s in block.stmts:
        new = with_blocks(s, tuple(_block(b, scratch) for b in blocks_of(s)))
        stmts += _parted(new, scratch) if isinstance(new, For | While) else (new,)
    same = len(stmts) == len(block.stmts) and all(map(operator.is_, stmts, block.stmts))
    return block if same else Block(tuple(stmts), block.outs)


def _parted(loop: For | While, scratch: Set[Var]) -> list[Stmt]:
    """What goes before a loop, and the loop without it."""
    inside = {*inner_targets_of(loop), *all_vars(loop.body)}
    before: list[Stmt] = []
    for s in loop.body.stmts:
        if (
            isinstance(s, Op)
            and (_is_safe(s) or s.target in scratch)
            and inside.isdisjoint(a for a in uses_of(s) if isinstance(a, Var))
        ):
            before.append(s)
            inside -= {s.target}
    moved = {id(s) for s in before}
    body = Block(tuple(s for s in loop.body.stmts if id(s) not in moved), loop.body.outs)
    return [*before, with_blocks(loop, (*blocks_of(loop)[:-1], body)) if before else loop]


def _is_safe(op: Op) -> bool:
    """Whether an operation gives an integer, or a shape, and cannot fail."""
    match op:
        case Op(target=Var(kind=Scalar(dtype)), fn=fn) if fn in _SAFE and dtype in _INTEGERS and not op.kwargs:
            return all(isinstance(k := kind_of(a), Scalar) and k.dtype in _INTEGERS for a in op.args)
        case Op(target=Var(), fn=fn, args=(Var(kind=Array(rank=int(rank))),), kwargs=()):
            return fn is np.shape or (fn is len and rank > 0)
        case Op(fn=operator.getitem, args=(Var(kind=Tuple(items)), Const(value=int(k)))):
            return -len(items) <= k < len(items) and all(isinstance(x, Scalar) and x.dtype == "int" for x in items)
    return False
