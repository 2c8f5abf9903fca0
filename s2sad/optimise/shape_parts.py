"""The shape of a part of an array: integers drop an axis, slices keep some of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Kind, List, Other, Scalar, Tuple, is_integer
from s2sad.ir.nodes import Atom, Const, Op, Var, kind_of
from s2sad.optimise.dims import Dim, Shape, is_whole
from s2sad.runtime import helpers

if TYPE_CHECKING:
    from s2sad.optimise.shapes import Shapes

__all__ = ["axes_named", "members", "sliced", "subscript"]


def subscript(known: Shapes, op: Op) -> Shape | None:
    """Integers drop an axis, slices keep one, None adds one; of the parts of an array each is like what it was."""
    obj, index = op.args
    if isinstance(kind_of(obj), List):
        return _of_part(known, obj, index)
    dims = known.of(obj)
    if not isinstance(kind_of(obj), Array):
        return None
    if is_whole(dims):
        return _rows(known, dims, index)
    maker = known.makers.get(index) if isinstance(index, Var) else None
    parts = maker.args if maker is not None and maker.fn is prims.make_tuple else (index,)
    if isinstance(kind_of(index), Tuple) and maker is None:
        return None
    out: list[Dim] = []
    taken = sum(not _is_new_axis(p) and p != Const(Ellipsis) for p in parts)
    rest = list(dims)
    alone = sum(isinstance(kind_of(p), Scalar | Array) for p in parts) == 1
    for p in parts:
        if p == Const(Ellipsis):
            n = len(dims) - taken
            out += rest[:n]
            rest = rest[n:]
        elif _is_new_axis(p):
            out.append(1)
        elif not rest:
            return None
        elif isinstance(kind_of(p), Scalar) and kind_of(p).dtype != "bool":  # type: ignore[attr-defined]
            rest.pop(0)
        elif alone and _is_integers(kind_of(p)) and not is_whole(known.of(p)):
            rest.pop(0)
            out += known.of(p)
        else:
            part = sliced(known, rest.pop(0), p)
            if part is None:
                return None
            out.append(part)
    return tuple(out + rest)


def _rows(known: Shapes, whole: Shape, index: Atom) -> Shape | None:
    """The shape of a slice of an array of unknown rank: only its first axis is another."""
    if kind_of(index) != Other(slice):
        return None
    (of,) = known.canonical(whole)
    first = ("first", of)
    cut = sliced(known, first, index)
    return None if cut is None else whole if cut == first else (("whole", ("rows", of, cut)),)


def members(known: Shapes, a: Atom) -> tuple[Atom, ...]:
    """What a tuple or a list holds that is written down and never changes; nothing where that is not known."""
    made = known.lists.get(a) if isinstance(a, Var) else None
    return made.args if made is not None and made.fn in (prims.make_tuple, prims.make_list) else ()


def _of_part(known: Shapes, parts: Atom, index: Atom) -> Shape | None:
    """The shape of one of the parts that an array is taken into again."""
    made = known.lists.get(parts) if isinstance(parts, Var) else None
    if made is None or made.fn not in (helpers.unstack, helpers.split_like) or not isinstance(index, Const):
        return None
    arrays = members(known, made.args[1])
    return known.of(arrays[index.value]) if 0 <= index.value < len(arrays) else None


def sliced(known: Shapes, dim: Dim, part: Atom) -> Dim | None:
    """One axis under a slice."""
    if isinstance(part, Const):
        return None
    maker = known.makers.get(part) if isinstance(part, Var) else None
    if maker is None or maker.fn is not prims.make_slice:
        return ("slice", known.find(dim), part) if kind_of(part) == Other(slice) else None
    start, stop, step = maker.args
    if (start, stop, step) == (Const(None), Const(None), Const(-1)):
        return known.find(dim)
    if step in (Const(None), Const(1)):
        if (ends := _ends(start, stop)) is not None:
            first, last = ends
            if isinstance(dim := known.find(dim), int) or known.shortest(dim) >= last:
                return max(0, (min(last, dim) if isinstance(dim, int) else last) - first)
        if (ends := _ends_from_last(start, stop)) is not None:
            first, last = ends
            if isinstance(dim := known.find(dim), int) or known.shortest(dim) >= first:
                return max(0, (min(first, dim) if isinstance(dim, int) else first) - last)
    cut = _cut(start, stop) if step in (Const(None), Const(1)) else None
    return ("slice", known.find(dim), *maker.args) if cut is None else _shortened(known.find(dim), cut)


def _ends(start: Atom, stop: Atom) -> tuple[int, int] | None:
    """The ends of a slice, where both are numbers counted from the beginning."""
    first = Const(0) if start == Const(None) else start
    match first, stop:
        case Const(int(a)), Const(int(b)) if type(a) is type(b) is int and a >= 0 and b >= 0:
            return a, b
    return None


def _ends_from_last(start: Atom, stop: Atom) -> tuple[int, int] | None:
    """How far from the end a slice begins and ends, if both are counted from there: those of ``-3:-1`` are 3 and 1."""
    last = Const(0) if stop == Const(None) else stop
    match start, last:
        case Const(int(a)), Const(int(b)) if type(a) is type(b) is int and a < 0 and (b < 0 or stop == Const(None)):
            return -a, -b
    return None


def _cut(start: Atom, stop: Atom) -> int | None:
    """How many items a slice leaves out at the ends, where it counts them from there: ``1:-1`` leaves out 2."""
    first = 0 if start == Const(None) else start.value if isinstance(start, Const) else None
    last = 0 if stop == Const(None) else stop.value if isinstance(stop, Const) else None
    if type(first) is not int or type(last) is not int or first < 0:
        return None
    return first - last if last < 0 or stop == Const(None) else None


def _shortened(dim: Dim, cut: int) -> Dim:
    """A dimension with so many items less, none at the least."""
    match dim:
        case int():
            return max(0, dim - cut)
        case ("less", whole, int(less)):
            return ("less", whole, less + cut)
        case ("sum", int(number), *rest) if number and cut:
            of_number = min(number, cut)
            left = ("sum", number - of_number, *rest) if number > of_number or len(rest) > 1 else rest[0]
            return _shortened(left, cut - of_number)
    return ("less", dim, cut) if cut else dim


def _is_integers(kind: Kind) -> bool:
    """Whether this is an array of places, not of truth values."""
    return isinstance(kind, Array) and is_integer(kind) and kind.dtype != "bool"


def _is_new_axis(a: Atom) -> bool:
    return a == Const(None)


def axes_named(makers: Mapping[Var, Op], axes: Atom, rank: int) -> tuple[int, ...] | None:
    """The axes of an array that a number or a tuple names, in its order; None where that is not known, or wrong."""
    maker = makers.get(axes) if isinstance(axes, Var) else None
    parts: tuple[Atom, ...] = (axes,)
    if isinstance(axes, Const) and isinstance(axes.value, tuple):
        parts = tuple(map(Const, axes.value))
    elif maker is not None and maker.fn is prims.make_tuple:
        parts = maker.args
    values = [a.value for a in parts if isinstance(a, Const) and type(a.value) is int and -rank <= a.value < rank]
    return tuple(k % rank for k in values) if len({k % rank for k in values}) == len(parts) else None
