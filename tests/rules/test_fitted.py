"""The rules of what FITPACK has fitted, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import check_grads, grad, jvp, value_and_grad
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const, Var
from s2sad.rules.infer import result_kind

interpolate = pytest.importorskip("scipy.interpolate")

T = np.linspace(0.0, 3.0, 12)
Y = np.sin(T) + 0.1 * np.cos(7.0 * T)
XS, YS = np.linspace(0.0, 1.0, 6), np.linspace(0.0, 2.0, 7)
Z = np.sin(3.0 * XS)[:, None] * np.cos(2.0 * YS) + XS[:, None] * YS**2
FITTED = interpolate.bisplrep(*np.meshgrid(XS, YS, indexing="ij"), Z, s=0.05)
KNOTTED = interpolate.splrep(T, Y)

CURVES = {
    "smooth": interpolate.UnivariateSpline(T, Y, s=0.1),
    "held beyond": interpolate.UnivariateSpline(T, Y, s=0.01, ext=3),
    "zero beyond": interpolate.UnivariateSpline(T, Y, s=0.01, ext="zeros"),
    "through the points": interpolate.InterpolatedUnivariateSpline(T, Y),
    "lines": interpolate.InterpolatedUnivariateSpline(T, Y, k=1),
    "by knots": interpolate.LSQUnivariateSpline(T, Y, [1.0, 2.0]),
    "Krogh": interpolate.KroghInterpolator(T[::3], Y[::3]),
    "barycentric": interpolate.BarycentricInterpolator(T[::2], Y[::2]),
}
SURFACES = {
    "cubic": interpolate.RectBivariateSpline(XS, YS, Z),
    "lines": interpolate.RectBivariateSpline(XS, YS, Z, kx=1, ky=1),
    "of two degrees": interpolate.RectBivariateSpline(XS, YS, Z, kx=3, ky=5),
    "smooth": interpolate.SmoothBivariateSpline(*(a.ravel() for a in np.meshgrid(XS, YS, indexing="ij")), Z.ravel()),
}


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize(
    "x", [1.1, np.array([0.31, -0.4, 3.7]), np.array([[0.4], [1.9]])], ids=["number", "few", "2-D"]
)
def test_curves(name: str, x: Any) -> None:
    curve = CURVES[name]

    def f(x: Any) -> Any:
        return np.sum(np.sin(curve(x))) + np.sum(curve(0.5 * x))

    assert value_and_grad(f)(x)[0] == pytest.approx(f(x), rel=1e-14)
    check_grads(f)(x)
    check_grads(lambda x: np.sum(np.cos(grad(f)(x))))(x)


def test_what_a_curve_has_beside_its_values() -> None:
    smooth, held = CURVES["smooth"], CURVES["held beyond"]
    check_grads(lambda x: smooth(x, 1) * smooth.derivative()(x))(0.7)
    check_grads(lambda x: smooth.antiderivative()(x) * smooth.derivative(2)(x))(0.7)
    check_grads(lambda a, b: smooth.integral(a, b), wrt=(0, 1))(0.3, 2.2)
    check_grads(lambda a: smooth.integral(a, 2.2))(0.3)
    check_grads(lambda b: interpolate.splint(0.3, b, KNOTTED))(1.4)
    assert grad(lambda b: held.integral(0.3, b))(5.0) == 0.0
    assert grad(lambda x: held(x))(5.0) == 0.0
    assert grad(lambda x: held(x, ext=0))(5.0) == pytest.approx(float(held(5.0, 1, ext=0)))


def test_derivatives_of_a_held_curve_go_on_beyond_its_ends() -> None:
    """So the library has it, and what is differentiated is what the library gives."""
    check_grads(lambda x: CURVES["held beyond"](x, 1))(5.0)
    check_grads(lambda x: CURVES["held beyond"](x, 3))(5.0)


PLACES: tuple[tuple[Any, Any], ...] = (
    (0.33, 0.71),
    (0.33, np.array([0.15, 0.92])),
    (np.array([0.23, 0.47, 0.91]), np.array([0.35, 0.81, 1.13])),
    (np.array([-0.3, 0.5, 1.7]), np.array([0.5, 2.6, 3.0])),
    (np.array([[0.23], [0.47]]), np.array([0.35, 0.81, 1.13])),
)


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("places", PLACES, ids=["numbers", "mixed", "vectors", "beyond", "broadcast"])
def test_surfaces_at_points(name: str, places: tuple[Any, Any]) -> None:
    surface = SURFACES[name]

    def f(x: Any, y: Any) -> Any:
        return np.sum(np.sin(surface.ev(x, y))) + np.sum(surface(x, y, grid=False) * np.cos(y))

    assert value_and_grad(f)(*places)[0] == pytest.approx(f(*places), rel=1e-14)
    check_grads(f, wrt=(0, 1))(*places)
    check_grads(lambda x, y: np.sum(np.sin(grad(f)(x, y))) + np.sum(grad(f, wrt=1)(x, y)), wrt=(0, 1))(*places)


@pytest.mark.parametrize("name", SURFACES)
def test_surfaces_on_grids(name: str) -> None:
    surface = SURFACES[name]
    x, y = np.array([-0.1, 0.23, 0.47]), np.array([0.35, 0.81, 1.13, 2.4])
    assert value_and_grad(lambda x: np.sum(surface(x, y)))(x)[0] == pytest.approx(np.sum(surface(x, y)), rel=1e-14)
    check_grads(lambda x, y: np.sum(surface(x, y) ** 2), wrt=(0, 1))(x, y)
    check_grads(lambda x: np.sum(surface(x, 0.4)))(0.3)
    with pytest.raises(ValueError, match="increas"):
        grad(lambda x: np.sum(surface(x, y)))(x[::-1])


def test_a_derivative_of_a_surface() -> None:
    surface = SURFACES["cubic"]
    check_grads(lambda x, y: surface.ev(x, y, dx=1) * surface(x, y, dy=2, grid=False), wrt=(0, 1))(0.33, 0.71)


@pytest.mark.parametrize(
    "places",
    [
        (0.33, 0.71),
        (0.33, np.array([0.15, 0.92])),
        (np.array([0.15, 0.92]), 0.4),
        (np.array([0.23, 0.47, 1.2]), np.array([0.35, 0.81])),
        (np.array([0.3]), np.array([0.4])),
    ],
    ids=["numbers", "a row", "a column", "a grid", "one item each"],
)
def test_fitpack(places: tuple[Any, Any]) -> None:
    def f(x: Any, y: Any) -> Any:
        return interpolate.bisplev(x, y, FITTED)

    value, tangent = jvp(f, places, tuple(np.ones_like(p) if np.ndim(p) else 1.0 for p in places))
    assert np.shape(value) == np.shape(tangent) == np.shape(f(*places))
    np.testing.assert_allclose(value, f(*places), rtol=1e-14)
    check_grads(lambda x, y: np.sum(np.sin(f(x, y))), wrt=(0, 1))(*places)


def test_fitpack_has_derivatives_of_derivatives() -> None:
    check_grads(grad(lambda x: interpolate.bisplev(x, 0.4, FITTED) * x))(0.3)
    check_grads(lambda x: interpolate.bisplev(x, 0.4, FITTED, dx=1))(0.3)


def test_hermite_interpolation_by_data_and_places() -> None:
    check_grads(lambda y, x: np.sum(interpolate.pchip_interpolate(T, y, x)), wrt=(0, 1))(Y, np.array([0.4, 1.7]))


@pytest.mark.parametrize(
    "f",
    [
        lambda y: interpolate.UnivariateSpline(T, y)(0.4),
        lambda z: interpolate.RectBivariateSpline(XS, YS, np.outer(XS, YS) * z[0]).ev(0.3, 0.4),
        lambda c: interpolate.bisplev(0.3, 0.4, (FITTED[0], FITTED[1], c[0] * FITTED[2], 3, 3)),
    ],
    ids=["a curve", "a surface", "coefficients"],
)
def test_fits_of_what_carries_a_derivative_are_refused(f: Callable[..., Any]) -> None:
    with pytest.raises((s2sad.MissingRule, s2sad.NotDifferentiable)):
        grad(f)(Y)


def test_splint_of_arrays_is_refused() -> None:
    with pytest.raises((NotImplementedError, s2sad.MissingRule, s2sad.NotDifferentiable)):
        grad(lambda b: interpolate.splint(0.0, b, KNOTTED) * 1.0)(np.array([0.3]))


def test_fitpack_is_run_on_no_arrays_but_the_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads and writes beyond knots and coefficients that do not fit, as made-up ones would not."""

    def refused(*_: Any) -> None:
        raise AssertionError("run on stand-ins")

    monkeypatch.setattr("s2sad.rules.infer.kind_by_running", refused)
    vector, x = K.Array("float64", 1), Var("x", K.Array("float32", 2))
    tck = Var("tck", K.Tuple((vector, vector, K.INT)))
    ends = Var("a", K.FLOAT), Var("b", K.FLOAT)
    assert result_kind(interpolate.splev, (x, tck)) == K.Array("float64", 2)
    assert result_kind(interpolate.splint, (*ends, tck)) == K.FLOAT
    assert result_kind(interpolate.splint, (*ends, tck, Const(1))) == K.Tuple((K.FLOAT, vector))
    assert result_kind(interpolate.splint, (*ends, Var("tck", K.ANY))) == K.NUMERIC
