"""Kinds of the results of the helpers of derivative code."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.rules.forms import Arg, Form, as_numeric, broadcast_kind, dtype_name, elementwise_dtype, strong
from s2sad.rules.infer_arrays import array, getitem
from s2sad.rules.standins import UNKNOWN, item_of, join_all
from s2sad.runtime import helpers

__all__ = ["HELPER_FORMS"]


def item(x: Arg) -> K.Kind:
    """``x.item()``: a Python number."""
    name = np.dtype(x[0].dtype).kind if isinstance(x[0], K.Array | K.Scalar) and x[0].dtype != "any" else "any"
    return K.Scalar({"f": "float", "i": "int", "u": "int", "b": "bool", "c": "complex"}.get(name, "any"))


def promoted(kind: K.Kind) -> K.Kind:
    """The kind of complex numbers that numbers of this kind are among.

    >>> promoted(K.Array("float32", 1)), promoted(K.FLOAT)
    (Array(dtype='complex64', rank=1, shape=None), Scalar(dtype='complex'))
    """
    if not isinstance(kind, K.Scalar | K.Array | K.Numeric):
        return kind
    dtype = K.join_dtypes(kind.dtype, "complex")
    return replace(kind, dtype=dtype if isinstance(kind, K.Scalar) else K.strong(dtype))


def astype(x: Arg, dtype: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """``x.astype(dtype)``: an array of an array, a scalar of a scalar."""
    name = dtype_name(dtype)
    match x[0]:
        case K.Array(_, rank, shape):
            return K.Array(name, rank, shape)
        case K.Scalar():
            return K.Scalar(name)
        case K.Numeric(_, most):
            return K.Numeric(name, most)
    return K.Numeric(name)


def flatten_axes(a: Arg, axis: Arg = (K.NONE, None)) -> K.Kind:
    """``flatten_axes(a, axis)``: one axis instead of those given, or of all."""
    kind, rank = as_numeric(a[0]), K.rank_of(as_numeric(a[0]))
    if not K.is_numeric(kind):
        return K.Array("any", None)
    match axis[0]:
        case _ if axis[0] == K.NONE:
            return K.Array(strong(K.dtype_of(kind)), 1)
        case K.Tuple(items) if rank is not None:
            return K.Array(strong(K.dtype_of(kind)), rank - len(items) + 1)
        case K.Scalar():
            return K.Array(strong(K.dtype_of(kind)), rank)
    return K.Array(strong(K.dtype_of(kind)), None)


def as_index(xs: Arg) -> K.Kind:
    """``as_index(xs)``: the array of a list, of integers where nothing is known to be in it."""
    return K.Array("int64", 1) if xs[0] == K.List(K.BOTTOM) else array(xs)


def helper_like(x: Arg, like: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """A helper that gives its first argument the form of its second."""
    floating = _floating(K.dtype_of(like[0]))
    match like[0]:
        case K.Array(_, rank, token):
            return K.Array(floating if floating != "float" else "any", rank, token)
        case K.Scalar(dtype):
            weak = dtype in ("float", "int", "bool", "complex")
            return K.Scalar(K.dtype_of(x[0]) if weak and K.is_float(x[0]) else floating)
        case K.Numeric(_, most):
            return K.Numeric(floating if floating != "float" else "any", most)
        case K.List() | K.Tuple() | K.Dict():
            return zeros_of(like)
    return K.ANY


def _floating(dtype: str) -> str:
    return dtype if dtype.startswith(("float", "complex")) or dtype == "any" else "float"


def zeros_of(x: Arg) -> K.Kind:
    """``helpers.zeros_like``: floating, whatever x holds."""
    match x[0]:
        case K.Array(dtype, rank, token):
            name = _floating(dtype)
            return K.Array("float64" if name == "float" else name, rank, token)
        case K.Scalar(dtype):
            return K.Scalar("complex") if dtype.startswith("complex") else K.FLOAT
        case K.Numeric(dtype, most):
            return K.Numeric(_floating(dtype) if _floating(dtype) != "float" else "any", most)
        case K.Tuple(items, cls):
            return K.Tuple(tuple(zeros_of((i, UNKNOWN)) for i in items), cls)
        case K.List(inner):
            return K.List(zeros_of((inner, UNKNOWN)))
        case K.Dict(inner):
            return K.Dict(zeros_of((inner, UNKNOWN)))
        case K.Bottom():
            return x[0]
    return K.NONE if x[0] != K.ANY else K.ANY


def parts_like(x: Arg, arrays: Arg, *_: Arg) -> K.Kind:
    """A list of arrays, each like one of the second argument."""
    match zeros_of(arrays):
        case K.Tuple(items):
            return K.List(item_of(items))
        case K.List() as k:
            return k
    return K.List(K.ANY)


def join_like(parts: Arg, like: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """The parts of an array, together again: of their dtype, where that is one."""
    match parts[0]:
        case K.List(K.Scalar(dtype) | K.Array(dtype) | K.Numeric(dtype)):
            return K.Array(strong(dtype), K.rank_of(like[0]))
    return K.Array(strong(K.dtype_of(as_numeric(parts[0]))), K.rank_of(like[0]))


def select(*args: Arg) -> K.Kind:
    """A helper that works item by item: an array where an argument is one, 0-d included."""
    kinds = [k for k, _ in args]
    if not all(map(K.is_numeric, kinds)):
        return K.NUMERIC
    dtypes = [K.Scalar(_floating(K.dtype_of(k))) for k in kinds]
    name = K.dtype_of(join_all(dtypes))
    array = any(isinstance(k, K.Array) for k in kinds)
    return broadcast_kind(strong(name) if array else name, kinds, always_array=array)


def least_squares(a: Arg, b: Arg, *_: Arg) -> K.Kind:
    """A solution for each column of b, or for the one that b is."""
    operands = [as_numeric(a[0]), as_numeric(b[0])]
    if not all(map(K.is_numeric, operands)):
        return K.Array("any", None)
    return K.Array(elementwise_dtype(np.divide, operands), K.rank_of(operands[1]))


HELPER_FORMS: dict[Any, Form] = {
    helpers.astype: astype,
    helpers.item: item,
    helpers.eigenvectors: lambda a, w: K.Array(K.dtype_of(promoted(as_numeric(a[0]))), K.rank_of(as_numeric(a[0]))),
    **dict.fromkeys((helpers.promoted, helpers.complex_log), lambda x: promoted(x[0])),
    **dict.fromkeys((helpers.doubled, helpers.scaled_ends), lambda x, *_: x[0]),
    helpers.resized: lambda x, like: K.Array(K.dtype_of(x[0]), K.rank_of(like[0]), getattr(like[0], "shape", None)),
    **dict.fromkeys((helpers.zeros_like, helpers.complex_zeros, helpers.complex_zero_leaf), zeros_of),
    helpers.zero_items: lambda x: K.ANY if isinstance(x[0], K.Tuple) else zeros_of(x),
    helpers.ones_like: zeros_of,
    helpers.zero_leaf: zeros_of,
    **dict.fromkeys((helpers.unbroadcast, helpers.cast, helpers.spread, helpers.unpack, helpers.crop), helper_like),
    helpers.as_result: helper_like,
    helpers.accumulate: lambda a, b: K.join(a[0], b[0]),
    helpers.count: lambda *_: K.INT,
    **dict.fromkeys((helpers.add_at, helpers.need_square, helpers.need_fractions), lambda *_: K.NONE),
    **dict.fromkeys((helpers.need_variables, helpers.need_number, helpers.need_real), lambda *_: K.NONE),
    **dict.fromkeys((helpers.need_filled, helpers.need_values, helpers.need_more_values), lambda *_: K.NONE),
    helpers.polygamma: lambda *_: K.FLOAT,
    helpers.scatter: lambda x, index, like: zeros_of(like),
    helpers.untake: lambda x, indices, like, axis=None: zeros_of(like),
    helpers.untake_along_axis: lambda x, indices, like, axis=None: zeros_of(like),
    **dict.fromkeys((helpers.untile, helpers.unpad, helpers.unslide, helpers.undiagonal, helpers.undiag), helper_like),
    helpers.flatten_axes: flatten_axes,
    helpers.unflatten_axes: helper_like,
    helpers.tied_share: lambda x, a, *_, **__: helper_like(x, a),
    helpers.tied_mean: lambda x, a, result, *_, **__: helper_like(x, result),
    **{fn: lambda x, like, b, *_: helper_like(x, like) for fn in (helpers.matmul_left, helpers.dot_left)},
    **{fn: lambda x, a, like, *_: helper_like(x, like) for fn in (helpers.matmul_right, helpers.dot_right)},
    helpers.tensordot_left: lambda x, like, b, *_: helper_like(x, like),
    helpers.tensordot_right: lambda x, a, like, *_: helper_like(x, like),
    helpers.einsum_transpose: lambda k, subscripts, x, like, *_: helper_like(x, like),
    helpers.last_stored: lambda target, index: getitem(target, index),
    helpers.copy_order: lambda *_: K.Array("int64", 1),
    helpers.as_index: as_index,
    helpers.order_of: lambda *_: K.List(K.INT),
    **dict.fromkeys((helpers.combination_places, helpers.permutation_places), lambda *_: K.Array("int64", 2)),
    helpers.place_of_max: lambda *_: K.INT,
    helpers.place_of_min: lambda *_: K.INT,
    helpers.place: lambda x, index, like: zeros_of(like),
    helpers.pack: lambda values, like: like[0] if isinstance(like[0], K.Array) else values[0],
    **dict.fromkeys((helpers.constant, helpers.copy_tree, helpers.copy_state), lambda x, *_: x[0]),
    **dict.fromkeys((helpers.laid_out, helpers.laid_out_leaves), lambda x, *_: x[0]),
    helpers.join_like: join_like,
    helpers.split_like: parts_like,
    helpers.unstack: parts_like,
    **dict.fromkeys((helpers.times, helpers.quotient, helpers.where_larger), select),
    **dict.fromkeys((helpers.power_slope, helpers.power_term), select),
    helpers.safe_log: select,
    helpers.least_squares: least_squares,
}
