"""Conversions, and sums and products of Python numbers."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from s2sad.rules.table import adjoint, composite, linear, tangent
from s2sad.runtime.helpers import (
    astype,
    item,
    spread_items,
    unbroadcast,
)


@linear(float, np.float64, np.float32, np.float16, wrt="x")
def float_(x: Any, *, ct: Any) -> Any:
    return unbroadcast(ct, x)


@linear(item, wrt="x")
def item_(x: Any, *, ct: Any) -> Any:
    return unbroadcast(ct, x)


@linear(astype, wrt="x")
def astype_(x: Any, dtype: Any, *, ct: Any) -> Any:
    return unbroadcast(ct, x)


@linear(math.fsum, wrt="seq")
def fsum(seq: Any, *, ct: Any) -> Any:
    return spread_items(ct, seq)


@tangent(builtins.sum)
def sum_(iterable: Any, start: Any = 0, *, diterable: Any, dstart: Any = 0.0) -> Any:
    return sum(diterable, dstart)


@adjoint(builtins.sum, wrt=("iterable", "start"))
def sum_adjoint(iterable: Any, start: Any = 0, *, ct: Any) -> Any:
    return spread_items(ct, iterable), unbroadcast(ct, start)


@linear(spread_items, wrt="x")
def spread_items_(x: Any, like: Any, *, ct: Any) -> Any:
    return unbroadcast(sum(ct), x)


@composite(math.prod)
def prod(iterable: Any, *, start: Any = 1) -> Any:
    total = start
    for x in iterable:
        total = total * x
    return total


@composite(builtins.divmod)
def divmod_(x1: Any, x2: Any) -> Any:
    return x1 // x2, x1 % x2


@composite(np.divmod)
def np_divmod(x1: Any, x2: Any) -> Any:
    return np.floor_divide(x1, x2), np.remainder(x1, x2)


@tangent(math.modf)
def modf(x: Any, *, dx: Any) -> Any:
    return dx, 0.0


@tangent(np.modf)
def np_modf(x: Any, *, dx: Any) -> Any:
    return dx, np.zeros_like(x)


@adjoint(math.modf, np.modf, wrt="x")
def modf_adjoint(x: Any, *, ct: Any) -> Any:
    return ct[0]
