"""Forms of helpers that differ for numbers and for arrays, and of additions at an index."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from s2sad.compiled import along, complexes
from s2sad.compiled import helpers as native
from s2sad.compiled.expand import FORMS, Builder, form, kind_of, rank_of, store_form
from s2sad.compiled.forms_adjoint import length, sum_of, zeros_of
from s2sad.compiled.points import points_of, store_at, take_at
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, If, Op, Store, Var
from s2sad.rules.infer import result_kind
from s2sad.rules.lookup import is_complex_atom
from s2sad.runtime import helpers

#: Each helper, with what it is for numbers and for arrays.
_BY_KIND: dict[Any, tuple[Any, Any]] = {
    helpers.times: (native.times_scalar, native.times_array),
    helpers.quotient: (native.quotient_scalar, native.quotient_array),
    helpers.safe_log: (native.safe_log_scalar, native.safe_log_array),
    helpers.sign: (native.sign_scalar, np.sign),
    helpers.exp_difference: (native.exp_difference_scalar, native.exp_difference),
    helpers.power_slope: (native.power_slope_scalar, native.power_slope_array),
    helpers.power_term: (native.power_term_scalar, native.power_term_array),
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


@form(helpers.promoted)
def promoted(b: Builder, op: Op) -> Atom | None:
    """``promoted(x)`` of a number or an array."""
    x = op.args[0]
    if op.target is None or not isinstance(kind_of(x), K.Scalar | K.Array):
        return None
    return b.emit(operator.add, x, Const(0j), kind=op.target.kind)


@form(helpers.same_axes)
def same_axes(b: Builder, op: Op) -> Atom | None:
    """``same_axes(x, y)``, a check of each length: Numba takes no slices of shapes by lengths."""
    x, y = op.args
    r, s = rank_of(x), rank_of(y)
    if r is None or s is None:
        return None
    for k in range(s):
        b.do(helpers.same_length, length(b, x, r - s + k), length(b, y, k))
    return Const(None)


@form(helpers.complex_log)
def complex_log(b: Builder, op: Op) -> Atom | None:
    """``complex_log(x)``, of real numbers too."""
    (x,) = op.args
    if op.target is None or not isinstance(kind_of(x), K.Scalar | K.Array):
        return None
    of = complexes.complex_log_scalar if isinstance(kind_of(x), K.Scalar) else complexes.complex_log_array
    z = x if is_complex_atom(x) else b.emit(operator.add, x, Const(0j), kind=op.target.kind)
    return b.emit(of, z, kind=op.target.kind)


# ---------------------------------------------------------------- subscripts


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
    match kind_of(index):
        case K.Array("bool", 1) if rank_of(target) == rank_of(value) == 1:
            b.do(native.add_where, target, index, value)
            return True
        case K.Tuple(items) if not any(isinstance(k, K.Array | K.List) for k in items):
            b.store(target, index, value, "+")
            return True
        case K.Other(t) if t is slice:
            b.store(target, index, value, "+")
            return True
    if is_list_of_indices(index) and rank_of(target) == 1:
        b.do(native.add_at_1 if rank_of(value) else native.add_at_same, target, index, value)
        return True
    points = points_of(b, target, index)
    return points is not None and store_at(b, target, points, value, "+")


@form(helpers.scatter)
def scatter(b: Builder, op: Op) -> Atom | None:
    """``scatter(x, index, like)``: zeros, then the addition; in a tuple of numbers, what goes to each."""
    x, index, like = op.args
    if isinstance(kind_of(like), K.Tuple):
        return in_tuple(b, x, index, like)
    zeros = zeros_of(b, like)
    if not isinstance(zeros, Var):
        return None
    if isinstance(kind_of(like), K.List | K.Array) and add_items(b, zeros, index, x):
        return zeros
    return None


def in_tuple(b: Builder, x: Atom, index: Atom, like: Atom) -> Atom | None:
    """A tuple of zeros, but for ``x`` where the index points."""
    kind = kind_of(like)
    assert isinstance(kind, K.Tuple)
    n = len(kind.items)
    plain = all(isinstance(k, K.Scalar) and K.dtype_of(k) in ("float", "float64", "int") for k in kind.items)
    if not plain or kind.cls is not None:
        return None
    place = b.emit(operator.mod, index, n, kind=K.INT)
    here = [b.emit(operator.eq, place, k, kind=K.BOOL) for k in range(n)]
    parts = [b.emit(native.where_or_zero, h, x, kind=K.FLOAT) for h in here]
    return b.emit(prims.make_tuple, *parts, kind=K.Tuple((K.FLOAT,) * n))


@form(operator.getitem)
def getitem(b: Builder, op: Op) -> Atom | None:
    """``a[index]`` with arrays of indices and masks that Numba has not."""
    a, index = op.args
    if isinstance(index, Const) and index.value is ... and isinstance(kind_of(a), K.Array):
        return a
    if not isinstance(kind_of(a), K.Array) or _is_native(index):
        return None
    points = points_of(b, a, index)
    return None if points is None else take_at(b, a, points)


def _is_native(index: Atom) -> bool:
    """Whether Numba has subscripts of this kind: with one array of one axis, beside slices at most."""
    kind = kind_of(index)
    items = kind.items if isinstance(kind, K.Tuple) else (kind,)
    arrays = [k for k in items if k != K.SLICE]
    return len(arrays) == 1 and isinstance(arrays[0], K.Array) and arrays[0].rank == 1


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


_OPERATORS = {symbol: fn for fn, symbol in prims.BINARY.items()}


@store_form
def store_at_points(b: Builder, s: Store) -> bool:
    """``a[index] = v`` and ``a[index] += v`` with arrays of indices and masks that Numba has not."""
    if not isinstance(kind_of(s.obj), K.Array) or _is_native(s.index):
        return False
    points = points_of(b, s.obj, s.index)
    if points is None:
        return False
    value = s.value
    if s.aug is not None and not (points.distinct and s.aug == "+"):
        old = take_at(b, s.obj, points)
        fn = _OPERATORS[s.aug]
        value = b.emit(fn, old, value, kind=result_kind(fn, (old, value)))
        return store_at(b, s.obj, points, value)
    return store_at(b, s.obj, points, value, s.aug)


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
    view = _view_kind(s.obj, s.index)
    if view is None or not b.are_apart(s.obj, s.value):
        return False
    fn = _STORED.get((s.aug, K.rank_of(view)))
    if fn is None or rank_of(s.value) != view.rank:
        return False
    b.do(fn, b.emit(operator.getitem, s.obj, s.index, kind=view), s.value)
    return True


def _view_kind(obj: Atom, index: Atom) -> K.Array | None:
    """The kind of what slices, beside numbers, show of an array; None for other subscripts."""
    parts = kind_of(index)
    items = parts.items if isinstance(parts, K.Tuple) else (parts,)
    if not all(k == K.SLICE or isinstance(k, K.Scalar) for k in items):
        return None
    view = result_kind(operator.getitem, (obj, index)) if isinstance(kind_of(obj), K.Array) else None
    return view if isinstance(view, K.Array) else None


@form(helpers.copy_order)
def copy_order(b: Builder, op: Op) -> Atom | None:
    """``copy_order(target, index, source)`` of vectors, by where they are in memory."""
    target, index, source = op.args
    picked = b.emit(prims.make_slice, None, None, None, kind=K.SLICE) if index == Const(...) else index
    view = _view_kind(target, picked)
    if view is None or view.rank != 1 or rank_of(source) != 1:
        return None
    shown = b.emit(operator.getitem, target, picked, kind=view)
    return b.emit(native.copy_order, shown, source, kind=K.Array("int64", 1))


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


@form(operator.pow, pow)
def power(b: Builder, op: Op) -> Atom | None:
    """``x ** y``: of integers, and of floats by a root."""
    if len(op.args) != 2 or op.kwargs:
        return None
    if all(isinstance(k := kind_of(a), K.Scalar) and k.dtype.startswith(("int", "uint")) for a in op.args):
        return integer_power(b, op)
    return half_power(b, op)


def integer_power(b: Builder, op: Op) -> Atom | None:
    """``n ** m``: Numba gives an integer also where m is negative, and Python a float."""
    n, m = op.args
    if not isinstance(m, Const):
        return b.emit(native.integer_power, n, m, kind=op.target.kind if op.target else K.INT)
    return None if m.value >= 0 else b.emit(operator.pow, b.emit(np.float64, n, kind=K.FLOAT), m, kind=K.FLOAT)


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
