"""Slices that branches hand out, which are made again behind them.

Before::

    def f(u: float64[1], n: int, c: bool):
        if c:
            m = n + 1
            r: slice = make_slice(m, None, 2)
            t: (slice, int) = (r, n)
            give r, t
        else:
            give None, None
        -> p: slice, q: (slice, int)
        v: float64[1] = u[p]
        return v

After::

    def f(u, n, c):
        if c:
            m = n + 1
            r = make_slice(m, None, 2)
            t = (r, n)
            give m
        else:
            give None
        -> m_1
        p = make_slice(m_1, None, 2)
        r_1 = make_slice(m_1, None, 2)
        q = (r_1, n)
        v = u[p]
        return v

Numba neither gives a variable the type of a slice where only some paths define it, nor returns slices to Python, which
would hand them to a pullback. Where a path defines none, nothing reads it.

Requires: three-address form.
Ensures: the same values.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from s2sad.compiled.expand import kind_of
from s2sad.compiled.nothing import may_be_none
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Const, Function, If, Op, Stmt, Var
from s2sad.ir.rewrite import all_vars, map_stmts, resolve, substitute, walk, with_body

__all__ = ["has_slices", "indices_made_again"]

_NOTHING = (Const(None), UNDEF)


def has_slices(kind: K.Kind) -> bool:
    """Whether a value of this kind is a slice or an ellipsis, or a tuple with one."""
    return kind in (K.SLICE, K.Other(type(...))) or (isinstance(kind, K.Tuple) and any(map(has_slices, kind.items)))


def indices_made_again(function: Function) -> Function:
    """Hand out the parts of slices."""
    if not any(has_slices(r.kind) for s in walk(function) if isinstance(s, If) for r in s.results):
        return function
    asked = may_be_none(function)
    same: dict[Var, Atom] = {}
    body = map_stmts(function.body, lambda s: _apart(s, asked, same) if isinstance(s, If) else s)
    return with_body(function, substitute(body, resolve(same)))


@dataclass(frozen=True)
class _Made:
    """A slice or a tuple with slices, by what it is made of."""

    fn: Any
    parts: tuple[Any, ...]  #: atoms, and what is made itself
    kind: K.Kind


def _apart(s: If, asked: Collection[Var], same: dict[Var, Atom]) -> If | list[Stmt]:
    """A branch that hands out the parts, and what makes its results of them; ``same`` gets those known before it."""
    sides = [_Side(b) for b in (s.then, s.orelse)]
    handed = _Handed([side.inner for side in sides])
    again: list[Stmt] = []
    for k, r in enumerate(s.results):
        outs = [b.outs[k] for b in (s.then, s.orelse)]
        trees = [UNDEF if a in _NOTHING else side.tree(a) for side, a in zip(sides, outs, strict=True)]
        more = handed.copy()
        made: list[Stmt] = []
        found = more.joined(trees, made, r) if has_slices(r.kind) and r not in asked else None
        if not isinstance(found, Var):
            handed.hand_out(r, outs)
            continue
        handed = more
        again += made
        if found is not r:
            same[r] = found
    if len(handed.results) == len(s.results) and not again:
        return s
    then, orelse = (Block(b.stmts, tuple(outs)) for b, outs in zip((s.then, s.orelse), handed.outs, strict=True))
    return [replace(s, then=then, orelse=orelse, results=tuple(handed.results)), *again]


class _Side:
    """One block of a branch."""

    def __init__(self, block: Block) -> None:
        self.made = {s.target: s for s in block.stmts if isinstance(s, Op) and s.target is not None}
        self.inner = set(all_vars(block))

    def tree(self, a: Atom) -> Any:
        """What a value is made of, as far as that is done here."""
        op = self.made.get(a) if isinstance(a, Var) and has_slices(a.kind) else None
        if op is None or op.fn not in (prims.make_slice, prims.make_tuple) or op.kwargs:
            return a
        return _Made(op.fn, tuple(map(self.tree, op.args)), kind_of(a))


class _Handed:
    """What a branch hands out."""

    def __init__(self, inner: Sequence[set[Var]]) -> None:
        self.inner = inner
        self.outs: tuple[list[Atom], ...] = tuple([] for _ in inner)
        self.results: list[Var] = []
        self.known: dict[tuple[Atom, ...], Var] = {}

    def copy(self) -> _Handed:
        """The same, to be added to."""
        other = _Handed(self.inner)
        other.outs = tuple(map(list, self.outs))
        other.results, other.known = [*self.results], {**self.known}
        return other

    def hand_out(self, result: Var, outs: Sequence[Atom]) -> None:
        """A result that is as it was."""
        self.results.append(result)
        for mine, a in zip(self.outs, outs, strict=True):
            mine.append(a)

    def joined(self, trees: Sequence[Any], again: list[Stmt], target: Var | None = None) -> Atom | None:
        """What is known as these on the ways it may come by, outside; None if it cannot be."""
        there = [t for t in trees if t != UNDEF]
        made = [t for t in there if isinstance(t, _Made)]
        if not made:
            return self.leaf(trees, there)
        first = made[0]
        if len(made) < len(there) or any(m.fn is not first.fn or len(m.parts) != len(first.parts) for m in made):
            return None
        ways = [t.parts if isinstance(t, _Made) else (UNDEF,) * len(first.parts) for t in trees]
        parts = [self.joined(part, again) for part in zip(*ways, strict=True)]
        known = tuple(p for p in parts if p is not None)
        if len(known) < len(parts):
            return None
        result = target or Var("r", first.kind)
        again.append(Op(result, first.fn, known))
        return result

    def leaf(self, trees: Sequence[Atom], there: Sequence[Atom]) -> Atom | None:
        """A part that is no slice."""
        if not there:
            return UNDEF
        outside = all(not isinstance(a, Var) or all(a not in inner for inner in self.inner) for a in there)
        if outside and all(a == there[0] for a in there):
            return there[0]
        kinds = {kind_of(a) for a in there}
        if len(kinds) > 1 or not all(isinstance(k, K.Scalar | K.Array) for k in kinds):
            return None
        key = tuple(trees)
        if key not in self.known:
            self.known[key] = Var(getattr(there[0], "hint", ""), kinds.pop())
            self.hand_out(self.known[key], [Const(None) if a == UNDEF else a for a in trees])
        return self.known[key]
