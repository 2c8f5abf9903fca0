"""Items of the type that their list has.

Before::

    def f(a: float):
        xs: list[float] = [0]
        xs[0] = a
        list_append(xs, 1)
        return xs

After::

    def f(a):
        xs = [0.0]
        xs[0] = a
        list_append(xs, 1.0)
        return xs

A list of Python's holds anything. In compiled code it has the type of the first items it is given, and what is stored
into a list of integers loses its fraction.

Requires: the kind of a list covers all that is put into it.
Ensures: integers that are put into lists of floats are floats.
"""

from __future__ import annotations

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import map_stmts, with_body

__all__ = ["items_as_their_lists"]

#: Where the items are among the operands.
_FIRST = {prims.make_list: 0, prims.list_append: 1, prims.list_insert: 2}


def items_as_their_lists(function: Function) -> Function:
    """Convert integers that are put into lists of floats."""
    return with_body(function, map_stmts(function.body, _converted))


def _converted(s: Stmt) -> Stmt | list[Stmt]:
    if not isinstance(s, Op) or s.fn not in tuple(_FIRST):
        return s
    first = _FIRST[s.fn]
    held = s.target if first == 0 else s.args[0]
    kind = None if held is None else kind_of(held)
    if not isinstance(kind, K.List) or kind.item not in (K.FLOAT, K.Scalar("float64")):
        return s
    before: list[Stmt] = []
    items = tuple(_as_float(a, before) for a in s.args[first:])
    if items == s.args[first:]:
        return s
    return [*before, Op(s.target, s.fn, (*s.args[:first], *items), s.kwargs, s.origin)]


def _as_float(a: Atom, before: list[Stmt]) -> Atom:
    """A number as a float."""
    if not K.is_integer(kind_of(a)) or not K.is_scalar(kind_of(a)):
        return a
    if isinstance(a, Const):
        return Const(float(a.value))
    target = Var("", K.FLOAT)
    before.append(Op(target, float, (a,)))
    return target
