"""Distribution functions of continuous distributions of scipy.stats, and what inverts them.

They are by what they are taken at, place and scale, and by their shape where that has a closed form. ``lib`` in a rule
is the distribution of the call.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from s2sad.rules.table import elementwise
from s2sad.runtime.helpers import exp_difference

__all__: list[str] = []

lib = stats.norm


_PLACED = (
    *(stats.norm, stats.cauchy, stats.laplace, stats.logistic, stats.expon, stats.uniform, stats.halfnorm),
    *(stats.gumbel_r, stats.gumbel_l, stats.rayleigh, stats.maxwell, stats.halfcauchy, stats.halflogistic),
    *(stats.hypsecant, stats.levy, stats.gibrat, stats.arcsine, stats.semicircular, stats.moyal, stats.wald),
)


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
    hazard = exp_difference(lib.logpdf(x, loc, scale), result)
    return hazard, -hazard, (loc - x) / scale * hazard


@elementwise(*(d.logsf for d in _PLACED))
def logsf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, loc, scale), result)
    return -hazard, hazard, (x - loc) / scale * hazard


@elementwise(*(d.ppf for d in _PLACED))
def ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return 1.0 / lib.pdf(result, loc, scale), 1.0, (result - loc) / scale


@elementwise(*(d.isf for d in _PLACED))
def isf(q: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return -1.0 / lib.pdf(result, loc, scale), 1.0, (result - loc) / scale


# ---------------------------------------------------------------- of shapes, which are held

_BY_A = (stats.gamma, stats.invgamma, stats.powerlaw, stats.skewnorm)
_BY_FREEDOM = (stats.t, stats.chi2, stats.chi)
_BY_A_AND_B = (stats.beta, stats.betaprime, stats.johnsonsu, stats.johnsonsb, stats.loguniform, stats.truncnorm)


@elementwise(*(d.cdf for d in _BY_A), wrt=("x", "loc", "scale"))
def gamma_cdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, a, loc, scale)
    return density, -density, (loc - x) / scale * density


@elementwise(*(d.sf for d in _BY_A), wrt=("x", "loc", "scale"))
def gamma_sf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, a, loc, scale)
    return -density, density, (x - loc) / scale * density


@elementwise(*(d.logcdf for d in _BY_A), wrt=("x", "loc", "scale"))
def gamma_logcdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, a, loc, scale), result)
    return hazard, -hazard, (loc - x) / scale * hazard


@elementwise(*(d.logsf for d in _BY_A), wrt=("x", "loc", "scale"))
def gamma_logsf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, a, loc, scale), result)
    return -hazard, hazard, (x - loc) / scale * hazard


@elementwise(*(d.ppf for d in _BY_A), wrt=("q", "loc", "scale"))
def gamma_ppf(q: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return 1.0 / lib.pdf(result, a, loc, scale), 1.0, (result - loc) / scale


@elementwise(*(d.isf for d in _BY_A), wrt=("q", "loc", "scale"))
def gamma_isf(q: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return -1.0 / lib.pdf(result, a, loc, scale), 1.0, (result - loc) / scale


@elementwise(*(d.cdf for d in _BY_FREEDOM), wrt=("x", "loc", "scale"))
def freedom_cdf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, df, loc, scale)
    return density, -density, (loc - x) / scale * density


@elementwise(*(d.sf for d in _BY_FREEDOM), wrt=("x", "loc", "scale"))
def freedom_sf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, df, loc, scale)
    return -density, density, (x - loc) / scale * density


@elementwise(*(d.logcdf for d in _BY_FREEDOM), wrt=("x", "loc", "scale"))
def freedom_logcdf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, df, loc, scale), result)
    return hazard, -hazard, (loc - x) / scale * hazard


@elementwise(*(d.logsf for d in _BY_FREEDOM), wrt=("x", "loc", "scale"))
def freedom_logsf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, df, loc, scale), result)
    return -hazard, hazard, (x - loc) / scale * hazard


@elementwise(*(d.ppf for d in _BY_FREEDOM), wrt=("q", "loc", "scale"))
def freedom_ppf(q: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return 1.0 / lib.pdf(result, df, loc, scale), 1.0, (result - loc) / scale


@elementwise(*(d.isf for d in _BY_FREEDOM), wrt=("q", "loc", "scale"))
def freedom_isf(q: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return -1.0 / lib.pdf(result, df, loc, scale), 1.0, (result - loc) / scale


@elementwise(*(d.cdf for d in _BY_A_AND_B), wrt=("x", "loc", "scale"))
def beta_cdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, a, b, loc, scale)
    return density, -density, (loc - x) / scale * density


@elementwise(*(d.sf for d in _BY_A_AND_B), wrt=("x", "loc", "scale"))
def beta_sf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, a, b, loc, scale)
    return -density, density, (x - loc) / scale * density


@elementwise(*(d.logcdf for d in _BY_A_AND_B), wrt=("x", "loc", "scale"))
def beta_logcdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, a, b, loc, scale), result)
    return hazard, -hazard, (loc - x) / scale * hazard


@elementwise(*(d.logsf for d in _BY_A_AND_B), wrt=("x", "loc", "scale"))
def beta_logsf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, a, b, loc, scale), result)
    return -hazard, hazard, (x - loc) / scale * hazard


@elementwise(*(d.ppf for d in _BY_A_AND_B), wrt=("q", "loc", "scale"))
def beta_ppf(q: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return 1.0 / lib.pdf(result, a, b, loc, scale), 1.0, (result - loc) / scale


@elementwise(*(d.isf for d in _BY_A_AND_B), wrt=("q", "loc", "scale"))
def beta_isf(q: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return -1.0 / lib.pdf(result, a, b, loc, scale), 1.0, (result - loc) / scale


@elementwise(stats.f.cdf, wrt=("x", "loc", "scale"))
def ratio_cdf(x: Any, dfn: Any, dfd: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, dfn, dfd, loc, scale)
    return density, -density, (loc - x) / scale * density


@elementwise(stats.f.sf, wrt=("x", "loc", "scale"))
def ratio_sf(x: Any, dfn: Any, dfd: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, dfn, dfd, loc, scale)
    return -density, density, (x - loc) / scale * density


@elementwise(stats.f.logcdf, wrt=("x", "loc", "scale"))
def ratio_logcdf(x: Any, dfn: Any, dfd: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, dfn, dfd, loc, scale), result)
    return hazard, -hazard, (loc - x) / scale * hazard


@elementwise(stats.f.logsf, wrt=("x", "loc", "scale"))
def ratio_logsf(x: Any, dfn: Any, dfd: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, dfn, dfd, loc, scale), result)
    return -hazard, hazard, (x - loc) / scale * hazard


@elementwise(stats.f.ppf, wrt=("q", "loc", "scale"))
def ratio_ppf(q: Any, dfn: Any, dfd: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return 1.0 / lib.pdf(result, dfn, dfd, loc, scale), 1.0, (result - loc) / scale


@elementwise(stats.f.isf, wrt=("q", "loc", "scale"))
def ratio_isf(q: Any, dfn: Any, dfd: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return -1.0 / lib.pdf(result, dfn, dfd, loc, scale), 1.0, (result - loc) / scale


# ---------------------------------------------------------------- of a power of what is drawn, by that too


def turn(x: Any, shape: Any, loc: Any, scale: Any) -> Any:
    """How a quantile falls as the power grows, or zero where there is none."""
    z = (x - loc) / scale
    inner = np.where(z > 0.0, z, 1.0)[()]
    return scale * inner * np.log(inner) / shape


@elementwise(stats.weibull_min.cdf, wrt=("x", "c", "loc", "scale"))
def weibull_cdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, c, loc, scale)
    return density, turn(x, c, loc, scale) * density, -density, (loc - x) / scale * density


@elementwise(stats.weibull_min.sf, wrt=("x", "c", "loc", "scale"))
def weibull_sf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, c, loc, scale)
    return -density, -turn(x, c, loc, scale) * density, density, (x - loc) / scale * density


@elementwise(stats.weibull_min.logcdf, wrt=("x", "c", "loc", "scale"))
def weibull_logcdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, c, loc, scale), result)
    return hazard, turn(x, c, loc, scale) * hazard, -hazard, (loc - x) / scale * hazard


@elementwise(stats.weibull_min.logsf, wrt=("x", "c", "loc", "scale"))
def weibull_logsf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, c, loc, scale), result)
    return -hazard, -turn(x, c, loc, scale) * hazard, hazard, (x - loc) / scale * hazard


@elementwise(stats.weibull_min.ppf, wrt=("q", "c", "loc", "scale"))
def weibull_ppf(q: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return 1.0 / lib.pdf(result, c, loc, scale), -turn(result, c, loc, scale), 1.0, (result - loc) / scale


@elementwise(stats.weibull_min.isf, wrt=("q", "c", "loc", "scale"))
def weibull_isf(q: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return -1.0 / lib.pdf(result, c, loc, scale), -turn(result, c, loc, scale), 1.0, (result - loc) / scale


@elementwise(stats.pareto.cdf, wrt=("x", "b", "loc", "scale"))
def pareto_cdf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, b, loc, scale)
    return density, turn(x, b, loc, scale) * density, -density, (loc - x) / scale * density


@elementwise(stats.pareto.sf, wrt=("x", "b", "loc", "scale"))
def pareto_sf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, b, loc, scale)
    return -density, -turn(x, b, loc, scale) * density, density, (x - loc) / scale * density


@elementwise(stats.pareto.logcdf, wrt=("x", "b", "loc", "scale"))
def pareto_logcdf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, b, loc, scale), result)
    return hazard, turn(x, b, loc, scale) * hazard, -hazard, (loc - x) / scale * hazard


@elementwise(stats.pareto.logsf, wrt=("x", "b", "loc", "scale"))
def pareto_logsf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, b, loc, scale), result)
    return -hazard, -turn(x, b, loc, scale) * hazard, hazard, (x - loc) / scale * hazard


@elementwise(stats.pareto.ppf, wrt=("q", "b", "loc", "scale"))
def pareto_ppf(q: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return 1.0 / lib.pdf(result, b, loc, scale), -turn(result, b, loc, scale), 1.0, (result - loc) / scale


@elementwise(stats.pareto.isf, wrt=("q", "b", "loc", "scale"))
def pareto_isf(q: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return -1.0 / lib.pdf(result, b, loc, scale), -turn(result, b, loc, scale), 1.0, (result - loc) / scale


@elementwise(stats.lognorm.cdf, wrt=("x", "s", "loc", "scale"))
def lognorm_cdf(x: Any, s: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, s, loc, scale)
    return density, -turn(x, s, loc, scale) * density, -density, (loc - x) / scale * density


@elementwise(stats.lognorm.sf, wrt=("x", "s", "loc", "scale"))
def lognorm_sf(x: Any, s: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    density = lib.pdf(x, s, loc, scale)
    return -density, turn(x, s, loc, scale) * density, density, (x - loc) / scale * density


@elementwise(stats.lognorm.logcdf, wrt=("x", "s", "loc", "scale"))
def lognorm_logcdf(x: Any, s: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, s, loc, scale), result)
    return hazard, -turn(x, s, loc, scale) * hazard, -hazard, (loc - x) / scale * hazard


@elementwise(stats.lognorm.logsf, wrt=("x", "s", "loc", "scale"))
def lognorm_logsf(x: Any, s: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    hazard = exp_difference(lib.logpdf(x, s, loc, scale), result)
    return -hazard, turn(x, s, loc, scale) * hazard, hazard, (x - loc) / scale * hazard


@elementwise(stats.lognorm.ppf, wrt=("q", "s", "loc", "scale"))
def lognorm_ppf(q: Any, s: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return 1.0 / lib.pdf(result, s, loc, scale), turn(result, s, loc, scale), 1.0, (result - loc) / scale


@elementwise(stats.lognorm.isf, wrt=("q", "s", "loc", "scale"))
def lognorm_isf(q: Any, s: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    return -1.0 / lib.pdf(result, s, loc, scale), turn(result, s, loc, scale), 1.0, (result - loc) / scale
