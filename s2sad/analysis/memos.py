"""Results that a function keeps for later calls, and gives again where it is called with the same.

::

    if not np.array_equal(x, self.x):
        self.x, self.value = x.copy(), self.compute(x)
    return self.value

The derivative is that of the branch taken. After a call with the same ``x`` that is the one in which nothing depends on
``x``: it would be zero there, and right everywhere else. So what the result depends on is refused where it is picked
by whether something that depends on an independent equals what is kept of it. To count calls so is no fault.

Requires: a primal in which the places that branches store into are among their results.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from s2sad.analysis.activity import Activity
from s2sad.analysis.memory import Memory
from s2sad.errors import NotDifferentiable
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, If, Op, Ref, Stmt, Store, Var
from s2sad.ir.rewrite import walk

__all__ = ["refuse_memos"]

_EQUALITIES = frozenset(
    (
        *(operator.eq, operator.ne, operator.is_, operator.is_not, math.isclose),
        *(np.equal, np.not_equal, np.array_equal, np.array_equiv, np.allclose, np.isclose),
    )
)
#: What makes one truth of others.
_TRUTHS = frozenset(
    (
        *(operator.not_, operator.and_, operator.or_, operator.invert, any, all, bool),
        *(np.logical_not, np.logical_and, np.logical_or, np.invert, np.any, np.all),
    )
)


class Dependent(Activity):
    """What is made of independents in any way, text among it."""

    def carries(self, kind: K.Kind) -> bool:
        """Values of every kind are looked at."""
        return True

    def sources(self, op: Op) -> list[Atom]:
        """All that an operation takes."""
        return [*op.args, *(a for _, a in op.kwargs)]


def refuse_memos(function: Function, independents: Iterable[Var]) -> None:
    """Raise :class:`~s2sad.errors.NotDifferentiable` where a result kept from an earlier call may be given again."""
    made: dict[Var, Stmt] = {}
    for s in walk(function):
        made.update(dict.fromkeys((s.target,) if isinstance(s, Op) and s.target else getattr(s, "results", ()), s))
    found = [(s, other) for s in walk(function) if isinstance(s, If) for other in _compared_with_kept(s, made)]
    if not found:
        return
    memory, independents = Memory(function), tuple(independents)
    dependent = Dependent(function, independents, memory)
    guilty = [s for s, other in found if dependent.is_varied(other)]
    if not guilty:
        return
    activity = Activity(function, independents, memory)
    for s in guilty:
        if any(map(activity.is_useful, s.results)) or any(activity.is_useful(t.obj) for t in _stores(s)):
            raise NotDifferentiable(
                "a result is kept here and given again for the same arguments, where its derivative would be zero.",
                help="Differentiate what computes it, without what is kept.",
                origin=s.origin,
            )


def _compared_with_kept(s: If, made: Mapping[Var, Stmt]) -> Iterator[Atom]:
    """What a branch asks of whether it equals something outside that the branch replaces, or stores into."""
    for op in _equalities(s.cond, made):
        for kept, other in (op.args[:2], op.args[1::-1]):
            if _is_outside(kept, made) and _is_replaced(kept, s):
                yield other


def _equalities(cond: Atom, made: Mapping[Var, Stmt]) -> Iterator[Op]:
    """The comparisons that a condition is made of."""
    match made.get(cond) if isinstance(cond, Var) else None:
        case Op(fn=fn, args=args) as op if fn in _EQUALITIES and len(args) > 1:
            yield op
        case Op(fn=fn, args=args) if fn in _TRUTHS:
            for a in args:
                yield from _equalities(a, made)
        case If(results=results) as s:
            k = results.index(cond)
            for a in (s.cond, s.then.outs[k], s.orelse.outs[k]):
                yield from _equalities(a, made)


def _is_outside(a: Any, made: Mapping[Var, Stmt]) -> bool:
    """Whether it is what an object, a dict or an array holds when a call begins, outside or among the arguments."""
    if isinstance(a, Ref):
        return len(a.path) > 1
    match made.get(a) if isinstance(a, Var) else None:
        case Op(fn=prims.getattr_, args=(owner, _)):
            return owner not in made or _is_outside(owner, made)
        case Op(fn=operator.getitem, args=(owner, Const(str()))):
            return _is_outside(owner, made)
        case Op(fn=prims.identity, args=(owner, *_)):
            return isinstance(owner, Ref)
    return False


def _is_replaced(kept: Atom, s: If) -> bool:
    """Whether a branch puts something else in the place of what is kept, or stores into it."""
    ends = zip(s.then.outs, s.orelse.outs, strict=True)
    return any((a == kept) != (b == kept) for a, b in ends) or any(t.obj == kept for t in _stores(s))


def _stores(s: If) -> Iterator[Store]:
    return (t for block in (s.then, s.orelse) for t in walk(block) if isinstance(t, Store))
