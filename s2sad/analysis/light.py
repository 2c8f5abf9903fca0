"""Variables of which only metadata is asked: shape, dtype, length.

In ``ones_like(w * C)`` neither the numbers of the product are asked nor, therefore, those of ``C``.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.analysis.effects import read_atoms
from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import Atom, Function, Op, Var, kind_of
from s2sad.ir.rewrite import all_blocks, uses_of, walk

__all__ = ["asked_for_metadata", "follows_metadata"]

#: Arithmetic whose result has its metadata from that of its operands. It raises and warns by no number, overflow apart.
_FOLLOWING: tuple[Any, ...] = (operator.add, operator.sub, operator.mul, operator.neg, np.add, np.subtract, np.multiply)


def asked_for_metadata(function: Function) -> frozenset[Var]:
    """The variables of which nothing but metadata is read, directly or by arithmetic of which no more is asked."""
    light: set[Atom] = set()
    read: set[Atom] = {a for block in all_blocks(function) for a in block.outs}
    for s in reversed([*walk(function)]):  # what a statement gives is used behind it, or handed out of its block
        if not isinstance(s, Op):
            read.update(uses_of(s))
            continue
        following = s.target in light and s.target not in read and follows_metadata(s)
        for a, metadata in read_atoms(s):
            (light if metadata or (following and isinstance(kind_of(a), Array)) else read).add(a)
    return frozenset(a for a in light - read if isinstance(a, Var))


def follows_metadata(op: Op) -> bool:
    """Whether the metadata of an array that an operation gives is told by that of arrays and numbers."""
    if not any(op.fn is f for f in _FOLLOWING) or op.kwargs or op.target is None:
        return False
    return isinstance(op.target.kind, Array) and all(isinstance(kind_of(a), Array | Scalar) for a in op.args)
