"""Distributions of numbers of events, of scipy.stats: by all that is no whole number, where there is a closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from s2sad.rules.distributions import log_within, within
from s2sad.rules.table import elementwise
from s2sad.runtime.helpers import exp_difference, quotient

__all__: list[str] = []

# ---------------------------------------------------------------- probabilities


@elementwise(stats.poisson.logpmf, wrt=("mu",))
def poisson_logpmf(k: Any, mu: Any, loc: Any = 0, *, result: Any) -> Any:
    return log_within(result, quotient(k - loc, mu) - 1.0)


@elementwise(stats.poisson.pmf, wrt=("mu",))
def poisson_pmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return stats.poisson.pmf(k - loc - 1, mu) - stats.poisson.pmf(k - loc, mu)


@elementwise(stats.bernoulli.logpmf, wrt=("p",))
def bernoulli_logpmf(k: Any, p: Any, loc: Any = 0, *, result: Any) -> Any:
    return log_within(result, quotient(k - loc, p) - quotient(1 - k + loc, 1.0 - p))


@elementwise(stats.bernoulli.pmf, wrt=("p",))
def bernoulli_pmf(k: Any, p: Any, loc: Any = 0) -> Any:
    return np.where(k - loc == 1, 1.0, np.where(k - loc == 0, -1.0, 0.0))[()]


@elementwise(stats.binom.logpmf, wrt=("p",))
def binom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0, *, result: Any) -> Any:
    return log_within(result, quotient(k - loc, p) - quotient(n - k + loc, 1.0 - p))


@elementwise(stats.binom.pmf, wrt=("p",))
def binom_pmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return n * (stats.binom.pmf(k - loc - 1, n - 1, p) - stats.binom.pmf(k - loc, n - 1, p))


@elementwise(stats.geom.logpmf, wrt=("p",))
def geom_logpmf(k: Any, p: Any, loc: Any = 0, *, result: Any) -> Any:
    return log_within(result, 1.0 / p - quotient(k - loc - 1, 1.0 - p))


@elementwise(stats.geom.pmf, wrt=("p",))
def geom_pmf(k: Any, p: Any, loc: Any = 0) -> Any:
    before = np.maximum(k - loc - 1, 0)  # trials that failed
    slope = (1.0 - p) ** before - p * before * (1.0 - p) ** np.maximum(before - 1, 0)
    return np.where(k - loc < 1, 0.0, slope)[()]


@elementwise(stats.nbinom.pmf, wrt=("n", "p"))
def nbinom_pmf(k: Any, n: Any, p: Any, loc: Any = 0, *, result: Any) -> Any:
    by_n = special.digamma(k - loc + n) - special.digamma(n) + np.log(p)
    by_p = result * n / p - (k - loc + n - 1.0) * stats.nbinom.pmf(k - loc - 1, n, p)
    return result * within(result, by_n), by_p


@elementwise(stats.betabinom.logpmf, wrt=("a", "b"))
def betabinom_logpmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0, *, result: Any) -> Any:
    by_a, by_b = betabinom_slopes(k - loc, n, a, b)
    return log_within(result, by_a), log_within(result, by_b)


@elementwise(stats.betabinom.pmf, wrt=("a", "b"))
def betabinom_pmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0, *, result: Any) -> Any:
    by_a, by_b = betabinom_slopes(k - loc, n, a, b)
    return result * within(result, by_a), result * within(result, by_b)


def betabinom_slopes(k: Any, n: Any, a: Any, b: Any) -> Any:
    both = special.digamma(a + b) - special.digamma(n + a + b)
    return (
        special.digamma(k + a) - special.digamma(a) + both,
        special.digamma(n - k + b) - special.digamma(b) + both,
    )


@elementwise(stats.nbinom.logpmf, wrt=("n", "p"))
def nbinom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0, *, result: Any) -> Any:
    by_n = special.digamma(k - loc + n) - special.digamma(n) + np.log(p)
    return log_within(result, by_n), log_within(result, n / p - quotient(k - loc, 1.0 - p))


# ---------------------------------------------------------------- distribution functions


@elementwise(stats.poisson.cdf, wrt=("mu",))
def poisson_cdf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return -stats.poisson.pmf(np.floor(k - loc), mu)


@elementwise(stats.poisson.sf, wrt=("mu",))
def poisson_sf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return stats.poisson.pmf(np.floor(k - loc), mu)


@elementwise(stats.poisson.logcdf, wrt=("mu",))
def poisson_logcdf(k: Any, mu: Any, loc: Any = 0, *, result: Any) -> Any:
    return -exp_difference(stats.poisson.logpmf(np.floor(k - loc), mu), result)


@elementwise(stats.poisson.logsf, wrt=("mu",))
def poisson_logsf(k: Any, mu: Any, loc: Any = 0, *, result: Any) -> Any:
    return exp_difference(stats.poisson.logpmf(np.floor(k - loc), mu), result)


@elementwise(stats.binom.cdf, wrt=("p",))
def binom_cdf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return -n * stats.binom.pmf(np.floor(k - loc), n - 1, p)


@elementwise(stats.binom.sf, wrt=("p",))
def binom_sf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return n * stats.binom.pmf(np.floor(k - loc), n - 1, p)


@elementwise(stats.binom.logcdf, wrt=("p",))
def binom_logcdf(k: Any, n: Any, p: Any, loc: Any = 0, *, result: Any) -> Any:
    return -n * exp_difference(stats.binom.logpmf(np.floor(k - loc), n - 1, p), result)


@elementwise(stats.binom.logsf, wrt=("p",))
def binom_logsf(k: Any, n: Any, p: Any, loc: Any = 0, *, result: Any) -> Any:
    return n * exp_difference(stats.binom.logpmf(np.floor(k - loc), n - 1, p), result)


@elementwise(stats.bernoulli.cdf, wrt=("p",))
def bernoulli_cdf(k: Any, p: Any, loc: Any = 0) -> Any:
    return np.where(np.floor(k - loc) == 0, -1.0, 0.0)[()]


@elementwise(stats.geom.cdf, wrt=("p",))
def geom_cdf(k: Any, p: Any, loc: Any = 0) -> Any:
    return failures_slope(np.floor(k - loc), p)


@elementwise(stats.geom.sf, wrt=("p",))
def geom_sf(k: Any, p: Any, loc: Any = 0) -> Any:
    return -failures_slope(np.floor(k - loc), p)


def failures_slope(k: Any, p: Any) -> Any:
    """The slope of 1 - (1 - p)**k, and zero where k is not positive."""
    return np.maximum(k, 0) * (1.0 - p) ** np.maximum(k - 1, 0)


@elementwise(stats.nbinom.cdf, wrt=("p",))
def nbinom_cdf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return (n + np.floor(k - loc)) / p * stats.nbinom.pmf(np.floor(k - loc), n, p)


@elementwise(stats.nbinom.sf, wrt=("p",))
def nbinom_sf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return -(n + np.floor(k - loc)) / p * stats.nbinom.pmf(np.floor(k - loc), n, p)
