"""Forms of the runtime helpers that adjoints call: zeros, sums over what was broadcast, conversions."""

from __future__ import annotations

import functools
import inspect
import operator
from typing import Any

import numpy as np

from s2sad.compiled import along
from s2sad.compiled import helpers as native
from s2sad.compiled.expand import Builder, OtherArguments, form, kind_of, rank_of
from s2sad.compiled.many_axes import broadcast_like_many, unbroadcast_many
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.runtime import helpers

_REPEATED = {
    1: native.broadcast_like_1,
    2: native.broadcast_like_2,
    3: native.broadcast_like_3,
    4: native.broadcast_like_4,
}
_SUMMED = {1: native.unbroadcast_1, 2: native.unbroadcast_2, 3: native.unbroadcast_3, 4: native.unbroadcast_4}


def named(op: Op, *names: str) -> list[Atom]:
    """The arguments of an operation in this order, None where absent.

    Raises :class:`OtherArguments` where there are others, which the form would drop.
    """
    parameters = _parameters(op.fn)
    known = parameters if parameters.keys() >= set(names) else dict.fromkeys(names)
    given: dict[str, Atom] = dict(zip(known, op.args, strict=False)) | dict(op.kwargs)
    others = [n for n, a in given.items() if n not in names and a != Const(known.get(n, inspect.Parameter.empty))]
    if others or len(op.args) > len(known):
        raise OtherArguments
    return [given.get(n, Const(None)) for n in names]


@functools.lru_cache(maxsize=256)
def _parameters(fn: Any) -> dict[str, Any]:
    """The parameters of a function in order, with their defaults; none where it does not tell."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {p.name: p.default for p in parameters}


def doubled(b: Builder, x: Atom) -> Atom | None:
    """A number or an array in double precision, as which integers are taken; None for what has less."""
    kind = kind_of(x)
    if K.dtype_of(kind) in ("float64", "float"):
        return x
    if not K.is_integer(kind):
        return None
    if isinstance(kind, K.Array):
        return b.emit(helpers.astype, x, Const(np.float64), kind=K.Array("float64", kind.rank))
    return b.emit(float, x, kind=K.FLOAT)


def is_none(a: Atom) -> bool:
    """Whether an atom is the constant None."""
    return isinstance(a, Const) and a.value is None


def floating(kind: K.Kind) -> K.Kind:
    """The kind of an adjoint of a value of this kind."""
    match kind:
        case K.Scalar(dtype) if not dtype.startswith(("float", "complex")):
            return K.FLOAT
        case K.Array(dtype, rank, shape) if not dtype.startswith(("float", "complex")):
            return K.Array("float64", rank, shape)
        case K.Tuple(items):
            return K.Tuple(tuple(map(floating, items)))
        case K.List(item):
            return K.List(floating(item))
        case _ if kind == K.STR:
            return K.NONE
    return kind


# ---------------------------------------------------------------- shapes of adjoints


@form(helpers.cast)
def cast(b: Builder, op: Op) -> Atom | None:
    """``cast(x, like)``: nothing to do but where dtypes or ranks differ."""
    x, like = op.args
    match kind_of(x), kind_of(like):
        case K.Scalar(d), K.Scalar(e):
            return b.emit(np.float32, x, kind=K.Scalar("float32")) if e == "float32" != d else x
        case K.Array(rank=0) as k, K.Scalar():
            return b.emit(native.number_in, x, kind=K.Scalar(k.dtype))
        case K.Array(d, r), K.Array(e, q) if r == q:
            if (e, d) == ("float64", "float32"):
                return b.emit(helpers.astype, x, np.float64, kind=kind_of(like))
            if (e, d) == ("complex128", "complex64"):
                return b.emit(helpers.astype, x, np.complex128, kind=kind_of(like))
            return b.emit(helpers.astype, x, np.float32, kind=kind_of(like)) if e == "float32" != d else x
        case K.Scalar(), K.Array(rank=0):
            return filled(b, x, like)
    return None


@form(helpers.unbroadcast)
def unbroadcast(b: Builder, op: Op) -> Atom | None:
    """``unbroadcast(x, like)`` by the ranks of both."""
    x, like = op.args
    r, q = rank_of(x), rank_of(like)
    kind = floating(kind_of(like))
    if r is None or q is None:
        return None
    if isinstance(kind_of(like), K.Scalar):
        total = b.emit(np.sum, x, kind=K.FLOAT) if r else x
        return b.emit(helpers.cast, total, like, kind=kind)
    if r == 0:
        return filled(b, x, like)
    if r < q:
        return repeated(b, x, like)
    if K.known_same_shape(kind_of(x), kind_of(like)):
        return b.emit(helpers.cast, x, like, kind=kind)
    dtype = K.dtype_of(kind_of(x))
    while r > q:
        r -= 1
        x = b.emit(np.sum, x, axis=0, kind=K.Array(dtype, r) if r else K.FLOAT)
    if q == 0:
        return filled(b, x, like)
    summed = b.emit(_SUMMED.get(q, unbroadcast_many), x, like, kind=K.Array(dtype, q))
    return b.emit(helpers.cast, summed, like, kind=kind)


@form(helpers.spread)
def spread(b: Builder, op: Op) -> Atom | None:
    """``spread(x, like, axis, keepdims)``: insert the axes, then stretch."""
    x, like, axis, keepdims = named(op, "x", "like", "axis", "keepdims")
    r, q = rank_of(x), rank_of(like)
    if r is None or q is None:
        return None
    if isinstance(kind_of(like), K.Scalar):
        return b.emit(helpers.cast, x, like, kind=floating(kind_of(like)))
    kept = isinstance(keepdims, Const) and bool(keepdims.value)
    axes = constant_axes(b, axis, q)
    if r and not kept and axes is not None:
        for a in sorted(axes):
            r += 1
            x = b.emit(np.expand_dims, x, a, kind=K.Array(K.dtype_of(kind_of(x)), r))
    elif r and not is_none(axis) and not kept:
        return None
    return repeated(b, x, like)


def filled(b: Builder, x: Atom, like: Atom) -> Atom:
    """An array of the shape of another, each item the same number."""
    kind = floating(kind_of(like))
    if isinstance(kind_of(x), K.Array):
        x = b.emit(native.number_in, x, kind=K.Scalar(K.dtype_of(kind_of(x))))
    fn = native.full_like if K.dtype_of(kind) == K.dtype_of(kind_of(like)) else native.float_full
    return b.emit(fn, x, like, kind=kind)


def repeated(b: Builder, x: Atom, like: Atom) -> Atom | None:
    """A value repeated up to the shape of an array of at least as many axes."""
    r, q, kind = rank_of(x), rank_of(like), floating(kind_of(like))
    if r is None or q is None:
        return None
    if r == 0:
        return filled(b, x, like)
    if r > q:
        return None
    dtype = K.dtype_of(kind_of(x))
    for rank in range(r, q):
        x = b.emit(operator.getitem, x, None, kind=K.Array(dtype, rank + 1))
    return b.emit(_REPEATED.get(q, broadcast_like_many), x, like, kind=kind)


def constant_axes(b: Builder, axis: Atom, rank: int) -> tuple[int, ...] | None:
    """The axes that a constant names, none of them negative; None if it is no such constant."""
    value = b.constant(axis)
    if isinstance(value, int):
        return (value % rank,) if rank else None
    if isinstance(value, tuple | list) and all(isinstance(v, int) for v in value):
        return tuple(v % rank for v in value)
    return None


@form(helpers.count)
def count(b: Builder, op: Op) -> Atom | None:
    """``count(a, axis)``."""
    a, axis = named(op, "a", "axis")
    rank = rank_of(a)
    if rank is None:
        return None
    if is_none(axis):
        return b.emit(np.size, a, kind=K.INT) if rank else Const(1)
    axes = constant_axes(b, axis, rank)
    return None if axes is None else product(b, [length(b, a, i) for i in axes])


def length(b: Builder, a: Atom, axis: int) -> Atom:
    """``a.shape[axis]``."""
    rank = rank_of(a) or 0
    shape = b.emit(np.shape, a, kind=K.Tuple((K.INT,) * rank))
    return b.emit(operator.getitem, shape, axis, kind=K.INT)


def product(b: Builder, factors: list[Atom]) -> Atom:
    """The product of some integers."""
    total: Atom = Const(1)
    for k, factor in enumerate(factors):
        total = factor if k == 0 else b.emit(operator.mul, total, factor, kind=K.INT)
    return total


# ---------------------------------------------------------------- by structure


def put(b: Builder, out: Var, item: Atom | None) -> None:
    """Put an item into a list that is made; where it is not known what to make of it, nothing is made of the list."""
    if item is None:
        raise OtherArguments
    b.do(prims.list_append, out, item)


def mapped(b: Builder, xs: Atom, kind: K.List, one: Any) -> Atom:
    """A list with ``one(builder, item)`` for each item of a list."""
    out = Var("items", kind)
    b.stmts.append(Op(out, prims.make_list, (), (), b.origin))
    item_kind = kind_of(xs).item  # type: ignore[attr-defined]

    def body(inner: Builder, k: Var) -> None:
        item = inner.emit(operator.getitem, xs, k, kind=item_kind, hint="item")
        put(inner, out, one(inner, item))

    b.loop(b.emit(len, xs, kind=K.INT), body)
    return out


@form(helpers.zeros_like, helpers.zero_leaf, helpers.complex_zeros, helpers.complex_zero_leaf)
def zeros_like(b: Builder, op: Op) -> Atom | None:
    """``zeros_like(x)``, item by item in lists and tuples."""
    return zeros_of(b, op.args[0])


def zeros_of(b: Builder, x: Atom) -> Atom | None:
    """Zeros of the structure of a value."""
    kind = floating(kind_of(x))
    match kind_of(x):
        case K.Scalar("float32"):
            return b.emit(np.float32, 0.0, kind=kind)
        case K.Scalar(dtype):
            return Const(0j if dtype.startswith("complex") else 0.0)
        case K.Array(dtype):
            if dtype.startswith(("float", "complex")):
                return b.emit(np.zeros_like, x, kind=kind)
            return b.emit(native.float_zeros, x, kind=kind)
        case K.List() if isinstance(kind, K.List):
            return mapped(b, x, kind, zeros_of)
        case K.Dict(item) as whole if isinstance(item, K.Scalar | K.Array):
            return zeros_in_dict(b, x, whole)
        case K.Tuple(items):
            parts = [zeros_of(b, b.emit(operator.getitem, x, k, kind=item)) for k, item in enumerate(items)]
            return None if None in parts else b.emit(prims.make_tuple, *parts, kind=kind)
        case k if k in (K.STR, K.NONE):
            return Const(None)
    return None


def zeros_in_dict(b: Builder, x: Atom, kind: K.Dict) -> Atom:
    """A dict with the keys of another, and zeros like what it holds."""
    out = Var("items", K.Dict(floating(kind.item)))
    b.stmts.append(Op(out, prims.make_dict, (), (), b.origin))
    keys = b.emit(list, x, kind=K.List(K.ANY))

    def body(inner: Builder, k: Var) -> None:
        key = inner.emit(operator.getitem, keys, k, kind=K.ANY, hint="key")
        zeros = zeros_of(inner, inner.emit(operator.getitem, x, key, kind=kind.item))
        if zeros is not None:
            inner.store(out, key, zeros)

    b.loop(b.emit(len, keys, kind=K.INT), body)
    return out


@form(helpers.ones_like)
def ones_like(b: Builder, op: Op) -> Atom | None:
    """``ones_like(x)``."""
    match kind_of(op.args[0]):
        case K.Scalar():
            return Const(1.0)
        case K.Array():
            return filled(b, Const(1.0), op.args[0])
    return None


@form(np.ones_like)
def numpy_ones_like(b: Builder, op: Op) -> Atom | None:
    """``np.ones_like(x)`` of a scalar."""
    if isinstance(kind_of(op.args[0]), K.Scalar) and not op.kwargs:
        return Const(1.0)
    return None


@form(helpers.unit_seed)
def unit_seed(b: Builder, op: Op) -> Atom | None:
    """``unit_seed(y)``."""
    match kind_of(op.args[0]):
        case K.Scalar():
            return Const(1.0)
        case K.Array(rank=0):
            return filled(b, Const(1.0), op.args[0])
    return None


@form(helpers.accumulate)
def accumulate(b: Builder, op: Op) -> Atom | None:
    """``accumulate(a, b)``, item by item."""
    return sum_of(b, *op.args)


def sum_of(b: Builder, x: Atom, y: Atom) -> Atom | None:
    """The sum of two adjoints of one structure."""
    for zero, other in ((x, y), (y, x)):
        if isinstance(zero, Const) and (zero.value is None or zero.value == 0.0):
            return other
    match kind_of(x), kind_of(y):
        case K.Array("float64", 1), K.Array("float64", 1):
            return b.emit(along.plus_1, x, y, kind=K.Array("float64", 1))
        case K.Array("float64", 2), K.Array("float64", 2):
            return b.emit(along.plus_2, x, y, kind=K.Array("float64", 2))
        case (K.Scalar() | K.Array()) as k, (K.Scalar() | K.Array()) as m:
            return b.emit(operator.add, x, y, kind=k if isinstance(k, K.Array) else m)
        case K.List(item) as whole, K.List():
            out = Var("items", whole)
            b.stmts.append(Op(out, prims.make_list, (), (), b.origin))

            def body(inner: Builder, i: Var) -> None:
                left, right = (inner.emit(operator.getitem, z, i, kind=item) for z in (x, y))
                put(inner, out, sum_of(inner, left, right))

            b.loop(b.emit(len, x, kind=K.INT), body)
            return out
        case K.Tuple(items) as k, K.Tuple(others):
            parts = []
            for n, (p, q) in enumerate(zip(items, others, strict=True)):
                left, right = b.emit(operator.getitem, x, n, kind=p), b.emit(operator.getitem, y, n, kind=q)
                parts.append(sum_of(b, left, right))
            return None if None in parts else b.emit(prims.make_tuple, *parts, kind=k)
        case k, _ if k in (K.STR, K.NONE):
            return Const(None)
    return None


@form(helpers.as_result)
def as_result(b: Builder, op: Op) -> Atom | None:
    """``as_result(bx, x)``."""
    return result_like(b, *op.args)


def result_like(b: Builder, bx: Atom, x: Atom) -> Atom | None:
    """An adjoint with the structure of its primal, in memory of its own."""
    kind = floating(kind_of(x))
    if is_none(bx) or (isinstance(bx, Const) and bx.value == 0.0 and not isinstance(kind, K.Scalar)):
        return zeros_of(b, x)
    match kind_of(x):
        case K.Scalar():
            return b.emit(helpers.unbroadcast, bx, x, kind=kind)
        case K.Array():
            summed = b.emit(helpers.unbroadcast, bx, x, kind=kind)
            return b.emit(np.copy, summed, kind=kind)
        case K.List(item) if isinstance(kind, K.List):
            out = Var("items", kind)
            b.stmts.append(Op(out, prims.make_list, (), (), b.origin))
            given = kind_of(bx)
            part = given.item if isinstance(given, K.List) else kind.item

            def body(inner: Builder, i: Var) -> None:
                left = inner.emit(operator.getitem, bx, i, kind=part)
                right = inner.emit(operator.getitem, x, i, kind=item)
                put(inner, out, result_like(inner, left, right))

            b.loop(b.emit(len, x, kind=K.INT), body)
            return out
        case K.Tuple(items, None) if isinstance(given := kind_of(bx), K.Tuple) and isinstance(kind, K.Tuple):
            parts = []
            for n, (p, q) in enumerate(zip(given.items, items, strict=True)):
                left, right = b.emit(operator.getitem, bx, n, kind=p), b.emit(operator.getitem, x, n, kind=q)
                parts.append(result_like(b, left, right))
            return None if None in parts else b.emit(prims.make_tuple, *parts, kind=kind)
    return None


@form(helpers.copy_tree, helpers.constant, helpers.laid_out, helpers.laid_out_leaves)
def copy_tree(b: Builder, op: Op) -> Atom | None:
    """A copy, as deep as there are lists."""
    return copy_of(b, op.args[0])


def copy_of(b: Builder, x: Atom) -> Atom | None:
    match kind_of(x):
        case K.Scalar():
            return x
        case K.Array() as kind:
            return b.emit(np.copy, x, kind=kind)
        case K.List(K.Scalar()) as kind:
            return b.emit(prims.list_copy, x, kind=kind)
        case K.List() as kind:
            return mapped(b, x, kind, copy_of)
        case K.Tuple(items) as kind:
            parts = [b.emit(operator.getitem, x, n, kind=item) for n, item in enumerate(items)]
            copies = [copy_of(b, part) for part in parts]
            return x if copies == parts else None if None in copies else b.emit(prims.make_tuple, *copies, kind=kind)
        case K.Other(cls) if cls in (str, type(None)):
            return x
    return None


@form(helpers.unpack)
def unpack(b: Builder, op: Op) -> Atom | None:
    """``unpack(x, like)``: the items of an array in the lists of ``like``."""
    return unpacked(b, *op.args)


def unpacked(b: Builder, x: Atom, like: Atom) -> Atom | None:
    rank, kind = rank_of(x), floating(kind_of(like))
    part: K.Kind = K.FLOAT if rank == 1 else K.Array(K.dtype_of(kind_of(x)), (rank or 1) - 1)
    match kind_of(like):
        case K.List(item) if rank and isinstance(kind, K.List):
            out = Var("items", kind)
            b.stmts.append(Op(out, prims.make_list, (), (), b.origin))

            def body(inner: Builder, i: Var) -> None:
                left = inner.emit(operator.getitem, x, i, kind=part)
                right = inner.emit(operator.getitem, like, i, kind=item)
                put(inner, out, unpacked(inner, left, right))

            b.loop(b.emit(len, like, kind=K.INT), body)
            return out
        case K.Tuple(items) if rank:
            parts = []
            for n, item in enumerate(items):
                left = b.emit(operator.getitem, x, n, kind=part)
                parts.append(unpacked(b, left, b.emit(operator.getitem, like, n, kind=item)))
            return None if None in parts else b.emit(prims.make_tuple, *parts, kind=kind)
        case K.Scalar() | K.Array():
            return b.emit(helpers.unbroadcast, x, like, kind=kind)
    return None
