"""Tuples among the parts of an array's subscript, as the arrays that they spell.

Before::

    def f(x: float64[2]):
        y = x[(0, 1), 2]

After::

    def f(x: float64[2]):
        t: int64[1] = np.asarray((0, 1))
        y = x[t, 2]

NumPy takes a tuple apart only where it is the whole subscript; one within it selects like a list. So do the tuples that
``np.nonzero`` and ``np.where`` give, of arrays. What is known of subscripts (whether they give a view, what shape)
goes by arrays.
"""

from __future__ import annotations

import operator

import numpy as np

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, TupleV, runtime_kind
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const, Var
from s2sad.runtime import helpers

__all__ = ["array_index"]


def array_index(lo: Lowering, base: AVal, index: AVal) -> AVal:
    """The subscript of an array, without tuples in it; what is no array has it as it is."""
    if not isinstance(runtime_kind(base), K.Array | K.Numeric):
        return index
    if isinstance(index, Const) and isinstance(index.value, tuple):
        index = TupleV(tuple(map(Const, index.value)))
    if isinstance(index, Var) and isinstance(index.kind, K.Tuple) and any(map(_is_tuple, index.kind.items)):
        index = TupleV(
            tuple(lo.emit(operator.getitem, index, Const(k), kind=kind) for k, kind in enumerate(index.kind.items))
        )
    if not isinstance(index, TupleV):
        return index
    return TupleV(tuple(_spelled(lo, part) for part in index.items))


def _is_tuple(kind: K.Kind) -> bool:
    return isinstance(kind, K.Tuple) or kind == K.Other(tuple)


def _spelled(lo: Lowering, part: AVal) -> AVal:
    """An array in the place of a tuple; one without items selects nothing."""
    if isinstance(part, TupleV) and part.items:
        return lo.emit(np.asarray, lo.as_atom(part))
    return lo.emit(helpers.as_index, lo.as_atom(part)) if _is_tuple(runtime_kind(part)) else part
