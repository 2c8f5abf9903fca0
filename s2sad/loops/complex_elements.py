"""Element-wise operations with complex numbers among what they take or give, as :mod:`elements` has those without.

Numba's operators on complex numbers are Python's, which raise where NumPy divides by zero, and compare no sizes. So
quotients and powers are spelt as NumPy's functions, and what has no rule here stays as it is.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.ir.nodes import Atom, Const, Op
from s2sad.loops.arrays import NotLowered
from s2sad.loops.elements import ELEMENTWISE, Elements, Rule, comparison, copied, dtype_name, times, where
from s2sad.runtime import helpers

__all__ = ["BY_ELEMENTS", "PARTS", "rule_of"]

_COMPLEX = ("complex", "complex128")
_SMALL = {*range(-8, 0), *range(1, 9)}  #: powers that are products


def rule_of(op: Op, args: tuple[Atom, ...], dtype: str) -> Rule:
    """How an element of the result, which is of this dtype, is computed from those of the operands."""
    names = (dtype, *(dtype_name(a) for a in args if a != Const(None)))
    table = _RULES if any(n in _COMPLEX for n in names) else ELEMENTWISE
    if op.fn not in table or ("float32" in names and table is _RULES):
        raise NotLowered
    return table[op.fn]


# ---------------------------------------------------------------- rules


def plain(fn: Any, gives: tuple[str, ...] = ("complex128",)) -> Rule:
    """The operation itself, of operands as they are."""

    def rule(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
        if dtype not in gives or any(dtype_name(a) == "bool" for a in args):
            raise NotLowered
        return e.compute(fn, *args, dtype=dtype, hint=op.target.hint if op.target else "")

    return rule


def analytic(fn: Any) -> Rule:
    """A function of complex numbers: what is real becomes complex first."""

    def rule(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
        if dtype != "complex128":
            raise NotLowered
        return e.compute(fn, *(e.cast(a, dtype) for a in args), dtype=dtype, hint=op.target.hint if op.target else "")

    return rule


def power(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``x ** y``, by products where the power is a small integer, as NumPy has it; nothing to a power is nothing."""
    x, y = args
    if isinstance(y, Const) and y.value in _SMALL:
        return integer_power(e, e.cast(x, dtype), int(y.value.real), dtype)
    found = analytic(np.power)(e, op, args, dtype)
    if isinstance(y, Const) and not complex(y.value).real > 0.0:
        return found
    is_zero = e.compute(operator.eq, x, Const(0.0), dtype="bool")
    if not isinstance(y, Const):
        grows = e.compute(operator.gt, e.compute(np.real, y, dtype="float64"), Const(0.0), dtype="bool")
        is_zero = e.compute(operator.and_, is_zero, grows, dtype="bool")
    return e.choose(is_zero, Const(0.0), found, dtype)  # which Numba takes for NaN where y has an imaginary part


def integer_power(e: Elements, x: Atom, n: int, dtype: str) -> Atom:
    """``x ** n`` as a product of squares."""
    found = x
    for digit in f"{abs(n):b}"[1:]:
        found = e.compute(operator.mul, found, found, dtype=dtype)
        found = e.compute(operator.mul, found, x, dtype=dtype) if digit == "1" else found
    return found if n > 0 else e.compute(np.divide, Const(1.0), found, dtype=dtype)


def square(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``np.square(x)``"""
    return analytic(operator.mul)(e, op, args * 2, dtype)


def angle(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``np.angle(z)``, in radians."""
    z, *in_degrees = args
    if dtype != "float64" or in_degrees not in ([], [Const(False)]):
        raise NotLowered
    parts = (e.compute(part, z, dtype=dtype) for part in (np.imag, np.real))
    return e.compute(np.arctan2, *parts, dtype=dtype)


def cast(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """The same number in another dtype; of what a complex adjoint is for a real number, the real part."""
    if dtype == "float64" and op.fn is helpers.cast:
        return e.compute(np.real, args[0], dtype=dtype)
    return e.cast(args[0], dtype)


def promoted(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``x + 0j``"""
    return e.compute(operator.add, args[0], Const(0j), dtype=dtype)


def quotient(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``x / y``, zero where y is zero."""
    x, y = args
    ratio = e.compute(np.divide, x, y, dtype=dtype)
    return e.choose(e.compute(operator.ne, y, Const(0.0), dtype="bool"), ratio, Const(0.0), dtype)


def complex_log(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """log(x) as a complex number, zero at zero."""
    (x,) = args
    some = e.choose(e.compute(operator.ne, x, Const(0.0), dtype="bool"), x, Const(1.0), dtype)
    return e.compute(np.log, some, dtype=dtype)


_REAL = ("float64",)

#: What is a view of complex numbers to NumPy: a number of its own only where nothing changes them.
PARTS = {np.real, np.imag}

_ANALYTIC = (
    "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh"
)

_RULES: dict[Any, Rule] = {
    **{getattr(np, n): analytic(getattr(np, n)) for n in _ANALYTIC.split()},
    **dict.fromkeys((operator.add, np.add), plain(operator.add)),
    **dict.fromkeys((operator.sub, np.subtract), plain(operator.sub)),
    **dict.fromkeys((operator.mul, np.multiply), plain(operator.mul)),
    **dict.fromkeys((operator.truediv, np.divide), plain(np.divide)),
    **dict.fromkeys((operator.neg, np.negative), plain(operator.neg)),
    **dict.fromkeys((operator.pos, np.positive), plain(operator.pos)),
    **dict.fromkeys((operator.pow, np.power, np.float_power), power),
    **dict.fromkeys((operator.eq, np.equal), comparison(operator.eq)),
    **dict.fromkeys((operator.ne, np.not_equal), comparison(operator.ne)),
    **{fn: comparison(fn) for fn in (np.isnan, np.isinf, np.isfinite)},
    **dict.fromkeys((abs, operator.abs, np.absolute), plain(abs, _REAL)),
    np.real: plain(np.real, _REAL),
    np.imag: plain(np.imag, _REAL),
    np.conjugate: plain(np.conjugate),
    np.angle: angle,
    np.square: square,
    np.where: where,
    np.copy: copied,
    np.array: cast,
    helpers.astype: cast,
    helpers.cast: cast,
    helpers.promoted: promoted,
    helpers.times: times,
    helpers.quotient: quotient,
    helpers.complex_log: complex_log,
}

#: What is computed element by element, of real numbers or of complex ones.
BY_ELEMENTS = {*ELEMENTWISE, *_RULES}
