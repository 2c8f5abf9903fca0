"""What derivatives call of curves and surfaces that FITPACK has fitted: loaded with the rules of scipy.interpolate.

The emitter copies the source of those that a module uses into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate


def curve_at(curve: Any, x: Any, nu: Any = 0, ext: Any = None) -> Any:
    """The derivative of an order nu of a curve that FITPACK has fitted, at x."""
    return curve(x, nu, ext)


def area_under_curve(curve: Any, a: Any, b: Any) -> Any:
    """The integral of a curve that FITPACK has fitted from a to b."""
    return curve.integral(a, b)


def slope_of_curve(curve: Any, x: Any, nu: Any, more: Any, ext: Any = None) -> Any:
    """The derivative of an order ``more`` of ``curve_at``: zero beyond the ends of a curve that is held there.

    The library holds values only (``ext=3``), and has no derivatives of orders above the degree.
    """
    knots = curve.get_knots()
    degree = len(curve.get_coeffs()) - len(knots) + 1
    x = np.asarray(x)
    if nu + more > degree:
        return np.zeros(x.shape)
    slope = curve(x, nu + more, ext)
    if nu == 0 and (curve.ext if ext is None else ext) in (3, "const"):
        return np.where((x < knots[0]) | (x > knots[-1]), 0.0, slope)
    return slope


def surface_of(tck: Any) -> Any:
    """The surface that FITPACK's knots, coefficients and degrees stand for."""
    return interpolate.BivariateSpline._from_tck(tuple(tck))


def surface_at(surface: Any, x: Any, y: Any, nu: Any = 0, mu: Any = 0) -> Any:
    """The derivative of orders nu and mu of a surface that FITPACK has fitted, at points."""
    return surface.ev(x, y, nu, mu)


def bend_of_surface(surface: Any, x: Any, y: Any, nu: Any, mu: Any, more: Any, further: Any) -> Any:
    """The derivatives of such orders of ``surface_at``: zero beyond the edges, where it stays as it is at the edge."""
    bend = interpolate.NdBSpline(tuple(surface.get_knots()), _coefficients(surface), surface.degrees)
    beyond, places = False, []
    for at, knots, degree, order in zip((x, y), surface.get_knots(), surface.degrees, (more, further), strict=True):
        first, last = knots[degree], knots[-degree - 1]
        beyond = beyond | ((order > 0) & ((at < first) | (at > last)))
        places.append(np.clip(at, first, last))
    orders = nu + more, mu + further
    if orders[0] > surface.degrees[0] or orders[1] > surface.degrees[1]:
        return np.zeros(np.broadcast(*places).shape)
    return np.where(beyond, 0.0, bend(np.stack(np.broadcast_arrays(*places), axis=-1), nu=orders))


def _coefficients(surface: Any) -> Any:
    """The coefficients of a surface by the knots of x and of y."""
    (xs, ys), (kx, ky) = surface.get_knots(), surface.degrees
    return np.reshape(surface.get_coeffs(), (len(xs) - kx - 1, len(ys) - ky - 1))
