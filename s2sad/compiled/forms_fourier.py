"""Fourier transforms along one axis, as calls of NumPy's loops: a part of :mod:`s2sad.compiled.routines`."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.compiled.expand import Builder, Form, OtherArguments, kind_of, rank_of
from s2sad.compiled.forms_adjoint import constant_axes, is_none, length, named, product
from s2sad.compiled.transforms import need_points, transform_back, transform_complex, transform_real
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op
from s2sad.runtime import helpers

__all__ = ["TRANSFORMS"]


class _Transform:
    """A Fourier transform of double precision along an axis that is written down.

    ``points`` says how many numbers it is of, ``scale`` what NumPy multiplies the sums by.
    """

    def __init__(self, b: Builder, op: Op, of: str, forward: bool) -> None:
        self.b, self.forward = b, forward
        self.x, self.n, axis, norm = named(op, "a", "n", "axis", "norm")
        rank = rank_of(self.x) or 0
        axes = (rank - 1,) if is_none(axis) else constant_axes(b, axis, rank)
        self.norm = "backward" if is_none(norm) else b.constant(norm)
        if not rank or axes is None or len(axes) != 1 or op.target is None or self.norm not in _NORMS:
            raise OtherArguments
        self.axis, self.rank = axes[0], rank
        if (dtype := K.dtype_of(kind_of(self.x))) not in (of, "float64", "int64"):
            raise OtherArguments
        if of == "complex128" or dtype != of:  # what is of a complex kind may be real
            to = np.complex128 if of == "complex128" else np.float64
            self.x = b.emit(helpers.astype, self.x, Const(to), kind=K.Array(of, rank))
        self.x = b.emit(np.ascontiguousarray, self.x, kind=K.Array(of, rank))
        self.length = length(b, self.x, self.axis)

    def points(self, default: Atom | None = None) -> Atom:
        """How many numbers it is of: those of the axis, unless it is asked for others."""
        n = (self.length if default is None else default) if is_none(self.n) else self.n
        return self.b.emit(need_points, n, kind=K.INT)

    def out(self, n: Atom, dtype: str) -> Atom:
        """Room for the result, n numbers along the axis."""
        lengths = [n if k == self.axis else length(self.b, self.x, k) for k in range(self.rank)]
        shape = self.b.emit(prims.make_tuple, *lengths, kind=K.Tuple((K.INT,) * self.rank))
        to = np.complex128 if dtype == "complex128" else np.float64
        return self.b.emit(np.empty, shape, Const(to), kind=K.Array(dtype, self.rank))

    def scale(self, n: Atom) -> Atom:
        """What the sums are multiplied by."""
        if self.norm == "ortho":
            n = self.b.emit(np.sqrt, n, kind=K.FLOAT)
        elif (self.norm == "backward") == self.forward:
            return Const(1.0)
        return self.b.emit(operator.truediv, 1.0, n, kind=K.FLOAT)


_NORMS = ("backward", "ortho", "forward")


def complex_transform(forward: bool) -> Form:
    """``np.fft.fft(a, n, axis, norm)`` and ``np.fft.ifft``"""

    def build(b: Builder, op: Op) -> Atom | None:
        t = _Transform(b, op, "complex128", forward)
        n, kind = t.points(), K.Array("complex128", t.rank)
        out = t.out(n, "complex128")
        return b.emit(transform_complex, t.x, out, t.axis, t.scale(n), forward, kind=kind)

    return build


def half_transform(b: Builder, op: Op) -> Atom | None:
    """``np.fft.rfft(a, n, axis, norm)``"""
    t = _Transform(b, op, "float64", True)
    n = t.points()
    half = b.emit(operator.add, b.emit(operator.floordiv, n, 2, kind=K.INT), 1, kind=K.INT)
    even = b.emit(operator.eq, b.emit(operator.mod, n, 2, kind=K.INT), 0, kind=K.BOOL)
    kind = K.Array("complex128", t.rank)
    return b.emit(transform_real, t.x, t.out(half, "complex128"), t.axis, t.scale(n), even, kind=kind)


def real_transform(b: Builder, op: Op) -> Atom | None:
    """``np.fft.irfft(a, n, axis, norm)``"""
    t = _Transform(b, op, "complex128", False)
    n = t.points(product(b, [Const(2), b.emit(operator.sub, t.length, 1, kind=K.INT)]))
    return b.emit(transform_back, t.x, t.out(n, "float64"), t.axis, t.scale(n), kind=K.Array("float64", t.rank))


#: What to make of transforms, where NumPy has the loops.
TRANSFORMS: dict[Any, Form] = {
    np.fft.fft: complex_transform(True),
    np.fft.ifft: complex_transform(False),
    np.fft.rfft: half_transform,
    np.fft.irfft: real_transform,
}
