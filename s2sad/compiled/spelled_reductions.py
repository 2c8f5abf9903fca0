"""Norms, ranges, deviations and extremes without NaN along axes, and sums in another precision.

These are forms of :mod:`s2sad.compiled.spelled`: functions of a builder and an operation, which put down statements
that give the same values, to the rounding of a sum, or give None where they cannot.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from s2sad.compiled.expand import Builder, Form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import constant_axes, is_none, named
from s2sad.compiled.forms_reductions import of_dtype
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Op, Ref
from s2sad.runtime import helpers

__all__ = ["REDUCTIONS", "Along"]


class Along:
    """A reduction of ``x`` along axes, to what an operation gives."""

    def __init__(self, b: Builder, op: Op, x: Atom, axes: tuple[int, ...], kept: bool) -> None:
        assert op.target is not None
        self.b, self.x, self.axes, self.kept = b, x, axes, kept
        self.result = op.target.kind

    def each(self, fn: Any, *args: Any) -> Atom:
        """``fn(*args)``, of the shape of ``x``."""
        return self.b.emit(fn, *args, kind=kind_of(self.x))

    def take(self, fn: Any, a: Atom, kept: bool | None = None) -> Atom:
        """``fn(a, axis, keepdims)``"""
        kept, dtype, rank = self.kept if kept is None else kept, K.dtype_of(self.result), rank_of(self.x) or 0
        left = rank if kept else rank - len(self.axes)
        kind = self.result if kept == self.kept else K.Array(dtype, left) if left else K.Scalar(dtype)
        axis = self.axes[0] if len(self.axes) == 1 else self.axes
        if kept:
            return self.b.emit(fn, a, axis=axis, keepdims=True, kind=kind)
        return self.b.emit(fn, a, axis=axis, kind=kind) if left else self.b.emit(fn, a, kind=kind)


def _along(
    b: Builder, op: Op, x: Atom, axis: Atom, keepdims: Atom, dtypes: tuple[str, ...] = ("float64",)
) -> Along | None:
    """A reduction of an array of one of these types, along axes that are written down."""
    rank, kept = rank_of(x), b.constant(keepdims)
    axes = tuple(range(rank or 0)) if is_none(axis) else constant_axes(b, axis, rank or 0)
    if not rank or not axes or K.dtype_of(kind_of(x)) not in dtypes or kept not in (None, True, False):
        return None
    return Along(b, op, x, axes, bool(kept))


def norm(b: Builder, op: Op) -> Atom | None:
    """``np.linalg.norm(x, ord, axis, keepdims)`` along axes."""
    x, order, axis, keepdims = named(op, "x", "ord", "axis", "keepdims")
    rank, kept = rank_of(x), b.constant(keepdims)
    if not rank or not K.dtype_of(kind_of(x)).startswith("float") or (is_none(axis) and not kept):
        return None
    axes = tuple(range(rank)) if is_none(axis) else constant_axes(b, axis, rank)
    if axes is None or kept not in (None, True, False):
        return None
    if not is_none(order) and is_none(axis):
        return None
    along = Along(b, op, x, axes, bool(kept))
    chosen = order.value if isinstance(order, Ref) and order.root is np else b.constant(order), len(axes)
    if is_none(order) or chosen in ((2, 1), ("fro", 2)):
        return b.emit(np.sqrt, along.take(np.sum, along.each(operator.mul, x, x)), kind=along.result)
    if len(axes) == 2:
        return _largest_sum(b, along, b.constant(order))
    reduction = {(1, 1): np.sum, (math.inf, 1): np.max}.get(chosen)
    return None if reduction is None else along.take(reduction, along.each(np.abs, x))


def _largest_sum(b: Builder, along: Along, order: Any) -> Atom | None:
    """The norm of matrices that is the largest, or the least, of the sums along the first of two axes."""
    if order not in (1, -1):
        return None
    (summed, left), rank = along.axes, rank_of(along.x) or 0
    how: dict[str, Any] = {"keepdims": True} if along.kept else {}
    kind = K.Array(K.dtype_of(along.result), rank if along.kept else rank - 1)
    sums = b.emit(np.sum, along.each(np.abs, along.x), axis=summed, kind=kind, **how)
    reduction, place = np.max if order > 0 else np.min, left - (left > summed and not along.kept)
    if rank == 2 and not along.kept:
        return b.emit(reduction, sums, kind=along.result)
    return b.emit(reduction, sums, axis=place, kind=along.result, **how)


def spread_of_items(b: Builder, op: Op) -> Atom | None:
    """``np.ptp(a, axis, keepdims)``"""
    a, axis, keepdims = named(op, "a", "axis", "keepdims")
    along = _along(b, op, a, axis, keepdims)
    if along is None:
        return None
    return b.emit(operator.sub, along.take(np.max, a), along.take(np.min, a), kind=along.result)


def extreme_without_nan(reduction: Any, least: float) -> Form:
    """``np.nanmax(a, axis, keepdims)`` and the like: NaN where nothing else is."""

    def build(b: Builder, op: Op) -> Atom | None:
        a, axis, keepdims = named(op, "a", "axis", "keepdims")
        along = _along(b, op, a, axis, keepdims)
        if along is None:
            return None
        number = b.emit(operator.eq, a, a, kind=K.Array("bool", rank_of(a)))
        found = along.take(reduction, along.each(np.where, number, a, least))
        count = along.take(np.sum, along.each(np.where, number, 1.0, 0.0))
        flags = K.Array("bool", rank_of(count)) if rank_of(count) else K.BOOL
        some = b.emit(operator.gt, count, 0.0, kind=flags)
        return b.emit(np.where, some, found, math.nan, kind=along.result)

    return build


def variance(b: Builder, op: Op) -> Atom | None:
    """``np.var(a, axis, ddof=, keepdims=)``, as NumPy has it: the mean of the squares of what is left of the mean."""
    a, axis, ddof, keepdims = named(op, "a", "axis", "ddof", "keepdims")
    if K.dtype_of(kind_of(a)).startswith("int") and rank_of(a):
        a = b.emit(operator.mul, a, 1.0, kind=K.Array("float64", rank_of(a)))
    along = _along(b, op, a, axis, keepdims, ("float64", "float32"))
    less = 0 if is_none(ddof) else b.constant(ddof)
    if along is None or not isinstance(less, int | float):
        return None
    n = b.emit(helpers.count, a, along.axes, kind=K.INT)
    total = along.take(np.sum, a, kept=len(along.axes) < (rank_of(a) or 0))
    rest = along.each(operator.sub, a, b.emit(operator.truediv, total, n, kind=kind_of(total)))
    free = b.emit(max, b.emit(operator.sub, n, less, kind=K.INT), 0, kind=K.INT) if less else n
    return b.emit(operator.truediv, along.take(np.sum, along.each(operator.mul, rest, rest)), free, kind=along.result)


def deviation(b: Builder, op: Op) -> Atom | None:
    """``np.std``: the root of the variance."""
    found = variance(b, op)
    return None if found is None else b.emit(np.sqrt, found, kind=kind_of(found))


def of_converted(b: Builder, op: Op) -> Atom | None:
    """``np.mean(a, axis, dtype, keepdims=)`` and the like, to another precision: of items that are converted before."""
    a, axis, dtype, keepdims = named(op, "a", "axis", "dtype", "keepdims")
    wanted = "" if op.target is None else K.dtype_of(op.target.kind)
    if is_none(dtype) or not rank_of(a) or not wanted.startswith("float") or wanted == K.dtype_of(kind_of(a)):
        return None
    along = _along(b, op, of_dtype(b, a, wanted), axis, keepdims, ("float64", "float32"))
    return None if along is None else along.take(op.fn, along.x)


def fraction_and_whole(b: Builder, op: Op) -> Atom | None:
    """``np.modf(x)``"""
    (x,), kind = op.args, kind_of(op.args[0])
    if op.kwargs or K.dtype_of(kind) != "float64" or rank_of(x) is None or op.target is None:
        return None
    flags = K.Array("bool", rank_of(x)) if rank_of(x) else K.BOOL
    whole = b.emit(np.trunc, x, kind=kind)
    rest = b.emit(np.where, b.emit(np.isinf, x, kind=flags), 0.0, b.emit(operator.sub, x, whole, kind=kind), kind=kind)
    return b.index_of(b.emit(np.copysign, rest, x, kind=kind), whole)


def whole_part(b: Builder, op: Op) -> Atom | None:
    """``np.fix(x)``"""
    if op.kwargs or len(op.args) != 1 or K.dtype_of(kind_of(op.args[0])) != "float64":
        return None
    return b.emit(np.trunc, op.args[0], kind=kind_of(op.args[0]))


#: What to make of such operations.
REDUCTIONS: dict[Any, Form] = {
    np.linalg.norm: norm,
    np.ptp: spread_of_items,
    np.nanmax: extreme_without_nan(np.max, -math.inf),
    np.nanmin: extreme_without_nan(np.min, math.inf),
    np.var: variance,
    np.std: deviation,
    **dict.fromkeys((np.sum, np.mean, np.prod), of_converted),
    np.modf: fraction_and_whole,
    np.fix: whole_part,
}
