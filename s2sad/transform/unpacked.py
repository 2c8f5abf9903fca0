"""Checks of how many values are unpacked, made once before loops over rows of arrays.

Before::

    def f(x: float64[2]):
        n: int = len(x)
        for k in range(0, n) carrying (s: float = 0.0):
            row: float64[1] = x[k]
            m: int = len(row)
            need_values(m, 2)
            a: float = row[0]
            b: float = row[1]
            t: float = a * b
            s_1: float = s + t
            next s_1
        -> s_2: float
        return s_2

After::

    def f(x):
        n = len(x)
        t = n > 0
        if t:
            t_1 = np.shape(x)
            t_2 = t_1[1]
            need_values(t_2, 2)
        for k in range(0, n) carrying (s = 0.0):
            row = x[k]
            a = row[0]
            b = row[1]
            t_3 = a * b
            s_1 = s + t_3
            next s_1
        -> s_2
        return s_2

A loop that is only there for its checks, since its adjoint asks for nothing of it, need not run.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; ValueError where it was raised, or before the first iteration of the loop, where that begins
with what gives values and does nothing else. A check that surely passes is gone.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.analysis.effects import only_gives
from s2sad.analysis.memory import Memory
from s2sad.analysis.ranges import range_tests
from s2sad.ir.kinds import BOOL, INT, Array, Tuple
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Function, If, Op, Stmt, Var
from s2sad.ir.rewrite import blocks_of, inner_targets_of, targets_of, walk, with_blocks, with_body
from s2sad.optimise.flow import shapes_through
from s2sad.optimise.shapes import Shapes
from s2sad.runtime import helpers

__all__ = ["check_unpacked_before_loops"]

_CHECKS = (helpers.need_values, helpers.need_more_values)


def check_unpacked_before_loops(function: Function) -> tuple[Function, dict[Var, Atom]]:
    """The function with the checks of rows of arrays before the loops over these; it has all of its variables."""
    if not any(isinstance(s, Op) and s.fn in _CHECKS for s in walk(function)):
        return function, {}
    shapes = Shapes(function.params, by_token=False, by_product=False)
    shapes.lists = definitions_of(function)
    shapes.known.update(shapes_through(function, Memory(function)))
    return with_body(function, _Checks(shapes).block(function.body)[0]), {}


@dataclass(frozen=True)
class _Length:
    """How long an axis of an array is."""

    of: Var
    axis: int


@dataclass
class _Checks:
    """Walks a function, with the shapes of what it has come by."""

    shapes: Shapes

    def block(self, block: Block) -> tuple[Block, list[tuple[Op, _Length]]]:
        """A block without checks that surely pass, and those of its checks that may be the first thing that it does."""
        mark = self.shapes.mark()
        stmts: list[Stmt] = []
        first: list[tuple[Op, _Length]] = []
        acts = False
        for s in block.stmts:
            if isinstance(s, Op) and s.fn in _CHECKS and self.shapes.tells(s):
                continue
            if isinstance(s, Op) and s.fn in _CHECKS and not acts and (length := self.length(s.args[0])) is not None:
                first.append((s, length))
            acts = acts or not (only_gives(s) or (isinstance(s, Op) and s.fn in _CHECKS))
            stmts += self.stmt(s)
        self.shapes.forget(mark)
        return Block(tuple(stmts), block.outs), first

    def stmt(self, s: Stmt) -> list[Stmt]:
        """A statement, after the checks that it would begin with in each iteration."""
        if isinstance(s, Op):
            self.shapes.note(s)
            return [s]
        inner = blocks_of(s)
        if not inner or isinstance(s, Closure):
            return [s]
        made = [self.block(b) for b in inner]
        if not isinstance(s, For) or (tests := range_tests(s)) is None:
            return [with_blocks(s, tuple(b for b, _ in made))]
        ((body, first),) = made
        own = {*inner_targets_of(s), *(v for t in walk(body) for v in targets_of(t))}
        early = [(check, length) for check, length in first if length.of not in own]
        gone = {id(check) for check, _ in early}
        body = Block(tuple(t for t in body.stmts if id(t) not in gone), body.outs)
        checks = [t for check, length in early for t in _checked(check, length)]
        return [*self.where(tests[0], checks), with_blocks(s, (body,))]

    def where(self, test: Op, checks: list[Op]) -> list[Stmt]:
        """Checks, made where a comparison holds."""
        match test.args:
            case (Const(a), Const(b)) if checks and test.fn(a, b):  # type: ignore[operator]
                for check in checks:
                    self.shapes.note(check)
                return [*checks]
        if not checks:
            return []
        runs = Var("", BOOL)
        return [Op(runs, test.fn, test.args, (), test.origin), If(runs, Block(tuple(checks)), Block(), (), test.origin)]

    def length(self, n: Atom) -> _Length | None:
        """What array an integer is the length of, and which axis."""
        match self.shapes.find(self.shapes.dim_of(n)):
            case ("axis", Var() as of, int(axis)):
                return _Length(of, axis)
        return None


def _checked(check: Op, length: _Length) -> list[Op]:
    """A check of the length of an axis."""
    assert isinstance(length.of.kind, Array) and length.of.kind.rank is not None
    shape, n = Var("", Tuple((INT,) * length.of.kind.rank)), Var("", INT)
    return [
        Op(shape, np.shape, (length.of,), (), check.origin),
        Op(n, operator.getitem, (shape, Const(length.axis)), (), check.origin),
        Op(None, check.fn, (n, *check.args[1:]), (), check.origin),
    ]
