"""The rules of scipy.stats, through the public interface."""

from __future__ import annotations

import functools
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
    (lambda x, m, s: stats.t.logcdf(x, 3.0, m, s), (x, m, s)),
    (lambda x, m, s: stats.t.logsf(x, df=2.5, loc=m, scale=s), (x, m, 1.5)),
    (lambda x, s: stats.t.isf(x, 3.0, scale=s), (x, s)),
    (lambda x, m, s: stats.beta.cdf(x, 2.0, b=3.0, loc=m, scale=s), (x, -0.2, 1.7)),
    (lambda x, m, s: stats.beta.sf(x, 2.0, 3.0, m, s), (x, -0.2, 1.7)),
    (lambda x: stats.beta.logcdf(x, 2.0, 3.0) - stats.beta.logsf(x, 1.5, 0.7), (x,)),
    (lambda x, m: stats.beta.ppf(x, 2.0, 3.0, m) + stats.beta.isf(x, 2.0, 3.0, m), (x, m)),
    (lambda x, a, b, s: stats.f.logpdf(x, a, b, scale=s), (x, 3.4, 5.2, s)),
    (lambda x, a, b: stats.f.pdf(x, dfn=a, dfd=b), (x, s + 2.0, 5.2)),
    (lambda x, s: stats.f.cdf(x, 3.0, 4.0, scale=s) * stats.f.sf(x, 5.0, dfd=4.0, scale=s), (x, s)),
    (lambda x: stats.f.ppf(x, 3.0, 4.0) + stats.f.isf(x, 3.0, 4.0), (x,)),
    (lambda x, s: stats.gamma.logcdf(x, a=2.0, scale=s) + stats.gamma.logsf(x, 2.0, scale=s), (x, s)),
    (lambda x, s: stats.invgamma.isf(x, 2.0, scale=s) + stats.chi2.logsf(x, 2.0, scale=s), (x, s)),
    (lambda x, c, s: stats.weibull_min.cdf(x, c, scale=s) * stats.weibull_min.logsf(x, c, scale=s), (x, 1.4, s)),
    (lambda x, c, m: stats.weibull_min.sf(x, c=c, loc=m) * stats.weibull_min.logcdf(x, c, m), (x, s, m)),
    (lambda q, c, m: stats.weibull_min.ppf(q, c, m) * stats.weibull_min.isf(q, c, m), (x, s, m)),
    (lambda x, b, m: stats.pareto.cdf(x, b, m) * stats.pareto.logsf(x, b, m), (x + 1.0, 1.4, m)),
    (lambda q, b, s: stats.pareto.ppf(q, b, scale=s) * stats.pareto.isf(q, b), (x, 2.4, s)),
    (lambda x, n, s: stats.lognorm.cdf(x, n, scale=s) * stats.lognorm.logcdf(x, n, scale=s), (x, 0.6, s)),
    (lambda x, n, m: stats.lognorm.sf(x, s=n, loc=m) * stats.lognorm.logsf(x, n, m), (x, s, m)),
    (lambda q, n, s: stats.lognorm.ppf(q, n, scale=s) * stats.lognorm.isf(q, n, scale=s), (x, 0.6, s)),
    (lambda r: stats.poisson.cdf(counts, r) + stats.poisson.sf(2.5, r, loc=1), (s,)),
    (lambda r: stats.poisson.logcdf(counts, r) + stats.poisson.logsf(2, mu=r, loc=-1), (s,)),
    (lambda p: stats.binom.cdf(counts, 6, p) + stats.binom.sf(counts - 1, 5, p, loc=-1), (x,)),
    (lambda p: stats.binom.logcdf(counts, 6, p) + stats.binom.logsf(2, n=6, p=p), (x,)),
    (lambda p: stats.bernoulli.pmf(np.array([0, 1, 2]), p) * stats.bernoulli.cdf(0, p), (x,)),
    (lambda p: stats.geom.pmf(counts, p) + stats.geom.cdf(counts, p) * stats.geom.sf(3, p), (x,)),
    (lambda n, p: stats.nbinom.pmf(counts, n, p), (s, x)),
    (lambda p: stats.nbinom.cdf(counts, 2.5, p) + stats.nbinom.sf(2, 3, p=p, loc=1), (x,)),
    (lambda a, b: stats.betabinom.logpmf(counts, 6, a, b), (s, x)),
    (lambda a, b: stats.betabinom.pmf(counts, 6, a=a, b=b, loc=-1), (s, 0.7)),
    (lambda y, a: stats.dirichlet.logpdf(y / np.sum(y), a), (x, s)),
    (lambda y, a: stats.dirichlet.pdf(y / np.sum(y), a), (x, s)),
    (lambda y, a: stats.dirichlet.pdf(y, a), (0.4 * x[:2], s)),
    (lambda y, a: stats.dirichlet.logpdf(y / np.sum(y, axis=0), alpha=a), (arr(3, 4), s)),
    (lambda y, a: stats.dirichlet.pdf(y, a), (0.1 * arr(2, 4), s)),
    (lambda q: stats.multinomial.logpmf(counts, 7, q / np.sum(q)), (x,)),
    (lambda q: stats.multinomial.logpmf(np.array([[1, 2, 4], [0, 7, 0]]), n=7, p=q / np.sum(q)), (x,)),
    (lambda q: stats.multinomial.pmf([1, 2, 4], 7, np.append(q, 1.0 - np.sum(q))), (x[:2] * 0.5,)),
    (lambda v, c: stats.multivariate_normal.logpdf(v, cov=c), (arr(3), spd(3))),
    (lambda v, m, c: stats.multivariate_normal.logpdf(v, m, c), (arr(3), arr(3, seed=1), spd(3))),
    (lambda v, m, c: stats.multivariate_normal.logpdf(v, m, c), (arr(4, 3), arr(3, seed=1), spd(3))),
    (lambda v, m, c: stats.multivariate_normal.logpdf(v, mean=m, cov=c), (arr(1, 3), arr(3, seed=1), spd(3))),
    (lambda v, m, c: stats.multivariate_normal.pdf(v, m, c), (arr(3), arr(3, seed=1), spd(3))),
    (lambda v, c: stats.multivariate_normal.pdf(v, cov=c, allow_singular=False), (arr(3), spd(3))),
    (lambda v, m, c: stats.multivariate_normal.logpdf(v, m, c, True), (arr(4, 3), arr(3, seed=1), spd(3))),
    (lambda v, c: stats.multivariate_normal.pdf(v, cov=c, allow_singular=True), (arr(3), spd(3))),
    (lambda m, c: stats.multivariate_normal.entropy(m, c), (arr(3), spd(3))),
    (lambda c: stats.multivariate_normal.entropy(cov=c), (spd(3),)),
]


PLAIN = (
    "gumbel_r gumbel_l rayleigh maxwell halfcauchy halflogistic hypsecant levy gibrat arcsine semicircular moyal wald"
).split()
#: By name, with values of the shape; a ``weibull_max`` is of what is below its place.
SHAPED: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(("powerlaw", "skewnorm", "rice", "lomax", "fisk", "invweibull", "gompertz", "loggamma"), (1.4,)),
    **dict.fromkeys(("foldnorm", "powernorm", "chi", "invgauss", "nakagami", "exponnorm", "gennorm"), (0.8,)),
    **{"vonmises": (1.3,), "weibull_max": (1.7,), "loglaplace": (0.7,), "triang": (0.26,), "truncexpon": (1.5,)},
    **dict.fromkeys(("betaprime", "johnsonsu", "johnsonsb", "gengamma", "burr12", "burr"), (1.3, 0.8)),
    **{"loguniform": (0.1, 2.5), "reciprocal": (0.1, 2.5), "truncnorm": (-0.5, 1.5)},
}


@pytest.mark.parametrize("name", [*PLAIN, *SHAPED])
def test_densities_by_shape_place_and_scale(name: str) -> None:
    d, shape = getattr(stats, name), SHAPED.get(name, ())
    place = 0.1 if name == "weibull_max" else -0.05
    points = -x if name == "weibull_max" else x
    for density in (d.pdf, d.logpdf):
        check(density, points, *shape, place, 1.7)


@pytest.mark.parametrize("name", [*PLAIN, "powerlaw", "skewnorm", "chi", "betaprime", "johnsonsu", "truncnorm"])
def test_distribution_functions_by_place_and_scale(name: str) -> None:
    d, shape = getattr(stats, name), SHAPED.get(name, ())
    for of in (d.cdf, d.sf, d.logcdf, d.logsf, d.ppf, d.isf):
        check(functools.partial(at_shape, of, shape), x, -0.05, 1.7)


def at_shape(of: Any, shape: Any, points: Any, place: Any, width: Any) -> Any:
    return of(points, *shape, place, width)


@pytest.mark.parametrize(("f", "args"), CASES, ids=range(len(CASES)))
def test_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


assert stats.norm.pdf in RULES  # which reads them
DENSITIES = [
    p
    for p in RULES
    if getattr(p, "__name__", "") in ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")
    and isinstance(getattr(p, "__self__", None), stats.rv_continuous)
]


@pytest.mark.parametrize("density", DENSITIES, ids=lambda d: f"{type(d.__self__).__name__}-{d.__name__}")
def test_what_has_no_density_has_no_slope(density: Callable[..., Any]) -> None:
    """Beyond the support the slopes are zero, and no NaN."""
    d = density.__self__  # type: ignore[attr-defined]
    shapes = SHAPED.get(d.name, (2.0,) * d.numargs)
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
    return stats.argus.logpdf(v, 1.0)


@pytest.mark.parametrize("f", [by_shape, by_count, by_scalar_covariance, of_another])
def test_what_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises((s2sad.NotDifferentiable, s2sad.MissingRule)):
        s2sad.grad(f)(1.5)


@pytest.mark.parametrize("cov", [np.ones((2, 2)), np.diag([1.0, 1e-11])])
def test_covariances_that_scipy_takes_to_be_singular_are_refused_when_they_are_met(cov: np.ndarray) -> None:
    def f(v: Any, singular: bool) -> Any:
        return stats.multivariate_normal.logpdf(v, np.zeros(2), cov, allow_singular=singular)

    with pytest.raises(NotImplementedError, match="where the covariance is not singular"):
        s2sad.grad(f)(np.zeros(2), True)


def test_shares_by_themselves_and_bound_methods() -> None:
    y, a = np.array([0.2, 0.3, 0.5]), np.array([0.7, 1.5, 2.5])
    by_share = stats.dirichlet.pdf(y, a) * (a - 1.0) / y
    np.testing.assert_allclose(s2sad.grad(stats.dirichlet.pdf)(y, a), by_share, rtol=1e-12)
    of_last = s2sad.grad(stats.dirichlet.logpdf)(y[:2], a)
    np.testing.assert_allclose(of_last, ((a - 1.0) / y)[:2] - ((a - 1.0) / y)[2], rtol=1e-12)
    s2sad.check_grads(stats.dirichlet.logpdf, wrt=1)(y, a)
    s2sad.check_grads(functools.partial(stats.dirichlet.pdf, y))(a)


def test_chances_of_which_the_last_is_what_the_others_leave() -> None:
    chances = np.array([0.2, 0.3, 0.5])
    if np.isfinite(stats.multinomial.logpmf(counts, 7, chances + [1e-6, 0.0, 0.0])):  # since SciPy 1.18 it is NaN
        s2sad.check_grads(stats.multinomial.logpmf, wrt="p")(counts, 7, chances)
    s2sad.check_grads(lambda p: stats.multinomial.logpmf(counts, 7, np.append(p, 1.0 - np.sum(p))))(chances[:2])
    assert s2sad.grad(stats.multinomial.logpmf, wrt=2)(counts, 7, chances)[2] == 0.0
    assert not np.any(s2sad.grad(stats.multinomial.pmf, wrt=2)(counts, 8, chances))


def below(p: Any) -> Any:
    return stats.binom.cdf(counts, 5, p)


def tried(p: Any) -> Any:
    return stats.geom.pmf(counts, p) + stats.geom.sf(counts, p)


@pytest.mark.parametrize(("f", "chance"), [(below, 0.0), (below, 1.0), (tried, 1.0)])
def test_chances_at_their_bounds(f: Callable[..., Any], chance: float) -> None:
    """The probabilities are polynomials in the chance, which have slopes there as well."""
    h = 1e-7 * (1.0 if chance == 0.0 else -1.0)
    want = (f(chance + h) - f(chance)) / h
    np.testing.assert_allclose(s2sad.jvp(f, (chance,), (1.0,))[1], want, atol=1e-5)


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
    return stats.argus.pdf(x, 1.0)


FROZEN = stats.norm(0.0, 1.0)


def of_several_frozen(x: Any) -> Any:
    return stats.multivariate_normal(np.zeros(2)).pdf(np.array([x, x]))


def likelihood_held(mu: float, sd: float, xs: np.ndarray) -> Any:
    d = stats.norm(mu, sd)
    return np.sum(d.logpdf(xs)) + d.cdf(0.3) - d.sf(0.1)


def frozen_in_a_loop(mu: float, sd: float, xs: np.ndarray) -> Any:
    total = 0.0
    for k, x in enumerate(xs):
        d = stats.t(5, loc=mu * k, scale=sd)
        total += d.logpdf(x) * d.std()
    return total


def frozen_by_name(x: float, rate: float) -> Any:
    priors = {"a": stats.gamma(2.0, scale=1.5), "b": stats.beta(2.0, 3.0)}
    return sum(priors[k].logpdf(x) for k in priors) + stats.poisson(rate).logpmf(3)


def frozen_only_asked(x: float) -> Any:
    d = stats.norm(0.0, 2.0)
    low, high = d.interval(0.9)
    return x * high - x * x * low + np.sum(x * d.rvs(size=3, random_state=0))


def test_parameters_that_are_held() -> None:
    xs = np.array([0.2, 0.4, -0.3])
    s2sad.check_grads(likelihood_held)(0.3, 1.2, xs)
    s2sad.check_grads(frozen_by_name)(0.4, 1.7)
    s2sad.check_grads(frozen_only_asked)(0.4)
    with pytest.raises(s2sad.MissingRule, match=r"\.std"):
        s2sad.grad(frozen_in_a_loop)(0.3, 1.2, xs)
    assert s2sad.grad(frozen_in_a_loop, wrt=2)(0.3, 1.2, xs)[0] == pytest.approx(
        -(5 + 1) * 0.2 / (5 * 1.2**2 + 0.2**2) * stats.t(5, 0.0, 1.2).std()
    )


class Prior:
    """What an object holds is a distribution, with its parameters or without."""

    def __init__(self, held: Any, family: Any) -> None:
        self.held, self.family = held, family

    def log_density(self, x: Any) -> Any:
        return self.held.logpdf(x) + self.family.logcdf(x, 0.2)


PRIOR = Prior(stats.t(5, loc=0.3), stats.norm)
PRIORS = {"a": stats.gamma(2.0, scale=1.5), "b": stats.beta(2.0, 3.0)}


def of_an_object_outside(x: float) -> Any:
    return PRIOR.log_density(x) * x


def of_one_in_a_dict(x: float) -> Any:
    return sum(p.logpdf(x) for p in PRIORS.values())


def of_one_passed(x: float, held: Any, family: Any) -> Any:
    return held.logsf(x) * family.pdf(x)


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_parameters_that_were_held_before(backend: str) -> None:
    for f in (of_an_object_outside, of_one_in_a_dict, PRIOR.log_density):
        s2sad.check_grads(f, backend=backend)(0.4)
    gradient = s2sad.grad(of_one_passed, backend=backend)
    for held in (stats.norm(0.3, 2.0), stats.norm(scale=1.5), stats.norm(1, scale=3), stats.expon(0.1), PRIOR.held):
        for family in (stats.norm, stats.logistic):
            slope = (of_one_passed(0.4 + 1e-6, held, family) - of_one_passed(0.4 - 1e-6, held, family)) / 2e-6
            assert gradient(0.4, held, family) == pytest.approx(slope, rel=1e-7)


HELD = stats.norm(0.5, 2.0)


def of_what_is_held(x: float) -> Any:
    return HELD.logpdf(x)


def test_what_is_held_may_be_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = s2sad.grad(of_what_is_held)
    assert gradient(0.3) == pytest.approx(0.2 / 4.0)
    monkeypatch.setattr(HELD, "args", (0.7, 1.0))
    assert gradient(0.3) == pytest.approx(0.4)
    monkeypatch.setitem(globals(), "HELD", stats.norm(loc=0.9))
    assert gradient(0.3) == pytest.approx(0.6)
    monkeypatch.setitem(globals(), "HELD", stats.laplace(0.9))
    assert gradient(0.3) == pytest.approx(1.0)
    changed = stats.norm(0.9)
    changed.dist = type(stats.norm)(a=0.0, name="norm")  # not as the module's is
    monkeypatch.setitem(globals(), "HELD", changed)
    with pytest.raises(s2sad.MissingRule):
        gradient(0.3)


def test_what_has_no_rule_is_named() -> None:
    for method in (of_no_rule, stats.argus.pdf):
        with pytest.raises(s2sad.MissingRule, match=r"scipy\.stats\.argus\.pdf has no derivative rule"):
            s2sad.grad(method)(0.3, *(1.0,) * (method is not of_no_rule))
    for method in (of_several_frozen, FROZEN.pdf):
        with pytest.raises((s2sad.MissingRule, s2sad.NotDifferentiable, s2sad.UnsupportedSyntax)):
            s2sad.grad(method)(0.3)
