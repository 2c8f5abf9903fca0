"""Arrays of integers of which the number of items is known while compiling.

A row of ``np.argwhere(m)`` has an item for each axis of ``m``, and ``np.array(x.shape)`` for each of ``x``; so have
``k + 1``, ``k // 2`` and ``np.clip(k, 0, n)`` of such a ``k``. As a tuple, and as the shape of what a function makes,
they are one of known items.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.frontend.displays import shape_among
from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, TupleV, kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Var

__all__ = ["known_items_of", "known_length", "shapes_as_known", "written_down"]

_OF_ITEMS = (np.array, np.asarray)
_ITEM_BY_ITEM: frozenset[Any] = frozenset({np.clip, *prims.BINARY, *prims.UNARY})


def written_down(lo: Lowering, sequence: AVal) -> Op | None:
    """What makes a list of items that are known apart."""
    made = lo.definitions.get(sequence) if isinstance(sequence, Var) else None
    return made if made is not None and made.fn is prims.make_list else None


def known_length(lo: Lowering, value: AVal) -> int | None:
    """How many items an array of integers with one axis has, if that is known."""
    if not isinstance(value, Var) or not isinstance(value.kind, K.Array) or value.kind.rank != 1:
        return None
    made = lo.definitions.get(value)
    if not value.kind.dtype.startswith("int") or made is None or made.target is None:
        return None
    if made.fn is operator.getitem:
        return _of_row(lo, made)
    if made.fn in _OF_ITEMS:
        kind = kind_of(made.args[0])
        return len(kind.items) if isinstance(kind, K.Tuple) else known_length(lo, made.args[0])
    if made.fn not in _ITEM_BY_ITEM or made.kwargs:
        return None
    lengths = {_stretching(lo, a) for a in made.args}
    longest = max((n for n in lengths if n is not None), default=1)
    return longest if longest > 1 and lengths <= {1, longest} else None


def known_items_of(lo: Lowering, value: AVal) -> TupleV | None:
    """The items of such an array as a tuple."""
    n = known_length(lo, value)
    return None if n is None else TupleV(tuple(lo.load(value, Const(k)) for k in range(n)))  # type: ignore[arg-type]


def shapes_as_known(
    lo: Lowering, fn: Any, args: Sequence[AVal], kwargs: Mapping[str, AVal]
) -> tuple[list[AVal], dict[str, AVal]]:
    """Arguments of a library function, the shape among them as a tuple of known items where it is such an array."""
    among = shape_among(fn, args, kwargs)

    def known(a: AVal) -> AVal:
        return (known_items_of(lo, a) or a) if any(a is shape for shape in among) else a

    return [known(a) for a in args], {name: known(a) for name, a in kwargs.items()}


def _of_row(lo: Lowering, made: Op) -> int | None:
    """Of a row of places: as many items as that has axes of which they are the places."""
    rows, index = made.args
    source = lo.definitions.get(rows) if isinstance(rows, Var) else None
    if source is None or source.fn is not np.argwhere or not K.is_integer(kind_of(index)):
        return None
    return K.rank_of(kind_of(source.args[0])) or None


def _stretching(lo: Lowering, a: Atom) -> int | None:
    """The length of an operand; one where it is a number."""
    return 1 if isinstance(a, Const) or isinstance(kind_of(a), K.Scalar) else known_length(lo, a)
