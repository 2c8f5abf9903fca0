"""Elementary functions of 64-bit floats, in sums and products only, so that loops that call them become vector code.

The compiler turns a loop into vector code if each of its operations has a form for vectors. Functions of the C library
have none, and those here are nothing but such operations: there is no branch and no table, and a power of two is put
together from its bits. They take the special values of IEEE 754 (NaN, infinities, zeros with their signs, numbers that
are not normal) as NumPy does, and differ from the exact result by less than four units in the last place.

Reductions and series are those of W. J. Cody and W. Waite, Software Manual for the Elementary Functions (1980), and of
J.-M. Muller, Elementary Functions (3rd ed. 2016, doi 10.1007/978-1-4899-7983-4), chapters 3 and 11:
``x = k log 2 + r`` with ``|r| <= log(2) / 2``, ``x = k pi + r`` with ``|r| <= pi / 2``, and
``log m = 2 artanh((m - 1) / (m + 1))``. A constant in several parts is their sum; all but the last have so many zero
bits at the end that their products with integers are exact.

All run uncompiled too. ``fastmath`` does not apply to them, except that products and sums may be one operation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["exp", "expm1", "log", "log1p", "power_near", "sin_near", "tanh"]


def power_of_two(k: Any) -> Any:
    """2**k of an integer from -1022 to 1023 that is kept as a float."""
    bits = np.float64(k + 6755399441055744.0).view(np.int64)  # the lowest bits of 1.5 * 2**52 + k are those of k
    return np.int64((bits << 52) + 0x3FF0000000000000).view(np.float64)


def reduced(x: Any, k: Any) -> Any:
    """x - k log 2"""
    return (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10


def exp_less_one(r: Any) -> Any:
    """exp(r) - 1 for -0.35 < r < 0.35, by its series; relative to the result the rest is below 1e-17."""
    p = 1 / 6227020800
    p = p * r + 1 / 479001600
    p = p * r + 1 / 39916800
    p = p * r + 1 / 3628800
    p = p * r + 1 / 362880
    p = p * r + 1 / 40320
    p = p * r + 1 / 5040
    p = p * r + 1 / 720
    p = p * r + 1 / 120
    p = p * r + 1 / 24
    p = p * r + 1 / 6
    p = p * r + 1 / 2
    return p * r * r + r


def exp(x: Any) -> Any:
    """e to the power of x."""
    x = 710.0 if x > 710.0 else x
    x = -746.0 if x < -746.0 else x
    k = np.floor(x * 1.4426950408889634 + 0.5)
    half = np.floor(0.5 * k)  # 2**k may be too large, or too small, for a normal number
    return (exp_less_one(reduced(x, k)) + 1.0) * power_of_two(half) * power_of_two(k - half)


def expm1(x: Any) -> Any:
    """exp(x) - 1, also where that is small."""
    y = 710.0 if x > 710.0 else x
    y = -50.0 if y < -50.0 else y
    k = np.floor(y * 1.4426950408889634 + 0.5)
    half = power_of_two(k - 1.0)
    near = exp_less_one(reduced(y, k))
    return x if x == 0.0 else 2.0 * (half * near + (half - 0.5))


def tanh(x: Any) -> Any:
    """The hyperbolic tangent of x."""
    y = 2.0 * np.abs(x)
    y = 50.0 if y > 50.0 else y
    k = np.floor(y * 1.4426950408889634 + 0.5)
    power = power_of_two(k)
    less = power * exp_less_one(reduced(y, k)) + (power - 1.0)
    return np.copysign(less / (less + 2.0), x)


def beyond_straight(z: Any) -> Any:
    """(2 artanh(s) - 2 s) / s**3 of z = s**2 < 0.03, by its series."""
    p = 2 / 21
    p = p * z + 2 / 19
    p = p * z + 2 / 17
    p = p * z + 2 / 15
    p = p * z + 2 / 13
    p = p * z + 2 / 11
    p = p * z + 2 / 9
    p = p * z + 2 / 7
    p = p * z + 2 / 5
    return p * z + 2 / 3


def log(x: Any) -> Any:
    """The natural logarithm of x."""
    tiny = x < 2.2250738585072014e-308
    bits = np.float64(x * 18014398509481984.0 if tiny else x).view(np.int64)
    k = (bits - 0x3FE6A09E667F3BCD) >> 52  # so that m is from sqrt(1/2) to sqrt(2)
    m = np.int64(bits - (k << 52)).view(np.float64)
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    p = beyond_straight(z)
    h = 0.5 * f * f
    e = k - (54.0 if tiny else 0.0)
    # log(1 + f) = 2 s + p s z = f - (h - s (h + p z)), where f is exact
    y = e * 0.693147180369123816490 - ((h - (s * (h + p * z) + e * 1.90821492927058770002e-10)) - f)
    y = y if x < np.inf else x
    return y if x > 0.0 else (-np.inf if x == 0.0 else np.nan)


def log1p(x: Any) -> Any:
    """log(1 + x), also where that is small."""
    u = 1.0 + x
    y = log(u)
    lost = (x - (u - 1.0)) / u  # of x, in the sum, over which the logarithm is as good as straight
    y = y + lost if np.abs(y) < np.inf else y
    return x if u == 1.0 else y


def sin_near(x: Any, m: Any) -> Any:
    """(-1)**(m // 2) times the sine of x - m pi / 2, which is from -pi / 2 to pi / 2; m is below a million."""
    r = (x - m * 1.57079632673412561417) - m * 6.07710050630396597660e-11
    r = (r - m * 2.02226624871116645580e-21) - m * 8.47842766036889956997e-32
    z = r * r
    p = 1 / 51090942171709440000
    p = p * z - 1 / 121645100408832000
    p = p * z + 1 / 355687428096000
    p = p * z - 1 / 1307674368000
    p = p * z + 1 / 6227020800
    p = p * z - 1 / 39916800
    p = p * z + 1 / 362880
    p = p * z - 1 / 5040
    p = p * z + 1 / 120
    p = p * z - 1 / 6
    half = np.floor(0.5 * m)
    return (p * z * r + r) * (1.0 - 2.0 * (half - 2.0 * np.floor(0.5 * half)))


def upper(x: Any) -> Any:
    """The upper half of the bits of a number: products of such are exact."""
    return np.int64(np.float64(x).view(np.int64) & -134217728).view(np.float64)


def power_near(x: Any, y: Any) -> Any:
    """x**y of a normal number x > 0, abs(y) < 1e5. The logarithm is a sum of two numbers, as is its product with y."""
    bits = np.float64(x).view(np.int64)
    k = (bits - 0x3FE6A09E667F3BCD) >> 52
    m = np.int64(bits - (k << 52)).view(np.float64)
    d = m + 1.0
    s = (m - 1.0) / d
    s_upper, d_upper = upper(s), upper(d)
    s_lower = ((m - 1.0 - s_upper * d_upper) - s_upper * ((d - d_upper) + (m - (d - 1.0)))) / d
    z = s * s
    p = beyond_straight(z)
    straight = k * 0.693147180369123816490
    log_x = straight + 2.0 * s_upper
    rest = (straight - log_x) + 2.0 * s_upper
    rest = rest + (2.0 * s_lower + p * z * s + k * 1.90821492927058770002e-10)
    x_upper, y_upper = upper(log_x), upper(y)
    product = x_upper * y_upper
    rest = x_upper * (y - y_upper) + y * ((log_x - x_upper) + rest)
    whole = product + rest
    rest = (product - whole) + rest
    whole = 710.0 if whole > 710.0 else whole
    whole = -746.0 if whole < -746.0 else whole
    k = np.floor(whole * 1.4426950408889634 + 0.5)
    half = np.floor(0.5 * k)
    return (exp_less_one(reduced(whole, k) + rest) + 1.0) * power_of_two(half) * power_of_two(k - half)
