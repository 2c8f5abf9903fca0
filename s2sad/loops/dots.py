"""Products as sums: a call of BLAS takes as long as a hundred elements of a loop."""

from __future__ import annotations

import operator

import numpy as np

from s2sad.ir.kinds import INT, Scalar
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.loops.arrays import Fill, NotLowered, View, drop_axis, newaxis, permuted, pointed
from s2sad.loops.common import array, dtype_of, result_of
from s2sad.loops.elements import Elements
from s2sad.loops.index import Lin
from s2sad.loops.model import Dim, Get, Loop, Set
from s2sad.loops.parts import is_part, with_vector
from s2sad.loops.state import State

__all__ = ["product"]

#: Items in the axis that is summed over, and in one of the others, up to which a product of matrices is written out.
#: On 3 by 3 matrices that takes a fifth of the time of BLAS, on 1,000 by 3 by 3 two thirds, on 1,000 by 3 by 40 three
#: times as much.
_FEW = 4


def product(state: State, op: Op) -> None:
    """``x @ y``, or ``np.inner(x, y)``, in double precision: of vectors, a part of a matrix, or few terms."""
    if len(op.args) != 2 or op.kwargs or not all(map(array, op.args)):
        raise NotLowered
    if {dtype_of(a) for a in op.args} != {"float64"}:
        raise NotLowered
    x, y = (state.describe(a) for a in op.args)
    if op.fn is np.inner and len(y.dims) == 2:
        y = permuted(y, (1, 0))
    match len(x.dims), len(y.dims):
        case 1, 1:
            inner(state, op, x, y)
        case 2, 1 if isinstance(x, View) and is_part(state, x):
            with_vector(state, op, x, y, 1)
        case 1, 2 if isinstance(y, View) and is_part(state, y):
            with_vector(state, op, y, x, 0)
        case (1 | 2), (1 | 2):
            of_matrices(state, op, x, y)
        case _:
            raise NotLowered


def of_matrices(state: State, op: Op, x: View | Fill, y: View | Fill) -> None:
    """Each element as a sum that is written out."""
    if not array(result_of(op)):
        raise NotLowered
    dims = (*x.dims[:-1], *y.dims[1:])
    number = min(map(_number, (x.dims[-1], y.dims[0])))
    if number > _FEW or (len(dims) == 2 and min(map(_number, dims)) > _FEW) or not state.agree(x.dims[-1], y.dims[0]):
        raise NotLowered
    columns = [at_place(x, len(x.dims) - 1, k) for k in range(number)]
    rows = [at_place(y, 0, k) for k in range(number)]
    if len(x.dims) == len(y.dims) == 2:
        columns = [newaxis(c, 1) for c in columns]

    def value(idx: list[Var], e: Elements) -> Atom:
        terms = []
        for column, row in zip(columns, rows, strict=True):
            a, b = (state.element(found, dims, idx, e) for found in (column, row))
            terms.append(e.compute(operator.mul, a, b, dtype="float64"))
        total = terms[0]
        for term in terms[1:]:
            total = e.compute(operator.add, total, term, dtype="float64")
        return total

    state.result(result_of(op), dims, value)


def _number(dim: Dim) -> int:
    """The length of an axis, if it is known and not zero; else many."""
    return dim.key if isinstance(dim.key, int) and dim.key > 0 else _FEW + 1


def at_place(found: View | Fill, axis: int, k: int) -> View | Fill:
    """What an array has at one place of an axis."""
    return drop_axis(pointed(found, axis, Lin(None, k)) if isinstance(found, View) else found, axis)


def inner(state: State, op: Op, x: View | Fill, y: View | Fill) -> None:
    """The sum of products of two vectors."""
    target = result_of(op)
    if not isinstance(target.kind, Scalar) or not state.agree(x.dims[0], y.dims[0]):
        raise NotLowered
    cell, index = Var(target.hint or "total", Scalar("float64")), Var("i", INT)
    e = Elements()
    items = [state.element(found, x.dims, [index], e) for found in (x, y)]
    product = e.compute(operator.mul, *items, dtype="float64")
    total, out = Var("", Scalar("float64")), Var("", Scalar("float64"))
    e.items.append(Get(total, cell))
    e.items.append(Set(cell, e.compute(operator.add, total, product, dtype="float64")))
    state.add(Set(cell, Const(0.0)), Loop(x.dims[0], index, tuple(e.items)))
    state.point(target, [Get(out, cell)], out)
