"""Subscripts with new axes beside arrays of indices as those of views with the axes; indices without axes as numbers.

Before::

    def f(x: float64[2], i: int64[1], k: int64[0]):
        t = (i, None)
        y: float64[3] = x[t]
        s = make_slice(1, None, None)
        t_1 = (k, s)
        z: float64[1] = x[t_1]
        return z

After::

    def f(x, i, k):
        t = (i, None)
        t_1 = make_slice(None, None, None)
        t_2 = (t_1, None)
        t_3 = x[t_2]
        t_4 = (i, t_1)
        y = t_3[t_4]
        s = make_slice(1, None, None)
        t_5 = (k, s)
        t_6 = k[()]
        t_7 = (t_6, s)
        t_8 = x[t_7]
        z = np.copy(t_8)
        return z

NumPy takes a new axis for a slice of one item. An ellipsis beside arrays becomes slices. What an array without axes
picks is a copy, as with other arrays of indices.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; no subscript of an array of known rank has both new axes and arrays among its items, or an
array of integers without axes, where its items are known.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.compiled.expand import kind_of, rank_of
from s2sad.compiled.within import AT
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Origin, Stmt, Store, Var
from s2sad.ir.rewrite import map_stmts, with_body

__all__ = ["axes_before_indices", "tell_new_axes"]

_NEW, _REST = Const(None), Const(...)


def tell_new_axes(lowered: Lowered) -> Lowered:
    """:func:`axes_before_indices` of a function with its templates."""
    return replace(lowered, function=axes_before_indices(lowered.function))


def axes_before_indices(function: Function) -> Function:
    """The function with such subscripts parted."""
    definitions = definitions_of(function)

    def parted(obj: Atom, index: Atom, origin: Origin | None) -> _Parted | None:
        items = _items(index, definitions)
        if not isinstance(kind_of(obj), K.Array) or not rank_of(obj) or items is None:
            return None
        beside = not _told_apart(items) and any(map(_is_array, items)) and all(map(_is_known, items))
        return _Parted(obj, items, origin) if beside or any(map(_is_point, items)) else None

    def change(s: Stmt) -> Stmt | list[Stmt]:
        match s:
            case Op(target=Var() as target, fn=operator.getitem, args=(obj, index), kwargs=()):
                return s if (p := parted(obj, index, s.origin)) is None else p.picked(target)
            case Op(fn=fn, args=(obj, index, *rest), kwargs=()) if fn in AT:
                p = parted(obj, index, s.origin)
                return s if p is None else [*p.stmts, replace(s, args=(p.view, p.index, *rest))]
            case Store(obj=obj, index=index):
                p = parted(obj, index, s.origin)
                return s if p is None else [*p.stmts, replace(s, obj=p.view, index=p.index)]
        return s

    return with_body(function, map_stmts(function.body, change))


def _items(index: Atom, definitions: dict[Var, Op]) -> list[Atom] | None:
    """The items of a subscript; None where they are not known."""
    if isinstance(index, Const):
        return list(map(Const, index.value)) if isinstance(index.value, tuple) else None
    if not isinstance(kind_of(index), K.Tuple):
        return [index] if _is_point(index) else None
    made = definitions.get(index) if isinstance(index, Var) else None
    return list(made.args) if made is not None and made.fn is prims.make_tuple else None


def _is_array(a: Atom) -> bool:
    """Whether an item is an array of indices with axes, a mask, or a list of either."""
    match kind_of(a):
        case K.Array(rank=int(rank)) if rank:
            return True
        case K.List(K.Scalar()):
            return True
    return isinstance(a, Const) and isinstance(a.value, list)


def _is_point(a: Atom) -> bool:
    """Whether an item is an array of integers without axes."""
    return K.rank_of(kind_of(a)) == 0 and isinstance(kind_of(a), K.Array) and K.dtype_of(kind_of(a)) != "bool"


def _is_known(a: Atom) -> bool:
    """Whether it is known how many axes an item takes."""
    number = isinstance(kind_of(a), K.Scalar) and K.dtype_of(kind_of(a)) != "bool"
    return a in (_NEW, _REST) or kind_of(a) == K.SLICE or number or _is_array(a) or _is_point(a)


def _axes(a: Atom) -> int:
    """How many axes an item takes."""
    is_mask = isinstance(kind_of(a), K.Array) and K.dtype_of(kind_of(a)) == "bool"
    return rank_of(a) or 1 if is_mask else 1


def _told_apart(items: Sequence[Atom]) -> bool:
    """Whether each item of a subscript is for axes of its own, and says how many."""
    return _NEW not in items and _REST not in items


class _Parted:
    """What is subscripted, a view of it with the new axes, and the subscript of that."""

    def __init__(self, obj: Atom, items: Sequence[Atom], origin: Origin | None) -> None:
        self.origin = origin
        self.stmts: list[Stmt] = []
        self.copies = any(map(_is_point, items)) and not any(map(_is_array, items))
        self.view = obj
        if _told_apart(items) or not any(map(_is_array, items)):
            self.index = self.tuple([self.number(a) if _is_point(a) else a for a in items])
            return
        every = self.emit(prims.make_slice, *(_NEW,) * 3, kind=K.SLICE)
        items = self.spread(items, every)
        numbers = [self.number(a) if _is_point(a) else a for a in items]
        if _NEW not in items:
            self.index = self.tuple(numbers)
        else:
            shown = [p for a in items for p in ([a] if a == _NEW else [every] * _axes(a))]
            rank = (rank_of(obj) or 0) + shown.count(_NEW)
            self.view = self.emit(
                operator.getitem, obj, self.tuple(shown), kind=K.Array(K.dtype_of(kind_of(obj)), rank)
            )
            self.index = self.tuple([every if a == _NEW else a for a in numbers])

    def spread(self, items: Sequence[Atom], every: Atom) -> list[Atom]:
        """The items with slices in the place of an ellipsis."""
        taken = sum(_axes(a) for a in items if a not in (_NEW, _REST))
        rest = [every] * max((rank_of(self.view) or 0) - taken, 0)
        return [p for a in items for p in (rest if a == _REST else [a])]

    def number(self, a: Atom) -> Atom:
        """The number in an array without axes."""
        return self.emit(operator.getitem, a, Const(()), kind=K.Scalar(K.dtype_of(kind_of(a))))

    def tuple(self, items: Sequence[Atom]) -> Atom:
        """The items as a subscript."""
        if len(items) == 1:
            return items[0]
        return self.emit(prims.make_tuple, *items, kind=K.Tuple(tuple(map(kind_of, items))))

    def emit(self, fn: Any, *args: Atom, kind: K.Kind) -> Var:
        """What an operation gives."""
        target = Var("", kind)
        self.stmts.append(Op(target, fn, args, (), self.origin))
        return target

    def picked(self, target: Var) -> list[Stmt]:
        """The statements, of which the last gives what the subscript picks."""
        if not self.copies or not isinstance(target.kind, K.Array):
            return [*self.stmts, Op(target, operator.getitem, (self.view, self.index), (), self.origin)]
        shown = self.emit(operator.getitem, self.view, self.index, kind=target.kind)
        return [*self.stmts, Op(target, np.copy, (shown,), (), self.origin)]
