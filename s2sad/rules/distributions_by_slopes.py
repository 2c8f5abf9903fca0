"""More densities of scipy.stats, each by the slopes of its logarithm: loaded once the user has imported that module.

A slope is by ``z = (x - loc) / scale`` and by the parameter of the shape, where there is one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from s2sad.rules.distributions import log_within, placed, within
from s2sad.rules.table import elementwise
from s2sad.runtime.helpers import quotient

__all__: list[str] = []


# ---------------------------------------------------------------- by place and scale alone


def plain(d: Any, slope: Any) -> None:
    """Declare the densities of a distribution without a shape."""

    @elementwise(d.logpdf)
    def logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        z = (x - loc) / scale
        by_x, by_loc, by_scale = placed(slope(z), z, scale)
        return log_within(result, by_x), log_within(result, by_loc), log_within(result, by_scale)

    @elementwise(d.pdf)
    def pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        z = (x - loc) / scale
        by_x, by_loc, by_scale = placed(slope(z), z, scale)
        return result * within(result, by_x), result * within(result, by_loc), result * within(result, by_scale)


def gumbel_r(z: Any) -> Any:
    return np.expm1(-z)


def gumbel_l(z: Any) -> Any:
    return -np.expm1(z)


def rayleigh(z: Any) -> Any:
    return 1.0 / z - z


def maxwell(z: Any) -> Any:
    return 2.0 / z - z


def halfcauchy(z: Any) -> Any:
    return -2.0 * z / (1.0 + z * z)


def halflogistic(z: Any) -> Any:
    return -np.tanh(0.5 * z)


def hypsecant(z: Any) -> Any:
    return -np.tanh(z)


def levy(z: Any) -> Any:
    return (0.5 / z - 1.5) / z


def gibrat(z: Any) -> Any:
    return -(1.0 + np.log(z)) / z


def arcsine(z: Any) -> Any:
    return 0.5 / (1.0 - z) - 0.5 / z


def semicircular(z: Any) -> Any:
    return -z / (1.0 - z * z)


def moyal(z: Any) -> Any:
    return 0.5 * np.expm1(-z)


def wald(z: Any) -> Any:
    return 0.5 / (z * z) - 1.5 / z - 0.5


for _d, _slope in (
    *((stats.gumbel_r, gumbel_r), (stats.gumbel_l, gumbel_l), (stats.rayleigh, rayleigh), (stats.maxwell, maxwell)),
    *((stats.halfcauchy, halfcauchy), (stats.halflogistic, halflogistic), (stats.hypsecant, hypsecant)),
    *((stats.levy, levy), (stats.gibrat, gibrat), (stats.arcsine, arcsine), (stats.semicircular, semicircular)),
    *((stats.moyal, moyal), (stats.wald, wald)),
):
    plain(_d, _slope)


# ---------------------------------------------------------------- by a shape, too


def slopes(slope: Any, x: Any, shape: Any, loc: Any, scale: Any) -> Any:
    """Slopes by x, the shape, loc and scale."""
    z = (x - loc) / scale
    by_z, by_shape = slope(z, shape)
    by_x, by_loc, by_scale = placed(by_z, z, scale)
    return by_x, by_shape, by_loc, by_scale


def of_log(result: Any, by_x: Any, by_shape: Any, by_loc: Any, by_scale: Any) -> Any:
    """Slopes of the logarithm of a density where there is one."""
    return (
        log_within(result, by_x),
        log_within(result, by_shape),
        log_within(result, by_loc),
        log_within(result, by_scale),
    )


def of_density(result: Any, by_x: Any, by_shape: Any, by_loc: Any, by_scale: Any) -> Any:
    """Slopes of a density, of those of its logarithm."""
    return (
        result * within(result, by_x),
        result * within(result, by_shape),
        result * within(result, by_loc),
        result * within(result, by_scale),
    )


def by_a(d: Any, slope: Any) -> None:
    """Declare the densities of a distribution with a shape of this name; so below."""

    @elementwise(d.logpdf)
    def logpdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, a, loc, scale)
        return of_log(result, by_x, by_shape, by_loc, by_scale)

    @elementwise(d.pdf)
    def pdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, a, loc, scale)
        return of_density(result, by_x, by_shape, by_loc, by_scale)


def by_b(d: Any, slope: Any) -> None:
    @elementwise(d.logpdf)
    def logpdf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, b, loc, scale)
        return of_log(result, by_x, by_shape, by_loc, by_scale)

    @elementwise(d.pdf)
    def pdf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, b, loc, scale)
        return of_density(result, by_x, by_shape, by_loc, by_scale)


def by_c(d: Any, slope: Any) -> None:
    @elementwise(d.logpdf)
    def logpdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, c, loc, scale)
        return of_log(result, by_x, by_shape, by_loc, by_scale)

    @elementwise(d.pdf)
    def pdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, c, loc, scale)
        return of_density(result, by_x, by_shape, by_loc, by_scale)


def by_df(d: Any, slope: Any) -> None:
    @elementwise(d.logpdf)
    def logpdf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, df, loc, scale)
        return of_log(result, by_x, by_shape, by_loc, by_scale)

    @elementwise(d.pdf)
    def pdf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, df, loc, scale)
        return of_density(result, by_x, by_shape, by_loc, by_scale)


def by_mu(d: Any, slope: Any) -> None:
    @elementwise(d.logpdf)
    def logpdf(x: Any, mu: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, mu, loc, scale)
        return of_log(result, by_x, by_shape, by_loc, by_scale)

    @elementwise(d.pdf)
    def pdf(x: Any, mu: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, mu, loc, scale)
        return of_density(result, by_x, by_shape, by_loc, by_scale)


def by_nu(d: Any, slope: Any) -> None:
    @elementwise(d.logpdf)
    def logpdf(x: Any, nu: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, nu, loc, scale)
        return of_log(result, by_x, by_shape, by_loc, by_scale)

    @elementwise(d.pdf)
    def pdf(x: Any, nu: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, nu, loc, scale)
        return of_density(result, by_x, by_shape, by_loc, by_scale)


def by_K(d: Any, slope: Any) -> None:
    @elementwise(d.logpdf)
    def logpdf(x: Any, K: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, K, loc, scale)
        return of_log(result, by_x, by_shape, by_loc, by_scale)

    @elementwise(d.pdf)
    def pdf(x: Any, K: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, K, loc, scale)
        return of_density(result, by_x, by_shape, by_loc, by_scale)


def by_beta(d: Any, slope: Any) -> None:
    @elementwise(d.logpdf)
    def logpdf(x: Any, beta: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, beta, loc, scale)
        return of_log(result, by_x, by_shape, by_loc, by_scale)

    @elementwise(d.pdf)
    def pdf(x: Any, beta: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, beta, loc, scale)
        return of_density(result, by_x, by_shape, by_loc, by_scale)


def by_kappa(d: Any, slope: Any) -> None:
    @elementwise(d.logpdf)
    def logpdf(x: Any, kappa: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, kappa, loc, scale)
        return of_log(result, by_x, by_shape, by_loc, by_scale)

    @elementwise(d.pdf)
    def pdf(x: Any, kappa: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        by_x, by_shape, by_loc, by_scale = slopes(slope, x, kappa, loc, scale)
        return of_density(result, by_x, by_shape, by_loc, by_scale)


def normal_hazard(x: Any) -> Any:
    """The slope of the logarithm of the normal distribution function."""
    return np.exp(-0.5 * x * x - special.log_ndtr(x)) / math.sqrt(2.0 * math.pi)


def powerlaw(z: Any, a: Any) -> Any:
    return (a - 1.0) / z, 1.0 / a + np.log(z)


def skewnorm(z: Any, a: Any) -> Any:
    hazard = normal_hazard(a * z)
    return a * hazard - z, z * hazard


def rice(z: Any, b: Any) -> Any:
    ratio = special.i1e(b * z) / special.i0e(b * z)
    return 1.0 / z - z + b * ratio, z * ratio - b


def truncexpon(z: Any, b: Any) -> Any:
    return -1.0, -1.0 / np.expm1(b)


def weibull_max(z: Any, c: Any) -> Any:
    y = -z
    return (1.0 - c + c * y**c) / y, 1.0 / c + np.log(y) * (1.0 - y**c)


def lomax(z: Any, c: Any) -> Any:
    return -(c + 1.0) / (1.0 + z), 1.0 / c - np.log1p(z)


def fisk(z: Any, c: Any) -> Any:
    share = special.expit(c * np.log(z))
    return (c - 1.0 - 2.0 * c * share) / z, 1.0 / c + np.log(z) * (1.0 - 2.0 * share)


def invweibull(z: Any, c: Any) -> Any:
    power = z**-c
    return (c * power - c - 1.0) / z, 1.0 / c + np.log(z) * (power - 1.0)


def gompertz(z: Any, c: Any) -> Any:
    return 1.0 - c * np.exp(z), 1.0 / c - np.expm1(z)


def loggamma(z: Any, c: Any) -> Any:
    return c - np.exp(z), z - special.digamma(c)


def loglaplace(z: Any, c: Any) -> Any:
    side = np.where(z < 1.0, 1.0, -1.0)[()]
    return (c * side - 1.0) / z, 1.0 / c + side * np.log(z)


def foldnorm(z: Any, c: Any) -> Any:
    turn = np.tanh(c * z)
    return c * turn - z, z * turn - c


def triang(z: Any, c: Any) -> Any:
    rises = z < c
    by_z = np.where(rises, quotient(1.0, z), quotient(1.0, z - 1.0))[()]
    return by_z, np.where(rises, quotient(-1.0, c), quotient(1.0, 1.0 - c))[()]


def powernorm(z: Any, c: Any) -> Any:
    hazard = normal_hazard(-z)
    return (1.0 - c) * hazard - z, 1.0 / c + special.log_ndtr(-z)


def chi(z: Any, df: Any) -> Any:
    return (df - 1.0) / z - z, np.log(z) - 0.5 * math.log(2.0) - 0.5 * special.digamma(0.5 * df)


def invgauss(z: Any, mu: Any) -> Any:
    return (0.5 / z - 1.5) / z - 0.5 / (mu * mu), (z - mu) / mu**3


def nakagami(z: Any, nu: Any) -> Any:
    return (2.0 * nu - 1.0) / z - 2.0 * nu * z, np.log(nu) + 1.0 - special.digamma(nu) + 2.0 * np.log(z) - z * z


def exponnorm(z: Any, K: Any) -> Any:
    hazard = normal_hazard(z - 1.0 / K)
    return hazard - 1.0 / K, ((z + hazard - 1.0 / K) / K - 1.0) / K


def gennorm(z: Any, beta: Any) -> Any:
    size = np.abs(z)
    by_z = -beta * np.sign(z) * size ** (beta - 1.0)
    return by_z, (1.0 + special.digamma(1.0 / beta) / beta) / beta - special.xlogy(size**beta, size)


def vonmises(z: Any, kappa: Any) -> Any:
    return -kappa * np.sin(z), np.cos(z) - special.i1e(kappa) / special.i0e(kappa)


for _d, _by in ((stats.powerlaw, powerlaw), (stats.skewnorm, skewnorm)):
    by_a(_d, _by)
for _d, _by_b in ((stats.rice, rice), (stats.truncexpon, truncexpon)):
    by_b(_d, _by_b)
for _d, _by_c in (
    (stats.weibull_max, weibull_max),
    (stats.lomax, lomax),
    (stats.fisk, fisk),
    (stats.invweibull, invweibull),
    (stats.gompertz, gompertz),
    (stats.loggamma, loggamma),
    (stats.loglaplace, loglaplace),
    (stats.foldnorm, foldnorm),
    (stats.triang, triang),
    (stats.powernorm, powernorm),
):
    by_c(_d, _by_c)
by_df(stats.chi, chi)
by_mu(stats.invgauss, invgauss)
by_nu(stats.nakagami, nakagami)
by_K(stats.exponnorm, exponnorm)
by_beta(stats.gennorm, gennorm)
by_kappa(stats.vonmises, vonmises)
