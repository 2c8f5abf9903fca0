"""Whether an array may be in place of a number.

A number that only meets arrays, element by element, may as well be an array of their shape that is full of it::

    t = 0.0           # in place of it: t = np.full(np.shape(y), 0.0)
    u = h * t
    z = y + u

It may not where it is summed, asked for its shape, or kept::

    s = np.sum(t)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, For, Function, If, Op, Stmt, Var, While
from s2sad.ir.rewrite import blocks_of, uses_of, walk

__all__ = ["Spreading"]

_OPERATORS: set[Any] = {operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos}


class Spreading:
    """The uses of the variables of a function; ``use`` gives what stands for one, and has its kind."""

    def __init__(self, function: Function, use: Callable[[Atom], Atom], begun: Iterable[Var]) -> None:
        self.use = use
        self.begun = set(begun)  #: what loops carry that begin with a number and go on with an array
        self.users: dict[Atom, list[tuple[Stmt | None, Block | None]]] = {}
        for a in function.body.outs:
            self.users.setdefault(a, []).append((None, function.body))
        for s in walk(function):
            for a in uses_of(s):
                self.users.setdefault(a, []).append((s, None))
            for block in blocks_of(s):
                for a in block.outs:
                    self.users.setdefault(a, []).append((s, block))

    def partners(self, v: Var, rank: int, seen: frozenset[Var] = frozenset()) -> set[Var] | None:
        """The arrays that a number meets, of at least ``rank`` axes; None if something else is done with it."""
        found: set[Var] = set()
        for user, block in self.users.get(v, ()) if v not in seen else ():
            if block is not None:
                part = self.handed(v, user, block, rank, seen | {v})
            else:
                part = self.met(v, user, rank, seen | {v})
            if part is None:
                return None
            found |= part
        return found

    def handed(self, v: Var, user: Stmt | None, block: Block, rank: int, seen: frozenset[Var]) -> set[Var] | None:
        """The arrays that it meets where a block of a statement hands it over."""
        places = [k for k, a in enumerate(block.outs) if a == v]
        match user:
            case For() | While() if block is user.body:
                return self.all_of([x for k in places for x in (user.results[k], user.params[k])], rank, seen)
            case If():
                return self.all_of([user.results[k] for k in places], rank, seen)
        return None

    def met(self, v: Var, user: Stmt | None, rank: int, seen: frozenset[Var]) -> set[Var] | None:
        """The arrays that it meets in one use of it, and in those of what is made of it there."""
        match user:
            case Op(target=Var() as target, fn=fn, args=args, kwargs=()) if _is_elementwise(fn):
                others = [a for a in args if a != v]
                arrays = {a for a in others if isinstance(a, Var) and isinstance(self.kind(a), K.Array)}
                if any((K.rank_of(self.kind(a)) or 0) >= rank for a in arrays):
                    return arrays
                if all(isinstance(self.kind(a), K.Scalar) for a in others):
                    return self.partners(target, rank, seen)
            case For() | While() if v not in _ends(user):
                carried = [k for k, a in enumerate(user.inits) if a == v]
                left = [k for k in carried if user.params[k] not in self.begun]  # as it is, if there are no iterations
                return self.all_of([*(user.params[k] for k in carried), *(user.results[k] for k in left)], rank, seen)
        return None

    def all_of(self, variables: Iterable[Var], rank: int, seen: frozenset[Var]) -> set[Var] | None:
        """The arrays that a number meets that goes by all of these names."""
        parts = [self.partners(v, rank, seen) for v in variables]
        return None if None in parts else set().union(*parts)  # type: ignore[arg-type]

    def kind(self, a: Atom) -> K.Kind:
        """The kind of what stands for an atom."""
        return kind_of(self.use(a))


def _ends(loop: For | While) -> tuple[Atom, ...]:
    """What a loop over a range goes by."""
    return (loop.start, loop.stop, loop.step) if isinstance(loop, For) else ()


def _is_elementwise(fn: Any) -> bool:
    """Whether an operation is one on elements, each by itself."""
    return fn in _OPERATORS or (isinstance(fn, np.ufunc) and fn.signature is None and fn.nout == 1)
