"""Masks checked to be as long as the axes that they pick from.

Before::

    def f(x: float64[2], m: bool[1]):
        y: float64[2] = np.array(x)
        y[m] = 0.5
        return y

After::

    def f(x, m):
        y = np.array(x)
        shape = np.shape(m)
        shape_1 = np.shape(y)
        t = shape[0]
        t_1 = shape_1[0]
        same_length(t, t_1)
        y[m] = 0.5
        return y

NumPy raises where they are not. Numba does not ask, and would write where the array has no memory.

Requires: nothing of the IR.
Ensures: the same values, or ``ValueError``. What is known to be as long is not checked in the end
(:func:`s2sad.loops.lower_to_loops`). Masks behind an ellipsis or a new axis are left.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import all_vars, map_stmts, with_body
from s2sad.runtime import helpers

__all__ = ["masks_checked"]


def masks_checked(function: Function) -> Function:
    """Check masks before they pick."""
    if not any(_is_mask(v) for v in all_vars(function)):
        return function
    definitions = definitions_of(function)
    return with_body(function, map_stmts(function.body, lambda s: [*_checks(s, definitions), s]))


def _subscript(s: Stmt) -> tuple[Atom, Atom] | None:
    """The array that a statement picks from, or stores into, and the subscript."""
    match s:
        case Op(fn=operator.getitem, args=(x, index)) | Store(obj=x, index=index):
            return x, index
    return None


def _checks(s: Stmt, definitions: Mapping[Var, Op]) -> list[Stmt]:
    found = _subscript(s)
    if found is None or not isinstance(kind_of(found[0]), K.Array):
        return []
    masks = _masks(_parts(found[1], definitions))
    return [check for mask, axis in masks for check in _same_lengths(mask, found[0], axis)]


def _parts(index: Atom, definitions: Mapping[Var, Op]) -> tuple[Atom, ...]:
    """The items of a subscript, as far as they are known."""
    made = definitions.get(index) if isinstance(index, Var) else None
    return made.args if made is not None and made.fn is prims.make_tuple else (index,)


def _masks(parts: tuple[Atom, ...]) -> Iterator[tuple[Atom, int]]:
    """The masks in a subscript, and the first axis that each picks from."""
    axis = 0
    for part in parts:
        kind = kind_of(part)
        if _is_mask(part):
            yield part, axis
            axis += kind.rank  # type: ignore[attr-defined]
        elif kind == K.SLICE or K.is_integer(kind):
            axis += 1
        else:
            return


def _is_mask(part: Atom) -> bool:
    match kind_of(part):
        case K.Array("bool", int(rank)):
            return rank > 0
    return False


def _same_lengths(mask: Atom, x: Atom, axis: int) -> list[Op]:
    """Checks of a mask along the axes of an array from one on."""
    rank = K.rank_of(kind_of(mask)) or 0
    of_mask, of_x = (Var("shape", K.Tuple((K.INT,) * (K.rank_of(kind_of(a)) or 0))) for a in (mask, x))
    stmts = [Op(of_mask, np.shape, (mask,)), Op(of_x, np.shape, (x,))]
    for k in range(rank):
        n, m = Var("", K.INT), Var("", K.INT)
        stmts += [
            Op(n, operator.getitem, (of_mask, Const(k))),
            Op(m, operator.getitem, (of_x, Const(axis + k))),
            Op(None, helpers.same_length, (n, m)),
        ]
    return stmts
