"""Subscripts by arrays of indices and masks, for any number of axes, as loops over the points that they pick.

Before::

    def f(x: float64[2], m: bool[2]):
        y: float64[2] = np.array(x)
        y[m] = 0.5
        return y

After::

    def f(x, m):
        y = np.array(x)
        t = np.nonzero(m)
        t_1 = t[0]
        t_2 = t[1]
        t_3 = np.shape(t_1)
        t_4 = t_3[0]
        for k in range(0, t_4):
            t_5 = t_1[k]
            t_6 = t_2[k]
            t_7 = (t_5, t_6)
            y[t_7] = 0.5
        return y

A mask stands for the arrays of indices that ``np.nonzero`` makes of it, one for each axis. Arrays of indices are
broadcast together to the *space of points*. What is picked at each point is an item, or a view where slices or axes
are left; the space of points is where the arrays are among the axes of the result, or first where slices part them.

Requires: nothing of the IR.
Ensures: the same values. Subscripts with new axes, or with arrays of no axis, are left: what is written with them is
parted before (:mod:`s2sad.compiled.new_axes`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from s2sad.compiled.expand import STORES, Builder, kind_of, rank_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, If, Store
from s2sad.runtime import helpers

__all__ = ["Points", "last_at", "points_of", "store_at", "take_at"]


@dataclass(frozen=True)
class Points:
    """What a subscript picks.

    ``parts`` has a slice, a number or an array of integers for each axis; ``lengths`` are those of the space of points,
    which comes behind the first ``ahead`` axes that are left. ``distinct``: no point comes twice.
    """

    parts: tuple[Atom, ...]
    lengths: tuple[Atom, ...]
    ahead: int
    distinct: bool

    @property
    def gone(self) -> list[int]:
        """The axes that points take."""
        return [k for k, p in enumerate(self.parts) if kind_of(p) != K.SLICE]

    def places(self, b: Builder, at: Sequence[Atom]) -> list[Atom]:
        """The subscript at a point."""
        return [self.place(b, p, at) for p in self.parts]

    def place(self, b: Builder, part: Atom, at: Sequence[Atom]) -> Atom:
        """The subscript at a point along one axis."""
        rank = rank_of(part)
        if not rank or kind_of(part) == K.SLICE:
            return part
        stretched = not self.distinct and sum(bool(rank_of(self.parts[k])) for k in self.gone) > 1
        own = _stretched(b, part, range(rank), self.lengths, at) if stretched else at
        return b.emit(operator.getitem, part, b.index_of(*own), kind=K.INT)


def points_of(b: Builder, target: Atom, index: Atom) -> Points | None:
    """The points that a subscript picks; None where it has no arrays of indices, or what this module does not know."""
    rank = rank_of(target)
    kind = kind_of(index)
    picks = kind.items if isinstance(kind, K.Tuple) else (kind,)
    if not rank or not any(isinstance(k, K.Array | K.List) or k == K.ANY for k in picks):
        return None
    given = _parts(b, index)
    if given is None or not any(map(_is_array, given)):
        return None
    more = [_all(b) for _ in range(rank - sum(map(_axes, given)))]
    k = given.index(Const(...)) if Const(...) in given else len(given)
    given[k : k + 1] = more
    chosen = [n for n, p in enumerate(given) if kind_of(p) != K.SLICE]
    together = chosen == list(range(chosen[0], chosen[-1] + 1))
    arrays = [p for p in given if _is_array(p)]
    parts = [q for p in given for q in (_nonzero(b, p) if _is_mask(p) else [p])]
    found = [p for p in parts if _is_array(p)]
    distinct = _is_mask(arrays[0]) if len(arrays) == 1 else _of_one_nonzero(b, found)
    return Points(tuple(parts), _joint(b, found[:1] if distinct else found), chosen[0] if together else 0, distinct)


def _parts(b: Builder, index: Atom) -> list[Atom] | None:
    """The items of a subscript, lists among them as arrays; None where there are others than this module knows."""
    kind = kind_of(index)
    if isinstance(kind, K.Tuple):
        op = b.definition(index)
        if op is not None and op.fn is prims.make_tuple:
            items = list(op.args)
        else:
            items = [b.emit(operator.getitem, index, n, kind=k) for n, k in enumerate(kind.items)]
    else:
        items = [index]
    parts = [_as_array(b, p) for p in items]
    return parts if all(map(_is_known, parts)) else None


def _as_array(b: Builder, part: Atom) -> Atom:
    """A list of numbers as an array."""
    match kind_of(part):
        case K.List(K.Scalar("int" | "int64")):
            return b.emit(np.array, part, kind=K.Array("int64", 1))
        case K.List(K.Scalar("bool")):
            return b.emit(np.array, part, kind=K.Array("bool", 1))
    if isinstance(part, Const) and isinstance(part.value, list):
        return b.emit(
            np.array, part, kind=K.Array("bool" if part.value and type(part.value[0]) is bool else "int64", 1)
        )
    return part


def _is_known(part: Atom) -> bool:
    match kind_of(part):
        case K.Array(dtype, int(rank)) if rank > 0:
            return dtype == "bool" or dtype.startswith(("int", "uint"))
        case K.Scalar(dtype):
            return dtype.startswith(("int", "uint"))
    return part == Const(...) or kind_of(part) == K.SLICE


def _is_mask(part: Atom) -> bool:
    return isinstance(kind_of(part), K.Array) and K.dtype_of(kind_of(part)) == "bool"


def _is_array(part: Atom) -> bool:
    return isinstance(kind_of(part), K.Array)


def _axes(part: Atom) -> int:
    """How many axes a part of a subscript takes."""
    return 0 if part == Const(...) else (rank_of(part) or 1) if _is_mask(part) else 1


def _all(b: Builder) -> Atom:
    """``:``"""
    return b.emit(prims.make_slice, None, None, None, kind=K.SLICE)


def _nonzero(b: Builder, mask: Atom) -> list[Atom]:
    """The indices that a mask picks, along each of its axes."""
    places = K.Array("int64", 1)
    rank = rank_of(mask) or 1
    picked = b.emit(np.nonzero, mask, kind=K.Tuple((places,) * rank))
    return [b.emit(operator.getitem, picked, k, kind=places) for k in range(rank)]


def _of_one_nonzero(b: Builder, arrays: Sequence[Atom]) -> bool:
    """Whether these are what one ``np.nonzero`` gave, along each axis."""
    made = [b.definition(a) for a in arrays]
    sources = {op.args[0] for op in made if op is not None and op.fn is operator.getitem}
    picks = [op.args[1] for op in made if op is not None and op.fn is operator.getitem]
    if len(sources) != 1 or picks != [Const(k) for k in range(len(arrays))]:
        return False
    source = b.definition(sources.pop())
    return source is not None and source.fn is np.nonzero and rank_of(source.args[0]) == len(arrays)


def _length(b: Builder, array: Atom, axis: int) -> Atom:
    shape = b.emit(np.shape, array, kind=K.Tuple((K.INT,) * (rank_of(array) or 0)))
    return b.emit(operator.getitem, shape, axis, kind=K.INT)


def _joint(b: Builder, arrays: Sequence[Atom]) -> tuple[Atom, ...]:
    """The shape of arrays broadcast together."""
    deepest = max(rank_of(a) or 0 for a in arrays)
    joint = []
    for k in range(deepest):
        ranks = [(a, rank_of(a) or 0) for a in arrays]
        sizes = [_length(b, a, k - deepest + r) for a, r in ranks if r >= deepest - k]
        joint.append(reduce(lambda n, m: b.emit(helpers.joint, n, m, kind=K.INT), sizes))
    return tuple(joint)


def _stretched(b: Builder, array: Atom, axes: Sequence[int], lengths: Sequence[Atom], at: Sequence[Atom]) -> list[Atom]:
    """The indices along these axes of an array that is broadcast to lengths, at a point of their space."""
    own = []
    for axis, n, k in zip(axes, lengths[len(lengths) - len(axes) :], at[len(at) - len(axes) :], strict=True):
        step = b.emit(helpers.stretch, _length(b, array, axis), n, kind=K.INT)
        own.append(b.emit(operator.mul, step, k, kind=K.INT))
    return own


def _each(b: Builder, lengths: Sequence[Atom], body: Callable[[Builder, list[Atom]], None]) -> None:
    """Loops over a space, the body put down by a function of a builder and the indices."""

    def nest(outer: Builder, at: list[Atom]) -> None:
        if len(at) == len(lengths):
            body(outer, at)
        else:
            outer.loop(lengths[len(at)], lambda inner, k: nest(inner, [*at, k]))

    nest(b, [])


# ---------------------------------------------------------------- what is done at each point


def take_at(b: Builder, target: Atom, points: Points) -> Atom:
    """What a subscript picks, as a new array."""
    dtype, gone = K.dtype_of(kind_of(target)), points.gone
    sizes = [*points.lengths]
    if len(gone) < len(points.parts):
        none = b.emit(prims.make_slice, 0, 0, None, kind=K.SLICE)
        index = b.index_of(*(none if k in gone else p for k, p in enumerate(points.parts)))
        shown = b.emit(operator.getitem, target, index, kind=kind_of(target))
        left = [_length(b, shown, k) for k in range(len(points.parts)) if k not in gone]
        sizes = [*left[: points.ahead], *sizes, *left[points.ahead :]]
    shape = b.emit(prims.make_tuple, *sizes, kind=K.Tuple((K.INT,) * len(sizes)))
    out = b.emit(np.empty, shape, np.dtype(dtype).type, kind=K.Array(dtype, len(sizes)))

    def body(inner: Builder, at: list[Atom]) -> None:
        index = inner.index_of(*points.places(inner, at))
        item = inner.emit(operator.getitem, target, index, kind=_without(target, len(gone)))
        _put(inner, out, _slot(inner, points, at), item)

    _each(b, points.lengths, body)
    return out


def store_at(b: Builder, target: Atom, points: Points, value: Atom, aug: str | None = None) -> bool:
    """``target[index] = value``; with ``aug="+"``, an addition at each point, those that come again included."""
    rank, left = rank_of(value), len(points.parts) - len(points.gone)
    behind, of_points = left - points.ahead, len(points.lengths)  # axes of the result, and how many come last
    if rank is None or rank > left + of_points:
        return False
    if rank and not b.are_apart(target, value):
        value = b.emit(np.copy, value, kind=kind_of(value))
    here = min(max(rank - behind, 0), of_points)  # axes of the value over the points, and ahead of them
    ahead = max(rank - behind - of_points, 0)

    def body(inner: Builder, at: list[Atom]) -> None:
        part = value
        if here:
            own = _stretched(inner, value, range(ahead, ahead + here), points.lengths, at)
            index = inner.index_of(*(_all(inner) for _ in range(ahead)), *own)
            part = inner.emit(operator.getitem, value, index, kind=_without(value, here))
        _put(inner, target, points.places(inner, at), part, aug)

    _each(b, points.lengths, body)
    return True


def last_at(b: Builder, target: Atom, points: Points) -> Atom:
    """What a subscript picks, and zero where a point comes again later."""
    out = take_at(b, target, points)
    if points.distinct:
        return out
    sizes = [_length(b, target, k) for k in points.gone]
    shape = b.emit(prims.make_tuple, *sizes, kind=K.Tuple((K.INT,) * len(sizes)))
    order = b.emit(np.zeros, shape, np.int64, kind=K.Array("int64", len(sizes)))

    def number(inner: Builder, at: list[Atom]) -> Atom:
        total: Atom = at[0]
        for n, k in zip(points.lengths[1:], at[1:], strict=True):
            total = inner.emit(operator.add, inner.emit(operator.mul, total, n, kind=K.INT), k, kind=K.INT)
        return total

    def place(inner: Builder, at: list[Atom]) -> Atom:
        return inner.index_of(*(points.place(inner, points.parts[k], at) for k in points.gone))

    def count(inner: Builder, at: list[Atom]) -> None:
        inner.store(order, place(inner, at), number(inner, at))

    def clear(inner: Builder, at: list[Atom]) -> None:
        last = inner.emit(operator.getitem, order, place(inner, at), kind=K.INT)
        again = inner.emit(operator.ne, last, number(inner, at), kind=K.BOOL)
        gone = Builder(inner.origin, inner.definitions, inner.is_written, inner.are_apart)
        gone.store(out, gone.index_of(*_slot(gone, points, at)), Const(0.0))
        inner.stmts.append(If(again, Block(tuple(gone.stmts)), Block(()), ()))

    _each(b, points.lengths, count)
    _each(b, points.lengths, clear)
    return out


def _slot(b: Builder, points: Points, at: Sequence[Atom]) -> list[Atom]:
    """Where the result has what is picked at a point."""
    left = len(points.parts) - len(points.gone)
    return [*(_all(b) for _ in range(points.ahead)), *at, *(_all(b) for _ in range(left - points.ahead))]


def _without(value: Atom, axes: int) -> K.Kind:
    """The kind of an array's part with so many axes less."""
    dtype, rank = K.dtype_of(kind_of(value)), (rank_of(value) or 0) - axes
    return K.Array(dtype, rank) if rank else K.Scalar(dtype)


def _put(b: Builder, target: Atom, index: Sequence[Atom], value: Atom, aug: str | None = None) -> None:
    """A store of an item or into a view."""
    store = Store(target, b.index_of(*index), value, aug, b.origin)
    if not any(build(b, store) for build in STORES):
        b.stmts.append(store)
