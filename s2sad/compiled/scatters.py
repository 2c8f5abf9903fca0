"""Loops that only add to arrays, split so that each of them adds at one offset.

Before::

    def f(x: float64[1]#1, bx: float64[1]#2, n: int):
        for i in range(n, -1, -1):
            u: float = x[i]
            b = 2.0 * u
            bx[i] -= b
            j = i + 1
            bx[j] += b
        return bx

After::

    def f(x, bx, n):
        stop = n + 1
        for i in range(0, stop):
            u = x[i]
            b = 2.0 * u
            bx[i] -= b
        for i_1 in range(0, stop):
            u_1 = x[i_1]
            b_1 = 2.0 * u_1
            j = i_1 + 1
            bx[j] += b_1
        return bx

A loop that adds to neighbours waits for what it has just stored; one that adds at one offset becomes vector code, if it
goes forward. What several of the loops need is computed in each: numbers that are loaded, sums and products.

Requires: loops that take items one by one (:func:`s2sad.loops.lower_to_loops`).
Ensures: the same sums, added in another order: at one offset after the other, and along the array.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from s2sad.analysis.memory import Class, Memory
from s2sad.compiled.bodies import Body, first_index, forward_range, is_plain
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Comment, Const, For, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import clone_block, definitions, map_stmts, uses_of, walk, with_body
from s2sad.runtime.helpers import plus

__all__ = ["scatters_split"]

#: How many loops may be made of one, and how many operations may be done more than once in each.
LOOPS, REPEATED = 5, 8
_SUBSCRIPTS = {operator.getitem, prims.make_tuple}
_CHEAP = {operator.add, operator.sub, operator.mul, operator.neg, *_SUBSCRIPTS}


def scatters_split(function: Function) -> Function:
    """Split the innermost loops that only add."""
    if not any(isinstance(s, For) and _only_sums(s) for s in walk(function)):
        return function
    memory, made = Memory(function), definitions(function)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, For) or not _only_sums(s):
            return s
        found = _Body(s.index, first_index(s), memory, backwards=s.step == Const(-1))
        if not all(map(found.takes, s.body.stmts)) or not found.commutes():
            return s
        parts = found.parts(s.body)
        return s if parts[0] is s.body else [*_forward(s, parts, made)]

    return with_body(function, map_stmts(function.body, change))


def _only_sums(s: For) -> bool:
    """Whether a loop has nothing within, and carries nothing but sums in any order."""
    sums = {op.target: op.args[0] for op in s.body.stmts if isinstance(op, Op) and op.fn is plus}
    return is_plain(s) and all(sums.get(out) is p for p, out in zip(s.params, s.body.outs, strict=True))  # type: ignore[arg-type]


@dataclass
class _Body(Body):
    """What the body of a loop does, if it only adds."""

    backwards: bool = False
    loads: dict[Class | None, set[Hashable]] = field(default_factory=dict)
    cleared: dict[Class | None, Hashable] = field(default_factory=dict)  #: arrays whose items become zero, and where
    offsets: dict[Class | None, list[Hashable]] = field(default_factory=dict)  #: where is added to each array
    loops: dict[int, int] = field(default_factory=dict)  #: where a store, or a sum, goes; -1 is the last loop

    def takes(self, s: Stmt) -> bool:
        """Note a statement; whether it is of those that may be done in another order."""
        match s:
            case Op() if self.number(s):
                if s.fn is plus:
                    self.loops[id(s)] = 0
                return s.fn is not operator.getitem or self.load(s)
            case Store():
                return self.store(s)
        return isinstance(s, Comment)

    def load(self, s: Op) -> bool:
        """An item that is taken, of an array that has not been cleared in this iteration."""
        if not isinstance(kind_of(s.args[0]), K.Array):
            return False
        c = self.memory.of(s.args[0])
        self.loads.setdefault(c, set()).add(self.place(s.args[0], s.args[1]))
        return c not in self.cleared

    def store(self, s: Store) -> bool:
        """A sum, or a zero that is stored."""
        kind = kind_of(s.obj)
        if not isinstance(kind, K.Array) or kind.dtype not in ("float64", "float32"):
            return False
        if not isinstance(kind_of(s.value), K.Scalar) or self.along(s.index, kind.rank) != 1:
            return False
        c, place = self.memory.of(s.obj), self.place(s.obj, s.index)
        if s.aug is None and isinstance(s.value, Const) and c not in self.cleared and self.least(s.index) >= 0:
            self.cleared[c] = place
            self.loops[id(s)] = -1
            return True
        offsets = self.offsets.setdefault(c, [])
        if place not in offsets:
            offsets.append(place)
        self.loops[id(s)] = offsets.index(place)
        return s.aug in ("+", "-")

    def commutes(self) -> bool:
        """Whether iterations may be done in any order: nothing is read that another has stored."""
        for c, place in self.cleared.items():
            if c in self.offsets or self.loads.get(c, set()) - {place}:
                return False
        return bool(self.offsets) and not any(c in self.loads or c is None for c in self.offsets)

    def parts(self, body: Block) -> list[Block]:
        """The bodies of the loops: the first has the comments and what is carried, the last stores zeros."""
        count = max(map(len, self.offsets.values()))
        if count > LOOPS or (count == 1 and not self.backwards):
            return [body]
        kept = [_slice(body.stmts, {k for k, m in self.loops.items() if m % count == n}) for n in range(count)]
        often = Counter(id(s) for part in kept for s in part)
        again = [s for s in body.stmts if often[id(s)] > 1 and isinstance(s, Op)]
        if not all(map(_is_cheap, again)) or sum(s.fn not in _SUBSCRIPTS for s in again) > REPEATED:
            return [body]
        comments = [s for s in body.stmts if isinstance(s, Comment)]
        ids = [{id(s) for s in part} for part in ([*kept[0], *comments], *kept[1:])]
        first, *others = [tuple(s for s in body.stmts if id(s) in part) for part in ids]
        return [Block(first, body.outs), *map(Block, others)]


def _slice(stmts: Iterable[Stmt], stores: set[int]) -> list[Stmt]:
    """Some stores, and the operations that they need."""
    needed: set[Atom] = set()
    kept = []
    for s in reversed([*stmts]):
        if id(s) in stores or (isinstance(s, Op) and s.target in needed):
            kept.append(s)
            needed.update(uses_of(s))
    return kept


def _is_cheap(op: Op) -> bool:
    """Whether an operation may be done again."""
    return op.fn in _CHEAP or (op.fn is operator.pow and op.args[1] in (Const(2), Const(3)))


def _forward(s: For, parts: list[Block], made: Mapping[Var, Stmt]) -> Iterable[Stmt]:
    """Loops with these bodies, from the first item to the last."""
    first: list[Stmt] = []
    start, stop = forward_range(s, made, first)
    yield from first
    for k, part in enumerate(parts):
        loop = replace(s, start=start, stop=stop, step=Const(1), body=part)
        if k:
            index = Var(s.index.hint, K.INT)
            body = clone_block(part, {s.index: index})
            loop = replace(loop, index=index, params=(), inits=(), body=body, results=())
        yield loop
