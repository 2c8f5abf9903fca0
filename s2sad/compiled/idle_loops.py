"""Loops that have no iterations, as a branch around them tells.

Before::

    def f(y: float64[1], n: int, m: int):
        c = m > 0
        if c:
            u: float64[1] = y * 2.0
            give u
        else:
            for k in range(0, n) carrying (t: float64[..1] = 0.0):
                for i in range(0, m) carrying (v: float64[..1] = t):
                    w: float64[1] = v + y
                    next w
                -> x: float64[..1]
                next x
            -> s: float64[..1]
            give s
        -> z: float64[..1]
        return z

After::

    def f(y, n, m):
        c = m > 0
        if c:
            u = y * 2.0
            give u
        else:
            for k in range(0, n) carrying (t = 0.0):
                if False:
                    give t
                else:
                    give t
                -> x
                next x
            -> s
            give s
        -> z
        return z

A length that is asked for again, ``a.shape[1]``, is the same, for arrays keep their shapes.

Requires: nothing of the IR.
Ensures: the same values.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.analysis.ranges import range_tests
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Stmt, Var
from s2sad.ir.rewrite import blocks_of, with_blocks, with_body

__all__ = ["drop_idle_loops"]


def drop_idle_loops(function: Function) -> Function:
    """The function without such loops."""
    dropper = _Dropper(definitions_of(function))
    return with_body(function, dropper.block(function.body, frozenset()))


class _Dropper:
    """Goes through a function with the tests that are known to be false."""

    def __init__(self, definitions: dict[Var, Op]) -> None:
        self.definitions = definitions

    def block(self, block: Block, wrong: frozenset[Hashable]) -> Block:
        """A block where some tests are false."""
        stmts = tuple(self.stmt(s, wrong) for s in block.stmts)
        return block if stmts == block.stmts else Block(stmts, block.outs)

    def stmt(self, s: Stmt, wrong: frozenset[Hashable]) -> Stmt:
        """A statement; in place of a loop that is dropped a branch, both sides of which give what it begins with."""
        if isinstance(s, For) and (tests := range_tests(s)) is not None and self.key(tests[0]) in wrong:
            return If(Const(False), Block((), s.inits), Block((), s.inits), s.results, s.origin)
        if isinstance(s, If) and isinstance(s.cond, Var) and (test := self.definitions.get(s.cond)) is not None:
            return with_blocks(s, (self.block(s.then, wrong), self.block(s.orelse, wrong | {self.key(test)})))
        return with_blocks(s, tuple(self.block(b, wrong) for b in blocks_of(s)))

    def key(self, test: Op) -> Hashable:
        """The same for tests that come out the same."""
        return test.fn, tuple(map(self.length, test.args)), test.kwargs

    def length(self, a: Atom) -> Hashable:
        """A number, by the array of which it is the length."""
        match self.definitions.get(a) if isinstance(a, Var) else None:
            case Op(fn=operator.getitem, args=(Var() as shape, Const(int(k)))):
                asked = self.definitions.get(shape)
                if asked is not None and asked.fn is np.shape and isinstance(kind_of(asked.args[0]), K.Array):
                    return asked.args[0], k
        return a
