"""Results that may be None: they are asked whether they are there.

Before::

    def f(x: float64[1], n: int):
        for i in range(0, n) carrying (last: float64 = None):
            v = x[i]
            next v
        -> last_1: float64
        return last_1

After::

    def f(x, n):
        for i in range(0, n) carrying (last = None):
            v = x[i]
            next v
        -> last_1
        none = last_1 is None
        if none:
            t = TypeError('the function returned None, which compiled code has no way to hand out')
            raise_(t)
        return last_1

Compiled code hands out a value of one type, and a number would stand there for None.

Requires: the three-address form of a function, before it is differentiated, with the questions of
:mod:`s2sad.transform.asking`.
Ensures: the same values; TypeError where the result is None, or what it is a tuple of, or a list in it holds None.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Set

from s2sad.analysis.taken_none import taken_where_none
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, Function, If, Op, Stmt, Var
from s2sad.ir.rewrite import definitions, with_body
from s2sad.runtime import helpers
from s2sad.transform.asking import given_as_none
from s2sad.transform.assemble import GAVE_NONE

__all__ = ["result_there"]

_HANDED_OUT = "the function returned None, which compiled code has no way to hand out"


def result_there(function: Function, derived: Set[Var], is_scalar: bool) -> Function:
    """The function raising where its result is None; ``is_scalar``: where it is to give a number."""
    message = GAVE_NONE if is_scalar else _HANDED_OUT
    checks = [s for v in _results_of_none(function, derived) for s in _check(v, message, function)]
    checks += [Op(None, helpers.need_filled, (xs,), (), function.origin) for xs in _lists_with_none(function)]
    return with_body(function, Block((*function.body.stmts, *checks), function.body.outs)) if checks else function


def _parts(function: Function) -> tuple[Atom, ...]:
    """What the result is a tuple of."""
    made = definitions(function).get(function.result) if isinstance(function.result, Var) else None
    return made.args if isinstance(made, Op) and made.fn is prims.make_tuple else ()


def _results_of_none(function: Function, derived: Set[Var]) -> Iterator[Var]:
    """The numbers and arrays in the result that may be None."""
    for k in given_as_none(function, derived):
        a = function.result if k is None else _parts(function)[k]
        if isinstance(a, Var) and K.is_numeric(a.kind):
            yield a


def _lists_with_none(function: Function) -> list[Var]:
    """The lists in the result that may hold None: as if they were read where the function ends."""
    lists = [a for a in (function.result, *_parts(function)) if isinstance(a, Var) and isinstance(a.kind, K.List)]
    if not lists:
        return []
    read = {Var("", K.ANY): xs for xs in lists}
    reads = tuple(Op(v, sorted, (xs,)) for v, xs in read.items())
    taken = taken_where_none(with_body(function, Block((*function.body.stmts, *reads), function.body.outs)))
    return [xs for v, xs in read.items() if v in taken.totals]


def _check(v: Var, message: str, function: Function) -> list[Stmt]:
    """What raises where a variable is None."""
    none, error = Var("none", K.BOOL), Var("", K.Other(TypeError))
    made = Op(error, TypeError, (Const(message),), (), function.origin)
    fails = Block((made, Op(None, prims.raise_, (error,), (), function.origin)))
    return [
        Op(none, operator.is_, (v, Const(None)), (), function.origin),
        If(none, fails, Block(), (), function.origin),
    ]
