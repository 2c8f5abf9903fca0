"""Products of two vectors as sums: a call of BLAS takes as long as a hundred elements of a loop."""

from __future__ import annotations

import operator

from s2sad.ir.kinds import INT, Scalar
from s2sad.ir.nodes import Const, Op, Var
from s2sad.loops.arrays import NotLowered
from s2sad.loops.common import array, dtype_of, result_of
from s2sad.loops.elements import Elements
from s2sad.loops.model import Get, Loop, Set
from s2sad.loops.state import State

__all__ = ["inner"]


def inner(state: State, op: Op) -> None:
    """``x @ y`` of two vectors in double precision."""
    if len(op.args) != 2 or op.kwargs or not all(map(array, op.args)):
        raise NotLowered
    target = result_of(op)
    if not isinstance(target.kind, Scalar) or {dtype_of(a) for a in op.args} != {"float64"}:
        raise NotLowered
    x, y = (state.describe(a) for a in op.args)
    if len(x.dims) != 1 or len(y.dims) != 1 or not state.agree(x.dims[0], y.dims[0]):
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
