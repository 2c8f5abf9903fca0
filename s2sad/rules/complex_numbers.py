"""Rules of calls with complex numbers among what they take or give.

A cotangent ``b`` and a tangent ``d`` of a complex number pair as the real part of ``b * d``, without a conjugate, as in
JAX and autograd. So the gradient of a real function of ``z = x + 1j * y`` is its derivative by x less ``1j`` times that
by y, and the rules of functions that are complex differentiable are those of real numbers. The other ones are here.
Where a real number meets complex ones, its cotangent is the real part of theirs (:mod:`s2sad.transform.promote`).
"""

from __future__ import annotations

import builtins
import cmath
import math
import operator
from typing import Any

import numpy as np

from s2sad.rules import (
    choosing,
    conversions,
    elementwise,
    linalg,
    of_helpers,
    options,
    polynomials,
    products,
    reductions,
    shape,
    standard,
    structural,
)
from s2sad.rules.static import is_complex, is_literal, is_none
from s2sad.rules.table import RULES, for_complex, of_complex, real
from s2sad.runtime import helpers
from s2sad.runtime.helpers import complex_log, promoted, quotient, unbroadcast
from s2sad.runtime.stop import stop_gradient

__all__: list[str] = []

_READ_BEFORE: tuple[Any, ...] = (
    *(choosing, conversions, elementwise, linalg, of_helpers, options, polynomials, products),
    *(reductions, shape, standard, structural),
)


# ---------------------------------------------------------------- as for real numbers

for_complex(
    *(np.add, np.subtract, np.multiply, np.divide, np.negative, np.positive, np.square, np.reciprocal, np.sinc),
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos),
    *(np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt),
    *(np.sin, np.cos, np.tan, np.arctan, np.sinh, np.cosh, np.tanh, np.arctanh),
)
for_complex(
    *(np.sum, np.mean, np.cumsum, np.prod, np.cumprod, np.diff, np.trapezoid, np.average, np.gradient, builtins.sum),
    *(math.prod, np.polyval, np.vander, np.nansum, np.nanmean, np.nanprod, np.nancumsum, np.nancumprod, np.ediff1d),
    *(np.polyder, np.polyfit, np.max, np.min, helpers.tied_mean, helpers.tied_share),
)
for_complex(
    *(np.matmul, operator.matmul, np.dot, np.inner, np.outer, np.tensordot, np.einsum, np.kron, np.convolve, np.trace),
    *(np.linalg.solve, np.linalg.inv, np.linalg.det, np.linalg.multi_dot, np.linalg.matrix_power, np.linalg.cross),
    *(np.linalg.tensorsolve, np.linalg.matmul, np.linalg.tensordot, np.linalg.outer, np.linalg.trace),
)
for_complex(
    *(np.reshape, np.ravel, np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d, np.atleast_3d),
    *(np.transpose, np.matrix_transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.flip, np.fliplr, np.flipud),
    *(np.rot90, np.roll, np.fft.fftshift, np.fft.ifftshift, np.broadcast_to, np.repeat, np.tile, np.pad, np.resize),
    *(np.copy, np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.asarray_chkfinite),
    *(np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.dstack, np.append, np.insert, np.delete),
    *(np.split, np.array_split, np.vsplit, np.hsplit, np.dsplit, np.triu, np.tril, np.diag, np.diagonal, np.diagflat),
    *(np.linalg.diagonal, np.linalg.matrix_transpose),
    *(
        np.where,
        np.select,
        np.choose,
        np.linspace,
        np.take,
        np.take_along_axis,
        np.compress,
        np.extract,
        np.full,
        np.full_like,
        np.meshgrid,
    ),
)
for_complex(
    *(helpers.unbroadcast, helpers.cast, helpers.spread, helpers.spread_items, helpers.accumulate),
    *(helpers.times, helpers.quotient, helpers.scatter, helpers.untake, helpers.untake_along_axis, helpers.crop),
    *(helpers.unpack, helpers.pack, helpers.place, helpers.last_stored, helpers.split_like, helpers.join_like),
    *(helpers.unstack, helpers.undiag, helpers.undiagonal, helpers.untile, helpers.unpad, helpers.unconvolve),
    *(helpers.matmul_left, helpers.matmul_right, helpers.dot_left, helpers.dot_right, helpers.tensordot_left),
    *(helpers.tensordot_right, helpers.einsum_transpose, helpers.exclusive_prod, helpers.flatten_axes),
    *(helpers.unflatten_axes, helpers.copy_tree, helpers.copy_state, helpers.laid_out, helpers.laid_out_leaves),
    *(helpers.shadow_view, helpers.item),
)

for_complex(*(getattr(np, _name) for _name in ("matvec", "cumulative_sum", "cumulative_prod") if hasattr(np, _name)))

# ---------------------------------------------------------------- parts and conversions


@real.linear(promoted, wrt="x")
@of_complex.linear(promoted, wrt="x")
def promoted_(x: Any, *, ct: Any) -> Any:
    return np.real(ct)


@of_complex.linear(helpers.as_result, wrt="bx")
def as_result(bx: Any, x: Any, *, ct: Any) -> Any:
    return unbroadcast(unbroadcast(ct, x), bx)  # of what is real in a run, the cotangent counts so far as it is real


@of_complex.linear(np.real, wrt="val")
def real_part(val: Any, *, ct: Any) -> Any:
    return ct + 0j


@of_complex.linear(np.imag, wrt="val")
def imaginary_part(val: Any, *, ct: Any) -> Any:
    return ct * -1j


@of_complex.linear(np.conjugate, wrt="x")
def conjugate(x: Any, *, ct: Any) -> Any:
    return np.conjugate(ct)


@of_complex.tangent(np.absolute, operator.abs, builtins.abs)
def absolute(x: Any, *, result: Any, dx: Any) -> Any:
    return np.real(np.conjugate(quotient(x, result)) * dx)


@of_complex.adjoint(np.absolute, operator.abs, builtins.abs, wrt="x")
def absolute_adjoint(x: Any, *, result: Any, ct: Any) -> Any:
    return ct * np.conjugate(quotient(x, result))


@of_complex.composite(np.sign)
def sign(x: Any) -> Any:
    return quotient(x, np.absolute(x))


@of_complex.tangent(np.angle)
def angle(z: Any, deg: Any = False, *, dz: Any) -> Any:
    turned = np.imag(dz / z)
    return turned * (180.0 / np.pi) if deg else turned


@of_complex.adjoint(np.angle, wrt="z")
def angle_adjoint(z: Any, deg: Any = False, *, ct: Any) -> Any:
    return ct * (-180j / np.pi) / z if deg else ct * -1j / z


@real.elementwise(complex)
@of_complex.elementwise(complex)
def complex_(real: Any, imag: Any = 0.0) -> Any:
    return 1.0, 1j


@of_complex.linear(helpers.astype, wrt="x")
def astype(x: Any, dtype: Any, *, ct: Any) -> Any:
    if not is_complex(ct):
        raise NotImplementedError("a conversion drops imaginary parts: take np.real of it")
    return unbroadcast(ct, x)


@real.linear(np.complex128, np.complex64, wrt="x")
@of_complex.linear(np.complex128, np.complex64, wrt="x")
def numpy_complex(x: Any, *, ct: Any) -> Any:
    return unbroadcast(ct, x)


# ---------------------------------------------------------------- functions


@of_complex.elementwise(np.power, operator.pow, builtins.pow, np.float_power)
def power(x1: Any, x2: Any, *, result: Any) -> Any:
    if is_literal(x2) and x2 == 0:
        return 0.0, complex_log(x1) * result
    if is_literal(x2):
        return x2 * x1 ** (x2 - 1), complex_log(x1) * result
    return x2 * x1 ** (x2 - (x2 != 0)), complex_log(x1) * result


@real.elementwise(complex_log)
@of_complex.elementwise(complex_log)
def complex_log_(x: Any) -> Any:
    return 1.0 / (x + (x == 0))


# Where a function has a cut, the sign of a zero says on which side of it a number is. NumPy takes 1 for 1 + 0j, so what
# has a negative zero may be added to nothing, and taken from nothing: 1 - z is put as -(z - 1).


@real.elementwise(cmath.asin)
@of_complex.elementwise(np.arcsin, cmath.asin)
def arcsin(x: Any) -> Any:
    return 1.0 / np.sqrt(-(x * x - 1.0))


@real.elementwise(cmath.acos)
@of_complex.elementwise(np.arccos, cmath.acos)
def arccos(x: Any) -> Any:
    return -1.0 / np.sqrt(-(x * x - 1.0))


@real.elementwise(cmath.asinh)
@of_complex.elementwise(np.arcsinh, cmath.asinh)
def arcsinh(x: Any) -> Any:
    return 1.0 / np.sqrt(-(-(x * x) - 1.0))


@real.elementwise(cmath.acosh)
@of_complex.elementwise(np.arccosh, cmath.acosh)
def arccosh(x: Any) -> Any:
    return 1.0 / (np.sqrt(x - 1.0) * np.sqrt(-(-x - 1.0)))  # on its branch, which that of the product is not


_AS_IN_MATH = "exp log10 sqrt sin cos tan atan sinh cosh tanh atanh"
for _name in _AS_IN_MATH.split():
    _written = RULES[getattr(math, _name)].function
    assert _written is not None
    if _name != "log10":
        real.elementwise(getattr(cmath, _name))(_written)
for_complex(*(getattr(cmath, _name) for _name in _AS_IN_MATH.split() if _name != "log10"))


@real.elementwise(cmath.log10)
@of_complex.elementwise(cmath.log10)
def log10(z: Any) -> Any:
    return 1.0 / (math.log(10.0) * z)


@real.elementwise(cmath.log)
@of_complex.elementwise(cmath.log)
def log(z: Any, base: Any = None, *, result: Any) -> Any:
    if is_none(base):
        return 1.0 / z, 0.0
    return 1.0 / (z * cmath.log(base)), -result / (base * cmath.log(base))


@real.composite(cmath.phase)
@of_complex.composite(cmath.phase)
def phase(z: Any) -> Any:
    return math.atan2(np.imag(z), np.real(z))


@real.composite(cmath.polar)
@of_complex.composite(cmath.polar)
def polar(z: Any) -> Any:
    return abs(z), math.atan2(np.imag(z), np.real(z))


@real.composite(cmath.rect)
@of_complex.composite(cmath.rect)
def rect(r: Any, phi: Any) -> Any:
    return complex(r * math.cos(phi), r * math.sin(phi))


@of_complex.composite(np.interp)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    flat = np.interp(x, xp, np.real(fp), real_part_of(left), real_part_of(right), period)
    return flat + 1j * np.interp(x, xp, np.imag(fp), imaginary_part_of(left), imaginary_part_of(right), period)


def real_part_of(x: Any) -> Any:
    """The real part of what may be None."""
    return None if is_none(x) else np.real(x)


def imaginary_part_of(x: Any) -> Any:
    """The imaginary part of what may be None."""
    return None if is_none(x) else np.imag(x)


# ---------------------------------------------------------------- products and norms


@of_complex.composite(np.vdot)
def vdot(a: Any, b: Any) -> Any:
    return np.dot(np.conjugate(np.ravel(a)), np.ravel(b))


@of_complex.composite(np.linalg.vecdot)
def vecdot(x1: Any, x2: Any, *, axis: Any = -1) -> Any:
    return np.sum(np.conjugate(x1) * x2, axis=axis)


@of_complex.composite(np.correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    if mode == "same" and np.size(v) > np.size(a):
        return np.flip(np.convolve(np.conjugate(v), np.flip(a), mode))
    return np.convolve(a, np.flip(np.conjugate(v)), mode)


@of_complex.composite(np.var)
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    reductions.as_it_is(dtype)
    across = np.var(np.real(a), axis=axis, ddof=ddof, keepdims=keepdims)
    return across + np.var(np.imag(a), axis=axis, ddof=ddof, keepdims=keepdims)


@of_complex.composite(np.std)
def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    reductions.as_it_is(dtype)
    across = np.std(np.real(a), axis=axis, ddof=ddof, keepdims=keepdims)
    return np.hypot(across, np.std(np.imag(a), axis=axis, ddof=ddof, keepdims=keepdims))


# ---------------------------------------------------------------- zero wherever there is a derivative

of_complex.zero_derivative(
    *(np.isnan, np.isinf, np.isfinite, np.isreal, np.iscomplex, np.isclose, np.allclose, np.equal, np.not_equal),
    *(np.array_equal, np.array_equiv, np.any, np.all, np.count_nonzero, np.nonzero, np.flatnonzero, np.argwhere),
    *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not, operator.eq, operator.ne, operator.not_),
    *(operator.is_, operator.is_not, operator.truth, operator.contains, bool, len, isinstance, str, repr, print),
    *(np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like, np.eye, np.identity),
    *(np.shape, np.size, np.ndim, np.iscomplexobj, np.isrealobj, np.isscalar, np.result_type, np.broadcast_shapes),
    *(np.shares_memory, np.may_share_memory, np.linalg.matrix_rank),
    *(
        helpers.count,
        helpers.zeros_like,
        helpers.zero_leaf,
        helpers.complex_zeros,
        helpers.complex_zero_leaf,
        helpers.zero_item,
        helpers.zero_items,
        helpers.ones_like,
    ),
    *(
        helpers.diagonal_mask,
        helpers.upper_mask,
        helpers.running_places,
        helpers.axes_back,
        helpers.need_number,
        helpers.need_real,
        helpers.need_square,
    ),
    *(helpers.need_array, helpers.need_apart, helpers.same_sharing, helpers.unit_seed, helpers.constant),
    *(helpers.as_index, helpers.copy_order, stop_gradient),
)
for _test in (cmath.isnan, cmath.isinf, cmath.isfinite, cmath.isclose):
    real.zero_derivative(_test)
    of_complex.zero_derivative(_test)
