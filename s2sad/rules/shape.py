"""Functions that move, join, split or repeat items without changing them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from s2sad.rules.static import is_array, is_literal, is_none, is_scalar, known_rank, rank
from s2sad.rules.table import adjoint, composite, linear, tangent
from s2sad.runtime.helpers import (
    axes_back,
    cast,
    crop,
    join_like,
    split_like,
    unbroadcast,
    undiag,
    undiagonal,
    unpack,
    unpad,
    unslide,
    unstack,
    untake,
    untile,
)

# ---------------------------------------------------------------- the same items in another shape


def as_laid_out(order: Any) -> None:
    """Refuse the orders that go by how an array lies in memory: a cotangent may lie otherwise."""
    if order not in ("C", "F"):
        raise NotImplementedError('`order` is handled where it is "C" or "F"')


@linear(np.reshape, wrt="a")
def reshape(a: Any, shape: Any, order: Any = "C", *, ct: Any) -> Any:
    as_laid_out(order)
    return cast(np.reshape(ct, np.shape(a), order=order), a)


@linear(np.ravel, wrt="a")
def ravel(a: Any, order: Any = "C", *, ct: Any) -> Any:
    as_laid_out(order)
    return cast(np.reshape(ct, np.shape(a), order=order), a)


@linear(np.squeeze, wrt="a")
def squeeze(a: Any, axis: Any = None, *, ct: Any) -> Any:
    return cast(np.reshape(ct, np.shape(a)), a)


@linear(np.expand_dims, wrt="a")
def expand_dims(a: Any, axis: Any, *, ct: Any) -> Any:
    return cast(np.reshape(ct, np.shape(a)), a)


@linear(np.atleast_1d, np.atleast_2d, np.atleast_3d, wrt="a")
def atleast(a: Any, *, ct: Any) -> Any:
    return cast(np.reshape(ct, np.shape(a)), a)


@linear(np.real, wrt="val")
def real(val: Any, *, ct: Any) -> Any:
    return ct


@linear(np.transpose, wrt="a")
def transpose(a: Any, axes: Any = None, *, ct: Any) -> Any:
    if is_none(axes):
        return np.transpose(ct)
    return np.transpose(ct, axes_back(axes, np.ndim(ct)))


@linear(np.matrix_transpose, wrt="x")
def matrix_transpose(x: Any, *, ct: Any) -> Any:
    return np.matrix_transpose(ct)


@linear(np.swapaxes, wrt="a")
def swapaxes(a: Any, axis1: Any, axis2: Any, *, ct: Any) -> Any:
    return np.swapaxes(ct, axis1, axis2)


@linear(np.moveaxis, wrt="a")
def moveaxis(a: Any, source: Any, destination: Any, *, ct: Any) -> Any:
    return np.moveaxis(ct, destination, source)


@composite(np.rollaxis)
def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    n = np.ndim(a)
    axis = axis % n
    start = start + n if start < 0 else start
    return np.moveaxis(a, axis, start - 1 if start > axis else start)


@linear(np.flip, wrt="m")
def flip(m: Any, axis: Any = None, *, ct: Any) -> Any:
    return np.flip(ct) if is_none(axis) else np.flip(ct, axis)


@linear(np.fliplr, wrt="m")
def fliplr(m: Any, *, ct: Any) -> Any:
    return np.fliplr(ct)


@linear(np.flipud, wrt="m")
def flipud(m: Any, *, ct: Any) -> Any:
    return np.flipud(ct)


@linear(np.rot90, wrt="m")
def rot90(m: Any, k: Any = 1, axes: Any = None, *, ct: Any) -> Any:
    return np.rot90(ct, -k) if axes is None else np.rot90(ct, -k, axes)


@linear(np.roll, wrt="a")
def roll(a: Any, shift: Any, axis: Any = None, *, ct: Any) -> Any:
    if isinstance(shift, tuple):
        return np.roll(ct, tuple(-int(s) for s in shift), axis)
    back = -int(shift) if is_scalar(shift) else np.negative(np.asarray(shift, dtype=int))  # may have no sign
    return np.roll(ct, back) if is_none(axis) else np.roll(ct, back, axis)


@composite(np.fft.fftshift)
def fftshift(x: Any, axes: Any = None) -> Any:
    for k in tuple(range(rank(x))) if is_none(axes) else axes if isinstance(axes, (tuple, list)) else (axes,):
        x = np.roll(x, np.shape(x)[k] // 2, k)
    return x


@composite(np.fft.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Any:
    for k in tuple(range(rank(x))) if is_none(axes) else axes if isinstance(axes, (tuple, list)) else (axes,):
        x = np.roll(x, -(np.shape(x)[k] // 2), k)
    return x


@linear(np.copy, np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, wrt="a")
def array(
    a: Any, dtype: Any = None, order: Any = None, *, copy: Any = True, ndmin: Any = 0, subok: Any = False, ct: Any
) -> Any:
    if is_array(a):
        return unbroadcast(ct, a)
    return unpack(ct if ndmin == 0 else np.reshape(ct, np.shape(a)), a)


@linear(np.asarray_chkfinite, wrt="a")
def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None, *, ct: Any) -> Any:
    return unbroadcast(ct, a) if is_array(a) else unpack(ct, a)


@composite(np.real_if_close)
def real_if_close(a: Any, tol: Any = 100) -> Any:
    """Of real numbers; of complex ones their sizes tell whether the result is."""
    return np.asarray(a)


@linear(unpack, wrt="x")
def unpack_(x: Any, like: Any, *, ct: Any) -> Any:
    return cast(np.array(ct), x)


# ---------------------------------------------------------------- repeating and padding


@linear(np.broadcast_to, wrt="array")
def broadcast_to(array: Any, shape: Any, *, ct: Any) -> Any:
    return unbroadcast(ct, array)


@linear(sliding_window_view, wrt="x")
def sliding_window_view_(x: Any, window_shape: Any, axis: Any = None, *, ct: Any) -> Any:
    return unslide(ct, x, window_shape, axis)


@linear(unslide, wrt="x")
def unslide_(x: Any, like: Any, window_shape: Any, axis: Any = None, *, ct: Any) -> Any:
    return sliding_window_view(ct, window_shape, axis)


@linear(np.repeat, wrt="a")
def repeat(a: Any, repeats: Any, axis: Any = None, *, ct: Any) -> Any:
    n = np.size(a) if is_none(axis) else np.shape(a)[axis]
    return untake(ct, np.repeat(np.arange(n), repeats), a, axis)


@linear(np.tile, wrt="A")
def tile(A: Any, reps: Any, *, ct: Any) -> Any:
    return untile(ct, A, reps)


@linear(untile, wrt="x")
def untile_(x: Any, like: Any, reps: Any, *, ct: Any) -> Any:
    return np.tile(ct, reps)


@tangent(np.pad)
def pad(
    array: Any,
    pad_width: Any,
    mode: Any = "constant",
    *,
    constant_values: Any = 0,
    darray: Any,
    dconstant_values: Any = 0,
) -> Any:
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "mean"):
        raise NotImplementedError("np.pad is not linear in this mode, and not differentiated")
    if is_literal(dconstant_values) and dconstant_values == 0:
        return np.pad(darray, pad_width, mode)
    return np.pad(darray, pad_width, constant_values=dconstant_values)


@adjoint(np.pad, wrt=("array", "constant_values"))
def pad_adjoint(array: Any, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0, ct: Any) -> Any:
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap"):
        raise NotImplementedError("the derivative of np.pad for this mode is not known")
    if isinstance(pad_width, dict):
        raise NotImplementedError("the adjoint of np.pad needs the widths of all axes, in their order")
    if mode != "constant":
        return unpad(ct, array, pad_width, mode), None
    return crop(ct, array, pad_width), margins(ct, array, pad_width, constant_values)


def margins(ct: Any, array: Any, pad_width: Any, constant_values: Any) -> Any:
    """What lies around the array, summed up for each of the numbers that np.pad puts there."""
    n = np.size(constant_values)
    numbers = np.reshape(np.arange(1, n + 1), np.shape(constant_values))
    places = np.pad(np.zeros(np.shape(array), int), pad_width, constant_values=numbers)
    sums = untake(np.ravel(ct), np.ravel(places), np.zeros(n + 1, ct.dtype))
    return cast(np.reshape(sums[1:], np.shape(constant_values)), constant_values)


@linear(crop, wrt="x")
def crop_(x: Any, like: Any, pad_width: Any, *, ct: Any) -> Any:
    return np.pad(ct, pad_width)


@linear(unpad, wrt="x")
def unpad_(x: Any, like: Any, pad_width: Any, mode: Any, *, ct: Any) -> Any:
    return np.pad(ct, pad_width, mode)


@linear(np.resize, wrt="a")
def resize(a: Any, new_shape: Any, *, ct: Any) -> Any:
    return untake(np.ravel(ct), np.arange(np.size(ct)) % np.size(a), a)


# ---------------------------------------------------------------- joining and splitting


@linear(np.concatenate, wrt="arrays")
def concatenate(arrays: Any, axis: Any = 0, *, dtype: Any = None, ct: Any) -> Any:
    return split_like(ct, arrays, axis)


@linear(np.stack, wrt="arrays")
def stack(arrays: Any, axis: Any = 0, *, dtype: Any = None, ct: Any) -> Any:
    return unstack(ct, arrays, axis)


@linear(np.vstack, wrt="tup")
def vstack(tup: Any, *, dtype: Any = None, ct: Any) -> Any:
    return split_like(ct, tup, 0)


if "row_stack" in np.__all__:  # going, says NumPy

    @composite(np.row_stack)
    def row_stack(tup: Any, *, dtype: Any = None) -> Any:
        return np.vstack(tup, dtype=dtype)


@linear(np.hstack, wrt="tup")
def hstack(tup: Any, *, dtype: Any = None, ct: Any) -> Any:
    return split_like(ct, tup, min(rank(ct) - 1, 1))


@linear(np.column_stack, wrt="tup")
def column_stack(tup: Any, *, ct: Any) -> Any:
    return split_like(ct, tup, 1)


@linear(np.dstack, wrt="tup")
def dstack(tup: Any, *, ct: Any) -> Any:
    return split_like(ct, tup, 2)


@linear(split_like, wrt="x")
def split_like_(x: Any, arrays: Any, axis: Any = 0, *, ct: Any) -> Any:
    return join_like(ct, x, axis)


@linear(join_like, wrt="parts")
def join_like_(parts: Any, like: Any, axis: Any = 0, *, ct: Any) -> Any:
    return split_like(ct, parts, axis)


@linear(unstack, wrt="x")
def unstack_(x: Any, arrays: Any, axis: Any = 0, *, ct: Any) -> Any:
    return cast(np.stack(ct, axis), x)


@tangent(np.append)
def append(arr: Any, values: Any, axis: Any = None, *, darr: Any, dvalues: Any) -> Any:
    return np.append(darr, dvalues, axis)


@adjoint(np.append, wrt=("arr", "values"))
def append_adjoint(arr: Any, values: Any, axis: Any = None, *, ct: Any) -> Any:
    if is_none(axis) and is_array(arr) and is_array(values):
        return np.reshape(ct[: np.size(arr)], np.shape(arr)), np.reshape(ct[np.size(arr) :], np.shape(values))
    if is_none(axis) and is_array(arr) and is_scalar(values):
        return np.reshape(ct[:-1], np.shape(arr)), ct[-1]
    if is_none(axis) and is_scalar(arr) and is_array(values):
        return ct[0], np.reshape(ct[1:], np.shape(values))
    if is_none(axis) and is_scalar(values):
        return split_like(ct[:-1], (arr,), None)[0], ct[-1]
    parts = split_like(ct, (arr, values), axis)
    return parts[0], parts[1]


@linear(np.split, np.array_split, wrt="ary")
def split(ary: Any, indices_or_sections: Any, axis: Any = 0, *, ct: Any) -> Any:
    return np.concatenate(ct, axis)


@linear(np.vsplit, wrt="ary")
def vsplit(ary: Any, indices_or_sections: Any, *, ct: Any) -> Any:
    return np.concatenate(ct, 0)


@linear(np.hsplit, wrt="ary")
def hsplit(ary: Any, indices_or_sections: Any, *, ct: Any) -> Any:
    return np.concatenate(ct, min(rank(ary) - 1, 1))


@linear(np.dsplit, wrt="ary")
def dsplit(ary: Any, indices_or_sections: Any, *, ct: Any) -> Any:
    return np.concatenate(ct, 2)


# ---------------------------------------------------------------- diagonals and triangles


@linear(np.triu, wrt="m")
def triu(m: Any, k: Any = 0, *, ct: Any) -> Any:
    return np.triu(ct, k)


@linear(np.tril, wrt="m")
def tril(m: Any, k: Any = 0, *, ct: Any) -> Any:
    return np.tril(ct, k)


@linear(np.diag, wrt="v")
def diag(v: Any, k: Any = 0, *, ct: Any) -> Any:
    if known_rank(v) == 1:
        return np.diag(ct, k)
    return undiag(ct, v, k)


@linear(undiag, wrt="x")
def undiag_(x: Any, like: Any, k: Any = 0, *, ct: Any) -> Any:
    return np.diag(ct, k)


@linear(np.diagonal, wrt="a")
def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, *, ct: Any) -> Any:
    return undiagonal(ct, a, offset, axis1, axis2)


@linear(undiagonal, wrt="x")
def undiagonal_(x: Any, like: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, *, ct: Any) -> Any:
    return np.diagonal(ct, offset, axis1, axis2)


@linear(np.diagflat, wrt="v")
def diagflat(v: Any, k: Any = 0, *, ct: Any) -> Any:
    return cast(np.reshape(np.diagonal(ct, k), np.shape(v)), v)
