"""Stores into small arrays, and of them, number by number."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from s2sad.compiled.grids import LIMIT, Grid, Source, as_float, cells, compute, grid_of, literal
from s2sad.ir import prims
from s2sad.ir.kinds import INT, Scalar, Tuple
from s2sad.ir.nodes import Atom, Const, Op, Stmt, Store, Var
from s2sad.loops.arrays import NotLowered
from s2sad.loops.common import array
from s2sad.loops.elements import dtype_name

__all__ = ["changed", "index_of", "spelt"]


def index_of(place: Sequence[Atom | int]) -> tuple[Atom, list[Stmt]]:
    """The index of a place in an array, and what makes it."""
    parts = tuple(Const(int(p)) if isinstance(p, int) else p for p in place)
    if len(parts) == 1:
        return parts[0], []
    index = Var("", Tuple((INT,) * len(parts)))
    return index, [Op(index, prims.make_tuple, parts)]


# ---------------------------------------------------------------- into a small array


def changed(source: Source, s: Store) -> Grid:
    """The numbers of a small array after a store into it."""
    assert isinstance(s.obj, Var)
    rule = _UPDATES.get(s.aug)
    if rule is None or dtype_name(s.obj) != "float64" or dtype_name(s.value) not in ("float64", "float", "int"):
        raise NotLowered
    index = literal(source, s.index)
    grid = source.grid(s.obj).copy()
    old = cells(grid, index)
    try:
        new = np.broadcast_to(source.grid(s.value), old.shape)
    except ValueError as error:
        raise NotLowered from error
    items = [rule(source, s, a, b) for a, b in zip(old.ravel(), new.ravel(), strict=True)]
    grid[index] = grid_of(items, old.shape) if old.ndim else items[0]
    return grid


_Update = Callable[[Source, Store, Atom, Atom], Atom]


def _assigned(source: Source, s: Store, old: Atom, new: Atom) -> Atom:
    return as_float(source, new)


def _updated(fn: Callable[..., object]) -> _Update:
    def rule(source: Source, s: Store, old: Atom, new: Atom) -> Atom:
        return compute(source, Op(Var("", Scalar("float64")), fn, (), (), s.origin), (old, new), "float64")

    return rule


#: What becomes of an element that a store gives a new value.
_UPDATES: dict[str | None, _Update] = {
    None: _assigned,
    "+": _updated(operator.add),
    "-": _updated(operator.sub),
    "*": _updated(operator.mul),
    "/": _updated(operator.truediv),
}


# ---------------------------------------------------------------- of a small array


def spelt(source: Source, s: Store) -> list[Stmt]:
    """A store for each number of a small array."""
    grid = source.grid_if_small(s.value)
    if grid is None or not isinstance(s.obj, Var) or not array(s.obj):
        raise NotLowered
    if not dtype_name(s.obj) == dtype_name(s.value) == "float64":
        raise NotLowered
    shape = source.places_of(s.obj, s.index)
    if shape is None or np.prod(shape) > LIMIT:
        raise NotLowered
    try:
        grid = np.broadcast_to(grid, shape)
    except ValueError as error:
        raise NotLowered from error
    out: list[Stmt] = []
    for place, item in np.ndenumerate(grid):
        index, made = index_of(list(_places(source, s, place)))
        out += [*made, Store(s.obj, index, item, s.aug, s.origin)]
    return out


def _places(source: Source, s: Store, place: tuple[int, ...]) -> Iterator[Atom | int]:
    """Where in the array an element of what is stored goes."""
    made = source.maker(s.index)
    parts = made.args if made is not None and made.fn is prims.make_tuple else (s.index,)
    left = list(place)
    for n, p in enumerate(map(source.number, parts), 1):
        cut = source.maker(p)
        if p == Const(Ellipsis):
            after = sum(_is_slice(source, q) for q in parts[n:])
            while len(left) > after:
                yield left.pop(0)
            continue
        if cut is not None and cut.fn is prims.make_slice:
            start, _, step = map(source.number, cut.args)
            if step not in (Const(None), Const(1)) or not _counts_from_beginning(start):
                raise NotLowered
            yield left.pop(0) + (start.value or 0)  # type: ignore[union-attr]
        elif isinstance(p, Const | Var) and dtype_name(p) in ("int", "int64") and not array(p):
            yield p
        else:
            raise NotLowered
    yield from left


def _is_slice(source: Source, a: Atom) -> bool:
    """Whether a part of an index is a slice."""
    made = source.maker(source.number(a))
    return made is not None and made.fn is prims.make_slice


def _counts_from_beginning(start: Atom) -> bool:
    """Whether a slice begins at a place that counts from the beginning of the axis."""
    return isinstance(start, Const) and (start.value is None or (type(start.value) is int and start.value >= 0))
