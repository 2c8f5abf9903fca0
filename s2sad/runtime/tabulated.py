"""What derivatives call of interpolating functions that scipy has made.

The emitter copies the source of those that a module uses into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def spline_at(spline: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    """The derivative of an order nu of a spline of scipy, or of another piecewise polynomial, at x."""
    if getattr(spline, "axis", 0) != 0:
        raise NotImplementedError("splines are differentiated where they go along the first axis")
    return spline(x, nu, extrapolate)


def integral_of(spline: Any, a: Any, b: Any, extrapolate: Any = None) -> Any:
    """The integral of a spline of scipy from a to b."""
    return spline.integrate(a, b, extrapolate)


def along(v: Any, like: Any) -> Any:
    """v with axes of length one after its own, as many as ``like`` has more."""
    return np.reshape(v, np.shape(v) + (1,) * (np.ndim(like) - np.ndim(v)))
