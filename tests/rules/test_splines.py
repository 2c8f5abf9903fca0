"""Interpolating functions of scipy.interpolate that a function makes of its data, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from rules.through import check

import s2sad
from s2sad import check_grads, grad, value_and_grad

interpolate = pytest.importorskip("scipy.interpolate")

T = np.array([0.0, 0.4, 1.1, 1.5, 2.2, 2.6, 3.1])
Y = np.sin(2.0 * T) + 0.1 * T
X = np.array([0.3, 1.13, 2.23, 2.9, 3.05])
FAR = np.array([-0.3, 1.0, 5.0])
ROWS = np.stack((Y, Y**2), 1)
ENDS: tuple[Any, ...] = ("not-a-knot", "natural", "clamped", ((1, 0.3), (2, 0.4)), ("natural", "not-a-knot"))


def with_ends(n: int, ends: Any) -> Callable[..., Any]:
    """A cubic spline through n values, at points."""

    def f(y: Any, x: Any) -> Any:
        return interpolate.CubicSpline(T[:n], y[:n], bc_type=ends)(x)

    return f


def following(n: int) -> Callable[..., Any]:
    """Splines through n values that follow them, at points."""

    def f(y: Any, x: Any) -> Any:
        t, y = T[:n], y[:n]
        akima = interpolate.Akima1DInterpolator(t, y, extrapolate=True)
        other = interpolate.Akima1DInterpolator(t, y, method="makima", extrapolate=True)
        return interpolate.PchipInterpolator(t, y)(x), akima(x), other(x)

    return f


@pytest.mark.parametrize(("n", "ends"), [*product((2, 3, 4, 7), ENDS)], ids=str)
def test_cubic_splines(n: int, ends: Any) -> None:
    check(with_ends(n, ends), Y, X, again=n == 4)


@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_splines_that_follow_their_data(n: int) -> None:
    for y in (Y, Y[::-1] - 1.0):
        check(following(n), y, X, again=n == 4)


def derivatives(y: Any, x: Any) -> Any:
    spline = interpolate.CubicSpline(T, y)
    return spline(x, 1) + spline(x, nu=2) + spline(x, 3) * spline(x) + spline(x, 4)


def at_active_places(t: Any, y: Any, x: Any) -> Any:
    return interpolate.CubicSpline(t, y)(x) + interpolate.PchipInterpolator(t, y)(x)


def with_active_ends(y: Any, a: Any, x: Any) -> Any:
    return interpolate.CubicSpline(T, y, bc_type=((1, a), (2, a * a)))(x)


def again_and_again(y: Any) -> Any:
    for _ in range(3):
        spline = interpolate.CubicSpline(T, y)
        y = np.sin(spline(0.9 * T))
    return y


def changed_afterwards(t: Any, y: Any) -> Any:
    t, y = t * 1.0, y * 1.0
    spline, line = interpolate.CubicSpline(t, y), interpolate.interp1d(t, y)
    t[0], y[0] = -1.0, 7.0
    return spline(X) + line(X) + y[0]


def on_two_paths(y: Any) -> Any:
    spline = interpolate.CubicSpline(T, y) if y[0] > -1.0 else interpolate.CubicSpline(T, 2.0 * y)
    return spline(X)


KNOTTED = interpolate.splrep(T, Y)
STRAIGHT = interpolate.splrep(T, Y, k=1)


def of_fitpack(x: Any) -> Any:
    return interpolate.splev(x, KNOTTED, der=1) * x + interpolate.splev(x, KNOTTED) + interpolate.splev(x, KNOTTED, 3)


def of_fitpack_made_here(x: Any) -> Any:
    t, c, k = spline = interpolate.splrep(T, Y**2)
    zero_beyond = interpolate.splev(3.0 * x, STRAIGHT, ext=1)
    held = interpolate.splev(x, interpolate.make_interp_spline(T, Y))
    return interpolate.splev(x, (t, 2.0 * c, k)) * interpolate.splev(x, spline) * held + zero_beyond


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "derivatives": (derivatives, (Y, X[:4])),
    "places": (at_active_places, (T, Y, X)),
    "ends": (with_active_ends, (Y, 0.4, X)),
    "slopes": (lambda y, d, x: interpolate.CubicHermiteSpline(T, y, d)(x), (Y, Y**2, X)),
    "rows": (lambda y, x: interpolate.CubicSpline(T, y)(x), (ROWS, X)),
    "columns": (
        lambda y, x: interpolate.PchipInterpolator(T, y, axis=-1)(x),
        (np.ascontiguousarray(ROWS.T), X[:4].reshape(2, 2)),
    ),
    "in the middle": (lambda y, x: interpolate.CubicSpline(T, y, 1)(x), (np.stack((ROWS, -ROWS)), X[:4].reshape(2, 2))),
    "strided": (lambda y, x: interpolate.CubicSpline(T, y)(x), (np.stack((Y, Y), 1)[:, 0], X[::2])),
    "a number": (lambda y, x: interpolate.CubicSpline(T, y)(x), (Y, 0.7)),
    "beyond": (lambda y, x: interpolate.CubicSpline(T, y)(x), (Y, FAR)),
    "around": (lambda y, x: interpolate.CubicSpline(T, y, extrapolate="periodic")(x), (Y, FAR)),
    "not beyond": (lambda y, x: np.nan_to_num(interpolate.Akima1DInterpolator(T, y)(x)), (Y, FAR)),
    "again and again": (again_and_again, (Y,)),
    "of FITPACK": (of_fitpack, (X,)),
    "of FITPACK beyond": (lambda x: interpolate.splev(x, KNOTTED), (FAR,)),
    "of FITPACK made here": (of_fitpack_made_here, (X,)),
    "a number of FITPACK": (lambda x: float(interpolate.splev(x, KNOTTED)) * x, (0.7,)),
    "changed afterwards": (changed_afterwards, (T, Y)),
    "on two paths": (on_two_paths, (Y,)),
    "lines": (lambda y, x: interpolate.interp1d(T, y)(x), (Y, X)),
    "lines beyond": (lambda y, x: interpolate.interp1d(T, y, fill_value="extrapolate")(x), (Y, FAR)),
    "lines and a value": (lambda y, x: interpolate.interp1d(T, y, bounds_error=False, fill_value=7.0)(x), (Y, FAR)),
    "lines of rows": (lambda y, x: interpolate.interp1d(T, y)(x), (np.ascontiguousarray(ROWS.T), X[:4].reshape(2, 2))),
    "lines of columns": (lambda y, x: interpolate.interp1d(T, y, axis=0)(x), (ROWS, X)),
    "lines in no order": (lambda y, x: interpolate.interp1d(T[::-1], y)(x), (Y, X)),
    "cubic lines": (lambda y, x: interpolate.interp1d(T, y, "cubic")(x), (Y, X)),
    "cubic lines in no order": (lambda y, x: interpolate.interp1d(T[[3, 0, 1, 6, 2, 5, 4]], y, "cubic")(x), (Y, X)),
    "cubic and values": (
        lambda y, x: interpolate.interp1d(T, y, "cubic", bounds_error=False, fill_value=(y[0], 8.0))(x),
        (Y, FAR),
    ),
    "by B-splines": (lambda y, x: interpolate.make_interp_spline(T, y)(x), (Y, X)),
    "by natural B-splines": (lambda y, x: interpolate.make_interp_spline(T, y, bc_type="natural")(x), (Y, X)),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    f, args = CASES[name]
    check(f, *args)


def test_single_precision() -> None:
    got = grad(lambda y: np.sum(np.sin(interpolate.CubicSpline(T, y)(X))))(Y.astype(np.float32))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, grad(lambda y: np.sum(np.sin(interpolate.CubicSpline(T, y)(X))))(Y), atol=1e-5)


LINE = interpolate.interp1d(T, Y, bounds_error=False, fill_value=0.0)
CURVE = interpolate.interp1d(T, Y, "cubic", fill_value="extrapolate")
SPLINE = interpolate.CubicSpline(T, ROWS)
CONSTANT: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "lines": (lambda x: LINE(x), (FAR,)),
    "a curve": (lambda x: CURVE(x), (FAR,)),
    "an integral": (lambda a, b: SPLINE.integrate(a, b), (0.3, 2.5)),
    "a derivative": (lambda x: SPLINE.derivative()(x) + SPLINE.antiderivative()(x), (X,)),
    "in a list": (
        lambda x: sum(s(x) for s in [interpolate.CubicSpline(T, Y), interpolate.PchipInterpolator(T, Y)]),
        (X,),
    ),
    "what else it can do": (lambda x: x * interpolate.CubicSpline(T, Y).integrate(0.0, 1.0), (X,)),
    "around": (
        lambda x: interpolate.CubicSpline(T[:3], [1.0, 2.0, 1.0], bc_type="periodic")(x),
        (X,),
    ),
    "of another degree": (lambda x: interpolate.make_interp_spline(T, Y, 5)(x), (X,)),
    "the nearest": (lambda x: x * interpolate.interp1d(T, Y, "nearest")(1.0), (X,)),
}


@pytest.mark.parametrize("name", CONSTANT)
def test_of_data_that_do_not_change(name: str) -> None:
    f, args = CONSTANT[name]
    check(f, *args)


def test_it_is_an_object_of_scipy() -> None:
    def f(y: Any) -> Any:
        spline = interpolate.CubicSpline(T, y)
        return spline(0.5) if isinstance(spline, interpolate.PPoly) and callable(spline) else 0.0

    value, slope = value_and_grad(f)(Y)
    assert value == pytest.approx(interpolate.CubicSpline(T, Y)(0.5))
    assert np.any(slope)


def stored(y: Any) -> Any:
    spline = interpolate.CubicSpline(T, y)
    spline.extrapolate = False
    return spline(X)


LOST = (s2sad.NotDifferentiable, s2sad.MissingRule)
REFUSED: dict[str, tuple[Callable[..., Any], Any, str]] = {
    "periodic": (
        lambda y, x: interpolate.CubicSpline(T, y, bc_type="periodic")(x),
        LOST,
        r"only values|spline_at|call_method",
    ),
    "another degree": (
        lambda y, x: interpolate.make_interp_spline(T, y, 5)(x),
        LOST,
        r"only values|spline_at|call_method",
    ),
    "the nearest": (lambda y, x: interpolate.interp1d(T, y, "nearest")(x), LOST, r"linear or cubic|between_points"),
    "a derivative": (
        lambda y, x: interpolate.CubicSpline(T, y).derivative()(x),
        LOST,
        r"only values|spline_at|call_method",
    ),
    "coefficients": (lambda y, x: interpolate.CubicSpline(T, y).c[0], s2sad.UnsupportedSyntax, "changed"),
    "changed": (lambda y, x: stored(y), s2sad.UnsupportedSyntax, "extrapolate"),
    "smoothing": (lambda y, x: interpolate.UnivariateSpline(T, y)(x), s2sad.MissingRule, "UnivariateSpline"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    f, error, text = REFUSED[name]
    with pytest.raises(error, match=text):
        s2sad.vjp(f, Y, X)


@pytest.mark.parametrize("name", ["CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "make_interp_spline"])
def test_what_is_no_data_raises(name: str) -> None:
    make = getattr(interpolate, name)
    with pytest.raises(ValueError, match=r"increasing|duplicates"):
        grad(lambda y: make(T[::-1], y)(0.5))(Y)
    with pytest.raises(ValueError, match="range"):
        grad(lambda y: interpolate.interp1d(T, y)(9.0))(Y)


def by_coefficients(x: Any) -> Any:
    t, c, k = KNOTTED
    return interpolate.splev(x, (t, c * x, k))


def test_coefficients_of_fitpack_are_refused() -> None:
    with pytest.raises((s2sad.NotDifferentiable, s2sad.MissingRule)):
        grad(by_coefficients)(0.7)


@pytest.mark.parametrize("x", [-0.4, 0.7, 9.0])
def test_what_fitpack_holds_beyond_the_knots_has_no_slope_there(x: float) -> None:
    def f(x: Any) -> Any:
        return interpolate.splev(x, KNOTTED, ext=3)

    check_grads(f)(x)
    assert grad(f)(x) == (float(interpolate.splev(x, KNOTTED, 1)) if x == 0.7 else 0.0)


def test_curves_of_fitpack_are_refused_when_they_are_met() -> None:
    curve, _ = interpolate.splprep([np.cos(T), np.sin(T)], s=0)
    with pytest.raises(NotImplementedError, match="one coordinate"):
        grad(lambda x: interpolate.splev(x, curve)[0] * x)(0.3)
