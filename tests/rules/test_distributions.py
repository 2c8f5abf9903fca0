"""The rules of scipy.stats, through the public interface."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.samples import arr, spd
from rules.through import check

import s2sad
from s2sad.rules.table import RULES

stats = pytest.importorskip("scipy.stats")

x, m, s = np.array([0.3, 0.8, 0.45]), np.array([0.1, -0.2, 0.25]), np.array([1.7, 1.2, 1.5])
A = np.array([[0.3, 0.9], [0.8, 0.4]])
counts = np.array([0, 2, 5])

CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda x: stats.norm.logpdf(x), (x,)),
    (lambda x: stats.norm.logpdf(x), (0.7,)),
    (lambda x, m, s: stats.norm.logpdf(x, m, s), (x, m, s)),
    (lambda x, s: stats.norm.logpdf(x, scale=s), (x, 1.3)),
    (lambda x, m, s: stats.norm.logpdf(x, loc=m, scale=s), (0.4, m, s)),
    (lambda m, s: stats.norm.logpdf([0.3, 0.4], m, s), (0.2, 1.3)),
    (lambda x, m: stats.norm.logpdf(list(x), m), (x, 0.2)),
    (lambda r: stats.poisson.logpmf([0, 2, 5], r), (1.3,)),
    (lambda x, m, s: stats.norm.pdf(x, m, s), (A, 0.2, 1.4)),
    (lambda x, s: stats.norm.cdf(x, scale=s), (x, s)),
    (lambda x, m, s: stats.norm.cdf(x, m, s), (x, 0.1, 1.2)),
    (lambda x, m, s: stats.norm.sf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.norm.logcdf(x, m, s), (x, m, s)),
    (lambda x, s: stats.norm.logsf(x, scale=s), (x, s)),
    (lambda x, m, s: stats.norm.ppf(x, m, s), (x, m, s)),
    (lambda x, m: stats.norm.isf(x, m), (x, m)),
    (lambda x, m, s: stats.cauchy.logpdf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.cauchy.pdf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.laplace.logpdf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.laplace.pdf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.logistic.logpdf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.logistic.pdf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.logistic.cdf(x, m, s), (x, m, s)),
    (lambda x, s: stats.expon.logpdf(x, scale=s), (x, s)),
    (lambda x, m, s: stats.expon.pdf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.expon.cdf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.expon.ppf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.uniform.logpdf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.uniform.pdf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.halfnorm.logpdf(x, m, s), (x, m, s)),
    (lambda x, m, s: stats.halfnorm.pdf(x, m, s), (x, m, s)),
    (lambda x, n, m, s: stats.t.logpdf(x, n, m, s), (x, 3.5, m, s)),
    (lambda x, n, m, s: stats.t.pdf(x, n, m, s), (x, s, m, s)),
    (lambda x, s: stats.t.cdf(x, 3.0, 0.1, s), (x, s)),
    (lambda x, s: stats.t.ppf(x, 3.0, scale=s), (x, s)),
    (lambda x, a: stats.gamma.logpdf(x, a), (x, 2.5)),
    (lambda x, a, s: stats.gamma.logpdf(x, a=a, scale=s), (x, s, s)),
    (lambda x, a, m, s: stats.gamma.pdf(x, a, m, s), (x, s, m, s)),
    (lambda x, s: stats.gamma.cdf(x, 2.0, scale=s), (x, s)),
    (lambda x, s: stats.gamma.sf(x, 2.0, scale=s), (x, s)),
    (lambda x, a, b: stats.beta.logpdf(x, a, b), (x, s, 2.5)),
    (lambda x, a, b: stats.beta.pdf(x, a, b, -0.4, 1.8), (x, s, 2.5)),
    (lambda x, n, s: stats.lognorm.logpdf(x, n, scale=s), (x, 0.6, s)),
    (lambda x, n, m, s: stats.lognorm.pdf(x, n, m, s), (x, s, m, s)),
    (lambda x, n, s: stats.chi2.logpdf(x, n, scale=s), (x, 3.4, s)),
    (lambda x, n: stats.chi2.pdf(x, n), (x, s)),
    (lambda x, a, s: stats.invgamma.logpdf(x, a, scale=s), (x, 3.4, s)),
    (lambda x, a: stats.invgamma.pdf(x, a), (x, s)),
    (lambda x, c, s: stats.weibull_min.logpdf(x, c, scale=s), (x, 1.4, s)),
    (lambda x, c, m: stats.weibull_min.pdf(x, c, m), (x, s, m)),
    (lambda x, b, m: stats.pareto.logpdf(x, b, m), (x + 1.0, 1.4, m)),
    (lambda x, b, s: stats.pareto.pdf(x, b, scale=s), (x + 2.0, s, s)),
    (lambda r: stats.poisson.logpmf(counts, r), (s,)),
    (lambda r: stats.poisson.pmf(counts, r, loc=-1), (1.3,)),
    (lambda p: stats.bernoulli.logpmf(np.array([0, 1, 1]), p), (x,)),
    (lambda p: stats.binom.logpmf(counts, 6, p), (x,)),
    (lambda p: stats.binom.pmf(2, 6, p), (A,)),
    (lambda p: stats.geom.logpmf(counts + 1, p), (x,)),
    (lambda n, p: stats.nbinom.logpmf(counts, n, p), (s, x)),
    (lambda v, c: stats.multivariate_normal.logpdf(v, cov=c), (arr(3), spd(3))),
    (lambda v, m, c: stats.multivariate_normal.logpdf(v, m, c), (arr(3), arr(3, seed=1), spd(3))),
    (lambda v, m, c: stats.multivariate_normal.logpdf(v, m, c), (arr(4, 3), arr(3, seed=1), spd(3))),
    (lambda v, m, c: stats.multivariate_normal.logpdf(v, mean=m, cov=c), (arr(1, 3), arr(3, seed=1), spd(3))),
    (lambda v, m, c: stats.multivariate_normal.pdf(v, m, c), (arr(3), arr(3, seed=1), spd(3))),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=range(len(CASES)))
def test_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


assert stats.norm.pdf in RULES  # which reads them
DENSITIES = [
    p
    for p in RULES
    if getattr(p, "__name__", "") in ("pdf", "logpdf", "cdf") and p.__self__ is not stats.multivariate_normal
]


@pytest.mark.parametrize("density", DENSITIES, ids=lambda d: f"{type(d.__self__).__name__}-{d.__name__}")
def test_what_has_no_density_has_no_slope(density: Callable[..., Any]) -> None:
    """Beyond the support the slopes are zero, and no NaN."""
    shapes = (2.0,) * density.__self__.numargs  # type: ignore[attr-defined]
    points = np.array([-3.0, 0.4, 7.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, got = s2sad.jvp(lambda v: density(v, *shapes), (points,), (np.ones(3),))
        h = 1e-6
        up, down = density(points + h, *shapes), density(points - h, *shapes)
        want = np.where(np.isfinite(up), (up - down) / (2 * h), 0.0)
    np.testing.assert_allclose(got, want, atol=1e-7)


def likelihood(mu: Any, sigma: Any, data: Any) -> Any:
    return np.sum(stats.norm.logpdf(data, loc=mu, scale=sigma))


def test_likelihood() -> None:
    s2sad.check_grads(likelihood, wrt=(0, 1))(0.3, 1.2, x)
    text = s2sad.value_and_grad(likelihood, wrt=(0, 1)).source_for(0.3, 1.2, x)
    assert "stats.norm.logpdf(data, loc=mu, scale=sigma)" in text
    assert "s2sad" not in text.split('"""')[2]


def by_shape(a: Any) -> Any:
    return stats.gamma.cdf(0.7, a)


def by_count(k: Any) -> Any:
    return stats.poisson.logpmf(k, 2.0)


def by_scalar_covariance(c: Any) -> Any:
    return stats.multivariate_normal.logpdf(x, np.zeros(3), c)


def of_another(v: Any) -> Any:
    return stats.skewnorm.logpdf(v, 1.0)


@pytest.mark.parametrize("f", [by_shape, by_count, by_scalar_covariance, of_another])
def test_what_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises((s2sad.NotDifferentiable, s2sad.MissingRule)):
        s2sad.grad(f)(1.5)


def test_methods_themselves() -> None:
    x, place, width = 0.3, 0.1, 2.0
    z = (x - place) / width
    slopes = (-z / width, z / width, (z * z - 1.0) / width)
    assert s2sad.grad(stats.norm.logpdf)(x, place, width) == pytest.approx(slopes[0])
    assert s2sad.grad(stats.norm.logpdf, wrt=(0, 1, 2))(x, place, width) == pytest.approx(slopes)
    assert s2sad.grad(stats.norm.logpdf, wrt="scale")(x, loc=place, scale=width) == pytest.approx(slopes[2])
    _, pullback = s2sad.vjp(stats.norm.logpdf, x, place, width)
    assert tuple(map(float, pullback(1.0))) == pytest.approx(slopes)
    assert s2sad.jvp(stats.norm.logpdf, (x, place, width), (1.0, 1.0, 1.0))[1] == pytest.approx(sum(slopes))


def of_no_rule(x: Any) -> Any:
    return stats.skewnorm.pdf(x, 1.0)


def of_frozen(x: Any) -> Any:
    return stats.norm(0.0, 1.0).pdf(x)


def test_what_has_no_rule_is_named() -> None:
    for method in (of_no_rule, stats.skewnorm.pdf):
        with pytest.raises(s2sad.MissingRule, match=r"scipy\.stats\.skewnorm\.pdf has no derivative rule"):
            s2sad.grad(method)(0.3, *(1.0,) * (method is not of_no_rule))
    for method in (of_frozen, stats.norm(0.0, 1.0).pdf):
        with pytest.raises((s2sad.MissingRule, s2sad.NotDifferentiable, s2sad.UnsupportedSyntax)):
            s2sad.grad(method)(0.3)
