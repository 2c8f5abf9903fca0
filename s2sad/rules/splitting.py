"""What ``np.split`` and the like compute where the number of parts is known at run time only: lists of views.

``before`` are the full slices of the axes ahead of the one that is split, and ``length`` is the length of that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.rules.static import rank
from s2sad.runtime.stop import stop_gradient

__all__ = ["even_parts", "logs_of_sums", "logs_so_far", "parts_between", "reduced_from", "uneven_parts"]


def even_parts(array: Any, n: Any, before: Any, length: Any) -> Any:
    """As many parts of one length."""
    need_sections(n)
    if length % n:
        raise ValueError("array split does not result in an equal division")
    size = length // n
    return [array[(*before, slice(k * size, (k + 1) * size))] for k in range(n)]


def uneven_parts(array: Any, n: Any, before: Any, length: Any) -> Any:
    """As many parts, the first of which are longer by one."""
    need_sections(n)
    size, more = divmod(length, n)
    return [array[(*before, slice(k * size + min(k, more), (k + 1) * size + min(k + 1, more)))] for k in range(n)]


def need_sections(n: Any) -> None:
    """At least one part is asked for."""
    if n < 1:
        raise ValueError("the number of sections must be larger than 0")


def parts_between(array: Any, cuts: Any, before: Any, length: Any) -> Any:
    """The parts between places along the axis, its ends included."""
    starts, stops = [0, *cuts], [*cuts, length]
    return [array[(*before, slice(starts[k], stops[k]))] for k in range(len(starts))]


def reduced_from(reduce: Any, array: Any, indices: Any, axis: Any = 0) -> Any:
    """What ``reduceat(array, indices, axis)`` of a ufunc computes, ``np.sum`` being the reduction by ``np.add``: what
    is between each place and the next, reduced; an item if that is not behind it."""
    turned = np.moveaxis(array, axis, 0)
    ends = [*indices[1:], len(turned)]
    if rank(turned) == 1:
        return np.array([reduce(turned[i:j]) if i < j else turned[i] for i, j in zip(indices, ends, strict=True)])
    parts = [reduce(turned[i:j], axis=0) if i < j else turned[i] for i, j in zip(indices, ends, strict=True)]
    return np.moveaxis(np.stack(parts), 0, axis)


def logs_of_sums(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    """What ``np.logaddexp.reduce(array, axis)`` computes: logarithms of sums of exponentials."""
    largest = stop_gradient(np.max(array, axis=axis, keepdims=True, initial=-np.inf))
    largest = np.where(np.isfinite(largest), largest, 0.0)
    sums = np.sum(np.exp(array - largest), axis=axis, keepdims=keepdims)
    return np.log(sums) + (largest if keepdims else np.sum(largest, axis=axis))  # along axes of length one


def logs_so_far(array: Any, axis: Any = 0) -> Any:
    """What ``np.logaddexp.accumulate(array, axis)`` computes, item by item: exponentials of all might overflow."""
    turned = np.moveaxis(np.asarray(array), axis, 0)
    sums = np.array(turned)
    for k in range(1, len(turned)):
        sums[k] = np.logaddexp(sums[k - 1], turned[k])
    return np.moveaxis(sums, 0, axis)
