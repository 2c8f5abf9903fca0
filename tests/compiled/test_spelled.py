"""Functions that compiled code has spelt out: norms along axes, and those of ``scipy.special``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, hessian, jvp, structure, value_and_grad, vjp

pytest.importorskip("numba")
special = pytest.importorskip("scipy.special")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


POINTS = np.array([[0.5, 1.2], [-0.7, 0.9], [2.1, -1.6]])


def agree(f: Callable[..., Any], x: np.ndarray) -> None:
    """Both tiers agree in both modes and at second order."""
    made = (value_and_grad, lambda f, **k: lambda x: jvp(f, (x,), (np.cos(x),), **k), hessian)
    for make in made:
        found, expected = make(f, backend="numba")(x), make(f)(x)
        for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


def euclidean(a):
    directions = a / np.linalg.norm(a, axis=1, keepdims=True)
    apart = np.linalg.norm(a[:, None] - a[None], axis=-1)
    largest = a[np.linalg.norm(a, 2, axis=1) > 1.0]
    whole = np.linalg.norm(a, axis=(0, 1)) + np.linalg.norm(a[0], axis=0)
    return np.sum(directions * a**2) + np.sum(apart**2) + np.sum(largest) * whole


def of_other_orders(a):
    return np.sum(np.linalg.norm(a, 1, axis=0) * np.linalg.norm(a, np.inf, axis=0))


@pytest.mark.parametrize("f", [euclidean, of_other_orders])
def test_norms_along_axes(f: Callable[..., Any]) -> None:
    agree(f, POINTS)


def test_norms_of_points_that_are_equal() -> None:
    def f(a):
        return np.sum(np.linalg.norm(a - a[0], axis=1))

    agree(f, POINTS)


def test_norms_of_masked_rows() -> None:
    def f(a):
        return np.sum(np.linalg.norm(a[a[:, 0] > 0.0], axis=1) ** 3)

    expected = value_and_grad(f)(POINTS)
    found = value_and_grad(f, backend="numba")(POINTS)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-13)
    assert found[0] == pytest.approx(expected[0], rel=1e-13)


def test_norms_of_an_order_known_at_run_time_are_refused() -> None:
    with pytest.raises(CompileError):
        value_and_grad(lambda a, k: np.sum(np.linalg.norm(a, k, axis=1)), backend="numba")(POINTS, 1)


def of_numbers(x):
    s = 0.0
    for i in range(len(x)):
        t = x[i] * x[i]
        s += special.expit(x[i]) * special.erfc(x[i]) + special.xlogy(t, 2.0) + special.gamma(t + 2.0)
        s += special.erf(x[i]) * special.digamma(t + 1.0) + special.polygamma(2, t + 1.0) + special.gammaln(t + 1.0)
    return s


def of_arrays(a):
    likely = special.softmax(a, axis=1) * special.log_softmax(a, axis=0) + special.log_expit(a)
    return np.sum(likely) + np.sum(special.xlogy(a**2, a**2) * special.xlog1py(a[0], a**2))


def of_logarithms(a):
    below = np.where(a > 0.8, -np.inf, a)
    rows = special.logsumexp(np.where(a > 0.8, a, -np.inf)[1:], axis=1)
    weighed = special.logsumexp(a[:1], 1, np.where(a > 0.3, a, 0.0) ** 2) + special.logsumexp(below, b=a * a)
    shares = special.logsumexp(a, axis=0, keepdims=True) * a
    return special.logsumexp(below) + np.sum(shares) + rows[1] ** 2 + np.sum(weighed)


def of_counts(a):
    counts, k = np.arange(a.shape[1]), len(a)
    likely = np.sum(counts * a - np.exp(a) - special.gammaln(counts + 1)) + special.gammaln(k + 1) * a[0, 0]
    return likely + special.gammaln(k) * np.sum(special.digamma(counts + 1) * a)


def of_quantiles(a):
    p = special.ndtr(a)
    total = special.ndtri(p[0, 0]) * special.ndtr(a[1, 1])
    for k in range(3):
        total += special.ndtri(0.2 * k + 0.05) * a[k, 0] ** 2
    return np.sum(special.ndtri(0.1 + 0.8 * p) * a) + total


@pytest.mark.parametrize("f", [of_numbers, of_arrays, of_logarithms, of_counts, of_quantiles])
def test_special_functions(f: Callable[..., Any]) -> None:
    agree(f, POINTS[:, 0] if f is of_numbers else POINTS)


def values(x):
    p = special.expit(x)
    return (
        (p, special.log_expit(x), special.logit(p), special.erf(x), special.erfc(x), special.gamma(p + 0.1)),
        (special.gammaln(x), special.psi(p + 1.0), special.digamma(x * x + 0.01), special.polygamma(3, x * x + 0.1)),
        (special.xlogy(p, x * x), special.xlogy(x, x * x), special.xlog1py(x, x * x), special.logsumexp(x)),
    )


def test_values_of_special_functions() -> None:
    for x in (np.linspace(-6.0, 6.0, 41), np.array([0.0, 1e-300, -745.0, 36.0, 700.0, 1e-9]), np.array([np.nan, 1.0])):
        found = vjp(values, x, backend="numba")[0]
        for a, b in zip(structure.leaves(found), structure.leaves(values(x)), strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-13, atol=1e-15)


def test_values_of_normal_quantiles() -> None:
    small = 10.0 ** -np.linspace(0.1, 323.0, 400)
    p = np.concatenate(
        (small, 1.0 - small[:20], [0.0, 0.5, 1.0, -0.1, 1.1, np.nan], 0.5 + small[:20], 0.5 - small[:20])
    )
    found = vjp(lambda p: (special.ndtri(p), special.ndtr(80.0 * p - 40.0)), p, backend="numba")[0]
    np.testing.assert_allclose(found[0], special.ndtri(p), rtol=1e-14)
    np.testing.assert_allclose(found[1], special.ndtr(80.0 * p - 40.0), rtol=1e-12, atol=1e-300)


def test_nothing_below_is_no_number() -> None:
    x = np.full(3, -np.inf)
    assert vjp(lambda x: special.logsumexp(x), x, backend="numba")[0] == special.logsumexp(x) == -np.inf
    x[1] = np.inf
    assert vjp(lambda x: special.logsumexp(x), x, backend="numba")[0] == special.logsumexp(x) == np.inf


def logistic_loss(w):
    return np.sum(np.logaddexp(0.0, w @ POINTS.T) - 0.3 * w @ POINTS.T) + np.sum(np.logaddexp(w, w[:, ::-1]))


def test_sums_of_exponentials_of_two() -> None:
    agree(logistic_loss, POINTS)


EDGES = np.array([0.0, -0.0, 1.0, -1.0, 800.0, -800.0, 1e-300, np.inf, -np.inf, np.nan])


@pytest.mark.parametrize("other", EDGES)
def test_sums_of_exponentials_at_the_edges(other: float) -> None:
    def f(x):
        return np.logaddexp(x, other)

    with np.errstate(invalid="ignore"):
        for f_of in (f, lambda x: np.logaddexp(other, x)):
            found, expected = (jvp(f_of, (EDGES,), (np.ones_like(EDGES),), backend=b) for b in ("numba", "python"))
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-14, atol=0.0)


def test_sums_of_exponentials_in_single_precision() -> None:
    x = POINTS.astype(np.float32)
    found, expected = (jvp(logistic_loss, (x,), (x,), backend=b) for b in ("numba", "python"))
    np.testing.assert_allclose(found, expected, rtol=2e-6)


def losses_one_by_one(x, y):
    total = 0.0
    for a in x:
        total += np.logaddexp(0.0, a) - y * np.logaddexp(a, y)
    return total


def test_sums_of_exponentials_of_numbers() -> None:
    for y in (0.3, *EDGES):
        for x in (np.linspace(-3.0, 3.0, 70), *EDGES[:, None]):
            with np.errstate(invalid="ignore"):
                found, expected = (
                    value_and_grad(losses_one_by_one, wrt=(0, 1), backend=b) for b in ("numba", "python")
                )
                for a, b in zip(structure.leaves(found(x, y)), structure.leaves(expected(x, y)), strict=True):
                    np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)
