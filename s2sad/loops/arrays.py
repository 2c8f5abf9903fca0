"""What is known of each array: which memory it is a view of, and how its subscripts map to that.

A slice, a transpose or a new axis makes no view in the lowered program: it is a change of subscripts.
An array that is the same number everywhere, and never stored into, is that number.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Atom, Const, Var
from s2sad.loops.index import Lin, Scopes
from s2sad.loops.model import ONE, Dim, Sub, Subs
from s2sad.runtime import helpers

__all__ = [
    "NARROW",
    "Axis",
    "Fill",
    "NotLowered",
    "View",
    "cut",
    "drop_axis",
    "newaxis",
    "permuted",
    "pointed",
    "subscripts",
    "whole",
    "widened",
]

#: Dtypes of integers of few bits, which arrays are read by; arithmetic of these is not lowered, for it wraps around.
NARROW = frozenset({"int8", "int16", "int32", "uint8", "uint16", "uint32"})


class NotLowered(Exception):
    """The statement is to stay as it is."""


@dataclass(frozen=True, slots=True)
class Axis:
    """How an axis of the memory is reached: along dimension ``dim`` of the view, or at one place (None)."""

    dim: int | None
    stride: int
    start: Lin
    gathered: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """An array as a view of ``base``."""

    base: Var
    axes: tuple[Axis, ...]
    dims: tuple[Dim, ...]


@dataclass(frozen=True, slots=True)
class Fill:
    """An array that is one number everywhere."""

    value: Atom
    dims: tuple[Dim, ...]


def whole(base: Var, dims: tuple[Dim, ...]) -> View:
    """An array that is its own memory."""
    return View(base, tuple(Axis(k, 1, Lin()) for k in range(len(dims))), dims)


# ---------------------------------------------------------------- views of views


def permuted(view: View | Fill, order: Sequence[int]) -> View | Fill:
    """The view with its dimensions in another order: the new k-th is the old ``order[k]``-th."""
    dims = tuple(view.dims[k] for k in order)
    if isinstance(view, Fill):
        return Fill(view.value, dims)
    to = {old: new for new, old in enumerate(order)}
    return View(view.base, tuple(_moved(a, to) for a in view.axes), dims)


def _moved(axis: Axis, to: dict[int, int]) -> Axis:
    return axis if axis.dim is None else Axis(to[axis.dim], axis.stride, axis.start, axis.gathered)


def newaxis(view: View | Fill, at: int) -> View | Fill:
    """The view with one more dimension, of length one."""
    dims = (*view.dims[:at], ONE, *view.dims[at:])
    if isinstance(view, Fill):
        return Fill(view.value, dims)
    to = {k: k + (k >= at) for k in range(len(view.dims))}
    return View(view.base, tuple(_moved(a, to) for a in view.axes), dims)


def drop_axis(view: View | Fill, at: int) -> View | Fill:
    """The view without a dimension of length one."""
    if isinstance(view, View) and any(a.dim == at for a in view.axes):
        view = pointed(view, at, Lin())
    dims = (*view.dims[:at], *view.dims[at + 1 :])
    if isinstance(view, Fill):
        return Fill(view.value, dims)
    to = {k: k - (k > at) for k in range(len(view.dims))}
    return View(view.base, tuple(_moved(a, to) for a in view.axes), dims)


def pointed(view: View, at: int, place: Lin, scopes: Scopes | None = None) -> View:
    """The view at one place of a dimension, which stays in ``dims`` and is used no more."""
    axes = []
    for a in view.axes:
        if a.dim == at:
            if a.stride != 1 and (place.root is not None or (scopes is None and place != Lin())):
                raise NotLowered
            shift = Lin(place.root, place.const * a.stride)
            a = Axis(None, 1, _plus(a.start, shift, scopes))
        axes.append(a)
    return View(view.base, tuple(axes), view.dims)


def _plus(a: Lin, b: Lin, scopes: Scopes | None) -> Lin:
    if a.root is None or b.root is None:
        return Lin(a.root or b.root, a.const + b.const)
    if scopes is None:
        raise NotLowered
    return scopes.sum(a, b)


def cut(view: View, at: int, start: Lin, step: int, dim: Dim, scopes: Scopes) -> View:
    """The view with every ``step``-th item of a dimension from ``start`` on; ``dim`` is what is left."""
    axes = []
    for a in view.axes:
        if a.dim == at:
            if a.stride != 1 and start.root is not None:
                raise NotLowered
            shift = Lin(start.root, start.const * a.stride)
            a = Axis(at, a.stride * step, scopes.sum(a.start, shift), a.gathered)
        axes.append(a)
    return View(view.base, tuple(axes), (*view.dims[:at], dim, *view.dims[at + 1 :]))


# ---------------------------------------------------------------- slices


def slice_of(scopes: Scopes, dim: Dim, parts: tuple[Atom, Atom, Atom], key: object) -> tuple[Lin, int, Dim]:
    """Where a slice of a dimension starts, its step, and the dimension that is left."""
    start, stop, step_atom = parts
    step = 1 if step_atom == Const(None) else step_atom.value if isinstance(step_atom, Const) else 0
    if step == -1 and start == stop == Const(None):
        return scopes.linear(scopes.shifted(scopes.count(dim), -1)), -1, dim
    if type(step) is not int or step < 1:
        raise NotLowered
    if start == Const(None) and stop == Const(None) and step == 1:
        return Lin(), 1, dim
    first = _bound(scopes, dim, start, Const(0))
    if isinstance(key, int):
        return scopes.linear(first), step, Dim(key, Const(key))
    last = _bound(scopes, dim, stop, dim.size)
    size = _difference(scopes, last, first)
    if step > 1:
        size = scopes.op(operator.floordiv, scopes.moved(size, step - 1), Const(step))
    for scope in scopes.stack:
        if key in scope.sizes:
            return scopes.linear(first), step, Dim(key, scope.sizes[key], scopes.may_be_short(key))
    scopes.here.sizes[key] = size
    return scopes.linear(first), step, Dim(key, size, scopes.may_be_short(key))


def _difference(scopes: Scopes, a: Atom, b: Atom) -> Atom:
    """``a - b``"""
    x, y = scopes.linear(a), scopes.linear(b)
    if x.root is y.root:
        return Const(x.const - y.const)
    if y.root is None:
        return scopes.atom(Lin(x.root, x.const - y.const))
    return scopes.op(operator.sub, a, b)


def widened(scopes: Scopes, place: Atom) -> Atom:
    """A place that an integer of few bits says, as one that takes part in sums."""
    if isinstance(place, Var) and isinstance(place.kind, Scalar) and place.kind.dtype in NARROW:
        return scopes.op(np.int64, place)
    return place


def _bound(scopes: Scopes, dim: Dim, place: Atom, default: Atom) -> Atom:
    """Where an end of a slice falls in an axis; too far out where that leaves nothing of the slice anyway."""
    if place == Const(None):
        return default
    size = scopes.linear(dim.size)
    place = widened(scopes, place)
    match place:
        case Const(bool()) | Const(str()):
            raise NotLowered
        case Const(int(c)) if default == Const(0) and c >= 0:
            return place  # beyond the end, nothing is left
        case Const(int(c)) if default != Const(0) and c < 0:
            return scopes.atom(Lin(size.root, size.const + c))  # before the beginning, nothing is left
        case Const(int(c)) if c < 0 and scopes.shortest(dim.key) >= -c:
            return scopes.atom(Lin(size.root, size.const + c))
        case Var(kind=Scalar("int" | "int64")):
            x = scopes.linear(place)
            if x.root is size.root and -2 <= x.const - size.const <= 0 and default != Const(0):
                return place
            if default == Const(0) and (scopes.bound(place) or -1) >= 0:
                return place
    if isinstance(place, Const) or (isinstance(place.kind, Scalar) and place.kind.dtype in ("int", "int64")):
        return scopes.op(helpers.within, place, scopes.count(dim))
    raise NotLowered


# ---------------------------------------------------------------- subscripts


def subscripts(view: View, space: Sequence[Dim], idx: Sequence[Var], scopes: Scopes) -> Subs:
    """The subscripts of the memory at a point of an iteration space, the view broadcast to it."""
    extra = len(space) - len(view.dims)
    if extra < 0:
        raise NotLowered
    return tuple(_subscript(view, a, space, idx, extra, scopes) for a in view.axes)


def _subscript(view: View, a: Axis, space: Sequence[Dim], idx: Sequence[Var], extra: int, scopes: Scopes) -> Sub:
    if a.gathered:
        raise NotLowered
    if a.dim is None:
        return Sub(None, 1, None, a.start.root, a.start.const)
    mine, theirs = view.dims[a.dim], space[extra + a.dim]
    if mine.key == 1:
        return Sub(None, 1, None, a.start.root, a.start.const)
    scale = None if scopes.same(mine, theirs) else unit(scopes, mine)
    return Sub(idx[extra + a.dim], a.stride, scale, a.start.root, a.start.const)


def unit(scopes: Scopes, dim: Dim) -> Atom:
    """0 for an axis of length one, which may be stretched, else 1."""
    differs = scopes.op(operator.ne, dim.size, Const(1), kind=Scalar("bool"))
    return scopes.op(int, differs)
