"""Arrays of more axes than there are helpers with a loop for each: their items are counted through.

They are copied into the text of compiled derivatives, so they use nothing but NumPy and each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.compiled.helpers import step_along

__all__ = ["broadcast_like_many", "unbroadcast_many"]


def broadcast_like_many(x: Any, like: Any) -> Any:
    """x repeated up to the shape of like."""
    out = np.empty(like.shape, like.dtype)
    out[...] = x
    return out


def unbroadcast_many(x: Any, like: Any) -> Any:
    """x summed over the axes along which like was stretched, or repeated up to its shape."""
    if x.shape == like.shape:
        return x
    out = np.zeros(like.shape, x.dtype)
    items, sums = np.ascontiguousarray(x).reshape(-1), out.reshape(-1)
    count = 1
    for axis in range(x.ndim):
        count *= max(x.shape[axis], like.shape[axis])
    for k in range(count):
        rest, i, j, n, m = k, 0, 0, 1, 1
        for back in range(1, x.ndim + 1):
            a, b = x.shape[x.ndim - back], like.shape[x.ndim - back]
            length = max(a, b)
            at = rest % length
            rest //= length
            i += step_along(a, length) * at * n
            j += step_along(b, length) * at * m
            n, m = n * a, m * b
        sums[j] += items[i]
    return out
