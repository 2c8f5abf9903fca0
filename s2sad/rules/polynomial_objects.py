"""Polynomials that are objects of NumPy, and do not change: at points that carry a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import polynomial

from s2sad.ir import kinds as K
from s2sad.rules.forms import Arg, returns
from s2sad.rules.infer import FORMS
from s2sad.rules.table import composite, elementwise, for_complex, tangent
from s2sad.runtime.polynomials import polynomial_at, polynomial_integral, polynomial_slope

_SERIES = (
    *(polynomial.Polynomial, polynomial.Chebyshev, polynomial.Legendre),
    *(polynomial.Laguerre, polynomial.Hermite, polynomial.HermiteE),
)
__all__: list[str] = []

_series: Any = polynomial.Polynomial  # its methods are those of the class that all series are of


@composite(np.poly1d.__call__)
def poly1d_at(self: Any, val: Any) -> Any:
    return polynomial_at(self, val, 0)


@composite(_series.__call__)
def series_at(self: Any, arg: Any) -> Any:
    return polynomial_at(self, arg, 0)


@elementwise(polynomial_at, wrt=("x",))
def slope_at(p: Any, x: Any, m: Any) -> Any:
    return polynomial_at(p, x, m + 1)


for_complex(polynomial_at, np.poly1d.__call__, _series.__call__)


@composite(np.poly1d.deriv, _series.deriv)
def derivative(self: Any, m: Any = 1) -> Any:
    return polynomial_slope(self, m)


@composite(np.poly1d.integ, _series.integ)
def integral(self: Any, m: Any = 1, *bounds: Any, **named: Any) -> Any:
    return polynomial_integral(self, m, *bounds, **named)


@tangent(polynomial_slope, polynomial_integral)
def moved_polynomial(p: Any, m: Any, *bounds: Any, dp: Any, **named: Any) -> Any:
    raise NotImplementedError("polynomials that are objects are differentiated where they do not change")


def like_the_points(p: Arg, x: Arg, m: Arg) -> K.Kind:
    """Of real numbers such: it may have coefficients that are integers, but then there are no derivatives."""
    match x[0]:
        case K.Scalar(dtype) if dtype in ("float", "float64"):
            return K.Scalar("float64")
        case K.Array("float64", rank, shape) if rank:
            return K.Array("float64", rank, shape)
        case K.Scalar(dtype) | K.Array(dtype) | K.Numeric(dtype) if dtype.startswith("complex"):
            return K.Numeric("complex128")
        case K.Other():  # another polynomial
            return K.ANY
    return K.NUMERIC


FORMS[polynomial_at] = like_the_points
for _class in (np.poly1d, *_SERIES):
    FORMS[_class] = returns(K.Other(_class))


def of_its_class(p: Arg, *_: Arg, **options: Arg) -> K.Kind:
    """A polynomial of the same sort."""
    return p[0]


FORMS[polynomial_slope] = FORMS[polynomial_integral] = of_its_class
