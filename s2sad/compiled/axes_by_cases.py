"""Axes that only a run tells, by a branch for each that there is.

Before::

    def f(x: float64[2], axis: int):
        y: float64[1] = np.sum(x, axis=axis)
        return y

After::

    def f(x, axis):
        need_places(axis, axis, 2)
        k = axis % 2
        c = k == 0
        if c:
            first = np.sum(x, axis=0)
            give first
        else:
            second = np.sum(x, axis=1)
            give second
        -> y
        return y

Loops over elements, and the forms of what Numba lacks, are made for axes that are known. An array has few, so all
that may be meant is put down; of two axes that must differ, and of orders of axes, that which is one.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; such axes are checked. What is of more than 24 cases, or of an array of unknown rank, stays.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.frontend.builder import is_numpy
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, Function, If, Op, Stmt, Var, kind_of
from s2sad.ir.rewrite import map_stmts, with_body
from s2sad.runtime import helpers

__all__ = ["axes_by_cases"]

#: What an operand for axes is put together of.
_Axes: TypeAlias = "Atom | tuple[_Axes, ...]"

_NAMES = ("axis", "axes", "axis1", "axis2", "source", "destination")
_FORMED = {np.moveaxis, np.swapaxes, np.roll}  #: whose axes may be known at run time only
_MOST = 24  #: cases, the orders of four axes


def axes_by_cases(function: Function) -> Function:
    """Branch by the axes that operations of NumPy are given at run time only."""
    definitions = definitions_of(function)

    def change(s: Stmt) -> Stmt | Sequence[Stmt]:
        found = _by_cases(s, definitions) if isinstance(s, Op) and _may_ask(s) else None
        return s if found is None else found

    return with_body(function, map_stmts(function.body, change))


def _may_ask(op: Op) -> bool:
    return op.target is not None and not isinstance(op.fn, Function) and is_numpy(op.fn) and op.fn not in _FORMED


@dataclass(frozen=True)
class _Asked:
    """An operation, where in it axes are given, what these are put together of, and how many there are to choose."""

    op: Op
    place: int | str
    axes: _Axes
    ranks: tuple[int, ...]  # of each part at the top, where there are parts of their own; or one

    def unknown(self) -> dict[Var, int]:
        """The axes that only a run tells, each with how many there are."""
        parts = self.axes if len(self.ranks) > 1 and isinstance(self.axes, tuple) else (self.axes,)
        return {v: rank for part, rank in zip(parts, self.ranks, strict=True) for v in _leaves(part) if type(v) is Var}

    def holds(self, chosen: Mapping[Var, int]) -> bool:
        """Whether no axis is there twice, of those that belong together."""
        parts = self.axes if len(self.ranks) > 1 and isinstance(self.axes, tuple) else (self.axes,)
        for part, rank in zip(parts, self.ranks, strict=True):
            given = [chosen[v] if type(v) is Var else v.value % rank for v in _leaves(part)]  # type: ignore[union-attr]
            if len(set(given)) < len(given):
                return False
        return True

    def taken(self, chosen: Mapping[Var, int], target: Var) -> Op:
        """The operation for axes that are known."""
        axes = Const(_known(self.axes, chosen))
        if isinstance(self.place, int):
            args = (*self.op.args[: self.place], axes, *self.op.args[self.place + 1 :])
            return replace(self.op, args=args, target=target)
        kwargs = tuple((k, axes if k == self.place else a) for k, a in self.op.kwargs)
        return replace(self.op, kwargs=kwargs, target=target)


def _by_cases(op: Op, definitions: Mapping[Var, Op]) -> list[Stmt] | None:
    """The branches for an operation; None where it needs none, or cannot have them."""
    places = [(place, a) for place, a in _given(op) if not isinstance(a, Const)]
    if len(places) != 1:
        return None
    place, a = places[0]
    before: list[Stmt] = []
    axes, ranks = _spelt(op, a, definitions, before), _ranks(op)
    if axes is None or ranks is None or (len(ranks) > 1 and not (isinstance(axes, tuple) and len(axes) == len(ranks))):
        return None
    asked = _Asked(op, place, axes, ranks)
    unknown = asked.unknown()
    every = (dict(zip(unknown, case, strict=True)) for case in product(*map(range, unknown.values())))
    cases = [case for case in every if asked.holds(case)]
    if not unknown or not 0 < len(cases) <= _MOST:
        return None
    counted: dict[Var, Var] = {}
    for v, rank in unknown.items():
        counted[v] = Var("axis", K.INT)
        before.append(Op(None, helpers.need_places, (v, v, Const(rank)), (), op.origin))
        before.append(Op(counted[v], operator.mod, (v, Const(rank)), (), op.origin))
    block = _chosen(asked, list(unknown), counted, cases)
    return [*before, *block.stmts, Op(op.target, prims.identity, block.outs, (), op.origin)]


def _chosen(asked: _Asked, open_: list[Var], counted: Mapping[Var, Var], cases: list[dict[Var, int]]) -> Block:
    """A block that gives the result of the operation, for some cases that the first of the open axes tell apart."""
    op = asked.op
    target = Var(op.target.hint, K.without_shape(op.target.kind))  # type: ignore[union-attr]
    if not open_:
        return Block((asked.taken(cases[0], target),), (target,))
    v, *rest = open_
    *others, last = sorted({case[v] for case in cases})
    block = _chosen(asked, rest, counted, [c for c in cases if c[v] == last])
    block = replace(block, stmts=(*_refused_unless(op, counted[v], last, others, asked.unknown()[v]), *block.stmts))
    for k in reversed(others):
        cond, result = Var("", K.BOOL), Var(target.hint, target.kind)
        then = _chosen(asked, rest, counted, [c for c in cases if c[v] == k])
        test = Op(cond, operator.eq, (counted[v], Const(k)), (), op.origin)
        block = Block((test, If(cond, then, block, (result,), op.origin)), (result,))
    return block


def _refused_unless(op: Op, axis: Var, last: int, others: Sequence[int], rank: int) -> Iterator[Stmt]:
    """A check that an axis is the last of those that it may be, where others are left that it may not be."""
    if len(others) + 1 == rank:
        return
    cond, error = Var("", K.BOOL), Var("", K.Other(ValueError))
    yield Op(cond, operator.ne, (axis, Const(last)), (), op.origin)
    made = Op(error, ValueError, (Const("repeated axis"),), (), op.origin)
    yield If(cond, Block((made, Op(None, prims.raise_, (error,), (), op.origin)), ()), Block((), ()), (), op.origin)


def _given(op: Op) -> Iterator[tuple[int | str, Atom]]:
    """The operands for axes, each with where it is."""
    try:
        names = list(inspect.signature(op.fn).parameters)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        names = []
    yield from ((k, a) for k, (name, a) in enumerate(zip(names, op.args, strict=False)) if name in _NAMES)
    yield from ((name, a) for name, a in op.kwargs if name in _NAMES)


def _spelt(op: Op, a: Atom, definitions: Mapping[Var, Op], before: list[Stmt]) -> _Axes | None:
    """What axes are put together of; items of a list that is an order of all axes are read ``before``."""
    if isinstance(a, Const):
        return tuple(map(Const, a.value)) if isinstance(a.value, tuple) else a if type(a.value) is int else None
    if not isinstance(a, Var):
        return None
    if a.kind in (K.INT, K.Scalar("int64")):
        return a
    made = definitions.get(a)
    if made is not None and made.fn in (prims.make_tuple, prims.make_list):
        parts = [_spelt(op, item, definitions, before) for item in made.args]
        return None if None in parts else tuple(parts)  # type: ignore[arg-type]
    if a.kind == K.List(K.INT) and op.fn is np.transpose and (rank := K.rank_of(kind_of(op.args[0]))):
        return _items(op, a, rank, before)
    return None


def _items(op: Op, xs: Var, n: int, before: list[Stmt]) -> _Axes:
    """The items of a list of integers that is checked to have so many."""
    count, cond, error = Var("n", K.INT), Var("", K.BOOL), Var("", K.Other(ValueError))
    before.append(Op(count, len, (xs,), (), op.origin))
    before.append(Op(cond, operator.ne, (count, Const(n)), (), op.origin))
    made = Op(error, ValueError, (Const("axes don't match array"),), (), op.origin)
    fails = Block((made, Op(None, prims.raise_, (error,), (), op.origin)), ())
    before.append(If(cond, fails, Block((), ()), (), op.origin))
    items = [Var("axis", K.INT) for _ in range(n)]
    before += [Op(v, operator.getitem, (xs, Const(k)), (), op.origin) for k, v in enumerate(items)]
    return tuple(items)


def _ranks(op: Op) -> tuple[int, ...] | None:
    """How many axes there are to choose from: in one number, or for each of the parts of what is given."""
    ranks = [K.rank_of(k) if isinstance(k := kind_of(a), K.Array) else None for a in op.args[:2]]
    if op.fn is np.tensordot:
        return None if None in ranks or len(ranks) < 2 else tuple(r for r in ranks if r is not None)
    if op.fn in (np.concatenate, np.stack, np.expand_dims):
        kind = kind_of(op.target) if op.target is not None else None
        ranks = [K.rank_of(kind) if isinstance(kind, K.Array) else None]
    return (ranks[0],) if ranks and ranks[0] else None


def _leaves(axes: _Axes) -> Iterator[Atom]:
    if isinstance(axes, tuple):
        for part in axes:
            yield from _leaves(part)
    else:
        yield axes


def _known(axes: _Axes, chosen: Mapping[Var, int]) -> Any:
    """The axes as a constant."""
    if isinstance(axes, tuple):
        return tuple(_known(part, chosen) for part in axes)
    return chosen[axes] if type(axes) is Var else axes.value  # type: ignore[union-attr]
