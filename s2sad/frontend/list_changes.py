"""Changes of lists by position, in terms of inserting and removing one item at a place counted from the start.

Those two are what the reverse sweep can undo: a place counted from the end, or one that
Python clips to the list, means another place once the list has changed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, PyFunc, RangeV, SliceV, kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const

__all__ = ["assign_slice", "clear", "delete_slice", "insert", "pop"]

_RANGE = K.Other(range)


def insert(lo: Lowering, xs: Atom, at: Atom, value: AVal) -> None:
    """``xs.insert(at, value)``: at the nearest end where ``at`` is outside."""
    item = lo.as_atom(value)
    place = at if at == Const(0) else _clipped(lo, _places(lo, xs), at)
    _insert_at(lo, xs, place, item)


def pop(lo: Lowering, xs: Atom, at: Atom, hint: str = "") -> Atom:
    """``xs.pop(at)``, which raises IndexError outside of the list."""
    counted = isinstance(at, Const) and isinstance(at.value, int) and at.value >= -1
    place = at if counted else lo.emit(operator.getitem, _places(lo, xs), at, kind=K.INT)
    return _pop_at(lo, xs, place, hint)


def clear(lo: Lowering, xs: Atom) -> None:
    """``xs.clear()``: the last item is removed until none is left."""
    _repeat(lo, lo.emit(len, xs, kind=K.INT), lambda _: _pop_at(lo, xs, Const(-1)))


def delete_slice(lo: Lowering, xs: Atom, index: SliceV) -> None:
    """``del xs[start:stop]``, or with a step of one."""
    if not _is_plain(index):
        raise lo.unsupported("`del` of a slice with a step is not handled.", "Build a new list without the items.")
    start, count = _extent(lo, xs, index)
    _repeat(lo, count, lambda _: _pop_at(lo, xs, start))


def assign_slice(lo: Lowering, xs: Atom, index: SliceV, value: AVal) -> None:
    """``xs[start:stop] = value``, of any length; with a step, the items one for one."""
    items = lo.as_atom(lo.call(PyFunc.of(list), [value], {}))
    n = lo.emit(len, items, kind=K.INT)
    if _is_plain(index):
        start, count = _extent(lo, xs, index)
        _repeat(lo, count, lambda _: _pop_at(lo, xs, start))
        _repeat(lo, n, lambda k: _insert_at(lo, xs, _sum(lo, start, k), lo.as_atom(lo.load(items, k))))
        return
    where = lo.emit(operator.getitem, _places(lo, xs), lo.index_atom(index), kind=_RANGE)
    _require_equal(lo, n, lo.emit(len, where, kind=K.INT))

    def put(k: Atom) -> None:
        item = lo.as_atom(lo.load(items, k))
        lo.store(xs, lo.emit(operator.getitem, where, k, kind=K.INT), item)
        lo.containers.put(xs, item, kind_of(item))
        lo.containers.filled(xs, [kind_of(item)])

    _repeat(lo, n, put)


def _insert_at(lo: Lowering, xs: Atom, at: Atom, item: Atom) -> None:
    lo.containers.put(xs, item, kind_of(item))
    lo.containers.filled(xs, [kind_of(item)])
    lo.effect(prims.list_insert, xs, at, item)


def _pop_at(lo: Lowering, xs: Atom, at: Atom, hint: str = "") -> Atom:
    kind = kind_of(xs)
    item = lo.emit(prims.list_pop, xs, at, kind=kind.item if isinstance(kind, K.List) else K.ANY, hint=hint)
    if isinstance(item.kind, K.List | K.Dict):
        lo.containers.union(lo.containers.item(xs), item)
    return item


def _repeat(lo: Lowering, n: Atom, do: Callable[[Atom], Any]) -> None:
    lo.each(RangeV(Const(0), n, Const(1)), do)


def _sum(lo: Lowering, a: Atom, b: Atom) -> Atom:
    return b if a == Const(0) else lo.emit(operator.add, a, b, kind=K.INT)


def _is_plain(index: SliceV) -> bool:
    return index.parts[2] in (Const(None), Const(1))


def _places(lo: Lowering, xs: Atom) -> Atom:
    """``range(len(xs))``: a subscript of it is the place that the same subscript of ``xs`` means."""
    return lo.emit(range, lo.emit(len, xs, kind=K.INT), kind=_RANGE)


def _clipped(lo: Lowering, places: Atom, at: Atom) -> Atom:
    """How many places lie before ``at``."""
    before = lo.emit(operator.getitem, places, lo.index_atom(SliceV((Const(None), at, Const(None)))), kind=_RANGE)
    return lo.emit(len, before, kind=K.INT)


def _extent(lo: Lowering, xs: Atom, index: SliceV) -> tuple[Atom, Atom]:
    """Where a slice begins and how many items it spans."""
    places = _places(lo, xs)
    lower, upper, _ = index.parts
    start = Const(0) if lower in (Const(None), Const(0)) else _clipped(lo, places, lower)
    spanned = lo.emit(operator.getitem, places, lo.index_atom(SliceV((lower, upper, Const(None)))), kind=_RANGE)
    return start, lo.emit(len, spanned, kind=K.INT)


def _require_equal(lo: Lowering, n: Atom, wanted: Atom) -> None:
    """Raise what Python raises where a slice with a step is assigned another number of items."""
    message = "attempt to assign a sequence to an extended slice of another size"
    differs = lo.emit(operator.ne, n, wanted, kind=K.BOOL)

    def complain() -> None:
        lo.effect(prims.raise_, lo.emit(ValueError, Const(message), kind=K.Other(ValueError)))

    lo.branch(differs, complain, lambda: None)
