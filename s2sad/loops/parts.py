"""Products of a vector and a part of a matrix: BLAS would get a copy of the part, which takes longer than the product.

Before::

    def f(a: float64[2]#1, v: float64[1]#2):
        part = a[1:, 1:]
        x = part @ v

After, an element of the part being one of ``a``::

        for i ...:
            total = 0.0
            for j ...:
                total += a[i + 1, j + 1] * v[j]
            x[i] = total

The inner loop is along the rows of the memory. Where it is the rows that are added up, as in ``v @ part``, the result
is what they are added to.
"""

from __future__ import annotations

import operator

from s2sad.ir.kinds import INT, Array, Scalar
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.loops.arrays import Fill, NotLowered, View
from s2sad.loops.common import result_of
from s2sad.loops.elements import Elements
from s2sad.loops.index import Lin
from s2sad.loops.model import Get, Item, Loop, Put, Set, Sub
from s2sad.loops.state import State

__all__ = ["is_part", "with_vector"]


def is_part(state: State, found: View | Fill) -> bool:
    """Whether a matrix lies in memory neither by rows nor by columns without gaps, and is not picked by places."""
    if isinstance(found, Fill) or any(a.gathered for a in found.axes):
        return False
    shown = [k for k, a in enumerate(found.axes) if a.dim is not None]
    if len(shown) != len(found.dims):
        return False
    first = shown[0]
    gaps = [k for k in range(first + 1, len(found.axes)) if not _is_whole_axis(state, found, k)]
    return bool(gaps) or found.axes[first].stride != 1


def _is_whole_axis(state: State, found: View, k: int) -> bool:
    """Whether a view has all of an axis of its memory."""
    a = found.axes[k]
    whole = a.dim is not None and a.start == Lin() and a.stride == 1
    return whole and state.scopes.same(found.dims[a.dim or 0], state.dim(found.base, k))


def with_vector(state: State, op: Op, matrix: View, vector: View | Fill, summed: int) -> None:
    """The product over a dimension of the matrix; what is multiplied first makes no difference."""
    target, kept = result_of(op), 1 - summed
    if not isinstance(target.kind, Array) or not state.agree(matrix.dims[summed], vector.dims[0]):
        raise NotLowered
    idx = [Var("ij"[k], INT) for k in range(2)]
    e = Elements()
    a = state.element(matrix, matrix.dims, idx, e)
    b = state.element(vector, (matrix.dims[summed],), [idx[summed]], e)
    term = e.compute(operator.mul, a, b, dtype="float64")
    along = max((k, a.dim) for k, a in enumerate(matrix.axes) if a.dim is not None)[1]
    if along == summed:
        running(state, target, matrix, idx, summed, e, term)
        return
    e.items.append(Put(target, (Sub(idx[kept]),), term, "+"))
    state.result(target, (matrix.dims[kept],), lambda idx, e: Const(0.0))
    order = (summed, kept)
    state.add(state.wrapped([matrix.dims[k] for k in order], [idx[k] for k in order], e.items))


def running(state: State, target: Var, matrix: View, idx: list[Var], summed: int, e: Elements, term: Atom) -> None:
    """Each element is a number that runs along with the inner loop."""
    kept = 1 - summed
    cell, out = Var("total", Scalar("float64")), Var("", Scalar("float64"))
    so_far = Var("", Scalar("float64"))
    e.items.append(Get(so_far, cell))
    e.items.append(Set(cell, e.compute(operator.add, so_far, term, dtype="float64")))
    inner = Loop(matrix.dims[summed], idx[summed], tuple(e.items))
    items: list[Item] = [Set(cell, Const(0.0)), inner, Get(out, cell), Put(target, (Sub(idx[kept]),), out)]
    state.fresh(target, (matrix.dims[kept],))
    state.add(state.wrapped([matrix.dims[kept]], [idx[kept]], items))
