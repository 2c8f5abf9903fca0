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
Ensures: integers that are put into lists of floats are floats, also where a list is copied into a wider one.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import definitions, map_atoms, map_stmts, use_counts, walk, with_body
from s2sad.runtime import helpers

__all__ = ["FIRST_ITEM", "items_as_their_lists"]

#: Where the items are among the operands of what puts items into lists.
FIRST_ITEM: dict[Any, int] = {prims.make_list: 0, prims.list_append: 1, prims.list_insert: 2}


_FLOATS = (K.FLOAT, K.Scalar("float64"))
_EITHER = K.Scalar("any")


def items_as_their_lists(function: Function) -> Function:
    """Convert integers that are put into lists of floats, and the items of copies that are lists of something wider.

    Lists of which it is not known whether they hold integers or floats hold floats where they get both.
    """
    of_floats = (*_FLOATS, _EITHER) if _get_both(function) else _FLOATS
    return with_body(function, map_stmts(_literals_widened(function), partial(_converted, of_floats)))


def _get_both(function: Function) -> bool:
    """Whether lists of numbers, integers or floats, are given integers, and what is not known to be such."""
    whole = {
        K.is_integer(kind_of(item))
        for s in walk(function)
        for xs, items in _given(s)
        if isinstance(kind := kind_of(xs), K.List) and kind.item == _EITHER
        for item in items
    }
    return len(whole) == 2


def _given(s: Stmt) -> Iterator[tuple[Atom, tuple[Atom, ...]]]:
    """A list, and what a statement puts into it."""
    match s:
        case Store(obj, _, value):
            yield obj, (value,)
        case Op(target=Var() as made, fn=prims.make_list, args=items):
            yield made, items
        case Op(fn=prims.list_append | prims.list_insert as fn, args=(xs, *_) as args):
            yield xs, tuple(args[FIRST_ITEM[fn] :])


def _literals_widened(function: Function) -> Block:
    """The body with lists written down within what is put into a list, of the kinds that it holds.

    Only those that nothing else refers to: in a list of pairs, ``([0, 1], 2.0)`` beside ``([0.5, 1.0], 2.0)``.
    """
    made, counts = definitions(function), use_counts(function)
    wider: dict[Var, Var] = {}

    def kind_now(a: Atom) -> K.Kind:
        return wider[a].kind if isinstance(a, Var) and a in wider else kind_of(a)

    def widen(a: Atom, kind: K.Kind) -> None:
        op = made.get(a) if isinstance(a, Var) and counts[a] == 1 else None
        if not isinstance(op, Op) or not isinstance(a, Var) or a.kind == kind:
            return
        match op.fn, a.kind, kind:
            case prims.make_tuple, K.Tuple(cls=cls), K.Tuple(kinds) if len(kinds) == len(op.args):
                for item, inner in zip(op.args, kinds, strict=True):
                    widen(item, inner)
                wider[a] = Var(a.hint, K.Tuple(tuple(map(kind_now, op.args)), cls))
            case prims.make_list, K.List(item), K.List(K.Scalar("float" | "float64") as inner) if _is_integers(item):
                wider[a] = Var(a.hint, K.List(inner))
            case operator.getitem, K.List(item), K.List(K.Scalar("float" | "float64")) if _is_integers(item):
                widen(op.args[0], kind)  # an empty list is written as a slice of another
                wider[a] = Var(a.hint, kind_now(op.args[0]))
            case prims.make_list, K.List(), K.List(K.List() as inner):
                for item in op.args:
                    widen(item, inner)
                wider[a] = Var(a.hint, K.List(inner))

    for s in walk(function):
        if isinstance(s, Op) and s.fn in tuple(FIRST_ITEM):
            held = s.target if s.fn is prims.make_list else s.args[0]
            if held is not None and isinstance(kind := kind_of(held), K.List) and isinstance(kind.item, K.Tuple):
                for item in s.args[FIRST_ITEM[s.fn] :]:
                    widen(item, kind.item)
    if not wider:
        return function.body
    return map_atoms(function.body, lambda a: wider.get(a, a) if type(a) is Var else a, lambda v: wider.get(v, v))


def _is_integers(kind: K.Kind) -> bool:
    """Whether items are integers, or there are none."""
    return isinstance(kind, K.Bottom) or (K.is_integer(kind) and K.is_scalar(kind))


def _converted(of_floats: tuple[K.Kind, ...], s: Stmt) -> Stmt | list[Stmt]:
    if isinstance(s, Op) and s.fn in _COPIES:
        return _copied(s)
    if isinstance(s, Store) and isinstance(held_in := kind_of(s.obj), K.Dict) and held_in.item in _FLOATS:
        made: list[Stmt] = []
        value = _as_float(s.value, made)
        return s if value is s.value else [*made, replace(s, value=value)]
    if isinstance(s, Op) and s.fn is prims.make_dict:
        return _dict(s)
    if not isinstance(s, Op) or s.fn not in tuple(FIRST_ITEM):
        return s
    first = FIRST_ITEM[s.fn]
    held = s.target if first == 0 else s.args[0]
    kind = None if held is None else kind_of(held)
    if not isinstance(kind, K.List) or kind.item not in of_floats:
        return s
    before: list[Stmt] = []
    items = tuple(_as_float(a, before, kind.item == _EITHER) for a in s.args[first:])
    if items == s.args[first:]:
        return s
    return [*before, Op(s.target, s.fn, (*s.args[:first], *items), s.kwargs, s.origin)]


def _dict(op: Op) -> Stmt | list[Stmt]:
    """A dict whose values are floats."""
    if op.target is None or not isinstance(kind := op.target.kind, K.Dict) or kind.item not in _FLOATS:
        return op
    before: list[Stmt] = []
    args = tuple(_as_float(a, before) if k % 2 else a for k, a in enumerate(op.args))
    return [*before, Op(op.target, op.fn, args, op.kwargs, op.origin)] if args != op.args else op


def _as_float(a: Atom, before: list[Stmt], either: bool = False) -> Atom:
    """A number as a float: an integer, or with ``either`` what may be one."""
    may_count = K.is_integer(kind_of(a)) or (either and kind_of(a) == _EITHER)
    if not may_count or not K.is_scalar(kind_of(a)):
        return a
    if isinstance(a, Const):
        return Const(float(a.value))
    target = Var("", K.FLOAT)
    before.append(Op(target, float, (a,)))
    return target


# ---------------------------------------------------------------- copies of lists

#: What gives a list with items of another.
_COPIES = (operator.getitem, prims.list_copy, prims.list_repeat, prims.list_extend)


def _copied(op: Op) -> Stmt | list[Stmt]:
    """A copy whose items are converted where the list holds something wider than the one that is copied."""
    if op.fn is prims.list_extend:
        given = op.args[1]
        wider = Var(getattr(given, "hint", ""), kind_of(op.args[0]))
        made = _widened(given, wider)
        return op if made is None else [*made, Op(op.target, op.fn, (op.args[0], wider), op.kwargs, op.origin)]
    if op.target is None or not isinstance(kind_of(op.args[0]), K.List) or not isinstance(op.target.kind, K.List):
        return op
    if op.fn is operator.getitem and kind_of(op.args[1]) != K.SLICE:
        return op
    plain = Var(op.target.hint, kind_of(op.args[0]))
    made = _widened(plain, op.target)
    return op if made is None else [Op(plain, op.fn, op.args, op.kwargs, op.origin), *made]


def _widened(xs: Atom, target: Var) -> list[Stmt] | None:
    """Statements that give a list with the items of another, converted; None if there is nothing to convert."""
    given, wanted = kind_of(xs), target.kind
    if not isinstance(given, K.List) or not isinstance(wanted, K.List) or not _converts(given.item, wanted.item):
        return None
    k, n, item = Var("k", K.INT), Var("n", K.INT), Var("item", given.item)
    body: list[Stmt] = [Op(item, operator.getitem, (xs, k))]
    body.append(Op(None, prims.list_append, (target, _wider(item, wanted.item, body))))
    loop = For(k, Const(0), n, Const(1), (), (), Block(tuple(body)), ())
    return [Op(target, prims.make_list, ()), Op(n, len, (xs,)), loop]


def _converts(given: K.Kind, wanted: K.Kind) -> bool:
    """Whether items of one kind become ones of another by making integers floats."""
    match given, wanted:
        case K.Scalar(), K.Scalar("float" | "float64"):
            return K.is_integer(given)
        case K.Array(d, r), K.Array("float64", q):
            return r == q and d.startswith("int")
        case K.Tuple(items), K.Tuple(others):
            pairs = list(zip(items, others, strict=False))
            plain = all(a == b or _converts(a, b) for a, b in pairs)
            return len(items) == len(others) and plain and any(_converts(a, b) for a, b in pairs)
    return False


def _wider(a: Atom, kind: K.Kind, before: list[Stmt]) -> Atom:
    """An item as one of another kind."""
    given, target = kind_of(a), Var("", kind)
    match given, kind:
        case _ if not _converts(given, kind):
            return a
        case K.Scalar(), _:
            before.append(Op(target, float, (a,)))
        case K.Array(), _:
            before.append(Op(target, helpers.astype, (a, Const(np.float64))))
        case K.Tuple(items), K.Tuple(others):
            parts = tuple(Var("", k) for k in items)
            before.extend(Op(p, operator.getitem, (a, Const(n))) for n, p in enumerate(parts))
            converted = tuple(_wider(p, k, before) for p, k in zip(parts, others, strict=True))
            before.append(Op(target, prims.make_tuple, converted))
    return target
