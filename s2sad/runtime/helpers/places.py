"""Where items stand: the order of keys, extrema among them, combinations and permutations."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["combination_places", "order_of", "permutation_places", "place_of_max", "place_of_min"]


def order_of(keys: Any, reverse: bool = False) -> list[int]:
    """The places of the keys in ascending order, equal ones as they come; in descending order for ``reverse``."""
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def place_of_max(keys: Any) -> int:
    """The place of the largest key, the first of equals."""
    return max(range(len(keys)), key=keys.__getitem__)


def place_of_min(keys: Any) -> int:
    """The place of the smallest key, the first of equals."""
    return min(range(len(keys)), key=keys.__getitem__)


def combination_places(n: int, r: int) -> Any:
    """The places that each of ``itertools.combinations`` of n items is at, in rows of r."""
    total = 1
    for i in range(r):
        total = total * (n - i) // (i + 1)
    rows, row = np.empty((max(total, 0), r), np.int64), np.arange(r)
    for k in range(max(total, 0)):
        rows[k] = row
        i = r - 1
        while i > 0 and row[i] == n - r + i:
            i -= 1
        if r > 0:
            row[i] += 1
            for j in range(i + 1, r):
                row[j] = row[j - 1] + 1
    return rows


def permutation_places(n: int, r: int) -> Any:
    """The places that each of ``itertools.permutations`` of n items is at, in rows of r."""
    total = 1
    for i in range(r):
        total *= max(n - i, 0)
    rows = np.empty((total, r), np.int64)
    for k in range(total):
        left, rest, block = np.arange(n), k, total
        for i in range(r):
            block //= n - i
            place = rest // block
            rest -= place * block
            rows[k, i] = left[place]
            for j in range(place, n - i - 1):
                left[j] = left[j + 1]
    return rows
