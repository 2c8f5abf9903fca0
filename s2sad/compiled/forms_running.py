"""Forms of running extrema, of places of extrema, of angles without jumps, of diagonals and of triangles."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from s2sad.compiled import lists, running
from s2sad.compiled.expand import Builder, form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import constant_axes, is_none, length, named, product
from s2sad.compiled.forms_reductions import in_three, reshaped
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.runtime import helpers

_EXTREMA: dict[Any, Any] = {
    np.maximum.accumulate: running.running_max,
    np.minimum.accumulate: running.running_min,
}


@form(*_EXTREMA)
def running_extremum(b: Builder, op: Op) -> Atom | None:
    """``np.maximum.accumulate(array, axis)``."""
    array, axis, dtype, out = named(op, "array", "axis", "dtype", "out")
    axes = (0,) if is_none(axis) and rank_of(array) == 1 else _one_axis(b, array, axis)
    if axes is None or not is_none(dtype) or not is_none(out):
        return None
    return _along(b, _EXTREMA[op.fn], axes[0], K.dtype_of(kind_of(array)), array)


@form(helpers.running_places)
def running_places(b: Builder, op: Op) -> Atom | None:
    """``running_places(a, extremum, axis)``."""
    a, extremum, axis = named(op, "a", "extremum", "axis")
    axes = _one_axis(b, a, axis)
    return None if axes is None else _along(b, running.places_so_far, axes[0], "int64", a, extremum)


def _one_axis(b: Builder, a: Atom, axis: Atom) -> tuple[int, ...] | None:
    """The axis that is named, the first unless one is."""
    rank = rank_of(a)
    axes = None if not rank else (0,) if axis == Const(None) else constant_axes(b, axis, rank)
    return axes if axes is not None and len(axes) == 1 else None


def _along(b: Builder, fn: Any, axis: int, dtype: str, *arrays: Atom) -> Atom:
    """A function of arrays as ones of three axes, in their shape."""
    found = b.emit(fn, *(in_three(b, a, axis) for a in arrays), kind=K.Array(dtype, 3))
    return reshaped(b, found, [length(b, arrays[0], k) for k in range(rank_of(arrays[0]) or 0)], dtype)


@form(np.argmax, np.argmin)
def place_along(b: Builder, op: Op) -> Atom | None:
    """``np.argmax(a, axis)`` of more axes than one, for which Numba stores slices."""
    a, axis = named(op, "a", "axis")
    rank, given = rank_of(a) or 0, len(op.args) + len(op.kwargs)
    axes = None if is_none(axis) or rank < 2 or given != 2 else constant_axes(b, axis, rank)
    if axes is None or len(axes) != 1:
        return None
    fn = running.argmax_along if op.fn is np.argmax else running.argmin_along
    found = b.emit(fn, in_three(b, a, axes[0]), kind=K.Array("int64", 2))
    return reshaped(b, found, [length(b, a, k) for k in range(rank) if k != axes[0]], "int64")


@form(np.unwrap)
def unwrap(b: Builder, op: Op) -> Atom | None:
    """``np.unwrap(p, discont, axis, period)`` of several axes, of which Numba has the last alone."""
    p, discont, axis, period = named(op, "p", "discont", "axis", "period")
    rank, dtype = rank_of(p) or 0, K.dtype_of(kind_of(p))
    axes = (rank - 1,) if is_none(axis) else constant_axes(b, axis, rank)
    if rank < 2 or dtype not in ("float64", "float32") or axes is None or len(axes) != 1:
        return None
    whole = Const(2 * math.pi) if is_none(period) else period
    least = b.emit(operator.truediv, whole, Const(2), kind=K.FLOAT) if is_none(discont) else discont
    found = b.emit(running.unwrapped, in_three(b, p, axes[0]), least, whole, kind=K.Array(dtype, 3))
    return reshaped(b, found, [length(b, p, k) for k in range(rank)], dtype)


# ---------------------------------------------------------------- diagonals


def main_axes(b: Builder, *axes: Atom) -> bool:
    """Whether these are the two axes of a matrix in their order."""
    found = [first if is_none(a) else b.constant(a) for first, a in enumerate(axes)]
    return found in ([0, 1], [0, -1], [-2, 1], [-2, -1])


@form(np.diagonal)
def diagonal(b: Builder, op: Op) -> Atom | None:
    """``np.diagonal(a, offset, axis1, axis2)``: of a matrix a view, of stacked ones that nothing changes a copy."""
    a, offset, *axes = named(op, "a", "offset", "axis1", "axis2")
    rank, dtype = rank_of(a) or 0, K.dtype_of(kind_of(a))
    by = Const(0) if is_none(offset) else offset
    if rank == 2 and main_axes(b, *axes):
        return b.emit(lists.diagonal, a, by, kind=K.Array(dtype, 1))
    order = _last_two(b, rank, axes)
    if order is None or (isinstance(a, Var) and b.is_written(a)):
        return None
    lengths = [length(b, a, k) for k in order[:-2]]
    rows = b.emit(running.diagonals, _stacked(b, a, order), by, kind=K.Array(dtype, 2))
    return reshaped(b, rows, [*lengths, length(b, rows, 1)], dtype)


@form(helpers.undiagonal)
def undiagonal(b: Builder, op: Op) -> Atom | None:
    """``undiagonal(x, like, offset, axis1, axis2)``."""
    x, like, offset, *axes = named(op, "x", "like", "offset", "axis1", "axis2")
    rank, dtype = rank_of(like) or 0, K.dtype_of(kind_of(x))
    by = Const(0) if is_none(offset) else offset
    if rank == 2 and main_axes(b, *axes):
        return b.emit(lists.undiagonal, x, like, by, kind=kind_of(like))
    order = _last_two(b, rank, axes)
    if order is None or rank_of(x) != rank - 1 or dtype != K.dtype_of(kind_of(like)):
        return None
    lengths = [length(b, like, k) for k in order]
    packed = b.emit(np.ascontiguousarray, x, kind=kind_of(x))
    rows = reshaped(b, packed, [product(b, lengths[:-2]), length(b, x, rank - 2)], dtype)
    found = b.emit(running.undiagonals, rows, *lengths[-2:], by, kind=K.Array(dtype, 3))
    back = tuple(order.index(k) for k in range(rank))
    return b.emit(np.transpose, reshaped(b, found, lengths, dtype), back, kind=K.Array(dtype, rank))


def _last_two(b: Builder, rank: int, axes: list[Atom]) -> list[int] | None:
    """The axes in an order in which those of the matrices are the last two."""
    found = [first if is_none(a) else b.constant(a) for first, a in enumerate(axes)]
    if rank < 2 or not all(isinstance(k, int) and -rank <= k < rank for k in found):
        return None
    last = [k % rank for k in found]
    return None if last[0] == last[1] else [k for k in range(rank) if k not in last] + last


def _stacked(b: Builder, a: Atom, order: list[int]) -> Atom:
    """An array as stacked matrices, its axes taken in an order."""
    dtype, lengths = K.dtype_of(kind_of(a)), [length(b, a, k) for k in order]
    turned = b.emit(np.transpose, a, tuple(order), kind=K.Array(dtype, len(order)))
    packed = b.emit(np.ascontiguousarray, turned, kind=kind_of(turned))
    return reshaped(b, packed, [product(b, lengths[:-2]), *lengths[-2:]], dtype)


# ---------------------------------------------------------------- triangles

#: Numba's own broadcast a mask, which takes it two seconds to compile.
_TRIANGLES: dict[Any, Any] = {np.tril: running.lower_triangle, np.triu: running.upper_triangle}


@form(*_TRIANGLES)
def triangle(b: Builder, op: Op) -> Atom | None:
    """``np.tril(m, k)`` and ``np.triu(m, k)`` of a matrix."""
    m, k = named(op, "m", "k")
    by = Const(0) if is_none(k) else k
    if rank_of(m) != 2 or rank_of(by) != 0:
        return None
    return b.emit(_TRIANGLES[op.fn], m, by, kind=kind_of(m))
