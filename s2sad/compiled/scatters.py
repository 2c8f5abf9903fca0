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

from s2sad.analysis.effects import is_pure, writes_of
from s2sad.analysis.memory import Class, Memory
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Comment, Const, For, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import clone_block, definitions, map_stmts, uses_of, walk, with_body

__all__ = ["scatters_split"]

#: How many loops may be made of one, and how many operations may be done more than once in each.
LOOPS, REPEATED = 5, 8
UNKNOWN = -(1 << 62)  #: less than any index
_SUBSCRIPTS = {operator.getitem, prims.make_tuple}
_CHEAP = {operator.add, operator.sub, operator.mul, operator.neg, *_SUBSCRIPTS}


def scatters_split(function: Function) -> Function:
    """Split the innermost loops that only add."""
    if not any(isinstance(s, For) and _is_plain(s) for s in walk(function)):
        return function
    memory, made = Memory(function), definitions(function)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, For) or not _is_plain(s):
            return s
        found = _Body(s.index, _first(s), memory)
        if not all(map(found.takes, s.body.stmts)) or not found.commutes():
            return s
        return [*_forward(s, parts, made)] if len(parts := found.parts(s.body)) > 1 else s

    return with_body(function, map_stmts(function.body, change))


def _is_plain(s: For) -> bool:
    """Whether a loop goes by steps of one, carries nothing and has no loops or branches within."""
    if s.params or s.has_exit or s.step not in (Const(1), Const(-1)):
        return False
    return all(isinstance(inner, Op | Store | Comment) for inner in s.body.stmts)


def _first(s: For) -> int:
    """The least index of a loop, as far as it is known."""
    match s.start, s.stop, s.step:
        case Const(int(n)), _, Const(1):
            return n
        case _, Const(int(n)), Const(-1):
            return n + 1
    return UNKNOWN


@dataclass
class _Body:
    """What the body of a loop does."""

    index: Var
    first: int  #: the least that the index is
    memory: Memory
    made: dict[Atom, Op] = field(default_factory=dict)
    values: dict[Atom, Hashable] = field(default_factory=dict)  #: equal for what is computed alike
    numbers: dict[Hashable, str] = field(default_factory=dict)  #: short names for such values
    speeds: dict[Atom, int | None] = field(default_factory=dict)
    loads: dict[Class | None, set[Hashable]] = field(default_factory=dict)
    cleared: dict[Class | None, Hashable] = field(default_factory=dict)  #: arrays whose items become zero, and where
    offsets: dict[Class | None, list[Hashable]] = field(default_factory=dict)  #: where is added to each array
    loops: dict[int, int] = field(default_factory=dict)  #: in which of the loops a store goes; -1 is the last

    def takes(self, s: Stmt) -> bool:
        """Note a statement; whether it is of those that may be done in another order."""
        match s:
            case Op(target=Var() as target) if self.is_number(s, target):
                self.made[target] = s
                how = (s.fn, *(self.values.get(a, a) for a in s.args))
                self.values[target] = self.numbers.setdefault(how, f"value {len(self.numbers)}")
                self.speeds[target] = self.moves(s)
                return s.fn is not operator.getitem or self.load(s)
            case Store():
                return self.store(s)
        return isinstance(s, Comment)

    def is_number(self, s: Op, target: Var) -> bool:
        """Whether an operation gives a number, or an index, and does nothing else."""
        if isinstance(s.fn, Function) or s.kwargs or not is_pure(s.fn) or writes_of(s):
            return False
        if s.fn is prims.make_tuple:
            return all(kind_of(a) == K.INT for a in s.args)
        of_numbers = s.fn is operator.getitem or all(isinstance(kind_of(a), K.Scalar) for a in s.args)
        return of_numbers and isinstance(target.kind, K.Scalar)

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
        if not isinstance(kind_of(s.value), K.Scalar) or not self.goes_along(s.index, kind.rank):
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

    def place(self, obj: Atom, index: Atom) -> Hashable:
        """An item of an array, equal for indices that are computed alike."""
        return obj, self.values.get(index, index)

    def goes_along(self, index: Atom, rank: int | None) -> bool:
        """Whether each iteration takes the next item along the last of so many axes."""
        maker = self.made.get(index)
        parts = maker.args if maker is not None and maker.fn is prims.make_tuple else (index,)
        speeds = [self.speed(a) for a in parts]
        return len(parts) == rank and speeds.pop() == 1 and not any(speed != 0 for speed in speeds)

    def speed(self, a: Atom) -> int | None:
        """By how much an integer grows from one iteration to the next, if that is 0 or 1 for certain."""
        return 1 if a is self.index else self.speeds.get(a, 0)

    def moves(self, op: Op) -> int | None:
        """The same of what an operation gives."""
        match op.fn, [self.speed(x) for x in op.args]:
            case (operator.add, [0, n] | [n, 0]) | (operator.sub, [n, 0]):
                return n
            case (operator.mul | operator.neg, speeds) if set(speeds) == {0}:
                return 0
        return None

    def least(self, index: Atom) -> int:
        """The least place along the last axis, for what is known; negative ones are from the end, and meet others."""
        if index is self.index:
            return self.first
        match self.made.get(index):
            case Op(fn=prims.make_tuple, args=args):
                return self.least(args[-1])
            case Op(fn=operator.add, args=(a, Const(int(n)))):
                return self.least(a) + n
            case Op(fn=operator.sub, args=(a, Const(int(n)))):
                return self.least(a) - n
        return UNKNOWN

    def commutes(self) -> bool:
        """Whether iterations may be done in any order: nothing is read that another has stored."""
        for c, place in self.cleared.items():
            if c in self.offsets or self.loads.get(c, set()) - {place}:
                return False
        return bool(self.offsets) and not any(c in self.loads or c is None for c in self.offsets)

    def parts(self, body: Block) -> list[Block]:
        """The bodies of the loops: the first has the comments, the last stores zeros."""
        count = max(map(len, self.offsets.values()))
        if count > LOOPS:
            return [body]
        kept = [_slice(body.stmts, {k for k, m in self.loops.items() if m % count == n}) for n in range(count)]
        often = Counter(id(s) for part in kept for s in part)
        again = [s for s in body.stmts if often[id(s)] > 1 and isinstance(s, Op)]
        if not all(map(_is_cheap, again)) or sum(s.fn not in _SUBSCRIPTS for s in again) > REPEATED:
            return [body]
        comments = [s for s in body.stmts if isinstance(s, Comment)]
        ids = [{id(s) for s in part} for part in ([*kept[0], *comments], *kept[1:])]
        return [Block(tuple(s for s in body.stmts if id(s) in part)) for part in ids]


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
    start, stop = s.start, s.stop
    if s.step == Const(-1):
        first: list[Stmt] = []
        start, stop = (_one_more(end, hint, made, first) for end, hint in ((s.stop, "start"), (s.start, "stop")))
        yield from first
    for k, part in enumerate(parts):
        index = s.index if k == 0 else Var(s.index.hint, K.INT)
        body = part if k == 0 else clone_block(part, {s.index: index})
        yield replace(s, index=index, start=start, stop=stop, step=Const(1), body=body)


def _one_more(a: Atom, hint: str, made: Mapping[Var, Stmt], stmts: list[Stmt]) -> Atom:
    """An integer plus one, put together in as few operations as may be."""
    match a if isinstance(a, Const) else made.get(a):  # type: ignore[arg-type]
        case Const(int(n)):
            return Const(n + 1)
        case Op(fn=operator.sub, args=(b, Const(1))):
            return b
        case Op(fn=operator.sub, args=(b, Const(int(n)))) if n > 1:
            op = Op(Var(hint, K.INT), operator.sub, (b, Const(n - 1)))
        case _:
            op = Op(Var(hint, K.INT), operator.add, (a, Const(1)))
    stmts.append(op)
    assert op.target is not None
    return op.target
