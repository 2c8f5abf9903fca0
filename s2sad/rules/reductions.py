"""Functions that combine the items of an array: sums, products, extrema, moments, scans, norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad.rules.static import is_literal, is_none, is_scalar, known_rank, rank
from s2sad.rules.table import adjoint, composite, linear, tangent
from s2sad.runtime.helpers import (
    astype,
    cast,
    count,
    diagonal_mask,
    exclusive_prod,
    flatten_axes,
    need_variables,
    quotient,
    spread,
    tied_mean,
    tied_share,
    unbroadcast,
    unflatten_axes,
    upper_mask,
)

# ---------------------------------------------------------------- what the rules share


def total(x: Any, axis: Any, keepdims: Any) -> Any:
    """The sum, without saying what is so by default."""
    if is_none(axis) and not keepdims:
        return np.sum(x)
    return np.sum(x, axis=axis, keepdims=keepdims)


def in_dtype(a: Any, dtype: Any) -> Any:
    """a as a reduction reads it that is asked for a ``dtype``."""
    return a if is_none(dtype) else astype(np.asarray(a), dtype)


def as_it_is(dtype: Any) -> None:
    """Refuse a ``dtype`` that is asked for, by the error that a call of what is not handled gives."""
    if not is_none(dtype):
        raise NotImplementedError("`dtype=` is not handled here: convert the array first")


def number(a: Any, axis: Any) -> Any:
    """How many items of a go into each item of its reduction."""
    if is_none(axis):
        return np.size(a)
    if rank(a) == 0:
        return np.mean(a, axis=axis)  # which raises: there is no such axis
    return count(a, axis)


def centred(a: Any, axis: Any) -> Any:
    """a less its mean."""
    if is_none(axis):
        return a - np.mean(a)
    return a - np.mean(a, axis=axis, keepdims=True)


# ---------------------------------------------------------------- sums and means


@linear(np.sum, wrt="a")
def sum_(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, ct: Any) -> Any:
    return spread(ct, a, axis, keepdims)


@linear(np.mean, wrt="a")
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, ct: Any) -> Any:
    # of no items there is a gradient of no items, and no division by zero
    return spread(ct / max(number(a, axis), 1), a, axis, keepdims)


@linear(spread, wrt="x")
def spread_(x: Any, like: Any, axis: Any = None, keepdims: Any = False, *, ct: Any) -> Any:
    return cast(total(ct, axis, keepdims), x)


@composite(np.average)
def average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False) -> Any:
    if is_none(weights):
        mean = np.mean(a, axis=axis, keepdims=keepdims)
        return (mean, np.full_like(mean, number(a, axis))[()]) if returned else mean
    a, weights = np.asarray(a), np.asarray(weights)
    if isinstance(axis, tuple) and 1 < rank(weights) < rank(a):
        weights = along_axes(weights, a, axis)
    if is_none(axis) or rank(weights) != 1:
        scaled = np.sum(a * weights, axis=axis, keepdims=keepdims)
        added = np.sum(np.broadcast_to(weights, np.shape(a)), axis=axis, keepdims=keepdims)
        return (scaled / added, added) if returned else scaled / added
    moved = np.moveaxis(a, axis, -1) @ weights / np.sum(weights)
    mean = np.expand_dims(moved, axis) if keepdims else moved
    return (mean, np.full(np.shape(mean), np.sum(weights))[()]) if returned else mean


def along_axes(weights: Any, a: Any, axes: Any) -> Any:
    """Weights with an axis for each one named, in their order, as they meet a."""
    n = rank(weights)
    if n > 4:
        raise NotImplementedError("np.average is differentiated for weights of up to four axes")
    last = np.reshape(weights, (*np.shape(weights), *((1,) * (rank(a) - n))))
    return np.moveaxis(last, (0, 1, 2, 3)[:n], axes)


@composite(np.nansum)
def nansum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    a = in_dtype(a, dtype)
    return np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=keepdims)


@composite(np.nanmean)
def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    a = in_dtype(a, dtype)
    known = np.sum(~np.isnan(a), axis=axis, keepdims=keepdims)
    total = np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=keepdims)
    return total / cast(known, total)


@composite(np.nanprod)
def nanprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    a = in_dtype(a, dtype)
    return np.prod(np.where(np.isnan(a), 1.0, a), axis=axis, keepdims=keepdims)


@composite(np.nancumsum)
def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    a = in_dtype(a, dtype)
    return np.cumsum(np.where(np.isnan(a), 0.0, a), axis)


@composite(np.nancumprod)
def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    a = in_dtype(a, dtype)
    return np.cumprod(np.where(np.isnan(a), 1.0, a), axis)


# ---------------------------------------------------------------- moments


def of_freedom(x: Any, freedom: Any) -> Any:
    """x / freedom, NaN where none is left, as NumPy has it."""
    return x / freedom if freedom > 0 else math.nan


@tangent(np.var)
def var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, *, da: Any
) -> Any:
    if is_literal(ddof) and ddof == 0:
        return 2.0 * np.mean(centred(a, axis) * da, axis=axis, keepdims=keepdims)
    scale = of_freedom(2.0, number(a, axis) - ddof)
    return scale * total(centred(a, axis) * da, axis, keepdims)


@adjoint(np.var, wrt="a")
def var_adjoint(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, *, ct: Any
) -> Any:
    none_less = is_literal(ddof) and ddof == 0
    scale = 2.0 / max(number(a, axis), 1) if none_less else of_freedom(2.0, number(a, axis) - ddof)
    return spread(scale * ct, a, axis, keepdims) * centred(a, axis)


@tangent(np.std)
def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    result: Any,
    da: Any,
) -> Any:
    covered = total(centred(a, axis) * da, axis, keepdims)
    return quotient(covered, result * (number(a, axis) - ddof))


@adjoint(np.std, wrt="a")
def std_adjoint(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    result: Any,
    ct: Any,
) -> Any:
    scaled = quotient(ct, result * (number(a, axis) - ddof))
    return spread(scaled, a, axis, keepdims) * centred(a, axis)


@composite(np.nanvar)
def nanvar(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    as_it_is(dtype)  # which NumPy takes for the sum, and not for what is summed
    known = ~np.isnan(a)
    mean = np.nanmean(a, axis=axis, keepdims=True)
    squares = np.where(known, a - mean, 0.0) ** 2
    total = np.sum(squares, axis=axis, keepdims=keepdims)
    freedom = np.sum(known, axis=axis, keepdims=keepdims) - ddof
    return total / cast(np.where(freedom > 0, freedom, np.nan), total)


@composite(np.nanstd)
def nanstd(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    as_it_is(dtype)
    known = ~np.isnan(a)
    # Of what is not known the mean is put down, so that the slope where all items are equal is that of np.std.
    filled = np.where(known, a, np.nanmean(a, axis=axis, keepdims=True))
    axis = axis if rank(a) else None
    deviation = np.std(filled, axis=axis, keepdims=keepdims)
    freedom = np.sum(known, axis=axis, keepdims=keepdims) - ddof
    return deviation * cast(np.sqrt(number(a, axis) / np.where(freedom > 0, freedom, np.nan)), deviation)


@composite(np.cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: Any = True,
    bias: Any = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
) -> Any:
    m = np.asarray(m)
    rows = as_rows(m, rowvar)
    if not is_none(y):
        rows = np.concatenate((rows, as_rows(np.asarray(y), rowvar)), axis=0)
    if rank(m) != 1 and is_none(y):
        need_variables(rows)
    lost = (0 if bias else 1) if is_none(ddof) else ddof
    if is_none(fweights) and is_none(aweights):
        rows = rows - np.mean(rows, axis=1, dtype=float, keepdims=True)
        products = rows @ np.transpose(rows) / (np.shape(rows)[1] - lost)
    else:
        products = weighted_products(rows, fweights, aweights, lost)
    return products[0, 0] if rank(m) == 1 and is_none(y) else products


def weighted_products(rows: Any, fweights: Any, aweights: Any, lost: Any) -> Any:
    """The matrix of np.cov where observations count more than once, or differently."""
    counts = 1.0 if is_none(fweights) else np.asarray(fweights, dtype=float)
    shares = 1.0 if is_none(aweights) else np.asarray(aweights, dtype=float)
    weights = shares if is_none(fweights) else counts if is_none(aweights) else counts * shares
    if np.any(weights < 0):
        raise ValueError("weights cannot be negative")
    total = np.sum(weights)
    if total == 0.0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    freedom = total - lost if is_none(aweights) else total - lost * np.sum(weights * shares) / total
    rows = rows - (rows @ weights / total)[:, None]
    return rows @ np.transpose(rows * weights) / freedom


def as_rows(m: Any, rowvar: Any) -> Any:
    """The variables of np.cov as rows of a matrix."""
    if rank(m) == 1:
        return m[None, :]
    return m if rowvar else np.transpose(m)


@composite(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: Any = True) -> Any:
    products = np.cov(x, y, rowvar)
    if np.ndim(products) == 0:
        return products / products
    spreads = np.sqrt(np.diag(products))
    return products / spreads[:, None] / spreads[None, :]


# ---------------------------------------------------------------- extrema


@tangent(np.max, np.min, np.amax, np.amin, np.nanmax, np.nanmin)
def max_(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, result: Any, da: Any) -> Any:
    return tied_mean(da, a, result, axis, keepdims)


@adjoint(np.max, np.min, np.amax, np.amin, np.nanmax, np.nanmin, wrt="a")
def max_adjoint(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, result: Any, ct: Any) -> Any:
    return tied_share(ct, a, result, axis, keepdims)


@tangent(tied_mean)
def tied_mean_(
    x: Any,
    a: Any,
    extremum: Any,
    axis: Any = None,
    keepdims: Any = False,
    *,
    dx: Any,
    da: Any = 0.0,
    dextremum: Any = 0.0,
) -> Any:
    return tied_mean(dx, a, extremum, axis, keepdims)


@adjoint(tied_mean, wrt=("x", "a", "extremum"))
def tied_mean_adjoint(x: Any, a: Any, extremum: Any, axis: Any = None, keepdims: Any = False, *, ct: Any) -> Any:
    return tied_share(ct, a, extremum, axis, keepdims), None, None


@tangent(tied_share)
def tied_share_(
    x: Any,
    a: Any,
    extremum: Any,
    axis: Any = None,
    keepdims: Any = False,
    *,
    dx: Any,
    da: Any = 0.0,
    dextremum: Any = 0.0,
) -> Any:
    return tied_share(dx, a, extremum, axis, keepdims)


@adjoint(tied_share, wrt=("x", "a", "extremum"))
def tied_share_adjoint(x: Any, a: Any, extremum: Any, axis: Any = None, keepdims: Any = False, *, ct: Any) -> Any:
    return tied_mean(ct, a, extremum, axis, keepdims), None, None


@tangent(np.ptp)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, da: Any) -> Any:
    top, bottom = np.max(a, axis=axis, keepdims=keepdims), np.min(a, axis=axis, keepdims=keepdims)
    return tied_mean(da, a, top, axis, keepdims) - tied_mean(da, a, bottom, axis, keepdims)


@adjoint(np.ptp, wrt="a")
def ptp_adjoint(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, ct: Any) -> Any:
    top, bottom = np.max(a, axis=axis, keepdims=keepdims), np.min(a, axis=axis, keepdims=keepdims)
    return tied_share(ct, a, top, axis, keepdims) - tied_share(ct, a, bottom, axis, keepdims)


# ---------------------------------------------------------------- products


@tangent(np.prod)
def prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, da: Any) -> Any:
    if is_scalar(a) and is_none(axis):
        return da
    others = unflatten_axes(exclusive_prod(flatten_axes(a, axis)), a, axis)
    return total(others * da, axis, keepdims)


@adjoint(np.prod, wrt="a")
def prod_adjoint(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, ct: Any
) -> Any:
    if is_scalar(a) and is_none(axis):
        return ct
    others = unflatten_axes(exclusive_prod(flatten_axes(a, axis)), a, axis)
    return spread(ct, a, axis, keepdims) * others


@tangent(exclusive_prod)
def exclusive_prod_(a: Any, *, da: Any) -> Any:
    own = diagonal_mask(a)
    pairs = exclusive_prod(np.swapaxes(np.where(own, 1.0, a), 0, 1))
    return np.sum(np.where(own, 0.0, np.swapaxes(pairs, 0, 1) * da), axis=1)


@adjoint(exclusive_prod, wrt="a")
def exclusive_prod_adjoint(a: Any, *, ct: Any) -> Any:
    own = diagonal_mask(a)
    pairs = exclusive_prod(np.swapaxes(np.where(own, 1.0, a), 0, 1))
    return np.sum(np.where(own, 0.0, pairs * ct), axis=1)


@tangent(np.cumprod)
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, *, da: Any) -> Any:
    flat, upper = flatten_axes(a, axis), upper_mask(flatten_axes(a, axis))
    others = exclusive_prod(np.where(upper, np.expand_dims(flat, 1), 1.0))
    total = np.sum(np.where(upper, others * np.expand_dims(flatten_axes(da, axis), 1), 0.0), axis=0)
    if is_none(axis):
        return total
    return unflatten_axes(total, a, axis)


@adjoint(np.cumprod, wrt="a")
def cumprod_adjoint(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, *, ct: Any) -> Any:
    flat, upper = flatten_axes(a, axis), upper_mask(flatten_axes(a, axis))
    others = exclusive_prod(np.where(upper, np.expand_dims(flat, 1), 1.0))
    return unflatten_axes(np.sum(np.where(upper, others * flatten_axes(ct, axis), 0.0), axis=1), a, axis)


@linear(flatten_axes, wrt="a")
def flatten_axes_(a: Any, axis: Any = None, *, ct: Any) -> Any:
    return unflatten_axes(ct, a, axis)


@linear(unflatten_axes, wrt="x")
def unflatten_axes_(x: Any, like: Any, axis: Any = None, *, ct: Any) -> Any:
    return flatten_axes(ct, axis)


# ---------------------------------------------------------------- scans


@linear(np.cumsum, wrt="a")
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, *, ct: Any) -> Any:
    if is_none(axis) and known_rank(a) == 1:
        return unbroadcast(np.cumsum(ct[::-1])[::-1], a)
    if is_none(axis):
        return unbroadcast(np.reshape(np.cumsum(ct[::-1])[::-1], np.shape(a)), a)
    return np.flip(np.cumsum(np.flip(ct, axis), axis), axis)


@composite(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    y = np.moveaxis(np.asarray(y), axis, -1)
    means = 0.5 * (y[..., 1:] + y[..., :-1])
    if is_none(x) and rank(dx) == 0:
        return dx * np.sum(means, axis=-1)
    if is_none(x):  # a width for each step, along the axis where that is
        return np.sum(np.moveaxis(means, -1, axis) * np.asarray(dx), axis=axis)
    x = np.asarray(x)
    if rank(x) == 1:
        return np.sum(means * (x[1:] - x[:-1]), axis=-1)
    x = np.moveaxis(x, axis, -1)
    return np.sum(means * (x[..., 1:] - x[..., :-1]), axis=-1)


# ---------------------------------------------------------------- norms


@tangent(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, *, result: Any, dx: Any) -> Any:
    if is_euclidean(x, ord, axis):
        return quotient(total(x * dx, axis, keepdims), result)
    if isinstance(axis, tuple) or (is_none(axis) and rank(x) == 2):
        return total(matrix_norm_slopes(x, ord, axis, result) * dx, axis, keepdims)
    if ord == np.inf or ord == -np.inf:
        return tied_mean(np.sign(x) * dx, np.abs(x), result, axis, keepdims)
    return total(norm_slopes(x, ord, spread(result, x, axis, keepdims)) * dx, axis, keepdims)


@adjoint(np.linalg.norm, wrt="x")
def norm_adjoint(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, *, result: Any, ct: Any) -> Any:
    if is_euclidean(x, ord, axis):
        return spread(quotient(ct, result), x, axis, keepdims) * x
    if isinstance(axis, tuple) or (is_none(axis) and rank(x) == 2):
        return spread(ct, x, axis, keepdims) * matrix_norm_slopes(x, ord, axis, result)
    if ord == np.inf or ord == -np.inf:
        return np.sign(x) * tied_share(ct, np.abs(x), result, axis, keepdims)
    return spread(ct, x, axis, keepdims) * norm_slopes(x, ord, spread(result, x, axis, keepdims))


def is_euclidean(x: Any, ord: Any, axis: Any) -> bool:
    """Whether the norm is the root of the sum of squares."""
    if is_none(ord):
        return True
    if isinstance(axis, tuple) or (is_none(axis) and rank(x) == 2):
        return ord in ("fro", "f")
    return bool(ord == 2)


def matrix_norm_slopes(x: Any, ord: Any, axis: Any, size: Any) -> Any:
    """The partials of a norm of matrices: the largest or smallest sum of a column or row, or of singular values.

    Those of singular values are from Watson, Characterization of the subdifferential of some matrix norms (1992).
    """
    rows, columns = (0, 1) if is_none(axis) else axis
    if ord == 1 or ord == -1:
        return norm_of_sums_slopes(x, rows, columns, size)
    if ord == np.inf or ord == -np.inf:
        return norm_of_sums_slopes(x, columns, rows, size)
    u, _, vt = np.linalg.svd(np.moveaxis(x, (rows, columns), (-2, -1)), full_matrices=False)
    if ord == 2:
        u, vt = u[..., :1], vt[..., :1, :]
    if ord == -2:
        u, vt = u[..., -1:], vt[..., -1:, :]
    return np.moveaxis(u @ vt, (-2, -1), (rows, columns))


def norm_of_sums_slopes(x: Any, added: Any, compared: Any, size: Any) -> Any:
    """The partials of the largest or smallest of the sums of sizes along one axis, which are compared along another."""
    sums = np.sum(np.abs(x), axis=added, keepdims=True)
    extremum = np.reshape(size, np.shape(np.any(sums, axis=compared, keepdims=True)))
    return np.sign(x) * tied_share(1.0, sums, extremum, compared, True)


def norm_slopes(x: Any, ord: Any, size: Any) -> Any:
    """The partials of a vector's p-norm."""
    if ord == 0:
        return np.zeros_like(x)
    if ord == 1:
        return np.sign(x)
    return np.sign(x) * quotient(np.abs(x), size) ** (ord - 1)
