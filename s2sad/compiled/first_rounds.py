"""The first iteration of a loop, before the loop.

Before::

    for k in range(0, n) carrying (t = 0.0):
        a: float64[1] = x[k] * v
        u = t + a
        next u
    -> s

After::

    need_rounds(n)
    a_1: float64[1] = x[0] * v
    u_1 = 0.0 + a_1
    for k in range(1, n) carrying (t = u_1):
        a: float64[1] = x[k] * v
        u = t + a
        next u
    -> s

So what the loop carries is an array from the beginning, also where its shape is not known before.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container
from dataclasses import replace

from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, For, Function, Op, Stmt, Var, kind_of
from s2sad.ir.rewrite import clone_block, map_stmts, walk, with_body
from s2sad.runtime import helpers

__all__ = ["emitted", "first_apart", "rounds_of"]

_MOST = 60  #: statements of an iteration that is written twice


def first_apart(function: Function, found: Container[Var]) -> Function:
    """The function with the first iteration apart of its first loop that carries one of ``found``, from a number on."""
    for s in walk(function):
        if isinstance(s, For) and any(p in found and _is_number(a) for p, a in zip(s.params, s.inits, strict=True)):
            parted = _parted(s)
            if parted is not None:
                return _in_place_of(s, parted, function)
    return function


def _in_place_of(loop: For, parted: list[Stmt], function: Function) -> Function:
    """The function with these statements in place of a loop."""

    def change(s: Stmt) -> Stmt | list[Stmt]:
        return parted if s is loop else s

    return with_body(function, map_stmts(function.body, change))


def _is_number(a: Atom) -> bool:
    return isinstance(kind_of(a), K.Scalar)


def _parted(loop: For) -> list[Stmt] | None:
    """The first iteration and the loop over the others; None for loops that are left within, and for long ones."""
    stmts: list[Stmt] = []
    rounds = rounds_of(loop, stmts)
    if rounds is None or loop.has_exit or sum(1 for _ in walk(loop.body)) > _MOST:
        return None
    if not isinstance(rounds, Const):
        stmts.append(Op(None, helpers.need_rounds, (rounds,), (), loop.origin))
    known = dict(zip(loop.params, loop.inits, strict=True))
    first = clone_block(loop.body, {**known, loop.index: loop.start})
    start = emitted(stmts, operator.add, loop.start, loop.step)
    return [*stmts, *first.stmts, replace(loop, start=start, inits=first.outs)]


def rounds_of(loop: For, stmts: list[Stmt]) -> Atom | None:
    """How many iterations a loop has; None if that is not simply told, or there are none."""
    match loop:
        case For(start=Const(int(a)), stop=Const(int(b)), step=Const(int(c))):
            return Const(len(range(a, b, c))) if range(a, b, c) else None
        case For(start=Const(0), stop=stop, step=Const(1)):
            return stop
        case For(start=start, stop=stop, step=Const(1 | -1 as step)):
            ends = (stop, start) if step == 1 else (start, stop)
            return emitted(stmts, operator.sub, *ends)
    return None


def emitted(stmts: list[Stmt], fn: Callable[..., int], *args: Atom) -> Atom:
    """The integer that an operation gives."""
    if all(isinstance(a, Const) for a in args):
        return Const(fn(*(a.value for a in args)))  # type: ignore[union-attr]
    n = Var("", K.INT)
    stmts.append(Op(n, fn, args))
    return n
