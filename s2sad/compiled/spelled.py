"""Functions of arrays that neither Numba nor the loops know, as what they compute.

Before::

    def f(x: float64[2]):
        y: float64[1] = np.linalg.norm(x, axis=1)
        return y

After::

    def f(x):
        t = x * x
        t_1 = np.sum(t, axis=1)
        y = np.sqrt(t_1)
        return y

Functions of ``scipy.special`` are spelt so too, once the program has imported that module.

Requires: the IR of a derivative.
Ensures: the same values, to the rounding of a sum; functions of C of single precision are computed in double precision
and rounded. What is in no table is left.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from s2sad.compiled.distributions import densities
from s2sad.compiled.expand import Builder, Form, expand, kind_of, rank_of
from s2sad.compiled.forms_adjoint import constant_axes, doubled, is_none, named
from s2sad.compiled.special_functions import letters_for, real_functions
from s2sad.compiled.spelled_fourier import FOURIER
from s2sad.compiled.spelled_linalg import LINALG
from s2sad.compiled.spelled_reductions import REDUCTIONS, Along
from s2sad.compiled.spelled_shapes import SHAPES
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Function, Op
from s2sad.optimise.cse import merge_common
from s2sad.optimise.dead import dead_code
from s2sad.runtime import helpers

__all__ = ["SPECIAL", "spelt_out"]

_DOUBLE = ("float64", "float")


def spelt_out(function: Function) -> Function:
    """Put what such functions compute in their places."""
    known = tuple(name for name in ("scipy.special", "scipy.linalg", "scipy.stats") if name in sys.modules)
    spelt = expand(function, _table(known))
    return spelt if spelt is function else dead_code(merge_common(spelt))  # as adjoints take the same means


@cache
def _table(libraries: tuple[str, ...]) -> dict[Any, Form]:
    """What to make of operations, by their callables, with those of libraries that are there."""
    table: dict[Any, Form] = {math.fmod: fmod, np.heaviside: in_double(heaviside), **REDUCTIONS, **SHAPES, **FOURIER}
    table.update(dict.fromkeys((np.exp2, np.log2, np.copysign), in_double(None)))
    table |= {np.logaddexp: logaddexp, helpers.exp_difference: exp_difference}
    if "scipy.linalg" in libraries:
        linalg = sys.modules["scipy.linalg"]
        table.update((getattr(linalg, name), build) for name, build in LINALG.items())
    if "scipy.special" in libraries:
        special = sys.modules["scipy.special"]
        table.update(dict.fromkeys(real_functions(), in_double(library_value)))
        table.update((getattr(special, name), in_double(build)) for name, build in SPECIAL.items())
    return table | densities() if "scipy.stats" in libraries else table


def in_double(build: Form | None) -> Form:
    """A form of double precision, for values of single precision too: computed in double, and rounded.

    Numba has one function of C for both precisions where ``build`` is None, and takes it for one of them only.
    """

    def form(b: Builder, op: Op) -> Atom | None:
        if op.target is None or not any(K.dtype_of(kind_of(a)) == "float32" for a in (op.target, *op.args)):
            return None if build is None else build(b, op)
        is_single = K.dtype_of(op.target.kind) == "float32"
        wide = _of_dtype(op.target.kind, "float64") if is_single else op.target.kind
        result = b.call(op.fn, [_widened(b, a) for a in op.args], {k: _widened(b, a) for k, a in op.kwargs}, wide)
        if not is_single:
            return result
        if isinstance(wide, K.Array):
            return b.emit(helpers.astype, result, np.float32, kind=op.target.kind)
        return b.emit(np.float32, result, kind=op.target.kind)

    return form


def _of_dtype(kind: K.Kind, dtype: str) -> K.Kind:
    return K.Array(dtype, kind.rank) if isinstance(kind, K.Array) else K.Scalar(dtype)


def _widened(b: Builder, a: Atom) -> Atom:
    """A value of single precision in double precision, any other as it is."""
    kind = kind_of(a)
    if K.dtype_of(kind) != "float32":
        return a
    if isinstance(kind, K.Array):
        return b.emit(helpers.astype, a, np.float64, kind=K.Array("float64", kind.rank))
    return b.emit(float, a, kind=K.FLOAT)


# ---------------------------------------------------------------- scipy.special


def _result(op: Op) -> K.Kind:
    assert op.target is not None
    return op.target.kind


def logsumexp(b: Builder, op: Op) -> Atom | None:
    """``logsumexp(a, axis, b, keepdims)``: by what the largest exponential is."""
    a, axis, weights, keepdims = named(op, "a", "axis", "b", "keepdims")
    rank, kept = rank_of(a), b.constant(keepdims)
    axes = tuple(range(rank or 0)) if is_none(axis) else constant_axes(b, axis, rank or 0)
    if not rank or not axes or K.dtype_of(kind_of(a)) != "float64" or kept not in (None, True, False):
        return None
    if not is_none(weights):
        if rank_of(weights) != rank or K.dtype_of(kind_of(weights)) != "float64":
            return None
        a = _weighed(b, a, weights)
    along = Along(b, op, a, axes, bool(kept))
    whole = len(axes) == rank
    shift = _finite(b, along.take(np.max, a, kept=not whole))
    grown = along.each(np.exp, along.each(operator.sub, a, shift))
    grown = grown if is_none(weights) else along.each(operator.mul, grown, weights)
    total = b.emit(np.log, along.take(np.sum, grown), kind=along.result)
    back = shift if along.kept or whole else _finite(b, along.take(np.max, a))
    return b.emit(operator.add, total, back, kind=along.result)


def _weighed(b: Builder, a: Atom, weights: Atom) -> Atom:
    """a where it has a weight, however large it is where it has none."""
    kind = K.Array("float64", rank_of(a))
    none = b.emit(operator.eq, weights, 0.0, kind=_flags(weights))
    return b.emit(np.where, none, -math.inf, a, kind=kind)


def _finite(b: Builder, x: Atom) -> Atom:
    """x, zero where it is not finite."""
    return b.emit(np.where, b.emit(np.isfinite, x, kind=_flags(x)), x, 0.0, kind=kind_of(x))


def expit(b: Builder, op: Op) -> Atom | None:
    """``1 / (1 + exp(-x))``"""
    kind = _result(op)
    grown = b.emit(np.exp, b.emit(operator.neg, op.args[0], kind=kind), kind=kind)
    return b.emit(operator.truediv, 1.0, b.emit(operator.add, 1.0, grown, kind=kind), kind=kind)


def log_expit(b: Builder, op: Op) -> Atom | None:
    """``-logaddexp(0, -x)``"""
    kind = _result(op)
    less = b.emit(operator.neg, op.args[0], kind=kind)
    return b.emit(operator.neg, b.emit(np.logaddexp, 0.0, less, kind=kind), kind=kind)


def library_value(b: Builder, op: Op) -> Atom | None:
    """A function that the library has a routine for, of numbers of its types."""
    letters = letters_for(op.fn, [kind_of(a) for a in op.args])
    if letters is None or op.kwargs or K.dtype_of(_result(op)) not in _DOUBLE:
        return None
    args = [x if letter == "l" else doubled(b, x) for x, letter in zip(op.args, letters, strict=True)]
    return b.emit(prims.library_value, real_functions()[op.fn], *args, kind=_result(op))


def of_c(fn: Callable[[float], float]) -> Form:
    """A function of the C library, of one number."""

    def build(b: Builder, op: Op) -> Atom | None:
        x = _for(b, op, op.args[0])
        return None if x is None else b.emit(fn, x, kind=_result(op))

    return build


def _for(b: Builder, op: Op, x: Atom) -> Atom | None:
    """An argument in double precision, if the result has it."""
    return doubled(b, x) if K.dtype_of(_result(op)) in _DOUBLE else None


def fmod(b: Builder, op: Op) -> Atom | None:
    """``math.fmod(x, y)``, which Numba has as NumPy's."""
    x, y = (_for(b, op, a) for a in op.args)
    return None if x is None or y is None else b.emit(np.fmod, x, y, kind=_result(op))


def heaviside(b: Builder, op: Op) -> Atom | None:
    """``np.heaviside(x, half)``: 0 below zero, 1 above, half there, NaN of NaN."""
    (x, half), kind = op.args, _result(op)
    if K.dtype_of(kind) not in _DOUBLE or not all(doubled(b, a) is a for a in (x, half)):
        return None
    signed = b.emit(np.where, b.emit(operator.gt, x, 0.0, kind=_flags(x)), 1.0, x, kind=kind_of(x))
    signed = b.emit(np.where, b.emit(operator.lt, x, 0.0, kind=_flags(x)), 0.0, signed, kind=kind_of(x))
    return b.emit(np.where, b.emit(operator.eq, x, 0.0, kind=_flags(x)), half, signed, kind=kind)


def logaddexp(b: Builder, op: Op) -> Atom | None:
    """``np.logaddexp(x, y)``: the larger and ``log1p(exp(-|x - y|))``, where infinities are alike too."""
    (x, y), kind = op.args, _result(op)
    if op.kwargs or not isinstance(kind, K.Array | K.Scalar) or not _are_double(kind, x, y):
        return None
    same = b.emit(operator.eq, x, y, kind=_flags_like(kind))
    apart = b.emit(np.abs, b.emit(operator.sub, x, y, kind=kind), kind=kind)
    less = b.emit(operator.neg, b.emit(np.where, same, 0.0, apart, kind=kind), kind=kind)
    more = b.emit(np.log1p, b.emit(np.exp, less, kind=kind), kind=kind)
    return b.emit(operator.add, b.emit(np.maximum, x, y, kind=kind), more, kind=kind)


def exp_difference(b: Builder, op: Op) -> Atom | None:
    """``exp(x - y)``, and zero where both are the same infinity."""
    (x, y), kind = op.args, _result(op)
    if not isinstance(kind, K.Array | K.Scalar) or not _are_double(kind, x, y):
        return None
    same = b.emit(operator.eq, x, y, kind=_flags_like(kind))
    none = b.emit(np.logical_and, b.emit(np.isinf, x, kind=_flags(x)), same, kind=_flags_like(kind))
    grown = b.emit(np.exp, b.emit(operator.sub, x, y, kind=kind), kind=kind)
    return b.emit(np.where, none, 0.0, grown, kind=kind)


def _are_double(kind: K.Kind, *operands: Atom) -> bool:
    return {K.dtype_of(k) for k in (kind, *map(kind_of, operands))} <= set(_DOUBLE)


def polygamma(b: Builder, op: Op) -> Atom | None:
    """``polygamma(n, x)``, ``digamma(x)``: of a number that is written down, or zero."""
    n = b.constant(op.args[0]) if len(op.args) == 2 else 0
    x = _for(b, op, op.args[-1])
    if type(n) is not int or x is None:
        return None
    return b.emit(helpers.polygamma, n, x, kind=_result(op))


def ndtri(b: Builder, op: Op) -> Atom | None:
    """``ndtri(p)``"""
    x = _for(b, op, op.args[0])
    return None if x is None else b.emit(helpers.ndtri, x, kind=_result(op))


def ndtr(b: Builder, op: Op) -> Atom | None:
    """``erfc(-x / sqrt(2)) / 2``"""
    x, kind = _for(b, op, op.args[0]), _result(op)
    if x is None:
        return None
    scaled = b.emit(operator.mul, x, -math.sqrt(0.5), kind=kind)
    return b.emit(operator.mul, 0.5, b.emit(math.erfc, scaled, kind=kind), kind=kind)


def logit(b: Builder, op: Op) -> Atom | None:
    """``log(x / (1 - x))``"""
    (x,), kind = op.args, _result(op)
    rest = b.emit(operator.sub, 1.0, x, kind=kind)
    return b.emit(np.log, b.emit(np.divide, x, rest, kind=kind), kind=kind)


def xlogy(fn: Any) -> Form:
    """``x * fn(y)``, zero where x is zero, unless y is NaN."""

    def build(b: Builder, op: Op) -> Atom | None:
        (x, y), kind = op.args, _result(op)
        zero, number = b.emit(operator.eq, x, 0.0, kind=_flags(x)), b.emit(operator.eq, y, y, kind=_flags(y))
        none = b.emit(np.logical_and, zero, number, kind=_flags_like(kind))
        product = b.emit(operator.mul, x, b.emit(fn, y, kind=kind_of(y)), kind=kind)
        return b.emit(np.where, none, 0.0, product, kind=kind)

    return build


def _flags(a: Atom) -> K.Kind:
    return _flags_like(kind_of(a))


def _flags_like(kind: K.Kind) -> K.Kind:
    """The kind of a comparison of such values."""
    return K.Array("bool", kind.rank) if isinstance(kind, K.Array) else K.BOOL


#: What to make of functions of ``scipy.special``.
SPECIAL: dict[str, Form] = {
    "logsumexp": logsumexp,
    "expit": expit,
    "log_expit": log_expit,
    "logit": logit,
    "erf": of_c(math.erf),
    "erfc": of_c(math.erfc),
    "gamma": of_c(math.gamma),
    "gammaln": of_c(math.lgamma),
    "digamma": polygamma,
    "psi": polygamma,
    "polygamma": polygamma,
    "ndtr": ndtr,
    "ndtri": ndtri,
    "xlogy": xlogy(np.log),
    "xlog1py": xlogy(np.log1p),
}
