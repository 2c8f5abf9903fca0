"""Forms of ``np.take`` and of its adjoint, by indices with any number of axes."""

from __future__ import annotations

import operator

import numpy as np

from s2sad.compiled.expand import Builder, form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import constant_axes, is_none, length, named, product
from s2sad.compiled.forms_reductions import reshaped
from s2sad.compiled.forms_shape import at
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Op
from s2sad.runtime import helpers


def _dtype(a: Atom) -> str:
    return K.dtype_of(kind_of(a))


@form(np.take)
def take(b: Builder, op: Op) -> Atom | None:
    """``np.take(a, indices, axis)`` by indices with several axes: by all of them in a row, and then of their shape."""
    if dict(op.kwargs).keys() - {"axis"}:
        return None
    a, indices, axis = named(op, "a", "indices", "axis")
    rank, indices = rank_of(a), _places(b, indices)
    if not rank or (rank_of(indices) or 0) < 2:
        return None
    axes = (0,) if is_none(axis) else constant_axes(b, axis, rank)
    if axes is None or len(axes) != 1:
        return None
    if is_none(axis) and rank > 1:
        a = b.emit(np.ravel, a, kind=K.Array(_dtype(a), 1))
        rank = 1
    lengths = [length(b, a, k) for k in range(rank)]
    shape = [length(b, indices, k) for k in range(rank_of(indices) or 0)]
    flat = b.emit(np.ravel, indices, kind=K.Array(_dtype(indices), 1))
    picked = b.emit(operator.getitem, a, at(b, axes[0], flat), kind=K.Array(_dtype(a), rank))
    return reshaped(b, picked, [*lengths[: axes[0]], *shape, *lengths[axes[0] + 1 :]], _dtype(a))


def _places(b: Builder, indices: Atom) -> Atom:
    """Indices as an array, with an axis for each list around them, and those of what is in it."""
    kind, nested = kind_of(indices), 0
    while isinstance(kind, K.List | K.Tuple):
        items = (kind.item,) if isinstance(kind, K.List) else kind.items
        kind, nested = items[0] if items else K.INT, nested + 1
    inner = K.rank_of(kind)
    axes = None if inner is None else nested + inner
    return b.emit(np.array, indices, kind=K.Array("int64", axes)) if nested else indices


@form(helpers.untake)
def untake(b: Builder, op: Op) -> Atom | None:
    """``untake(x, indices, like, axis)``: zeros, then the addition along the axis, of indices in a row."""
    x, indices, like, axis = named(op, "x", "indices", "like", "axis")
    rank, indices = rank_of(like), _places(b, indices)
    count = rank_of(indices)
    if not rank or count is None:
        return None
    lengths = [length(b, like, k) for k in range(rank)] if is_none(axis) and rank > 1 else []
    axes = (0,) if is_none(axis) else constant_axes(b, axis, rank)
    if axes is None:
        return None
    if lengths:
        zeros = b.emit(np.zeros, product(b, lengths), np.dtype(_dtype(like)).type, kind=K.Array(_dtype(like), 1))
    else:
        zeros = b.emit(helpers.zeros_like, like, kind=kind_of(like))
    if count > 1:
        left = 1 if lengths else rank
        if rank_of(x) != left - 1 + count:
            return None
        around = [length(b, zeros, k) for k in range(left)]
        indices = b.emit(np.ravel, indices, kind=K.Array(_dtype(indices), 1))
        around[axes[0]] = length(b, indices, 0)
        x = reshaped(b, b.emit(np.ascontiguousarray, x, kind=kind_of(x)), around, _dtype(x))
    b.do(np.add.at, zeros, at(b, axes[0], indices), x)
    return reshaped(b, zeros, lengths, _dtype(like)) if lengths else zeros
