"""Tests of loops that look at arrays, in the body.

Before::

    def f(x: float64[1]#1):
        while carrying (y: float64[1]#1 = x):
            t: float64[1]#1 = abs(y)
            u: float64 = np.max(t)
            a = u > 1.0
            test a
        do:
            z: float64[1]#1 = 0.5 * y
            next z
        -> w: float64[1]#1
        return w

After::

    def f(x):
        while carrying (y = x):
            test True
        do:
            t = abs(y)
            u = np.max(t)
            a = u > 1.0
            if a:
                z = 0.5 * y
                give z, False
            else:
                give y, True
            -> y_1, done
            next y_1
            exit done
        -> w
        return w

A test is no place for a loop over elements, as an operation on arrays becomes one where a body has it.

Requires: the sweeps of a derivative, with their records: a loop that is reversed has its test in front.
Ensures: the same values; tests that look at numbers alone stay where they are.
"""

from __future__ import annotations

from s2sad.ir.kinds import BOOL, Array
from s2sad.ir.nodes import Block, Const, Function, If, Stmt, Var, While, kind_of
from s2sad.ir.rewrite import map_stmts, targets_of, uses_of, walk, with_body

__all__ = ["tests_inside"]

_YES, _NO = Const(True), Const(False)


def tests_inside(function: Function) -> Function:
    """The function with such tests in the bodies of their loops."""
    return with_body(function, map_stmts(function.body, lambda s: _inside(s) if isinstance(s, While) else s))


def _inside(s: While) -> While:
    if not any(map(_looks_at_array, walk(s.test))):
        return s
    given = tuple(Var(p.hint, r.kind) for p, r in zip(s.params, s.results, strict=True))
    done = Var("done", BOOL)
    goes_on = s.body if s.has_exit else Block(s.body.stmts, (*s.body.outs, _NO))
    branch = If(s.test.outs[0], goes_on, Block((), (*s.params, _YES)), (*given, done), s.origin)
    body = Block((*s.test.stmts, branch), (*given, done))
    return While(s.params, s.inits, Block((), (_YES,)), body, s.results, True, s.origin)


def _looks_at_array(s: Stmt) -> bool:
    return any(isinstance(kind_of(a), Array) for a in (*targets_of(s), *uses_of(s)))
