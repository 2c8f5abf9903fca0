"""The first iteration apart from the others, where a loop begins with a number and goes on with an array.

Before::

    def f(y: float64[1], n: int):
        for k in range(0, n) carrying (t: float64[..1] = 0.0):
            a: float64[1] = y * k
            u: float64[1] = t + a
            next u
        -> s: float64[..1]
        z: float64[1] = y + s
        return z

After::

    def f(y, n):
        t = n > 0
        if t:
            a = y * 0
            u = 0.0 + a
            t_1 = 0 + 1
            for k in range(t_1, n) carrying (t_2 = u):
                a_1 = y * k
                u_1 = t_2 + a_1
                next u_1
            -> s
            give s
        else:
            give 0.0
        -> s_1
        z = y + s_1
        return z

A variable has one type in machine code. What is a number without an iteration is told apart by
:mod:`s2sad.compiled.either`. So is an array of single precision that becomes one of double.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values, by the same operations in the same order.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace

from s2sad.analysis.ranges import range_tests, surely_runs
from s2sad.compiled.expand import kind_of
from s2sad.compiled.single_or_double import becomes_double, to_be_told
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, For, Function, If, Op, Stmt, Var, While
from s2sad.ir.rewrite import clone_block, map_stmts, with_body

__all__ = ["first_round", "first_rounds_apart", "rank_if_run"]


def first_rounds_apart(function: Function) -> Function:
    """The function with the first iterations of such loops before them."""

    def change(s: Stmt) -> Stmt | list[Stmt]:
        match s:
            case For() | While() if _changes_kind(s):
                return _apart(s)
            case For() | While() if becomes_double(s):
                return _apart(s, to_be_told)
        return s

    return with_body(function, map_stmts(function.body, change))


def _changes_kind(loop: For | While) -> bool:
    """Whether a loop begins with a number where it hands on an array of which the axes are known."""
    carried = zip(loop.params, loop.inits, loop.body.outs, strict=False)
    return any(
        isinstance(p.kind, K.Numeric) and isinstance(kind_of(a), K.Scalar) and bool(rank_if_run(b, loop.body))
        for p, a, b in carried
    )


def rank_if_run(out: Atom, body: Block) -> int | None:
    """The rank of what a body hands on, if each loop at its end has an iteration."""
    for s in body.stmts:
        if isinstance(s, For | While) and out in s.results:
            return rank_if_run(s.body.outs[s.results.index(out)], s.body)
    return K.rank_of(kind_of(out))


def _apart(loop: For | While, kind: Callable[[K.Kind], K.Kind] = K.without_shape) -> list[Stmt]:
    """The statements in place of a loop; ``kind`` as for :func:`first_round`."""
    before: list[Stmt]
    if surely_runs(loop):
        *once, rest = first_round(loop, kind).stmts
        assert isinstance(rest, For | While | If)
        return [*once, replace(rest, results=loop.results)]
    if isinstance(loop, While):
        test = clone_block(loop.test, dict(zip(loop.params, loop.inits, strict=True)), K.without_shape)
        before, cond = list(test.stmts), test.outs[0]
    elif (tests := range_tests(loop)) is None:
        return [loop]
    else:
        cond = Var("", K.BOOL)
        before = [replace(tests[0], target=cond)]
    first = first_round(loop, kind)
    return [*before, If(cond, first, Block((), loop.inits), loop.results, loop.origin)]


def first_round(loop: For | While, kind: Callable[[K.Kind], K.Kind] = K.without_shape) -> Block:
    """The first iteration, and the loop over the rest; ``kind`` gives kinds of what the first defines."""
    given: dict[Var, Atom] = dict(zip(loop.params, loop.inits, strict=True))
    if isinstance(loop, For):
        given[loop.index] = loop.start
    first = clone_block(loop.body, given, kind)
    stmts, outs = list(first.stmts), first.outs[: len(loop.params)]
    rest = _rest(loop, outs, stmts)
    if not loop.has_exit:
        return Block((*stmts, rest), rest.results)
    results = tuple(Var(r.hint, r.kind) for r in loop.results)
    ended = If(first.outs[-1], Block((), outs), Block((rest,), rest.results), results, loop.origin)
    return Block((*stmts, ended), results)


def _rest(loop: For | While, inits: tuple[Atom, ...], before: list[Stmt]) -> For | While:
    """The loop over all iterations but the first, with variables of its own."""
    (again,) = clone_block(Block((loop,))).stmts
    assert isinstance(again, For | While)
    if isinstance(again, While):
        return replace(again, inits=inits)
    start = Var("", K.INT)
    before.append(Op(start, operator.add, (again.start, again.step), (), again.origin))
    return replace(again, inits=inits, start=start)
