"""The table of docs/conventions.md, rule by rule: forward equals reverse at each point."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest
from rules.harness import Applied, leaves

import s2sad
from s2sad.rules.table import RULES

INF, NAN = math.inf, math.nan
ZERO = np.float64(0.0)

POINTS: list[tuple[Any, tuple[Any, ...], dict[str, Any], list[Any]]] = [
    (abs, (0.0,), {}, [0.0]),
    (np.abs, (np.zeros(2),), {}, [[0.0, 0.0]]),
    (math.fabs, (0.0,), {}, [0.0]),
    (np.copysign, (0.0, 1.0), {}, [0.0, 0.0]),
    (np.heaviside, (0.0, 0.5), {}, [0.0, 1.0]),
    (np.maximum, (1.0, 1.0), {}, [0.5, 0.5]),
    (np.maximum, (np.array([-1.0, 0.0, 2.0]), 0.0), {}, [[0.0, 0.5, 1.0], 1.5]),
    (np.minimum, (1.0, 1.0), {}, [0.5, 0.5]),
    (np.fmax, (np.array([1.0]), np.array([1.0])), {}, [[0.5], [0.5]]),
    (np.max, (np.array([1.0, 3.0, 3.0]),), {}, [[0.0, 0.5, 0.5]]),
    (np.min, (np.array([2.0, 2.0, 2.0, 5.0]),), {}, [[1 / 3, 1 / 3, 1 / 3, 0.0]]),
    (np.linalg.norm, (np.zeros(3),), {}, [[0.0, 0.0, 0.0]]),
    (np.linalg.norm, (np.array([-2.0, 2.0]), INF), {}, [[-0.5, 0.5]]),
    (np.hypot, (0.0, 0.0), {}, [0.0, 0.0]),
    (math.hypot, (0.0, 0.0), {}, [0.0, 0.0]),
    (np.std, (np.ones(3),), {}, [[0.0, 0.0, 0.0]]),
    (np.var, (np.ones(3),), {}, [[0.0, 0.0, 0.0]]),
    (np.sqrt, (ZERO,), {}, [INF]),
    (np.cbrt, (ZERO,), {}, [INF]),
    (np.log, (ZERO,), {}, [INF]),
    (np.arcsin, (np.float64(1.0),), {}, [INF]),
    (np.arccos, (np.float64(1.0),), {}, [-INF]),
    (np.arctan2, (ZERO, ZERO), {}, [NAN, NAN]),
    (operator.pow, (0.0, 0), {}, [0.0]),
    (np.power, (np.array([0.0, 0.0]), np.array([0.0, 2.0])), {}, [[0.0, 0.0], [0.0, 0.0]]),
    (operator.pow, (-2.0, 3), {}, [12.0]),
    (np.power, (np.array([-2.0]), np.array([3.0])), {}, [[12.0], [NAN]]),
    (operator.pow, (0.0, 1), {}, [1.0]),
    (np.prod, (np.array([0.0, 2.0, 3.0]),), {}, [[6.0, 0.0, 0.0]]),
    (np.prod, (np.array([0.0, 0.0, 3.0]),), {}, [[0.0, 0.0, 0.0]]),
    (np.cumprod, (np.array([0.0, 2.0, 3.0]),), {}, [[9.0, 0.0, 0.0]]),
    (np.logaddexp, (-INF, -INF), {}, [0.0, 0.0]),
    (np.logaddexp, (-INF, 0.0), {}, [0.0, 1.0]),
    (np.where, (np.array([True, False]), np.array([1.0, NAN]), np.array([NAN, 2.0])), {}, [[1.0, 0.0], [0.0, 1.0]]),
    (np.sort, (np.array([2.0, 1.0, 1.0]),), {}, [[1.0, 1.0, 1.0]]),
    (np.remainder, (2.0, 1.0), {}, [1.0, -2.0]),
]


@pytest.mark.parametrize(("primitive", "args", "kwargs", "want"), POINTS)
@pytest.mark.filterwarnings("ignore")
def test_both_modes(primitive: Any, args: tuple[Any, ...], kwargs: dict[str, Any], want: list[Any]) -> None:
    applied = Applied(RULES[primitive], args, kwargs)
    ones = np.ones_like(applied.result, dtype=float)[()]
    contributions = applied.contributions(ones)
    got = [leaf for n in applied.wrt for leaf in leaves(contributions[n])]
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w)
    for name in applied.wrt:  # forward: the sum of the result's tangent along each unit direction
        given = leaves(applied.bound.arguments[name])
        for k, x in enumerate(given):
            forward = np.empty(np.shape(x))
            for index in np.ndindex(np.shape(x)):
                unit = np.zeros(np.shape(x))
                unit[index] = 1.0
                directions = [unit[()] if j == k else 0.0 * np.asarray(y) for j, y in enumerate(given)]
                tangent: Any = tuple(directions) if isinstance(applied.bound.arguments[name], tuple) else directions[0]
                forward[index] = np.sum(applied.tangent({name: tangent}))
            reverse = np.asarray(leaves(contributions[name])[k], float)
            if np.isfinite(reverse).all():
                np.testing.assert_allclose(forward, reverse)


def std_of_known(x: Any) -> Any:
    return np.nanstd(x)


def test_a_deviation_of_equal_items() -> None:
    x = np.array([1.0, np.nan, 1.0])
    np.testing.assert_array_equal(s2sad.grad(std_of_known)(x), np.zeros(3))
    assert s2sad.jvp(std_of_known, (x,), (np.ones(3),)) == (0.0, 0.0)


def log_where(x: Any) -> Any:
    return np.sum(np.where(x > 0, np.log(x), 0.0))


def sqrt_where(x: Any) -> Any:
    return np.sum(np.where(x > 0, x**0.5, 0.0) ** 3)


def reciprocal_where(x: Any) -> Any:
    return np.sum(np.where(x == 0, 0.0, 1 / x))


def self_power_where(x: Any) -> Any:
    return np.sum(np.where(x > 0, x**x, 0.0))


def log_indexed(x: Any) -> Any:
    y = np.log(x)
    return np.sum(y[x > 0] ** 2)


def log_max(x: Any) -> Any:
    return np.max(np.log(x))


def scaled_log_where(x: Any) -> Any:
    return np.sum(np.where(x > 0, np.cumsum(np.ones(x.shape)) * np.log(x), 0.0))


LOG2 = math.log(2.0)
MASKED = [
    (log_where, [0.0, 0.5], [0.0, -0.25]),
    (sqrt_where, [0.0, 1.5 * math.sqrt(2.0)], [0.0, 0.75 / math.sqrt(2.0)]),
    (reciprocal_where, [0.0, -0.25], [0.0, 0.25]),
    (self_power_where, [0.0, 4.0 * (LOG2 + 1.0)], [0.0, 4.0 * (LOG2 + 1.0) ** 2 + 2.0]),
    (log_indexed, [0.0, LOG2], [0.0, 0.5 * (1.0 - LOG2)]),
    (log_max, [0.0, 0.5], [0.0, -0.25]),
    (scaled_log_where, [0.0, 1.0], [0.0, -0.5]),
]


@pytest.mark.parametrize(("f", "slopes", "curvatures"), MASKED)
@pytest.mark.filterwarnings("ignore")
def test_what_was_not_chosen_adds_nothing(f: Any, slopes: list[float], curvatures: list[float]) -> None:
    x = np.array([0.0, 2.0])
    np.testing.assert_allclose(s2sad.grad(f)(x), slopes, rtol=1e-12)
    units = np.eye(2)
    np.testing.assert_allclose([s2sad.jvp(f, (x,), (e,))[1] for e in units], slopes, rtol=1e-12)
    np.testing.assert_allclose(s2sad.hessian(f)(x), np.diag(curvatures), rtol=1e-12)
    pull_back = s2sad.vjp(s2sad.grad(f), x)[1]
    np.testing.assert_allclose([pull_back(e)[0] for e in units], np.diag(curvatures), rtol=1e-12)


def entropy(p: Any) -> Any:
    return -np.sum(np.where(p > 0, p * np.log(p), 0.0))


def softplus(x: Any) -> Any:
    return np.sum(np.where(x > 30, x, np.log1p(np.exp(x))))


def log_cosh(x: Any) -> Any:
    return np.sum(np.where(np.abs(x) < 100, np.log(np.cosh(x)), np.abs(x) - LOG2))


def wave(x: Any) -> Any:
    return np.sum(np.where(x == 0, 0.0, x**2 * np.sin(1 / x)))


def product_of_reciprocals(x: Any) -> Any:
    y = 1 / x
    return np.sum(np.where(x > 0, y * y * np.exp(-y), 0.0))


def root_times(x: Any) -> Any:
    return np.sum(np.where(x > 0, np.sqrt(x) * x, 0.0))


def stored_first(x: Any) -> Any:
    y = np.zeros_like(x)
    y[:] = x * np.log(x)
    return np.sum(y[x > 0])


def again_and_again(x: Any) -> Any:
    y = x
    for _ in range(3):
        y = np.where(y > 0, y * np.log(y), 0.0) + x
    return np.sum(y)


SEEN = np.array([1.0, math.nan, 2.0])


def fit_of_what_was_seen(w: Any) -> Any:
    return np.sum(np.where(np.isnan(SEEN), 0.0, (SEEN * w - 1.0) ** 2)) + np.nansum(SEEN * w)


HIDDEN = [
    (entropy, [0.0, LOG2 - 1.0, -math.log(1000.0) - 1.0]),
    (softplus, [0.5, 1.0 / (1.0 + math.exp(-0.5)), 1.0]),
    (log_cosh, [0.0, math.tanh(0.5), 1.0]),
    (wave, [0.0, math.sin(2.0) - math.cos(2.0), 2000.0 * math.sin(0.001) - math.cos(0.001)]),
    (product_of_reciprocals, [0.0, 0.0, math.exp(-0.001) * (1e-12 - 2e-9)]),
    (root_times, [0.0, 1.5 * math.sqrt(0.5), 1.5 * math.sqrt(1000.0)]),
    (stored_first, [0.0, 1.0 - LOG2, math.log(1000.0) + 1.0]),
    (again_and_again, None),
    (fit_of_what_was_seen, [-1.0, 0.0, 2.0 * 1999.0 * 2.0 + 2.0]),
]


@pytest.mark.parametrize(("f", "slopes"), HIDDEN)
@pytest.mark.filterwarnings("ignore")
def test_poles_that_are_hidden(f: Any, slopes: list[float] | None) -> None:
    """Also where what is multiplied by a pole is no pole itself; second derivatives in any order of modes."""
    x, units = np.array([0.0, 0.5, 1000.0]), np.eye(3)
    forward = [s2sad.jvp(f, (x,), (e,))[1] for e in units]
    np.testing.assert_allclose(s2sad.grad(f)(x), forward, rtol=1e-10, atol=1e-14)
    if slopes is not None:
        np.testing.assert_allclose(forward, slopes, rtol=1e-10, atol=1e-14)
    twice = [s2sad.jvp(lambda y, e=e: s2sad.jvp(f, (y,), (e,))[1], (x,), (e,))[1] for e in units]
    pull_back = s2sad.vjp(s2sad.grad(f), x)[1]
    np.testing.assert_allclose(s2sad.hessian(f)(x), np.diag(twice), rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose([pull_back(e)[0] for e in units], np.diag(twice), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("f", [entropy, softplus, stored_first, fit_of_what_was_seen])
@pytest.mark.filterwarnings("ignore")
def test_poles_that_are_hidden_in_compiled_code(f: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    x = np.array([0.0, 0.5, 1000.0])
    np.testing.assert_allclose(s2sad.grad(f, backend="numba")(x), s2sad.grad(f)(x), rtol=1e-12)


PUBLIC = [
    pytest.param(p, a, w, id=f"{getattr(p, '__name__', p)}-{k}")
    for k, (p, a, _, w) in enumerate(POINTS)
    if not (p is np.linalg.norm and len(a) > 1)  # by ord it is not differentiated
]


@pytest.mark.parametrize(("primitive", "args", "want"), PUBLIC)
@pytest.mark.filterwarnings("ignore")
def test_through_the_public_interface(primitive: Any, args: tuple[Any, ...], want: list[Any]) -> None:
    constant = [isinstance(a, int) or (isinstance(a, np.ndarray) and a.dtype.kind != "f") for a in args]
    y, pullback = s2sad.vjp(primitive, *args)
    given = pullback(np.ones_like(y) if isinstance(y, np.ndarray) else type(y)(1.0))
    by = [k for k, c in enumerate(constant) if not c]
    for k, w in zip(by, want, strict=False):
        np.testing.assert_allclose(given[k], w)
        forward = np.empty(np.shape(args[k]))
        for index in np.ndindex(np.shape(args[k])):
            unit = np.zeros(np.shape(args[k]))
            unit[index] = 1.0
            tangents = [np.zeros(np.shape(a)) if isinstance(a, np.ndarray) else type(a)(0.0) for a in args]
            tangents[k] = unit if isinstance(args[k], np.ndarray) else type(args[k])(1.0)
            directions = tuple(None if c else t for c, t in zip(constant, tangents, strict=True))
            forward[index] = np.sum(s2sad.jvp(primitive, args, directions)[1])
        if all(np.isfinite(x).all() for x in want):  # an infinite slope times a tangent of zero is NaN
            np.testing.assert_allclose(forward, w)


def test_a_constant_chosen_before_a_pole() -> None:
    def root(x: Any) -> Any:
        return np.sum(np.sqrt(np.maximum(x, 0.0)))

    def root_apart(x: Any) -> Any:
        return np.sum(np.sqrt(np.where(x > 0, x, 1.0)))

    x, d = np.array([-1.0, 4.0]), np.array([1.0, 0.0])
    np.testing.assert_array_equal(s2sad.grad(root)(x), [0.0, 0.25])
    np.testing.assert_array_equal(s2sad.grad(root_apart)(x), [0.0, 0.25])
    with np.errstate(divide="ignore", invalid="ignore"):
        assert np.isnan(s2sad.jvp(root, (x,), (d,))[1])
    assert s2sad.jvp(root_apart, (x,), (d,))[1] == 0.0


@pytest.mark.parametrize("x", [0.0, 1e-9, -1e-5, 0.02, 0.159, 0.1592, 0.7])
def test_derivatives_of_sinc_near_zero(x: float) -> None:
    """By the mean of cosines: sinc(x) is that of cos(pi x t) for t from 0 to 1."""
    t, w = np.polynomial.legendre.leggauss(20)
    t, w = np.pi * (t + 1.0) / 2.0, w / 2.0
    assert s2sad.grad(np.sinc)(x) == pytest.approx(-w @ (t * np.sin(x * t)), rel=1e-12, abs=1e-14)
    assert s2sad.hvp(np.sinc)(x, 1.0) == pytest.approx(-w @ (t * t * np.cos(x * t)), rel=1e-10)
