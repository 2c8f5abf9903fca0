"""Tiles as broadcasts.

Before::

    def f(x: float64[1], a: float64[2], n: int):
        t = (n, 1)
        y: float64[2] = np.tile(x, t)
        z: float64[2] = np.tile(a, 2)
        w: float64[2] = untile(z, a, 2)
        return w

After::

    def f(x, a, n):
        t = (n, 1)
        t_1 = np.shape(x)
        t_2 = t_1[0]
        t_3 = make_slice(None, None, None)
        t_4 = (None, t_3)
        t_5 = x[t_4]
        t_6 = (n, t_2)
        t_7 = np.broadcast_to(t_5, t_6)
        y = np.array(t_7)
        t_8 = np.shape(a)
        t_9 = t_8[0]
        t_10 = np.shape(a)
        t_11 = t_10[1]
        t_12 = make_slice(None, None, None)
        t_13 = (t_12, None, t_12)
        t_14 = a[t_13]
        t_15 = (t_9, 2, t_11)
        t_16 = np.broadcast_to(t_14, t_15)
        t_17 = np.array(t_16)
        t_18 = 2 * t_11
        t_19 = (t_9, t_18)
        t_20 = np.reshape(t_17, t_19)
        z = np.array(t_20)
        t_21 = np.shape(a)
        t_22 = t_21[0]
        t_23 = np.shape(a)
        t_24 = t_23[1]
        t_25 = (t_22, 2, t_24)
        t_26 = np.reshape(z, t_25)
        w = np.sum(t_26, axis=1)
        return w

A broadcast is a change of subscripts in loops over elements, and where nothing is stored into a copy of it, no copy.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; no tile of an array of known rank, so often along axes of a known number, is left.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.compiled.expand import kind_of
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import map_stmts, with_body
from s2sad.runtime import helpers

__all__ = ["tell_tiles", "tiles_as_broadcasts"]


def tell_tiles(lowered: Lowered) -> Lowered:
    """:func:`tiles_as_broadcasts` of a function with its templates."""
    return replace(lowered, function=tiles_as_broadcasts(lowered.function))


def tiles_as_broadcasts(function: Function) -> Function:
    """The function with broadcasts for tiles, and sums for what sums them."""
    definitions = definitions_of(function)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        match s:
            case Op(fn=np.tile, args=(a, reps), kwargs=(), target=Var()):
                return _Tile.of(s, a, reps, definitions).tiled() or s
            case Op(fn=helpers.untile, args=(x, like, reps), kwargs=(), target=Var()):
                return _Tile.of(s, like, reps, definitions).summed(x) or s
        return s

    return with_body(function, map_stmts(function.body, change))


@dataclass(frozen=True)
class _Axis:
    """An axis of the result: how often, and how long (None: a new axis)."""

    times: Atom
    length: Atom | None

    @property
    def dims(self) -> list[Atom]:
        """The axes that it is parted into, with the copies first."""
        if self.length is None:
            return [self.times]
        return [self.length] if self.times == Const(1) else [self.times, self.length]


class _Tile:
    """Writes the statements for one tile."""

    def __init__(self, op: Op, a: Atom, axes: list[_Axis] | None, stmts: list[Stmt]) -> None:
        self.op = op
        self.a = a
        self.axes = axes
        self.stmts = stmts

    @classmethod
    def of(cls, op: Op, a: Atom, reps: Atom, definitions: dict[Var, Op]) -> _Tile:
        """A tile of an array; without axes where it is not known how many there are."""
        rank, times = K.rank_of(kind_of(a)), _times(reps, definitions)
        tile = cls(op, a, None, [])
        if isinstance(kind_of(a), K.Array) and rank and times:
            n = max(rank, len(times))
            lengths = [None] * (n - rank) + [tile.length(k) for k in range(rank)]
            times = [Const(1)] * (n - len(times)) + times
            tile.axes = [_Axis(t, length) for t, length in zip(times, lengths, strict=True)]
        return tile

    def tiled(self) -> list[Stmt]:
        """The array broadcast; nothing where it is not known how."""
        if self.axes is None:
            return []
        every = self.emit(prims.make_slice, *(Const(None),) * 3, kind=K.SLICE)
        both: list[Atom] = [_NEW, every]
        index = [p for axis in self.axes for p in (both[:1] if axis.length is None else both[-len(axis.dims) :])]
        dims = [d for axis in self.axes for d in axis.dims]
        parts = self.emit(prims.make_tuple, *index, kind=K.Tuple(tuple(map(kind_of, index))))
        view = self.emit(operator.getitem, self.a, parts, kind=self.array(len(dims)))
        wide = self.emit(np.broadcast_to, view, self.tuple(dims), kind=self.array(len(dims)))
        if len(dims) == len(self.axes):
            return self.result(np.array, wide)
        copy = self.emit(np.array, wide, kind=self.array(len(dims)))
        shape = self.tuple([self.product(axis.dims) for axis in self.axes])
        return self.result(np.array, self.emit(np.reshape, copy, shape, kind=self.array(len(self.axes))))

    def summed(self, x: Atom) -> list[Stmt]:
        """The copies in an array summed; nothing where it is not known how."""
        if self.axes is None or K.dtype_of(kind_of(x)) != K.dtype_of(kind_of(self.a)):
            return []
        dims = [d for axis in self.axes for d in axis.dims]
        found = self.emit(np.reshape, x, self.tuple(dims), kind=self.array(len(dims)))
        copies = [len(self.before(k)) for k, axis in enumerate(self.axes) if axis.dims != [axis.length]]
        for n, k in enumerate(reversed(copies)):
            found = self.emit(np.sum, found, axis=k, kind=self.array(len(dims) - n - 1))
        last = self.stmts.pop()
        assert isinstance(last, Op)
        return [*self.stmts, replace(last, target=self.op.target)]

    def before(self, k: int) -> list[Atom]:
        """What the axes before one are parted into."""
        return [d for axis in (self.axes or [])[:k] for d in axis.dims]

    # ------------------------------------------------------------ statements

    def emit(self, fn: Callable[..., Any], *args: Atom, kind: K.Kind, **kwargs: int) -> Var:
        """What an operation gives."""
        target = Var("", kind)
        named = tuple((name, Const(value)) for name, value in kwargs.items())
        self.stmts.append(Op(target, fn, args, named, self.op.origin))
        return target

    def result(self, fn: Callable[..., Any], *args: Atom) -> list[Stmt]:
        """The statements, of which the last gives what the tile gave."""
        return [*self.stmts, Op(self.op.target, fn, args, (), self.op.origin)]

    def array(self, rank: int) -> K.Array:
        """The kind of an array of so many axes."""
        return K.Array(K.dtype_of(kind_of(self.a)), rank)

    def tuple(self, items: list[Atom]) -> Var:
        """Numbers as a shape."""
        return self.emit(prims.make_tuple, *items, kind=K.Tuple((K.INT,) * len(items)))

    def length(self, k: int) -> Atom:
        """The length of an axis of the array."""
        rank = K.rank_of(kind_of(self.a)) or 0
        shape = self.emit(np.shape, self.a, kind=K.Tuple((K.INT,) * rank))
        return self.emit(operator.getitem, shape, Const(k), kind=K.INT)

    def product(self, dims: list[Atom]) -> Atom:
        """The length of an axis, of what it is parted into."""
        return dims[0] if len(dims) == 1 else self.emit(operator.mul, *dims, kind=K.INT)


_NEW = Const(None)


def _times(reps: Atom, definitions: dict[Var, Op]) -> list[Atom] | None:
    """How often along each axis; None if that cannot be told."""
    match reps:
        case Const(int(n)) if not isinstance(n, bool):
            return [Const(n)]
        case Const(tuple(items)) if all(isinstance(n, int) for n in items):
            return [Const(n) for n in items]
        case Var(kind=K.Scalar("int")):
            return [reps]
        case Var() if (made := definitions.get(reps)) is not None and made.fn is prims.make_tuple:
            return list(made.args) if all(kind_of(n) == K.INT for n in made.args) else None
    return None
