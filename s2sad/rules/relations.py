"""What scipy.stats says of pairs of samples, and how dense they are: loaded once the user has imported that module."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, special, stats

from s2sad.ir import kinds as K
from s2sad.rules.forms import returns
from s2sad.rules.infer import FORMS
from s2sad.rules.moments import propagated
from s2sad.rules.static import is_none, known, rank
from s2sad.rules.table import composite, tangent
from s2sad.runtime.densities import density_parts, kernel_density

__all__: list[str] = []


class Correlation(NamedTuple):
    """What pearsonr gives."""

    statistic: Any
    pvalue: Any


@composite(stats.pearsonr)
def pearsonr(x: Any, y: Any, *, alternative: Any = "two-sided", method: Any = None, axis: Any = 0) -> Any:
    """By chance it is distributed like 2 b - 1, b being of a beta distribution with both shapes n / 2 - 1."""
    x, y = np.asarray(x), np.asarray(y)
    if alternative != "two-sided" or not is_none(method) or rank(x) != 1 or rank(y) != 1:
        raise NotImplementedError("scipy.stats.pearsonr is differentiated of vectors, two-sided and without a method")
    if len(x) != len(y) or len(x) < 3:
        raise ValueError("`x` and `y` must have the same length, three at least")
    dx, dy = x - np.mean(x), y - np.mean(y)
    r = np.sum(dx / np.linalg.norm(dx) * (dy / np.linalg.norm(dy)))
    shape = 0.5 * len(x) - 1.0
    return Correlation(r, 2.0 * special.betainc(shape, shape, 0.5 - 0.5 * np.abs(r)))


class Line(NamedTuple):
    """What linregress gives, but for the error of the intercept."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any


@composite(stats.linregress)
def linregress(x: Any, y: Any, alternative: Any = "two-sided") -> Any:
    x, y = np.asarray(x), np.asarray(y)
    if alternative != "two-sided" or rank(x) != 1 or rank(y) != 1:
        raise NotImplementedError("scipy.stats.linregress is differentiated of vectors, and two-sided")
    if len(x) != len(y) or len(x) < 3:
        raise ValueError("`x` and `y` must have the same length, three at least")
    dx, dy = x - np.mean(x), y - np.mean(y)
    xx, xy, yy = np.mean(dx * dx), np.mean(dx * dy), np.mean(dy * dy)
    slope, r, free = xy / xx, xy / np.sqrt(xx * yy), len(x) - 2
    t = r * np.sqrt(free / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
    error = np.sqrt((1.0 - r**2) * yy / xx / free)
    return Line(slope, np.mean(y) - slope * np.mean(x), r, 2.0 * special.stdtr(free, -np.abs(t)), error)


@composite(stats.iqr)
def iqr(
    x: Any,
    axis: Any = None,
    rng: Any = (25, 75),
    scale: Any = 1.0,
    nan_policy: Any = "propagate",
    interpolation: Any = "linear",
    keepdims: Any = False,
) -> Any:
    propagated(nan_policy)
    if isinstance(scale, str):
        raise NotImplementedError("scipy.stats.iqr is differentiated where scale is a number")
    low, high = rng
    between = np.percentile(x, high, axis=axis, method=interpolation, keepdims=keepdims)
    between = between - np.percentile(x, low, axis=axis, method=interpolation, keepdims=keepdims)
    return between / scale if low < high else -between / scale


# ---------------------------------------------------------------- how dense samples are


@tangent(kernel_density)
def moved_density(data: Any, bw_method: Any, weights: Any, *, ddata: Any, dbw_method: Any, dweights: Any) -> Any:
    raise NotImplementedError("gaussian_kde is differentiated without weights and a function for the width")


FORMS[kernel_density] = returns(K.Other(stats.gaussian_kde))


def exponents(samples: Any, root: Any, points: Any) -> Any:
    """The logarithm of the density at each point of a normal distribution about each sample."""
    d = len(samples)
    points = np.reshape(points, (d, -1)) if rank(points) == 1 else np.atleast_2d(points)
    far = linalg.solve_triangular(root, points, lower=True)[:, :, None]
    far = far - linalg.solve_triangular(root, samples, lower=True)[:, None, :]
    size = np.sum(np.log(np.diagonal(root))) + 0.5 * d * math.log(2.0 * math.pi)
    return -0.5 * np.sum(far**2, axis=0) - size


class Density(stats.gaussian_kde):  # type: ignore[misc]
    """A sum of normal distributions about samples, and as scipy has it, ``made``."""

    _fields = ("made", "samples", "root")
    #: As in splines.Pieces.
    __s2sad_own__ = frozenset((*_fields, "__init__", "__call__", "evaluate", "pdf", "logpdf"))

    def __init__(self, data: Any, bw_method: Any) -> None:
        self.made = kernel_density(data, bw_method, None)
        samples = np.atleast_2d(np.add(data, np.zeros(1)))
        d, n = np.shape(samples)
        if is_none(bw_method) or bw_method == "scott":
            factor = n ** (-1.0 / (d + 4.0))
        elif bw_method == "silverman":
            factor = (n * (d + 2.0) / 4.0) ** (-1.0 / (d + 4.0))
        else:
            factor = bw_method
        apart = samples - np.mean(samples, axis=1)[:, None]
        self.root = np.linalg.cholesky(apart @ apart.T / (n - 1)) * factor
        self.samples = samples

    def evaluate(self, points: Any) -> Any:
        return np.sum(np.exp(exponents(self.samples, self.root, points)), axis=1) / np.shape(self.samples)[1]

    def __call__(self, points: Any) -> Any:
        return self.evaluate(points)

    def pdf(self, x: Any) -> Any:
        return self.evaluate(x)

    def logpdf(self, x: Any) -> Any:
        found = special.logsumexp(exponents(self.samples, self.root, x), axis=1)
        return found - np.log(np.shape(self.samples)[1])


@composite(stats.gaussian_kde)
def gaussian_kde(dataset: Any, bw_method: Any = None, weights: Any = None) -> Any:
    bw_method = known(bw_method)
    if is_none(weights) and (is_none(bw_method) or isinstance(bw_method, (str, int, float))):
        return Density(dataset, bw_method)
    return kernel_density(dataset, bw_method, weights)


@composite(stats.gaussian_kde.evaluate, stats.gaussian_kde.pdf)
def density_at(self: Any, points: Any) -> Any:
    samples, root, weights = density_parts(self)
    return np.sum(weights * np.exp(exponents(samples, root, points)), axis=1)


@composite(stats.gaussian_kde.logpdf)
def log_density_at(self: Any, x: Any) -> Any:
    samples, root, weights = density_parts(self)
    return special.logsumexp(np.log(weights) + exponents(samples, root, x), axis=1)


@tangent(density_parts)
def moved_parts(density: Any, *, ddensity: Any) -> Any:
    raise NotImplementedError("gaussian_kde is differentiated without weights and a function for the width")


FORMS[density_parts] = returns(K.Tuple((K.Array("float64", 2), K.Array("float64", 2), K.Array("float64", 1))))
