"""Products of matrices that are only added somewhere.

Before::

    def f(bw: float64[2]#1, x: float64[2]#2, b: float64[2]#3):
        p: float64[2]#4 = x @ b
        bw[...] += p
        return bw

After::

    def f(bw, x, b):
        add_product(bw, x, b)
        return bw

The adjoint of a layer's weights is such a sum, over the steps of a loop. Where each item of the product has few terms,
as for one sample at a time, loops that add where the sum is take half the time of a product that is made first.

Requires: sums in place (:mod:`s2sad.compiled.owned`).
Ensures: the same values.
"""

from __future__ import annotations

import operator

import numpy as np

from s2sad.analysis.effects import allocates
from s2sad.analysis.facts import Facts
from s2sad.analysis.memory import Class
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Comment, Const, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import blocks_of, map_stmts, with_body
from s2sad.optimise.clock import Clock
from s2sad.runtime import helpers

__all__ = ["products_added"]

_PRODUCTS = (operator.matmul, np.matmul, np.dot)


def products_added(function: Function) -> Function:
    """Add products where they are wanted."""
    walk = _Walk(function)
    walk.block(function.body)
    return with_body(function, map_stmts(function.body, lambda s: walk.changes.get(id(s), s)))


class _Walk:
    """Goes through a function in the order of the text."""

    def __init__(self, function: Function) -> None:
        self.facts = Facts(function)
        self.clock = Clock(self.facts)
        self.changes: dict[int, tuple[Stmt, ...]] = {}  #: what becomes of a statement

    def block(self, block: Block) -> None:
        """A block: products are added in the block that they are made in, but to zeros of the same block."""
        made: dict[Atom, tuple[Op, int]] = {}
        zeros: set[Class | None] = set()
        of = self.facts.memory.of
        for s in block.stmts:
            if isinstance(s, Op | Store):
                self.clock.note(s)
                if isinstance(s, Op) and s.target is not None:
                    if self.is_product(s):
                        made[s.target] = s, self.clock.now
                    elif allocates(s.fn):
                        zeros.add(of(s.target))
                elif isinstance(s, Store) and s.value in made and of(s.obj) not in zeros:
                    self.store(s, *made[s.value])
            elif not isinstance(s, Comment):
                self.clock.enter(s)
                for inner in blocks_of(s):
                    self.block(inner)

    def is_product(self, op: Op) -> bool:
        """Whether an operation gives the product of two matrices, which is used once."""
        if not any(op.fn is f for f in _PRODUCTS) or len(op.args) != 2 or op.kwargs:
            return False
        return all(map(_is_matrix, (op.target, *op.args))) and self.facts.uses[op.target] == 1  # type: ignore[index]

    def store(self, s: Store, product: Op, since: int) -> None:
        """Add a product, if what it is made of is as it was, and apart from what it is added to."""
        if s.aug != "+" or s.index != Const(Ellipsis) or not _is_matrix(s.obj):
            return
        memory = self.facts.memory
        apart = all(memory.of(a) != memory.of(s.obj) for a in product.args)
        if apart and self.clock.unchanged(product.args, since):
            self.changes[id(product)] = ()
            self.changes[id(s)] = (Op(None, helpers.add_product, (s.obj, *product.args), (), s.origin),)


def _is_matrix(a: object) -> bool:
    return isinstance(a, Var) and isinstance(kind := kind_of(a), K.Array) and (kind.dtype, kind.rank) == ("float64", 2)
