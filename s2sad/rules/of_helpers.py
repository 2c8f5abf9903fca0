"""The helpers that derivatives call, which are differentiated in turn."""

from __future__ import annotations

from typing import Any

from s2sad.rules.table import adjoint, elementwise, linear, tangent
from s2sad.runtime.helpers import (
    cast,
    exp_difference,
    power_slope,
    power_term,
    quotient,
    safe_log,
    times,
    unbroadcast,
    where_larger,
)


@linear(cast, unbroadcast, wrt="x")
def unbroadcast_(x: Any, like: Any, *, ct: Any) -> Any:
    return unbroadcast(ct, x)


@tangent(times)
def times_(x: Any, partial: Any, *, dx: Any, dpartial: Any) -> Any:
    return times(dx, partial) + times(x, dpartial)


@adjoint(times, wrt=("x", "partial"))
def times_adjoint(x: Any, partial: Any, *, ct: Any) -> Any:
    return unbroadcast(times(ct, partial), x), unbroadcast(times(x, ct), partial)


@elementwise(quotient)
def quotient_(x: Any, y: Any, *, result: Any) -> Any:
    return quotient(1.0, y), -quotient(result, y)


@elementwise(safe_log)
def safe_log_(x: Any) -> Any:
    return quotient(1.0, x)


@elementwise(exp_difference)
def exp_difference_(x: Any, y: Any, *, result: Any) -> Any:
    return result, -result


@elementwise(power_slope)
def power_slope_(x: Any, y: Any) -> Any:
    return power_term(y * (y - 1.0), x, y - 2.0), x ** (y - 1.0) * (1.0 + y * safe_log(x))


@elementwise(power_term)
def power_term_(c: Any, x: Any, y: Any, *, result: Any) -> Any:
    return x**y, power_term(c * y, x, y - 1.0), safe_log(x) * result


@tangent(where_larger)
def where_larger_(value: Any, x: Any, y: Any, *, dvalue: Any, dx: Any = 0.0, dy: Any = 0.0) -> Any:
    return where_larger(dvalue, x, y)


@adjoint(where_larger, wrt=("value", "x", "y"))
def where_larger_adjoint(value: Any, x: Any, y: Any, *, ct: Any) -> Any:
    return unbroadcast(where_larger(ct, x, y), value), None, None
