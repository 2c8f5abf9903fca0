"""Numbers item by item: conversions, points without a derivative, special functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad.runtime.helpers.adjoints import cast, spread

__all__ = [
    "astype",
    "bessel_i1",
    "complex_log",
    "exp_difference",
    "item",
    "ndtri",
    "polygamma",
    "power_slope",
    "power_term",
    "promoted",
    "quotient",
    "safe_log",
    "sign",
    "tied_mean",
    "tied_share",
    "times",
    "where_larger",
]


def astype(x: Any, dtype: Any) -> Any:
    """x.astype(dtype), of a scalar too."""
    return x.astype(dtype) if hasattr(x, "astype") else np.dtype(dtype).type(x)


def promoted(x: Any) -> Any:
    """x as a complex number, or as an array of such."""
    return x + 0j


def item(x: Any) -> Any:
    """x.item(), of a Python number too."""
    return x.item() if hasattr(x, "item") else x


def times(x: Any, partial: Any) -> Any:
    """x * partial, and zero wherever x is zero: what np.where did not take adds no NaN."""
    if isinstance(x, np.ndarray) or isinstance(partial, np.ndarray):
        product = x * np.where(x, partial, 0.0)
        return product.astype(np.result_type(x, partial), copy=False)
    return x * partial if x else 0.0


def quotient(x: Any, y: Any) -> Any:
    """x / y, and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return np.where(np.equal(y, 0.0), 0.0, x / np.where(np.equal(y, 0.0), 1.0, y))
    return x / (y or math.inf)


def safe_log(x: Any) -> Any:
    """log(x), 0.0 at zero, NaN below: the exponent's share in the derivative of a power."""
    if isinstance(x, np.ndarray):
        return np.log(np.where(x == 0.0, 1.0, np.where(x < 0.0, np.nan, x)))
    return math.log(x) if x > 0.0 else 0.0 if x == 0.0 else math.nan


def complex_log(x: Any) -> Any:
    """log(x) as a complex number, 0 at zero."""
    wide = np.asarray(x)
    wide = wide.astype(np.result_type(wide, np.complex64))
    found = np.log(np.where(wide == 0.0, 1.0, wide))
    return found if isinstance(x, np.ndarray) else found[()]


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    if isinstance(x, np.ndarray):
        return np.sign(x)
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0 * x


def exp_difference(x: Any, y: Any) -> Any:
    """exp(x - y), and zero where both are the same infinity."""
    if not isinstance(x, np.ndarray) and not isinstance(y, np.ndarray):
        return np.exp(-abs(x + y) if x == y and math.isinf(x) else x - y)
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(x) & np.equal(x, y), 0.0, np.exp(np.subtract(x, y)))[()]


def power_slope(x: Any, y: Any) -> Any:
    """y * x ** (y - 1), and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return y * x ** np.where(y == 0.0, 0.0, y - 1.0)
    return y * x ** (y - 1.0 if y else 0.0)


def power_term(c: Any, x: Any, y: Any) -> Any:
    """c * x ** y, and zero where c is zero: a derivative of a power that is no longer there."""
    if isinstance(c, np.ndarray):
        return c * x ** np.where(c, y, np.zeros_like(c))
    return c * x ** (y if c else 0.0)


def where_larger(value: Any, x: Any, y: Any) -> Any:
    """value where x > y, half of it where x == y, else zero."""
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray) or isinstance(value, np.ndarray):
        ties = np.equal(x, y)  # there are hardly ever any, and a pass over large arrays costs more than to ask
        picked = np.where(x > y, value, np.where(ties, 0.5 * value, 0.0) if ties.any() else 0.0)
        return picked.astype(np.result_type(value, x, y), copy=False)
    return value if x > y else 0.5 * value if x == y else 0.0


def tied_mean(x: Any, a: Any, extremum: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The mean of x over the items of a that equal extremum: the tangent of a maximum."""
    hit = np.equal(a, spread(extremum, a, axis, keepdims))
    number = np.maximum(np.sum(hit, axis=axis, keepdims=keepdims), 1)
    return cast(np.sum(np.where(hit, x, 0.0), axis=axis, keepdims=keepdims) / number, extremum)


def tied_share(x: Any, a: Any, extremum: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """x shared evenly by the items of a that equal extremum: the adjoint of a maximum."""
    if axis is not None and not keepdims:
        x, extremum = np.expand_dims(x, axis), np.expand_dims(extremum, axis)
    hit = np.equal(a, extremum)
    number = np.maximum(np.add.reduce(hit, axis=axis, keepdims=True), 1)
    return cast(np.where(hit, x / number, 0.0), a)


def ndtri(p: Any) -> Any:
    """Where the normal distribution function of a number is p: an approximation, then steps of Halley's or Newton's."""
    if not 0.0 < p < 1.0:
        return -math.inf if p == 0.0 else math.inf if p == 1.0 else math.nan
    if p == 0.5:
        return 0.0
    q = min(p, 1.0 - p)
    t = math.sqrt(-2.0 * math.log(q))
    x = (2.515517 + t * (0.802853 + 0.010328 * t)) / (1.0 + t * (1.432788 + t * (0.189269 + 0.001308 * t))) - t
    for _ in range(3):
        if q > 1e-280:
            gap = (
                0.5 * math.erf(x / math.sqrt(2.0)) - (q - 0.5) if q > 0.1 else 0.5 * math.erfc(-x / math.sqrt(2.0)) - q
            )
            step = gap * math.sqrt(2.0 * math.pi) * math.exp(0.5 * x * x)
            x -= step / (1.0 + 0.5 * x * step)
        else:
            z = 1.0 / (x * x)  # as a share of the density over -x; a number so small has few digits itself
            share = 1.0 - z * (1.0 - z * (3.0 - z * (15.0 - 105.0 * z)))
            x += (math.log(share / (-x * math.sqrt(2.0 * math.pi))) - 0.5 * x * x - math.log(q)) * share / x
    return x if p < 0.5 else -x


def bessel_i1(x: Any) -> Any:
    """The slope of np.i0: the mean of exp(x cos t) cos t over a half turn, by the trapezoidal rule."""
    size = np.nanmax(np.minimum(np.abs(x), 720.0), initial=0.0)  # beyond, it is infinite
    n = 24 + 12 * int(np.sqrt(size))  # so many are exact, by the width of the peak
    c = np.cos((np.arange(n) + 0.5) * (np.pi / (2 * n)))
    return np.mean(np.sinh(np.asarray(x)[..., None] * c) * c, axis=-1)


def polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma, the slope of math.lgamma."""
    if x <= -4503599627370496.0:
        return math.nan  # a float so large is an integer, and these are poles
    total, sign = 0.0, (-1.0) ** (n + 1)
    while x < 12.0:
        total += sign * math.factorial(n) / x ** (n + 1)
        x += 1.0
    total += math.log(x) if n == 0 else sign * math.factorial(n - 1) / x**n
    total += sign * math.factorial(n) / (2.0 * x ** (n + 1))
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
    term = sign * math.factorial(n + 1) / (2.0 * x ** (n + 2))
    for k, b in enumerate(bernoulli, 1):
        total += b * term
        term *= (2 * k + n) * (2 * k + n + 1) / ((2 * k + 1) * (2 * k + 2) * x * x)
    return total
