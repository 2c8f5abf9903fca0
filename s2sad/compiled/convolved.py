"""Convolutions of scipy.signal as NumPy's, of vectors.

Before::

    def f(x: float64[1], y: float64[1]):
        z: float64[1] = signal.convolve(x, y, 'same')
        return z

After::

    def f(x, y):
        whole = np.convolve(x, y)
        n = len(x)
        m = len(y)
        t = m - 1
        start = t // 2
        stop = start + n
        part = make_slice(start, stop, None)
        z = whole[part]
        return z

By products of Fourier transforms where the program asks for that, as `signal.fftconvolve` does. SciPy chooses the
faster way itself otherwise, and for vectors of usual length it is NumPy's function that it calls.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values to rounding; convolutions of arrays of more axes, or of other numbers than of double precision,
are left.
"""

from __future__ import annotations

import operator
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.compiled.forms_adjoint import named
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import map_stmts, with_body

__all__ = ["convolutions_of_numpy", "tell_convolved"]

_DTYPES = ("float64", "complex128")
_MODES = ("full", "same", "valid")


def tell_convolved(lowered: Lowered) -> Lowered:
    """:func:`convolutions_of_numpy` of a function with its templates."""
    return replace(lowered, function=convolutions_of_numpy(lowered.function))


def convolutions_of_numpy(function: Function) -> Function:
    """The function with such convolutions by NumPy's functions."""
    if (signal := sys.modules.get("scipy.signal")) is None:
        return function

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, Op) or s.target is None:
            return s
        if s.fn is signal.convolve:
            x, y, *options = named(s, "in1", "in2", "mode", "method")
        elif s.fn is signal.fftconvolve:
            x, y, mode = named(s, "in1", "in2", "mode")
            options = [mode, Const("fft")]
        else:
            return s
        mode, method = (_option(a, default) for a, default in zip(options, ("full", "auto"), strict=True))
        if mode not in _MODES or method not in ("auto", "direct", "fft") or not all(map(_is_vector, (x, y))):
            return s
        return _Convolution(s, x, y, s.target).stmts(mode, method == "fft")

    return with_body(function, map_stmts(function.body, change))


def _option(a: Atom, default: str) -> Any:
    return (default if a.value is None else a.value) if isinstance(a, Const) else None


def _is_vector(a: Atom) -> bool:
    kind = kind_of(a)
    return isinstance(kind, K.Array) and kind.rank == 1 and kind.dtype in _DTYPES


class _Convolution:
    """The statements that convolve two vectors."""

    def __init__(self, op: Op, x: Atom, y: Atom, target: Var) -> None:
        self.op, self.x, self.y, self.target = op, x, y, target
        self.made: list[Stmt] = []
        self.dtype = max(K.dtype_of(kind_of(x)), K.dtype_of(kind_of(y)), key=_DTYPES.index)

    def stmts(self, mode: str, by_transforms: bool) -> list[Stmt]:
        """All of them; the last gives the result."""
        if not by_transforms and mode != "same":
            args: tuple[Atom, ...] = (self.x, self.y) if mode == "full" else (self.x, self.y, Const(mode))
            return [Op(self.target, np.convolve, args, (), self.op.origin)]
        if by_transforms:
            n, m = self.length(self.x), self.length(self.y)
            count = self.count(n, m)
            start, stop = self.bounds(mode, n, m)
            start, stop = self.number(max, start, Const(0)), self.number(min, stop, count)
            whole = self.by_transforms(self.number(max, count, Const(1)))
        else:
            whole = self.emit(np.convolve, self.x, self.y, kind=K.Array(self.dtype, 1), hint="whole")
            start, stop = self.bounds(mode, self.length(self.x), self.length(self.y))
        part = self.emit(prims.make_slice, start, stop, Const(None), kind=K.SLICE, hint="part")
        return [*self.made, Op(self.target, operator.getitem, (whole, part), (), self.op.origin)]

    def bounds(self, mode: str, n: Var, m: Var) -> tuple[Atom, Atom]:
        """From where to where the part of all numbers goes that is asked for."""
        if mode == "same":
            start = self.number(operator.floordiv, self.number(operator.sub, m, Const(1)), Const(2), hint="start")
            return start, self.number(operator.add, start, n, hint="stop")
        if mode == "valid":
            start = self.number(operator.sub, self.number(min, n, m), Const(1), hint="start")
            return start, self.number(max, n, m, hint="stop")
        return Const(0), self.number(operator.add, n, m)

    def count(self, n: Var, m: Var) -> Var:
        """How many numbers there are: none where one of the vectors has none."""
        several = self.number(operator.sub, self.number(operator.add, n, m), Const(1))
        return self.number(operator.mul, several, self.number(min, self.number(operator.mul, n, m), Const(1)))

    def by_transforms(self, n: Atom) -> Var:
        """n numbers of the convolution, or a zero, by Fourier transforms."""
        real = self.dtype == "float64"
        there, back = (np.fft.rfft, np.fft.irfft) if real else (np.fft.fft, np.fft.ifft)
        spectrum = K.Array("complex128", 1)
        first, second = (self.emit(there, a, n, kind=spectrum) for a in (self.x, self.y))
        product = self.emit(operator.mul, first, second, kind=spectrum)
        return self.emit(back, product, n, kind=K.Array(self.dtype, 1), hint="whole")

    def length(self, a: Atom) -> Var:
        """How long a vector is."""
        return self.number(len, a, hint="n" if a is self.x else "m")

    def number(self, fn: Any, *args: Atom, hint: str = "") -> Var:
        """What an operation on integers gives."""
        return self.emit(fn, *args, kind=K.INT, hint=hint)

    def emit(self, fn: Any, *args: Atom, kind: K.Kind, hint: str = "") -> Var:
        """What an operation gives."""
        target = Var(hint, kind)
        self.made.append(Op(target, fn, args, (), self.op.origin))
        return target
