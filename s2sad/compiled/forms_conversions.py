"""Forms of conversions, and of what makes an array of a given dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.compiled import along
from s2sad.compiled import helpers as native
from s2sad.compiled.expand import Builder, form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import is_none, length
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op
from s2sad.runtime import helpers

_TYPES: dict[Any, Any] = {complex: np.complex128, float: np.float64, int: np.int64, bool: np.bool_}


def native_type(dtype: Atom) -> Any:
    """The NumPy type for a dtype as programs write it, None where it cannot be told."""
    value = dtype.value if isinstance(dtype, Const) else getattr(dtype, "value", None)
    if isinstance(value, str | np.dtype):
        return np.dtype(value).type
    return _TYPES.get(value, value if isinstance(value, type) and issubclass(value, np.generic) else None)


@form(helpers.astype)
def astype(b: Builder, op: Op) -> Atom | None:
    """``x.astype(dtype)``, of a scalar too."""
    x, dtype = op.args
    wanted = native_type(dtype)
    if wanted is None or op.target is None:
        return None
    if isinstance(kind_of(x), K.Scalar):
        return b.emit(wanted, x, kind=op.target.kind)
    if isinstance(dtype, Const) and dtype.value is wanted:
        return None
    b.stmts.append(Op(op.target, helpers.astype, (x, Const(wanted)), (), b.origin))
    return op.target


def array_of_number(b: Builder, x: Atom, dtype: Any, kind: K.Kind) -> Atom:
    """``np.asarray(x, dtype)`` of a number, for which Numba has no dtype."""
    return b.emit(np.asarray, b.emit(dtype, x, kind=K.Scalar(np.dtype(dtype).name)), kind=kind)


@form(np.asanyarray)
def as_any_array(b: Builder, op: Op) -> Atom | None:
    """There are no arrays of other classes."""
    if op.target is None:
        return None
    plain = Op(op.target, np.asarray, op.args, op.kwargs, op.origin)
    made = as_array(b, plain)
    return b.call(np.asarray, op.args, dict(op.kwargs), op.target.kind) if made is None else made


@form(np.asarray, np.ascontiguousarray)
def as_array(b: Builder, op: Op) -> Atom | None:
    """``np.asarray(x, dtype)`` of an array of another dtype, which makes one, and of a number."""
    x, *given = op.args
    dtype = given[0] if given else dict(op.kwargs).get("dtype")
    if dtype is None or op.target is None or len(given) + len(op.kwargs) > 1:
        return None
    wanted, rank = native_type(dtype), rank_of(x)
    if wanted is not None and op.fn is np.asarray and isinstance(kind_of(x), K.Scalar):
        return array_of_number(b, x, wanted, op.target.kind)
    if wanted is None or not rank or K.dtype_of(kind_of(x)) in ("any", np.dtype(wanted).name):
        return None
    b.stmts.append(Op(op.target, helpers.astype, (x, Const(wanted)), (), b.origin))
    return op.target


@form(helpers.item)
def item(b: Builder, op: Op) -> Atom | None:
    """``x.item()``, which of an integer without a sign is one with a sign."""
    match kind_of(op.args[0]):
        case K.Scalar(dtype):
            found = op.args[0]
        case K.Array(dtype) if op.target is not None:
            found = b.emit(native.only_item, op.args[0], kind=op.target.kind)
        case _:
            return None
    return b.emit(np.int64, found, kind=K.INT) if dtype.startswith("uint") else found


@form(np.zeros, np.zeros_like)
def zeros(b: Builder, op: Op) -> Atom | None:
    """``np.zeros(shape)`` and ``np.zeros_like(x)`` of one or two axes."""
    kind = None if op.target is None else op.target.kind
    if not isinstance(kind, K.Array) or kind.dtype != "float64" or kind.rank not in (1, 2):
        return with_dtype(b, op)
    dtype = dict(op.kwargs).get("dtype")
    if len(op.args) > 1 or any(k not in ("dtype", "subok") for k, _ in op.kwargs):
        return with_dtype(b, op)
    if dtype is not None and native_type(dtype) not in (None, np.float64):
        return with_dtype(b, op)
    if op.fn is np.zeros_like:
        if rank_of(op.args[0]) != kind.rank or not isinstance(kind_of(op.args[0]), K.Array):
            return with_dtype(b, op)
        sizes: Sequence[Atom] = [length(b, op.args[0], k) for k in range(kind.rank)]
    elif isinstance(kind_of(op.args[0]), K.Scalar):
        sizes = op.args
    else:
        made = b.definition(op.args[0])
        if made is None or made.fn is not prims.make_tuple or len(made.args) != kind.rank:
            return with_dtype(b, op)
        sizes = made.args
    return b.emit(along.zeros_1 if kind.rank == 1 else along.zeros_2, *sizes, kind=kind)


@form(np.tri)
def triangle(b: Builder, op: Op) -> Atom | None:
    """``np.tri``, for which Numba has no dtype."""
    given = dict(op.kwargs)
    dtype = op.args[3] if len(op.args) > 3 else given.pop("dtype", None)
    if dtype is None or op.target is None or not isinstance(op.target.kind, K.Array):
        return None
    ones = b.call(np.tri, op.args[:3], given, K.Array("float64", 2))
    if native_type(dtype) is np.float64:
        return ones
    return b.emit(helpers.astype, ones, dtype, kind=op.target.kind)


@form(np.ones, np.empty, np.full, np.empty_like, np.full_like, np.array, np.arange, np.eye)
def with_dtype(b: Builder, op: Op) -> Atom | None:
    """Constructors of arrays: dtypes as NumPy's types."""
    given, args = dict(op.kwargs), op.args
    if op.fn in (np.zeros, np.ones, np.empty) and len(args) == 2:
        given["dtype"], args = args[1], args[:1]
    dtype = given.get("dtype")
    if dtype is None or op.target is None:
        return None
    if is_none(dtype):
        del given["dtype"]
    else:
        wanted = native_type(dtype)
        if wanted is None or (isinstance(dtype, Const) and dtype.value is wanted):
            return None
        given["dtype"] = Const(wanted)
    b.stmts.append(Op(op.target, op.fn, args, tuple(given.items()), b.origin))
    return op.target
