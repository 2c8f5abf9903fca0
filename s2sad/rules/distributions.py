"""Distributions of scipy.stats: loaded by the table once the user has imported that module.

The primitives are methods of the distributions, which are objects of their own each. ``lib`` in a
rule is the distribution of the call.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from s2sad.ir import kinds as K
from s2sad.rules.forms import Arg
from s2sad.rules.infer import FORMS
from s2sad.rules.static import is_none, rank
from s2sad.rules.table import adjoint, composite, elementwise, tangent
from s2sad.runtime.helpers import quotient, unbroadcast

__all__: list[str] = []

lib = stats.norm

# ---------------------------------------------------------------- densities
# Of each the slopes of the logarithm, by what is drawn, by the parameters of its shape, by place and scale.


def placed(slope: Any, z: Any, scale: Any) -> Any:
    """Slopes by x, loc and scale, of the slope by z = (x - loc) / scale."""
    return slope / scale, -slope / scale, -(1.0 + z * slope) / scale


def within(density: Any, slope: Any) -> Any:
    """A slope of a logarithm, and zero where the density is."""
    return np.where(density == 0.0, 0.0, slope)[()]


def log_within(log_density: Any, slope: Any) -> Any:
    """A slope of a logarithm, and zero where the density is."""
    return np.where(log_density == -np.inf, 0.0, slope)[()]


def norm_slopes(x: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed(-z, z, scale)
    return by_x, by_loc, by_scale


@elementwise(stats.norm.logpdf)
def norm_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return norm_slopes(x, loc, scale)


@elementwise(stats.norm.pdf)
def norm_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_loc, by_scale = norm_slopes(x, loc, scale)
    return result * by_x, result * by_loc, result * by_scale


def cauchy_slopes(x: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed(-2.0 * z / (1.0 + z * z), z, scale)
    return by_x, by_loc, by_scale


@elementwise(stats.cauchy.logpdf)
def cauchy_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return cauchy_slopes(x, loc, scale)


@elementwise(stats.cauchy.pdf)
def cauchy_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_loc, by_scale = cauchy_slopes(x, loc, scale)
    return result * by_x, result * by_loc, result * by_scale


def laplace_slopes(x: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed(-np.sign(z), z, scale)
    return by_x, by_loc, by_scale


@elementwise(stats.laplace.logpdf)
def laplace_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return laplace_slopes(x, loc, scale)


@elementwise(stats.laplace.pdf)
def laplace_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_loc, by_scale = laplace_slopes(x, loc, scale)
    return result * by_x, result * by_loc, result * by_scale


def logistic_slopes(x: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed(-np.tanh(0.5 * z), z, scale)
    return by_x, by_loc, by_scale


@elementwise(stats.logistic.logpdf)
def logistic_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return logistic_slopes(x, loc, scale)


@elementwise(stats.logistic.pdf)
def logistic_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_loc, by_scale = logistic_slopes(x, loc, scale)
    return result * by_x, result * by_loc, result * by_scale


def expon_slopes(x: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed(-1.0, z, scale)
    return by_x, by_loc, by_scale


@elementwise(stats.expon.logpdf)
def expon_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_loc, by_scale = expon_slopes(x, loc, scale)
    return log_within(result, by_x), log_within(result, by_loc), log_within(result, by_scale)


@elementwise(stats.expon.pdf)
def expon_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_loc, by_scale = expon_slopes(x, loc, scale)
    return result * within(result, by_x), result * within(result, by_loc), result * within(result, by_scale)


def uniform_slopes(x: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed(0.0, z, scale)
    return by_x, by_loc, by_scale


@elementwise(stats.uniform.logpdf)
def uniform_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_loc, by_scale = uniform_slopes(x, loc, scale)
    return log_within(result, by_x), log_within(result, by_loc), log_within(result, by_scale)


@elementwise(stats.uniform.pdf)
def uniform_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_loc, by_scale = uniform_slopes(x, loc, scale)
    return result * within(result, by_x), result * within(result, by_loc), result * within(result, by_scale)


def halfnorm_slopes(x: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed(-z, z, scale)
    return by_x, by_loc, by_scale


@elementwise(stats.halfnorm.logpdf)
def halfnorm_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_loc, by_scale = halfnorm_slopes(x, loc, scale)
    return log_within(result, by_x), log_within(result, by_loc), log_within(result, by_scale)


@elementwise(stats.halfnorm.pdf)
def halfnorm_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_loc, by_scale = halfnorm_slopes(x, loc, scale)
    return result * within(result, by_x), result * within(result, by_loc), result * within(result, by_scale)


def t_slopes(x: Any, df: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed(-(df + 1.0) * z / (df + z * z), z, scale)
    return (
        by_x,
        0.5
        * (
            special.digamma(0.5 * df + 0.5)
            - special.digamma(0.5 * df)
            - np.log1p(z * z / df)
            + (z * z - 1.0) / (df + z * z)
        ),
        by_loc,
        by_scale,
    )


@elementwise(stats.t.logpdf)
def t_logpdf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return t_slopes(x, df, loc, scale)


@elementwise(stats.t.pdf)
def t_pdf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_df, by_loc, by_scale = t_slopes(x, df, loc, scale)
    return result * by_x, result * by_df, result * by_loc, result * by_scale


def gamma_slopes(x: Any, a: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed((a - 1.0) / z - 1.0, z, scale)
    return by_x, np.log(z) - special.digamma(a), by_loc, by_scale


@elementwise(stats.gamma.logpdf)
def gamma_logpdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_a, by_loc, by_scale = gamma_slopes(x, a, loc, scale)
    return log_within(result, by_x), log_within(result, by_a), log_within(result, by_loc), log_within(result, by_scale)


@elementwise(stats.gamma.pdf)
def gamma_pdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_a, by_loc, by_scale = gamma_slopes(x, a, loc, scale)
    return (
        result * within(result, by_x),
        result * within(result, by_a),
        result * within(result, by_loc),
        result * within(result, by_scale),
    )


def beta_slopes(x: Any, a: Any, b: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed((a - 1.0) / z - (b - 1.0) / (1.0 - z), z, scale)
    return (
        by_x,
        np.log(z) + special.digamma(a + b) - special.digamma(a),
        np.log1p(-z) + special.digamma(a + b) - special.digamma(b),
        by_loc,
        by_scale,
    )


@elementwise(stats.beta.logpdf)
def beta_logpdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_a, by_b, by_loc, by_scale = beta_slopes(x, a, b, loc, scale)
    return (
        log_within(result, by_x),
        log_within(result, by_a),
        log_within(result, by_b),
        log_within(result, by_loc),
        log_within(result, by_scale),
    )


@elementwise(stats.beta.pdf)
def beta_pdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_a, by_b, by_loc, by_scale = beta_slopes(x, a, b, loc, scale)
    return (
        result * within(result, by_x),
        result * within(result, by_a),
        result * within(result, by_b),
        result * within(result, by_loc),
        result * within(result, by_scale),
    )


def lognorm_slopes(x: Any, s: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed(-(1.0 + np.log(z) / (s * s)) / z, z, scale)
    return by_x, (np.log(z) ** 2 / (s * s) - 1.0) / s, by_loc, by_scale


@elementwise(stats.lognorm.logpdf)
def lognorm_logpdf(x: Any, s: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_s, by_loc, by_scale = lognorm_slopes(x, s, loc, scale)
    return log_within(result, by_x), log_within(result, by_s), log_within(result, by_loc), log_within(result, by_scale)


@elementwise(stats.lognorm.pdf)
def lognorm_pdf(x: Any, s: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_s, by_loc, by_scale = lognorm_slopes(x, s, loc, scale)
    return (
        result * within(result, by_x),
        result * within(result, by_s),
        result * within(result, by_loc),
        result * within(result, by_scale),
    )


def chi2_slopes(x: Any, df: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed((0.5 * df - 1.0) / z - 0.5, z, scale)
    return by_x, 0.5 * (np.log(0.5 * z) - special.digamma(0.5 * df)), by_loc, by_scale


@elementwise(stats.chi2.logpdf)
def chi2_logpdf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_df, by_loc, by_scale = chi2_slopes(x, df, loc, scale)
    return log_within(result, by_x), log_within(result, by_df), log_within(result, by_loc), log_within(result, by_scale)


@elementwise(stats.chi2.pdf)
def chi2_pdf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_df, by_loc, by_scale = chi2_slopes(x, df, loc, scale)
    return (
        result * within(result, by_x),
        result * within(result, by_df),
        result * within(result, by_loc),
        result * within(result, by_scale),
    )


def invgamma_slopes(x: Any, a: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed((1.0 / z - a - 1.0) / z, z, scale)
    return by_x, -np.log(z) - special.digamma(a), by_loc, by_scale


@elementwise(stats.invgamma.logpdf)
def invgamma_logpdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_a, by_loc, by_scale = invgamma_slopes(x, a, loc, scale)
    return log_within(result, by_x), log_within(result, by_a), log_within(result, by_loc), log_within(result, by_scale)


@elementwise(stats.invgamma.pdf)
def invgamma_pdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_a, by_loc, by_scale = invgamma_slopes(x, a, loc, scale)
    return (
        result * within(result, by_x),
        result * within(result, by_a),
        result * within(result, by_loc),
        result * within(result, by_scale),
    )


def weibull_min_slopes(x: Any, c: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed((c - 1.0 - c * z**c) / z, z, scale)
    return by_x, 1.0 / c + np.log(z) * (1.0 - z**c), by_loc, by_scale


@elementwise(stats.weibull_min.logpdf)
def weibull_min_logpdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_c, by_loc, by_scale = weibull_min_slopes(x, c, loc, scale)
    return log_within(result, by_x), log_within(result, by_c), log_within(result, by_loc), log_within(result, by_scale)


@elementwise(stats.weibull_min.pdf)
def weibull_min_pdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_c, by_loc, by_scale = weibull_min_slopes(x, c, loc, scale)
    return (
        result * within(result, by_x),
        result * within(result, by_c),
        result * within(result, by_loc),
        result * within(result, by_scale),
    )


def pareto_slopes(x: Any, b: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed(-(b + 1.0) / z, z, scale)
    return by_x, 1.0 / b - np.log(z), by_loc, by_scale


@elementwise(stats.pareto.logpdf)
def pareto_logpdf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_b, by_loc, by_scale = pareto_slopes(x, b, loc, scale)
    return log_within(result, by_x), log_within(result, by_b), log_within(result, by_loc), log_within(result, by_scale)


@elementwise(stats.pareto.pdf)
def pareto_pdf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_b, by_loc, by_scale = pareto_slopes(x, b, loc, scale)
    return (
        result * within(result, by_x),
        result * within(result, by_b),
        result * within(result, by_loc),
        result * within(result, by_scale),
    )


# ---------------------------------------------------------------- numbers of events


@elementwise(stats.poisson.logpmf, wrt=("mu",))
def poisson_logpmf(k: Any, mu: Any, loc: Any = 0, *, result: Any) -> Any:
    return log_within(result, quotient(k - loc, mu) - 1.0)


@elementwise(stats.poisson.pmf, wrt=("mu",))
def poisson_pmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return stats.poisson.pmf(k - loc - 1, mu) - stats.poisson.pmf(k - loc, mu)


@elementwise(stats.bernoulli.logpmf, wrt=("p",))
def bernoulli_logpmf(k: Any, p: Any, loc: Any = 0, *, result: Any) -> Any:
    return log_within(result, quotient(k - loc, p) - quotient(1 - k + loc, 1.0 - p))


@elementwise(stats.binom.logpmf, wrt=("p",))
def binom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0, *, result: Any) -> Any:
    return log_within(result, quotient(k - loc, p) - quotient(n - k + loc, 1.0 - p))


@elementwise(stats.binom.pmf, wrt=("p",))
def binom_pmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return n * (stats.binom.pmf(k - loc - 1, n - 1, p) - stats.binom.pmf(k - loc, n - 1, p))


@elementwise(stats.geom.logpmf, wrt=("p",))
def geom_logpmf(k: Any, p: Any, loc: Any = 0, *, result: Any) -> Any:
    return log_within(result, 1.0 / p - quotient(k - loc - 1, 1.0 - p))


@elementwise(stats.nbinom.logpmf, wrt=("n", "p"))
def nbinom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0, *, result: Any) -> Any:
    by_n = special.digamma(k - loc + n) - special.digamma(n) + np.log(p)
    return log_within(result, by_n), log_within(result, n / p - quotient(k - loc, 1.0 - p))


# ---------------------------------------------------------------- distribution functions, by all but their shapes

_PLACED = (stats.norm, stats.cauchy, stats.laplace, stats.logistic, stats.expon, stats.uniform, stats.halfnorm)
_SHAPED = (stats.t, stats.gamma, stats.lognorm, stats.chi2, stats.invgamma, stats.weibull_min, stats.pareto)
_ALL = ("x", "loc", "scale")


@elementwise(*(d.cdf for d in _PLACED))
def cdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, loc, scale)
    return density, -density, (loc - x) / scale * density


@elementwise(*(d.sf for d in _PLACED))
def sf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, loc, scale)
    return -density, density, (x - loc) / scale * density


@elementwise(*(d.logcdf for d in _PLACED))
def logcdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = log_within(result, np.exp(lib.logpdf(x, loc, scale) - result))
    return hazard, -hazard, (loc - x) / scale * hazard


@elementwise(*(d.logsf for d in _PLACED))
def logsf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = log_within(result, np.exp(lib.logpdf(x, loc, scale) - result))
    return -hazard, hazard, (x - loc) / scale * hazard


@elementwise(*(d.ppf for d in _PLACED))
def ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return 1.0 / lib.pdf(result, loc, scale), 1.0, (result - loc) / scale


@elementwise(*(d.isf for d in _PLACED))
def isf(q: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return -1.0 / lib.pdf(result, loc, scale), 1.0, (result - loc) / scale


@elementwise(*(d.cdf for d in _SHAPED), wrt=_ALL)
def shaped_cdf(x: Any, shape: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, shape, loc, scale)
    return density, -density, (loc - x) / scale * density


@elementwise(*(d.sf for d in _SHAPED), wrt=_ALL)
def shaped_sf(x: Any, shape: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, shape, loc, scale)
    return -density, density, (x - loc) / scale * density


@elementwise(*(d.ppf for d in _SHAPED), wrt=("q", "loc", "scale"))
def shaped_ppf(q: Any, shape: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return 1.0 / lib.pdf(result, shape, loc, scale), 1.0, (result - loc) / scale


# ---------------------------------------------------------------- several normal variables


def several(mean: Any, cov: Any) -> None:
    """Refuse what stands for a mean or a covariance without being it."""
    if rank(cov) != 2 or not (is_none(mean) or rank(mean) == 1):
        raise NotImplementedError("multivariate_normal is differentiated for a vector and a matrix")


def lower_read(a: Any) -> Any:
    """The symmetric matrix of which the lower triangle is read."""
    return np.tril(a) + np.transpose(np.tril(a, -1))


@tangent(stats.multivariate_normal.logpdf)
def logpdf_of_several(
    x: Any, mean: Any = None, cov: Any = 1, *, result: Any, dx: Any = 0.0, dmean: Any = 0.0, dcov: Any = 0.0
) -> Any:
    several(mean, cov)
    inverse, moved = np.linalg.inv(lower_read(cov)), lower_read(dcov)
    pull = (x if is_none(mean) else x - mean) @ inverse
    by_point = np.sum(pull * (0.5 * (pull @ moved) - (dx if is_none(mean) else dx - dmean)), axis=-1)
    return np.reshape(by_point - 0.5 * np.sum(inverse * moved), np.shape(result))


@adjoint(stats.multivariate_normal.logpdf, wrt=("x", "mean", "cov"))
def logpdf_of_several_adjoint(x: Any, mean: Any = None, cov: Any = 1, *, ct: Any) -> Any:
    several(mean, cov)
    inverse = np.linalg.inv(lower_read(cov))
    pull = (x if is_none(mean) else x - mean) @ inverse
    weighted = np.reshape(ct, np.shape(pull[..., :1])) * pull
    n = np.shape(pull)[-1]
    bcov = 0.5 * (np.transpose(np.reshape(weighted, (-1, n))) @ np.reshape(pull, (-1, n)) - np.sum(ct) * inverse)
    bmean = 0.0 if is_none(mean) else unbroadcast(weighted, mean)
    return unbroadcast(-weighted, x), bmean, np.tril(bcov) + np.tril(bcov, -1)


@composite(stats.multivariate_normal.pdf)
def pdf_of_several(x: Any, mean: Any = None, cov: Any = 1) -> Any:
    return np.exp(stats.multivariate_normal.logpdf(x, mean, cov))


def density_of_several(x: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """Of one point a number; of an array of points, whose axes of length one are gone, a number or an array."""
    return K.Scalar("float64") if K.rank_of(x[0]) == 1 else K.Numeric("float64")


FORMS[stats.multivariate_normal.logpdf] = density_of_several
