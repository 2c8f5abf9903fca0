"""Overlapping stores: what NumPy puts down where it overwrites a source before it has read it.

For most overlapping assignments NumPy copies the source first. Two it does item by item, in the
order of memory: ``A[4] = A[:, 1]``, a vector from one that runs in the same direction with another
stride, and ``A[mask] = A[0]``, a vector by a mask. Items of the source that the store overwrites
before it reads them are read as overwritten. That is what the function computes, so it is what is
differentiated: the order in which the items come is found at run time.

Before and after::

    v = A[t]                      v = A[t]
    A[4] = v                      order = copy_order(A, 4, v)
                                  w = v[order]
                                  A[4] = w

Requires: a function, and what may share memory in it.
Ensures: no store, of those asked for, has a source that NumPy may overwrite before it is read. Two vectors of
the same stride stay as they are, and two of which it is known that they share no memory.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.analysis.memory import Memory
from s2sad.analysis.sharing import makes_fresh, shared_operands
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, For, Function, If, Op, Stmt, Store, Var, While, With
from s2sad.ir.rewrite import definitions, map_stmts, walk, with_body
from s2sad.runtime import helpers
from s2sad.transform.operations import item_kind

__all__ = ["settle_overlaps"]


def settle_overlaps(function: Function, memory: Memory, asked: Callable[[Var], bool] = lambda v: True) -> Function:
    """Spell out the order of the stores that may overwrite their source; see above. Of stores into those ``asked``."""
    suspects = [s for s in walk(function) if isinstance(s, Store) and _may_overlap(s, memory, asked)]
    if not suspects:
        return function
    strides = _Strides(function)
    found = {id(s) for s in suspects if not strides.agree(s)}

    def change(s: Stmt) -> Stmt | list[Stmt]:
        return _in_order(s) if isinstance(s, Store) and id(s) in found else s

    return with_body(function, map_stmts(function.body, change)) if found else function


def _may_overlap(s: Store, memory: Memory, asked: Callable[[Var], bool]) -> bool:
    """Whether a store copies a vector, item by item, between what may be one array."""
    if s.aug is not None or not isinstance(s.obj, Var) or not isinstance(s.value, Var):
        return False
    if not all(isinstance(a.kind, K.Array | K.Numeric) for a in (s.obj, s.value)) or K.rank_of(s.value.kind) == 0:
        return False
    return (
        memory.of(s.obj) == memory.of(s.value)
        and asked(s.obj)
        and K.rank_of(item_kind(s.obj.kind, s.index)) in (1, None)
        and not _gathers(s.index)
    )


def _gathers(index: Atom) -> bool:
    """Whether a subscript is by integer arrays, for which NumPy copies the source first."""
    kind = kind_of(index)
    parts = kind.items if isinstance(kind, K.Tuple) else (kind,)
    lists = [k for k in parts if isinstance(k, K.Array | K.List)]
    return bool(lists) and (len(parts) > 1 or K.dtype_of(lists[0]).startswith("int"))


def _in_order(s: Store) -> list[Stmt]:
    """The store of what its source holds by the time each item is read."""
    assert isinstance(s.value, Var)
    order = Var("order", K.Array("int64", 1))
    items = Var("", K.Array(K.dtype_of(s.value.kind), 1))
    pick = operator.getitem if K.rank_of(s.value.kind) == 1 else np.take
    return [
        Op(order, helpers.copy_order, (s.obj, s.index, s.value), (), s.origin),
        Op(items, pick, (s.value, order), (), s.origin),
        Store(s.obj, s.index, items, None, s.origin),
    ]


class _Strides:
    """How arrays lie in memory, as far as the text tells: along which axes of which array, in what steps."""

    def __init__(self, function: Function) -> None:
        self.definitions = definitions(function)
        self.partial: set[Var] = set()  # references that are not known to be to a whole array
        statements = list(walk(function))
        while any(self.joins(s) for s in statements):
            pass

    def joins(self, s: Stmt) -> bool:
        """Note the results of a branch or loop that may be views; whether there was something new."""
        pairs: list[tuple[Var, Atom]] = []
        match s:
            case If(then=then, orelse=orelse, results=results):
                pairs = [*zip(results, then.outs, strict=True), *zip(results, orelse.outs, strict=True)]
            case For() | While():
                outs = s.body.outs[: len(s.params)]
                pairs = [*zip(s.params, s.inits, strict=True), *zip(s.params, outs, strict=True)]
                pairs += zip(s.results, s.params, strict=True)
                pairs += zip(s.results, outs, strict=True)
            case With(body=body, results=results):
                pairs = list(zip(results, body.outs, strict=True))
        new = {v for v, a in pairs if isinstance(a, Var) and not self.is_whole(a)} - self.partial
        self.partial |= new
        return bool(new)

    def is_whole(self, v: Var) -> bool:
        """Whether a reference is to an array that is no view of another."""
        maker = self.definitions.get(v)
        return v not in self.partial and (not isinstance(maker, Op) or _is_fresh(maker))

    def agree(self, s: Store) -> bool:
        """Whether the two sides of a store are vectors of the same stride, or different arrays."""
        assert isinstance(s.obj, Var) and isinstance(s.value, Var)
        root, axes = self.layout(s.obj)
        _, axes = self.picked((root, axes), s.index)
        return axes is not None and len(axes) == 1 and (root, axes) == self.layout(s.value)

    def layout(self, v: Var) -> tuple[Any, Any]:
        """The array that a reference is a view of, and the axis and step of each of its own axes; None if unknown."""
        maker = self.definitions.get(v)
        base = maker.args[0] if isinstance(maker, Op) and maker.args else None
        if isinstance(maker, Op) and isinstance(base, Var) and isinstance(base.kind, K.Array):
            if maker.fn is np.transpose and len(maker.args) == 1 and not maker.kwargs:
                root, axes = self.layout(base)
                return root, None if axes is None else axes[::-1]
            if maker.fn is operator.getitem and shared_operands(maker):
                return self.picked(self.layout(base), maker.args[1])
        rank = K.rank_of(v.kind)
        axes = None if rank is None else tuple((k, 1) for k in range(rank))
        return ("whole", rank) if self.is_whole(v) else v, axes

    def picked(self, layout: tuple[Any, Any], index: Atom) -> tuple[Any, Any]:
        """The layout of a subscript by integers and slices."""
        root, axes = layout
        parts = self.parts(index)
        if axes is None or parts is None:
            return root, None
        given = sum(p != Const(...) for p in parts)
        left, kept = list(axes), []
        for p in parts if Const(...) in parts else [*parts, Const(...)]:
            if p == Const(...):
                for _ in range(len(axes) - given):
                    kept.append(left.pop(0))
            elif isinstance(kind_of(p), K.Scalar):
                left.pop(0)
            elif (step := self.step(p)) is not None:
                axis, outer = left.pop(0)
                kept.append((axis, outer * step))
            else:
                return root, None
        return root, tuple(kept)

    def parts(self, index: Atom) -> list[Atom] | None:
        """The items of a subscript."""
        if isinstance(index, Const):
            return [Const(i) for i in index.value] if isinstance(index.value, tuple) else [index]
        if not isinstance(kind_of(index), K.Tuple):
            return [index]
        maker = self.definitions.get(index) if isinstance(index, Var) else None
        return list(maker.args) if isinstance(maker, Op) and maker.fn is prims.make_tuple else None

    def step(self, part: Atom) -> int | None:
        """The step of a slice, where that is known."""
        if isinstance(part, Const):
            step = part.value.step if isinstance(part.value, slice) else 0
            return 1 if step is None else step or None
        maker = self.definitions.get(part) if isinstance(part, Var) else None
        if not isinstance(maker, Op) or maker.fn is not prims.make_slice:
            return None
        given = maker.args[2] if len(maker.args) > 2 else Const(None)
        return None if not isinstance(given, Const) else 1 if given.value is None else given.value


def _is_fresh(maker: Op) -> bool:
    """Whether an operation gives an array of its own."""
    return makes_fresh(maker.fn) or (maker.fn in (operator.getitem, np.array) and not shared_operands(maker))
