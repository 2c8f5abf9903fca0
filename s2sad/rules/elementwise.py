"""Functions applied item by item: operators, NumPy's ufuncs, the math module."""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import numpy as np

from s2sad.rules.static import is_array, is_literal, is_none, is_scalar, lib
from s2sad.rules.table import adjoint, composite, elementwise, tangent, zero_derivative
from s2sad.runtime.helpers import (
    bessel_i1,
    exp_difference,
    polygamma,
    power_slope,
    quotient,
    safe_log,
    sign,
    unbroadcast,
    where_larger,
)

# ---------------------------------------------------------------- arithmetic


@elementwise(np.add, operator.add)
def add(x1: Any, x2: Any) -> Any:
    return 1.0, 1.0


@elementwise(np.subtract, operator.sub)
def subtract(x1: Any, x2: Any) -> Any:
    return 1.0, -1.0


@elementwise(np.multiply, operator.mul)
def multiply(x1: Any, x2: Any) -> Any:
    return x2, x1


@elementwise(np.divide, operator.truediv)
def divide(x1: Any, x2: Any, *, result: Any) -> Any:
    return 1.0 / x2, -result / x2


@elementwise(np.negative, operator.neg)
def negative(x: Any) -> Any:
    return -1.0


@elementwise(np.positive, operator.pos, np.conjugate)
def positive(x: Any) -> Any:
    return 1.0


@elementwise(np.power, operator.pow, builtins.pow, math.pow, np.float_power)
def power(x1: Any, x2: Any, *, result: Any) -> Any:
    if is_literal(x2):
        if x2 == 0:
            return 0.0, safe_log(x1)
        return x2 * x1 ** (x2 - 1), safe_log(x1) * result
    return power_slope(x1, x2), safe_log(x1) * result


@elementwise(np.square)
def square(x: Any) -> Any:
    return 2.0 * x


@elementwise(np.reciprocal)
def reciprocal(x: Any, *, result: Any) -> Any:
    return -result * result


@elementwise(np.remainder, operator.mod)
def remainder(x1: Any, x2: Any) -> Any:
    return 1.0, -(x1 // x2)


@elementwise(np.fmod, math.fmod)
def fmod(x1: Any, x2: Any) -> Any:
    return 1.0, -lib.trunc(x1 / x2)


@elementwise(math.remainder)
def ieee_remainder(x: Any, y: Any, *, result: Any) -> Any:
    return 1.0, (result - x) / y


@elementwise(np.absolute, np.fabs)
def absolute(x: Any) -> Any:
    return np.sign(x)


@elementwise(operator.abs, builtins.abs, math.fabs)
def abs_(x: Any) -> Any:
    if is_array(x):
        return np.sign(x)
    return sign(x)


@elementwise(np.copysign)
def copysign(x1: Any, x2: Any) -> Any:
    return np.sign(x1) * np.copysign(1.0, x2), 0.0


@elementwise(math.copysign)
def math_copysign(x: Any, y: Any) -> Any:
    return sign(x) * math.copysign(1.0, y), 0.0


@elementwise(np.ldexp, math.ldexp)
def ldexp(x1: Any, x2: Any) -> Any:
    return 2.0**x2, 0.0


@elementwise(np.nextafter, math.nextafter)
def nextafter(x1: Any, x2: Any) -> Any:
    return 1.0, 0.0


# ---------------------------------------------------------------- powers and logarithms


@elementwise(np.sqrt, math.sqrt)
def sqrt(x: Any, *, result: Any) -> Any:
    return 0.5 / result


@elementwise(np.cbrt, math.cbrt)
def cbrt(x: Any, *, result: Any) -> Any:
    return 1.0 / (3.0 * result * result)


@elementwise(np.exp, math.exp)
def exp(x: Any, *, result: Any) -> Any:
    return result


@elementwise(np.exp2, math.exp2)
def exp2(x: Any, *, result: Any) -> Any:
    return math.log(2.0) * result


@elementwise(np.expm1, math.expm1)
def expm1(x: Any, *, result: Any) -> Any:
    return result + 1.0


@elementwise(np.log)
def log(x: Any) -> Any:
    return 1.0 / x


@elementwise(math.log)
def math_log(x: Any, base: Any = None, *, result: Any) -> Any:
    if is_none(base):
        return 1.0 / x, 0.0
    return 1.0 / (x * math.log(base)), -result / (base * math.log(base))


@elementwise(np.log2, math.log2)
def log2(x: Any) -> Any:
    return 1.0 / (math.log(2.0) * x)


@elementwise(np.log10, math.log10)
def log10(x: Any) -> Any:
    return 1.0 / (math.log(10.0) * x)


@elementwise(np.log1p, math.log1p)
def log1p(x: Any) -> Any:
    return 1.0 / (1.0 + x)


@elementwise(np.logaddexp)
def logaddexp(x1: Any, x2: Any, *, result: Any) -> Any:
    return exp_difference(x1, result), exp_difference(x2, result)


@elementwise(np.logaddexp2)
def logaddexp2(x1: Any, x2: Any, *, result: Any) -> Any:
    log2 = math.log(2.0)
    return exp_difference(log2 * x1, log2 * result), exp_difference(log2 * x2, log2 * result)


# ---------------------------------------------------------------- trigonometric and hyperbolic


@elementwise(np.sin, math.sin)
def sin(x: Any) -> Any:
    return lib.cos(x)


@elementwise(np.cos, math.cos)
def cos(x: Any) -> Any:
    return -lib.sin(x)


@elementwise(np.tan, math.tan)
def tan(x: Any, *, result: Any) -> Any:
    return 1.0 + result * result


@elementwise(np.arcsin, math.asin)
def arcsin(x: Any) -> Any:
    return 1.0 / lib.sqrt(1.0 - x * x)


@elementwise(np.arccos, math.acos)
def arccos(x: Any) -> Any:
    return -1.0 / lib.sqrt(1.0 - x * x)


@elementwise(np.arctan, math.atan)
def arctan(x: Any) -> Any:
    return 1.0 / (1.0 + x * x)


@elementwise(np.arctan2)
def arctan2(x1: Any, x2: Any) -> Any:
    return x2 / (x1 * x1 + x2 * x2), -x1 / (x1 * x1 + x2 * x2)


@elementwise(math.atan2)
def atan2(y: Any, x: Any) -> Any:
    return x / (y * y + x * x), -y / (y * y + x * x)


@elementwise(np.sinh, math.sinh)
def sinh(x: Any) -> Any:
    return lib.cosh(x)


@elementwise(np.cosh, math.cosh)
def cosh(x: Any) -> Any:
    return lib.sinh(x)


@elementwise(np.tanh, math.tanh)
def tanh(x: Any, *, result: Any) -> Any:
    return 1.0 - result * result


@elementwise(np.arcsinh, math.asinh)
def arcsinh(x: Any) -> Any:
    return 1.0 / lib.sqrt(x * x + 1.0)


@elementwise(np.arccosh, math.acosh)
def arccosh(x: Any) -> Any:
    return 1.0 / lib.sqrt((x - 1.0) * (x + 1.0))


@elementwise(np.arctanh, math.atanh)
def arctanh(x: Any) -> Any:
    return 1.0 / (1.0 - x * x)


@elementwise(np.degrees, np.rad2deg, math.degrees)
def degrees(x: Any) -> Any:
    return 180.0 / lib.pi


@elementwise(np.radians, np.deg2rad, math.radians)
def radians(x: Any) -> Any:
    return lib.pi / 180.0


@elementwise(np.hypot)
def hypot(x1: Any, x2: Any, *, result: Any) -> Any:
    return quotient(x1, result), quotient(x2, result)


@elementwise(math.hypot)
def math_hypot(*coordinates: Any, result: Any) -> Any:
    partials: Any = ()
    for x in coordinates:
        partials = (*partials, quotient(x, result))
    return partials


@composite(math.dist)
def dist(p: Any, q: Any) -> Any:
    total = 0.0
    for i in range(len(p)):
        total = math.hypot(total, p[i] - q[i])
    return total


@elementwise(np.i0)
def i0(x: Any) -> Any:
    return bessel_i1(x)


@elementwise(bessel_i1)
def bessel_i1_(x: Any, *, result: Any) -> Any:
    return np.i0(x) - np.where(x == 0.0, 0.5, result / np.where(x == 0.0, 1.0, x))


@composite(np.kaiser)
def kaiser(M: Any, beta: Any) -> Any:
    if M < 2:
        return np.ones(max(M, 0))
    across = np.linspace(-1.0, 1.0, M)
    return np.i0(beta * np.sqrt(1.0 - across * across)) / np.i0(beta)


@elementwise(np.sinc)
def sinc(x: Any, *, result: Any) -> Any:
    """By its series near zero, where the difference has no digits left, and less in further derivatives."""
    square = (np.pi * x) ** 2
    series = 1.0 - square / 54.0 * (1.0 - square / 88.0 * (1.0 - square / 130.0))
    near = -(np.pi**2 / 3.0) * x * (1.0 - square / 10.0 * (1.0 - square / 28.0 * series))
    return np.where(np.abs(square) < 0.25, near, quotient(np.cos(np.pi * x) - result, x))


# ---------------------------------------------------------------- special functions


@elementwise(math.erf)
def erf(x: Any) -> Any:
    return 2.0 / math.sqrt(math.pi) * math.exp(-x * x)


@elementwise(math.erfc)
def erfc(x: Any) -> Any:
    return -2.0 / math.sqrt(math.pi) * math.exp(-x * x)


@elementwise(math.gamma)
def gamma(x: Any, *, result: Any) -> Any:
    return result * polygamma(0, x)


@elementwise(math.lgamma)
def lgamma(x: Any) -> Any:
    return polygamma(0, x)


@elementwise(polygamma)
def polygamma_(n: Any, x: Any) -> Any:
    return 0.0, polygamma(n + 1, x)


# ---------------------------------------------------------------- the larger, the smaller


@tangent(np.maximum)
def maximum(x1: Any, x2: Any, *, dx1: Any, dx2: Any) -> Any:
    return where_larger(dx1, x1, x2) + where_larger(dx2, x2, x1)


@adjoint(np.maximum, wrt=("x1", "x2"))
def maximum_adjoint(x1: Any, x2: Any, *, ct: Any) -> Any:
    return unbroadcast(where_larger(ct, x1, x2), x1), unbroadcast(where_larger(ct, x2, x1), x2)


@tangent(np.minimum)
def minimum(x1: Any, x2: Any, *, dx1: Any, dx2: Any) -> Any:
    return where_larger(dx1, x2, x1) + where_larger(dx2, x1, x2)


@adjoint(np.minimum, wrt=("x1", "x2"))
def minimum_adjoint(x1: Any, x2: Any, *, ct: Any) -> Any:
    return unbroadcast(where_larger(ct, x2, x1), x1), unbroadcast(where_larger(ct, x1, x2), x2)


@tangent(np.fmax)
def fmax(x1: Any, x2: Any, *, dx1: Any, dx2: Any) -> Any:
    return where_larger(dx1, x1, known(x2, -np.inf)) + where_larger(dx2, x2, known(x1, -np.inf))


@adjoint(np.fmax, wrt=("x1", "x2"))
def fmax_adjoint(x1: Any, x2: Any, *, ct: Any) -> Any:
    b1, b2 = where_larger(ct, x1, known(x2, -np.inf)), where_larger(ct, x2, known(x1, -np.inf))
    return unbroadcast(b1, x1), unbroadcast(b2, x2)


@tangent(np.fmin)
def fmin(x1: Any, x2: Any, *, dx1: Any, dx2: Any) -> Any:
    return where_larger(dx1, known(x2, np.inf), x1) + where_larger(dx2, known(x1, np.inf), x2)


@adjoint(np.fmin, wrt=("x1", "x2"))
def fmin_adjoint(x1: Any, x2: Any, *, ct: Any) -> Any:
    b1, b2 = where_larger(ct, known(x2, np.inf), x1), where_larger(ct, known(x1, np.inf), x2)
    return unbroadcast(b1, x1), unbroadcast(b2, x2)


def known(x: Any, instead: Any) -> Any:
    """x, with what any number is preferred to instead of NaN."""
    if is_scalar(x):
        return instead if math.isnan(x) else x  # a number of Python stays one, which counts for dtypes
    return np.where(np.isnan(x), instead, x)


@elementwise(np.heaviside)
def heaviside(x1: Any, x2: Any) -> Any:
    return 0.0, np.equal(x1, 0.0)  # a truth value, which has no precision of its own


# ---------------------------------------------------------------- zero wherever there is a derivative

zero_derivative(
    *(np.floor, np.ceil, np.trunc, np.rint, np.sign, np.floor_divide, np.spacing, np.imag, np.round, np.around),
    *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not, np.signbit),
    *(np.isnan, np.isinf, np.isfinite, np.isposinf, np.isneginf, np.isreal, np.iscomplex, np.isclose),
    *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
    *(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift, np.gcd, np.lcm),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.not_, operator.truth),
    *(operator.floordiv, operator.and_, operator.or_, operator.xor, operator.invert, operator.is_, operator.is_not),
    *(operator.lshift, operator.rshift, operator.contains, operator.index),
    *(math.floor, math.ceil, math.trunc, math.isnan, math.isinf, math.isfinite, math.isclose),
    *(math.gcd, math.lcm, math.comb, math.perm, math.factorial, math.isqrt, math.ulp),
    *(int, bool, round, len, range, isinstance, str, repr, print, np.bool_),
    *(np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32, np.uint16, np.uint8),
    sign,
)
if hasattr(np, "fix"):
    zero_derivative(np.fix)
