"""``a.flat[index]`` and ``a.flat = x``: which items of an array that means, and what may not be stored there.

NumPy stores into ``a.flat`` item by item, and so reads what it has overwritten where the source shares the array's
memory. The subscripts that are made here copy such a source first: stores of what may share it are refused.
"""

from __future__ import annotations

import operator

import numpy as np

from s2sad.analysis.memory import Memory
from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, TupleV, kind_of, runtime_kind
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Function, Origin, Var

__all__ = ["flat_array", "flat_places", "note_flat_store", "refuse_overlapping", "store_flat"]


def flat_array(lo: Lowering, array: Atom) -> Atom:
    """The array that :func:`flat_places` are of: a view with an axis where the array has none."""
    rank = K.rank_of(kind_of(array))
    if rank is None:
        raise lo.unsupported("`flat` of an array whose rank is not known here is not handled.", "Use np.ravel.")
    return array if rank else lo.as_atom(lo.load(array, Const(None)))


def flat_places(lo: Lowering, array: Atom, index: AVal) -> AVal:
    """The subscript of an array with axes that means what ``index`` means of its items one after the other."""
    rank = K.rank_of(kind_of(array))
    if rank is None or rank < 2:
        return index
    shape = lo.emit(np.shape, array)
    size = lo.emit(np.size, array, kind=K.INT)
    place: Atom
    if isinstance(runtime_kind(index), K.Scalar):
        place = lo.emit(operator.getitem, lo.emit(range, size, kind=K.Other(range)), lo.as_atom(index), kind=K.INT)
    else:
        place = lo.as_atom(lo.load(lo.emit(np.arange, size), index))
    parts: list[AVal] = []
    for axis in range(rank - 1, 0, -1):
        length = lo.as_atom(lo.load(shape, Const(axis)))
        parts.append(lo.emit(operator.mod, place, length))
        place = lo.emit(operator.floordiv, place, length)
    return TupleV((place, *reversed(parts)))


def store_flat(lo: Lowering, array: Atom, value: AVal) -> None:
    """``array.flat = value``, of a number or of as many items as the array has.

    NumPy repeats fewer, and leaves out what is too much: there it is a ValueError.
    """
    stored = lo.as_atom(value)
    if not isinstance(kind_of(stored), K.Scalar):
        note_flat_store(lo, array, stored)
        stored = lo.emit(np.reshape, stored, lo.emit(np.shape, array))
    lo.store(lo.owned(array), Const(...), stored)
    lo.handed.note_change(array, Const(...))


def note_flat_store(lo: Lowering, array: Atom, value: Atom) -> None:
    """Note that an array is stored, whose memory is looked at when all of the function is known."""
    if isinstance(array, Var) and isinstance(value, Var) and not isinstance(value.kind, K.Scalar):
        lo.flat_stores.append((array, value, lo.origin))


def refuse_overlapping(function: Function, stores: list[tuple[Var, Var, Origin | None]]) -> None:
    """Refuse stores into ``a.flat`` of what may share the memory of ``a``."""
    memory = Memory(function) if stores else None
    for array, value, origin in stores:
        if memory is not None and memory.of(array) == memory.of(value):
            raise UnsupportedSyntax(
                "what is stored may share the memory of the array, and `flat` overwrites it while it is read.",
                help="Copy it first.",
                origin=origin,
            )
