"""Forms of what joins, cuts and moves arrays."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.compiled import helpers as native
from s2sad.compiled import lists, viewing
from s2sad.compiled.expand import Builder, form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import constant_axes, is_none, length, named, product
from s2sad.compiled.forms_conversions import array_of_number, native_type, with_dtype
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Ref, Var
from s2sad.runtime import helpers

#: Views with axes in another order, by the number of axes. Numba's own takes seconds to compile.
_TURNED: dict[int, Any] = {3: viewing.turned_3, 4: viewing.turned_4}


@form(np.transpose)
def transpose(b: Builder, op: Op) -> Atom | None:
    """``np.transpose(a, axes)`` with axes in an order that is known."""
    a, axes = named(op, "a", "axes")
    rank, order = rank_of(a) or 0, _order(b, axes)
    if op.target is None or not isinstance(order, tuple | list) or not all(_is_axis(i, rank) for i in order):
        return None
    order, plain = [i % rank for i in order], list(range(rank))
    if order == plain:
        return a
    if order == plain[::-1]:
        return b.emit(np.transpose, a, kind=op.target.kind)
    return b.emit(_TURNED[rank], a, *order, kind=op.target.kind) if rank in _TURNED and sorted(order) == plain else None


@form(np.swapaxes)
def swapaxes(b: Builder, op: Op) -> Atom | None:
    """``np.swapaxes(a, i, j)`` as a transpose."""
    a, axis1, axis2 = named(op, "a", "axis1", "axis2")
    rank, i, j = rank_of(a) or 0, b.constant(axis1), b.constant(axis2)
    if op.target is None or not _is_axis(i, rank) or not _is_axis(j, rank):
        return None
    order = list(range(rank))
    order[i], order[j] = order[j], order[i]
    return b.emit(np.transpose, a, tuple(order), kind=op.target.kind)


@form(np.squeeze)
def squeeze(b: Builder, op: Op) -> Atom | None:
    """``np.squeeze(a, axis)`` as the first, and only, place along these axes: a view, as NumPy's is."""
    a, axis = named(op, "a", "axis")
    rank = rank_of(a) or 0
    dropped = None if is_none(axis) else constant_axes(b, axis, rank)
    if op.target is None or dropped is None or len(dropped) == rank:
        return None
    for k in dropped:
        b.do(native.need_one, length(b, a, k))
    whole = b.emit(prims.make_slice, None, None, None, kind=K.SLICE)
    index = b.index_of(*(Const(0) if k in dropped else whole for k in range(rank)))
    return b.emit(operator.getitem, a, index, kind=op.target.kind)


@form(helpers.axes_back)
def axes_back(b: Builder, op: Op) -> Atom | None:
    """``axes_back(axes, rank)`` of axes that are known."""
    known = [b.constant(a) for a in op.args]
    return None if None in known else Const(tuple(helpers.axes_back(*known).tolist()))


def _order(b: Builder, axes: Atom) -> Any:
    """The constant that these axes are, or are going to be."""
    made = b.definition(axes)
    found = axes_back(b, made) if made is not None and made.fn is helpers.axes_back else None
    return b.constant(found or axes)


def _is_axis(i: Any, rank: int) -> bool:
    return isinstance(i, int) and -rank <= i < rank


@form(np.moveaxis)
def moveaxis(b: Builder, op: Op) -> Atom | None:
    """``np.moveaxis(a, source, destination)`` as a transpose."""
    a, source, destination = op.args
    rank = rank_of(a)
    if not rank or op.target is None:
        return None
    first, last = constant_axes(b, source, rank), constant_axes(b, destination, rank)
    if first is None or last is None:
        return None
    order = [i for i in range(rank) if i not in first]
    for to, axis in sorted(zip(last, first, strict=True)):
        order.insert(to, axis)
    return b.emit(np.transpose, a, tuple(order), kind=op.target.kind)


def flipped(b: Builder, m: Atom, axes: Sequence[int]) -> Atom:
    """A view of an array with some axes the other way round."""
    steps = [-1 if k in axes else None for k in range(rank_of(m) or 0)]
    index = b.index_of(*(b.emit(prims.make_slice, None, None, step, kind=K.SLICE) for step in steps))
    return b.emit(operator.getitem, m, index, kind=kind_of(m))


@form(np.rot90)
def rot90(b: Builder, op: Op) -> Atom | None:
    """``np.rot90(m, k, axes)`` as slices and a transpose."""
    m, k, axes = named(op, "m", "k", "axes")
    rank, quarters = rank_of(m), 1 if is_none(k) else b.constant(k)
    found = (0, 1) if is_none(axes) else constant_axes(b, axes, rank or 0)
    if not rank or not isinstance(quarters, int) or found is None or len(set(found)) != 2:
        return None
    first, last = found
    if quarters % 2 == 0:
        return flipped(b, m, found if quarters % 4 else ())
    order = [{first: last, last: first}.get(i, i) for i in range(rank)]
    if quarters % 4 == 3:
        return flipped(b, b.emit(np.transpose, m, tuple(order), kind=kind_of(m)), (last,))
    return b.emit(np.transpose, flipped(b, m, (last,)), tuple(order), kind=kind_of(m))


@form(np.reshape, np.ravel)
def in_order(b: Builder, op: Op) -> Atom | None:
    """``np.reshape`` and ``np.ravel``: of any layout, and of no word about order; of what is stored into, a view.

    Numba copies in other cases than NumPy does, which matters to stores only.
    """
    a, lengths, order, given = shape_and_order(b, op)
    if op.target is None or b.constant(order) != "C" or not isinstance(kind_of(a), K.Array | K.Scalar):
        return None
    shape = lengths or (Const(-1),)
    if isinstance(kind_of(a), K.Array) and rank_of(a) == 0:
        a = b.emit(operator.getitem, a, None, kind=K.Array(K.dtype_of(kind_of(a)), 1))
    elif rank_of(a) == 0:
        a = b.emit(np.array, b.emit(prims.make_list, a, kind=K.List(K.FLOAT)), kind=K.Array("float64", 1))
    elif not b.is_written(op.target):
        a = b.emit(np.ascontiguousarray, a, kind=kind_of(a))
    elif may_have_gaps(b, a) and op.fn is np.ravel:
        return b.emit(viewing.ravelled, a, kind=op.target.kind)
    elif may_have_gaps(b, a) and not given and rank_of(op.target) in _VIEWED:
        return b.emit(_VIEWED[rank_of(op.target)], a, *lengths_of(b, shape), kind=op.target.kind)
    b.stmts.append(Op(op.target, np.reshape, (a, *shape), tuple(given.items()), b.origin))
    return op.target


def shape_and_order(b: Builder, op: Op) -> tuple[Atom, tuple[Atom, ...], Atom, dict[str, Atom]]:
    """The array that gets another shape, the shape, the order, which may come by place, and what else is given."""
    (a, *shape), given = op.args, dict(op.kwargs)
    by_place = bool(shape) and isinstance(b.constant(shape[-1]), str)
    order = shape.pop() if by_place else given.pop("order", Const("C"))
    return a, tuple(shape), order, given


#: Views in another shape, by the number of axes.
_VIEWED: dict[int | None, Any] = {
    1: viewing.viewed_1,
    2: viewing.viewed_2,
    3: viewing.viewed_3,
    4: viewing.viewed_4,
    5: viewing.viewed_5,
    6: viewing.viewed_6,
}
#: Show what the first operand is, or is a view of.
_KEEPING = (np.reshape, np.ravel, prims.identity, helpers.shadow_view)
_SHOWS = (np.transpose, np.swapaxes, np.moveaxis, np.diagonal, np.flip, operator.getitem, helpers.crop)


def may_have_gaps(b: Builder, a: Atom, asked: frozenset[Atom] = frozenset()) -> bool:
    """Whether an array is a view that may not be in one piece, other than one of those that are ``asked`` already."""
    if a in asked:
        return False
    made, asked = b.definition(a), asked | {a}
    if made is None:
        return any(may_have_gaps(b, other, asked) for other in b.merged(a))
    if made.fn in _SHOWS:
        return True
    return made.fn in _KEEPING and may_have_gaps(b, made.args[0], asked)


def lengths_of(b: Builder, shape: Sequence[Atom]) -> list[Atom]:
    """The lengths that a shape consists of, one by one."""
    value, kind = b.constant(shape[0]), kind_of(shape[0])
    if len(shape) == 1 and isinstance(value, tuple):
        return [Const(n) for n in value]
    if len(shape) == 1 and isinstance(kind, K.Tuple):
        return [b.emit(operator.getitem, shape[0], k, kind=K.INT) for k in range(len(kind.items))]
    return list(shape)


def at(b: Builder, axis: int, k: Atom) -> Atom:
    """The index of item ``k`` along an axis."""
    if not axis:
        return k
    whole = b.emit(prims.make_slice, None, None, None, kind=K.SLICE)
    return b.index_of(*[whole] * axis, k)


def between(b: Builder, axis: int, start: Any, stop: Any) -> Atom:
    """The index of the items from ``start`` to ``stop`` along an axis."""
    part = b.emit(prims.make_slice, start, stop, None, kind=K.SLICE)
    if not axis:
        return part
    whole = b.emit(prims.make_slice, None, None, None, kind=K.SLICE)
    return b.index_of(*[whole] * axis, part)


def written_out(b: Builder, a: Atom) -> list[Any] | None:
    """The numbers of a list, or of the lists in a list, whose items are written out; None if they are not."""
    made = b.definition(a)
    if made is None or made.fn is not prims.make_list or not made.args:
        return None
    if all(isinstance(kind_of(x), K.Scalar) for x in made.args):
        return list(made.args)
    rows = [written_out(b, x) for x in made.args]
    flat = [row for row in rows if row is not None and not isinstance(row[0], list)]
    return flat if len(flat) == len(rows) and len({len(row) for row in flat}) == 1 else None


def filled_in(b: Builder, items: list[Any], kind: K.Kind) -> Atom:
    """An array of numbers in a list, or in lists in a list, put in one by one: Numba's lists are slow to make."""
    rows = isinstance(items[0], list)
    shape: Any = (len(items), len(items[0])) if rows else len(items)
    dtype = Ref(("np", K.dtype_of(kind)), np, getattr(np, K.dtype_of(kind)), K.Other(type))
    out = b.emit(np.empty, shape, dtype, kind=kind)
    for i, row in enumerate(items):
        for j, item in enumerate(row if rows else [row]):
            b.store(out, b.index_of(i, j) if rows else i, item)
    return out


def packed(b: Builder, op: Op) -> Atom | None:
    """``np.array(xs)`` of numbers in a list, or in lists in a list; Numba's own takes loops that append for others."""
    kind, given = kind_of(op.args[0]), op.target.kind if op.target is not None else K.ANY
    floats = K.dtype_of(given) == "float64"
    if kind == K.List(K.BOTTOM) and floats:
        return b.emit(np.zeros, 0, kind=given)
    if K.dtype_of(given) in ("float64", "int64", "complex128") and (rows := written_out(b, op.args[0])) is not None:
        return filled_in(b, rows, given)
    match kind:
        case K.List(K.Scalar()) if floats or K.dtype_of(given) == "int64":
            return b.emit(native.pack_floats if floats else native.pack_integers, op.args[0], kind=given)
        case K.List(K.List(K.Scalar())) if floats:
            return b.emit(native.pack_rows, op.args[0], kind=given)
    return None


@form(helpers.as_index)
def as_index(b: Builder, op: Op) -> Atom | None:
    """``as_index(xs)``: compiled lists have a type, items or not."""
    xs, kind = op.args[0], op.target.kind if op.target is not None else K.ANY
    nothing = kind_of(xs) == K.List(K.BOTTOM)
    return b.emit(np.empty, 0, Const(np.int64), kind=kind) if nothing else b.emit(np.array, xs, kind=kind)


def stacked(b: Builder, op: Op) -> Atom | None:
    """``np.stack(arrays, axis)``: stacked along the first axis, which is then moved."""
    arrays, axis = named(op, "arrays", "axis")
    rank = None if op.target is None else rank_of(op.target)
    axes = constant_axes(b, axis, rank or 0)
    if not rank or axes is None or not set(dict(op.kwargs)) <= {"axis"} or op.target is None:
        return None
    found = b.emit(np.stack, arrays, kind=op.target.kind)
    if axes[0] == 0:
        return found
    moved = b.emit(np.moveaxis, found, 0, axes[0], kind=op.target.kind)
    return b.emit(np.ascontiguousarray, moved, kind=op.target.kind)


def joined_numbers(b: Builder, op: Op) -> Atom | None:
    """``np.hstack(parts)`` with numbers among the arrays, which become arrays of one item."""
    kind = kind_of(op.args[0])
    if (
        op.target is None
        or op.kwargs
        or not isinstance(kind, K.Tuple)
        or any(K.rank_of(k) not in (0, 1) for k in kind.items)
    ):
        return None
    parts: list[Atom] = []
    for n, item in enumerate(kind.items):
        part = b.emit(operator.getitem, op.args[0], n, kind=item)
        if isinstance(item, K.Scalar):
            dtype = "float32" if item.dtype == "float32" else "float64" if K.is_float(item) else "int64"
            part = filled_in(b, [part], K.Array(dtype, 1))
        parts.append(part)
    together = b.emit(prims.make_tuple, *parts, kind=K.Tuple(tuple(map(kind_of, parts))))
    return b.emit(np.concatenate, together, kind=op.target.kind)


def with_floats(b: Builder, op: Op) -> Atom | None:
    """``np.array(xs, dtype)`` of floats: as without the dtype, of integers too."""
    xs, dtype = named(op, "object", "dtype")
    if op.target is None or not set(dict(op.kwargs)) <= {"dtype"}:
        return with_dtype(b, op)
    if isinstance(kind_of(xs), K.Scalar) and (wanted := native_type(dtype)) is not None:
        return array_of_number(b, xs, wanted, op.target.kind)
    if isinstance(kind_of(xs), K.Array) and native_type(dtype) is np.complex128:
        return b.emit(helpers.astype, xs, np.complex128, kind=op.target.kind)
    if K.dtype_of(op.target.kind) != "float64":
        return with_dtype(b, op)
    if native_type(dtype) is not np.float64:
        return with_dtype(b, op)
    if isinstance(kind_of(xs), K.Array):
        fn = np.array if _is_of_floats(xs) else helpers.astype
        return b.emit(fn, *((xs,) if fn is np.array else (xs, np.float64)), kind=op.target.kind)
    found = packed(b, Op(op.target, np.array, (xs,), (), op.origin))
    return with_dtype(b, op) if found is None else found


def _is_of_floats(a: Atom) -> bool:
    return K.dtype_of(kind_of(a)) == "float64"


@form(np.stack, np.vstack, np.hstack, np.column_stack, np.concatenate, np.array)
def joined(b: Builder, op: Op) -> Atom | None:
    """Joins of arrays in a list: Numba takes a tuple of them, or they are put in one by one."""
    if op.fn is np.array and (len(op.args) == 2 or op.kwargs):
        return with_floats(b, op)
    arrays, *rest = op.args
    kind = kind_of(arrays)
    plain = op.fn is np.array and not rest and not op.kwargs
    if op.fn is np.stack and (rest or op.kwargs):
        return stacked(b, op)
    if op.fn is np.hstack and isinstance(kind, K.Tuple) and any(isinstance(k, K.Scalar) for k in kind.items):
        return joined_numbers(b, op)
    if op.fn is np.hstack and isinstance(kind, K.List) and isinstance(kind.item, K.Scalar) and not op.kwargs:
        found = packed(b, Op(op.target, np.array, op.args, (), op.origin))  # numbers, one after the other
        return b.emit(np.array, arrays, kind=op.target.kind) if found is None and op.target is not None else found
    if plain and isinstance(kind, K.Tuple) and any(map(K.is_array, kind.items)):
        return of_tuple(b, op, kind)
    if plain and (found := packed(b, op)) is not None:
        return found
    made = b.definition(arrays)
    if plain and isinstance(kind, K.List) and isinstance(kind.item, K.List):
        return stacked_rows(b, op)
    if op.target is None or not isinstance(kind, K.List) or not isinstance(kind.item, K.Array):
        return of_numbers(b, op)
    if made is not None and made.fn is prims.make_list:
        items = b.emit(prims.make_tuple, *made.args, kind=K.Tuple(tuple(map(kind_of, made.args))))
        fn = np.stack if op.fn is np.array else op.fn
        b.stmts.append(Op(op.target, fn, (items, *rest), op.kwargs, b.origin))
        return op.target
    if op.fn in (np.stack, np.array, np.vstack) and not rest and not op.kwargs and kind.item.rank == 1:
        return b.emit(native.stack_list, arrays, kind=op.target.kind)
    if op.fn in (np.stack, np.array) and not rest and not op.kwargs and kind.item.rank == 2:
        return b.emit(lists.stack_matrices, arrays, kind=op.target.kind)
    if op.fn in (np.concatenate, np.hstack) and not rest and not op.kwargs and kind.item.rank == 1:
        return b.emit(native.join_list, arrays, kind=op.target.kind)
    if op.fn is np.column_stack and kind.item.rank == 1:
        rows = b.emit(native.stack_list, arrays, kind=op.target.kind)
        return b.emit(np.ascontiguousarray, b.emit(np.transpose, rows, kind=op.target.kind), kind=op.target.kind)
    return joined_along(b, op)


def of_tuple(b: Builder, op: Op, kind: K.Tuple) -> Atom | None:
    """``np.array((x, y))`` of arrays of one dtype with as many axes each."""
    alike = {(K.dtype_of(k), K.rank_of(k)) for k in kind.items}
    ((dtype, rank),) = alike if len(alike) == 1 else [("any", None)]
    if rank is None or dtype == "any":
        return None
    return b.emit(np.stack, op.args[0], kind=K.Array(dtype, rank + 1))


def stacked_rows(b: Builder, op: Op) -> Atom | None:
    """``np.array([[x, y], [z, w]])`` of arrays: the rows, of which each is an array, stacked."""
    made, kind = b.definition(op.args[0]), kind_of(op.target) if op.target is not None else K.ANY
    if made is None or made.fn is not prims.make_list or not isinstance(kind, K.Array) or not kind.rank:
        return None
    row = K.Array(kind.dtype, kind.rank - 1)
    rows = [b.emit(np.array, items, kind=row) for items in made.args]
    together = b.emit(prims.make_tuple, *rows, kind=K.Tuple((row,) * len(rows)))
    return b.emit(np.stack, together, kind=kind)


def of_numbers(b: Builder, op: Op) -> Atom | None:
    """A join of the numbers of a list: what ``np.array`` makes of them."""
    kind = kind_of(op.args[0])
    numbers = isinstance(kind, K.List) and isinstance(kind.item, K.Scalar)
    if not numbers or op.fn not in (np.stack, np.hstack) or len(op.args) > 1 or op.kwargs:
        return None
    return packed(b, Op(op.target, np.array, op.args, (), op.origin))


def joined_along(b: Builder, op: Op) -> Atom | None:
    """A join of a list of matrices, one below the other or side by side."""
    arrays, kind = op.args[0], kind_of(op.args[0])
    if not isinstance(kind, K.List) or K.rank_of(kind.item) != 2 or op.target is None:
        return None
    match op.fn:
        case np.concatenate:
            axis = named(op, "arrays", "axis")[1]
            axes = (0,) if len(op.args) == 1 and not op.kwargs else constant_axes(b, axis, 2)
        case np.vstack | np.hstack | np.column_stack if not op.kwargs:
            axes = (0,) if op.fn is np.vstack else (1,)
        case _:
            axes = None
    if axes is None or len(axes) != 1:
        return None
    return b.emit(lists.join_columns if axes[0] else lists.join_rows, arrays, kind=op.target.kind)


@form(helpers.unstack)
def unstack(b: Builder, op: Op) -> Atom | None:
    """``unstack(x, arrays, axis)``: the slices of x along an axis, in a list."""
    x, arrays, axis = named(op, "x", "arrays", "axis")
    rank, kind = rank_of(x), kind_of(arrays)
    if not rank or not isinstance(kind, K.List | K.Tuple):
        return None
    axes = (0,) if isinstance(axis, Const) and axis.value is None else constant_axes(b, axis, rank)
    if axes is None:
        return None
    part: K.Kind = K.Array(K.dtype_of(kind_of(x)), rank - 1) if rank > 1 else K.FLOAT
    if isinstance(kind, K.Tuple):
        picked = [b.emit(operator.getitem, x, at(b, axes[0], Const(k)), kind=part) for k in range(len(kind.items))]
        return b.emit(prims.make_tuple, *picked, kind=K.Tuple((part,) * len(picked)))
    return slices_of(b, x, axes[0], part)


def slices_of(b: Builder, x: Atom, axis: int, part: K.Kind) -> Atom:
    """The slices of an array along an axis, in a list."""
    out = Var("parts", K.List(part))
    b.stmts.append(Op(out, prims.make_list, (), (), b.origin))

    def body(inner: Builder, k: Var) -> None:
        inner.do(prims.list_append, out, inner.emit(operator.getitem, x, at(inner, axis, k), kind=part))

    b.loop(length(b, x, axis), body)
    return out


def _holds_rows(kind: K.Kind) -> bool:
    """Whether this is a list of lists of numbers."""
    return isinstance(kind, K.List) and isinstance(kind.item, K.List) and isinstance(kind.item.item, K.Scalar)


@form(helpers.split_like)
def split_like(b: Builder, op: Op) -> Atom | None:
    """``split_like(x, arrays, axis)``: x cut along an axis, for arrays of one rank."""
    x, arrays, axis = named(op, "x", "arrays", "axis")
    rank, kind = rank_of(x), kind_of(arrays)
    axes = (0,) if isinstance(axis, Const) and axis.value is None else constant_axes(b, axis, rank or 0)
    if not rank or axes is None:
        return None
    part = K.Array(K.dtype_of(kind_of(x)), rank)
    if rank == 2 and op.target is not None and _holds_rows(kind):
        rows = x if axes[0] == 0 else b.emit(np.transpose, x, kind=part)
        return b.emit(lists.rows_as_lists, rows, kind=op.target.kind)
    made = b.definition(arrays)
    start: Atom = Const(0)
    items: Sequence[Atom] = ()
    if made is not None and made.fn in (prims.make_list, prims.make_tuple):
        items = made.args
    elif isinstance(kind, K.Tuple):
        items = [b.emit(operator.getitem, arrays, k, kind=item) for k, item in enumerate(kind.items)]
    if not items and isinstance(kind, K.List):
        return cut_for_list(b, x, arrays, axes[0])
    if not items or any(rank_of(a) is None for a in items):
        return None
    cut: list[Atom] = []
    for a in items:
        stop = b.emit(operator.add, start, _extent(b, a, x, axes[0]), kind=K.INT)
        cut.append(_like(b, b.emit(operator.getitem, x, between(b, axes[0], start, stop), kind=part), a))
        start = stop
    if len(set(map(rank_of, cut))) > 1 or isinstance(kind, K.Tuple):
        return b.emit(prims.make_tuple, *cut, kind=K.Tuple(tuple(map(kind_of, cut))))
    return b.emit(prims.make_list, *cut, kind=K.List(kind_of(cut[0])))


#: What undoes a join of a list of arrays that is not written down, by their rank and the axis.
_CUTS: dict[tuple[int, int], Any] = {(1, 0): lists.cut_apart, (2, 0): lists.cut_rows, (2, 1): lists.cut_columns}


def cut_for_list(b: Builder, x: Atom, arrays: Atom, axis: int) -> Atom | None:
    """An array cut as the arrays of a list that is not written down, of one axis less, or as many up to two."""
    kind, rank, dtype = kind_of(arrays), rank_of(x) or 0, K.dtype_of(kind_of(x))
    cut, item = _CUTS.get((rank, axis)), kind.item if isinstance(kind, K.List) else K.ANY
    if not isinstance(item, K.Array | K.Scalar):
        return None
    if K.rank_of(item) == rank - 1:
        return slices_of(b, x, axis, K.Array(dtype, rank - 1) if rank > 1 else K.Scalar(dtype))
    whole = cut is not None and K.rank_of(item) == rank
    return b.emit(cut, x, arrays, kind=K.List(K.Array(dtype, rank))) if whole else None


def _extent(b: Builder, a: Atom, x: Atom, axis: int) -> Atom:
    """How long the part of ``x`` along an axis is that was ``a``: all of its items, over what is across the axis."""
    rank = rank_of(x) or 0
    if rank_of(a) == rank:
        return length(b, a, axis)
    if rank_of(a) == 0:
        return Const(1)
    items = b.emit(np.size, a, kind=K.INT)
    across = b.emit(max, product(b, [length(b, x, k) for k in range(rank) if k != axis]), 1, kind=K.INT)
    return b.emit(operator.floordiv, items, across, kind=K.INT) if rank > 1 else items


def _like(b: Builder, part: Atom, a: Atom) -> Atom:
    """A part as the array or number that it was cut for."""
    rank, dtype = rank_of(a) or 0, K.dtype_of(kind_of(part))
    if rank == rank_of(part):
        return part
    packed = b.emit(np.ascontiguousarray, part, kind=kind_of(part))
    if isinstance(kind_of(a), K.Scalar):
        return b.emit(operator.getitem, b.emit(np.reshape, packed, -1, kind=K.Array(dtype, 1)), 0, kind=K.Scalar(dtype))
    return b.emit(np.reshape, packed, b.emit(np.shape, a, kind=K.Tuple((K.INT,) * rank)), kind=K.Array(dtype, rank))
