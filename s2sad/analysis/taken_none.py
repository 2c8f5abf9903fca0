"""What is taken out of lists, dicts and tuples where it may be None.

::

    parts = []
    for k in range(n):
        parts.append(x * k if k < m else None)
    return parts[0] + parts[2]      # either may be None

Containers are told apart by what may be one object. Where a list is made of None and then only filled, the places
that are filled are followed as well (:mod:`s2sad.analysis.unfilled`).

Requires: nothing of the IR but that each value has one definition.
Ensures: an answer that is on the safe side, of what the function puts in, and of what it is passed of no known kind.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Any

from s2sad.analysis.memory import Memory
from s2sad.analysis.unfilled import followed_items, reads_items
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, For, Function, If, Op, Stmt, Store, Var, While, With, kind_of
from s2sad.ir.rewrite import walk

__all__ = ["Taken", "taken_where_none"]

_NONE = Const(None)
_TAKE = (operator.getitem, prims.list_pop, prims.getattr_)
_MAKE = (prims.make_list, prims.make_dict)
_PUT = (prims.list_append, prims.list_insert)


@dataclass(frozen=True)
class Taken:
    """What is taken out of containers and may be None; what is computed with lists that may hold it there."""

    items: frozenset[Var]
    totals: frozenset[Var]
    lists: frozenset[Atom] = frozenset()  #: what is stored into arrays, and may hold None


def taken_where_none(function: Function, seeds: Set[Var] = frozenset()) -> Taken:
    """What is taken out of containers that may hold None there; ``seeds`` are other variables that may be None."""
    stmts = list(walk(function))
    ops = {s.target: s for s in stmts if isinstance(s, Op) and s.target is not None}
    taken = {v for v, s in ops.items() if s.fn in _TAKE and not K.is_numeric(kind_of(s.args[0]))}
    wholes = {v: s.args for v, s in ops.items() if reads_items(s)}
    stored = {s.value for s in stmts if isinstance(s, Store) and K.is_numeric(kind_of(s.obj)) and _is_list(s.value)}
    if not taken and not stored and not any(_is_list(a) for args in wholes.values() for a in args):
        return Taken(frozenset(), frozenset())
    followed, unfilled = followed_items(function, seeds)
    held = _Held(function, seeds)
    while sum(map(held.note, stmts)):  # of all statements, each time
        pass
    found = {v for v in taken if v in held.values} - followed
    totals = {v for v, args in wholes.items() if any(map(held.holds_within, args))} - followed
    lists = frozenset(filter(held.holds_within, stored))
    return Taken(frozenset(found) | (unfilled & taken), frozenset(totals) | (unfilled & wholes.keys()), lists)


def _is_list(a: Atom) -> bool:
    return isinstance(kind_of(a), K.List)


class _Held:
    """Variables that may be None, and the classes of lists and dicts that may hold it."""

    def __init__(self, function: Function, seeds: Set[Var]) -> None:
        self.memory = Memory(function)
        self.values: set[Var] = set(seeds)
        self.holders: set[Any] = set()
        self.holders |= {c for p in function.params for c in self.of_any(p)}
        self.tuples: set[Any] = set()  #: tuples that hold what may be None, and what holds such

    def of_any(self, v: Var) -> Iterator[Any]:
        """The classes of what was passed and holds what may be anything: a list of numbers and None, say."""
        c, kind = self.memory.of(v), v.kind
        while c is not None and isinstance(kind, K.List | K.Dict):
            if kind.item == K.ANY:
                yield c
            c, kind = self.memory.element(c), kind.item

    def note(self, s: Stmt) -> bool:
        """Follow a statement; whether anything was news."""
        before = len(self.values), len(self.holders), len(self.tuples)
        match s:
            case If(then=then, orelse=orelse, results=results):
                for r, a, b in zip(results, then.outs, orelse.outs, strict=True):
                    self.hand_on(r, (a, b))
            case For() | While():
                for p, r, a, b in zip(s.params, s.results, s.inits, s.body.outs, strict=False):
                    self.hand_on(p, (a, b))
                    self.hand_on(r, (a, b))
            case With(body=body, results=results):
                for r, a in zip(results, body.outs, strict=True):
                    self.hand_on(r, (a,))
            case Store(obj=Var() as obj, value=value):
                self.put(obj, (value,))
            case Op():
                self.operation(s)
        return before != (len(self.values), len(self.holders), len(self.tuples))

    def may_be_none(self, a: Atom) -> bool:
        """Whether None is among what an atom may be."""
        return a == _NONE or kind_of(a) == K.NONE or a in self.values

    def holds(self, a: Atom) -> bool:
        """Whether a list or dict may hold None."""
        return not K.is_numeric(kind_of(a)) and self.memory.of(a) in self.holders

    def holds_within(self, a: Atom) -> bool:
        """Whether a list, or one in it, may hold None."""
        of = self.memory.of(a) if _is_list(a) else None
        return of is not None and not self.holders.isdisjoint(self.memory.within(of))

    def hand_on(self, v: Var, sources: Iterable[Atom]) -> None:
        """A variable gets one of these."""
        given = list(sources)
        if any(map(self.may_be_none, given)):
            self.values.add(v)
        if not self.tuples.isdisjoint(given):
            self.tuples.add(v)

    def put(self, container: Atom, items: Iterable[Atom]) -> None:
        """Items are put into a container."""
        if K.is_numeric(kind_of(container)):
            return
        put = list(items)
        if any(map(self.may_be_none, put)):
            self.holders.add(self.memory.of(container))
        if not self.tuples.isdisjoint(put):
            self.tuples.add(("in", self.memory.of(container)))

    def operation(self, s: Op) -> None:
        """An operation."""
        match s:
            case Op(target=Var() as v, fn=prims.identity):
                self.hand_on(v, s.args)
            case Op(target=Var() as v, fn=prims.make_tuple | prims.make_instance, args=items):
                if any(map(self.may_be_none, items)) or not self.tuples.isdisjoint(items):
                    self.tuples.add(v)
            case Op(target=Var() as v, fn=fn) if fn in _MAKE:
                self.put(v, s.args)
            case Op(fn=fn, args=(xs, *_, value)) if fn in _PUT:
                self.put(xs, (value,))
            case Op(fn=prims.list_extend, args=(xs, ys)):
                self.copy(xs, (ys,))
            case Op(target=Var() as v, fn=fn, args=(xs, *index)) if fn in _TAKE and not _is_slice(index):
                if self.gives_none(xs, v):
                    self.values.add(v)
                if isinstance(v.kind, K.Tuple) and self.holds_tuples(xs):
                    self.tuples.add(v)
            case Op(target=Var(kind=K.List() | K.Dict() | K.Other()) as v):
                self.copy(v, s.args)

    def copy(self, v: Atom, sources: Iterable[Atom]) -> None:
        """What containers hold comes into another."""
        given = list(sources)
        if any(map(self.holds, given)):
            self.holders.add(self.memory.of(v))
        if any(isinstance(kind_of(a), K.List | K.Dict) and self.holds_tuples(a) for a in given):
            self.tuples.add(("in", self.memory.of(v)))

    def holds_tuples(self, container: Atom) -> bool:
        """Whether a tuple that is taken out of this may hold what may be None."""
        if isinstance(kind_of(container), K.Tuple):
            return container in self.tuples
        return not K.is_numeric(kind_of(container)) and ("in", self.memory.of(container)) in self.tuples

    def gives_none(self, container: Atom, item: Var) -> bool:
        """Whether an item of a container may be None; those of tuples have kinds of their own, which tell mostly."""
        if isinstance(kind_of(container), K.Tuple):
            return container in self.tuples and not (K.is_float(item.kind) or isinstance(item.kind, K.Array))
        return self.holds(container)


def _is_slice(index: list[Atom]) -> bool:
    return bool(index) and kind_of(index[0]) == K.SLICE
