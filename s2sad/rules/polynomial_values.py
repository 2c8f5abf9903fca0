"""Polynomials of numpy.polynomial at points in several dimensions, their values at points side by side, and fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils

from s2sad.rules.polynomials import chebval, hermeval, hermval, lagval, legval, polyval
from s2sad.rules.static import is_none, rank
from s2sad.rules.table import composite
from s2sad.runtime.helpers import least_squares

__all__: list[str] = []

# ---------------------------------------------------------------- side by side


def rows_of(x: Any, deg: Any, first: Any, across: Callable[..., Any], back: Callable[..., Any]) -> Any:
    """The values of P[0] to P[deg], as :func:`series` has them, along a last axis."""
    x = 1.0 * np.atleast_1d(x)
    values = np.empty((*np.shape(x), deg + 1), dtype=x.dtype)
    values[..., 0] = 0.0 * x + 1.0
    if deg > 0:
        values[..., 1] = first(x)
    for n in range(2, deg + 1):
        values[..., n] = values[..., n - 1] * across(x, n)
        if back(n) != 0.0:
            values[..., n] -= values[..., n - 2] * back(n)
    return values


@composite(polynomial.polyvander)
def polyvander(x: Any, deg: Any) -> Any:
    return rows_of(x, deg, lambda x: x, lambda x, n: x, lambda n: 0.0)


@composite(chebyshev.chebvander)
def chebvander(x: Any, deg: Any) -> Any:
    return rows_of(x, deg, lambda x: x, lambda x, n: 2.0 * x, lambda n: 1.0)


@composite(legendre.legvander)
def legvander(x: Any, deg: Any) -> Any:
    return rows_of(x, deg, lambda x: x, lambda x, n: (2 * n - 1) / n * x, lambda n: (n - 1) / n)


@composite(hermite.hermvander)
def hermvander(x: Any, deg: Any) -> Any:
    return rows_of(x, deg, lambda x: 2.0 * x, lambda x, n: 2.0 * x, lambda n: 2.0 * (n - 1))


@composite(hermite_e.hermevander)
def hermevander(x: Any, deg: Any) -> Any:
    return rows_of(x, deg, lambda x: x, lambda x, n: x, lambda n: n - 1)


@composite(laguerre.lagvander)
def lagvander(x: Any, deg: Any) -> Any:
    return rows_of(x, deg, lambda x: 1.0 - x, lambda x, n: (2 * n - 1 - x) / n, lambda n: (n - 1) / n)


# ---------------------------------------------------------------- of each family


def alike(*xs: Any) -> Any:
    """Coordinates of points, each in an array."""
    xs = tuple(np.asarray(x) for x in xs)
    for x in xs[1:]:
        if np.shape(x) != np.shape(xs[0]):
            raise ValueError("the coordinates are incompatible")
    return xs


def declare_in_dimensions(module: Any, start: str, value: Any, vander: Any) -> None:
    """Declare values at points, and on grids, of two and three dimensions."""

    @composite(getattr(module, f"{start}val2d"))
    def val2d(x: Any, y: Any, c: Any) -> Any:
        x, y = alike(x, y)
        return value(y, value(x, c), False)

    @composite(getattr(module, f"{start}val3d"))
    def val3d(x: Any, y: Any, z: Any, c: Any) -> Any:
        x, y, z = alike(x, y, z)
        return value(z, value(y, value(x, c), False), False)

    @composite(getattr(module, f"{start}grid2d"))
    def grid2d(x: Any, y: Any, c: Any) -> Any:
        return value(y, value(x, c))

    @composite(getattr(module, f"{start}grid3d"))
    def grid3d(x: Any, y: Any, z: Any, c: Any) -> Any:
        return value(z, value(y, value(x, c)))

    @composite(getattr(module, f"{start}vander2d"))
    def vander2d(x: Any, y: Any, deg: Any) -> Any:
        x, y = alike(x, y)
        found = vander(x, deg[0])[..., :, None] * vander(y, deg[1])[..., None, :]
        return np.reshape(found, (*np.shape(found)[:-2], -1))

    @composite(getattr(module, f"{start}vander3d"))
    def vander3d(x: Any, y: Any, z: Any, deg: Any) -> Any:
        x, y, z = alike(x, y, z)
        found = vander(x, deg[0])[..., :, None, None] * vander(y, deg[1])[..., None, :, None]
        found = found * vander(z, deg[2])[..., None, None, :]
        return np.reshape(found, (*np.shape(found)[:-3], -1))


def declare_fit(module: Any, start: str, vander: Any) -> None:
    """Declare the fit of a polynomial to points."""

    @composite(getattr(module, f"{start}fit"))
    def fit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None) -> Any:
        if full or np.ndim(deg) != 0:
            raise NotImplementedError("this fit is differentiated for all coefficients up to a degree, and these alone")
        x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
        columns = vander(x, deg)
        if not is_none(w):
            w = np.asarray(w)
            columns, y = columns * w[:, None], y * (w if rank(y) == 1 else w[:, None])
        scale = np.sqrt(np.sum(columns * columns, axis=0))
        scale = np.where(scale == 0.0, 1.0, scale)
        cutoff = len(x) * np.finfo(x.dtype).eps if is_none(rcond) else rcond
        return np.transpose(np.transpose(least_squares(columns / scale, y, cutoff)) / scale)


for _module, _start, _value, _vander in (
    (polynomial, "poly", polyval, polyvander),
    (chebyshev, "cheb", chebval, chebvander),
    (legendre, "leg", legval, legvander),
    (hermite, "herm", hermval, hermvander),
    (hermite_e, "herme", hermeval, hermevander),
    (laguerre, "lag", lagval, lagvander),
):
    declare_in_dimensions(_module, _start, _value, _vander)
    declare_fit(_module, _start, _vander)

# ---------------------------------------------------------------- weights and domains


@composite(chebyshev.chebweight)
def chebweight(x: Any) -> Any:
    return 1.0 / (np.sqrt(1.0 + x) * np.sqrt(1.0 - x))


@composite(legendre.legweight)
def legweight(x: Any) -> Any:
    return 0.0 * x + 1.0


@composite(hermite.hermweight)
def hermweight(x: Any) -> Any:
    return np.exp(-(x**2))


@composite(hermite_e.hermeweight)
def hermeweight(x: Any) -> Any:
    return np.exp(-0.5 * x**2)


@composite(laguerre.lagweight)
def lagweight(x: Any) -> Any:
    return np.exp(-x)


@composite(polyutils.mapparms)
def mapparms(old: Any, new: Any) -> Any:
    width = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / width, (new[1] - new[0]) / width


@composite(polyutils.mapdomain)
def mapdomain(x: Any, old: Any, new: Any) -> Any:
    offset, scale = mapparms(old, new)
    return offset + scale * (np.asarray(x) if isinstance(x, (list, tuple)) else x)
