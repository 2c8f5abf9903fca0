"""Functions that choose among items, put them in order, or make arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.rules.static import is_none, known_rank, rank
from s2sad.rules.table import adjoint, composite, linear, tangent, zero_derivative
from s2sad.runtime.helpers import (
    astype,
    axes_back,
    cast,
    complex_zero_leaf,
    complex_zeros,
    count,
    diagonal_mask,
    least_squares,
    ones_like,
    running_places,
    scatter,
    unbroadcast,
    untake,
    untake_along_axis,
    upper_mask,
    where_larger,
    zero_item,
    zero_items,
    zero_leaf,
    zeros_like,
)

# ---------------------------------------------------------------- choosing


@tangent(np.where)
def where(condition: Any, x: Any = None, y: Any = None, *, dx: Any, dy: Any) -> Any:
    return np.where(condition, dx, dy)


@adjoint(np.where, wrt=("x", "y"))
def where_adjoint(condition: Any, x: Any = None, y: Any = None, *, ct: Any) -> Any:
    return unbroadcast(np.where(condition, ct, 0.0), x), unbroadcast(np.where(condition, 0.0, ct), y)


@tangent(np.clip)
def clip(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    *,
    min: Any = None,
    max: Any = None,
    da: Any,
    da_min: Any = 0.0,
    da_max: Any = 0.0,
    dmin: Any = 0.0,
    dmax: Any = 0.0,
) -> Any:
    if not is_none(a_min):
        da, a = where_larger(da, a, a_min) + where_larger(da_min, a_min, a), np.maximum(a, a_min)
    if not is_none(min):
        da, a = where_larger(da, a, min) + where_larger(dmin, min, a), np.maximum(a, min)
    if not is_none(a_max):
        da = where_larger(da, a_max, a) + where_larger(da_max, a, a_max)
    if not is_none(max):
        da = where_larger(da, max, a) + where_larger(dmax, a, max)
    return da


@adjoint(np.clip, wrt=("a", "a_min", "a_max", "min", "max"))
def clip_adjoint(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None, ct: Any) -> Any:
    low = min if is_none(a_min) else a_min
    high = max if is_none(a_max) else a_max
    b_low = b_high = 0.0
    raised = a if is_none(low) else np.maximum(a, low)
    if not is_none(high):
        b_high = unbroadcast(where_larger(ct, raised, high), high)
        ct = where_larger(ct, high, raised)
    if not is_none(low):
        b_low = unbroadcast(where_larger(ct, low, a), low)
        ct = where_larger(ct, a, low)
    return unbroadcast(ct, a), b_low, b_high, b_low, b_high


@composite(np.nan_to_num)
def nan_to_num(x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    if not copy:
        raise NotImplementedError("np.nan_to_num with copy=False changes its argument: assign its result instead")
    limits = np.finfo(np.result_type(np.asarray(x), np.float16))
    x = np.where(np.isnan(x), nan, x)
    x = np.where(np.isposinf(x), limits.max if is_none(posinf) else posinf, x)
    return np.where(np.isneginf(x), limits.min if is_none(neginf) else neginf, x)[()]


@tangent(np.sort)
def sort(a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None, da: Any) -> Any:
    order = np.argsort(a, axis, kind="stable")
    if is_none(axis):
        return np.take(da, order)
    return np.take_along_axis(da, order, axis)


@adjoint(np.sort, wrt="a")
def sort_adjoint(a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None, ct: Any) -> Any:
    order = np.argsort(a, axis, kind="stable")
    if is_none(axis):
        return untake(ct, order, a)
    return untake_along_axis(ct, order, a, axis)


@tangent(np.partition)
def partition(a: Any, kth: Any, axis: Any = -1, *, result: Any, da: Any) -> Any:
    return np.take_along_axis(da, order_of_parts(a, result, axis), axis)


@adjoint(np.partition, wrt="a")
def partition_adjoint(a: Any, kth: Any, axis: Any = -1, *, result: Any, ct: Any) -> Any:
    return untake_along_axis(ct, order_of_parts(a, result, axis), a, axis)


def order_of_parts(a: Any, result: Any, axis: Any) -> Any:
    """The places of the items in a: argpartition may have another order within the parts than partition."""
    places = np.argsort(np.argsort(result, axis, kind="stable"), axis, kind="stable")
    return np.take_along_axis(np.argsort(a, axis, kind="stable"), places, axis)


@linear(np.take, wrt="a")
def take(a: Any, indices: Any, axis: Any = None, *, ct: Any) -> Any:
    return untake(ct, indices, a, axis)


@linear(untake, wrt="x")
def untake_(x: Any, indices: Any, like: Any, axis: Any = None, *, ct: Any) -> Any:
    return np.take(ct, indices, axis)


@linear(np.take_along_axis, wrt="arr")
def take_along_axis(arr: Any, indices: Any, axis: Any = -1, *, ct: Any) -> Any:
    return untake_along_axis(ct, indices, arr, axis)


@linear(untake_along_axis, wrt="x")
def untake_along_axis_(x: Any, indices: Any, like: Any, axis: Any = -1, *, ct: Any) -> Any:
    return np.take_along_axis(ct, indices, axis)


@linear(scatter, wrt="x")
def scatter_(x: Any, index: Any, like: Any, *, ct: Any) -> Any:
    return ct[index]


@composite(np.compress)
def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    return np.take(a, np.flatnonzero(condition), axis)


@composite(np.extract)
def extract(condition: Any, arr: Any) -> Any:
    return np.take(arr, np.flatnonzero(condition))


@linear(np.delete, wrt="arr")
def delete(arr: Any, obj: Any, axis: Any = None, *, ct: Any) -> Any:
    n = np.size(arr) if is_none(axis) else np.shape(arr)[axis]
    return untake(ct, np.delete(np.arange(n), obj), arr, axis)


@composite(np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    result = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = np.where(condition, choice, result)
    return result


@composite(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    """Each item of the array that an index names, all stretched to one shape."""
    n, a = len(choices), np.asarray(a)
    if mode == "wrap":
        a = a % n
    elif mode == "clip":
        a = np.clip(a, 0, n - 1)
    elif np.any((a < 0) | (a >= n)):
        raise ValueError("invalid entry in choice array")
    result = choices[0]
    for i, choice in enumerate(choices):
        result = np.where(a == i, choice, result)
    return result


@tangent(np.maximum.accumulate, np.minimum.accumulate)
def running_extremum(array: Any, axis: Any = 0, dtype: Any = None, *, result: Any, darray: Any) -> Any:
    return np.take_along_axis(darray, running_places(array, result, axis), axis)


@adjoint(np.maximum.accumulate, np.minimum.accumulate, wrt="array")
def running_extremum_adjoint(array: Any, axis: Any = 0, dtype: Any = None, *, result: Any, ct: Any) -> Any:
    return untake_along_axis(ct, running_places(array, result, axis), array, axis)


# ---------------------------------------------------------------- making arrays


@linear(np.full, wrt="fill_value")
def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", *, ct: Any) -> Any:
    return unbroadcast(ct, fill_value)


@linear(np.full_like, wrt="fill_value")
def full_like(a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", *, ct: Any) -> Any:
    return unbroadcast(ct, fill_value)


@tangent(np.linspace)
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    *,
    dtype: Any = None,
    axis: Any = 0,
    dstart: Any,
    dstop: Any,
) -> Any:
    return np.linspace(dstart, dstop, num, endpoint, dtype=dtype, axis=axis)


@adjoint(np.linspace, wrt=("start", "stop"))
def linspace_adjoint(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, *, dtype: Any = None, axis: Any = 0, ct: Any
) -> Any:
    along = np.linspace(0.0, 1.0, num, endpoint)
    if axis != 0:
        ct = np.moveaxis(ct, axis, 0)
    late = along @ ct if known_rank(ct) == 1 else np.tensordot(along, ct, axes=1)
    return unbroadcast(np.sum(ct, axis=0) - late, start), unbroadcast(late, stop)


@tangent(np.geomspace)
def geomspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    dtype: Any = None,
    axis: Any = 0,
    *,
    result: Any,
    dstart: Any = 0.0,
    dstop: Any = 0.0,
) -> Any:
    moved = result * np.linspace(dstart / start, dstop / stop, num, endpoint, axis=axis)
    return moved if is_none(dtype) else cast(moved, result)


@adjoint(np.geomspace, wrt=("start", "stop"))
def geomspace_adjoint(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    dtype: Any = None,
    axis: Any = 0,
    *,
    result: Any,
    ct: Any,
) -> Any:
    bstart, bstop = linspace_adjoint(start, stop, num, endpoint, axis=axis, ct=ct * result)
    return bstart / start, bstop / stop


@composite(np.logspace)
def logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0, dtype: Any = None, axis: Any = 0
) -> Any:
    if rank(base) > 0:  # stretched like the ends, which tells what the axis is counted among
        base = np.asarray(base)
        n = max(rank(start), rank(stop), rank(base))
        start, stop, base = np.array(start, ndmin=n), np.array(stop, ndmin=n), np.array(base, ndmin=n)
        base = np.expand_dims(base, axis)
    points = base ** np.linspace(start, stop, num, endpoint, axis=axis)
    return points if is_none(dtype) else astype(points, dtype)


@tangent(np.arange)
def arange(
    start: Any,
    stop: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    result: Any,
    dstart: Any,
    dstop: Any = 0.0,
    dstep: Any = 0.0,
) -> Any:
    if is_none(stop):
        return np.zeros_like(result)
    moved = dstart + dstep * np.arange(np.size(result))
    return moved if is_none(dtype) else cast(moved, result)


@adjoint(np.arange, wrt=("start", "stop", "step"))
def arange_adjoint(start: Any, stop: Any = None, step: Any = 1, *, dtype: Any = None, ct: Any) -> Any:
    if is_none(stop):
        return 0.0, 0.0, 0.0
    return np.sum(ct), 0.0, ct @ np.arange(np.size(ct))


@linear(np.diff, wrt="a")
def diff(a: Any, n: Any = 1, axis: Any = -1, *, ct: Any) -> Any:
    if n == 1:
        return summed_back(a, ct, axis)
    if n == 2:  # written down, so that no loop has arrays of several lengths
        return summed_back(a, summed_back(part(a, slice(1, None), axis), ct, axis), axis)
    for _ in range(min(n, np.shape(a)[axis])):
        ct = summed_back(a, ct, axis)
    return ct


def summed_back(a: Any, ct: Any, axis: Any) -> Any:
    """The adjoint of what neighbours along an axis differ by."""
    edge = np.zeros_like(part(a, slice(None, 1), axis))  # the cotangent may have no items
    return -np.diff(np.concatenate((edge, ct, edge), axis), axis=axis)


def part(a: Any, items: Any, axis: Any) -> Any:
    """A slice along an axis, which is not read where only its shape is asked for."""
    if rank(a) == 1:
        return a[items]
    return np.swapaxes(np.swapaxes(a, axis, 0)[items], axis, 0)


@composite(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    differences = np.diff(np.ravel(ary))
    if not is_none(to_begin):
        differences = np.concatenate((np.ravel(np.asarray(to_begin, dtype=differences.dtype)), differences))
    if not is_none(to_end):
        differences = np.concatenate((differences, np.ravel(np.asarray(to_end, dtype=differences.dtype))))
    return differences


@tangent(np.unwrap)
def unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = None, dp: Any) -> Any:
    return dp


@adjoint(np.unwrap, wrt="p")
def unwrap_adjoint(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = None, ct: Any) -> Any:
    return ct


@tangent(np.meshgrid)
def meshgrid(*xi: Any, indexing: Any = "xy", dxi: Any) -> Any:
    return np.meshgrid(*dxi, indexing=indexing)


@adjoint(np.meshgrid, wrt="xi")
def meshgrid_adjoint(*xi: Any, indexing: Any = "xy", ct: Any) -> Any:
    swapped = indexing == "xy" and len(xi) > 1
    parts: Any = ()
    for i, x in enumerate(xi):
        place = 1 - i if swapped and i < 2 else i
        others: Any = ()
        for j, _ in enumerate(xi):
            if j != place:
                others = (*others, j)
        parts = (*parts, unbroadcast(np.reshape(np.sum(ct[i], axis=others), np.shape(x)), x))
    return parts


@tangent(np.interp)
def interp(x: Any, xp: Any, fp: Any, *, result: Any, dx: Any, dxp: Any, dfp: Any) -> Any:
    i, share = interval(x, xp)
    slope = interval_slope(x, xp, fp, i)
    moved = dx - (1.0 - share) * dxp[i] - share * dxp[i + 1]
    return cast((1.0 - share) * dfp[i] + share * dfp[i + 1] + slope * moved, result)


@adjoint(np.interp, wrt=("x", "xp", "fp"))
def interp_adjoint(x: Any, xp: Any, fp: Any, *, ct: Any) -> Any:
    i, share = interval(x, xp)
    bx = ct * interval_slope(x, xp, fp, i)
    bxp = untake((share - 1.0) * bx, i, xp) - untake(share * bx, i + 1, xp)
    bfp = untake((1.0 - share) * ct, i, fp) + untake(share * ct, i + 1, fp)
    return unbroadcast(bx, x), bxp, bfp


def interval(x: Any, xp: Any) -> Any:
    """Between which points each x lies, and how far along."""
    i = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, len(xp) - 2)
    return i, np.clip((x - xp[i]) / (xp[i + 1] - xp[i]), 0.0, 1.0)


def interval_slope(x: Any, xp: Any, fp: Any, i: Any) -> Any:
    """The slope at each x of what np.interp draws: zero outside."""
    inside = (xp[0] <= x) & (x <= xp[-1])
    return np.where(inside, (fp[i + 1] - fp[i]) / (xp[i + 1] - xp[i]), 0.0)


@tangent(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None, *, darr: Any, dvalues: Any) -> Any:
    return np.insert(darr, obj, dvalues, axis)


@adjoint(np.insert, wrt=("arr", "values"))
def insert_adjoint(arr: Any, obj: Any, values: Any, axis: Any = None, *, ct: Any) -> Any:
    n = np.size(arr) if is_none(axis) else np.shape(arr)[axis]
    m = (np.size(ct) if is_none(axis) else np.shape(ct)[axis]) - n
    order = np.argsort(np.insert(np.arange(n), obj, n + np.arange(m)))
    kept, added = np.take(ct, order[:n], axis), np.take(ct, order[n:], axis)
    if not is_none(axis) and not isinstance(obj, slice) and np.ndim(obj) == 0:
        added = np.moveaxis(added, axis, 0)
    return np.reshape(kept, np.shape(arr)), unbroadcast(added, values)


@linear(np.bincount, wrt="weights")
def bincount(x: Any, weights: Any = None, minlength: Any = 0, *, ct: Any) -> Any:
    return cast(np.take(ct, x), weights)


@composite(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    f = np.asarray(f)
    if is_none(axis) and rank(f) > 3:
        raise NotImplementedError("np.gradient is differentiated for up to three axes at once")
    axes = (0, 1, 2)[: rank(f)] if is_none(axis) else axis if isinstance(axis, tuple) else (axis,)
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0, 1.0, 1.0)
    if len(axes) == 1:
        return slopes(f, steps[0], axes[0], edge_order)
    parts: Any = ()
    for i, k in enumerate(axes):
        parts = (*parts, slopes(f, steps[i], k, edge_order))
    return parts


def slopes(f: Any, step: Any, axis: Any, edge_order: Any) -> Any:
    """Second-order differences along an axis, at its ends those of the order given."""
    f = np.moveaxis(f, axis, -1)
    if np.shape(f)[-1] <= edge_order:
        raise ValueError("the array is too short for a numerical gradient, which takes (edge_order + 1) items")
    before, after = f[..., 1:-1] - f[..., :-2], f[..., 2:] - f[..., 1:-1]
    gap = np.diff(step) if rank(step) else step
    if rank(step) == 0:
        first, last = (f[..., 1:2] - f[..., :1]) / step, (f[..., -1:] - f[..., -2:-1]) / step
        inner = 0.5 * (before + after) / step
    else:
        first, last = (f[..., 1:2] - f[..., :1]) / gap[0], (f[..., -1:] - f[..., -2:-1]) / gap[-1]
        inner = (before / gap[:-1] * gap[1:] + after / gap[1:] * gap[:-1]) / (gap[:-1] + gap[1:])
    if edge_order == 2:
        near, next_to = (gap, gap) if rank(step) == 0 else (gap[0], gap[1])
        first = end_slope(f[..., :1], f[..., 1:2], f[..., 2:3], -near, -next_to)
        near, next_to = (gap, gap) if rank(step) == 0 else (gap[-1], gap[-2])
        last = end_slope(f[..., -1:], f[..., -2:-1], f[..., -3:-2], near, next_to)
    return cast(np.moveaxis(np.concatenate((first, inner, last), -1), -1, axis), f)


def end_slope(end: Any, second: Any, third: Any, near: Any, next_to: Any) -> Any:
    """The slope at its end of the parabola through three points, which are so far apart."""
    both = near + next_to
    return (
        (2.0 * near + next_to) / (near * both) * end
        - both / (near * next_to) * second
        + near / (next_to * both) * third
    )


@composite(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    p = np.asarray(p)
    y = np.zeros_like(x)[()]  # of a number a number, as the sum is
    for i in range(len(p)):
        y = y * x + p[i]
    return y


@composite(np.vander)
def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    x = np.asarray(x)
    n = len(x) if is_none(N) else N
    factors = np.concatenate((np.ones((len(x), 1), dtype=int), np.repeat(x[:, None], n, axis=1)), axis=1)
    powers = np.cumprod(factors[:, :n], axis=1)  # not x ** k, whose second slope is not known at zero
    return powers if increasing else powers[:, ::-1]


@composite(np.polyfit)
def polyfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None, cov: Any = False) -> Any:
    if full or cov:
        raise NotImplementedError("np.polyfit is differentiated for the coefficients alone")
    x, y = np.asarray(x), np.asarray(y)
    columns = np.vander(x, deg + 1)
    if not is_none(w):
        w = np.asarray(w)
        columns, y = columns * w[:, None], y * (w if rank(y) == 1 else w[:, None])
    scale = np.sqrt(np.sum(columns * columns, axis=0))
    cutoff = len(x) * np.finfo((x + 0.0).dtype).eps if is_none(rcond) else rcond
    return np.transpose(np.transpose(least_squares(columns / scale, y, cutoff)) / scale)


zero_derivative(
    *(np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like, np.eye, np.identity, np.tri),
    *(np.shape, np.size, np.ndim, np.argmax, np.argmin, np.argsort, np.argpartition, np.lexsort, np.argwhere),
    *(np.searchsorted, np.digitize, np.count_nonzero, np.nonzero, np.flatnonzero),
    *(
        np.any,
        np.all,
        np.allclose,
        np.array_equal,
        np.array_equiv,
        np.isscalar,
        np.iscomplexobj,
        np.isrealobj,
        np.angle,
    ),
    *(np.indices, np.triu_indices, np.tril_indices, np.diag_indices, np.unravel_index, np.ravel_multi_index),
    *(np.triu_indices_from, np.tril_indices_from, np.diag_indices_from, np.isin, np.broadcast_shapes),
    *(np.shares_memory, np.may_share_memory, np.result_type, np.linalg.matrix_rank, np.nanargmax, np.nanargmin),
    *(
        count,
        zeros_like,
        zero_leaf,
        complex_zeros,
        complex_zero_leaf,
        zero_item,
        zero_items,
        ones_like,
        diagonal_mask,
        upper_mask,
        running_places,
        axes_back,
    ),
)
