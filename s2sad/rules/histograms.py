"""Numbers, or weights, counted by intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.rules.static import is_none
from s2sad.rules.table import composite


def of_one_width(a: Any, n: Any, range: Any) -> Any:
    """The ends of n intervals of one width, from the least to the largest item if no range is given."""
    if n < 1:
        raise ValueError("`bins` must be positive, when an integer")
    low, high = 0.0, 1.0
    if not is_none(range):
        low, high = range
    elif np.size(a) > 0:
        low, high = np.min(a), np.max(a)
    if not (low <= high and np.isfinite(high - low)):
        raise ValueError("the range of a histogram must be finite, its end no less than its beginning")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, n + 1).astype((0.5 * a[:0]).dtype)


def interval_of(items: Any, edges: Any, n: Any) -> Any:
    """The interval, of n of one width, that each item lies in, the last having both of its ends; n for no interval.

    As NumPy does it: by a quotient, which rounding puts one too low or too high at most, and a look at the ends.
    """
    low, high = edges[0], edges[n]
    inside = (items >= low) & (items <= high)
    near = (np.where(inside, items, low) - low) / (high - low) * n
    places = np.minimum(near.astype(np.int64), n - 1)
    places = np.where(items < edges[places], places - 1, places)
    places = np.where((items >= edges[places + 1]) & (places < n - 1), places + 1, places)
    return np.where(inside, places, n)


@composite(np.histogram)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    if not isinstance(bins, int):
        raise NotImplementedError("np.histogram is differentiated for a number of bins")
    items = np.ravel(a)
    edges = of_one_width(items, bins, range)
    n = bins
    places = interval_of(items, edges, n)
    if is_none(weights):
        counts = np.bincount(places, minlength=n + 1)[:n].astype(np.int64)
    else:
        if np.shape(weights) != np.shape(a):
            raise ValueError("weights should have the same shape as a.")
        shares = np.ravel(weights)
        counts = np.bincount(places, shares, n + 1)[:n].astype(shares.dtype)
    if density:
        return counts / np.diff(edges).astype(np.float64) / np.sum(counts), edges
    return counts, edges
