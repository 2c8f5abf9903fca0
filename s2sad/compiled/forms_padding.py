"""Forms of ``np.pad`` and its adjoints."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.compiled import lists
from s2sad.compiled.expand import Builder, form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import is_none, length, named
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.runtime import helpers

#: The modes in which ``np.pad`` repeats items, as :func:`s2sad.compiled.lists.places_to_pad` counts them.
_MODES = ("edge", "wrap", "reflect", "symmetric")


def _widths(b: Builder, pad_width: Atom, rank: int) -> list[tuple[Any, Any]] | None:
    """How much, or which number, before and after each axis."""
    match b.constant(pad_width):
        case int() | float() as n:
            return [(n, n)] * rank
        case (int() | float() as before, int() | float() as after):
            return [(before, after)] * rank
        case tuple(pairs) | list(pairs) if len(pairs) in (1, rank) and all(isinstance(p, tuple | list) for p in pairs):
            return [(p[0], p[-1]) for p in pairs] * (rank // len(pairs))
    if rank_of(pad_width) == 0:
        return [(pad_width, pad_width)] * rank
    items = _items(b, pad_width) or ()
    if len(items) == 2 and all(rank_of(a) == 0 for a in items):
        return [(items[0], items[1])] * rank
    found = [_pair(b, a) for a in items]
    return None if len(found) != rank or None in found else found  # type: ignore[return-value]


def _pair(b: Builder, a: Atom) -> tuple[Any, Any] | None:
    """How much before and after one axis, by numbers that are known at run time only."""
    items = b.constant(a) if isinstance(a, Const) else _items(b, a)
    if not isinstance(items, tuple | list) or len(items) != 2:
        return None
    return (items[0], items[1]) if all(isinstance(i, int | float) or rank_of(i) == 0 for i in items) else None


def _items(b: Builder, a: Atom) -> tuple[Atom, ...] | None:
    """The items of a tuple."""
    made, kind = b.definition(a), kind_of(a)
    if made is not None and made.fn is prims.make_tuple:
        return made.args
    if not isinstance(kind, K.Tuple):
        return None
    return tuple(b.emit(operator.getitem, a, i, kind=item) for i, item in enumerate(kind.items))


def _inside(b: Builder, a: Atom, widths: list[tuple[Any, Any]]) -> Atom:
    """The index of what was padded."""
    return b.index_of(*_ranges(b, a, widths))


def _ranges(b: Builder, a: Atom, widths: list[tuple[Any, Any]]) -> list[Atom]:
    """Where along each axis that is which was padded."""
    parts = []
    for axis, (before, _) in enumerate(widths):
        stop = b.emit(operator.add, before, length(b, a, axis), kind=K.INT)
        parts.append(b.emit(prims.make_slice, before, stop, None, kind=K.SLICE))
    return parts


@form(np.pad)
def pad(b: Builder, op: Op) -> Atom | None:
    """``np.pad(a, pad_width, constant_values=value)``, or with a mode that repeats items."""
    a, pad_width, mode, value = named(op, "array", "pad_width", "mode", "constant_values")
    rank = rank_of(a)
    widths = _widths(b, pad_width, rank) if rank else None
    if widths is None or not rank:
        return None
    if not is_none(mode) and b.constant(mode) != "constant":
        return _repeated(b, a, widths, b.constant(mode))
    one = is_none(value) or isinstance(kind_of(value), K.Scalar)
    numbers = None if one else _numbers(b, value, rank)
    if not one and numbers is None:
        return None
    lengths = []
    for axis, (before, after) in enumerate(widths):
        total = b.emit(operator.add, before, length(b, a, axis), kind=K.INT)
        lengths.append(b.emit(operator.add, total, after, kind=K.INT))
    kind, shape, dtype = (
        K.Array(K.dtype_of(kind_of(a)), rank),
        b.index_of(*lengths),
        np.dtype(K.dtype_of(kind_of(a))).type,
    )
    if is_none(value) or numbers is not None:
        out = b.emit(np.zeros, shape, dtype, kind=kind)
    else:
        out = b.emit(np.full, shape, value, dtype, kind=kind)
    b.store(out, _inside(b, a, widths), a)
    for axis, pair in enumerate(numbers or ()):
        _fill_around(b, out, a, widths, axis, pair)
    return out


def _numbers(b: Builder, value: Atom, rank: int) -> list[tuple[Any, Any]] | None:
    """Which numbers come before and after each axis: in an array a pair for all axes, or for each."""
    match kind_of(value):
        case K.Array(dtype, 1 | 2):
            return [(_number(b, value, k, 0, dtype), _number(b, value, k, -1, dtype)) for k in range(rank)]
    return _widths(b, value, rank)


def _number(b: Builder, numbers: Atom, axis: int, place: int, dtype: str) -> Atom:
    """The number for one side of an axis."""
    if rank_of(numbers) == 1:
        return b.emit(operator.getitem, numbers, place, kind=K.Scalar(dtype))
    last = b.emit(operator.sub, length(b, numbers, 0), 1, kind=K.INT)
    row = b.emit(min, axis, last, kind=K.INT)
    return b.emit(operator.getitem, numbers, b.index_of(row, place), kind=K.Scalar(dtype))


def _fill_around(
    b: Builder, out: Atom, a: Atom, widths: list[tuple[Any, Any]], axis: int, numbers: tuple[Any, Any]
) -> None:
    """Numbers before and after an axis, where the axes before it are whole, and those behind as long as the array's."""
    width, whole = widths[axis][0], b.emit(prims.make_slice, None, None, None, kind=K.SLICE)
    end = b.emit(operator.add, width, length(b, a, axis), kind=K.INT)
    margins = (
        b.emit(prims.make_slice, None, width, None, kind=K.SLICE),
        b.emit(prims.make_slice, end, None, None, kind=K.SLICE),
    )
    behind = _ranges(b, a, widths)[axis + 1 :]
    for margin, number in zip(margins, numbers, strict=True):
        b.store(
            out, b.index_of(*(whole,) * axis, margin, *behind), number if isinstance(number, Var) else Const(number)
        )


@form(helpers.crop)
def crop(b: Builder, op: Op) -> Atom | None:
    """``crop(x, like, pad_width)``."""
    x, like, pad_width = op.args
    rank = rank_of(like)
    widths = _widths(b, pad_width, rank) if rank else None
    if widths is None:
        return None
    return b.emit(operator.getitem, x, _inside(b, like, widths), kind=kind_of(like))


def _repeated(b: Builder, a: Atom, widths: list[tuple[Any, Any]], mode: Any) -> Atom | None:
    """``np.pad(a, widths, mode)`` as a subscript along each axis."""
    if mode not in _MODES:
        return None
    for axis, (before, after) in enumerate(widths):
        places = _places(b, length(b, a, axis), before, after, mode)
        whole = [b.emit(prims.make_slice, None, None, None, kind=K.SLICE) for _ in range(axis)]
        a = b.emit(operator.getitem, a, b.index_of(*whole, places), kind=K.Array(K.dtype_of(kind_of(a)), len(widths)))
    return a


def _places(b: Builder, n: Atom, before: Any, after: Any, mode: str) -> Atom:
    return b.emit(lists.places_to_pad, n, before, after, _MODES.index(mode), kind=K.Array("int64", 1))


@form(helpers.unpad)
def unpad(b: Builder, op: Op) -> Atom | None:
    """``unpad(x, like, pad_width, mode)``: along each axis, the last first, items added where they were taken from."""
    x, like, pad_width, mode = op.args
    rank, source = rank_of(like), b.constant(mode)
    widths = _widths(b, pad_width, rank) if rank else None
    if widths is None or source not in _MODES or not rank:
        return None
    kind, dtype = K.Array(K.dtype_of(kind_of(x)), rank), np.dtype(K.dtype_of(kind_of(x))).type
    for axis in reversed(range(rank)):
        n = length(b, like, axis)
        places = _places(b, n, *widths[axis], source)
        lengths = [n if k == axis else length(b, x, k) for k in range(rank)]
        zeros = b.emit(np.zeros, b.index_of(*lengths), dtype, kind=kind)
        x = b.emit(helpers.untake, x, places, zeros, Const(axis), kind=kind)
    return x
