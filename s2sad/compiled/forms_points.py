"""Forms of helpers that differ for numbers and for arrays, and of additions at an index."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.compiled import along
from s2sad.compiled import helpers as native
from s2sad.compiled.expand import FORMS, Builder, form, kind_of, rank_of, store_form
from s2sad.compiled.forms_adjoint import sum_of, zeros_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, If, Op, Store, Var
from s2sad.rules.infer import result_kind
from s2sad.runtime import helpers

#: Each helper, with what it is for numbers and for arrays.
_BY_KIND: dict[Any, tuple[Any, Any]] = {
    helpers.times: (native.times_scalar, native.times_array),
    helpers.quotient: (native.quotient_scalar, native.quotient_array),
    helpers.safe_log: (native.safe_log_scalar, native.safe_log_array),
    helpers.sign: (native.sign_scalar, np.sign),
    helpers.exp_difference: (native.exp_difference_scalar, native.exp_difference),
    helpers.power_slope: (native.power_slope_scalar, native.power_slope_array),
    helpers.where_larger: (native.where_larger_scalar, native.where_larger_array),
}


def _by_kind(b: Builder, op: Op) -> Atom | None:
    """The helper for the kinds of its arguments."""
    found = [kind_of(a) for a in op.args]
    if op.target is None or not all(isinstance(k, K.Scalar | K.Array) for k in found):
        return None
    of_scalars, of_arrays = _BY_KIND[op.fn]
    scalars = all(isinstance(k, K.Scalar) for k in found)
    return b.emit(of_scalars if scalars else of_arrays, *op.args, kind=op.target.kind)


FORMS.update(dict.fromkeys(_BY_KIND, _by_kind))


# ---------------------------------------------------------------- subscripts


def items_of(index: Atom, definitions: dict[Var, Op]) -> tuple[Atom, ...]:
    """The items of an index, one if it is no tuple."""
    if isinstance(index, Var) and (op := definitions.get(index)) is not None and op.fn is prims.make_tuple:
        return op.args
    return (index,)


def is_list_of_indices(a: Atom) -> bool:
    """Whether an index is a list or an array of integers with one axis."""
    match kind_of(a):
        case K.Array(dtype, 1):
            return dtype.startswith(("int", "uint"))
        case K.List(K.Scalar(dtype)):
            return dtype.startswith(("int", "uint"))
    return isinstance(a, Const) and isinstance(a.value, list) and all(type(v) is int for v in a.value)


@form(helpers.add_at, np.add.at)
def add_at(b: Builder, op: Op) -> Atom | None:
    """``add_at(target, index, value)``."""
    target, index, value = op.args
    done = add_items(b, target, index, value)
    return target if done else None


def add_items(b: Builder, target: Atom, index: Atom, value: Atom) -> bool:
    """Put down the addition of what an index picks; False where there is no form for it."""
    whole = kind_of(target)
    if isinstance(whole, K.List):
        total = (
            sum_of(b, b.emit(operator.getitem, target, index, kind=whole.item), value) if rank_of(index) == 0 else None
        )
        if total is None:
            return False
        b.store(target, index, total)
        return True
    if rank_of(index) == 0 and isinstance(whole, K.Array):
        b.store(target, index, value, "+")
        return True
    one = rank_of(value) == 0
    match kind_of(index):
        case K.Tuple((K.Array(d, 1), K.Array(e, 1))) if d[:3] == e[:3] == "int":
            i, j = (b.emit(operator.getitem, index, k, kind=K.Array("int64", 1)) for k in (0, 1))
            b.do(native.add_at_pairs_same if one else native.add_at_pairs, target, i, j, value)
            return True
        case K.Array("bool", 1) if not one:
            b.do(native.add_where, target, index, value)
            return True
        case K.Array("bool", 2) if rank_of(target) == 2 and rank_of(value) in (0, 1):
            b.do(native.add_same_where_2 if one else native.add_where_2, target, index, value)
            return True
        case K.Array(dtype, int(n)) if (
            n > 1 and dtype.startswith("int") and rank_of(target) == 1 and rank_of(value) == n
        ):
            b.do(native.add_at_1, target, _flat(b, index), _flat(b, value))
            return True
        case K.Tuple(items) if _one_list(items) is not None:
            return add_crosswise(b, target, index, items, value)
        case K.Tuple(items) if not any(isinstance(k, K.Array | K.List) and not _is_mask(k) for k in items):
            b.store(target, index, value, "+")
            return True
        case K.Other(t) if t is slice:
            b.store(target, index, value, "+")
            return True
    if is_list_of_indices(index):
        per_item = rank_of(value) == rank_of(target)
        b.do(native.add_at_1 if per_item else native.add_at_same, target, index, value)
        return True
    return False


def _flat(b: Builder, a: Atom) -> Atom:
    """An array with its axes made one."""
    packed = b.emit(np.ascontiguousarray, a, kind=kind_of(a))
    return b.emit(np.reshape, packed, -1, kind=K.Array(K.dtype_of(kind_of(a)), 1))


def _one_list(items: Sequence[K.Kind]) -> int | None:
    """Where the one list of indices is in an index whose other items are numbers and slices."""
    lists = [n for n, k in enumerate(items) if isinstance(k, K.Array | K.List)]
    if any(map(_is_mask, items)):
        return None
    plain = all(isinstance(k, K.Scalar | K.Array | K.List) or k == K.SLICE for k in items)
    return lists[0] if plain and len(lists) == 1 and K.rank_of(items[lists[0]]) in (1, None) else None


def _is_mask(kind: K.Kind) -> bool:
    """Whether an index picks items by truth: none of them twice."""
    return (isinstance(kind, K.Array) and kind.dtype == "bool") or kind == K.List(K.BOOL)


def add_crosswise(b: Builder, target: Atom, index: Atom, items: Sequence[K.Kind], value: Atom) -> bool:
    """``target[i, rows, :] += value``, one of the indices being a list."""
    place = _one_list(items)
    assert place is not None
    ahead = sum(k == K.SLICE for k in items[:place])
    if rank_of(value) != sum(k == K.SLICE for k in items) + 1 + (rank_of(target) or 0) - len(items):
        return False
    parts = [b.emit(operator.getitem, index, n, kind=k) for n, k in enumerate(items)]

    def body(inner: Builder, k: Var) -> None:
        one = [*parts]
        one[place] = inner.emit(operator.getitem, parts[place], k, kind=K.INT)
        whole = [inner.emit(prims.make_slice, None, None, None, kind=K.SLICE) for _ in range(ahead)]
        rank = (rank_of(value) or 1) - 1
        kind = K.Array(K.dtype_of(kind_of(value)), rank) if rank else K.FLOAT
        part = inner.emit(operator.getitem, value, inner.index_of(*whole, k), kind=kind)
        inner.store(target, inner.index_of(*one), part, "+")

    b.loop(b.emit(len, parts[place], kind=K.INT), body)
    return True


@form(helpers.scatter)
def scatter(b: Builder, op: Op) -> Atom | None:
    """``scatter(x, index, like)``: zeros, then the addition."""
    x, index, like = op.args
    zeros = zeros_of(b, like)
    if not isinstance(zeros, Var):
        return None
    if isinstance(kind_of(like), K.List | K.Array) and add_items(b, zeros, index, x):
        return zeros
    return None


@form(operator.getitem)
def getitem(b: Builder, op: Op) -> Atom | None:
    """``a[i, j]`` with two lists of indices."""
    a, index = op.args
    if isinstance(index, Const) and index.value is ... and isinstance(kind_of(a), K.Array):
        return a
    match kind_of(a), kind_of(index):
        case K.Array(dtype, 2), K.Array("bool", 2):
            return b.emit(native.take_where, a, index, kind=K.Array(dtype, 1))
        case K.Array(dtype, 1), K.Array(d, int(n)) if n > 1 and d.startswith("int"):
            picked = b.emit(operator.getitem, a, _flat(b, index), kind=K.Array(dtype, 1))
            return b.emit(
                np.reshape, picked, b.emit(np.shape, index, kind=K.Tuple((K.INT,) * n)), kind=K.Array(dtype, n)
            )
        case K.Array(dtype, 2), K.Tuple((K.Array(d, 1), K.Array(e, 1))) if d[:3] == e[:3] == "int":
            i, j = (b.emit(operator.getitem, index, k, kind=K.Array("int64", 1)) for k in (0, 1))
            return b.emit(native.take_pairs, a, i, j, kind=K.Array(dtype, 1))
        case K.Array(), K.List(K.Scalar()):
            picked = b.emit(np.array, index, kind=K.Array("int64", 1))
            return b.emit(operator.getitem, a, picked, kind=op.target.kind if op.target else K.ANY)
    return None


@store_form
def store(b: Builder, s: Store) -> bool:
    """``xs[k] = 0.0`` of a list of arrays or tuples, where the number stands for zeros of any structure."""
    kind = kind_of(s.obj)
    if s.aug is not None or not isinstance(kind, K.List) or isinstance(kind.item, K.Scalar):
        return False
    if not isinstance(s.value, Const) or s.value.value not in (0.0, None) or rank_of(s.index) != 0:
        return False
    zeros = zeros_of(b, b.emit(operator.getitem, s.obj, s.index, kind=kind.item))
    if zeros is None:
        return False
    b.store(s.obj, s.index, zeros)
    return True


@store_form
def store_at_lists(b: Builder, s: Store) -> bool:
    """``a[i, j] = v`` with two lists of indices, and ``a[mask] = v`` or ``a[mask] += v`` of a matrix."""
    one = rank_of(s.value) == 0
    if s.aug == "+" and kind_of(s.index) == K.Array("bool", 2):
        return add_items(b, s.obj, s.index, s.value)
    if s.aug is not None or not isinstance(kind_of(s.obj), K.Array):
        return False
    match kind_of(s.index):
        case K.List(K.Scalar()):
            picked = b.emit(np.array, s.index, kind=K.Array("int64", 1))
            b.store(s.obj, picked, s.value)
            return True
        case K.Tuple((K.Array(d, 1), K.Array(e, 1))) if d[:3] == e[:3] == "int":
            i, j = (b.emit(operator.getitem, s.index, k, kind=K.Array("int64", 1)) for k in (0, 1))
            b.do(native.store_pairs_same if one else native.store_pairs, s.obj, i, j, s.value)
            return True
        case K.Array("bool", 2) if rank_of(s.obj) == 2 and rank_of(s.value) in (0, 1):
            b.do(native.fill_where_2 if one else native.store_where_2, s.obj, s.index, s.value)
            return True
    return False


#: Stores of arrays into parts of arrays, by the number of axes.
_STORED: dict[tuple[str | None, int | None], Any] = {
    (None, 1): along.put_1,
    (None, 2): along.put_2,
    ("+", 1): along.add_1,
    ("+", 2): along.add_2,
}


@store_form
def store_part(b: Builder, s: Store) -> bool:
    """``a[i:j] = v`` item by item: Numba's own takes a second to compile. Of what shares no memory with ``a``."""
    kind = kind_of(s.obj)
    parts = kind_of(s.index)
    items = parts.items if isinstance(parts, K.Tuple) else (parts,)
    is_view = K.SLICE in items and all(k == K.SLICE or isinstance(k, K.Scalar) for k in items)
    if not isinstance(kind, K.Array) or not is_view or not b.are_apart(s.obj, s.value):
        return False
    view = result_kind(operator.getitem, (s.obj, s.index))
    fn = _STORED.get((s.aug, K.rank_of(view)))
    if fn is None or not isinstance(view, K.Array) or rank_of(s.value) != view.rank:
        return False
    b.do(fn, b.emit(operator.getitem, s.obj, s.index, kind=view), s.value)
    return True


@store_form
def store_everywhere(b: Builder, s: Store) -> bool:
    """``a += v`` of a view: stored into at all indices, for Numba would take it for a new name."""
    rank = rank_of(s.obj)
    if s.aug is None or not rank or not (isinstance(s.index, Const) and s.index.value is ...):
        return False
    whole = b.emit(prims.make_slice, None, None, None, kind=K.SLICE)
    store = Store(s.obj, whole, s.value, s.aug, b.origin)
    if not store_part(b, store):
        b.stmts.append(store)
    return True


# ---------------------------------------------------------------- sharing


@form(helpers.shadow_view)
def shadow_view(b: Builder, op: Op) -> Atom | None:
    """``shadow_view(view, x, base)``, by where the memory begins."""
    kind = op.target.kind if op.target is not None else K.ANY
    return b.emit(native.shadow_view, *op.args, kind=kind)


@form(helpers.add_back)
def add_back(b: Builder, op: Op) -> Atom | None:
    """``add_back(target, part)``, by where the memory begins."""
    b.do(native.add_back, *op.args)
    return op.args[0]


# ---------------------------------------------------------------- powers


@form(operator.pow)
def half_power(b: Builder, op: Op) -> Atom | None:
    """``x ** 1.5`` and the like by a root, which takes a fifth of the time, where x has one."""
    x, y = op.args
    if op.target is None or not isinstance(y, Const) or abs(y.value) not in (0.5, 1.5) or type(y.value) is not float:
        return None
    if op.target.kind not in (K.FLOAT, K.Scalar("float64")) or kind_of(x) not in (K.FLOAT, K.Scalar("float64")):
        return None
    kind = op.target.kind
    inner = Builder(op.origin, b.definitions, b.is_written)
    power = inner.emit(math.sqrt, x, kind=kind)
    if abs(y.value) == 1.5:
        power = inner.emit(operator.mul, x, power, kind=kind)
    if y.value < 0.0:
        power = inner.emit(operator.truediv, 1.0, power, kind=kind)
    plain, result = Var("", kind), Var(op.target.hint, kind)
    other = Block((Op(plain, op.fn, op.args, (), op.origin),), (plain,))
    b.stmts.append(If(b.emit(operator.gt, x, 0.0, kind=K.BOOL), Block(tuple(inner.stmts), (power,)), other, (result,)))
    return result
