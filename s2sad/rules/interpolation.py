"""Splines of scipy.interpolate that do not change: loaded by the table once the user has imported that module."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from s2sad.ir import kinds as K
from s2sad.rules.forms import returns
from s2sad.rules.infer import FORMS
from s2sad.rules.table import composite, linear, tangent
from s2sad.runtime.tabulated import (
    along,
    integral_of,
    spline_at,
)

__all__: list[str] = []


def places_of(x: Any) -> Any:
    """Where data are, as floats in order."""
    x = np.asarray(x, dtype=float)
    if np.any(np.diff(x) <= 0.0):
        raise ValueError("`x` must be strictly increasing sequence.")
    return x


# ---------------------------------------------------------------- that do not change


@composite(interpolate.PPoly.__call__, interpolate.BSpline.__call__)
def at(self: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    return spline_at(self, x, nu, extrapolate)


@tangent(spline_at)
def spline_slope(spline: Any, x: Any, nu: Any = 0, extrapolate: Any = None, *, dx: Any) -> Any:
    slope = spline_at(spline, x, nu + 1, extrapolate)
    return along(dx, slope) * slope


@linear(along, wrt="v")
def along_(v: Any, like: Any, *, ct: Any) -> Any:
    return np.reshape(ct, np.shape(v))


@tangent(interpolate.PPoly.derivative, interpolate.PPoly.antiderivative)
@tangent(interpolate.BSpline.derivative, interpolate.BSpline.antiderivative)
def another_spline(self: Any, nu: Any = 1, *, dself: Any) -> Any:
    raise NotImplementedError("of a spline that carries a derivative, only values are differentiated")


@composite(interpolate.PPoly.integrate, interpolate.BSpline.integrate)
def integrate(self: Any, a: Any, b: Any, extrapolate: Any = None) -> Any:
    return integral_of(self, a, b, extrapolate)


@tangent(integral_of)
def moved_integral(spline: Any, a: Any, b: Any, extrapolate: Any = None, *, da: Any, db: Any) -> Any:
    return spline_at(spline, b, 0, extrapolate) * db - spline_at(spline, a, 0, extrapolate) * da


for _method in (interpolate.PPoly.derivative, interpolate.PPoly.antiderivative):
    FORMS[_method] = returns(K.Other(interpolate.PPoly))
for _method in (interpolate.BSpline.derivative, interpolate.BSpline.antiderivative):
    FORMS[_method] = returns(K.Other(interpolate.BSpline))
for _class in (
    *(interpolate.PPoly, interpolate.BSpline, interpolate.CubicSpline, interpolate.CubicHermiteSpline),
    *(interpolate.PchipInterpolator, interpolate.Akima1DInterpolator),
):
    FORMS[_class] = returns(K.Other(_class))
FORMS[interpolate.make_interp_spline] = FORMS[interpolate.make_lsq_spline] = returns(K.Other(interpolate.BSpline))
