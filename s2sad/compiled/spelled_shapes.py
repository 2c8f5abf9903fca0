"""Grids of coordinates, indices of diagonals, sums of products and lists that are joined.

These are forms of :mod:`s2sad.compiled.spelled`: functions of a builder and an operation, which put down statements
that give the same values, to the rounding of a sum, or give None where they cannot.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.compiled.expand import Builder, Form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import is_none, length, named
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op
from s2sad.runtime import helpers

__all__ = ["SHAPES"]


def part(b: Builder, op: Op) -> Atom | None:
    """``np.meshgrid(x, y, ...)[k]``: one of the grids, not taken out of a tuple."""
    whole, k = b.definition(op.args[0]), b.constant(op.args[1])
    if whole is None or whole.fn is not np.meshgrid or not isinstance(k, int) or (order := _order(b, whole)) is None:
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


def _is_list(a: Atom) -> bool:
    match kind_of(a):
        case K.List(K.Scalar()):
            return True
    return False


def _as_array(b: Builder, a: Atom) -> Atom:
    """A list of numbers as a vector."""
    item = K.dtype_of(kind_of(a).item)  # type: ignore[attr-defined]
    return b.emit(np.array, a, kind=K.Array({"float": "float64", "int": "int64"}.get(item, item), 1))


#: What to make of such operations.
SHAPES: dict[Any, Form] = {
    operator.getitem: part,
    np.meshgrid: meshgrid,
    np.diag_indices: diagonal_places,
    np.diag_indices_from: diagonal_places,
    np.vdot: vdot,
    **dict.fromkeys((np.concatenate, np.hstack, np.vstack, np.column_stack, np.stack), joined(0)),
    helpers.split_like: joined(1),
}
