"""Functions of the module statistics: read by the table once the user has imported that."""

from __future__ import annotations

import math
import statistics
from typing import Any

from s2sad.rules.static import is_none
from s2sad.rules.table import composite

__all__: list[str] = []


@composite(statistics.mean)
def mean(data: Any) -> Any:
    data = list(data)
    return math.fsum(data) / len(data)


@composite(statistics.fmean)
def fmean(data: Any, weights: Any = None) -> Any:
    data = list(data)
    if is_none(weights):
        return math.fsum(data) / len(data)
    weights = list(weights)
    return math.fsum([x * w for x, w in zip(data, weights, strict=True)]) / math.fsum(weights)


@composite(statistics.geometric_mean)
def geometric_mean(data: Any) -> Any:
    logarithms = [math.log(x) for x in data]
    return math.exp(math.fsum(logarithms) / len(logarithms))


@composite(statistics.harmonic_mean)
def harmonic_mean(data: Any) -> Any:
    reciprocals = [1.0 / x for x in data]
    return len(reciprocals) / math.fsum(reciprocals)


# ---------------------------------------------------------------- spread


def squares(data: Any, centre: Any) -> Any:
    """The sum of the squared distances from a centre, of the mean where none is given."""
    if is_none(centre):
        centre = math.fsum(data) / len(data)
    return math.fsum([(x - centre) ** 2 for x in data])


@composite(statistics.variance)
def variance(data: Any, xbar: Any = None) -> Any:
    data = list(data)
    return squares(data, xbar) / (len(data) - 1)


@composite(statistics.pvariance)
def pvariance(data: Any, mu: Any = None) -> Any:
    data = list(data)
    return squares(data, mu) / len(data)


@composite(statistics.stdev)
def stdev(data: Any, xbar: Any = None) -> Any:
    data = list(data)
    return math.sqrt(squares(data, xbar) / (len(data) - 1))


@composite(statistics.pstdev)
def pstdev(data: Any, mu: Any = None) -> Any:
    data = list(data)
    return math.sqrt(squares(data, mu) / len(data))


@composite(statistics.covariance)
def covariance(x: Any, y: Any, /) -> Any:
    x, y = list(x), list(y)
    x_mean, y_mean = math.fsum(x) / len(x), math.fsum(y) / len(y)
    products = [(a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True)]
    return math.fsum(products) / (len(x) - 1)


# ---------------------------------------------------------------- places in order


@composite(statistics.median)
def median(data: Any) -> Any:
    ordered = sorted(data)
    n = len(ordered)
    return 0.5 * (ordered[(n - 1) // 2] + ordered[n // 2]) if n % 2 == 0 else ordered[n // 2]


@composite(statistics.median_low)
def median_low(data: Any) -> Any:
    ordered = sorted(data)
    return ordered[(len(ordered) - 1) // 2]


@composite(statistics.median_high)
def median_high(data: Any) -> Any:
    ordered = sorted(data)
    return ordered[len(ordered) // 2]
