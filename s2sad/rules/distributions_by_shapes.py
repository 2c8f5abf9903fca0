"""More densities of scipy.stats, by two parameters of their shape: loaded once the user has imported that module."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from s2sad.rules.distributions import log_within, placed, within
from s2sad.rules.distributions_by_slopes import of_density, of_log
from s2sad.rules.table import elementwise

__all__: list[str] = []


def by_a_b(distribution: Any, slope: Any) -> None:
    @elementwise(distribution.logpdf)
    def logpdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        z = (x - loc) / scale
        by_z, by_a, by_b = slope(z, a, b)
        by_x, by_loc, by_scale = placed(by_z, z, scale)
        by_x, by_a, by_loc, by_scale = of_log(result, by_x, by_a, by_loc, by_scale)
        return by_x, by_a, log_within(result, by_b), by_loc, by_scale

    @elementwise(distribution.pdf)
    def pdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        z = (x - loc) / scale
        by_z, by_a, by_b = slope(z, a, b)
        by_x, by_loc, by_scale = placed(by_z, z, scale)
        by_x, by_a, by_loc, by_scale = of_density(result, by_x, by_a, by_loc, by_scale)
        return by_x, by_a, result * within(result, by_b), by_loc, by_scale


def by_a_c(distribution: Any, slope: Any) -> None:
    @elementwise(distribution.logpdf)
    def logpdf(x: Any, a: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        z = (x - loc) / scale
        by_z, by_a, by_c = slope(z, a, c)
        by_x, by_loc, by_scale = placed(by_z, z, scale)
        by_x, by_a, by_loc, by_scale = of_log(result, by_x, by_a, by_loc, by_scale)
        return by_x, by_a, log_within(result, by_c), by_loc, by_scale

    @elementwise(distribution.pdf)
    def pdf(x: Any, a: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        z = (x - loc) / scale
        by_z, by_a, by_c = slope(z, a, c)
        by_x, by_loc, by_scale = placed(by_z, z, scale)
        by_x, by_a, by_loc, by_scale = of_density(result, by_x, by_a, by_loc, by_scale)
        return by_x, by_a, result * within(result, by_c), by_loc, by_scale


def by_c_d(distribution: Any, slope: Any) -> None:
    @elementwise(distribution.logpdf)
    def logpdf(x: Any, c: Any, d: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        z = (x - loc) / scale
        by_z, by_c, by_d = slope(z, c, d)
        by_x, by_loc, by_scale = placed(by_z, z, scale)
        by_x, by_c, by_loc, by_scale = of_log(result, by_x, by_c, by_loc, by_scale)
        return by_x, by_c, log_within(result, by_d), by_loc, by_scale

    @elementwise(distribution.pdf)
    def pdf(x: Any, c: Any, d: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
        z = (x - loc) / scale
        by_z, by_c, by_d = slope(z, c, d)
        by_x, by_loc, by_scale = placed(by_z, z, scale)
        by_x, by_c, by_loc, by_scale = of_density(result, by_x, by_c, by_loc, by_scale)
        return by_x, by_c, result * within(result, by_d), by_loc, by_scale


def betaprime(z: Any, a: Any, b: Any) -> Any:
    both = special.digamma(a + b)
    by_b = both - special.digamma(b) - np.log1p(z)
    return (a - 1.0) / z - (a + b) / (1.0 + z), np.log(z) - np.log1p(z) + both - special.digamma(a), by_b


def johnsonsu(z: Any, a: Any, b: Any) -> Any:
    turn = a + b * np.arcsinh(z)
    by_z = -z / (1.0 + z * z) - b * turn / np.hypot(1.0, z)
    return by_z, -turn, 1.0 / b - turn * np.arcsinh(z)


def johnsonsb(z: Any, a: Any, b: Any) -> Any:
    turn = a + b * special.logit(z)
    return 1.0 / (1.0 - z) - 1.0 / z - b * turn / (z * (1.0 - z)), -turn, 1.0 / b - turn * special.logit(z)


def loguniform(z: Any, a: Any, b: Any) -> Any:
    length = np.log(b) - np.log(a)
    return -1.0 / z, 1.0 / (a * length), -1.0 / (b * length)


def gengamma(z: Any, a: Any, c: Any) -> Any:
    power = z**c
    return (c * a - 1.0 - c * power) / z, c * np.log(z) - special.digamma(a), 1.0 / c + np.log(z) * (a - power)


def burr12(z: Any, c: Any, d: Any) -> Any:
    share = special.expit(c * np.log(z))
    by_z = (c - 1.0 - (d + 1.0) * c * share) / z
    return by_z, 1.0 / c + np.log(z) * (1.0 - (d + 1.0) * share), 1.0 / d - np.log1p(z**c)


def burr(z: Any, c: Any, d: Any) -> Any:
    share = special.expit(-c * np.log(z))
    by_z = (-c - 1.0 + (d + 1.0) * c * share) / z
    return by_z, 1.0 / c + np.log(z) * ((d + 1.0) * share - 1.0), 1.0 / d - np.log1p(z**-c)


for _d, _slope in ((stats.betaprime, betaprime), (stats.johnsonsu, johnsonsu), (stats.johnsonsb, johnsonsb)):
    by_a_b(_d, _slope)
for _d in (stats.loguniform, stats.reciprocal):
    by_a_b(_d, loguniform)
by_a_c(stats.gengamma, gengamma)
by_c_d(stats.burr12, burr12)
by_c_d(stats.burr, burr)


# ---------------------------------------------------------------- cut off at both ends


def truncnorm_slopes(x: Any, a: Any, b: Any, loc: Any, scale: Any, log_density: Any) -> Any:
    """Of what the density is divided by, the slopes follow from the density."""
    z = (x - loc) / scale
    by_x, by_loc, by_scale = placed(-z, z, scale)
    inside = log_density + np.log(scale) + 0.5 * z * z
    return by_x, np.exp(inside - 0.5 * a * a), -np.exp(inside - 0.5 * b * b), by_loc, by_scale


@elementwise(stats.truncnorm.logpdf)
def truncnorm_logpdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_a, by_b, by_loc, by_scale = truncnorm_slopes(x, a, b, loc, scale, result)
    by_x, by_a, by_loc, by_scale = of_log(result, by_x, by_a, by_loc, by_scale)
    return by_x, by_a, log_within(result, by_b), by_loc, by_scale


@elementwise(stats.truncnorm.pdf)
def truncnorm_pdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0, *, result: Any) -> Any:
    by_x, by_a, by_b, by_loc, by_scale = truncnorm_slopes(x, a, b, loc, scale, np.log(result))
    by_x, by_a, by_loc, by_scale = of_density(result, by_x, by_a, by_loc, by_scale)
    return by_x, by_a, result * within(result, by_b), by_loc, by_scale
