"""Densities of distributions of scipy.stats: loaded by the table once the user has imported that module.

The primitives are methods of the distributions, which are objects of their own each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from s2sad.rules.table import elementwise

__all__: list[str] = []

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


def f_slopes(x: Any, dfn: Any, dfd: Any, loc: Any, scale: Any) -> Any:
    z = (x - loc) / scale
    share = dfn * z / (dfd + dfn * z)
    by_x, by_loc, by_scale = placed((0.5 * dfn - 1.0 - 0.5 * (dfn + dfd) * share) / z, z, scale)
    both = special.digamma(0.5 * (dfn + dfd))
    by_dfn = 0.5 * (both - special.digamma(0.5 * dfn) + np.log(share) + 1.0 - (dfn + dfd) * share / dfn)
    by_dfd = 0.5 * (both - special.digamma(0.5 * dfd) + np.log1p(-share) + (dfn + dfd) * share / dfd - dfn / dfd)
    return by_x, by_dfn, by_dfd, by_loc, by_scale


@elementwise(stats.f.logpdf)
def f_logpdf(x: Any, dfn: Any, dfd: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_dfn, by_dfd, by_loc, by_scale = f_slopes(x, dfn, dfd, loc, scale)
    return (
        log_within(result, by_x),
        log_within(result, by_dfn),
        log_within(result, by_dfd),
        log_within(result, by_loc),
        log_within(result, by_scale),
    )


@elementwise(stats.f.pdf)
def f_pdf(x: Any, dfn: Any, dfd: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_dfn, by_dfd, by_loc, by_scale = f_slopes(x, dfn, dfd, loc, scale)
    return (
        result * within(result, by_x),
        result * within(result, by_dfn),
        result * within(result, by_dfd),
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
