"""What FITPACK has fitted: loaded as those of interpolation are.

Curves and surfaces do not change here; they carry derivatives by the places at which they are asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from s2sad.ir import kinds as K
from s2sad.rules.forms import returns
from s2sad.rules.infer import FORMS
from s2sad.rules.static import rank
from s2sad.rules.table import adjoint, composite, tangent
from s2sad.runtime.fitted import (
    area_under_curve,
    bend_of_surface,
    curve_at,
    slope_of_curve,
    surface_at,
    surface_of,
)
from s2sad.runtime.helpers import unbroadcast

__all__: list[str] = []

# ---------------------------------------------------------------- curves


@composite(interpolate.UnivariateSpline.__call__)
def curve(self: Any, x: Any, nu: Any = 0, ext: Any = None) -> Any:
    return curve_at(self, x, nu, ext)


@tangent(curve_at)
def moved_along_curve(curve: Any, x: Any, nu: Any = 0, ext: Any = None, *, dx: Any) -> Any:
    return dx * slope_of_curve(curve, x, nu, 1, ext)


@tangent(slope_of_curve)
def moved_along_slope(curve: Any, x: Any, nu: Any, more: Any, ext: Any = None, *, dx: Any) -> Any:
    return dx * slope_of_curve(curve, x, nu, more + 1, ext)


@tangent(interpolate.UnivariateSpline.derivative, interpolate.UnivariateSpline.antiderivative)
def another_curve(self: Any, n: Any = 1, *, dself: Any) -> Any:
    raise NotImplementedError("of a spline that carries a derivative, only values are differentiated")


@composite(interpolate.UnivariateSpline.integral)
def integral(self: Any, a: Any, b: Any) -> Any:
    return area_under_curve(self, a, b)


@tangent(area_under_curve)
def moved_area(curve: Any, a: Any, b: Any, *, da: Any, db: Any) -> Any:
    """What is beyond the ends counts as zero."""
    return db * curve_at(curve, b, 0, "zeros") - da * curve_at(curve, a, 0, "zeros")


@tangent(interpolate.splint)
def moved_ends(a: Any, b: Any, tck: Any, full_output: Any = 0, *, da: Any, db: Any) -> Any:
    """What is beyond the knots counts as zero."""
    if full_output:
        raise NotImplementedError("splint is differentiated without full_output")
    if rank(a) or rank(b):
        raise NotImplementedError("splint is differentiated from one number to another")
    return db * interpolate.splev(b, tck, 0, 1) - da * interpolate.splev(a, tck, 0, 1)


for _class in (
    *(interpolate.UnivariateSpline, interpolate.InterpolatedUnivariateSpline, interpolate.LSQUnivariateSpline),
    *(interpolate.BivariateSpline, interpolate.RectBivariateSpline, interpolate.SmoothBivariateSpline),
    *(interpolate.LSQBivariateSpline, interpolate.BarycentricInterpolator, interpolate.KroghInterpolator),
):
    FORMS[_class] = returns(K.Other(_class))
for _method in (interpolate.UnivariateSpline.derivative, interpolate.UnivariateSpline.antiderivative):
    FORMS[_method] = returns(K.Other(interpolate.UnivariateSpline))


# ---------------------------------------------------------------- surfaces


@composite(interpolate.BivariateSpline.ev)
def surface_at_points(self: Any, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any:
    return surface_at(self, xi, yi, dx, dy)


@composite(interpolate.BivariateSpline.__call__)
def surface(self: Any, x: Any, y: Any, dx: Any = 0, dy: Any = 0, grid: Any = True) -> Any:
    if not grid:
        return surface_at(self, x, y, dx, dy)
    return on_grid(self, x, y, dx, dy)


def on_grid(surface: Any, x: Any, y: Any, dx: Any, dy: Any) -> Any:
    """A surface at all pairs of places."""
    x, y = np.ravel(np.asarray(x)), np.ravel(np.asarray(y))
    if np.any(np.diff(x) < 0.0):
        raise ValueError("x must be sorted to increasing order")
    if np.any(np.diff(y) < 0.0):
        raise ValueError("y must be sorted to increasing order")
    return surface_at(surface, x[:, None], y[None, :], dx, dy)


@composite(interpolate.bisplev)
def bisplev(x: Any, y: Any, tck: Any, dx: Any = 0, dy: Any = 0) -> Any:
    """A number of two numbers, else without the axes of length one."""
    if rank(x) == 0 and rank(y) == 0:
        return surface_at(surface_of(tck), x, y, dx, dy)[()]
    z = on_grid(surface_of(tck), x, y, dx, dy)
    if np.shape(z)[0] > 1:
        return z
    return z[0] if np.shape(z)[1] > 1 else z[0, 0]


@tangent(surface_at)
def moved_on_surface(surface: Any, x: Any, y: Any, nu: Any = 0, mu: Any = 0, *, dx: Any, dy: Any) -> Any:
    by_x = dx * bend_of_surface(surface, x, y, nu, mu, 1, 0)
    return by_x + dy * bend_of_surface(surface, x, y, nu, mu, 0, 1)


@adjoint(surface_at, wrt=("x", "y"))
def moved_on_surface_adjoint(surface: Any, x: Any, y: Any, nu: Any = 0, mu: Any = 0, *, ct: Any) -> Any:
    by_x = unbroadcast(ct * bend_of_surface(surface, x, y, nu, mu, 1, 0), x)
    return by_x, unbroadcast(ct * bend_of_surface(surface, x, y, nu, mu, 0, 1), y)


@tangent(bend_of_surface)
def moved_bend(surface: Any, x: Any, y: Any, nu: Any, mu: Any, more: Any, further: Any, *, dx: Any, dy: Any) -> Any:
    by_x = dx * bend_of_surface(surface, x, y, nu, mu, more + 1, further)
    return by_x + dy * bend_of_surface(surface, x, y, nu, mu, more, further + 1)


@adjoint(bend_of_surface, wrt=("x", "y"))
def moved_bend_adjoint(surface: Any, x: Any, y: Any, nu: Any, mu: Any, more: Any, further: Any, *, ct: Any) -> Any:
    by_x = unbroadcast(ct * bend_of_surface(surface, x, y, nu, mu, more + 1, further), x)
    return by_x, unbroadcast(ct * bend_of_surface(surface, x, y, nu, mu, more, further + 1), y)


FORMS[surface_of] = returns(K.Other(interpolate.BivariateSpline))


@composite(interpolate.pchip_interpolate)
def pchip_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: Any = 0) -> Any:
    if isinstance(der, (tuple, list)):
        raise NotImplementedError("pchip_interpolate is differentiated for one order of derivatives")
    return interpolate.PchipInterpolator(xi, yi, axis=axis)(x, der)
