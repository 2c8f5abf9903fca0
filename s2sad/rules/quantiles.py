"""Numbers at their places in order: medians, quantiles, and those of what is no NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.rules.static import rank
from s2sad.rules.table import composite
from s2sad.runtime.helpers import cast, constant, flatten_axes, need_fractions


def blended(lower: Any, upper: Any, share: Any) -> Any:
    """Between two values, from the nearer one, as NumPy has it: so infinities stay what they are."""
    gap = upper - lower
    if rank(share) == 0:
        return lower + share * gap if share < 0.5 else upper - (1.0 - share) * gap
    return np.where(share < 0.5, lower + share * gap, upper - (1.0 - share) * gap)


def position(q: Any, n: Any, method: Any) -> Any:
    """Where among n numbers in order a quantile lies.

    Hyndman and Fan, Sample quantiles in statistical packages (1996).
    """
    if method == "midpoint":
        return 0.5 * (np.floor(q * (n - 1)) + np.ceil(q * (n - 1)))
    if method == "hazen":
        return np.clip(q * n - 0.5, 0.0, n - 1)
    if method == "weibull":
        return np.clip(q * (n + 1) - 1.0, 0.0, n - 1)
    if method == "median_unbiased":
        return np.clip(q * (n + 1.0 / 3.0) - 2.0 / 3.0, 0.0, n - 1)
    if method == "normal_unbiased":
        return np.clip(q * (n + 0.25) - 0.625, 0.0, n - 1)
    if method == "interpolated_inverted_cdf":
        return np.clip(q * n - 1.0, 0.0, n - 1)
    return q * (n - 1)


def nearby(q: Any, n: Any, method: Any) -> Any:
    """Which of n numbers in order a quantile is, by the methods that give one of them."""
    if method == "lower":
        return np.floor(q * (n - 1))
    if method == "higher":
        return np.ceil(q * (n - 1))
    if method == "nearest":
        return np.around((n - 1) * q)
    if method == "inverted_cdf":
        return np.maximum(np.ceil(n * q - 1.0), 0.0)
    before = np.floor(n * q - 1.5)
    is_between = (n * q - 1.5 > before) | (before % 2 == 0)
    return np.maximum(before + is_between, 0.0)


def gives_one(method: Any) -> bool:
    """Whether a method gives one of the numbers."""
    return method in ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")


def gives_between(method: Any) -> bool:
    """Whether a method gives what lies between two of the numbers."""
    lines = method in ("linear", "hazen", "weibull", "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf")
    return lines or method == "midpoint"


@composite(np.quantile)
def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    method: Any = "linear",
    keepdims: Any = False,
) -> Any:
    if not gives_one(method) and not gives_between(method):
        raise NotImplementedError("quantiles are not differentiated for this method")
    if isinstance(q, (list, tuple)):
        q = np.asarray(q)
    if rank(q) > 1:
        raise NotImplementedError("quantiles are differentiated for one fraction, or a vector of them")
    ordered = np.sort(flatten_axes(a, axis), axis=0)
    n = np.shape(ordered)[0]
    last = constant(ordered[-1:])  # the largest, or NaN where there is one
    if np.issubdtype(np.asarray(q).dtype, np.integer):
        need_fractions(np.min(q), np.max(q))
        between = ordered[q * (n - 1)]  # infinite or not
    elif gives_one(method):
        need_fractions(np.min(q), np.max(q))
        between = ordered[np.asarray(nearby(q, n, method)).astype(int)]
    elif rank(q) == 0:
        need_fractions(q, q)
        place = position(q, n, method)
        below = int(place)
        share = float(place - below)
        between = blended(ordered[below], ordered[np.minimum(below + 1, n - 1)], share)
    else:
        need_fractions(np.min(q), np.max(q))
        place = position(q, n, method)
        whole = np.floor(place)
        below = whole.astype(int)
        shares = np.reshape(place - whole, (-1, *((1,) * (rank(ordered) - 1))))
        between = blended(ordered[below], ordered[np.minimum(below + 1, n - 1)], shares)
    between = between + np.sum(np.where(np.isnan(last), last, 0.0), axis=0)
    if keepdims:
        kept = np.shape(np.sum(a, axis=axis, keepdims=True))
        return np.reshape(between, kept if rank(q) == 0 else (np.shape(q)[0], *kept))
    return between


@composite(np.percentile)
def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    method: Any = "linear",
    keepdims: Any = False,
) -> Any:
    if isinstance(q, (list, tuple)):
        q = np.asarray(q)
    return np.quantile(a, q / 100.0, axis=axis, method=method, keepdims=keepdims)


@composite(np.median)
def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: Any = False) -> Any:
    ordered = np.sort(flatten_axes(a, axis), axis=0)
    n = np.shape(ordered)[0]
    last = constant(ordered[-1:])  # the largest, or NaN where there is one
    middle = np.mean(ordered[(n - 1) // 2 : n // 2 + 1], axis=0) + np.sum(np.where(np.isnan(last), last, 0.0), axis=0)
    if keepdims:
        return np.reshape(middle, np.shape(np.sum(a, axis=axis, keepdims=True)))
    return middle


# ---------------------------------------------------------------- of what is no NaN


@composite(np.nanquantile)
def nanquantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    method: Any = "linear",
    keepdims: Any = False,
) -> Any:
    if isinstance(q, (list, tuple)):
        q = np.asarray(q)
    if method != "linear" or rank(q) > 1:
        raise NotImplementedError('np.nanquantile is differentiated for method="linear", and a vector of fractions')
    need_fractions(np.min(q), np.max(q))
    ordered = np.sort(flatten_axes(a, axis), axis=0)  # NaN last
    last = np.maximum(np.sum(~np.isnan(ordered), axis=0, keepdims=True) - 1, 0)
    place = q * last if rank(q) == 0 else np.reshape(q, (-1, *((1,) * (rank(ordered) - 1)))) * last
    below = np.floor(place).astype(int)
    lower = np.take_along_axis(ordered, below, 0)
    upper = np.take_along_axis(ordered, np.minimum(below + 1, last), 0)
    share = cast(place - below, lower) if rank(q) == 0 else place - below
    between = blended(lower, upper, share)
    if keepdims:
        kept = np.shape(np.sum(a, axis=axis, keepdims=True))
        return np.reshape(between, kept if rank(q) == 0 else (np.shape(q)[0], *kept))
    return between[0] if rank(q) == 0 else between


@composite(np.nanpercentile)
def nanpercentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    method: Any = "linear",
    keepdims: Any = False,
) -> Any:
    if isinstance(q, (list, tuple)):
        q = np.asarray(q)
    return np.nanquantile(a, q / 100.0, axis=axis, method=method, keepdims=keepdims)


@composite(np.nanmedian)
def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: Any = False) -> Any:
    ordered = np.sort(flatten_axes(a, axis), axis=0)  # NaN last
    if len(ordered):
        last = np.maximum(np.sum(~np.isnan(ordered), axis=0, keepdims=True) - 1, 0)
        middle = np.take_along_axis(ordered, last // 2, 0) + np.take_along_axis(ordered, (last + 1) // 2, 0)
        middle = 0.5 * middle[0]
    else:
        middle = np.mean(ordered, axis=0)
    return np.reshape(middle, np.shape(np.sum(a, axis=axis, keepdims=True))) if keepdims else middle
