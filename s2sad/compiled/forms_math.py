"""Forms of functions of ``math`` that Numba lacks, or has with fewer arguments."""

from __future__ import annotations

import math
import operator
from functools import reduce
from typing import Any

import numpy as np

from s2sad.compiled import counts
from s2sad.compiled.expand import Builder, form, kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Op


def _are_numbers(*atoms: Atom) -> bool:
    return all(isinstance(kind_of(a), K.Scalar) for a in atoms)


@form(math.cbrt)
def cube_root(b: Builder, op: Op) -> Atom | None:
    """``math.cbrt(x)``, which Numba has by NumPy's name only."""
    return b.emit(np.cbrt, b.emit(float, *op.args, kind=K.FLOAT), kind=K.FLOAT) if _are_numbers(*op.args) else None


@form(math.log)
def log_to_base(b: Builder, op: Op) -> Atom | None:
    """``math.log(x, base)``: Python divides the logarithms, too."""
    if len(op.args) != 2 or not _are_numbers(*op.args):
        return None
    x, base = (b.emit(math.log, a, kind=K.FLOAT) for a in op.args)
    return b.emit(operator.truediv, x, base, kind=K.FLOAT)


@form(math.hypot)
def length_of_several(b: Builder, op: Op) -> Atom | None:
    """``math.hypot`` of more or fewer than two numbers."""
    if len(op.args) in (0, 2) or not _are_numbers(*op.args):
        return None
    first = b.emit(math.fabs, op.args[0], kind=K.FLOAT)
    return reduce(lambda so_far, x: b.emit(math.hypot, so_far, x, kind=K.FLOAT), op.args[1:], first)


@form(math.isclose)
def is_close(b: Builder, op: Op) -> Atom | None:
    """``math.isclose(x, y)`` to tolerances that are written down."""
    tolerances = {"rel_tol": 1e-09, "abs_tol": 0.0}
    for name, value in op.kwargs:
        if not isinstance(value, Const) or not value.value >= 0:
            return None
        tolerances[name] = value.value
    if len(op.args) != 2 or not _are_numbers(*op.args):
        return None
    x, y = (b.emit(float, a, kind=K.FLOAT) for a in op.args)
    gap = b.emit(math.fabs, b.emit(operator.sub, x, y, kind=K.FLOAT), kind=K.FLOAT)
    larger = b.emit(max, *(b.emit(math.fabs, a, kind=K.FLOAT) for a in (x, y)), kind=K.FLOAT)
    relative = b.emit(operator.mul, larger, Const(tolerances["rel_tol"]), kind=K.FLOAT)
    allowed = b.emit(max, relative, Const(tolerances["abs_tol"]), kind=K.FLOAT)
    near = b.emit(operator.le, gap, allowed, kind=K.BOOL)
    finite = b.emit(operator.lt, larger, Const(math.inf), kind=K.BOOL)
    equal = b.emit(operator.eq, x, y, kind=K.BOOL)
    return b.emit(operator.or_, equal, b.emit(operator.and_, near, finite, kind=K.BOOL), kind=K.BOOL)


# ---------------------------------------------------------------- integers and remainders

#: What gives an integer, or, where that only meets floats, a float.
_COUNTED: dict[Any, tuple[Any, Any]] = {
    math.factorial: (counts.factorial, counts.factorial_float),
    math.perm: (counts.orders, counts.orders_float),
    math.comb: (counts.subsets, counts.subsets_float),
}


def _are_integers(op: Op) -> bool:
    return not op.kwargs and all(K.is_integer(k := kind_of(a)) and isinstance(k, K.Scalar) for a in op.args)


@form(*_COUNTED)
def counted(b: Builder, op: Op) -> Atom | None:
    """``math.comb(n, k)`` and the like, of integers."""
    if not _are_integers(op) or op.target is None:
        return None
    whole, as_float = _COUNTED[op.fn]
    args = tuple(b.emit(int, a, kind=K.INT) for a in op.args)
    if op.fn is math.perm and len(args) == 1:
        args = (*args, args[0])
    return b.emit(as_float if K.is_float(op.target.kind) else whole, *args, kind=op.target.kind)


@form(math.isqrt)
def whole_root(b: Builder, op: Op) -> Atom | None:
    """``math.isqrt(n)``"""
    return b.emit(counts.isqrt, b.emit(int, *op.args, kind=K.INT), kind=K.INT) if _are_integers(op) else None


@form(bin)
def binary(b: Builder, op: Op) -> Atom | None:
    """``bin(n)`` of an integer."""
    return b.emit(counts.binary, b.emit(int, *op.args, kind=K.INT), kind=K.STR) if _are_integers(op) else None


@form(math.lcm)
def least_common_multiple(b: Builder, op: Op) -> Atom | None:
    """``math.lcm(n, ...)``"""
    if not _are_integers(op):
        return None
    so_far: Atom = Const(1)
    for n in op.args:
        so_far = b.emit(counts.lcm, so_far, b.emit(int, n, kind=K.INT), kind=K.INT)
    return so_far


@form(math.remainder)
def remainder(b: Builder, op: Op) -> Atom | None:
    """``math.remainder(x, y)``"""
    if not _are_numbers(*op.args):
        return None
    return b.emit(counts.remainder, *(b.emit(float, a, kind=K.FLOAT) for a in op.args), kind=K.FLOAT)


@form(math.ulp)
def ulp(b: Builder, op: Op) -> Atom | None:
    """``math.ulp(x)``"""
    return b.emit(counts.ulp, b.emit(float, *op.args, kind=K.FLOAT), kind=K.FLOAT) if _are_numbers(*op.args) else None


@form(math.modf)
def fraction_and_whole(b: Builder, op: Op) -> Atom | None:
    """``math.modf(x)``"""
    if not _are_numbers(*op.args) or op.target is None:
        return None
    return b.emit(counts.fraction_and_whole, b.emit(float, *op.args, kind=K.FLOAT), kind=op.target.kind)
