"""Kinds of the results of array functions that depend on more than ranks and dtypes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.rules.forms import Arg, Form, as_numeric, broadcast_kind, dtype_name, elementwise_dtype, strong
from s2sad.rules.standins import dtype_by_running, join_all

__all__ = ["ABSENT", "ARRAY_FORMS", "RETURNS_ARRAY", "axes_said", "getitem_kind", "inner_dtype", "reduced"]

ABSENT: Arg = (K.NONE, None)


def axes_said(kind: K.Kind) -> int | None:
    """How many axes a shape argument of this kind gives."""
    match kind:
        case K.Scalar():
            return 1
        case K.Tuple(items):
            return len(items)
        case K.Array(rank=0):
            return 1
    return None


def inner_dtype(x: Arg) -> str:
    """The dtype of an argument, or of what it holds."""
    return K.dtype_of(as_numeric(x[0]))


def _like(kind: K.Kind, dtype: str, *, same_shape: bool = True) -> K.Kind:
    """An array of the shape of another, or of its rank only; of a scalar, a 0-d array."""
    kind = as_numeric(kind)
    match kind:
        case K.Array(_, rank, shape):
            return K.Array(dtype, rank, shape if same_shape else None)
        case K.Scalar():
            return K.Array(dtype, 0)
    return K.Array(dtype, None)


# ---------------------------------------------------------------- making arrays


def zeros(shape: Arg, dtype: Arg = ABSENT, *_: Arg, **__: Arg) -> K.Kind:
    """``np.zeros(shape)`` and its like."""
    return K.Array(dtype_name(dtype), axes_said(shape[0]))


def full(shape: Arg, fill_value: Arg, dtype: Arg = ABSENT, *_: Arg, **__: Arg) -> K.Kind:
    """``np.full(shape, value)``"""
    return K.Array(dtype_name(dtype, strong(inner_dtype(fill_value))), axes_said(shape[0]))


def zeros_like(a: Arg, dtype: Arg = ABSENT, *_: Arg, shape: Arg | None = None, **__: Arg) -> K.Kind:
    """``np.zeros_like(a)`` and its like."""
    name = dtype_name(dtype, strong(inner_dtype(a)))
    return K.Array(name, axes_said(shape[0])) if shape is not None else _like(a[0], name)


def full_like(a: Arg, fill_value: Arg, dtype: Arg = ABSENT, *_: Arg, **__: Arg) -> K.Kind:
    """``np.full_like(a, value)``"""
    return zeros_like(a, dtype)


def arange(*args: Arg, dtype: Arg = ABSENT, **_: Arg) -> K.Kind:
    """``np.arange(...)``: integers unless an argument is not."""
    name = join_all(K.Scalar(strong(K.dtype_of(k))) for k, _ in args[:3])
    return K.Array(dtype_name(dtype, K.dtype_of(name)), 1)


def linspace(start: Arg, stop: Arg, num: Arg = ABSENT, *_: Arg, dtype: Arg = ABSENT, **named: Arg) -> K.Kind:
    """``np.linspace(a, b)``: one axis more than the ends have."""
    kinds = [as_numeric(start[0]), as_numeric(stop[0])]
    found = dtype_by_running(_between, tuple((K.dtype_of(k), not isinstance(k, K.Scalar)) for k in kinds))
    ends = broadcast_kind(dtype_name(dtype, found), kinds)
    rank = K.rank_of(ends)
    made = K.Array(K.dtype_of(ends), None if rank is None else rank + 1)
    return K.ANY if "retstep" in named else made


def _between(x: Any, y: Any) -> Any:
    return np.linspace(x, y, 2)


def window(*_: Arg) -> K.Kind:
    """``np.hamming(n)`` and its like."""
    return K.Array("float64", 1)


def eye(*_: Arg, dtype: Arg = ABSENT, **__: Arg) -> K.Kind:
    """``np.eye(n)``"""
    return K.Array(dtype_name(dtype), 2)


def array(a: Arg, dtype: Arg = ABSENT, *_: Arg, ndmin: Arg | None = None, **__: Arg) -> K.Kind:
    """``np.array(x)`` and its like: of a scalar, a 0-d array."""
    kind = as_numeric(a[0])
    if not K.is_numeric(kind):
        return K.Array(dtype_name(dtype, "any"), None) if a[0] != K.ANY else K.Array("any", None)
    made = _like(kind, dtype_name(dtype, strong(K.dtype_of(kind))))
    return K.Array(K.dtype_of(made), None) if ndmin is not None else made


def at_least_a_vector(a: Arg, *args: Arg, **named: Arg) -> K.Kind:
    """``np.ascontiguousarray(x)`` and its like: of a scalar, or a 0-d array, a vector."""
    made = array(a, *args, **named)
    return K.Array(made.dtype, 1) if isinstance(made, K.Array) and made.rank == 0 else made


def number(name: str) -> Form:
    """A NumPy scalar type called: ``np.float64(x)``."""

    def form(x: Arg = (K.INT, 0), *_: Arg) -> K.Kind:
        kind = as_numeric(x[0])
        match kind:
            case K.Array(_, rank, shape) if rank:
                return K.Array(name, rank, shape)
            case K.Scalar() | K.Array(rank=0):
                return K.Scalar(name)
        return K.Numeric(name)

    return form


# ---------------------------------------------------------------- reductions


def reduction(fn: Callable[..., Any], at: int = 1, keepdims_at: int = 99, default: Any = None) -> Form:
    """A function that sums away the axes in its argument number ``at``, named ``axis``."""

    def form(a: Arg, *rest: Arg, axis: Arg | None = None, keepdims: Arg = (K.BOOL, False), **named: Arg) -> K.Kind:
        axis = axis or (rest[at - 1] if len(rest) >= at else (K.NONE if default is None else K.INT, default))
        keepdims = rest[keepdims_at - 1] if len(rest) >= keepdims_at else keepdims
        kind = as_numeric(a[0])
        if not K.is_numeric(kind):
            return K.NUMERIC
        dtype = K.dtype_of(kind)
        if "dtype" in named and named["dtype"][1] is not None:
            dtype = dtype_name(named["dtype"])
        else:
            dtype = dtype_by_running(fn, ((dtype, True),)) if dtype != "any" or fn in _FIXED else "any"
        return reduced(kind, axis, keepdims, dtype)

    return form


def average(a: Arg, axis: Arg = ABSENT, weights: Arg = ABSENT, returned: Arg = (K.BOOL, False), **named: Arg) -> K.Kind:
    """``np.average``: with the sums of the weights where they are asked for."""
    mean = reduction(np.mean)(a, axis, **named)
    if returned[1] is False:
        return mean
    return K.Tuple((mean, mean)) if returned[1] is True else K.ANY


_FIXED = {np.all, np.any, np.argmax, np.argmin, np.count_nonzero}


def reduced(kind: K.Kind, axis: Arg, keepdims: Arg, dtype: str) -> K.Kind:
    """The kind of a reduction over an axis, or over all."""
    rank = K.rank_of(kind)
    if keepdims[1] is not False:
        if keepdims[1] is not True:
            return K.Numeric(dtype)
        if rank == 0:
            return K.Scalar(dtype)
        return K.Array(dtype, rank) if isinstance(kind, K.Array) else K.Numeric(dtype)
    if axis[0] == K.NONE or rank == 0:
        return K.Scalar(dtype)
    gone = axes_said(axis[0])
    if gone is None or rank is None:
        return K.Numeric(dtype)
    return K.Array(dtype, rank - gone) if rank > gone else K.Scalar(dtype)


def cumulative(fn: Callable[..., Any]) -> Form:
    """``np.cumsum(a, axis)``: flat where no axis is given."""

    def form(a: Arg, axis: Arg = ABSENT, dtype: Arg = ABSENT, *_: Arg, **__: Arg) -> K.Kind:
        kind = as_numeric(a[0])
        name = dtype_name(dtype, dtype_by_running(fn, ((K.dtype_of(kind), True),)))
        flat = axis[0] == K.NONE and K.rank_of(kind) != 1
        return K.Array(name, 1) if flat else _like(kind, name)

    return form


# ---------------------------------------------------------------- shapes


def shape(a: Arg) -> K.Kind:
    """``np.shape(a)``"""
    rank = K.rank_of(as_numeric(a[0]))
    return K.Other(tuple) if rank is None else K.Tuple((K.INT,) * rank)


def reshape(a: Arg, shape: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """``np.reshape(a, shape)``"""
    return K.Array(strong(inner_dtype(a)), axes_said(shape[0]))


def same(fn: Callable[..., Any], *, shape: bool = True, dtype: str = "") -> Form:
    """An array of the same rank; of the same shape unless ``shape`` is false."""

    def form(a: Arg, *others: Arg, axis: Arg = (K.INT, 0), **_: Arg) -> K.Kind:
        kind = as_numeric(a[0])
        if fn in _FLATTENS:
            axis = (*others, axis)[min(_FLATTENS[fn], len(others))]
            if axis[0] == K.NONE:
                return K.Array(dtype or K.dtype_of(kind), 1)
        if fn in (np.argsort, np.argpartition) and K.rank_of(kind) == 0:
            return K.Array(dtype, 1)  # the place of a number is an array
        return _like(kind, dtype or strong(K.dtype_of(kind)), same_shape=shape)

    return form


#: What makes a vector of an array if ``axis`` is None, and where that stands after the array.
_FLATTENS: dict[Any, int] = {np.sort: 0, np.argsort: 0, np.partition: 1, np.argpartition: 1}


def triangle(m: Arg, k: Arg = ABSENT) -> K.Kind:
    """``np.tril(m)``: of a vector a matrix, each row of which has it."""
    kind = as_numeric(m[0])
    dtype = strong(K.dtype_of(kind))
    return K.Array(dtype, 2) if K.rank_of(kind) == 1 else _like(kind, dtype, same_shape=True)


def transpose(a: Arg, axes: Arg = ABSENT) -> K.Kind:
    """``np.transpose(a)``: a vector stays as it is."""
    kind = as_numeric(a[0])
    return _like(kind, strong(K.dtype_of(kind)), same_shape=K.rank_of(kind) in (0, 1))


def ravel(a: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """``np.ravel(a)``"""
    kind = as_numeric(a[0])
    return kind if K.rank_of(kind) == 1 else K.Array(strong(K.dtype_of(kind)), 1)


def squeeze(a: Arg, axis: Arg = ABSENT) -> K.Kind:
    """``np.squeeze(a, axis)``: an array always."""
    kind, gone = as_numeric(a[0]), axes_said(axis[0])
    rank = K.rank_of(kind)
    return K.Array(strong(K.dtype_of(kind)), None if rank is None or gone is None else rank - gone)


def expand_dims(a: Arg, axis: Arg) -> K.Kind:
    """``np.expand_dims(a, axis)``"""
    kind, more = as_numeric(a[0]), axes_said(axis[0])
    rank = K.rank_of(kind)
    return K.Array(strong(K.dtype_of(kind)), None if rank is None or more is None else rank + more)


def repeat(a: Arg, repeats: Arg, axis: Arg = ABSENT) -> K.Kind:
    """``np.repeat(a, n, axis)``"""
    return K.Array(strong(inner_dtype(a)), 1 if axis[0] == K.NONE else K.rank_of(as_numeric(a[0])))


def tile(a: Arg, reps: Arg) -> K.Kind:
    """``np.tile(a, reps)``"""
    rank, n = K.rank_of(as_numeric(a[0])), axes_said(reps[0])
    return K.Array(strong(inner_dtype(a)), None if rank is None or n is None else max(rank, n))


def take(a: Arg, indices: Arg, axis: Arg = ABSENT, *_: Arg, **__: Arg) -> K.Kind:
    """``np.take(a, indices, axis)``"""
    rank = 1 if axis[0] == K.NONE else K.rank_of(as_numeric(a[0]))
    more = K.rank_of(as_numeric(indices[0]))
    name = strong(inner_dtype(a))
    if rank is None or more is None:
        return K.Numeric(name)
    return K.Array(name, rank - 1 + more) if rank - 1 + more else K.Scalar(name)


def windows(x: Arg, window_shape: Arg, axis: Arg = ABSENT, **_: Arg) -> K.Kind:
    """``sliding_window_view(x, window_shape)``: with the axes of the windows last."""
    kind, more = as_numeric(x[0]), axes_said(window_shape[0])
    rank = K.rank_of(kind)
    return K.Array(strong(K.dtype_of(kind)), None if rank is None or more is None else rank + more)


def meshgrid(*xi: Arg, **_: Arg) -> K.Kind:
    """``np.meshgrid(x, y)``: an array of all axes for each."""
    return K.Tuple(tuple(K.Array(strong(inner_dtype(x)), len(xi)) for x in xi))


def unravel_index(indices: Arg, shape: Arg, **_: Arg) -> K.Kind:
    """``np.unravel_index(indices, shape)``: for each axis, an integer or an array of them."""
    kind, axes = as_numeric(indices[0]), axes_said(shape[0])
    each = K.Scalar("int64") if isinstance(kind, K.Scalar) else K.Array("int64", K.rank_of(kind))
    return K.Other(tuple) if axes is None or not K.is_numeric(kind) else K.Tuple((each,) * axes)


def where(condition: Arg, x: Arg | None = None, y: Arg | None = None) -> K.Kind:
    """``np.where(c, x, y)``: an array always; of one argument, ``np.nonzero``."""
    if x is None or y is None:
        return nonzero(condition)
    kinds = [as_numeric(k) for k, _ in (condition, x, y)]
    if not all(map(K.is_numeric, kinds)):
        return K.Array("any", None)
    name = dtype_by_running(_choose, tuple((K.dtype_of(k), not isinstance(k, K.Scalar)) for k in kinds[1:]))
    return broadcast_kind(name, kinds, always_array=True)


def _choose(x: Any, y: Any) -> Any:
    return np.where(True, x, y)


def nonzero(a: Arg) -> K.Kind:
    """``np.nonzero(a)``: an array for each axis."""
    rank = K.rank_of(as_numeric(a[0]))
    return K.Other(tuple) if rank is None else K.Tuple((K.Array("int64", 1),) * rank)


def clip(a: Arg, *bounds: Arg, **named: Arg) -> K.Kind:
    """``np.clip(a, low, high)``"""
    given = [a, *bounds, *(named[n] for n in ("a_min", "a_max", "min", "max") if n in named)]
    kinds = [as_numeric(k) for k, _ in given if k != K.NONE]
    if not all(map(K.is_numeric, kinds)):
        return K.NUMERIC
    name, is_array = K.strong(K.dtype_of(kinds[0])), not isinstance(kinds[0], K.Scalar)  # NumPy makes an array of it
    for k in kinds[1:] or kinds:
        name = dtype_by_running(np.maximum, ((name, is_array), (K.dtype_of(k), not isinstance(k, K.Scalar))))
        is_array = is_array or not isinstance(k, K.Scalar)
    return broadcast_kind(strong(name), kinds)


# ---------------------------------------------------------------- subscripts


def getitem(obj: Arg, index: Arg) -> K.Kind:
    """``obj[index]``"""
    match obj[0], index:
        case K.List(_, fields), (K.Scalar("int"), int(i)) if fields is not None and -len(fields) <= i < len(fields):
            return fields[i]
        case K.Dict(_, fields), (_, str(key)) if fields is not None:
            return dict(fields).get(key, obj[0].item)
        case (K.List(inner), (K.Scalar() | K.Row(), _)) | (K.Dict(inner), _):
            return inner
        case K.List() as k, (K.Other(t), _) if t is slice:
            return k
        case K.Tuple(items), (_, bool()):
            return join_all(items)
        case K.Tuple(items), (_, int(i)):
            return items[i]
        case K.Tuple(items), (K.Scalar(), _):
            return join_all(items)
        case K.Other(t), _ if t is str:
            return K.STR
        case K.Other(t), (K.Scalar(), _) if t is range:
            return K.INT
        case (K.Array() | K.Scalar() | K.Numeric()) as k, _:
            parts = index[0].items if isinstance(index[0], K.Tuple) else (index[0],)
            return getitem_kind(k, parts)
    return K.ANY


def getitem_kind(obj: K.Kind, index: tuple[K.Kind, ...]) -> K.Kind:
    """An array's item, slice or selection, from the kinds of the parts of the index."""
    dtype = K.dtype_of(obj)
    parts = [as_numeric(k) for k in index]
    used = kept = 0
    advanced: list[int] = []
    ellipsis = unsure = False
    for part in parts:
        match part:
            case K.Scalar("bool") | K.Array(rank=None):
                unsure = True
            case K.Scalar():
                used += 1
            case K.Array("bool", int(r)):
                used, advanced = used + r, [*advanced, 1]
            case K.Array(_, int(r)):
                used, advanced = used + 1, [*advanced, r]
            case K.Other(t) if t is slice:
                used, kept = used + 1, kept + 1
            case K.Other(t) if t is type(None):
                kept += 1
            case K.Other(t) if t is type(Ellipsis):
                ellipsis = True
            case _:
                unsure = True
    rank = K.rank_of(obj)
    surely_array = kept > 0 or ellipsis or any(advanced)
    if unsure or rank is None or used > rank or isinstance(obj, K.Scalar):
        return K.Array(dtype, None) if surely_array and not isinstance(obj, K.Scalar) else _perhaps_item(dtype)
    rank = rank - used + kept + max(advanced, default=0)
    if rank == 0 and not ellipsis:
        return K.Scalar(dtype) if not advanced and dtype != "object" else _perhaps_item(dtype)
    return K.Array(dtype, rank)


def _perhaps_item(dtype: str) -> K.Kind:
    """An item of an array or an array of some; those of an array of objects may be anything."""
    return K.Numeric(dtype) if dtype != "object" else K.ANY


def gradient(f: Arg, *_: Arg, axis: Arg = ABSENT, **__: Arg) -> K.Kind:
    """``np.gradient``: an array for each axis, not in a tuple where that is one."""
    match f[0]:
        case K.Array(dtype, rank):
            part = K.Array(dtype if dtype.startswith("float") else "any", rank)
            if rank == 1 or isinstance(axis[1], int):
                return part
            if rank is not None and axis[1] is None:
                return K.Tuple((part,) * rank)
    return K.ANY


#: Always an array (0-d perhaps), for the case where nothing else is known.
RETURNS_ARRAY: set[Any] = {
    *(np.concatenate, np.stack, np.hstack, np.vstack, np.dstack, np.column_stack, np.append, np.block),
    *(np.atleast_1d, np.atleast_2d, np.atleast_3d, np.diag, np.diagflat, np.diagonal, np.outer, np.kron),
    *(np.where, np.delete, np.insert, np.compress, np.extract, np.unique, np.flatnonzero, np.argwhere),
    *(np.convolve, np.linalg.cross, np.meshgrid, np.indices, np.tri, np.vander, np.identity, np.searchsorted),
    *(np.linalg.inv, np.linalg.solve, np.linalg.cholesky, np.linalg.pinv, np.bincount, np.digitize),
} - {np.searchsorted, np.meshgrid, np.indices, np.digitize}

_SAME_SHAPE = (np.sort, np.flip, np.fliplr, np.flipud, np.roll, np.partition, np.nan_to_num)
_SAME_RANK = (np.swapaxes, np.moveaxis, np.rollaxis, np.rot90, np.pad, np.diff, np.trim_zeros)
_REDUCTIONS = (np.sum, np.prod, np.nansum, np.nanprod, np.mean, np.var, np.std, np.nanmean, np.nanvar, np.nanstd)
_KEEPDIMS_FOURTH = (np.sum, np.prod, np.mean)
_EXTREMA = (np.max, np.min, np.amax, np.amin, np.nanmax, np.nanmin, np.ptp, np.median, np.nanmedian)


_INTEGERS = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")
_PARTS = {"complex": "float", "complex64": "float32", "complex128": "float64"}


def part(z: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """``np.real`` and its like: real numbers in the place of complex ones."""
    kind = as_numeric(z[0])
    match kind:
        case K.Scalar(dtype):
            return K.Scalar(_PARTS.get(dtype, dtype))
        case K.Array(dtype, rank, shape):
            return K.Array(_PARTS.get(dtype, dtype), rank, shape)
        case K.Numeric(dtype, most):
            return K.Numeric(_PARTS.get(dtype, dtype), most)
    return K.NUMERIC


def angle(z: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """``np.angle``: item by item."""
    kind = as_numeric(z[0])
    return broadcast_kind(elementwise_dtype(np.angle, [kind]), [kind]) if K.is_numeric(kind) else K.NUMERIC


def half_transform(a: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """``np.fft.rfft``: an array of complex numbers, of the precision of what is transformed."""
    kind = as_numeric(a[0])
    single = K.dtype_of(kind) in ("float16", "float32", "complex64")
    return K.Array("complex64" if single else "complex128", K.rank_of(kind))


def transform(a: Arg, n: Arg = (K.NONE, None), *_: Arg, s: Arg = (K.NONE, None), **__: Arg) -> K.Kind:
    """``np.fft.fft`` and its like: of the same shape, unless another is asked for."""
    whole = n[0] == s[0] == K.NONE
    made = half_transform(a)
    return K.Array(K.dtype_of(made), K.rank_of(made), getattr(a[0], "shape", None) if whole else None)


def real_transform(a: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """``np.fft.irfft``: an array of real numbers."""
    made = half_transform(a)
    return K.Array("float32" if K.dtype_of(made) == "complex64" else "float64", K.rank_of(made))


def set_of(ar1: Arg, *more: Arg, **_: Arg) -> K.Kind:
    """``np.union1d`` and its like: a vector of items of either; ``np.setdiff1d`` of the first, as far as dtypes go."""
    names = [strong(inner_dtype(x)) for x in (ar1, *more[:1])]
    return K.Array(names[0] if len(set(names)) == 1 else "any", 1)


ARRAY_FORMS: dict[Any, Form] = {
    **dict.fromkeys((np.setdiff1d, np.union1d, np.setxor1d), set_of),
    **dict.fromkeys((np.fft.fft, np.fft.ifft, np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn), transform),
    np.angle: angle,
    np.real: part,
    np.imag: part,
    np.fft.rfft: half_transform,
    np.fft.irfft: real_transform,
    **{fn: reduction(fn, keepdims_at=4 if fn in _KEEPDIMS_FOURTH else 5) for fn in _REDUCTIONS},
    **{fn: reduction(fn, keepdims_at=3) for fn in (*_EXTREMA, np.all, np.any, np.argmax, np.argmin)},
    np.average: average,
    np.count_nonzero: reduction(np.count_nonzero),
    np.trapezoid: reduction(np.mean, at=3, default=-1),
    **{fn: cumulative(fn) for fn in (np.cumsum, np.cumprod, np.nancumsum, np.nancumprod)},
    **{fn: same(fn) for fn in _SAME_SHAPE},
    **{fn: same(fn, shape=False) for fn in _SAME_RANK},
    **dict.fromkeys((np.tril, np.triu), triangle),
    np.gradient: gradient,
    np.argsort: same(np.argsort, dtype="int64"),
    np.argpartition: same(np.argpartition, dtype="int64"),
    np.take_along_axis: lambda arr, indices, axis=ABSENT: _like(indices[0], inner_dtype(arr)),
    **dict.fromkeys((np.zeros, np.ones, np.empty), zeros),
    **dict.fromkeys((np.zeros_like, np.ones_like, np.empty_like), zeros_like),
    np.full: full,
    np.full_like: full_like,
    np.arange: arange,
    np.linspace: linspace,
    **dict.fromkeys((np.hamming, np.hanning, np.blackman, np.bartlett, np.kaiser), window),
    np.eye: eye,
    np.identity: eye,
    **dict.fromkeys((np.array, np.asarray, np.asanyarray), array),
    np.copy: lambda a, *_, **__: array(a),  # what comes second is the order, of which "F" is a dtype's name too
    **dict.fromkeys((np.ascontiguousarray, np.asfortranarray), at_least_a_vector),
    **{getattr(np, n): number(n) for n in ("float64", "float32", "float16", "complex64", "complex128", *_INTEGERS)},
    np.shape: shape,
    np.size: lambda *_: K.INT,
    np.ndim: lambda *_: K.INT,
    np.reshape: reshape,
    np.transpose: transpose,
    np.ravel: ravel,
    np.squeeze: squeeze,
    np.expand_dims: expand_dims,
    np.lib.stride_tricks.sliding_window_view: windows,
    np.broadcast_to: lambda a, shape, *_: K.Array(strong(inner_dtype(a)), axes_said(shape[0])),
    np.repeat: repeat,
    np.tile: tile,
    np.take: take,
    np.where: where,
    np.meshgrid: meshgrid,
    np.unravel_index: unravel_index,
    np.nonzero: nonzero,
    np.clip: clip,
    operator.getitem: getitem,
}
