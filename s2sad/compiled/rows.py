"""Elementary functions of rows of numbers, in their place: vector code, for loops that do not become such as a whole.

All run uncompiled too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.compiled.mathematics import exp, expm1, log, log1p, power_near, sin_near, tanh

__all__ = ["cos_row", "exp_row", "expm1_row", "log1p_row", "log_row", "power_row", "row", "sin_row", "tanh_row"]


def row(n: Any) -> Any:
    """An array for n numbers, and for up to seven ones more, so that there are no items beside the last vector."""
    first = max(n, 0)
    out = np.empty((first + 7) // 8 * 8)
    for i in range(first, out.shape[0]):
        out[i] = 1.0
    return out


def exp_row(x: Any) -> None:
    """Put the exponentials of numbers in their place."""
    for i in range(x.shape[0]):
        x[i] = exp(x[i])


def expm1_row(x: Any) -> None:
    """Put exp(x) - 1 in the place of each x."""
    for i in range(x.shape[0]):
        x[i] = expm1(x[i])


def tanh_row(x: Any) -> None:
    """Put the hyperbolic tangents of numbers in their place."""
    for i in range(x.shape[0]):
        x[i] = tanh(x[i])


def log_row(x: Any) -> None:
    """Put the logarithms of numbers in their place."""
    for i in range(x.shape[0]):
        x[i] = log(x[i])


def log1p_row(x: Any) -> None:
    """Put log(1 + x) in the place of each x."""
    for i in range(x.shape[0]):
        x[i] = log1p(x[i])


def far(x: Any) -> Any:
    """How many of some numbers are too large to be reduced by few multiples of pi, or not finite."""
    count = 0
    for i in range(x.shape[0]):
        count += not np.abs(x[i]) < 1e6
    return count


def sin_row(x: Any) -> None:
    """Put the sines of numbers in their place."""
    if far(x):
        for i in range(x.shape[0]):
            x[i] = np.sin(x[i])
    else:
        for i in range(x.shape[0]):
            y = sin_near(x[i], 2.0 * np.floor(x[i] * 0.3183098861837907 + 0.5))
            x[i] = x[i] if x[i] == 0.0 else y


def cos_row(x: Any) -> None:
    """Put the cosines of numbers in their place."""
    if far(x):
        for i in range(x.shape[0]):
            x[i] = np.cos(x[i])
    else:
        for i in range(x.shape[0]):
            x[i] = -sin_near(x[i], 2.0 * np.floor(x[i] * 0.3183098861837907) + 1.0)


def extreme(x: Any) -> Any:
    """How many of some numbers are not positive, nearly 0, or very large; or none at all."""
    count = 0
    for i in range(x.shape[0]):
        count += not 1e-300 < x[i] < 1e300
    return count


def power_row(x: Any, y: Any) -> None:
    """Put x**y in the place of each x."""
    if extreme(x) or not np.abs(y) < 1e5:
        for i in range(x.shape[0]):
            x[i] = x[i] ** y
    else:
        for i in range(x.shape[0]):
            x[i] = power_near(x[i], y)
