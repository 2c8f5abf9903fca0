"""Splines of scipy.interpolate that do not change: loaded by the table once the user has imported that module."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from s2sad.ir import kinds as K
from s2sad.rules.forms import returns
from s2sad.rules.infer import FORMS
from s2sad.rules.table import composite, linear, tangent
from s2sad.runtime.tabulated import along, spline_at

__all__: list[str] = []


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


for _class in (
    *(interpolate.PPoly, interpolate.BSpline, interpolate.CubicSpline, interpolate.CubicHermiteSpline),
    *(interpolate.PchipInterpolator, interpolate.Akima1DInterpolator),
):
    FORMS[_class] = returns(K.Other(_class))
FORMS[interpolate.make_interp_spline] = FORMS[interpolate.make_lsq_spline] = returns(K.Other(interpolate.BSpline))
