"""Reductions over any axes, fused with what makes their operand.

Where the summed axes are the last ones, a number runs along with the inner loops. Otherwise the result is
an array that the loops add to, and the innermost loop runs along an axis that is kept.
The order of a sum is that of the loops; in an innermost one it is left open (:mod:`sums`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.loops.arrays import Fill, NotLowered, View
from s2sad.loops.common import literal
from s2sad.loops.elements import LITERALS, Elements
from s2sad.loops.model import ONE, Dim, Get, Item, Load, Loop, Plain, Put, Set, Sub
from s2sad.loops.state import State
from s2sad.runtime import helpers

__all__ = ["REDUCTIONS", "Reduction", "add_up", "reduce"]


@dataclass(frozen=True)
class Reduction:
    """How one element after the other goes into a result."""

    first: Any  #: to begin with
    combine: Callable[[Elements, Atom, Atom, str], Atom]
    aug: str | None = None  #: the same as an update in place
    mean: bool = False
    nonempty: bool = False  #: an error where there is nothing to reduce

    def of_complex(self) -> Reduction:
        """The same of complex numbers, which have no order."""
        if self.aug is None:
            raise NotLowered
        return replace(self, first=complex(self.first))


def _with(fn: Any) -> Callable[[Elements, Atom, Atom, str], Atom]:
    return lambda e, acc, v, dtype: e.compute(fn, acc, v, dtype=dtype)


#: The dtypes of what is reduced, and those of the numbers that run along.
_WIDE = {
    "float64": "float64", "float": "float64", "float32": "float64", "complex128": "complex128", "complex": "complex128",
}  # fmt: skip
_SUM = Reduction(0.0, _with(operator.add), "+")
_MAX = Reduction(-math.inf, _with(np.maximum), nonempty=True)
_MIN = Reduction(math.inf, _with(np.minimum), nonempty=True)

REDUCTIONS: dict[Any, Reduction] = {
    np.sum: _SUM,
    prims.total: _SUM,
    np.mean: Reduction(0.0, _with(operator.add), "+", mean=True),
    np.prod: Reduction(1.0, _with(operator.mul), "*"),
    **dict.fromkeys((np.max, np.amax), _MAX),
    **dict.fromkeys((np.min, np.amin), _MIN),
}


def reduce(state: State, op: Op, axes_of: Callable[[Atom, int], tuple[int, ...]]) -> None:
    """A reduction as an operation says it."""
    if any(k not in ("axis", "keepdims") for k, _ in op.kwargs) or len(op.args) > 2:
        raise NotLowered
    given = dict(op.kwargs)
    found = state.describe(op.args[0])
    rank = len(found.dims)
    if not rank:
        raise NotLowered
    axis = op.args[1] if len(op.args) > 1 else given.get("axis", Const(None))
    axes = axes_of(literal(state, axis), rank)
    keep = given.get("keepdims", Const(False))
    if keep not in (Const(True), Const(False)):
        raise NotLowered
    kept = tuple(d for k, d in enumerate(found.dims) if k not in axes)
    dims = tuple(ONE if k in axes else d for k, d in enumerate(found.dims)) if keep == Const(True) else kept
    total(state, op, found, axes, dims, REDUCTIONS[op.fn])


def add_up(state: State, op: Op, found: View | Fill, axes: tuple[int, ...], dims: tuple[Dim, ...] = ()) -> None:
    """The sum over some axes, as an array with these dimensions."""
    total(state, op, found, axes, dims, _SUM)


def total(
    state: State, op: Op, found: View | Fill, axes: tuple[int, ...], dims: tuple[Dim, ...], how: Reduction
) -> None:
    """A reduction over some axes; the result has the kept ones, and perhaps ones of length one."""
    target = op.target
    assert target is not None
    kind = target.kind
    if not isinstance(kind, Array | Scalar) or kind.dtype not in _WIDE:
        raise NotLowered
    if kind.dtype.startswith("complex"):
        how = how.of_complex()
    if isinstance(kind, Scalar) and dims:
        raise NotLowered
    if isinstance(kind, Array) and (not dims or kind.rank != len(dims)):
        raise NotLowered
    rank = len(found.dims)
    kept = [k for k in range(rank) if k not in axes]
    if how.nonempty:
        for k in axes:
            state.add(Plain(Op(None, helpers.need_items, (state.scopes.count(found.dims[k]),))))
    if all(k < j for k in kept for j in axes) or isinstance(kind, Scalar):
        running(state, target, found, kept, axes, dims, how)
    else:
        accumulated(state, target, found, kept, axes, dims, how)


def running(
    state: State,
    target: Var,
    found: View | Fill,
    kept: list[int],
    axes: tuple[int, ...],
    dims: tuple[Dim, ...],
    how: Reduction,
) -> None:
    """Each result is a number that runs along with the inner loops."""
    dtype = target.kind.dtype if isinstance(target.kind, Array | Scalar) else "float64"
    wide = _WIDE[dtype]
    cell = Var(target.hint or "total", Scalar(wide))
    idx = [Var("ijklmnpq"[min(k, 7)], Scalar("int")) for k in range(len(found.dims))]
    e = Elements()
    v = state.element(found, found.dims, idx, e)
    if isinstance(v, Const):
        v = Const(LITERALS[wide](v.value))
    acc = Var("", Scalar(wide))
    e.items.append(Get(acc, cell))
    e.items.append(Set(cell, how.combine(e, acc, v, wide)))
    inner = list(e.items)
    for k in reversed(axes):
        inner = [Loop(found.dims[k], idx[k], tuple(inner))]
    after = Elements()
    out = Var("", Scalar(wide))
    after.items.append(Get(out, cell))
    result: Atom = out
    if how.mean:
        by = np.divide if wide == "complex128" else operator.truediv
        result = after.compute(by, result, count_of(state, found, axes), dtype=wide)
    if dtype == "float32":
        result = after.cast(result, dtype)
    before: Item = Set(cell, Const(how.first))
    if isinstance(target.kind, Scalar):
        state.add(before, *inner)
        state.point(target, after.items, result)
        return
    subs = placed(dims, kept, idx)
    items = [before, *inner, *after.items, Put(target, subs, result)]
    if kept:
        items = [state.wrapped([found.dims[k] for k in kept], [idx[k] for k in kept], items)]
    state.fresh(target, dims)
    state.add(*items)


def count_of(state: State, found: View | Fill, axes: tuple[int, ...]) -> Atom:
    """How many elements go into each result."""
    n: Atom = Const(1)
    for k in axes:
        n = state.scopes.op(operator.mul, n, state.scopes.count(found.dims[k]))
    return n


def placed(dims: tuple[Dim, ...], kept: list[int], idx: list[Var]) -> tuple[Sub, ...]:
    """Where in the result an element goes."""
    places = [Sub(idx[k]) for k in kept]
    if len(dims) == len(kept):
        return tuple(places)
    out = []
    rest = iter(zip(kept, places, strict=True))
    nxt = next(rest, None)
    extra = len(idx) - len(dims)
    for k in range(len(dims)):
        if nxt is not None and nxt[0] == k + extra:
            out.append(nxt[1])
            nxt = next(rest, None)
        else:
            out.append(Sub())
    return tuple(out)


def accumulated(
    state: State,
    target: Var,
    found: View | Fill,
    kept: list[int],
    axes: tuple[int, ...],
    dims: tuple[Dim, ...],
    how: Reduction,
) -> None:
    """The result is an array that each element goes into."""
    assert isinstance(target.kind, Array)
    dtype = target.kind.dtype

    def body(idx: list[Var], e: Elements) -> None:
        v = state.element(found, found.dims, idx, e)
        subs = placed(dims, kept, idx)
        if how.aug is not None:
            e.items.append(Put(target, subs, v, how.aug))
            return
        acc = Var("", Scalar(dtype))
        e.items.append(Load(acc, target, subs))
        e.items.append(Put(target, subs, how.combine(e, acc, v, dtype)))

    loops = state.nest(found.dims, body)
    first = Const(how.first)
    state.result(target, dims, lambda idx, e: first)
    state.add(loops)
    if how.mean:
        n = count_of(state, found, axes)

        def divide(idx: list[Var], e: Elements) -> None:
            e.items.append(Put(target, tuple(map(Sub, idx)), n, "/"))

        state.add(state.nest(dims, divide))
