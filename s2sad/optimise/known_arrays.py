"""Of arrays that are known to be such: NumPy's own functions in place of helpers that look what they are given.

Before::

    def f(x: float64[1]#1, A: float64[2]#2, B: float64[2]#3, i: int64[1]#4, y: float64[1]#1):
        add_at(x, i, y)
        add_at(A, i, B)
        n: int = count(A, -1)
        t: float64[1]#1 = x * y
        s: float64 = total(t)
        r = n * s
        return r

After::

    def f(x, A, B, i, y):
        np.add.at(x, i, y)
        add_to_rows(A, i, B)
        t = np.shape(A)
        n = t[-1]
        s = x @ y
        r = n * s
        return r

Differentiation and the passes before know each operation by one name, whatever it is applied to, as does the compiled
tier.

Requires: the last passes over the derivative have run.
Ensures: the same values, where sums of products may round otherwise.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.analysis.facts import Facts
from s2sad.analysis.memory import Class
from s2sad.analysis.reads import classes_written
from s2sad.ir import prims
from s2sad.ir.kinds import INT, Array, Scalar, Tuple, known_same_shape
from s2sad.ir.nodes import Atom, Block, Const, Function, Op, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import blocks_of, walk, with_blocks, with_body
from s2sad.optimise.shapes import Shapes
from s2sad.runtime import helpers

__all__ = ["call_by_arrays"]

_REAL = ("float64", "float32")


def call_by_arrays(function: Function) -> Function:
    """Replace calls of helpers where the kinds of their operands tell what they do."""
    if not any(type(s) is Op and _rule_of(s) for s in walk(function)):
        return function
    return with_body(function, _Calls(function).block(function.body))


class _Calls:
    """Rebuilds a function, and knows what made the operands of a call."""

    def __init__(self, function: Function) -> None:
        self.facts = Facts(function)
        self.shapes = Shapes(function.params)
        self.stmts: list[Stmt] = []  #: of the block being rebuilt, those before

    def block(self, block: Block) -> Block:
        """A block, with calls replaced."""
        outer, self.stmts = self.stmts, []
        mark = self.shapes.mark()
        for s in block.stmts:
            if type(s) is Op:
                self.shapes.note(s)
                rule = _rule_of(s)
                self.stmts += (rule(self, s) if rule is not None else None) or [s]
            else:
                self.stmts.append(with_blocks(s, tuple(map(self.block, blocks_of(s)))) if blocks_of(s) else s)
        self.shapes.forget(mark)
        new, self.stmts = self.stmts, outer
        return Block(tuple(new), block.outs)

    def product(self, a: Atom) -> tuple[int, Op] | None:
        """The place of the product that a value is, if nothing else asks for it and no operand has changed since."""
        changed: set[Class] = set()
        for k in range(len(self.stmts) - 1, -1, -1):
            s = self.stmts[k]
            if type(s) is Op and s.target is a:
                fresh = not any(self.facts.memory.of(x) in changed for x in s.args)
                return (k, s) if s.fn is operator.mul and fresh and self.facts.uses.get(s.target) == 1 else None
            if isinstance(s, Op | Store):
                changed.update(classes_written(self.facts.memory, s))
            elif blocks_of(s):
                return None
        return None


def _add_at(calls: _Calls, op: Op) -> list[Stmt] | None:
    """Into a vector, or into parts of an array."""
    kind = kind_of(op.args[0])
    if not isinstance(kind, Array) or not kind.rank:
        return None
    return [Op(None, np.add.at if kind.rank == 1 else helpers.add_to_rows, op.args, (), op.origin)]


def _count(calls: _Calls, op: Op) -> list[Stmt] | None:
    """Of one axis."""
    a, axis = (*op.args, Const(None))[:2]
    kind = kind_of(a)
    if op.kwargs or not isinstance(kind, Array) or not kind.rank or not isinstance(axis, Const):
        return None
    if type(axis.value) is not int or op.target is None:
        return None
    shape = Var("t", Tuple((INT,) * kind.rank))
    return [Op(shape, np.shape, (a,), (), op.origin), Op(op.target, operator.getitem, (shape, axis), (), op.origin)]


def _total(calls: _Calls, op: Op) -> list[Stmt] | None:
    """Of the products of the items of two vectors."""
    found = calls.product(op.args[0])
    if found is None or op.target is None or not isinstance(kind_of(op.target), Scalar):
        return None
    place, product = found
    kinds = [kind_of(x) for x in product.args]
    real = all(isinstance(k, Array) and k.rank == 1 and k.dtype in _REAL for k in kinds)
    if not real or kinds[0].dtype != kinds[1].dtype:  # type: ignore[attr-defined]
        return None
    if not (known_same_shape(*kinds) or calls.shapes.equal(*product.args)):
        return None
    del calls.stmts[place]
    return [Op(op.target, operator.matmul, product.args, (), op.origin)]


def _rule_of(op: Op) -> Callable[[_Calls, Op], list[Stmt] | None] | None:
    try:
        return _RULES.get(op.fn)
    except TypeError:  # unhashable: the user's
        return None


_RULES: dict[Any, Callable[[_Calls, Op], list[Stmt] | None]] = {
    helpers.add_at: _add_at,
    helpers.count: _count,
    prims.total: _total,
}
