"""Checks taken apart from what follows them: a side of a branch that always raises comes to no end.

Before::

    def f(x: float64[1], n: int):
        t: bool = n < 1
        if t:
            t_1 = ValueError('n')
            raise_(t_1)
            give UNDEF, False
        else:
            y: float64[1] = x * n
            give y, True
        -> y_1: float64[1], t_2: bool
        z: float64[1] = y_1 * x
        return z

After::

    def f(x, n):
        t = n < 1
        if t:
            t_1 = ValueError('n')
            raise_(t_1)
        y = x * n
        z = y * x
        return z

So what comes after a check is in no branch, in either sweep, and has a value.

Requires: a verified function.
Ensures: the same values and errors, in the same order; no branch of which ``then`` always raises gives anything,
but where the other side does so too, or leaves something without a value.
"""

from __future__ import annotations

from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Function, If, Op, Stmt, Var
from s2sad.ir.rewrite import map_stmts, resolve, substitute, with_body

__all__ = ["always_raises", "put_checks_first"]


def put_checks_first(function: Function) -> tuple[Function, dict[Var, Atom]]:
    """The function with what follows checks after them, and what takes the place of what branches gave."""
    given: dict[Var, Atom] = {}

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, If) or not (s.results or s.orelse.stmts) or not always_raises(s.then):
            return s
        if UNDEF in s.orelse.outs or always_raises(s.orelse):
            return s
        given.update(zip(s.results, s.orelse.outs, strict=True))
        return [If(s.cond, Block(s.then.stmts), Block(), (), s.origin, s.adjoint), *s.orelse.stmts]

    body = map_stmts(function.body, change)
    resolve(given)
    body = substitute(body, given)
    return with_body(function, body), given


def always_raises(block: Block) -> bool:
    """Whether a block comes to no end, whatever happens."""
    return any(
        (
            s.fn is prims.raise_
            if isinstance(s, Op)
            else isinstance(s, If) and always_raises(s.then) and always_raises(s.orelse)
        )
        for s in block.stmts
    )
