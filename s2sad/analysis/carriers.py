"""Numbers that come back out of what has no derivative: of text, of slices, of the keys of dicts.

``float(f"{x}")`` is ``x`` again, and its derivative is lost on the way. To make text of an active number is no fault,
to print it or name a case by it; nor is a number made of other text. So text is followed as numbers are, and what makes
a number of it that the result depends on is refused.

Requires: a primal and its activity.
Ensures: nothing that the result depends on is made of text or a slice that depends on an independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from s2sad.analysis.activity import Activity, carries_derivative
from s2sad.analysis.effects import BLIND, TRANSPARENT
from s2sad.errors import NotDifferentiable
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import all_vars, walk

__all__ = ["refuse_carriers"]

_CARRIERS = (str, bytes, slice)
#: What runs over arrays in an order, and by views, that are known at run time only.
_ITERATORS = (np.nditer, np.nested_iters, np.broadcast)


class Carried(Activity):
    """What depends on independents, text and slices included."""

    def carries(self, kind: K.Kind) -> bool:
        """Whether numbers may be in it, written down or as they are."""
        return carries_derivative(kind) or holds_carriers(kind)

    def sources(self, op: Op) -> list[Atom]:
        """The arguments of an operation that what it gives is made of."""
        made = op.target is not None and op.fn not in TRANSPARENT and holds_carriers(op.target.kind)
        return [*op.args, *(a for _, a in op.kwargs)] if made else super().sources(op)


def holds_carriers(kind: K.Kind) -> bool:
    """Whether it is text or a slice, or holds such.

    >>> holds_carriers(K.List(K.STR)), holds_carriers(K.SLICE), holds_carriers(K.FLOAT)
    (True, True, False)
    """
    match kind:
        case K.Other(type() as t):
            return issubclass(t, _CARRIERS)
        case K.List(item) | K.Dict(item):
            return holds_carriers(item)
        case K.Tuple(items):
            return any(map(holds_carriers, items))
    return False


def refuse_carriers(function: Function, activity: Activity, independents: Iterable[Var]) -> None:
    """Raise :class:`~s2sad.errors.NotDifferentiable` where a number is made of what carried an active one."""
    refuse_iterators(function, activity)
    guilty = next(_keys_used(function, activity), None)
    if guilty is None and any(holds_carriers(v.kind) for v in all_vars(function)):
        numbers = (v for v in independents if carries_derivative(v.kind))  # text beside them in an argument was given
        carried = Carried(function, numbers, activity.memory)
        guilty = next(_numbers_made(function, activity, carried), None)
    if guilty is not None:
        raise NotDifferentiable(
            "a number is taken out of text, a slice or the keys of a dict, through which derivatives do not pass.",
            help="Compute with the number that was put there.",
            origin=guilty.origin,
        )


def refuse_iterators(function: Function, activity: Activity) -> None:
    """Raise :class:`~s2sad.errors.NotDifferentiable` where an iterator of NumPy's runs over an active array."""
    for s in walk(function):
        if not isinstance(s, Op) or s.fn not in _ITERATORS:
            continue
        if any(map(activity.is_varied, (*s.args, *(a for _, a in s.kwargs)))):
            raise NotDifferentiable(
                f"`np.{s.fn.__name__}` is not handled of arrays that are differentiated by, or depend on these.",
                help="Loop over `range(len(x))`, `np.ndindex(x.shape)`, `np.ndenumerate(x)` or `x.ravel()`.",
                origin=s.origin,
            )


def _numbers_made(function: Function, activity: Activity, carried: Carried) -> Iterator[Op]:
    """The operations that make numbers which matter of text or slices that depend on independents."""
    tuples = {s.target: s for s in walk(function) if isinstance(s, Op) and s.fn is prims.make_tuple}

    def is_lost(a: Atom) -> bool:
        """Whether a value depends on an independent in a way that derivatives do not follow."""
        if not isinstance(a, Var) or not holds_carriers(a.kind) or not carried.is_varied(a) or activity.is_varied(a):
            return False
        return a not in tuples or any(map(is_lost, tuples[a].args))  # what is beside a slice is followed as ever

    for s in walk(function):
        if not isinstance(s, Op) or s.fn in BLIND or (s.fn in TRANSPARENT and s.fn is not prims.getattr_):
            continue
        if activity.is_useful(s.target) and any(map(is_lost, carried.sources(s))):
            yield s


class Keyed(Activity):
    """What the keys of dicts go into that depend on independents: numbers, and keys of other dicts."""

    def __init__(self, function: Function, activity: Activity) -> None:
        self.keyed = {activity.memory.of(d) for d in _keyed_by(activity, function)}
        super().__init__(function, (), activity.memory)

    def carries(self, kind: K.Kind) -> bool:
        """Whether keys may be in it."""
        match kind:
            case K.List(item) | K.Dict(item):
                return self.carries(item)
            case K.Tuple(items):
                return any(map(self.carries, items))
        return kind == K.KEY or carries_derivative(kind)

    def sources(self, op: Op) -> list[Atom]:
        """The arguments that what an operation gives depends on; keys are listed where there are such."""
        return list(op.args[:1]) if self.lists_keys(op) else super().sources(op)

    def lists_keys(self, op: Op) -> bool:
        """Whether an operation gives the keys of a dict that depend on independents."""
        return op.fn is prims.dict_items and self.memory.of(op.args[0]) in self.keyed

    def forward_stmt(self, s: Stmt) -> None:
        """Follow a statement; one that gives a dict such a key makes it one of those."""
        super().forward_stmt(s)
        if isinstance(s, Op) and self.lists_keys(s):
            self.mark(self.varied, s.target)
        found = {self.memory.of(d) for d in _keyed_here(self, s)} - self.keyed
        if found:
            self.keyed |= found
            self.changed = True


def _keys_used(function: Function, activity: Activity) -> Iterator[Op]:
    """The operations that list the keys of dicts, where these are active and the result depends on them."""
    if next(_keyed_by(activity, function), None) is None:
        return
    keyed = Keyed(function, activity)
    yield from (s for s in walk(function) if isinstance(s, Op) and keyed.lists_keys(s) and keyed.is_useful(s.target))


def _keyed_by(activity: Activity, function: Function) -> Iterator[Atom]:
    """The dicts of which a key depends on independents."""
    return (d for s in walk(function) for d in _keyed_here(activity, s))


def _keyed_here(activity: Activity, s: Stmt) -> Iterator[Atom]:
    match s:
        case Op(fn=prims.make_dict, args=args, target=Var() as d) if any(map(activity.is_varied, args[::2])):
            yield d
        case Store(obj=Var(kind=K.Dict()) as d, index=key) if activity.is_varied(key):
            yield d
