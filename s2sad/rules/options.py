"""Calls with optional arguments that make another function of it, computed by calls without them."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.rules.reductions import as_it_is, in_dtype, total
from s2sad.rules.static import is_literal, is_none, rank, same_shape
from s2sad.rules.table import composite
from s2sad.runtime.helpers import astype, cast, flatten_axes

# ---------------------------------------------------------------- reductions of some of the items


def mask_of(where: Any, a: Any) -> Any:
    """Which items of a are meant: NumPy stretches the mask, and never a."""
    return where if same_shape(where, a) else np.broadcast_to(where, np.shape(a))


def chosen(a: Any, where: Any, neutral: Any) -> Any:
    """a, with what a reduction leaves out replaced by what makes no difference to it."""
    if is_literal(where) and where:
        return a
    return np.where(mask_of(where, a), a, neutral)


@composite(np.sum, given=("initial", "where"))
def sum_of_some(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    a = in_dtype(a, dtype)
    result = total(chosen(a, where, 0), axis, keepdims)
    return result if is_none(initial) else cast(result + as_computed(initial, result), result)


@composite(np.prod, given=("dtype", "initial", "where"))
def product_of_some(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    a = in_dtype(a, dtype)
    product = np.prod(chosen(a, where, 1), axis=axis, keepdims=keepdims)
    return product if is_none(initial) else cast(product * as_computed(initial, product), product)


def as_computed(initial: Any, result: Any) -> Any:
    """What a reduction starts with: of integers an integer, cut off."""
    if np.issubdtype(np.asarray(result).dtype, np.integer):
        return astype(np.asarray(initial), np.asarray(result).dtype)
    return initial


@composite(np.cumprod, given=("dtype",))
def running_product_in(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    return np.cumprod(in_dtype(a, dtype), axis)


@composite(np.max, np.amax, given=("initial", "where"))
def max_of_some(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    if is_none(initial):
        all_of_them(where)
        return np.max(a, axis=axis, keepdims=keepdims)
    return kept_axes(np.max(with_initial(a, axis, initial, where), axis=0), a, axis, keepdims)


@composite(np.min, np.amin, given=("initial", "where"))
def min_of_some(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    if is_none(initial):
        all_of_them(where)
        return np.min(a, axis=axis, keepdims=keepdims)
    return kept_axes(np.min(with_initial(a, axis, initial, where), axis=0), a, axis, keepdims)


def all_of_them(where: Any) -> None:
    """Refuse an extremum of some items, of which there may be none."""
    if not (is_literal(where) and where):
        raise NotImplementedError("an extremum of the items chosen by where= needs initial=")


def with_initial(a: Any, axis: Any, initial: Any, where: Any) -> Any:
    """The items along the first axis, among them the one an extremum starts with, also for those left out."""
    items = flatten_axes(chosen(a, where, initial), axis)
    first = np.full(np.shape(np.any(items, axis=0, keepdims=True)), initial, dtype=items.dtype)
    return np.concatenate((first, items))


def kept_axes(x: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    """The result of a reduction over the first axis of ``flatten_axes(a, axis)``, with the axes that are kept."""
    return np.reshape(x, np.shape(np.any(a, axis=axis, keepdims=True))) if keepdims else x


@composite(np.mean, given=("where",))
def mean_of_some(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, where: Any = True
) -> Any:
    a = in_dtype(a, dtype)
    result = total(chosen(a, where, 0), axis, keepdims)
    return result / cast(total(mask_of(where, a), axis, keepdims), result)


@composite(np.var, given=("dtype", "where", "mean", "correction"))
def variance_of_some(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    a = in_dtype(a, dtype)
    lost = ddof if is_none(correction) else correction
    if is_none(mean) and is_literal(where) and where:
        return np.var(a, axis=axis, ddof=lost, keepdims=keepdims)
    squares = total(deviations(a, axis, where, mean) ** 2, axis, keepdims)
    return squares / freedom(a, axis, keepdims, where, lost, squares)


@composite(np.std, given=("dtype", "where", "mean", "correction"))
def deviation_of_some(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    a = in_dtype(a, dtype)
    lost = ddof if is_none(correction) else correction
    if is_none(mean) and is_literal(where) and where:
        return np.std(a, axis=axis, ddof=lost, keepdims=keepdims)
    size = np.linalg.norm(flatten_axes(deviations(a, axis, where, mean), axis), axis=0)
    size = kept_axes(size, a, axis, keepdims)
    return size / np.sqrt(freedom(a, axis, keepdims, where, lost, size))


def deviations(a: Any, axis: Any, where: Any, mean: Any) -> Any:
    """How far the items that are meant are from their mean, or from the one given; zero for the others."""
    if is_none(mean):
        mean = np.mean(a, axis=axis, keepdims=True, where=where)
    return chosen(np.asarray(a) - np.asarray(mean), where, 0)


def freedom(a: Any, axis: Any, keepdims: Any, where: Any, lost: Any, like: Any) -> Any:
    """How many items are meant, less the lost degrees of freedom; not below zero."""
    known = total(mask_of(where, a), axis, keepdims)
    return cast(np.maximum(known - lost, 0), like)


# ---------------------------------------------------------------- of those that are no NaN


@composite(np.nansum, given=("initial", "where"))
def known_sum_of_some(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    a = in_dtype(a, dtype)
    known = np.where(np.isnan(a), 0.0, a)
    return sum_of_some(known, axis, keepdims=keepdims, initial=initial, where=where)


@composite(np.nanprod, given=("initial", "where"))
def known_product_of_some(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    a = in_dtype(a, dtype)
    known = np.where(np.isnan(a), 1.0, a)
    return product_of_some(known, axis, keepdims=keepdims, initial=initial, where=where)


@composite(np.nanmax, given=("initial", "where"))
def known_max_of_some(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    if is_none(initial):
        all_of_them(where)
        return np.nanmax(a, axis=axis, keepdims=keepdims)
    return np.max(chosen(a, ~np.isnan(a), initial), axis=axis, keepdims=keepdims, initial=initial, where=where)


@composite(np.nanmin, given=("initial", "where"))
def known_min_of_some(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    if is_none(initial):
        all_of_them(where)
        return np.nanmin(a, axis=axis, keepdims=keepdims)
    return np.min(chosen(a, ~np.isnan(a), initial), axis=axis, keepdims=keepdims, initial=initial, where=where)


@composite(np.nanmean, given=("where",))
def known_mean_of_some(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    a = in_dtype(a, dtype)
    return np.mean(a, axis=axis, keepdims=keepdims, where=~np.isnan(a) & where)


@composite(np.nanvar, given=("where", "mean", "correction"))
def known_variance_of_some(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    as_it_is(dtype)
    lost = ddof if is_none(correction) else correction
    return np.var(a, axis=axis, ddof=lost, keepdims=keepdims, where=~np.isnan(a) & where, mean=mean)


@composite(np.nanstd, given=("where", "mean", "correction"))
def known_deviation_of_some(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    as_it_is(dtype)
    lost = ddof if is_none(correction) else correction
    return np.std(a, axis=axis, ddof=lost, keepdims=keepdims, where=~np.isnan(a) & where, mean=mean)


# ---------------------------------------------------------------- differences and slopes


@composite(np.diff, given=("prepend", "append"))
def diff_with_ends(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    if n == 0:
        return np.copy(a)
    if not is_none(prepend):
        a = np.concatenate((one_slice(prepend, a, axis), a), axis)
    if not is_none(append):
        a = np.concatenate((a, one_slice(append, a, axis)), axis)
    return np.diff(a, n, axis)


def one_slice(x: Any, a: Any, axis: Any) -> Any:
    """What is put beside a: a number stands for a slice of it."""
    return np.full(np.shape(np.any(a, axis=axis, keepdims=True)), x) if rank(x) == 0 else x


@composite(np.interp, given=("left", "right", "period"))
def interp_beyond(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    if not is_none(period):
        return interp_around(x, np.asarray(xp), np.asarray(fp), np.abs(period))
    x, y = np.asarray(x), np.interp(x, xp, fp)
    if not is_none(left):
        y = np.where(x < xp[0], left, y)[()]
    return y if is_none(right) else np.where(x > xp[-1], right, y)[()]


def interp_around(x: Any, xp: Any, fp: Any, period: Any) -> Any:
    """np.interp of what repeats itself: the last point is before the first too, and the first after the last."""
    order = np.argsort(xp % period)
    xp, fp = (xp % period)[order], fp[order]
    xp = np.concatenate((xp[-1:] - period, xp, xp[:1] + period))
    return np.interp(np.asarray(x) % period, xp, np.concatenate((fp[-1:], fp, fp[:1])))


@composite(np.linspace, given=("retstep",))
def linspace_with_step(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None, axis: Any = 0
) -> Any:
    points = np.linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)
    gaps = num - 1 if endpoint else num
    return (points, np.subtract(stop, start) / gaps if gaps > 0 else np.nan) if retstep else points


@composite(np.meshgrid, given=("sparse",))
def meshgrid_of_axes(*xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy") -> Any:
    if not sparse or not copy:
        raise NotImplementedError("np.meshgrid is handled with sparse=True where it copies: leave out what is as usual")
    parts: Any = ()
    for i, x in enumerate(xi):
        place = 1 - i if indexing == "xy" and i < 2 and len(xi) > 1 else i
        shape = (1,) * place + (-1,) + (1,) * (len(xi) - 1 - place)
        parts = (*parts, np.copy(np.reshape(x, shape)))
    return parts


@composite(np.take, given=("mode",))
def take_within(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
    n = np.size(a) if is_none(axis) else np.shape(a)[axis]
    if mode == "wrap":
        return np.take(a, np.asarray(indices) % n, axis)
    if mode == "clip":
        return np.take(a, np.clip(indices, 0, n - 1), axis)
    return np.take(a, indices, axis)
