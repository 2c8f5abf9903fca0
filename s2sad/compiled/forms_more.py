"""Forms of less common helpers and functions: products of others, diagonals, padding, lists."""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from s2sad.analysis.memory import makes_object
from s2sad.compiled import along, lists
from s2sad.compiled import helpers as native
from s2sad.compiled.expand import Builder, form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import constant_axes, is_none, length, named, product, repeated, sum_of
from s2sad.compiled.forms_batches import singular
from s2sad.compiled.forms_reductions import in_three, of_dtype, reshaped
from s2sad.compiled.forms_shape import filled_in
from s2sad.compiled.points import last_at, points_of
from s2sad.compiled.special_functions import function_named
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Ref, Var
from s2sad.loops.elements import operands_of
from s2sad.runtime import helpers


def _dtype(a: Atom) -> str:
    return K.dtype_of(kind_of(a))


@form(operator.floordiv, operator.mod)
def integer_division(b: Builder, op: Op) -> Atom | None:
    """``n // m`` and ``n % m`` of integers, which Numba answers with zero where m is zero."""
    n, m = op.args
    integers = all(isinstance(kind_of(a), K.Scalar) and _dtype(a).startswith("int") for a in (n, m))
    if not integers or _is_not_zero(b, m) or op.target is None:
        return None
    b.do(native.need_divisor, m)
    b.stmts.append(op)
    return op.target


def _is_not_zero(b: Builder, n: Atom) -> bool:
    """Whether an integer is known not to be zero."""
    match n if isinstance(n, Const) else b.definition(n):
        case Const(int(value)):
            return value != 0
        case Op(fn=builtins.max, args=args):
            return any(isinstance(a, Const) and a.value > 0 for a in args)
    return False


@form(abs, operator.abs)
def sizes_of_complex(b: Builder, op: Op) -> Atom | None:
    """``abs(z)`` of complex numbers in an array, which Numba has by NumPy's name only."""
    (z,) = op.args
    if op.target is None or not isinstance(kind_of(z), K.Array) or not _dtype(z).startswith("complex"):
        return None
    return b.emit(np.abs, z, kind=op.target.kind)


@form(float)
def float_of_truth(b: Builder, op: Op) -> Atom | None:
    """``float(c)`` of a truth value, which Numba makes an integer but no float."""
    if len(op.args) != 1 or not isinstance(kind_of(op.args[0]), K.Scalar) or _dtype(op.args[0]) != "bool":
        return None
    return b.emit(float, b.emit(int, op.args[0], kind=K.INT), kind=K.FLOAT)


@form(np.int64, np.float64, np.complex128)
def array_of_type(b: Builder, op: Op) -> Atom | None:
    """``np.int64(a)`` of an array, which Numba has of numbers only."""
    if len(op.args) != 1 or not rank_of(op.args[0]):
        return float_of_truth(b, op) if op.fn is np.float64 else None
    assert op.target is not None
    return b.emit(helpers.astype, op.args[0], Const(op.fn), kind=op.target.kind)


@form(np.clip)
def clip_number(b: Builder, op: Op) -> Atom | None:
    """``np.clip(x, low, high)`` of a number, which Numba has of arrays only."""
    x, low, high = operands_of(op)
    if not isinstance(kind_of(x), K.Scalar) or op.target is None:
        return None
    for bound, fn in ((low, np.maximum), (high, np.minimum)):
        if not is_none(bound):
            x = b.emit(fn, x, bound, kind=op.target.kind)
    return x


# ---------------------------------------------------------------- axes made one


@form(helpers.flatten_axes)
def flatten_axes(b: Builder, op: Op) -> Atom | None:
    """``flatten_axes(a, axis)``: one axis moved to the front, or all made one."""
    a, axis = named(op, "a", "axis")
    rank = rank_of(a)
    if not rank:
        return None
    if is_none(axis):
        packed = b.emit(np.ascontiguousarray, a, kind=K.Array(_dtype(a), rank))
        return b.emit(np.reshape, packed, -1, kind=K.Array(_dtype(a), 1))
    axes = constant_axes(b, axis, rank)
    if axes is None or not axes:
        return None
    order = (*axes, *(i for i in range(rank) if i not in axes))
    turned = a if order == tuple(range(rank)) else b.emit(np.transpose, a, order, kind=K.Array(_dtype(a), rank))
    if len(axes) == 1:
        return turned
    lengths = [length(b, a, i) for i in order]
    packed = b.emit(np.ascontiguousarray, turned, kind=kind_of(turned))
    return reshaped(b, packed, [product(b, lengths[: len(axes)]), *lengths[len(axes) :]], _dtype(a))


@form(helpers.unflatten_axes)
def unflatten_axes(b: Builder, op: Op) -> Atom | None:
    """``unflatten_axes(x, like, axis)``."""
    x, like, axis = named(op, "x", "like", "axis")
    rank = rank_of(like)
    if not rank:
        return None
    if is_none(axis):
        packed = b.emit(np.ascontiguousarray, x, kind=kind_of(x))
        return reshaped(b, packed, [length(b, like, i) for i in range(rank)], _dtype(x))
    axes = constant_axes(b, axis, rank)
    if axes is None or not axes:
        return None
    order = (*axes, *(i for i in range(rank) if i not in axes))
    if len(axes) > 1:
        packed = b.emit(np.ascontiguousarray, x, kind=kind_of(x))
        x = reshaped(b, packed, [length(b, like, i) for i in order], _dtype(x))
    if order == tuple(range(rank)):
        return x
    if len(axes) == 1:
        return b.emit(np.moveaxis, x, 0, axes[0], kind=K.Array(_dtype(x), rank))
    return b.emit(np.transpose, x, tuple(order.index(i) for i in range(rank)), kind=K.Array(_dtype(x), rank))


@form(helpers.exclusive_prod)
def exclusive_prod(b: Builder, op: Op) -> Atom | None:
    """``exclusive_prod(a)``."""
    a = op.args[0]
    rank = rank_of(a)
    if not rank:
        return None
    flat = b.emit(along.exclusive_along, in_three(b, a, 0), kind=K.Array(_dtype(a), 3))
    return reshaped(b, flat, [length(b, a, i) for i in range(rank)], _dtype(a))


@form(helpers.diagonal_mask, helpers.upper_mask)
def mask(b: Builder, op: Op) -> Atom | None:
    """The mask of a diagonal or triangle, with axes of length one for the rest."""
    a = op.args[0]
    rank = rank_of(a)
    if not rank:
        return None
    n = length(b, a, 0)
    fn = native.diagonal_mask if op.fn is helpers.diagonal_mask else native.upper_mask
    found = b.emit(fn, n, kind=K.Array("bool", 2))
    return found if rank == 1 else reshaped(b, found, [n, n, *(Const(1) for _ in range(rank - 1))], "bool")


# ---------------------------------------------------------------- copies, diagonals, differences


@form(np.repeat)
def repeat(b: Builder, op: Op) -> Atom | None:
    """``np.repeat(a, repeats, axis)`` along an axis, as a subscript: Numba's own has no axes."""
    a, repeats, axis = named(op, "a", "repeats", "axis")
    rank = rank_of(a)
    axes = None if not rank or is_none(axis) else constant_axes(b, axis, rank)
    if not rank or axes is None:
        return None
    kind = K.Array("int64", 1)
    places = b.emit(np.repeat, b.emit(np.arange, length(b, a, axes[0]), kind=kind), repeats, kind=kind)
    whole = [b.emit(prims.make_slice, None, None, None, kind=K.SLICE) for _ in range(axes[0])]
    return b.emit(operator.getitem, a, b.index_of(*whole, places), kind=K.Array(_dtype(a), rank))


@form(helpers.undiag)
def undiag(b: Builder, op: Op) -> Atom | None:
    """``undiag(x, like, k)``."""
    x, like, k = (*op.args, *dict(op.kwargs).values(), Const(0))[:3]
    if rank_of(like) == 2:
        return b.emit(lists.undiagonal, x, like, k, kind=kind_of(like))
    return b.emit(np.diag, x, k, kind=kind_of(like)) if rank_of(like) == 1 and rank_of(x) is not None else None


@form(np.diag)
def diag(b: Builder, op: Op) -> Atom | None:
    """``np.diag(v, k)`` of a matrix: a view, where Numba's is a copy."""
    v, k = named(op, "v", "k")
    if rank_of(v) != 2:
        return None
    return b.emit(lists.diagonal, v, Const(0) if is_none(k) else k, kind=K.Array(_dtype(v), 1))


@form(np.flip, np.flipud, np.fliplr)
def flip(b: Builder, op: Op) -> Atom | None:
    """``np.flip(m, axis)``, a view."""
    m, axis = named(op, "m", "axis")
    rank = rank_of(m)
    if not rank:
        return None
    given: dict[Any, tuple[int, ...]] = {np.flipud: (0,), np.fliplr: (1,)}
    axes = given.get(op.fn, tuple(range(rank)) if is_none(axis) else constant_axes(b, axis, rank))
    if axes is None:
        return None
    parts = [b.emit(prims.make_slice, None, None, -1 if k in axes else None, kind=K.SLICE) for k in range(rank)]
    return b.emit(operator.getitem, m, b.index_of(*parts), kind=K.Array(_dtype(m), rank))


@form(helpers.unconvolve)
def unconvolve(b: Builder, op: Op) -> Atom | None:
    """``unconvolve(x, like, v, mode)``."""
    x, like, v, mode = named(op, "x", "like", "v", "mode")
    chosen = "full" if is_none(mode) else b.constant(mode)
    if chosen == "full":
        before: Atom = Const(0)
    else:
        n, m = (b.emit(len, a, kind=K.INT) for a in (like, v))
        less = b.emit(operator.sub, b.emit(min, n, m, kind=K.INT), 1, kind=K.INT)
        before = less if chosen == "valid" else b.emit(operator.floordiv, less, 2, kind=K.INT)
    return b.emit(native.unconvolve, x, like, v, before, kind=kind_of(like))


@form(helpers.polygamma)
def polygamma(b: Builder, op: Op) -> Atom | None:
    """``polygamma(n, x)``."""
    return b.emit(native.polygamma, *op.args, kind=K.FLOAT)


@form(prims.library_value)
def library_value(b: Builder, op: Op) -> Atom | None:
    """The function itself, of numbers."""
    name, *args = op.args
    assert isinstance(name, Const) and op.target is not None
    return b.emit(function_named(name.value), *args, kind=op.target.kind)


# ---------------------------------------------------------------- lists


@form(helpers.add_nested)
def add_nested(b: Builder, op: Op) -> Atom | None:
    """``add_nested(target, values)``: an array's items added to those of nested lists."""
    return op.args[0] if _add_nested(b, *op.args) else None


def _add_nested(b: Builder, target: Atom, values: Atom) -> bool:
    kind, given = kind_of(target), kind_of(values)
    if not isinstance(kind, K.List) or not isinstance(given, K.Array | K.List | K.Tuple):
        return False
    rank = rank_of(values) or 1
    part: K.Kind = K.Array(_dtype(values), rank - 1) if rank > 1 else K.FLOAT
    part = given.item if isinstance(given, K.List) else part
    done = True

    def body(inner: Builder, k: Var) -> None:
        nonlocal done
        value = inner.emit(operator.getitem, values, k, kind=part)
        if not isinstance(kind.item, K.List | K.Tuple):
            inner.store(target, k, value, "+")
            return
        held = inner.emit(operator.getitem, target, k, kind=kind.item)
        total = _sum_in_place(inner, held, value)
        done = total is not None
        if total is not None and total != held:
            inner.store(target, k, total)

    b.loop(b.emit(len, target, kind=K.INT), body)
    return done


def _sum_in_place(b: Builder, x: Atom, y: Atom) -> Atom | None:
    """x + y, where lists and arrays in x are added to; x itself where there is nothing else in it."""
    match kind_of(x), kind_of(y):
        case K.List(), _:
            return x if _add_nested(b, x, y) else None
        case K.Array(), K.Array() | K.Scalar():
            b.store(x, slice(None), y, "+")
            return x
        case K.Tuple(items) as whole, K.Tuple(others) if len(items) == len(others):
            pairs = [
                [b.emit(operator.getitem, z, n, kind=kind) for z, kind in ((x, p), (y, q))]
                for n, (p, q) in enumerate(zip(items, others, strict=True))
            ]
            parts = [_sum_in_place(b, *pair) for pair in pairs]
            if all(part == old for part, (old, _) in zip(parts, pairs, strict=True)):
                return x
            return None if None in parts else b.emit(prims.make_tuple, *parts, kind=whole)
    return sum_of(b, x, y)


@form(helpers.add_repeats)
def add_repeats(b: Builder, op: Op) -> Atom | None:
    """``add_repeats(target, values)``: of numbers by a helper, else item by item."""
    (target, values), done = op.args, True
    kind, given = kind_of(target), kind_of(values)
    if not isinstance(kind, K.List) or not isinstance(given, K.List):
        return None
    if isinstance(kind.item, K.Scalar):
        b.do(native.add_repeats, target, values)
        return target

    def body(inner: Builder, k: Var) -> None:
        nonlocal done
        place = inner.emit(operator.mod, k, inner.emit(len, target, kind=K.INT), kind=K.INT)
        held = inner.emit(operator.getitem, target, place, kind=kind.item)
        total = sum_of(inner, held, inner.emit(operator.getitem, values, k, kind=given.item))
        done = total is not None
        if total is not None:
            inner.store(target, place, total)

    b.loop(b.emit(len, values, kind=K.INT), body)
    return target if done else None


@form(prims.list_pop)
def pop(b: Builder, op: Op) -> Atom | None:
    """``xs.pop(i)`` of what is no number, but for the last item."""
    xs, at = op.args
    match kind_of(xs):
        case K.List(item) if at != Const(-1) and not isinstance(item, K.Scalar):
            return b.emit(lists.taken_out, xs, at, kind=op.target.kind if op.target else item)
    return None


@form(helpers.take_tail)
def take_tail(b: Builder, op: Op) -> Atom | None:
    """``take_tail(target, n)``."""
    return b.emit(native.take_tail, *op.args, kind=kind_of(op.args[0]))


@form(helpers.pack)
def pack(b: Builder, op: Op) -> Atom | None:
    """``pack(values, like)``."""
    values, like = op.args
    if isinstance(kind_of(like), K.Array):
        return b.emit(np.array, values, kind=kind_of(like))
    return values if isinstance(kind_of(like), K.List) else None


@form(helpers.last_stored)
def last_stored(b: Builder, op: Op) -> Atom | None:
    """``last_stored(target, index)``."""
    target, index = op.args
    points = points_of(b, target, index)
    return None if points is None else last_at(b, target, points)


@form(helpers.place)
def place(b: Builder, op: Op) -> Atom | None:
    """``place(x, index, like)``."""
    x, index, like = op.args
    zeros = b.emit(helpers.zeros_like, like, kind=kind_of(like))
    b.store(zeros, index, x)
    return zeros


@form(helpers.spread_items)
def spread_items(b: Builder, op: Op) -> Atom | None:
    """``spread_items(x, like)`` of an array."""
    x, like = op.args
    return repeated(b, x, like) if isinstance(kind_of(like), K.Array) else None


@form(helpers.inverse_gaps)
def inverse_gaps(b: Builder, op: Op) -> Atom | None:
    """``inverse_gaps(w)``."""
    w, rank = op.args[0], rank_of(op.args[0])
    if not rank:
        return None
    kind = K.Array(_dtype(w), rank + 1)
    row = b.emit(np.expand_dims, w, rank - 1, kind=kind)
    gaps = b.emit(operator.sub, row, b.emit(np.expand_dims, w, rank, kind=kind), kind=kind)
    return b.emit(helpers.quotient, 1.0, gaps, kind=kind)


# ---------------------------------------------------------------- singular values


@form(np.linalg.svd)
def svd(b: Builder, op: Op) -> Atom | None:
    """``np.linalg.svd(a, compute_uv=False)``, of which Numba has what computes the vectors as well, and of stacks."""
    a, full, vectors = named(op, "a", "full_matrices", "compute_uv")
    if (rank_of(a) or 0) > 2:
        return singular(b, a, full, vectors)
    if b.constant(vectors) is not False or rank_of(a) != 2:
        return None
    return singular_values(b, a)


def singular_values(b: Builder, a: Atom) -> Atom:
    """The singular values of a matrix."""
    matrix, values = K.Array(_dtype(a), 2), K.Array(_dtype(a), 1)
    parts = b.emit(np.linalg.svd, a, False, kind=K.Tuple((matrix, values, matrix)))
    return b.emit(operator.getitem, parts, 1, kind=values)


@form(np.linalg.norm)
def norm(b: Builder, op: Op) -> Atom | None:
    """The norms that Numba lacks: the nuclear one, that of Frobenius by its name, and those along an axis."""
    x, order, axis, keepdims = named(op, "x", "ord", "axis", "keepdims")
    rank, kind = b.constant(order), op.target.kind if op.target is not None else K.ANY
    if not isinstance(kind_of(x), K.Array) or K.dtype_of(kind) != _dtype(x):
        return None
    if not is_none(axis):
        return norms_along(b, op, x, axis, keepdims)
    if rank == "nuc" and rank_of(x) == 2:
        return b.emit(np.sum, singular_values(b, x), kind=K.Scalar(_dtype(x)))
    if is_none(order) and not b.constant(keepdims) and len(op.args) + len(op.kwargs) > 1:
        return b.emit(np.linalg.norm, x, kind=kind)
    if rank in ("fro", "f") and rank_of(x) == 2:
        return b.emit(np.linalg.norm, x, kind=kind)
    return _of_one_piece(b, op, x) if rank_of(x) == 1 else None


def _of_one_piece(b: Builder, op: Op, x: Atom) -> Atom | None:
    """The norm of a vector in one piece: BLAS, which Numba asks for it, has another of one that goes backwards."""
    made = b.definition(x)
    if op.target is None or (made is not None and makes_object(made)):
        return None
    packed = b.emit(np.ascontiguousarray, x, kind=kind_of(x))
    given = tuple((name, a) for name, a in op.kwargs if name != "x")
    b.stmts.append(Op(op.target, np.linalg.norm, (packed, *op.args[1:]), given, b.origin))
    return op.target


def norms_along(b: Builder, op: Op, x: Atom, axis: Atom, keepdims: Atom) -> Atom | None:
    """The norms of vectors along one axis: by their squares, their sums or their largest items."""
    order = _order(b, named(op, "x", "ord", "axis", "keepdims")[1])
    axes = constant_axes(b, axis, rank_of(x) or 0)
    if axes is None or len(axes) != 1 or order not in _NORMS:
        return None
    assert op.target is not None
    how = {"axis": axes[0]} if is_none(keepdims) else {"axis": axes[0], "keepdims": b.constant(keepdims)}
    whole = kind_of(x)
    if order in (None, 2):
        total = b.emit(np.sum, b.emit(operator.mul, x, x, kind=whole), kind=op.target.kind, **how)
        return b.emit(np.sqrt, total, kind=op.target.kind)
    return b.emit(_NORMS[order], b.emit(np.abs, x, kind=whole), kind=op.target.kind, **how)


def _order(b: Builder, a: Atom) -> Any:
    """The order of a norm; NaN where it cannot be told."""
    match b.definition(a) or a:
        case Const(value):
            return value
        case Ref(root=root, value=value) if root is np:
            return value
        case Op(fn=operator.neg, args=(inner,)):
            value = _order(b, inner)
            return np.nan if value is None else -value
    return np.nan


#: What the magnitudes of the items are put together by, for the orders of norms of vectors.
_NORMS: dict[Any, Any] = {None: np.sum, 2: np.sum, 1: np.sum, np.inf: np.max, -np.inf: np.min}


@form(helpers.need_values, helpers.need_more_values)
def unpacked(b: Builder, op: Op) -> Atom:
    """The checks of what is unpacked, with other messages."""
    b.do(native.need_values if op.fn is helpers.need_values else native.need_more_values, *op.args)
    return Const(None)


@form(np.size)
def size(b: Builder, op: Op) -> Atom | None:
    """``np.size(a, axis)``."""
    a, axis = named(op, "a", "axis")
    axes = None if is_none(axis) else constant_axes(b, axis, rank_of(a) or 0)
    return None if axes is None or len(axes) != 1 else length(b, a, axes[0])


@form(np.atleast_1d, np.atleast_2d, np.atleast_3d)
def of_axes(b: Builder, op: Op) -> Atom | None:
    """``np.atleast_2d(x)`` of a number."""
    if len(op.args) != 1 or op.target is None or not isinstance(kind_of(op.args[0]), K.Scalar):
        return None
    rank = rank_of(op.target)
    if not rank or _dtype(op.target) not in ("float64", "int64"):
        return None
    row = filled_in(b, [op.args[0]], K.Array(_dtype(op.target), 1))
    return row if rank == 1 else reshaped(b, row, [Const(1)] * rank, _dtype(op.target))


@form(np.linspace)
def linspace(b: Builder, op: Op) -> Atom | None:
    """``np.linspace(start, stop, num)`` between numbers, what it takes as anyway left out."""
    start, stop, num, endpoint, _, axis = named(op, "start", "stop", "num", "endpoint", "dtype", "axis")
    plain = {endpoint, axis} <= {Const(None), Const(True), Const(0)} and endpoint != Const(0)
    if op.target is None or not plain or rank_of(start) != 0 or rank_of(stop) != 0:
        return None
    if _dtype(op.target) not in ("float64", "float32"):
        return None
    wide = Var("", K.Array("float64", 1))
    b.stmts.append(Op(wide, np.linspace, (start, stop, Const(50) if is_none(num) else num), (), b.origin))
    return of_dtype(b, wide, _dtype(op.target))
