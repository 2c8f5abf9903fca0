"""Arrays of one layout for functions that are called with parts of others.

Before::

    def f(x: float64[1]):
        n = len(x)
        ...
        t: float64[1] = x[part]
        y = f(t)
        return y

    def main(x: float64[1]):
        y = f(x)
        return y

After::

    def f(x):
        n = len(x)
        ...
        t = x[part]
        y = f(t)
        return y

    def main(x):
        s = make_slice(None, None, 1)
        t = x[s]
        y = f(t)
        return y

To Numba an array in one piece is of another type than one of which it is not known, as ``x[::2]`` is: it would compile
the function, and all that this calls, for both.

Requires: compiled functions whose operations are expanded; nothing simplifies them any more.
Ensures: the same values.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import definitions, map_stmts, walk, with_body

__all__ = ["given_in_one_layout"]


def given_in_one_layout(functions: Iterable[Function]) -> Callable[[Function], Function]:
    """A pass that gives functions which are called with parts of arrays nothing else, by what is called among these."""
    parts: dict[str, set[int]] = {}
    for f in functions:
        made = definitions(f)
        for s in walk(f):
            if isinstance(s, Op) and isinstance(s.fn, Function):
                found = {k for k, a in enumerate(s.args) if _is_part(a, made)}
                parts.setdefault(s.fn.name, set()).update(found)
    return partial(_given_parts, {name: places for name, places in parts.items() if places})


def _given_parts(places: Mapping[str, Collection[int]], function: Function) -> Function:
    if not places:
        return function
    made = definitions(function)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, Op) or not isinstance(s.fn, Function) or s.fn.name not in places:
            return s
        args, views = list(s.args), list[Stmt]()
        for k in places[s.fn.name]:
            kind = kind_of(args[k])
            if isinstance(kind, K.Array) and kind.rank and not _is_part(args[k], made):
                whole, view = Var("", K.SLICE), Var(getattr(args[k], "hint", ""), kind)
                views.append(Op(whole, prims.make_slice, (Const(None), Const(None), Const(1)), (), s.origin))
                views.append(Op(view, operator.getitem, (args[k], whole), (), s.origin))
                args[k] = view
        return [*views, replace(s, args=tuple(args))]

    return with_body(function, map_stmts(function.body, change))


def _is_part(a: Atom, made: Mapping[Var, Stmt]) -> bool:
    """Whether this is a view of which it is not known that it is in one piece."""
    match made.get(a) if isinstance(a, Var) else None:
        case Op(target=Var(kind=K.Array()), fn=np.transpose):
            return True
        case Op(target=Var(kind=K.Array()), fn=operator.getitem, args=(_, Var() as index)):
            return _is_apart(made.get(index), made)
    return False


def _is_apart(index: Stmt | None, made: Mapping[Var, Stmt]) -> bool:
    match index:
        case Op(fn=prims.make_slice, args=(_, _, step)):
            return step not in (Const(None), Const(1))
        case Op(fn=prims.make_tuple, args=parts):
            return any(_is_apart(made.get(a), made) for a in parts if isinstance(a, Var))
    return False
