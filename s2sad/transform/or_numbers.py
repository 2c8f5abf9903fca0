"""Copies of arrays that a branch hands on where the other side hands on a number.

The adjoint of what may be a number or an array is a value, and that of an array that is stored into is an object beside
it. Where the array changes no more once the branch hands it on, a copy of it, which nothing stores into, does as well.

Requires: a function, before activity is asked.
Ensures: the same values. An array that is stored into, and finished where a branch hands it on beside a number, goes by
no name that a number may have.

Before and after::

    y[k] = E                      y[k] = E
    if n > 1:                     if n > 1:
        give y                        y_1 = np.copy(y)
    else:                             give y_1
        first = y[0]              else:
        give first                    first = y[0]
    -> r                              give first
                                  -> r
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

import numpy as np

from s2sad.analysis.finished import finished_when_held
from s2sad.analysis.memory import Class, Memory
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Function, If, Op, Stmt, Var, kind_of
from s2sad.ir.rewrite import map_stmts, walk, with_body

__all__ = ["copy_beside_numbers"]


def copy_beside_numbers(function: Function) -> Function:
    """The function with copies for arrays that share a name with numbers; see above."""
    if not any(isinstance(s, If) and any(map(_is_mixed, s.then.outs, s.orelse.outs)) for s in walk(function)):
        return function
    memory = Memory(function)
    finished = finished_when_held(function, memory)

    def change(s: Stmt) -> Stmt:
        if not isinstance(s, If):
            return s
        mixed = [_is_mixed(a, b) for a, b in zip(s.then.outs, s.orelse.outs, strict=True)]
        then, orelse = (_copied(b, mixed, memory, finished, s) for b in (s.then, s.orelse))
        return s if then is s.then and orelse is s.orelse else replace(s, then=then, orelse=orelse)

    return with_body(function, map_stmts(function.body, change))


def _is_mixed(a: Atom, b: Atom) -> bool:
    """Whether one is a number and the other an array."""
    one, two = kind_of(a), kind_of(b)
    return (isinstance(one, K.Scalar) and isinstance(two, K.Array)) or (
        isinstance(one, K.Array) and isinstance(two, K.Scalar)
    )


def _copied(block: Block, mixed: list[bool], memory: Memory, finished: Set[Class], branch: If) -> Block:
    """A side of a branch that gives copies of arrays that are finished."""
    stmts, outs = list(block.stmts), list(block.outs)
    for k, (a, is_one) in enumerate(zip(block.outs, mixed, strict=True)):
        if is_one and isinstance(a, Var) and isinstance(a.kind, K.Array) and memory.of(a) in finished:
            copy = Var(a.hint, a.kind)
            stmts.append(Op(copy, np.copy if a.kind.rank == 1 else np.array, (a,), (), branch.origin))
            outs[k] = copy
    return block if tuple(outs) == block.outs else Block(tuple(stmts), tuple(outs))
