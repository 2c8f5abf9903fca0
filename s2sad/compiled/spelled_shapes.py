"""Grids of coordinates, indices of diagonals, sums of products and lists that are joined.

These are forms of :mod:`s2sad.compiled.spelled`: functions of a builder and an operation, which put down statements
that give the same values, to the rounding of a sum, or give None where they cannot.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.compiled import lists
from s2sad.compiled.dtypes import limit
from s2sad.compiled.expand import Builder, Form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import constant_axes, is_none, length, named, product
from s2sad.compiled.forms_shape import between, lengths_of, shape_and_order
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.runtime import helpers

__all__ = ["SHAPES"]


def part(b: Builder, op: Op) -> Atom | None:
    """``np.meshgrid(x, y, ...)[k]``: one of the grids, not taken out of a tuple, where none of it ever changes."""
    whole, k = b.definition(op.args[0]), b.constant(op.args[1])
    if whole is None or whole.fn is not np.meshgrid or not isinstance(k, int) or (order := _order(b, whole)) is None:
        return None
    if any(isinstance(v, Var) and b.is_written(v) for v in (op.target, whole.args[k])):
        return None
    return _grid(b, whole, order, k)


def meshgrid(b: Builder, op: Op) -> Atom | None:
    """``np.meshgrid(x, y, ...)`` of vectors: each stretched along the axes of the others, and copied."""
    order = _order(b, op)
    return None if order is None else b.index_of(*(_grid(b, op, order, k) for k in range(len(order))))


def _order(b: Builder, op: Op) -> list[int] | None:
    """Which vector goes along each axis of the grids."""
    given, n = dict(op.kwargs), len(op.args)
    indexing = b.constant(given.pop("indexing", Const("xy")))
    if given or indexing not in ("xy", "ij") or n < 2 or any(rank_of(x) != 1 for x in op.args):
        return None
    return [1, 0, *range(2, n)] if indexing == "xy" else list(range(n))


def _grid(b: Builder, op: Op, order: list[int], k: int) -> Atom:
    """One of the grids."""
    x, kind = op.args[k], K.Array(K.dtype_of(kind_of(op.args[k])), len(order))
    lengths = b.index_of(*(length(b, op.args[j], 0) for j in order))
    whole = b.emit(prims.make_slice, None, None, None, kind=K.SLICE)
    line = b.emit(operator.getitem, x, b.index_of(*(whole if j == k else None for j in order)), kind=kind)
    return b.emit(np.copy, b.emit(np.broadcast_to, line, lengths, kind=kind), kind=kind)


def unravel_index(b: Builder, op: Op) -> Atom | None:
    """``np.unravel_index(k, shape)``, of arrays too: remainders by the lengths, from the last axis on."""
    kind = kind_of(op.args[0])
    if len(op.args) != 2 or op.kwargs or not isinstance(kind, K.Scalar | K.Array) or not K.is_integer(kind):
        return None
    place, places, lengths = op.args[0], list[Atom](), lengths_of(b, op.args[1:])
    part = K.INT if isinstance(kind, K.Scalar) else K.Array("int64", kind.rank)
    b.do(lists.need_below if part == K.INT else lists.need_all_below, place, product(b, lengths))
    for n in reversed(lengths):
        places.insert(0, b.emit(operator.mod, place, n, kind=part))
        place = b.emit(operator.floordiv, place, n, kind=part)
    return b.emit(prims.make_tuple, *places, kind=K.Tuple((part,) * len(places)))


def diagonal_places(b: Builder, op: Op) -> Atom | None:
    """``np.diag_indices(n, ndim)`` and ``np.diag_indices_from(a)``: the same integers for each axis."""
    if op.fn is np.diag_indices:
        n, axes = named(op, "n", "ndim")
        count: Any = 2 if is_none(axes) else b.constant(axes)
    else:
        (a,) = named(op, "arr")
        count = rank_of(a)
        if not count or count < 2:
            return None
        n = length(b, a, 0)
    if not isinstance(count, int) or count < 1:
        return None
    return b.index_of(*[b.emit(np.arange, n, kind=K.Array("int64", 1))] * count) if count > 1 else None


def vdot(b: Builder, op: Op) -> Atom | None:
    """``np.vdot(a, b)``: the sum of products, of the items in the order of rows where the shapes may differ."""
    x, y = named(op, "a", "b")
    kinds = [kind_of(a) for a in (x, y)]
    if op.target is None or not all(isinstance(k, K.Array) and k.rank and k.dtype.startswith("float") for k in kinds):
        return None
    if x is y or (kinds[0] == kinds[1] and kinds[0].shape is not None):  # type: ignore[attr-defined]
        return b.emit(np.sum, b.emit(operator.mul, x, y, kind=kinds[0]), kind=op.target.kind)
    rows = [a if rank_of(a) == 1 else b.emit(np.ravel, a, kind=K.Array(K.dtype_of(kind_of(a)), 1)) for a in (x, y)]
    return b.emit(operator.matmul, *rows, kind=op.target.kind)


def joined(place: int) -> Form:
    """What joins the items of a tuple, its argument at a place, or parts them again: lists among them as arrays."""

    def build(b: Builder, op: Op) -> Atom | None:
        items = b.definition(op.args[place])
        if items is None or items.fn is not prims.make_tuple or not any(map(_is_list, items.args)) or op.target is None:
            return None
        arrays = [_as_array(b, a) if _is_list(a) else a for a in items.args]
        whole = b.emit(prims.make_tuple, *arrays, kind=K.Tuple(tuple(map(kind_of, arrays))))
        args = (*op.args[:place], whole, *op.args[place + 1 :])
        b.stmts.append(Op(op.target, op.fn, args, op.kwargs, op.origin))
        return op.target

    return build


def concatenated(b: Builder, op: Op) -> Atom | None:
    """``np.concatenate(arrays, None)``: the items of all, one after the other."""
    arrays, axis = named(op, "arrays", "axis")
    items = b.definition(arrays)
    given = len(op.args) > 1 or "axis" in dict(op.kwargs)
    if not given or not is_none(axis) or dict(op.kwargs).keys() - {"axis"}:
        return joined(0)(b, op)
    if items is None or items.fn not in (prims.make_tuple, prims.make_list) or op.target is None:
        return None
    if not all(isinstance(kind_of(a), K.Array) for a in items.args):
        return None
    flat = [b.emit(np.ravel, a, kind=K.Array(K.dtype_of(kind_of(a)), 1)) for a in items.args]
    return b.emit(np.concatenate, _together(b, flat), kind=op.target.kind)


def below(b: Builder, op: Op) -> Atom | None:
    """``np.vstack(arrays)`` of vectors and matrices: the vectors as rows."""
    items = b.definition(op.args[0])
    if items is None or items.fn not in (prims.make_tuple, prims.make_list) or op.target is None:
        return joined(0)(b, op)
    if len(op.args) > 1 or op.kwargs or {rank_of(a) for a in items.args} != {1, 2}:
        return joined(0)(b, op)
    if any(_is_list(a) for a in items.args):
        return joined(0)(b, op)
    rows = [
        b.emit(np.expand_dims, a, 0, kind=K.Array(K.dtype_of(kind_of(a)), 2)) if rank_of(a) == 1 else a
        for a in items.args
    ]
    return b.emit(np.concatenate, _together(b, rows), kind=op.target.kind)


def _together(b: Builder, parts: list[Atom]) -> Atom:
    return b.emit(prims.make_tuple, *parts, kind=K.Tuple(tuple(map(kind_of, parts))))


def filled(b: Builder, op: Op) -> Atom | None:
    """``np.full(shape, array)``: the array stretched to that shape, and copied."""
    shape, value = named(op, "shape", "fill_value")
    if op.target is None or not rank_of(value) or not isinstance(op.target.kind, K.Array):
        return None
    if len(op.args) > 2 or dict(op.kwargs).keys() - {"shape", "fill_value"}:
        return None
    lengths = b.index_of(shape) if isinstance(kind_of(shape), K.Scalar) else shape
    return b.emit(np.copy, b.emit(np.broadcast_to, value, lengths, kind=op.target.kind), kind=op.target.kind)


def _is_list(a: Atom) -> bool:
    match kind_of(a):
        case K.List(K.Scalar()):
            return True
    return False


def _as_array(b: Builder, a: Atom) -> Atom:
    """A list of numbers as a vector."""
    item = K.dtype_of(kind_of(a).item)  # type: ignore[attr-defined]
    return b.emit(np.array, a, kind=K.Array({"float": "float64", "int": "int64"}.get(item, item), 1))


# ---------------------------------------------------------------- parts of arrays


def trace(b: Builder, op: Op) -> Atom | None:
    """``np.trace(a, offset, axis1, axis2)`` but of a plain matrix: the sums of diagonals."""
    a, offset, *axes = named(op, "a", "offset", "axis1", "axis2")
    rank, dtype = rank_of(a) or 0, K.dtype_of(kind_of(a))
    if (
        op.target is None
        or rank < 2
        or dtype not in ("float64", "float32")
        or dict(op.kwargs).keys() & {"dtype", "out"}
    ):
        return None
    if rank == 2 and len(op.args) == 1 and not op.kwargs:
        return None
    given = [Const(k) if is_none(axis) else axis for k, axis in enumerate(axes)]
    by = Const(0) if is_none(offset) else offset
    line = b.emit(np.diagonal, a, by, *given, kind=K.Array(dtype, rank - 1))
    if rank == 2:
        return b.emit(np.sum, line, kind=op.target.kind)
    return b.emit(np.sum, line, axis=rank - 2, kind=op.target.kind)


def delete(b: Builder, op: Op) -> Atom | None:
    """``np.delete(arr, obj, axis)`` along an axis, or by a mask: the places that are left, picked."""
    a, obj, axis = named(op, "arr", "obj", "axis")
    rank, mask = rank_of(a), K.dtype_of(kind_of(obj)) == "bool" and rank_of(obj) == 1
    axes = (0,) if is_none(axis) and rank == 1 else None if is_none(axis) else constant_axes(b, axis, rank or 0)
    if not rank or axes is None or len(axes) != 1 or (is_none(axis) and not mask):
        return None
    if mask:
        kept = b.emit(np.logical_not, obj, kind=kind_of(obj))
        places = b.emit(np.flatnonzero, kept, kind=K.Array("int64", 1))
    else:
        every = b.emit(np.arange, length(b, a, axes[0]), kind=K.Array("int64", 1))
        places = b.emit(np.delete, every, obj, kind=K.Array("int64", 1))
    whole = [b.emit(prims.make_slice, None, None, None, kind=K.SLICE) for _ in range(axes[0])]
    return b.emit(operator.getitem, a, b.index_of(*whole, places), kind=K.Array(K.dtype_of(kind_of(a)), rank))


def insert(b: Builder, op: Op) -> Atom | None:
    """``np.insert(arr, obj, values, axis)``: what is there and what comes in joined, and picked in order."""
    a, obj, values, axis = named(op, "arr", "obj", "values", "axis")
    if kind_of(obj) == K.List(K.INT) or (isinstance(t := kind_of(obj), K.Tuple) and set(t.items) == {K.INT}):
        obj = b.emit(np.array, obj, kind=K.Array("int64", 1))
    rank, news, dtype = rank_of(a), rank_of(values), K.dtype_of(kind_of(a))
    axes = (0,) if is_none(axis) and rank == 1 else None if is_none(axis) else constant_axes(b, axis, rank or 0)
    if not rank or axes is None or len(axes) != 1 or not K.is_integer(kind_of(obj)) or rank_of(obj) not in (0, 1):
        return None
    if news not in (0, rank - 1, rank) or not (K.dtype_of(kind_of(values)) == dtype or _widens(values, dtype)):
        return None
    (k,), n = axes, length(b, a, axes[0])
    if rank_of(obj) == 1:
        m, order = length(b, obj, 0), b.emit(lists.places_among, obj, n, kind=K.Array("int64", 1))
    else:  # the first axis of the values goes along the axis
        m = length(b, values, 0) if news == rank else Const(1)
        order = b.emit(lists.places_around, obj, n, m, kind=K.Array("int64", 1))
        if news:
            turn = (np.moveaxis, values, 0, k) if news == rank else (np.expand_dims, values, k)
            values = b.emit(*turn, kind=K.Array(K.dtype_of(kind_of(values)), rank))
    shape = b.index_of(*(m if j == k else length(b, a, j) for j in range(rank)))
    if news:
        added = b.emit(np.broadcast_to, values, shape, kind=K.Array(K.dtype_of(kind_of(values)), rank))
    else:
        added = b.emit(np.full, shape, values, np.dtype(dtype).type, kind=K.Array(dtype, rank))
    both = b.emit(np.concatenate, _together(b, [a, added]), axis=k, kind=K.Array(dtype, rank))
    whole = [b.emit(prims.make_slice, None, None, None, kind=K.SLICE) for _ in range(k)]
    return b.emit(operator.getitem, both, b.index_of(*whole, order), kind=K.Array(dtype, rank))


def _widens(a: Atom, dtype: str) -> bool:
    """Whether an integer, or an array of such, or a number of Python's, is put among floats."""
    return dtype == "float64" and (K.is_integer(kind_of(a)) or kind_of(a) == K.FLOAT)


def linspace(b: Builder, op: Op) -> Atom | None:
    """``np.linspace(start, stop, num, endpoint)`` between arrays, a row for each point, or without the last point."""
    start, stop, num, endpoint, axis = named(op, "start", "stop", "num", "endpoint", "axis")
    closed = True if is_none(endpoint) else b.constant(endpoint)
    if op.target is None or not isinstance(kind := op.target.kind, K.Array) or not (rank := kind.rank):
        return None
    if closed not in (True, False) or K.dtype_of(kind) != "float64" or (not is_none(axis) and b.constant(axis) != 0):
        return None
    count = Const(50) if is_none(num) else num
    if closed and rank == 1:
        return b.emit(np.linspace, start, stop, count, kind=kind) if len(op.args) > 3 or op.kwargs else None
    steps = b.emit(max, b.emit(operator.sub, count, 1, kind=K.INT), 1, kind=K.INT) if closed else count
    places = b.emit(np.arange, count, kind=K.Array("int64", 1))
    along = b.emit(operator.truediv, places, steps, kind=K.Array("float64", 1))
    if rank > 1:
        every = b.emit(prims.make_slice, None, None, None, kind=K.SLICE)
        along = b.emit(operator.getitem, along, b.index_of(every, *(None,) * (rank - 1)), kind=kind)
    way = b.emit(operator.sub, stop, start, kind=K.Array("float64", rank - 1) if rank > 1 else K.FLOAT)
    out = b.emit(operator.add, b.emit(operator.mul, along, way, kind=kind), start, kind=kind)
    if closed:  # which is what the last point is, to the last bit
        b.store(out, b.emit(prims.make_slice, steps, None, None, kind=K.SLICE), stop)
    return out


def dstack(b: Builder, op: Op) -> Atom | None:
    """``np.dstack(arrays)`` of arrays that are written down: each with three axes, joined along the last."""
    items = b.definition(op.args[0])
    if len(op.args) > 1 or op.kwargs or op.target is None:
        return None
    if items is None or items.fn not in (prims.make_tuple, prims.make_list):
        return stacked_last(b, op)
    parts: list[Atom] = []
    for a in items.args:
        rank, kind = rank_of(a), K.Array(K.dtype_of(kind_of(a)), 3)
        if rank not in (1, 2, 3):
            return None
        whole = [b.emit(prims.make_slice, None, None, None, kind=K.SLICE) for _ in range(rank)]
        index = b.index_of(*([None] if rank == 1 else []), *whole, None)
        parts.append(a if rank == 3 else b.emit(operator.getitem, a, index, kind=kind))
    together = b.emit(prims.make_tuple, *parts, kind=K.Tuple(tuple(map(kind_of, parts))))
    return b.emit(np.concatenate, together, axis=2, kind=op.target.kind)


def stacked_last(b: Builder, op: Op) -> Atom | None:
    """``np.dstack(arrays)`` of vectors or matrices in a list: stacked, the new axis then put last."""
    match kind_of(op.args[0]):
        case K.List(K.Array(dtype, int(rank))) if rank in (1, 2):
            first = b.emit(np.stack, op.args[0], kind=K.Array(dtype, rank + 1))
            last = b.emit(
                np.ascontiguousarray, b.emit(np.moveaxis, first, 0, -1, kind=kind_of(first)), kind=kind_of(first)
            )
            kind = K.Array(dtype, 3)
            return last if rank == 2 else b.emit(operator.getitem, last, None, kind=kind)
    return None


def of_vectors(b: Builder, op: Op) -> Atom | None:
    """``split_like(x, vectors, 2)``, of vectors in a list that are joined along the last of three axes."""
    x, arrays, axis = named(op, "x", "arrays", "axis")
    match kind_of(arrays):
        case K.List(K.Array(dtype, 1)) if rank_of(x) == 3 and b.constant(axis) == 2 and op.target is not None:
            plane = b.emit(operator.getitem, x, 0, kind=K.Array(dtype, 2))
            return b.emit(helpers.split_like, plane, arrays, 1, kind=op.target.kind)
    return joined(1)(b, op)


def unslide(b: Builder, op: Op) -> Atom | None:
    """``unslide(x, like, window_shape, axis)``: for each place of the windows, what is there added to an array."""
    x, like, windows, axis = named(op, "x", "like", "window_shape", "axis")
    rank, lengths = rank_of(like), lengths_of(b, [windows])
    axes = tuple(range(rank or 0)) if is_none(axis) else constant_axes(b, axis, rank or 0)
    if not rank or axes is None or len(axes) != len(lengths) or len(set(axes)) < len(axes):
        return None
    out = b.emit(helpers.zeros_like, like, kind=kind_of(like))
    extents = [length(b, x, k) for k in range(rank)]

    def added(inner: Builder, firsts: tuple[Atom, ...]) -> None:
        if len(firsts) < len(axes):
            inner.loop(lengths[len(firsts)], lambda deeper, k: added(deeper, (*firsts, k)))
            return
        index = [inner.emit(prims.make_slice, None, None, None, kind=K.SLICE) for _ in range(rank)]
        part = inner.emit(
            operator.getitem, x, inner.index_of(*index, *firsts), kind=K.Array(K.dtype_of(kind_of(x)), rank)
        )
        for k, first in zip(axes, firsts, strict=True):
            stop = inner.emit(operator.add, first, extents[k], kind=K.INT)
            index[k] = inner.emit(prims.make_slice, first, stop, None, kind=K.SLICE)
        inner.store(out, inner.index_of(*index), part, "+")

    added(b, ())
    return out


# ---------------------------------------------------------------- least squares


def limit_of_dtype(b: Builder, op: Op) -> Atom | None:
    """``np.finfo(x.dtype).eps`` and the like, as rules ask for it."""
    return limit(op, b.definitions)


def least_squares(item: int) -> Form:
    """``least_squares(a, b, rcond)``: one of what Numba's function gives, which takes a number for the cutoff."""

    def build(b: Builder, op: Op) -> Atom | None:
        a, right, rcond = named(op, "a", "b", "rcond")
        dtypes = [K.dtype_of(kind_of(x)) for x in (a, right)]
        if op.target is None or dtypes != ["float64"] * 2 or rank_of(a) != 2 or rank_of(right) not in (1, 2):
            return None
        cutoff = rcond
        if is_none(rcond):
            longest = b.emit(max, length(b, a, 0), length(b, a, 1), kind=K.INT)
            cutoff = b.emit(operator.mul, float(np.finfo(np.float64).eps), longest, kind=K.FLOAT)
        kinds = (K.Array("float64", rank_of(right)), K.Array("float64", 1), K.INT, K.Array("float64", 1))
        found = b.emit(np.linalg.lstsq, a, right, cutoff, kind=K.Tuple(kinds))
        return b.emit(operator.getitem, found, item, kind=op.target.kind)

    return build


def by_columns(b: Builder, op: Op) -> Atom | None:
    """``np.reshape(a, shape, order="F")`` and ``np.ravel(a, "F")``: of the transpose, by rows, and that transposed."""
    a, shape, order, given = shape_and_order(b, op)
    rank = None if op.target is None else rank_of(op.target)
    if b.constant(order) != "F" or given or not rank or not rank_of(a):
        return None
    turned = b.emit(np.transpose, a, kind=kind_of(a))
    if op.fn is np.ravel:
        return b.emit(np.ravel, turned, kind=K.Array(K.dtype_of(kind_of(a)), 1))
    lengths = reversed(lengths_of(b, shape))
    made = b.emit(np.reshape, turned, b.index_of(*lengths), kind=K.Array(K.dtype_of(kind_of(a)), rank))
    return b.emit(np.transpose, made, kind=kind_of(made))


def differences(b: Builder, op: Op) -> Atom | None:
    """``np.diff(a, n, axis)``: parts from which others are taken, as loops have them."""
    a, n, axis = named(op, "a", "n", "axis")
    rank, dtype = rank_of(a), K.dtype_of(kind_of(a))
    times = 1 if is_none(n) else b.constant(n)
    if not rank or not isinstance(times, int) or times < 1 or (dtype == "bool" and times > 1):
        return None
    axes = (rank - 1,) if is_none(axis) else constant_axes(b, axis, rank)
    if axes is None:
        return None
    kind = K.Array(dtype, rank)
    for _ in range(times):
        ahead = b.emit(operator.getitem, a, between(b, axes[0], 1, None), kind=kind)
        behind = b.emit(operator.getitem, a, between(b, axes[0], None, -1), kind=kind)
        a = b.emit(operator.sub, ahead, behind, kind=kind)
    return a


#: What to make of such operations.
def matrices_turned(b: Builder, op: Op) -> Atom | None:
    """``np.matrix_transpose(x)``, and ``x.mT``: the last two axes swapped."""
    x = op.args[0]
    return b.emit(np.swapaxes, x, -1, -2, kind=kind_of(x)) if (rank_of(x) or 0) >= 2 else None


SHAPES: dict[Any, Form] = {
    operator.getitem: part,
    np.meshgrid: meshgrid,
    np.unravel_index: unravel_index,
    np.diag_indices: diagonal_places,
    np.diag_indices_from: diagonal_places,
    np.vdot: vdot,
    np.matrix_transpose: matrices_turned,
    np.trace: trace,
    np.delete: delete,
    np.insert: insert,
    np.linspace: linspace,
    np.diff: differences,
    np.ravel: by_columns,
    np.reshape: by_columns,
    np.dstack: dstack,
    helpers.unslide: unslide,
    helpers.least_squares: least_squares(0),
    helpers.least_squares_rank: least_squares(2),
    prims.getattr_: limit_of_dtype,
    np.concatenate: concatenated,
    np.vstack: below,
    **dict.fromkeys((np.hstack, np.column_stack, np.stack), joined(0)),
    np.full: filled,
    helpers.split_like: of_vectors,
}
