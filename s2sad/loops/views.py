"""Views: changes of subscripts, and selections by arrays of indices."""

from __future__ import annotations

from collections.abc import Callable

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Scalar, rank_of
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.loops.arrays import (
    NARROW,
    Fill,
    NotLowered,
    View,
    cut,
    drop_axis,
    newaxis,
    permuted,
    pointed,
    slice_of,
    widened,
)
from s2sad.loops.common import array, axes_in_order, axes_named, base_dtype, dtype_of, parts_of
from s2sad.loops.elements import DTYPES, Elements
from s2sad.loops.index import Lin
from s2sad.loops.model import Dim, Load, Sub
from s2sad.loops.state import State
from s2sad.optimise.shape_parts import sliced
from s2sad.runtime import helpers

__all__ = ["expanded", "gathered", "getitem", "reshaped", "squeezed", "subscripted", "swapped", "transposed"]

_ALL = Const(slice)  #: stands for ``:``


def transposed(state: State, op: Op) -> None:
    """``np.transpose(a)``"""
    found = state.describe(op.args[0])
    rank = len(found.dims)
    order = list(range(rank))[::-1]
    rest = [*op.args[1:], *(a for _, a in op.kwargs)]
    if rest:
        order = list(axes_in_order(state, rest[0], rank))
    assert op.target is not None
    state.name(op.target, permuted(found, order), op)


def swapped(state: State, op: Op) -> None:
    """``np.swapaxes(a, i, j)``"""
    found = state.describe(op.args[0])
    rank = len(found.dims)
    given = [a.value % rank for a in op.args[1:] if isinstance(a, Const) and type(a.value) is int]
    if len(op.args) != 3 or len(given) != 2:
        raise NotLowered
    i, j = given
    order = list(range(rank))
    order[i], order[j] = order[j], order[i]
    assert op.target is not None
    state.name(op.target, permuted(found, order), op)


def expanded(state: State, op: Op) -> None:
    """``np.expand_dims(a, axis)``"""
    found = state.describe(op.args[0])
    axis = op.args[1] if len(op.args) > 1 else dict(op.kwargs).get("axis", Const(None))
    assert op.target is not None
    if (rank := rank_of(op.target.kind)) is None:
        raise NotLowered
    for k in sorted(axes_named(state, axis, rank)):
        found = newaxis(found, k)
    state.name(op.target, found, op)


def squeezed(state: State, op: Op) -> None:
    """``np.squeeze(a, axis)`` of an axis known to be of length one."""
    found = state.describe(op.args[0])
    axis = op.args[1] if len(op.args) > 1 else dict(op.kwargs).get("axis", Const(None))
    if not isinstance(axis, Const) or type(axis.value) is not int:
        raise NotLowered
    k = axis.value % len(found.dims)
    if found.dims[k].key != 1:
        raise NotLowered
    assert op.target is not None
    state.name(op.target, drop_axis(found, k), op)


def reshaped(state: State, op: Op) -> None:
    """``np.reshape(a, shape)`` where it only adds or drops axes of length one."""
    target, found = op.target, state.describe(op.args[0])
    if target is None or not isinstance(target.kind, Array) or not target.kind.rank:
        raise NotLowered
    ones = [state.key(target, k) == 1 for k in range(target.kind.rank)]
    kept = [state.scopes.canonical(d.key) for d in found.dims if d.key != 1]
    if kept != [state.key(target, k) for k, one in enumerate(ones) if not one]:
        raise NotLowered
    for k in reversed(range(len(found.dims))):
        if found.dims[k].key == 1:
            found = drop_axis(found, k)
    for k, one in enumerate(ones):
        if one:
            found = newaxis(found, k)
    state.name(target, found, op)


def spelt(parts: tuple[Atom, ...], rank: int) -> list[Atom]:
    """The parts with an ellipsis spelt out, and whole axes added at the end."""
    taken = sum(p not in (Const(None), Const(Ellipsis)) for p in parts)
    if taken > rank:
        raise NotLowered
    out: list[Atom] = []
    every = [_ALL] * (rank - taken)
    if Const(Ellipsis) in parts:
        k = parts.index(Const(Ellipsis))
        return [*parts[:k], *every, *parts[k + 1 :]]
    out.extend(parts)
    return [*out, *every]


def is_integer(a: Atom) -> bool:
    """Whether a part of a subscript is a single place."""
    if isinstance(a, Const):
        return type(a.value) is int
    return isinstance(a.kind, Scalar) and a.kind.dtype in {"int", "int64"} | NARROW and isinstance(a, Var)


def subscripted(state: State, found: View | Fill, index: Atom) -> View | Fill:
    """The view that a basic subscript gives."""
    if isinstance(found, Fill):
        raise NotLowered
    at = 0
    gone: list[int] = []
    for p in spelt(parts_of(state, index), len(found.dims)):
        if p == Const(None):
            found = newaxis(found, at)
            assert isinstance(found, View)
        elif is_integer(p):
            found = pointed(found, at, place(state, p, found, at), state.scopes)
            gone.append(at)
            at += 1
            continue
        elif p != _ALL:
            maker = state.scopes.makers.get(p) if isinstance(p, Var) else None
            if maker is None or maker.fn is not prims.make_slice:
                raise NotLowered
            bounds = maker.args[0], maker.args[1], maker.args[2]
            key = sliced(state.shapes, found.dims[at].key, p) or ("part", p, at)
            start, step, dim = slice_of(state.scopes, found.dims[at], bounds, key)
            found = cut(found, at, start, step, dim, state.scopes)
        at += 1
    for k in reversed(gone):
        found = drop_axis(found, k)
    assert isinstance(found, View)
    return found


def place(state: State, p: Atom, found: View, k: int) -> Lin:
    """A single place on an axis; a negative one counts from the end, of a part of an axis from the end of the part."""
    size, p = found.dims[k].size, widened(state.scopes, p)
    if isinstance(p, Const) and p.value < 0:
        end = state.scopes.linear(size)
        return Lin(end.root, end.const + p.value)
    least = state.scopes.bound(p)
    if (least is None or least < 0) and not _is_whole(state, found, k):
        return state.scopes.linear(state.scopes.op(helpers.within, p, size))
    return state.scopes.linear(p)


def getitem(state: State, op: Op) -> None:
    """``a[index]`` of an array: a view, or a selection by an array of indices."""
    obj, index = op.args
    target = op.target
    assert target is not None
    if not array(obj):
        part = piece(state, obj, index)
        if isinstance(part, View) and base_dtype(part) != dtype_of(target):  # which is converted for what it belongs to
            raise NotLowered
        state.name(target, part, op)
        return
    found = state.describe(obj, NARROW)
    if any(array(p) for p in parts_of(state, index)):
        gather(state, op, found, index)
        return
    view = subscripted(state, found, index)
    if not view.dims:
        if not isinstance(target.kind, Scalar) or isinstance(view, Fill) or base_dtype(view) not in DTYPES | NARROW:
            raise NotLowered
        state.add(Load(target, view.base, state.subs(view, (), ())))
        state.scopes.define(target)
        return
    state.name(target, view, op)


def piece(state: State, obj: Atom, index: Atom) -> View | Fill:
    """``split_like(x, arrays, axis)[k]``: the part of x that is as long as the k-th of the arrays."""
    makers = state.scopes.makers
    maker = makers.get(obj) if isinstance(obj, Var) else None
    if maker is None or maker.fn is not helpers.split_like or maker.kwargs or not isinstance(index, Const):
        raise NotLowered
    x, arrays, *rest = maker.args
    parts = makers.get(arrays) if isinstance(arrays, Var) else None
    if parts is None or parts.fn is not prims.make_tuple or len(rest) > 1 or index.value not in range(len(parts.args)):
        raise NotLowered
    axis = rest[0] if rest else Const(0)
    found = state.describe(x)
    if not isinstance(axis, Const) or type(axis.value) is not int or not found.dims:
        raise NotLowered
    at = axis.value % len(found.dims)
    dims = [state.describe(a).dims for a in parts.args[: index.value + 1]]
    if any(len(d) != len(found.dims) for d in dims):
        raise NotLowered
    start: Atom = Const(0)
    for d in dims[:-1]:
        start = state.scopes.add(start, state.scopes.count(d[at]))
    mine = dims[-1][at]
    if isinstance(found, Fill):
        return Fill(found.value, (*found.dims[:at], mine, *found.dims[at + 1 :]))
    return cut(found, at, state.scopes.linear(start), 1, mine, state.scopes)


def gather(state: State, op: Op, found: View | Fill, index: Atom) -> None:
    """``a[rows]``: an item for each index."""
    target = op.target
    assert target is not None
    dims, subs = gathered(state, found, index)
    assert isinstance(found, View)
    if base_dtype(found) in NARROW:
        raise NotLowered

    def value(idx: list[Var], e: Elements) -> Atom:
        v = Var("", Scalar(base_dtype(found)))
        e.items.append(Load(v, found.base, subs(idx, e)))
        return v

    if not isinstance(target.kind, Array) or len(dims) != target.kind.rank:
        raise NotLowered
    state.result(target, dims, value)


def gathered(
    state: State, found: View | Fill, index: Atom
) -> tuple[tuple[Dim, ...], Callable[[list[Var], Elements], tuple[Sub, ...]]]:
    """The space of a selection by arrays of indices, and the subscripts at a point of it."""
    parts = spelt(parts_of(state, index), len(found.dims))
    arrays = [k for k, p in enumerate(parts) if array(p)]
    first, last = arrays[0], arrays[-1]
    if isinstance(found, Fill) or arrays != list(range(first, last + 1)):
        raise NotLowered
    others_whole = all(p == _ALL for k, p in enumerate(parts) if k not in arrays)
    if not others_whole or not all(_is_whole(state, found, k) for k in arrays):
        raise NotLowered
    rows = [state.describe(parts[k], NARROW) for k in arrays]
    if any(dtype_of(p) not in {"int64"} | NARROW for p in parts if isinstance(p, Var) and array(p)):
        raise NotLowered
    shape = state.space([r.dims for r in rows])
    dims = (*found.dims[:first], *shape, *found.dims[last + 1 :])

    def subs(idx: list[Var], e: Elements) -> tuple[Sub, ...]:
        mine = idx[first : first + len(shape)]
        others = [*idx[:first], *idx[first + len(shape) :]]
        places = dict(zip(arrays, (state.element(r, shape, mine, e) for r in rows), strict=True))
        kept = dict(zip((k for k in range(len(found.dims)) if k not in arrays), others, strict=True))
        out = []
        for a in found.axes:
            if a.dim is None:
                out.append(Sub(None, 1, None, a.start.root, a.start.const))
            elif a.dim in places:
                root = places[a.dim]
                if not isinstance(root, Var):
                    raise NotLowered
                out.append(Sub(None, 1, None, root, 0, True))
            else:
                out.append(Sub(kept[a.dim], a.stride, None, a.start.root, a.start.const))
        return tuple(out)

    return dims, subs


def _is_whole(state: State, found: View, k: int) -> bool:
    """Whether a dimension of a view is an axis of its memory, so that negative places mean the same."""
    for n, a in enumerate(found.axes):
        if a.dim == k:
            return a.start == Lin() and a.stride == 1 and state.scopes.same(found.dims[k], state.dim(found.base, n))
    return False
