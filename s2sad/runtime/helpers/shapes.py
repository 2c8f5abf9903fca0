"""Joining, tiling, padding, windows and diagonals, undone; axes made one and parted again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad.runtime.helpers.adjoints import cast, unbroadcast, zeros_like
from s2sad.runtime.helpers.subscripts import untake_flat

__all__ = [
    "axes_back",
    "crop",
    "diagonal_mask",
    "doubled",
    "exclusive_prod",
    "flatten_axes",
    "join_like",
    "resized",
    "running_places",
    "scaled_ends",
    "split_like",
    "undiag",
    "undiagonal",
    "unflatten_axes",
    "unpad",
    "unslide",
    "unstack",
    "untile",
    "upper_mask",
]


def flatten_axes(a: Any, axis: Any = None) -> Any:
    """a with the given axes made one, the first."""
    if axis is None:
        return np.reshape(a, -1)
    axes = axis if isinstance(axis, tuple) else (axis,)
    a = np.moveaxis(a, axes, range(len(axes)))
    return np.reshape(a, (math.prod(a.shape[: len(axes)]), *a.shape[len(axes) :]))


def unflatten_axes(x: Any, like: Any, axis: Any = None) -> Any:
    """flatten_axes undone."""
    if axis is None:
        return cast(np.reshape(x, np.shape(like)), like)
    axes = axis if isinstance(axis, tuple) else (axis,)
    shape = [np.shape(like)[i] for i in axes]
    return np.moveaxis(np.reshape(x, (*shape, *x.shape[1:])), range(len(axes)), axes)


def exclusive_prod(a: Any) -> Any:
    """For each item along the first axis of a, the product of the others."""
    one = np.ones_like(a, shape=(1, *a.shape[1:]))
    before = np.cumprod(np.concatenate((one, a[:-1])), axis=0)
    after = np.cumprod(np.concatenate((one, a[:0:-1])), axis=0)[::-1]
    return before[: len(a)] * after[: len(a)]


def diagonal_mask(a: Any) -> Any:
    """The n by n mask of the diagonal, for a whose first axis has length n."""
    return np.eye(len(a), dtype=bool).reshape(len(a), len(a), *(1,) * (a.ndim - 1))


def upper_mask(a: Any) -> Any:
    """The n by n mask of the upper triangle, for a whose first axis has length n."""
    return np.triu(np.ones((len(a), len(a)), bool)).reshape(len(a), len(a), *(1,) * (a.ndim - 1))


def split_like(x: Any, arrays: Any, axis: Any = 0) -> Any:
    """x cut along axis into parts with the sizes, then the shapes, of arrays."""
    axis = 0 if axis is None else axis % x.ndim
    parts, start, rest = [], 0, max(x.size // max(x.shape[axis], 1), 1)
    before = (slice(None),) * axis
    for a in arrays:
        shape = np.shape(a)
        stop = start + math.prod(shape) // rest
        part = x[(*before, slice(start, stop))]
        parts.append(unbroadcast(part if part.shape == shape else part.reshape(shape), a))
        start = stop
    return parts


def join_like(parts: Any, like: Any, axis: Any = 0) -> Any:
    """split_like undone: the parts put together along axis to the shape of like."""
    if axis is None:
        return np.concatenate(parts, axis=None)
    shape = list(np.shape(like))
    shape[axis] = 1
    size = max(math.prod(shape), 1)
    axis = axis % len(shape)
    joined = [np.reshape(p, (*shape[:axis], np.size(p) // size, *shape[axis + 1 :])) for p in parts]
    return np.concatenate(joined, axis)


def unstack(x: Any, arrays: Any, axis: Any = 0) -> Any:
    """The slices of x along axis: what np.stack(arrays, axis) put together."""
    return [cast(part, a) for part, a in zip(np.moveaxis(x, axis, 0), arrays, strict=True)]


def untile(x: Any, like: Any, reps: Any) -> Any:
    """The copies of like that np.tile made, summed."""
    reps = (1,) * (np.ndim(x) - np.size(reps)) + tuple(np.ravel(reps))
    shape = (1,) * (np.ndim(x) - np.ndim(like)) + np.shape(like)
    pairs = [n for pair in zip(reps, shape, strict=True) for n in pair]
    summed = np.sum(np.reshape(x, pairs), axis=tuple(range(0, len(pairs), 2)))
    return cast(np.reshape(summed, np.shape(like)), like)


def crop(x: Any, like: Any, pad_width: Any) -> Any:
    """The part of x, of the shape of like, that np.pad put zeros around."""
    before = np.broadcast_to(pad_width, (np.ndim(like), 2))[:, 0]
    return x[tuple(slice(b, b + n) for b, n in zip(before, np.shape(like), strict=True))]


def unpad(x: Any, like: Any, pad_width: Any, mode: Any) -> Any:
    """The items of x added to those of like that np.pad copied there."""
    source = np.pad(np.arange(np.size(like)).reshape(np.shape(like)), pad_width, mode)
    return untake_flat(x, source, like)


def running_places(a: Any, extremum: Any, axis: int = 0) -> Any:
    """Where along an axis each of its running extrema is; of equal ones, the last so far."""
    n = np.shape(a)[axis]
    steps = np.reshape(np.arange(n), [-1 if k == axis % np.ndim(a) else 1 for k in range(np.ndim(a))])
    return np.maximum.accumulate(np.where((a == extremum) | np.isnan(a), steps, 0), axis)


def unslide(x: Any, like: Any, window_shape: Any, axis: Any = None) -> Any:
    """The adjoint of np.lib.stride_tricks.sliding_window_view: the items of windows added where they come from."""
    out = zeros_like(like)
    axes = range(out.ndim) if axis is None else np.ravel(axis)
    for place in np.ndindex(*np.ravel(window_shape)):
        firsts = [0] * out.ndim
        for k, first in zip(axes, place, strict=True):
            firsts[k] += first
        part = x[(..., *place)]
        out[tuple(slice(first, first + n) for first, n in zip(firsts, part.shape, strict=True))] += part
    return out


def undiagonal(x: Any, like: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """Zeros like like, with x on the diagonal that np.diagonal read."""
    out = zeros_like(like)
    i = np.arange(np.shape(x)[-1])
    np.moveaxis(out, (axis1, axis2), (0, 1))[i - min(offset, 0), i + max(offset, 0)] = np.moveaxis(x, -1, 0)
    return out


def undiag(x: Any, like: Any, k: Any = 0) -> Any:
    """The adjoint of np.diag(like, k)."""
    return np.diag(x, k) if np.ndim(like) == 1 else undiagonal(x, like, k)


def resized(x: Any, like: Any) -> Any:
    """x cut, or filled up with zeros, to the shape of like."""
    if x.shape == like.shape:
        return x
    out = np.zeros(like.shape, x.dtype)
    kept = tuple(slice(min(sizes)) for sizes in zip(x.shape, like.shape, strict=True))
    out[kept] = x[kept]
    return out


def doubled(x: Any, n: int, axis: int) -> Any:
    """x with the terms doubled that stand for two of a transform of n real numbers along an axis."""
    weights = np.full(x.shape[axis], 2.0, x.real.dtype)
    weights[0] = 1.0
    if n % 2 == 0:
        weights[-1] = 1.0
    return x * np.expand_dims(weights, tuple(range(1, -axis if axis < 0 else x.ndim - axis)))


def scaled_ends(x: Any, first: float, last: float, axis: int) -> Any:
    """x with its first and last items along an axis times a factor each."""
    out = x.copy()
    ends = np.moveaxis(out, axis, 0)
    ends[0] *= first
    ends[-1] *= last
    return out


def axes_back(axes: Any, rank: int) -> Any:
    """The axes by which a second transpose gives what there was before one by these."""
    return np.argsort(np.mod(axes, rank))
