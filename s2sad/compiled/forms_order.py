"""Forms of what puts things in order, of ranges, slices of lists, and keys of dicts."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.compiled import helpers as native
from s2sad.compiled import lists
from s2sad.compiled.expand import Builder, form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import constant_axes, is_none, length, named, product, sum_of, zeros_of
from s2sad.compiled.forms_points import getitem as item_of
from s2sad.compiled.forms_reductions import in_three, reshaped
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.runtime import helpers

_RANGE = K.Other(range)


# ---------------------------------------------------------------- ranges


def part_of_range(b: Builder, op: Op) -> Atom | None:
    """``r[s]`` and ``r[i]`` of a range."""
    r, index = op.args
    if kind_of(index) == K.SLICE:
        return b.emit(lists.part_of_range, r, index, kind=_RANGE)
    return b.emit(lists.item_of_range, r, index, kind=K.INT) if rank_of(index) == 0 else None


@form(operator.getitem)
def getitem(b: Builder, op: Op) -> Atom | None:
    """``r[i]`` of a range; of anything else, as before."""
    return part_of_range(b, op) if kind_of(op.args[0]) == _RANGE else item_of(b, op)


# ---------------------------------------------------------------- order


@form(helpers.order_of)
def order_of(b: Builder, op: Op) -> Atom | None:
    """``order_of(keys, reverse)`` of a list."""
    keys, reverse = named(op, "keys", "reverse")
    falling = b.constant(reverse)
    if not isinstance(kind_of(keys), K.List) or not (is_none(reverse) or isinstance(falling, bool)):
        return None
    return b.emit(lists.falling_order_of if falling else lists.order_of, keys, kind=K.List(K.INT))


@form(helpers.place_of_max, helpers.place_of_min)
def place_of_extremum(b: Builder, op: Op) -> Atom | None:
    """``place_of_max(keys)`` of a list, or a vector."""
    fn = lists.place_of_max if op.fn is helpers.place_of_max else lists.place_of_min
    kind = kind_of(op.args[0])
    if not isinstance(kind, K.List) and not (isinstance(kind, K.Array) and kind.rank == 1):
        return None
    return b.emit(fn, op.args[0], kind=K.INT)


#: For arrays with one axis, and along the middle one of three axes.
_ORDERS: dict[Any, tuple[Any, Any]] = {
    np.sort: (np.sort, lists.sort_along),
    np.argsort: (lists.argsort_1, lists.argsort_along),
}


@form(all, any)
def truth(b: Builder, op: Op) -> Atom | None:
    """``all(xs)`` and ``any(xs)`` of a list of numbers, or a vector."""
    kind = kind_of(op.args[0])
    numbers = isinstance(kind, K.List) and isinstance(kind.item, K.Scalar)
    if not numbers and not (isinstance(kind, K.Array) and kind.rank == 1):
        return None
    return b.emit(lists.all_true if op.fn is all else lists.any_true, op.args[0], kind=K.BOOL)


@form(np.sort, np.argsort)
def sorts(b: Builder, op: Op) -> Atom | None:
    """``np.sort(a, axis)`` and ``np.argsort(a, axis)``, stable."""
    a, axis, _ = named(op, "a", "axis", "kind")
    rank, dtype = rank_of(a), "int64" if op.fn is np.argsort else K.dtype_of(kind_of(a))
    known = b.constant(a)
    if op.fn is np.argsort and isinstance(known, tuple) and not op.kwargs and len(op.args) == 1:
        return Const(tuple(sorted(range(len(known)), key=known.__getitem__)))
    if not rank or not isinstance(kind_of(a), K.Array) or not set(dict(op.kwargs)) <= {"axis", "kind"}:
        return None
    of_one, along = _ORDERS[op.fn]
    if rank > 1 and is_none(axis) and ("axis" in dict(op.kwargs) or len(op.args) > 1):
        return b.emit(of_one, b.emit(np.ravel, a, kind=K.Array(K.dtype_of(kind_of(a)), 1)), kind=K.Array(dtype, 1))
    axes = (rank - 1,) if "axis" not in dict(op.kwargs) and len(op.args) == 1 else constant_axes(b, axis, rank)
    if axes is None:
        return None
    if rank == 1:
        return None if len(op.args) == 1 and not op.kwargs else b.emit(of_one, a, kind=K.Array(dtype, 1))
    found = b.emit(along, in_three(b, a, axes[0]), kind=K.Array(dtype, 3))
    return reshaped(b, found, [length(b, a, i) for i in range(rank)], dtype)


@form(np.lexsort)
def lexsort(b: Builder, op: Op) -> Atom | None:
    """``np.lexsort(keys)`` of vectors: in order by each in turn, equal ones as they come."""
    kind = kind_of(op.args[0])
    if len(op.args) != 1 or op.kwargs or not isinstance(kind, K.Tuple) or not kind.items:
        return None
    if any(K.rank_of(k) != 1 for k in kind.items):
        return None
    order: Atom | None = None
    for n, item in enumerate(kind.items):
        key = b.emit(operator.getitem, op.args[0], n, kind=item)
        if order is None:
            order = b.emit(lists.argsort_1, key, kind=K.Array("int64", 1))
            continue
        found = b.emit(lists.argsort_1, b.emit(operator.getitem, key, order, kind=item), kind=K.Array("int64", 1))
        order = b.emit(operator.getitem, order, found, kind=K.Array("int64", 1))
    return order


@form(np.take_along_axis)
def take_along_axis(b: Builder, op: Op) -> Atom | None:
    """``np.take_along_axis(arr, indices, axis)``."""
    a, indices, axis = named(op, "arr", "indices", "axis")
    rank = rank_of(a)
    axes = constant_axes(b, axis, rank or 0)
    if not rank or axes is None or rank_of(indices) != rank:
        return None
    dtype = K.dtype_of(kind_of(a))
    if rank == 1:
        return b.emit(operator.getitem, a, indices, kind=K.Array(dtype, 1))
    lengths = _lengths_along(b, a, indices, axes[0], rank)
    outer = product(b, lengths[: axes[0]]), product(b, lengths[axes[0] + 1 :])
    flat = in_three(b, a, axes[0]), in_three(b, indices, axes[0])
    return reshaped(b, b.emit(lists.take_along, *flat, *outer, kind=K.Array(dtype, 3)), lengths, dtype)


def _lengths_along(b: Builder, a: Atom, indices: Atom, axis: int, rank: int) -> list[Atom]:
    """The lengths of what ``indices`` take along an axis. Of matrices the other axis may be stretched."""
    joint = lists.stretched_length if rank == 2 else lists.one_length
    pairs = [(length(b, a, i), length(b, indices, i)) for i in range(rank)]
    return [n if i == axis else b.emit(joint, m, n, kind=K.INT) for i, (m, n) in enumerate(pairs)]


@form(helpers.untake_along_axis)
def untake_along_axis(b: Builder, op: Op) -> Atom | None:
    """``untake_along_axis(x, indices, like, axis)``: zeros, then the addition along the axis."""
    x, indices, like, axis = named(op, "x", "indices", "like", "axis")
    rank = rank_of(like)
    axes = constant_axes(b, axis, rank or 0)
    if not rank or axes is None or rank_of(indices) != rank or rank_of(x) != rank:
        return None
    zeros = zeros_of(b, like)
    if zeros is None:
        return None
    if rank == 1:
        b.do(native.add_at_1, zeros, indices, x)
        return zeros
    flat = in_three(b, zeros, axes[0])
    for i in set(range(rank)).difference(axes) if rank > 2 else ():
        b.do(lists.one_length, length(b, like, i), length(b, x, i))
        b.do(lists.one_length, length(b, indices, i), length(b, x, i))
    b.do(lists.add_along, flat, in_three(b, indices, axes[0]), in_three(b, x, axes[0]))
    return reshaped(b, flat, [length(b, like, i) for i in range(rank)], K.dtype_of(kind_of(zeros)))


# ---------------------------------------------------------------- slices of lists


@form(helpers.add_items)
def add_slice(b: Builder, op: Op) -> Atom | None:
    """``add_items(target, index, values)``: of numbers by a helper, else item by item."""
    target, index, values = op.args
    kind, given = kind_of(target), kind_of(values)
    if not isinstance(kind, K.List):
        return None
    if isinstance(kind.item, K.Scalar):
        b.do(native.add_items, target, index, values)
        return target
    if not isinstance(given, K.List | K.Array) or not isinstance(kind.item, K.Array | K.Tuple):
        return None
    if isinstance(given, K.List):
        part = given.item
    else:
        rank = rank_of(values) or 0
        part = K.Array(K.dtype_of(given), rank - 1) if rank > 1 else K.FLOAT
    places = b.emit(
        lists.part_of_range, b.emit(range, b.emit(len, target, kind=K.INT), kind=_RANGE), index, kind=_RANGE
    )
    n = b.emit(len, values, kind=K.INT)
    b.do(lists.need_same_count, b.emit(len, places, kind=K.INT), n)
    done = True

    def body(inner: Builder, k: Var) -> None:
        nonlocal done
        place = inner.emit(operator.getitem, places, k, kind=K.INT)
        held = inner.emit(operator.getitem, target, place, kind=kind.item)
        total = sum_of(inner, held, inner.emit(operator.getitem, values, k, kind=part))
        done = total is not None
        if total is not None:
            inner.store(target, place, total)

    b.loop(n, body)
    return target if done else None


@form(prims.list_extend)
def list_extend(b: Builder, op: Op) -> Atom | None:
    """``xs.extend(ys)`` by a list of nothing, which has no type."""
    return op.args[0] if kind_of(op.args[1]) == K.List(K.BOTTOM) else None


# ---------------------------------------------------------------- keys of dicts


@form(prims.dict_items)
def dict_items(b: Builder, op: Op) -> Atom | None:
    """The keys of a dict, in a list."""
    return b.emit(list, op.args[0], kind=K.List(K.ANY))


def _holds_numbers(d: Atom) -> bool:
    kind = kind_of(d)
    return isinstance(kind, K.Dict) and isinstance(kind.item, K.Scalar | K.Array)


@form(helpers.kept_item)
def kept_item(b: Builder, op: Op) -> Atom | None:
    """What a dict of numbers or arrays has under a key, for the reverse sweep to put back."""
    if op.target is None or not _holds_numbers(op.args[0]):
        return None
    return b.emit(lists.kept_item, *op.args, kind=op.target.kind)


@form(helpers.put_back)
def put_back(b: Builder, op: Op) -> Atom | None:
    """What was kept, back in its place."""
    if not _holds_numbers(op.args[0]):
        return None
    b.do(lists.put_back, *op.args)
    return Const(None)


@form(prims.format_value)
def format_value(b: Builder, op: Op) -> Atom | None:
    """The text of an integer or of a text."""
    value, conversion, spec = op.args
    if any(b.constant(a) != "" for a in (conversion, spec)):
        return None
    if kind_of(value) == K.STR:
        return value
    return b.emit(str, value, kind=K.STR) if kind_of(value) in (K.INT, K.Scalar("int64")) else None


@form(prims.join_str)
def join_str(b: Builder, op: Op) -> Atom | None:
    """Texts one after the other."""
    if not op.args:
        return None
    total = op.args[0]
    for part in op.args[1:]:
        total = b.emit(operator.add, total, part, kind=K.STR)
    return total
