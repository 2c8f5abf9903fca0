"""Forms of rolls."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.compiled import rolled
from s2sad.compiled.expand import Builder, form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import constant_axes, is_none, length, named
from s2sad.compiled.forms_reductions import in_three, reshaped
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Op

#: Arrays rolled along each axis, by the number of axes.
_ROLLED: dict[int, Any] = {1: rolled.rolled_1, 2: rolled.rolled_2, 3: rolled.rolled_3}

#: The same along one axis that only a run tells.
_BY_AXIS: dict[int, Any] = {2: rolled.rolled_2_by, 3: rolled.rolled_3_by}


@form(np.roll)
def roll(b: Builder, op: Op) -> Atom | None:
    """``np.roll(a, shift, axis)`` along one axis or several, as one call for all of them."""
    a, shift, axis = named(op, "a", "shift", "axis")
    rank, shifts = rank_of(a), kind_of(shift)
    if not rank or op.target is None or not isinstance(shifts, K.Tuple | K.Scalar):
        return None
    if is_none(axis) and rank > 1:
        plain = len(op.args) == 2 and not op.kwargs
        return None if plain or rank_of(shift) != 0 else b.emit(np.roll, a, shift, kind=kind_of(a))
    axes = (0,) if is_none(axis) else constant_axes(b, axis, rank)
    given = [_item(b, shift, k) for k in range(len(shifts.items))] if isinstance(shifts, K.Tuple) else None
    if axes is None and kind_of(axis) == K.INT and given is None and rank in _BY_AXIS:
        return b.emit(_BY_AXIS[rank], a, shift, axis, kind=kind_of(a))
    if axes is None or (given is not None and len(given) != len(axes)):
        return None
    by: list[Atom] = [Const(0)] * rank
    for k, along in enumerate(axes):
        one = shift if given is None else given[k]
        by[along] = one if by[along] == Const(0) else b.emit(operator.add, by[along], one, kind=K.INT)
    if rank in _ROLLED:
        return b.emit(_ROLLED[rank], a, *by, kind=kind_of(a))
    for k in sorted(set(axes)):
        found = b.emit(rolled.rolled_along, in_three(b, a, k), by[k], kind=K.Array(K.dtype_of(kind_of(a)), 3))
        a = reshaped(b, found, [length(b, a, i) for i in range(rank)], K.dtype_of(kind_of(a)))
    return a


def _item(b: Builder, items: Atom, k: int) -> Atom:
    """The integer at a place of a tuple."""
    made, value = b.definition(items), b.constant(items)
    if value is not None:
        return Const(value[k])
    return made.args[k] if made is not None else b.emit(operator.getitem, items, k, kind=K.INT)
