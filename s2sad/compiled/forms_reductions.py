"""Forms of reductions along axes, and of what adjoints of them call."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.compiled import along
from s2sad.compiled.expand import FORMS, Builder, form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import constant_axes, is_none, length, named, product
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op
from s2sad.runtime import helpers

#: Along the middle one of three axes, for each reduction.
_ALONG: dict[Any, Any] = {
    np.sum: along.sum_along,
    np.prod: along.prod_along,
    np.max: along.max_along,
    np.amax: along.max_along,
    np.min: along.min_along,
    np.amin: along.min_along,
    np.any: along.any_along,
    np.all: along.all_along,
}
_ADDING = (np.sum, np.prod)  #: of small integers and truth values they are larger ones
_RUNNING: dict[Any, Any] = {np.cumsum: along.cumsum_along, np.cumprod: along.cumprod_along}


def _floats(kind: K.Kind) -> str:
    dtype = K.dtype_of(kind)
    return dtype if dtype.startswith("float") else "float64"


def shape_of(b: Builder, lengths: list[Atom]) -> Atom:
    """A tuple of lengths."""
    return b.emit(prims.make_tuple, *lengths, kind=K.Tuple((K.INT,) * len(lengths)))


def reshaped(b: Builder, a: Atom, lengths: list[Atom], dtype: str) -> Atom:
    """A contiguous array with other lengths."""
    return b.emit(np.reshape, a, shape_of(b, lengths), kind=K.Array(dtype, len(lengths)))


def in_three(b: Builder, a: Atom, axis: int) -> Atom:
    """An array as one of three axes, the middle one being ``axis``."""
    rank, dtype = rank_of(a) or 0, K.dtype_of(kind_of(a))
    lengths = [length(b, a, i) for i in range(rank)]
    packed = b.emit(np.ascontiguousarray, a, kind=K.Array(dtype, rank))
    parts = [product(b, lengths[:axis]), lengths[axis], product(b, lengths[axis + 1 :])]
    return reshaped(b, packed, parts, dtype)


def of_dtype(b: Builder, a: Atom, dtype: str) -> Atom:
    """An array with items of this dtype."""
    if K.dtype_of(kind_of(a)) == dtype:
        return a
    return b.emit(helpers.astype, a, getattr(np, dtype), kind=K.Array(dtype, rank_of(a)))


def surely_of(b: Builder, a: Atom, dtype: str) -> Atom:
    """An array with items of this dtype, which what counts as complex may not have: it may be real."""
    if dtype != "complex128":
        return of_dtype(b, a, dtype)
    return b.emit(helpers.astype, a, np.complex128, kind=K.Array(dtype, rank_of(a)))


def reduced(b: Builder, fn: Any, a: Atom, axes: tuple[int, ...], kept: bool, dtype: str) -> Atom:
    """A reduction along some axes, one after the other."""
    rank = rank_of(a) or 0
    if len(axes) == rank and not kept:
        return b.emit(fn, a, kind=K.Scalar(dtype))
    if fn in _ADDING:
        a = of_dtype(b, a, dtype)
    lengths = [length(b, a, i) for i in range(rank)]
    for axis in sorted(axes):
        flat = b.emit(_ALONG[fn], in_three(b, a, axis), kind=K.Array(dtype, 2))
        lengths[axis] = Const(1)
        a = reshaped(b, flat, lengths, dtype)
    if kept:
        return a
    return reshaped(b, a, [n for i, n in enumerate(lengths) if i not in axes], dtype)


def _reduction(b: Builder, op: Op) -> Atom | None:
    """``fn(a, axis, keepdims)``."""
    a, axis, keepdims = named(op, "a", "axis", "keepdims")
    if not set(dict(op.kwargs)) <= {"axis", "keepdims"} or len(op.args) > 2 or op.target is None:
        return None
    rank, kept = rank_of(a), isinstance(keepdims, Const) and bool(keepdims.value)
    if op.fn is np.sum and rank == 0 and is_none(axis):
        return _of_number(b, op, a)
    if not rank or not isinstance(keepdims, Const):
        return None
    if is_none(axis) and not kept:
        return _plain(b, op, a)
    axes = tuple(range(rank)) if is_none(axis) else constant_axes(b, axis, rank)
    if axes is None:
        return None
    return reduced(b, op.fn, a, axes, kept, K.dtype_of(op.target.kind))


def _of_number(b: Builder, op: Op, a: Atom) -> Atom | None:
    """The sum of a number, which is the number, or the integer that a truth value is."""
    assert op.target is not None
    if K.is_integer(op.target.kind):
        return b.emit(int, a, kind=K.INT)
    return a if isinstance(kind_of(a), K.Scalar) else _plain(b, op, a)


def _plain(b: Builder, op: Op, a: Atom) -> Atom | None:
    """A reduction of all items, as Numba takes it: the array and nothing else."""
    if len(op.args) == 1 and not op.kwargs:
        return None
    assert op.target is not None
    return b.emit(op.fn, a, kind=op.target.kind)


FORMS.update(dict.fromkeys(_ALONG, _reduction))


def _of_another_type(op: Op, a: Atom, dtype: Atom) -> bool:
    """Whether a reduction is asked for a dtype that its items do not have."""
    return not is_none(dtype) and (op.target is None or K.dtype_of(op.target.kind) != K.dtype_of(kind_of(a)))


def _running(b: Builder, op: Op) -> Atom | None:
    """``np.cumsum(a, axis)``."""
    a, axis, dtype = named(op, "a", "axis", "dtype")
    rank = rank_of(a)
    if not rank or op.target is None:
        return None
    name = K.dtype_of(op.target.kind)
    if rank == 1 or is_none(axis):
        plain = is_none(axis) and is_none(dtype)
        return None if plain else b.emit(op.fn, of_dtype(b, a, name), kind=op.target.kind)
    axes = constant_axes(b, axis, rank)
    if axes is None:
        return None
    run = b.emit(_RUNNING[op.fn], in_three(b, of_dtype(b, a, name), axes[0]), kind=K.Array(name, 3))
    return reshaped(b, run, [length(b, a, i) for i in range(rank)], name)


FORMS.update(dict.fromkeys(_RUNNING, _running))


@form(np.mean)
def mean(b: Builder, op: Op) -> Atom | None:
    """``np.mean(a, axis, keepdims)``: a sum divided by a count."""
    a, axis, dtype, keepdims = named(op, "a", "axis", "dtype", "keepdims")
    if _of_another_type(op, a, dtype) or (is_none(axis) and is_none(keepdims)) or op.target is None or not rank_of(a):
        return None
    extra = {} if is_none(keepdims) else {"keepdims": keepdims}
    total = b.call(np.sum, (a,), {"axis": axis, **extra}, op.target.kind)
    number = b.emit(helpers.count, a, axis, kind=K.INT)
    return b.emit(operator.truediv, total, number, kind=op.target.kind)


@form(helpers.tied_mean, helpers.tied_share)
def ties(b: Builder, op: Op) -> Atom | None:
    """The tangent of a maximum, and its adjoint: means over, or shares of, the items that equal it."""
    x, a, extremum, axis, keepdims = named(op, "x", "a", "extremum", "axis", "keepdims")
    rank = rank_of(a)
    if not rank or op.target is None:
        return None
    dtype = _floats(kind_of(a))
    array, mask = K.Array(dtype, rank), K.Array("bool", rank)
    spread = {"axis": axis, "keepdims": keepdims if not is_none(keepdims) else Const(False)}
    top = b.call(helpers.spread, (extremum, a), spread, array)
    hit = b.emit(operator.eq, a, top, kind=mask)
    ones = b.emit(np.where, hit, 1.0, 0.0, kind=array)
    if op.fn is helpers.tied_mean:
        number = b.call(np.sum, (ones,), _given(spread), op.target.kind)
        picked = b.emit(np.where, hit, x, 0.0, kind=array)
        total = b.call(np.sum, (picked,), _given(spread), op.target.kind)
        return b.emit(
            operator.truediv, total, b.emit(np.maximum, number, 1.0, kind=op.target.kind), kind=op.target.kind
        )
    number = b.emit(np.sum, ones, axis=axis, keepdims=True, kind=array)
    part = b.call(helpers.spread, (x, a), spread, array)
    share = b.emit(operator.truediv, part, b.emit(np.maximum, number, 1.0, kind=array), kind=array)
    return b.emit(np.where, hit, share, 0.0, kind=array)


def _given(options: dict[str, Atom]) -> dict[str, Atom]:
    return {k: v for k, v in options.items() if not is_none(v)}
