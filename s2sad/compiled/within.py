"""Checks that subscripts are of items that there are, made before the loops that go over these.

Before::

    def f(x: float64[1], n: int):
        for i in range(0, n):
            j = i + 1
            v = x[j]

After::

    def f(x, n):
        shape = np.shape(x)
        length = shape[0]
        last = n + 0
        need_places(1, last, length)
        for i in range(0, n):
            j = i + 1
            v = x[j]

NumPy raises IndexError where an item is asked for that there is not; machine code reads, or writes, whatever is there
in memory. A subscript that is a sum of loop indices, lengths and numbers is checked for the first and for the last
iteration, once, outside of the loops over which that is all that changes in it; one of which loops and branches around
it tell that it is in range (:mod:`s2sad.analysis.inequalities`) is not checked; others are where they are used.

Requires: the three-address form of a function for Numba, before it is differentiated: derivatives use the places that
the function uses.
Ensures: the same values. IndexError is raised before anything is read or written outside of an array or a list,
and where the function raises it, or before, if the iterations before do nothing that may raise.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from s2sad.analysis.inequalities import Linear, added, less, possible, scaled
from s2sad.compiled.sums import Sums, is_integer, is_length, number_in, resized_by, symbols_of, terms_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import (
    Atom,
    Block,
    Const,
    For,
    Function,
    If,
    Op,
    Origin,
    Ref,
    Stmt,
    Store,
    Var,
    While,
    With,
    kind_of,
)
from s2sad.ir.rewrite import blocks_of, inner_targets_of, targets_of, walk, with_blocks, with_body
from s2sad.runtime import helpers

__all__ = ["AT", "check_places"]

#: What changes an array at a subscript, its second argument.
AT: set[Any] = {u.at for u in (np.add, np.subtract, np.multiply, np.maximum, np.minimum)}
AT |= {helpers.add_at, helpers.add_to_rows}
_RAISING = {prims.raise_, prims.assert_, prims.leave}
_MOST_FACTS = 24  #: of a question, beyond which the answer is taken to be no
_BOTH_WAYS = {operator.lt: (0, 1), operator.gt: (1, 0)}  #: positions of the less and the greater
_OR_EQUAL = {operator.le: (0, 1), operator.ge: (1, 0)}


def check_places(function: Function) -> Function:
    """The function with checks of its subscripts."""
    if not any(True for s in walk(function) for _ in _accesses(s)):
        return function
    return with_body(function, _Checks(function).body())


def _accesses(s: Stmt) -> Iterator[tuple[Var, Atom, int | None]]:
    """What a statement takes items of, or puts such into, with the index, and the axis where it is for one."""
    match s:
        case Op(fn=operator.getitem, args=(Var(kind=K.Array() | K.List()) as base, index)):
            yield base, index, None
        case Op(fn=f, args=(Var(kind=K.Array()) as base, index, *_)) if f in AT:
            yield base, index, None
        case Op(fn=np.take_along_axis, args=(Var(kind=K.Array(rank=int(rank))) as base, index, Const(int(axis)))):
            yield base, index, axis % rank
        case Store(obj=Var(kind=K.Array() | K.List()) as base, index=index):
            yield base, index, None


@dataclass(frozen=True)
class _Rounds:
    """Where a loop that goes up begins and stops, or the other way round."""

    low: Linear
    high: Linear

    def are_some(self) -> bool:
        """Whether there surely is an iteration."""
        return not terms_of(added(self.high, scaled(self.low, -1))) and number_in(self.low) < number_in(self.high)


@dataclass
class _Frame:
    """A block on the way to the statement in hand, with the statements that it has so far."""

    block: Block
    loop: For | None  #: of which it is the body, if it is that of a loop that places can be checked before
    out: list[Any] = field(default_factory=list)
    facts: list[Linear] = field(default_factory=list)
    made: dict[Any, _Check] = field(default_factory=dict)  #: that others may join
    asked: set[Any] = field(default_factory=set)  #: of places that arrays say


@dataclass
class _Check:
    """That places from one to another are there, all of them sums of symbols.

    Where a loop has no iterations, there are none: where one number is not less than another. ``over`` are those of
    loops over which a place changes, which come in that order; ``measures`` say what has the lengths among symbols.
    """

    base: Var
    axis: int
    first: Linear
    last: Linear
    rounds: tuple[_Rounds, ...]
    over: tuple[_Rounds, ...]
    measures: dict[Any, tuple[Var, int]]
    origin: Origin | None
    is_wider: bool = False  #: than what one subscript needs


@dataclass(frozen=True)
class _Told:
    """The number that says how long a list is, and when that was asked."""

    length: Var
    time: int


class _Checks:
    """Walks a function, and says before each subscript, or before loops around it, what has to hold."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.sums = Sums(function)
        self.homes: dict[Var, Block] = dict.fromkeys(function.params, function.body)
        self.frames: list[_Frame] = []
        self.lengths: dict[Var, _Told] = {}  #: of lists, as they are at the statement in hand
        self.made: dict[Var, int] = {}  #: when a list was
        self.times = 0

    def body(self) -> Block:
        """The body of the function, checked."""
        return self.block(self.function.body, None, ())

    # -- walking ------------------------------------------------------------------------

    def block(self, block: Block, loop: For | None, facts: Iterable[Linear]) -> Block:
        """A block; what comes before it goes into the frame around."""
        frame = _Frame(block, loop, facts=list(facts))
        self.frames.append(frame)
        for s in block.stmts:
            for v in targets_of(s):
                self.homes[v] = block
            for base, index, axis in _accesses(s):
                items = self.by_axis(base, index) if axis is None else ((axis, index),)
                self.access(base, items, s.origin)  # type: ignore[union-attr]
            frame.facts += self.unpacked(s)
            frame.out.append(self.timed(s))
            if not isinstance(s, Store) and any(_may_raise(t) for t in (s, *_within(s))):
                frame.made.clear()  # what comes later is not asked before this
        self.frames.pop()
        stmts = [t for s in frame.out for t in (self.spelled(s) if isinstance(s, _Check) else (s,))]
        return Block(tuple(stmts), block.outs)

    def timed(self, s: Stmt) -> Stmt:
        """A statement, its blocks checked, with the lengths that lists have there, and after it."""
        before = self.lengths
        resized = [a for t in (s, *_within(s)) if (a := resized_by(t)) is not None] if before else []
        after = {v: told for v, told in before.items() if not any(self.may_be(a, v, told) for a in resized)}
        self.lengths = dict(before if isinstance(s, If) else after)  # a loop comes back to what it changed
        s = self.inner(s)
        self.lengths = after
        self.times += 1
        if isinstance(s, Op) and isinstance(s.target, Var):
            match s:
                case Op(fn=f, args=(Var(kind=K.List()) as v,)) if f is len and self.sums.is_timed(v):
                    self.lengths[v] = _Told(s.target, self.times)
                case Op(fn=prims.make_list):
                    self.made[s.target] = self.times
        return s

    def may_be(self, a: Atom, v: Var, told: _Told) -> bool:
        """Whether a list may be the same as one of which it is told how long it is."""
        is_younger = isinstance(a, Var) and self.made.get(a, 0) > told.time
        return not is_younger and self.sums.memory.of(a) == self.sums.memory.of(v)

    def inner(self, s: Stmt) -> Stmt:
        """A statement, its blocks checked."""
        blocks = blocks_of(s)
        if not blocks:
            return s
        match s:
            case For():
                self.homes.update(dict.fromkeys(inner_targets_of(s), s.body))
                may_end = s.has_exit or any(_may_raise(t) for t in _within(s))
                hoists = None if may_end or not (isinstance(s.step, Const) and s.step.value) else s
                return with_blocks(s, (self.block(s.body, hoists, self.of_loop(s)),))
            case If(cond=cond):
                return with_blocks(s, tuple(self.block(b, None, self.told(cond, k == 0)) for k, b in enumerate(blocks)))
            case While() | With():
                return with_blocks(s, tuple(map(partial(self.part, s), blocks)))
        return s

    def part(self, s: While | With, block: Block) -> Block:
        """A block that may read what the statement binds."""
        self.homes.update(dict.fromkeys(inner_targets_of(s), block))
        return self.block(block, None, ())

    def of_loop(self, s: For) -> Iterator[Linear]:
        """What is known of the index of a loop."""
        if isinstance(s.step, Const) and s.step.value:
            i: Linear = {s.index: 1}
            low, high = (s.start, s.stop) if s.step.value > 0 else (s.stop, s.start)
            if s.step.value > 0:
                yield from (added(i, scaled(self.sums.linear(low), -1)), less(i, self.sums.linear(high)))
            else:
                yield from (less(self.sums.linear(low), i), added(self.sums.linear(high), scaled(i, -1)))

    def told(self, cond: Atom, holds: bool) -> Iterator[Linear]:
        """What is known where a comparison of integers holds, or does not."""
        op = self.sums.makers.get(cond) if isinstance(cond, Var) else None
        if op is None or len(op.args) != 2 or not all(is_integer(a) for a in op.args):
            return
        a, b = map(self.sums.linear, op.args)
        if op.fn is (operator.eq if holds else operator.ne):
            yield from (added(a, scaled(b, -1)), added(b, scaled(a, -1)))
        for orders, strictly in ((_BOTH_WAYS, holds), (_OR_EQUAL, not holds)):
            if op.fn in orders:
                low, high = ((a, b)[k] for k in orders[op.fn])
                low, high = (low, high) if holds else (high, low)
                yield less(low, high) if strictly else added(high, scaled(low, -1))

    def unpacked(self, s: Stmt) -> Iterator[Linear]:
        """What is known after a check of how many values are unpacked."""
        match s:
            case Op(fn=helpers.need_values | helpers.need_more_values as fn, args=(n, m)):
                more = added(self.sums.linear(n), scaled(self.sums.linear(m), -1))
                yield more
                if fn is helpers.need_values:
                    yield scaled(more, -1)

    # -- subscripts ---------------------------------------------------------------------

    def access(self, base: Var, items: Iterable[tuple[int, Atom]], origin: Origin | None) -> None:
        """Say what a subscript needs."""
        for axis, item in items:
            if isinstance(item, Const) and type(item.value) is not int:
                continue
            if not is_integer(item):
                self.all_places(base, axis, item, origin)
            elif not self.is_within(place := self.sums.linear(item), length := self.length(base, axis)):
                self.need(base, axis, place, origin)
                if self.sums.is_measured(base):
                    self.frames[-1].facts += [added(place, length), less(place, length)]

    def length(self, base: Var, axis: int) -> Linear:
        """The length of an axis, as it is at the statement in hand."""
        told = None if self.sums.is_measured(base) else self.lengths.get(base)
        return self.sums.length(base, axis) if told is None else {told.length: 1}

    def by_axis(self, base: Var, index: Atom) -> Iterator[tuple[int, Atom]]:
        """The integers of an index, and arrays and lists of them, with the axes that they are for."""
        made = self.sums.makers.get(index) if isinstance(index, Var) else None
        items: tuple[Atom, ...] = (index,)
        if isinstance(index, Const) and isinstance(index.value, tuple):
            items = tuple(map(Const, index.value))
        elif made is not None and made.fn is prims.make_tuple:
            items = made.args
        axis, rank = 0, K.rank_of(base.kind) if isinstance(base.kind, K.Array) else 1
        for position, item in enumerate(items):
            kind = kind_of(item)
            if item == Const(...):
                if rank is None:
                    return
                axis = rank - sum(_axes_of(kind_of(t)) for t in items[position + 1 :])
                continue
            if isinstance(item, Const) and isinstance(item.value, list) and set(map(type, item.value)) == {int}:
                yield from ((axis, Const(end(item.value))) for end in (min, max))
            elif is_integer(item) or (isinstance(kind, K.Array | K.List) and not _axes_by_mask(kind)):
                yield axis, item
            axis += _axes_of(kind)

    # -- what is known ------------------------------------------------------------------

    def is_within(self, place: Linear, length: Linear) -> bool:
        """Whether a place is surely one of an axis of this length."""
        return self.follows_by_cases(added(place, length)) and self.follows_by_cases(less(place, length))

    def follows_by_cases(self, e: Linear, depth: int = 0) -> bool:
        """The same as :meth:`follows`, where one of two numbers may be meant that the lesser is taken of, say."""
        if self.follows(e):
            return True
        for symbol, by in e.items():
            op = self.sums.makers.get(symbol) if isinstance(symbol, Var) else None
            if op is not None and op.fn in (min, max) and len(op.args) == 2 and not op.kwargs and depth < 3:
                rest = {s: k for s, k in e.items() if s != symbol}
                cases = (added(rest, scaled(self.sums.linear(x), by)) for x in op.args)
                both = all if (op.fn is min) == (by > 0) else any
                return both(self.follows_by_cases(c, depth + 1) for c in cases)
        return False

    def follows(self, e: Linear, depth: int | None = None) -> bool:
        """Whether an expression is surely not negative, by what the frames say up to one."""
        facts = self.facts_about(e, depth)
        return len(facts) <= _MOST_FACTS and not possible([*facts, less(e, {})])

    def facts_about(self, e: Linear, depth: int | None) -> list[Linear]:
        """What is known of the symbols of an expression, and of others beside them."""
        known = [f for frame in self.frames[:depth] for f in frame.facts]
        found: list[Linear] = []
        symbols, todo = set(), [s for s in e if s is not None]
        while todo and len(found) <= _MOST_FACTS:
            symbol = todo.pop()
            if symbol in symbols:
                continue
            symbols.add(symbol)
            about = [*(f for f in known if f.get(symbol)), *self.sums.by_nature(symbol)]
            found += [f for f in about if f not in found]
            todo += [s for f in about for s in f if s is not None and s not in symbols]
        return found

    # -- checks -------------------------------------------------------------------------

    def need(self, base: Var, axis: int, place: Linear, origin: Origin | None) -> None:
        """Check a place as far outside as all is known that it is made of."""
        first = last = place
        rounds: tuple[_Rounds, ...] = ()
        over: tuple[_Rounds, ...] = ()
        depth = len(self.frames) - 1
        while (loop := self.frames[depth].loop) is not None:
            around, more = depth - 1, self.rounds(loop)
            ends = self.ends(loop, more, first, last)
            numbers = (e for r in (more, *rounds) for e in (r.low, r.high))
            if ends is None or not all(self.seen_in(s, around) for s in symbols_of(*ends, *numbers)):
                break
            if not self.has_length(base, axis, around):
                break
            over = (more, *over) if ends != (first, last) else over
            surely = self.follows(less(more.low, more.high), depth)  # by what is known around the loop
            (first, last), rounds, depth = ends, rounds if surely else (more, *rounds), around
        length = {} if self.seen_in(base, depth) else self.sums.length(base, axis)
        numbers = (e for r in rounds for e in (r.low, r.high))
        symbols = [s for s in symbols_of(first, last, length, *numbers) if is_length(s)]
        measures = {s: of for s in symbols if isinstance(of := self.seen_in(s, depth), tuple)}
        self.put(_Check(base, axis, first, last, rounds, over, measures, origin), depth)

    def put(self, check: _Check, depth: int) -> None:
        """Put a check where a frame is, or widen one that is there."""
        frame = self.frames[depth]
        ends = (tuple(sorted(terms_of(e).items(), key=repr)) for e in (check.first, check.last))
        key = check.base, check.axis, *ends, repr(check.rounds)
        there = frame.made.get(key) if self.sums.is_measured(check.base) else None
        if there is None:
            frame.made[key] = check
            frame.out.append(check)
            return
        there.is_wider = True
        there.first = {**there.first, None: min(number_in(there.first), number_in(check.first))}
        there.last = {**there.last, None: max(number_in(there.last), number_in(check.last))}

    def rounds(self, loop: For) -> _Rounds:
        """Between what a loop goes."""
        start, stop = self.sums.linear(loop.start), self.sums.linear(loop.stop)
        return _Rounds(start, stop) if loop.step.value > 0 else _Rounds(stop, start)  # type: ignore[union-attr]

    def ends(self, loop: For, rounds: _Rounds, first: Linear, last: Linear) -> tuple[Linear, Linear] | None:
        """The least of places and the greatest, over all iterations of a loop that has one."""
        step = loop.step.value  # type: ignore[union-attr]
        if not first.get(loop.index) and not last.get(loop.index):
            return first, last
        low, high = rounds.low, added(rounds.high, {None: -1})
        if step < 0:
            low, high = added(rounds.low, {None: 1}), rounds.high
        if abs(step) != 1:
            if terms_of(low) or terms_of(high):
                return None
            places = range(number_in(self.sums.linear(loop.start)), number_in(self.sums.linear(loop.stop)), step)
            low, high = {None: min(places, default=0)}, {None: max(places, default=-1)}

        def at(e: Linear, least: bool) -> Linear:
            by = e.get(loop.index, 0)
            rest = {s: k for s, k in e.items() if s != loop.index}
            return added(rest, scaled(low if (by > 0) == least else high, by)) if by else rest

        return at(first, True), at(last, False)

    def seen_in(self, symbol: Any, depth: int) -> Any:
        """Whether a symbol is known in a frame; of a length, what is there that has it, and its axis."""
        if isinstance(symbol, Ref):
            return True
        if isinstance(symbol, Var):
            return any(self.homes.get(symbol) is frame.block for frame in self.frames[: depth + 1])
        having = self.sums.measures.get(symbol, ())
        return next(((v, axis) for v, axis in having if self.sums.is_measured(v) and self.seen_in(v, depth)), None)

    def has_length(self, base: Var, axis: int, depth: int) -> bool:
        """Whether it is known in a frame how long an axis is."""
        if not self.sums.is_measured(base):
            return False
        return self.seen_in(base, depth) or all(
            self.seen_in(s, depth) for s in symbols_of(self.sums.length(base, axis))
        )

    def all_places(self, base: Var, axis: int, index: Atom, origin: Origin | None) -> None:
        """Check places that an array or a list says, where they are used; once, if they stay as they are."""
        asked = index, repr(self.sums.length(base, axis))
        if any(asked in frame.asked for frame in self.frames):
            return
        if self.sums.memory.of(index) not in self.sums.memory.written:
            self.frames[-1].asked.add(asked)
        kind, length = kind_of(index), Var("", K.INT)
        out = self.frames[-1].out
        if isinstance(kind, K.Array) and kind.rank != 1:
            flat = Var("", K.Array(kind.dtype, 1))
            out.append(Op(flat, np.ravel, (index,), (), origin))
            index = flat
        out += self.measured(length, base, axis, origin)
        out.append(Op(None, helpers.need_all_places, (index, length), (), origin))

    # -- spelling -----------------------------------------------------------------------

    def spelled(self, check: _Check) -> list[Stmt]:
        """A check as statements."""
        stmts: list[Stmt] = []
        first, last = (self.number(e, stmts, check) for e in (check.first, check.last))
        known = self.sums.length(check.base, check.axis)
        if all(not is_length(s) or s in check.measures for s in terms_of(known)):
            n = self.number(known, stmts, check)
        else:
            length = Var("", K.INT)
            stmts += self.measured(length, check.base, check.axis, check.origin)
            n = length
        stmts.append(Op(None, helpers.need_places, (first, last, n), (), check.origin))
        sure = check.over if len(check.over) == 1 and not check.is_wider else ()  # the last would be before the first
        asked: list[_Rounds] = []
        for r in check.rounds:
            if r not in sure and r not in asked and not r.are_some():
                asked.append(r)
        for r in reversed(asked):
            before: list[Stmt] = []
            ends = tuple(self.number(e, before, check) for e in (r.low, r.high))
            runs = Op(cond := Var("", K.BOOL), operator.lt, ends, (), check.origin)
            stmts = [*before, runs, If(cond, Block(tuple(stmts), ()), Block((), ()), (), check.origin)]
        return stmts

    def number(self, e: Linear, stmts: list[Stmt], check: _Check) -> Atom:
        """A sum as a number."""
        total: Atom | None = None

        def emit(fn: Any, *args: Atom) -> Var:
            stmts.append(Op(v := Var("", K.INT), fn, args, (), check.origin))
            return v

        for symbol, by in terms_of(e).items():
            part: Any = symbol
            if is_length(symbol):
                stmts += self.measured(part := Var("", K.INT), *check.measures[symbol], check.origin)
            if abs(by) != 1:
                part = emit(operator.mul, part, Const(abs(by)))
            if total is None:
                total = part if by > 0 else emit(operator.neg, part)
            else:
                total = emit(operator.add if by > 0 else operator.sub, total, part)
        more = number_in(e)
        if total is None:
            return Const(more)
        return emit(operator.add if more > 0 else operator.sub, total, Const(abs(more))) if more else total

    def measured(self, target: Var, base: Var, axis: int, origin: Origin | None) -> list[Stmt]:
        """The length of an axis, as a number."""
        if isinstance(base.kind, K.List):
            return [Op(target, len, (base,), (), origin)]
        shape = Var("", K.Tuple((K.INT,) * (K.rank_of(base.kind) or 1)))
        return [
            Op(shape, np.shape, (base,), (), origin),
            Op(target, operator.getitem, (shape, Const(axis)), (), origin),
        ]


def _axes_of(kind: K.Kind) -> int:
    """How many axes an item of an index is for."""
    if isinstance(kind, K.Array) and kind.dtype == "bool":
        return kind.rank or 1
    return 0 if kind in (K.Other(type(None)), K.Other(type(Ellipsis))) else 1


def _axes_by_mask(kind: K.Array | K.List) -> bool:
    return kind.dtype == "bool" if isinstance(kind, K.Array) else kind.item == K.BOOL


def _may_raise(s: Stmt) -> bool:
    return isinstance(s, Op) and (s.fn in _RAISING or isinstance(s.fn, Function))


def _within(s: Stmt) -> Iterator[Stmt]:
    """The statements in the blocks of one."""
    return (inner for b in blocks_of(s) for inner in walk(b))
