"""Fourier transforms over several axes as ones along one axis, and what adjoints make of them item by item.

These are forms of :mod:`s2sad.compiled.spelled`. Transforms along one axis stay NumPy's functions in the text of a
derivative; in machine code they are NumPy's loops (:mod:`s2sad.compiled.forms_fourier`).
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.compiled.expand import Builder, Form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import constant_axes, is_none, length, named
from s2sad.compiled.forms_shape import lengths_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op
from s2sad.runtime import helpers

__all__ = ["FOURIER"]

_INTEGERS = K.Array("int64", 1)


def over_axes(along: Any, default: tuple[int, ...] | None) -> Form:
    """A transform over several axes: along one after the other, from the last on."""

    def build(b: Builder, op: Op) -> Atom | None:
        x, s, axes, norm = named(op, "a", "s", "axes", "norm")
        rank, lengths = rank_of(x), None if is_none(s) else lengths_of(b, [s])
        if not rank or op.target is None:
            return None
        if is_none(axes):
            n = rank if lengths is None else len(lengths)
            chosen: tuple[int, ...] | None = default or tuple(range(rank - n, rank))
        else:
            chosen = constant_axes(b, axes, rank)
        if not chosen or (lengths is not None and len(lengths) != len(chosen)):
            return None
        kind = K.Array(K.dtype_of(op.target.kind), rank)
        for k in reversed(range(len(chosen))):
            args = [x] if lengths is None else [x, lengths[k]]
            x = b.call(along, args, {"axis": chosen[k], **({} if is_none(norm) else {"norm": norm})}, kind)
        return x

    return build


# ---------------------------------------------------------------- frequencies


def fftfreq(b: Builder, op: Op) -> Atom | None:
    """``np.fft.fftfreq(n, d)``: integers from zero on, the second half less by n, over n times d."""
    n, d = named(op, "n", "d")
    places = b.emit(np.arange, n, kind=_INTEGERS)
    middle = b.emit(operator.floordiv, b.emit(operator.add, n, 1, kind=K.INT), 2, kind=K.INT)
    later = b.emit(operator.ge, places, middle, kind=K.Array("bool", 1))
    less = b.emit(operator.sub, places, n, kind=_INTEGERS)
    return _spaced(b, op, b.emit(np.where, later, less, places, kind=_INTEGERS), n, d)


def rfftfreq(b: Builder, op: Op) -> Atom | None:
    """``np.fft.rfftfreq(n, d)``: integers from zero on, over n times d."""
    n, d = named(op, "n", "d")
    half = b.emit(operator.add, b.emit(operator.floordiv, n, 2, kind=K.INT), 1, kind=K.INT)
    return _spaced(b, op, b.emit(np.arange, half, kind=_INTEGERS), n, d)


def _spaced(b: Builder, op: Op, places: Atom, n: Atom, d: Atom) -> Atom | None:
    """Integers times what lies between two frequencies."""
    if not K.is_integer(kind_of(n)) or not (is_none(d) or isinstance(kind_of(d), K.Scalar)) or op.target is None:
        return None
    whole = b.emit(float, n, kind=K.FLOAT) if is_none(d) else b.emit(operator.mul, n, d, kind=K.FLOAT)
    between = b.emit(operator.truediv, 1.0, whole, kind=K.FLOAT)
    return b.emit(operator.mul, places, between, kind=op.target.kind)


# ---------------------------------------------------------------- what adjoints ask for


def resized(b: Builder, op: Op) -> Atom | None:
    """``resized(x, like)``: what goes into zeros of the other shape."""
    x, like = op.args
    rank, dtype = rank_of(like), K.dtype_of(kind_of(x))
    if not rank or rank_of(x) != rank or dtype not in ("float64", "complex128"):
        return None
    kind = K.Array(dtype, rank)
    lengths = [length(b, like, k) for k in range(rank)]
    shape = b.emit(prims.make_tuple, *lengths, kind=K.Tuple((K.INT,) * rank))
    out = b.emit(np.zeros, shape, Const(np.complex128 if dtype == "complex128" else np.float64), kind=kind)
    kept = [b.emit(min, length(b, x, k), lengths[k], kind=K.INT) for k in range(rank)]
    index = b.index_of(*[b.emit(prims.make_slice, None, n, None, kind=K.SLICE) for n in kept])
    b.store(out, index, b.emit(operator.getitem, x, index, kind=kind))
    return out


def doubled(b: Builder, op: Op) -> Atom | None:
    """``doubled(x, n, axis)``: times two, but for the first term, and the last if there is an even number."""
    x, n, axis = op.args
    rank = rank_of(x)
    axes = constant_axes(b, axis, rank or 0)
    if not rank or axes is None or len(axes) != 1:
        return None
    places = b.emit(np.arange, length(b, x, axes[0]), kind=_INTEGERS)
    flags, floats = K.Array("bool", 1), K.Array("float64", 1)
    first = b.emit(operator.eq, places, 0, kind=flags)
    last = b.emit(operator.eq, b.emit(operator.mul, places, 2, kind=_INTEGERS), n, kind=flags)
    single = b.emit(np.logical_or, first, last, kind=flags)
    return _along(b, x, b.emit(np.where, single, 1.0, 2.0, kind=floats), axes[0])


def scaled_ends(b: Builder, op: Op) -> Atom | None:
    """``scaled_ends(x, first, last, axis)``: the ends times a factor each."""
    x, first, last, axis = op.args
    rank = rank_of(x)
    axes = constant_axes(b, axis, rank or 0)
    if not rank or axes is None or len(axes) != 1:
        return None
    n = length(b, x, axes[0])
    weights = b.emit(np.ones, n, kind=K.Array("float64", 1))
    b.store(weights, Const(0), first, "*")
    b.store(weights, b.emit(operator.sub, n, 1, kind=K.INT), last, "*")
    return _along(b, x, weights, axes[0])


def _along(b: Builder, x: Atom, weights: Atom, axis: int) -> Atom:
    """x times weights along an axis."""
    rest = (rank_of(x) or 0) - 1 - axis
    if rest:
        whole = b.emit(prims.make_slice, None, None, None, kind=K.SLICE)
        weights = b.emit(
            operator.getitem, weights, b.index_of(whole, *[None] * rest), kind=K.Array("float64", 1 + rest)
        )
    return b.emit(operator.mul, x, weights, kind=kind_of(x))


#: What to make of such operations.
FOURIER: dict[Any, Form] = {
    np.fft.fft2: over_axes(np.fft.fft, (-2, -1)),
    np.fft.ifft2: over_axes(np.fft.ifft, (-2, -1)),
    np.fft.fftn: over_axes(np.fft.fft, None),
    np.fft.ifftn: over_axes(np.fft.ifft, None),
    np.fft.fftfreq: fftfreq,
    np.fft.rfftfreq: rfftfreq,
    helpers.resized: resized,
    helpers.doubled: doubled,
    helpers.scaled_ends: scaled_ends,
}
