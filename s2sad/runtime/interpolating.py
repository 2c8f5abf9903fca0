"""What derivatives call of interpolating functions that scipy makes: loaded with the rules of scipy.interpolate.

The emitter copies the source of those that a module uses into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate


def hermite_spline(x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    """The cubic spline through values with slopes."""
    return interpolate.CubicHermiteSpline(x, y, dydx, axis, extrapolate)


def cubic_spline(x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    """The cubic spline through values that is twice differentiable."""
    return interpolate.CubicSpline(x, y, axis, bc_type, extrapolate)


def pchip_spline(x: Any, y: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    """The cubic spline through values that rises and falls with them."""
    return interpolate.PchipInterpolator(x, y, axis, extrapolate)


def akima_spline(x: Any, y: Any, axis: Any = 0, method: Any = "akima", extrapolate: Any = None) -> Any:
    """Akima's cubic spline through values."""
    return interpolate.Akima1DInterpolator(x, y, axis, method=method, extrapolate=extrapolate)


def knotted_spline(x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None, axis: Any = 0) -> Any:
    """The spline of degree k through values, by B-splines."""
    return interpolate.make_interp_spline(x, y, k, t, bc_type, axis)


def through_points(x: Any, y: Any, kind: Any, axis: Any, bounds_error: Any, fill_value: Any, ordered: Any) -> Any:
    """What interp1d makes of values."""
    return interpolate.interp1d(x, y, kind, axis, True, bounds_error, fill_value, ordered)


def between_points(function: Any, x: Any, nu: int) -> Any:
    """A derivative of the order nu of what interp1d has made, or of a polynomial through points, at x."""
    if nu == 0:
        return function(x)
    if isinstance(function, interpolate.KroghInterpolator | interpolate.BarycentricInterpolator):
        return function.derivative(x, nu)
    y, kind = function.y, function._kind
    if not isinstance(function, interpolate.interp1d) or np.ndim(y) != 1 or kind not in ("linear", "spline"):
        raise NotImplementedError(
            "what interp1d has made is differentiated where it is linear or a spline, of a vector"
        )
    if kind == "linear":
        spline = interpolate.PPoly(np.stack((np.diff(y) / np.diff(function.x), y[:-1])), function.x)
    else:
        spline = function._spline
    x = np.asarray(x, dtype=float)
    still = ~((x >= function.x[0]) & (x <= function.x[-1]))
    slope = np.reshape(spline(x, nu), np.shape(x))
    return np.where(still & (not function._extrapolate), 0.0, slope)


def on_grid(points: Any, values: Any, method: Any, bounds_error: Any, fill_value: Any) -> Any:
    """What interpolates values on a grid."""
    return interpolate.RegularGridInterpolator(points, values, method, bounds_error, fill_value)


def grid_values(function: Any, xi: Any, method: Any, nu: Any) -> Any:
    """What RegularGridInterpolator gives at points."""
    return function(xi, method) if nu is None else function(xi, method, nu=nu)
