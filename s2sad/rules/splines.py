"""Interpolating functions of scipy.interpolate that a function makes of its data: loaded as those of interpolation are.

In place of one stands an object that holds the pieces, so that they carry derivatives; what it has beside its values is
that of the object of scipy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate, linalg

from s2sad.ir import kinds as K
from s2sad.rules.forms import Arg, as_numeric, returns
from s2sad.rules.infer import FORMS
from s2sad.rules.interpolation import places_of
from s2sad.rules.static import is_complex, is_none, known, rank
from s2sad.rules.table import composite, tangent
from s2sad.runtime.interpolating import (
    akima_spline,
    between_points,
    cubic_spline,
    hermite_spline,
    knotted_spline,
    pchip_spline,
    through_points,
)
from s2sad.runtime.tabulated import along

__all__: list[str] = []

# ---------------------------------------------------------------- made of data


@tangent(akima_spline, cubic_spline, hermite_spline, knotted_spline, pchip_spline)
def moved_spline(x: Any, y: Any, *options: Any, dx: Any, dy: Any, **named: Any) -> Any:
    raise NotImplementedError("of a spline made of what carries a derivative, only values are differentiated")


FORMS[hermite_spline] = returns(K.Other(interpolate.CubicHermiteSpline))
FORMS[cubic_spline] = returns(K.Other(interpolate.CubicSpline))
FORMS[pchip_spline] = returns(K.Other(interpolate.PchipInterpolator))
FORMS[knotted_spline] = returns(K.Other(interpolate.BSpline))
FORMS[akima_spline] = returns(K.Other(interpolate.Akima1DInterpolator))


def rows_of(x: Any, y: Any, axis: Any) -> Any:
    """The data in rows, one for each place."""
    y = np.moveaxis(np.add(y, np.zeros(1)), axis, 0)  # which is new, and in double precision
    if len(x) != len(y) or len(x) < 2:
        raise ValueError("`x` must have two items at least, and `y` as many along the axis.")
    return np.reshape(y, (len(x), -1))


def hermite_pieces(x: Any, y: Any, slopes: Any) -> Any:
    """The coefficients of the cubic between each two places, the highest power first."""
    h = (x[1:] - x[:-1])[:, None]
    slope = (y[1:] - y[:-1]) / h
    bend = (slopes[:-1] + slopes[1:] - 2.0 * slope) / h
    return bend / h, (slope - slopes[:-1]) / h - bend, slopes[:-1], y[:-1]


def derived(pieces: Any, nu: Any) -> Any:
    """The coefficients of a derivative of the order nu."""
    a, b, c, _ = pieces
    none, nu = np.zeros_like(a), known(nu)
    if nu == 0:
        return pieces
    if nu == 1:
        return none, 3.0 * a, 2.0 * b, c
    if nu == 2:
        return none, none, 6.0 * a, 2.0 * b
    if nu < 0:
        raise ValueError("Order of derivative cannot be negative")
    return none, none, none, 6.0 * a if nu == 3 else none


def pieces_at(breaks: Any, pieces: Any, x: Any, nu: Any, extrapolate: Any) -> Any:
    """A derivative of the order nu of a piecewise polynomial at places in a row."""
    if extrapolate == "periodic":
        x = breaks[0] + (x - breaks[0]) % (breaks[-1] - breaks[0])
    k = np.clip(np.searchsorted(breaks, x, "right") - 1, 0, len(breaks) - 2)
    u = (x - breaks[k])[:, None]
    a, b, c, d = derived(pieces, nu)
    y = ((a[k] * u + b[k]) * u + c[k]) * u + d[k]
    if extrapolate in (True, 1):
        return y
    return np.where(((x >= breaks[0]) & (x <= breaks[-1]))[:, None], y, np.nan)


class Pieces:
    """A cubic spline as scipy has it, ``made``, and by its pieces: but for its values, ``made`` is asked for all."""

    _fields = ("made", "breaks", "pieces", "rest", "place", "further")
    #: What the compiler looks up here, and stores; all else is looked up of ``made``, which also stands for the object.
    __s2sad_own__ = frozenset((*_fields, "__init__", "__call__", "hold", "values", "shaped"))

    def hold(self, breaks: Any, pieces: Any, y: Any, axis: Any, extrapolate: Any) -> None:
        """Keep the pieces, and in what shape values are given."""
        self.breaks = breaks
        self.pieces = pieces
        self.rest = np.shape(np.moveaxis(np.asarray(y), axis, 0))[1:]
        self.place = axis % rank(y)
        self.further = extrapolate

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        further = self.further if is_none(extrapolate) else extrapolate
        return self.shaped(self.values(np.ravel(np.asarray(x, dtype=float)), nu, further), x)

    def values(self, x: Any, nu: Any, extrapolate: Any) -> Any:
        """A derivative of an order at places in a row."""
        return pieces_at(self.breaks, self.pieces, x, nu, extrapolate)

    def shaped(self, y: Any, x: Any) -> Any:
        """Values in rows, as they are given for x."""
        k = self.place
        y = np.moveaxis(np.reshape(y, (np.size(x), *self.rest)), 0, k)
        return np.reshape(y, self.rest[:k] + np.shape(x) + self.rest[k:])


class Hermite(Pieces, interpolate.CubicHermiteSpline):  # type: ignore[misc]
    """Through values with slopes."""

    def __init__(self, x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = None) -> None:
        self.made = hermite_spline(x, y, dydx, axis, extrapolate)
        breaks = places_of(np.array(x))
        pieces = hermite_pieces(breaks, rows_of(x, y, axis), rows_of(x, dydx, axis))
        self.hold(breaks, pieces, y, axis, True if is_none(extrapolate) else extrapolate)


@composite(interpolate.CubicHermiteSpline)
def hermite(x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    if is_complex(y) or is_complex(dydx):
        return hermite_spline(x, y, dydx, axis, extrapolate)
    return Hermite(x, y, dydx, axis, extrapolate)


# ---------------------------------------------------------------- twice differentiable


def end_row(end: Any, h: Any, next_h: Any, rise: Any, slope: Any, next_slope: Any, few: Any) -> Any:
    """What holds of the slope at an end and the next: ``a s + b s_next = c``; from the last, lengths are negative."""
    if isinstance(end, str):
        if end == "not-a-knot":  # the third derivative does not jump at the next place
            if few:
                return 1.0, 0.0, slope
            both = h + next_h
            return next_h, both, ((h + 2.0 * both) * next_h * slope + h * h * next_slope) / both
        if end not in ("natural", "clamped"):
            raise NotImplementedError(
                "cubic splines are differentiated with ends natural, clamped, not-a-knot or given"
            )
        order, value = 2 if end == "natural" else 1, 0.0
    else:
        order, value = end
    if order == 1:
        return 1.0, 0.0, np.ravel(np.asarray(value)) + np.zeros_like(slope)
    if order != 2:
        raise ValueError("The specified derivative order must be 1 or 2.")
    return 2.0 * h, h, 3.0 * rise - 0.5 * np.ravel(np.asarray(value)) * h * h


def cubic_slopes(x: Any, y: Any, start: Any, end: Any) -> Any:
    """The slopes with which the second derivative does not jump, as CubicSpline finds them."""
    n, h, rise = len(x), x[1:] - x[:-1], y[1:] - y[:-1]
    width = h[:, None]
    slope = rise / width
    if n == 3 and isinstance(start, str) and isinstance(end, str) and start == end == "not-a-knot":  # a parabola
        middle = (width[1] * slope[0] + width[0] * slope[1]) / (width[0] + width[1])
        return np.stack((2.0 * slope[0] - middle, middle, 2.0 * slope[1] - middle))
    second = 1 if n > 2 else 0
    a, b, first = end_row(start, h[0], h[second], rise[0], slope[0], slope[second], n == 2)
    c, d, last = end_row(end, -h[-1], -h[-1 - second], -rise[-1], slope[-1], slope[-1 - second], n == 2)
    inner = 3.0 * (width[1:] * slope[:-1] + width[:-1] * slope[1:])
    upper = np.concatenate((np.array([0.0, b]), h[:-1]))
    diagonal = np.concatenate((np.array([a]), 2.0 * (h[:-1] + h[1:]), np.array([c])))
    lower = np.concatenate((h[1:], np.array([d, 0.0])))
    right = np.concatenate((first[None], inner, last[None]))
    return linalg.solve_banded((1, 1), np.stack((upper, diagonal, lower)), right)


def ends_of(bc_type: Any) -> Any:
    """What is said of both ends."""
    if isinstance(bc_type, str):
        return bc_type, bc_type
    start, end = bc_type
    return start, end


class Cubic(Pieces, interpolate.CubicSpline):  # type: ignore[misc]
    """Through values, with what is said of the ends."""

    def __init__(self, x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> None:
        self.made = cubic_spline(x, y, axis, bc_type, extrapolate)
        start, end = ends_of(bc_type)
        breaks, rows = places_of(np.array(x)), rows_of(x, y, axis)
        pieces = hermite_pieces(breaks, rows, cubic_slopes(breaks, rows, start, end))
        self.hold(breaks, pieces, y, axis, True if is_none(extrapolate) else extrapolate)


@composite(interpolate.CubicSpline)
def cubic(x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    bc_type = known(bc_type)
    if is_complex(y) or (isinstance(bc_type, str) and bc_type == "periodic"):
        return cubic_spline(x, y, axis, bc_type, extrapolate)
    return Cubic(x, y, axis, bc_type, extrapolate)


class Knotted(Pieces, interpolate.BSpline):  # type: ignore[misc]
    """The same, as a sum of B-splines."""

    def __init__(self, x: Any, y: Any, axis: Any, bc_type: Any) -> None:
        self.made = knotted_spline(x, y, 3, None, bc_type, axis)
        if len(x) < 4:
            raise ValueError("cubic splines need four places at least")
        end = "not-a-knot" if is_none(bc_type) else bc_type
        breaks, rows = places_of(np.array(x)), rows_of(x, y, axis)
        pieces = hermite_pieces(breaks, rows, cubic_slopes(breaks, rows, end, end))
        self.hold(breaks, pieces, y, axis, True)


@composite(interpolate.make_interp_spline)
def knotted(
    x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None, axis: Any = 0, check_finite: Any = True
) -> Any:
    k, bc_type = known(k), known(bc_type)
    usual = is_none(bc_type) or (isinstance(bc_type, str) and bc_type in ("not-a-knot", "natural", "clamped"))
    if k == 3 and is_none(t) and usual and not is_complex(y):
        return Knotted(x, y, axis, bc_type)
    return knotted_spline(x, y, k, t, bc_type, axis)


# ---------------------------------------------------------------- that follow their data


def pchip_end(h: Any, next_h: Any, slope: Any, next_slope: Any) -> Any:
    """Moler's slope at an end: of the parabola through three values, but where that turns round."""
    found = ((2.0 * h + next_h) * slope - h * next_slope) / (h + next_h)
    far = (np.sign(slope) != np.sign(next_slope)) & (np.abs(found) > 3.0 * np.abs(slope))
    return np.where(np.sign(found) != np.sign(slope), 0.0, np.where(far, 3.0 * slope, found))


def pchip_slopes(x: Any, y: Any) -> Any:
    """Weighted harmonic means of the slopes on both sides, and zero where these have two signs: Fritsch and Butland."""
    h = (x[1:] - x[:-1])[:, None]
    slope = (y[1:] - y[:-1]) / h
    if len(x) == 2:
        return np.concatenate((slope, slope))
    left, right = slope[:-1], slope[1:]
    rising = (np.sign(left) == np.sign(right)) & (left != 0.0)
    w, v = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    mean = (w + v) / (w / np.where(rising, left, 1.0) + v / np.where(rising, right, 1.0))
    first = pchip_end(h[0], h[1], slope[0], slope[1])
    last = pchip_end(h[-1], h[-2], slope[-1], slope[-2])
    return np.concatenate((first[None], np.where(rising, mean, 0.0), last[None]))


@composite(interpolate.PchipInterpolator)
class Pchip(Pieces, interpolate.PchipInterpolator):  # type: ignore[misc]
    """Through values, turning round where they do."""

    def __init__(self, x: Any, y: Any, axis: Any = 0, extrapolate: Any = None) -> None:
        self.made = pchip_spline(x, y, axis, extrapolate)
        breaks, rows = places_of(np.array(x)), rows_of(x, y, axis)
        pieces = hermite_pieces(breaks, rows, pchip_slopes(breaks, rows))
        self.hold(breaks, pieces, y, axis, True if is_none(extrapolate) else extrapolate)


def akima_slopes(x: Any, y: Any, method: Any) -> Any:
    """Means of the slopes on both sides, each weighted by how little the other side bends."""
    inner = (y[1:] - y[:-1]) / (x[1:] - x[:-1])[:, None]
    if len(x) == 2:
        return np.concatenate((inner, inner))
    before, after = 2.0 * inner[0] - inner[1], 2.0 * inner[-1] - inner[-2]
    m = np.stack((2.0 * before - inner[0], before))
    m = np.concatenate((m, inner, np.stack((after, 2.0 * after - inner[-1]))))
    bend = np.abs(m[1:] - m[:-1])
    left, right = bend[:-2], bend[2:]
    if method == "makima":
        size = np.abs(m[1:] + m[:-1])
        left, right = left + 0.5 * size[:-2], right + 0.5 * size[2:]
    both = left + right
    known = both > 1e-9 * np.max(both, initial=-np.inf)
    share = np.where(known, left / np.where(known, both, 1.0), 0.0)
    return np.where(known, m[1:-2] + share * (m[2:-1] - m[1:-2]), 0.5 * (m[3:] + m[:-3]))


@composite(interpolate.Akima1DInterpolator)
class Akima(Pieces, interpolate.Akima1DInterpolator):  # type: ignore[misc]
    """Through values, bending as little as they let it."""

    def __init__(self, x: Any, y: Any, axis: Any = 0, *, method: Any = "akima", extrapolate: Any = None) -> None:
        self.made = akima_spline(x, y, axis, method, extrapolate)
        method = known(method)
        if method not in ("akima", "makima"):
            raise NotImplementedError("`method` is akima or makima")
        breaks, rows = places_of(np.array(x)), rows_of(x, y, axis)
        pieces = hermite_pieces(breaks, rows, akima_slopes(breaks, rows, method))
        self.hold(breaks, pieces, y, axis, False if is_none(extrapolate) else extrapolate)


# ---------------------------------------------------------------- by one function for several kinds


class Between(Pieces, interpolate.interp1d):  # type: ignore[misc]
    """What interp1d makes: lines between places, or a cubic spline."""

    def __init__(self, x: Any, y: Any, kind: Any, axis: Any, bounds_error: Any, fill_value: Any, ordered: Any) -> None:
        self.made = through_points(x, y, kind, axis, bounds_error, fill_value, ordered)
        x, y = np.asarray(x, dtype=float), np.asarray(y)
        if not ordered:
            order = np.argsort(x, kind="mergesort")
            x, y = x[order], np.take(y, order, axis)
        breaks, rows = places_of(np.array(x)), rows_of(x, y, axis)
        if kind == "cubic":
            pieces = hermite_pieces(breaks, rows, cubic_slopes(breaks, rows, "not-a-knot", "not-a-knot"))
        else:
            pieces = lines(breaks, rows)
        self.hold(breaks, pieces, y, axis, beyond(bounds_error, fill_value))

    def __call__(self, x: Any) -> Any:  # type: ignore[override]
        at = np.ravel(np.asarray(x, dtype=float))
        y = self.values(at, 0, True)
        if not isinstance(self.further, tuple):
            return self.shaped(y, x)
        below, above = self.further
        before, after = at < self.breaks[0], at > self.breaks[-1]
        if is_none(below):
            if np.any(before | after):
                raise ValueError("A value in x_new is outside the interpolation range.")
            return self.shaped(y, x)
        return self.shaped(np.where(before[:, None], below, np.where(after[:, None], above, y)), x)


def lines(x: Any, y: Any) -> Any:
    """The coefficients of the lines between places."""
    slope = (y[1:] - y[:-1]) / (x[1:] - x[:-1])[:, None]
    none = np.zeros_like(slope)
    return none, none, slope, y[:-1]


def beyond(bounds_error: Any, fill_value: Any) -> Any:
    """What is given beyond the places: True to go on as before them, else two values, None where an error is raised."""
    if isinstance(fill_value, str):
        return True
    if is_none(bounds_error) or bounds_error:
        return None, None
    return fill_value if isinstance(fill_value, tuple) else (fill_value, fill_value)


@composite(interpolate.interp1d)
def interp1d(
    x: Any,
    y: Any,
    kind: Any = "linear",
    axis: Any = -1,
    copy: Any = True,
    bounds_error: Any = None,
    fill_value: Any = np.nan,
    assume_sorted: Any = False,
) -> Any:
    kind, fill_value = known(kind), known(fill_value)
    if kind in ("linear", "cubic") and not is_complex(y):
        return Between(x, y, kind, axis, bounds_error, fill_value, assume_sorted)
    return through_points(x, y, kind, axis, bounds_error, fill_value, assume_sorted)


@tangent(through_points)
def moved_points(
    x: Any, y: Any, kind: Any, axis: Any, bounds_error: Any, fill_value: Any, ordered: Any, *, dx: Any, dy: Any
) -> Any:
    raise NotImplementedError("interp1d is differentiated of kind linear or cubic")


FORMS[through_points] = returns(K.Other(interpolate.interp1d))


@composite(interpolate.interp1d.__call__, interpolate.BarycentricInterpolator.__call__)
def between_at(self: Any, x: Any) -> Any:
    return between_points(self, x, 0)


@tangent(between_points)
def slope_between(function: Any, x: Any, nu: Any, *, dx: Any) -> Any:
    slope = between_points(function, x, nu + 1)
    return along(dx, slope) * slope


# ---------------------------------------------------------------- evaluated as FITPACK has them


@tangent(interpolate.splev)
def value_of_knotted(x: Any, tck: Any, der: Any = 0, ext: Any = 0, *, dx: Any) -> Any:
    """By the place; the derivative of the highest order is constant between knots.

    Outside of all knots a spline goes on by ``ext=0``, and is zero by ``ext=1``: so does, and is, its derivative. By
    ``ext=3`` it stays as it is there, and its derivative is zero.
    """
    coefficients = tck[1] if isinstance(tck, tuple | list) else tck.c
    degree = tck[2] if isinstance(tck, tuple | list) else tck.k
    if np.ndim(coefficients) != 1 or isinstance(coefficients, list):
        raise NotImplementedError("splev is differentiated for a spline of one coordinate")
    if der == degree:
        return np.zeros_like(dx)
    slope = interpolate.splev(x, tck, der + 1, ext)
    if ext != 3:
        return dx * slope
    knots = tck[0] if isinstance(tck, tuple | list) else tck.t
    return dx * np.where((x < knots[degree]) | (x > knots[-degree - 1]), 0.0, slope)


def _is_of_one_coordinate(tck: K.Kind) -> bool:
    return isinstance(tck, K.Tuple) and len(tck.items) == 3 and K.rank_of(tck.items[1]) == 1


def knotted_kind(x: Arg, tck: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """Said here and not learnt by running: FITPACK reads and writes beyond knots and coefficients that do not fit."""
    rank = K.rank_of(as_numeric(x[0]))
    return K.NUMERIC if rank is None or not _is_of_one_coordinate(tck[0]) else K.Array("float64", rank)


def area_kind(a: Arg, b: Arg, tck: Arg, full_output: Arg = (K.INT, 0)) -> K.Kind:
    """A number of knots, coefficients and a degree; no array is safe to run it on, as with :func:`knotted_kind`."""
    if full_output[1] != 0:
        return K.Tuple((K.FLOAT, K.Array("float64", 1))) if full_output[1] == 1 else K.ANY
    return K.FLOAT if _is_of_one_coordinate(tck[0]) else K.NUMERIC


FORMS[interpolate.splev], FORMS[interpolate.splint] = knotted_kind, area_kind
