"""Operations on small arrays of known shape, number by number.

A grid is an array of operands: ``[x, y, z]`` for a vector of three. A rule gives the grid of a result, or its number,
and puts down what computes it; :class:`~s2sad.loops.arrays.NotLowered` where it is not known how.
Sums are from first to last.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import Atom, Block, Const, If, Op, Stmt, Var
from s2sad.loops.arrays import NotLowered
from s2sad.loops.common import array, axes_of, dtype_of
from s2sad.loops.elements import ELEMENTWISE, Elements, dtype_name, operands_of
from s2sad.loops.model import Choose, Compute
from s2sad.runtime import helpers

__all__ = [
    "LIMIT",
    "RULES",
    "Grid",
    "Rule",
    "Source",
    "add_up",
    "apply",
    "as_float",
    "cells",
    "compute",
    "grid_of",
    "literal",
]

Grid: TypeAlias = npt.NDArray[np.object_]

LIMIT = 9  #: how many numbers an array may have
_PRODUCTS = 27  #: how many products a product of two arrays may take


class Source(Protocol):
    """What a rule asks the pass."""

    def grid(self, a: Atom) -> Grid:
        """The numbers of an operand, a number being a grid of no axes."""

    def shape(self, a: Atom) -> tuple[int, ...]:
        """The shape of an operand."""

    def number(self, a: Atom) -> Atom:
        """An operand that is not an array, as it is called now."""

    def grid_if_small(self, a: Atom) -> Grid | None:
        """The numbers of a small array that is numbers already."""

    def places_of(self, obj: Var, index: Atom) -> tuple[int, ...] | None:
        """The shape of a part of an array, if all of it is known."""

    def maker(self, a: Atom) -> Op | None:
        """The operation that made an operand, and nothing has changed since."""

    def put(self, stmt: Stmt) -> None:
        """Put a statement down."""


Rule: TypeAlias = Callable[[Source, Op], Grid]


def grid_of(items: Sequence[Atom], shape: tuple[int, ...]) -> Grid:
    """A grid of these operands, row by row."""
    out: Grid = np.empty(len(items), object)
    out[:] = items
    return out.reshape(shape)


def literal(source: Source, a: Atom) -> Any:
    """A constant, or a tuple or slice put together of constants."""
    a = source.number(a)
    if isinstance(a, Const):
        return a.value
    maker = source.maker(a)
    if maker is None or maker.fn not in (prims.make_tuple, prims.make_slice):
        raise NotLowered
    parts = tuple(literal(source, x) for x in maker.args)
    return slice(*parts) if maker.fn is prims.make_slice else parts


def compute(source: Source, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """One element of an element-wise operation."""
    e = Elements()
    value = ELEMENTWISE[op.fn](e, op, args, dtype)
    for item in e.items:
        match item:
            case Compute(made):
                source.put(Op(made.target, made.fn, made.args, made.kwargs, op.origin))
            case Choose(target, cond, then, orelse):
                source.put(If(cond, Block((), (then,)), Block((), (orelse,)), (target,), op.origin))
            case _:
                raise AssertionError(item)
    return value


def apply(source: Source, fn: Any, *args: Atom, dtype: str = "float64") -> Atom:
    """What an operation on numbers gives."""
    target = Var("", Scalar(dtype))
    source.put(Op(target, fn, args))
    return target


def _result_dtype(op: Op) -> str:
    dtype = dtype_of(op.target)
    return "float64" if dtype == "float" else dtype


# ---------------------------------------------------------------- element by element


def elementwise(source: Source, op: Op) -> Grid:
    """Operands broadcast together."""
    atoms = operands_of(op)
    if any(a == Const(None) for a in atoms):
        raise NotLowered
    grids = np.broadcast_arrays(*map(source.grid, atoms)) if _meet(source, atoms) else ()
    if not grids or grids[0].size > LIMIT:
        raise NotLowered
    dtype = _result_dtype(op)
    items = [compute(source, op, args, dtype) for args in zip(*(g.ravel() for g in grids), strict=True)]
    return grid_of(items, grids[0].shape)


def _meet(source: Source, atoms: Sequence[Atom]) -> bool:
    """Whether operands can be broadcast together."""
    try:
        np.broadcast_shapes(*map(source.shape, atoms))
    except ValueError:
        return False
    return True


def same(source: Source, op: Op) -> Grid:
    """What gives its operand, where the dtype is right."""
    if op.kwargs or not array(op.args[0]) or dtype_of(op.args[0]) != dtype_of(op.target):
        raise NotLowered
    return source.grid(op.args[0])


def unbroadcast(source: Source, op: Op) -> Grid:
    """``unbroadcast(x, like)``: a sum over stretched axes."""
    x, like = op.args
    found, shape = source.shape(x), source.shape(like)
    if dtype_name(x) not in ("float64", "float") or dtype_of(op.target) not in ("float64", "float"):
        raise NotLowered
    grid = source.grid(x)
    extra = len(found) - len(shape)
    if extra < 0 or any(n not in (m, 1) for n, m in zip(shape, found[extra:], strict=True)):
        if not _meet(source, op.args):
            raise NotLowered
        grid = np.broadcast_to(grid, np.broadcast_shapes(found, shape))
        extra = grid.ndim - len(shape)
    axes = [k for k, n in enumerate(shape, extra) if n != grid.shape[k]]
    return add_up(source, grid, (*range(extra), *axes)).reshape(shape)


def spread(source: Source, op: Op) -> Grid:
    """``spread(x, like, axis, keepdims)``: numbers repeated along axes."""
    given = dict(zip(("x", "like", "axis", "keepdims"), op.args, strict=False)) | dict(op.kwargs)
    shape = source.shape(given["like"])
    if dtype_name(given["x"]) not in ("float64", "float") or not shape:
        raise NotLowered
    axis, keep = (literal(source, given.get(k, Const(v))) for k, v in (("axis", None), ("keepdims", False)))
    grid = source.grid(given["x"])
    if axis is not None and not keep:
        axes = axes_of(Const(axis), len(shape))
        grid = np.expand_dims(grid, axes)
    return np.broadcast_to(grid, shape)


# ---------------------------------------------------------------- sums and products


def add_up(source: Source, grid: Grid, axes: tuple[int, ...]) -> Grid:
    """The sums over some axes, from first to last."""
    kept = [k for k in range(grid.ndim) if k not in axes]
    if len(kept) == grid.ndim:
        return grid
    length = math.prod(grid.shape[k] for k in axes)
    rows = grid.transpose(*kept, *axes).reshape(*(grid.shape[k] for k in kept), length)
    out: Grid = np.empty(rows.shape[:-1], object)
    for place in np.ndindex(out.shape):
        total: Atom = Const(0.0)
        for k, item in enumerate(rows[place]):
            total = item if k == 0 else apply(source, operator.add, total, item)
        out[place] = total
    return out


def total(source: Source, op: Op) -> Grid:
    """``np.sum(x, axis, keepdims)``"""
    given = dict(zip(("x", "axis"), op.args, strict=False)) | dict(op.kwargs)
    x = given.pop("x", given.pop("a", Const(None)))
    axis, keep = (literal(source, given.pop(k, Const(v))) for k, v in (("axis", None), ("keepdims", False)))
    shape = source.shape(x)
    if given or type(keep) is not bool or not shape or dtype_name(x) != "float64" or len(op.args) > 2:
        raise NotLowered
    axes = axes_of(Const(axis), len(shape))
    sums = add_up(source, source.grid(x), axes)
    return np.expand_dims(sums, axes) if keep else sums


def product(source: Source, op: Op) -> Grid:
    """``a @ b`` of vectors and matrices."""
    a, b = _two_floats(op)
    m, n = source.shape(a), source.shape(b)
    if not 1 <= len(m) <= 2 or not 1 <= len(n) <= 2 or m[-1] != n[0] or not m[-1]:
        raise NotLowered
    if m[0] * n[-1] * (m[-1] if len(m) == len(n) == 2 else 1) > _PRODUCTS:
        raise NotLowered
    rows, columns = source.grid(a).reshape(-1, n[0]), source.grid(b).reshape(n[0], -1)
    terms: Grid = np.empty((len(rows), columns.shape[1], n[0]), object)
    for i, j, k in np.ndindex(terms.shape):
        terms[i, j, k] = apply(source, operator.mul, rows.item(i, k), columns.item(k, j))
    return add_up(source, terms, (2,)).reshape((*m[:-1], *n[1:]))


def outer(source: Source, op: Op) -> Grid:
    """``np.outer(a, b)`` of vectors."""
    a, b = (source.grid(x) for x in _two_floats(op))
    if a.ndim != 1 or b.ndim != 1 or a.size * b.size > LIMIT:
        raise NotLowered
    pairs = np.broadcast_arrays(a[:, np.newaxis], b)
    items = [apply(source, operator.mul, x, y) for x, y in zip(*(g.ravel() for g in pairs), strict=True)]
    return grid_of(items, (a.size, b.size))


def cross(source: Source, op: Op) -> Grid:
    """``np.linalg.cross(a, b)``"""
    a, b = _two_floats(op)
    if source.shape(a) != (3,) or source.shape(b) != (3,):
        raise NotLowered
    x, y = source.grid(a).tolist(), source.grid(b).tolist()

    def component(i: int, j: int) -> Atom:
        first, second = apply(source, operator.mul, x[i], y[j]), apply(source, operator.mul, x[j], y[i])
        return apply(source, operator.sub, first, second)

    return grid_of([component(1, 2), component(2, 0), component(0, 1)], (3,))


def _two_floats(op: Op) -> tuple[Atom, Atom]:
    if op.kwargs or len(op.args) != 2 or not all(array(a) and dtype_name(a) == "float64" for a in op.args):
        raise NotLowered
    return op.args[0], op.args[1]


# ---------------------------------------------------------------- places


def transposed(source: Source, op: Op) -> Grid:
    """``np.transpose(a, axes)``"""
    rest = [*op.args[1:], *(a for _, a in op.kwargs)]
    axes = literal(source, rest[0]) if rest else None
    return np.transpose(source.grid(op.args[0]), axes)


def expanded(source: Source, op: Op) -> Grid:
    """``np.expand_dims(a, axis)``"""
    rest = [*op.args[1:], *(a for _, a in op.kwargs)]
    return np.expand_dims(source.grid(op.args[0]), literal(source, rest[0]))


def reshaped(source: Source, op: Op) -> Grid:
    """``np.reshape(a, shape)``"""
    if op.kwargs or len(op.args) != 2:
        raise NotLowered
    shape = literal(source, op.args[1])
    try:
        return source.grid(op.args[0]).reshape(shape)
    except (ValueError, TypeError) as error:
        raise NotLowered from error


def concatenated(source: Source, op: Op) -> Grid:
    """``np.concatenate(parts, axis)``"""
    rest = [*op.args[1:], *(a for _, a in op.kwargs)]
    axis = literal(source, rest[0]) if rest else 0
    maker = source.maker(op.args[0])
    if len(rest) > 1 or type(axis) is not int or maker is None or not maker.args:
        raise NotLowered
    shapes = [source.shape(a) for a in maker.args]
    if any(dtype_name(a) != "float64" for a in maker.args) or sum(map(_size, shapes)) > LIMIT:
        raise NotLowered
    try:
        np.concatenate([np.empty(s) for s in shapes], axis)
    except ValueError as error:
        raise NotLowered from error
    return np.concatenate([source.grid(a) for a in maker.args], axis)


def _size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape))


def item(source: Source, op: Op) -> Grid:
    """``a[index]`` with constant places."""
    index = literal(source, op.args[1])
    if not array(op.args[0]):
        raise NotLowered
    return cells(source.grid(op.args[0]), index)


def cells(grid: Grid, index: Any) -> Grid:
    """The part of a grid with this index; a view of it but for a single item."""
    places = index if isinstance(index, tuple) else (index,)
    if not all(p is None or p is Ellipsis or type(p) in (int, slice) for p in places):
        raise NotLowered
    try:
        found = grid[index]
    except (IndexError, TypeError) as error:
        raise NotLowered from error
    return found if isinstance(found, np.ndarray) else grid_of([found], ())


# ---------------------------------------------------------------- made anew


def written_down(source: Source, op: Op) -> Grid:
    """``np.array([x, y, z])``, of rows too."""
    if len(op.args) != 1 or any(k != "dtype" for k, _ in op.kwargs) or dtype_of(op.target) != "float64":
        raise NotLowered

    def parts(a: Atom) -> Grid:
        maker = source.maker(a)
        if maker is None or maker.fn not in (prims.make_list, prims.make_tuple):
            if dtype_name(a) not in ("float64", "float", "int", "int64"):
                raise NotLowered
            return source.grid(a)
        if not maker.args or len({source.shape(x) for x in maker.args if _is_plain(x)}) > 1:
            raise NotLowered
        rows = [parts(x) for x in maker.args]
        if any(r.shape != rows[0].shape for r in rows):
            raise NotLowered
        return np.stack(rows)

    grid = parts(op.args[0])
    if grid.size > LIMIT:
        raise NotLowered
    return grid_of([as_float(source, a) for a in grid.ravel()], grid.shape)


def _is_plain(a: Atom) -> bool:
    return isinstance(a, Const) or isinstance(a.kind, Scalar | Array)


def as_float(source: Source, a: Atom) -> Atom:
    """A number as an element of an array of floats."""
    if isinstance(a, Const):
        return Const(float(a.value))
    return a if dtype_name(a) in ("float64", "float") else apply(source, np.float64, a)


def filled(value: float) -> Rule:
    """``np.zeros(shape)`` and its like."""

    def rule(source: Source, op: Op) -> Grid:
        shape = literal(source, op.args[0])
        shape = shape if isinstance(shape, tuple) else (shape,)
        if len(op.args) > 1 or any(k != "dtype" for k, _ in op.kwargs) or not all(type(n) is int for n in shape):
            raise NotLowered
        return _constant(op, shape, value)

    return rule


def like(value: float) -> Rule:
    """``np.zeros_like(a)`` and its like."""

    def rule(source: Source, op: Op) -> Grid:
        if len(op.args) > 1 or any(k not in ("dtype", "subok") for k, _ in op.kwargs) or not array(op.args[0]):
            raise NotLowered
        return _constant(op, source.shape(op.args[0]), value)

    return rule


def _constant(op: Op, shape: tuple[int, ...], value: float) -> Grid:
    if dtype_of(op.target) != "float64" or min(shape, default=0) < 0 or _size(shape) > LIMIT:
        raise NotLowered
    return grid_of([Const(value)] * _size(shape), shape)


def identity(source: Source, op: Op) -> Grid:
    """``np.eye(n)``, or ``np.eye(n, m)``"""
    lengths = [literal(source, a) for a in op.args]
    n, m = lengths[0], lengths[-1]
    if len(op.args) > 2 or op.kwargs or type(n) is not int or type(m) is not int or not 0 <= n * m <= LIMIT:
        raise NotLowered
    return grid_of([Const(float(i == j)) for i in range(n) for j in range(m)], (n, m))


RULES: dict[Any, Rule] = {
    **dict.fromkeys(ELEMENTWISE, elementwise),
    **dict.fromkeys((np.copy, helpers.cast), same),
    **dict.fromkeys((np.sum, prims.total), total),
    **dict.fromkeys((np.dot, np.matmul, operator.matmul), product),
    **dict.fromkeys((np.zeros_like, helpers.zeros_like), like(0.0)),
    **dict.fromkeys((np.ones_like, helpers.ones_like), like(1.0)),
    **dict.fromkeys((np.eye, np.identity), identity),
    np.zeros: filled(0.0),
    np.ones: filled(1.0),
    np.array: written_down,
    np.outer: outer,
    np.linalg.cross: cross,
    np.transpose: transposed,
    np.expand_dims: expanded,
    np.reshape: reshaped,
    np.concatenate: concatenated,
    operator.getitem: item,
    helpers.unbroadcast: unbroadcast,
    helpers.spread: spread,
}
