"""Functions of ``math`` that Numba lacks, of integers and of remainders, written for Numba.

All run uncompiled too. Integers have 64 bits there: those that would need more are refused, and those that only meet
floats are computed as floats (:mod:`s2sad.compiled.powers`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = [
    *(
        "binary",
        "factorial",
        "factorial_float",
        "fraction_and_whole",
        "isqrt",
        "lcm",
        "orders",
        "orders_float",
        "remainder",
    ),
    *("subsets", "subsets_float", "ulp"),
]


def times(n: Any, m: Any) -> Any:
    """n * m of integers that are not negative."""
    if m != 0 and n > 9223372036854775807 // m:
        raise OverflowError("an integer of more than 64 bits is needed")
    return n * m


def need_counts(n: Any, k: Any) -> None:
    """ValueError for negative numbers."""
    if n < 0 or k < 0:
        raise ValueError("must be a non-negative integer")


def factorial(n: Any) -> Any:
    """math.factorial(n)"""
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    out = 1
    for k in range(2, n + 1):
        out = times(out, k)
    return out


def factorial_float(n: Any) -> Any:
    """math.factorial(n) as a float."""
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    if n > 170:
        raise OverflowError("int too large to convert to float")
    out = 1.0
    for k in range(2, n + 1):
        out *= k
    return out


def orders(n: Any, k: Any) -> Any:
    """math.perm(n, k)"""
    need_counts(n, k)
    out = 1 if k <= n else 0
    for i in range(k if k <= n else 0):
        out = times(out, n - i)
    return out


def orders_float(n: Any, k: Any) -> Any:
    """math.perm(n, k) as a float."""
    need_counts(n, k)
    out = 1.0 if k <= n else 0.0
    for i in range(k if k <= n else 0):
        out *= n - i
        if out == np.inf:
            raise OverflowError("int too large to convert to float")
    return out


def subsets(n: Any, k: Any) -> Any:
    """math.comb(n, k); no product on the way is larger than what comes out of it."""
    need_counts(n, k)
    k = min(k, n - k)
    out = 1 if k >= 0 else 0
    for i in range(k):
        common = math.gcd(out, i + 1)
        out = times(out // common, (n - i) // ((i + 1) // common))
    return out


def subsets_float(n: Any, k: Any) -> Any:
    """math.comb(n, k) as a float."""
    need_counts(n, k)
    k = min(k, n - k)
    out = 1.0 if k >= 0 else 0.0
    for i in range(k):
        out = out * (n - i) / (i + 1) if out < 1e290 else out / (i + 1) * (n - i)
        if out == np.inf:
            raise OverflowError("int too large to convert to float")
    return out


def lcm(n: Any, m: Any) -> Any:
    """math.lcm(n, m)"""
    if n == 0 or m == 0:
        return 0
    return times(abs(n) // math.gcd(n, m), abs(m))


def isqrt(n: Any) -> Any:
    """math.isqrt(n)"""
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = int(math.sqrt(n))
    while root > 3037000499 or root * root > n:
        root -= 1
    while root < 3037000499 and (root + 1) * (root + 1) <= n:
        root += 1
    return root


def remainder(x: Any, y: Any) -> Any:
    """math.remainder(x, y): x less the nearest multiple of y, the even one of two; NaN where Python raises."""
    if math.isinf(y) and not (math.isinf(x) or math.isnan(x)):
        return x
    if y == 0.0 or math.isinf(x) or math.isnan(x) or math.isnan(y):
        return math.nan
    size, y = abs(x), abs(y)
    below = np.fmod(size, y)
    above = y - below
    if below > above:
        below = -above
    elif below == above:
        below -= 2.0 * np.fmod(0.5 * (size - below), y)
    return math.copysign(1.0, x) * below


def ulp(x: Any) -> Any:
    """math.ulp(x): from a float to the next one."""
    x = abs(x)
    if math.isnan(x) or math.isinf(x):
        return x
    return x - np.nextafter(x, 0.0) if x == 1.7976931348623157e308 else np.nextafter(x, np.inf) - x


def fraction_and_whole(x: Any) -> Any:
    """math.modf(x)"""
    whole = float(np.trunc(x))
    return math.copysign(0.0 if math.isinf(x) else x - whole, x), whole


def binary(n: int) -> str:
    """bin(n)"""
    digits, left = "", n
    while left != 0:
        odd = left % 2
        digits = ("1" if odd else "0") + digits
        left = (left + odd if n < 0 else left) // 2
    return ("-0b" if n < 0 else "0b") + (digits or "0")
