"""Items of lists that may still be None where they are read.

::

    h = [None] * 3
    h[0] = x * x
    h[2] = x
    return h[0] + h[1]     # h[1] is None

Followed are lists that are made with None in them and then only filled, read and asked for their length, under one
name. A store fills its place; one at the index of a loop all places that the index takes.

Requires: nothing of the IR but that each value has one definition.
Ensures: of what is read out of a list that is followed, an answer that is on the safe side.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Set
from dataclasses import dataclass, field

import numpy as np

from s2sad.analysis.absent import values_that_may_be_none
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Stmt, Store, Var, While, With, kind_of
from s2sad.ir.rewrite import all_blocks, uses_of, walk

__all__ = ["followed_items", "reads_items"]

_NONE = Const(None)
_OVER_ITEMS = (sum, min, max, sorted)
_LIBRARIES = ("numpy", "math", "statistics", "scipy")
#: What takes a list for an array where the other operand is one.
_OPERATORS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.matmul)
_ANYWHERE = -1  #: where only a run tells the places
_LONG = 1000  #: places of longer lists are not told apart


def followed_items(function: Function, seeds: Set[Var] = frozenset()) -> tuple[frozenset[Var], frozenset[Var]]:
    """What is read out of the lists that are followed, and what of it out of places that may still hold None.

    What is computed with all items of a list is among that (:func:`reads_items`).
    """
    sizes = dict(_followed(function))
    if not sizes:
        return frozenset(), frozenset()
    filler = _Filler(sizes, values_that_may_be_none(function, seeds))
    filler.block(function.body, _State())
    return frozenset(filler.followed), frozenset(filler.unfilled)


def _followed(function: Function) -> Iterator[tuple[Var, Atom]]:
    """The lists that are made of numbers and None and are only filled and read, with their lengths."""
    stmts = list(walk(function))
    made = {s.target: s for s in stmts if isinstance(s, Op) and s.fn is prims.make_list and _NONE in s.args}
    lost = {a for block in all_blocks(function) if block is not function.body for a in block.outs}
    for s in stmts:
        lost |= {a for a in uses_of(s) if not _is_filled_or_read(s, a)}
    for s in stmts:
        match s:
            case Op(target=Var() as v, fn=prims.make_list, args=args) if v in made and v not in lost:
                yield v, Const(len(args))
            case Op(target=Var() as v, fn=prims.list_repeat, args=(Var() as one, n)) if one in made and v not in lost:
                if made[one].args == (_NONE,):
                    yield v, n


def _is_filled_or_read(s: Stmt, a: Atom) -> bool:
    """Whether a statement fills a place of a list, reads one or asks for the length."""
    match s:
        case Store(obj=obj, index=index, value=value):
            return a == obj and a != value and kind_of(index) != K.SLICE
        case Op(fn=operator.getitem, args=(xs, index)):
            return a == xs and kind_of(index) != K.SLICE
    return isinstance(s, Op) and (s.fn is len or reads_items(s))


def reads_items(s: Op) -> bool:
    """Whether an operation takes lists for arrays, or goes over the items of one: it computes with all of them.

    In a list of blocks of a sparse matrix, None is a block of zeros.
    """
    module = "numpy" if isinstance(s.fn, np.ufunc) else getattr(s.fn, "__module__", None) or ""
    if module.startswith("scipy.sparse"):
        return False
    if s.fn in _OVER_ITEMS or module.partition(".")[0] in _LIBRARIES:
        return s.fn is not np.shape
    return s.fn in _OPERATORS and any(isinstance(kind_of(a), K.Array) for a in s.args)


@dataclass(frozen=True)
class _State:
    """What is known at a place: of each list the places that may hold None, and lists with an index that does not."""

    holes: dict[Var, frozenset[int]] = field(default_factory=dict)
    full: frozenset[tuple[Var, Atom]] = frozenset()

    def made(self, xs: Var, holes: frozenset[int]) -> _State:
        """After a list is made, or loses track of what it holds."""
        return _State({**self.holes, xs: holes}, frozenset(pair for pair in self.full if pair[0] != xs))

    def filled(self, xs: Var, places: frozenset[int], index: Atom | None = None) -> _State:
        """After places of a list have got something."""
        pairs = self.full if index is None else self.full | {(xs, index)}
        return _State({**self.holes, xs: self.holes.get(xs, frozenset()) - places}, pairs)

    def or_(self, other: _State) -> _State:
        """Where either of two may have been so."""
        lists = self.holes.keys() | other.holes.keys()
        nothing: frozenset[int] = frozenset()
        holes = {xs: self.holes.get(xs, nothing) | other.holes.get(xs, nothing) for xs in lists}
        return _State(holes, self.full & other.full)


class _Filler:
    """Walks a function with what is known of lists."""

    def __init__(self, sizes: dict[Var, Atom], absent: frozenset[Var]) -> None:
        self.sizes = sizes
        self.absent = absent
        self.unfilled: set[Var] = set()
        self.lengths: dict[Var, Var] = {}  #: what is the length of a list
        self.offsets: dict[Var, tuple[Var, int]] = {}  #: what is the index of a loop and so many more
        self.followed: set[Var] = set()
        self.read: dict[Var, tuple[Var, Atom]] = {}  #: items, with their lists and places
        self.asked: dict[Atom, tuple[tuple[Var, Atom], bool]] = {}  #: tests of items, with what says that one is there

    def block(self, block: Block, state: _State) -> _State:
        """What is known after a block."""
        for s in block.stmts:
            state = self.stmt(s, state)
        return state

    def stmt(self, s: Stmt, state: _State) -> _State:
        """What is known after a statement."""
        match s:
            case Op(target=Var() as v, args=args) if v in self.sizes:
                places = [i for i, a in enumerate(args) if a == _NONE] if s.fn is prims.make_list else self.places(v)
                return state.made(v, frozenset(places))
            case Op():
                self.note(s, state)
            case Store(obj=Var() as xs, aug=None) if xs in self.sizes:
                return self.store(s, xs, state)
            case If(cond=cond):
                sides = [(s.then, True), (s.orelse, False)]
                then, orelse = (self.block(b, self.told(cond, truth, state)) for b, truth in sides)
                return then.or_(orelse)
            case For():
                return self.filled_by(s, self.loop(s, state))
            case While():
                return self.loop(s, state)
            case With():
                return self.block(s.body, state)
        return state

    def places(self, xs: Var) -> list[int]:
        """All places of a list."""
        match self.sizes[xs]:
            case Const(int(n)) if n <= _LONG:
                return list(range(n))
        return [_ANYWHERE]

    def place(self, xs: Var, index: Atom) -> int:
        """The place that an index means."""
        match index, self.sizes[xs]:
            case Const(int(i)), Const(int(n)):
                return i + n if i < 0 else i
        return _ANYWHERE

    def note(self, s: Op, state: _State) -> None:
        """Note what an operation reads, or tells."""
        match s:
            case Op(target=Var() as v, args=args) if reads_items(s) and (whole := self.sizes.keys() & set(args)):
                self.followed.add(v)
                if any(state.holes.get(xs) for xs in whole):
                    self.unfilled.add(v)
            case Op(target=Var() as v, fn=operator.getitem, args=(Var() as xs, index)) if xs in self.sizes:
                self.read[v] = xs, index
                self.followed.add(v)
                holes, at = state.holes.get(xs, frozenset()), self.place(xs, index)
                if (at in holes if at >= 0 and _ANYWHERE not in holes else holes) and (xs, index) not in state.full:
                    self.unfilled.add(v)
            case Op(target=Var() as v, fn=operator.is_ | operator.is_not as fn, args=(Var() as a, b)):
                if b == _NONE and a in self.read:
                    self.asked[v] = self.read[a], fn is operator.is_not
            case Op(target=Var() as v, fn=fn, args=(Var() as xs,)) if fn is len and xs in self.sizes:
                self.lengths[v] = xs
            case Op(target=Var() as v, fn=operator.add, args=(Var() as i, Const(int(n))) | (Const(int(n)), Var() as i)):
                self.offsets[v] = i, n

    def store(self, s: Store, xs: Var, state: _State) -> _State:
        """After a store."""
        at = self.place(xs, s.index)
        if s.value == _NONE or s.value in self.absent:
            places = [at] if at >= 0 else self.places(xs)
            return state.made(xs, state.holes.get(xs, frozenset()) | frozenset(places))
        return state.filled(xs, frozenset((at,)) if at >= 0 else frozenset(), s.index)

    def told(self, cond: Atom, truth: bool, state: _State) -> _State:
        """What is known where a condition is true, or false."""
        if cond not in self.asked or self.asked[cond][1] != truth:
            return state
        xs, index = self.asked[cond][0]
        return state.filled(xs, frozenset(), index)

    def loop(self, s: For | While, state: _State) -> _State:
        """What is known where a loop ends."""
        while True:
            tested = self.block(s.test, state) if isinstance(s, While) else state
            again = state.or_(self.block(s.body, tested))
            if again == state:
                return tested
            state = again

    def filled_by(self, s: For, state: _State) -> _State:
        """After a loop over a range that stores at its index in each iteration."""
        stores = [t for t in walk(s.body) if isinstance(t, Store) and t.obj in self.sizes]
        lost = {t.obj for t in stores if t.value == _NONE or t.value in self.absent}
        lost |= {t.target for t in walk(s.body) if isinstance(t, Op) and t.target is not None}
        for t in s.body.stmts:
            if isinstance(t, Store) and isinstance(t.obj, Var) and t.obj in self.sizes.keys() - lost and t.aug is None:
                state = state.filled(t.obj, self.covered(s, t, state))
        return state

    def same(self, a: Atom, b: Atom) -> bool:
        """Whether two integers are one, or both so much more than one."""
        more = [self.offsets.get(v) if isinstance(v, Var) else None for v in (a, b)]
        return a == b or (more[0] is not None and more[0] == more[1])

    def covered(self, s: For, t: Store, state: _State) -> frozenset[int]:
        """The places that a store in a loop fills."""
        xs, index = t.obj, t.index
        assert isinstance(xs, Var)
        base, more = self.offsets.get(index, (index, 0)) if isinstance(index, Var) else (index, 0)
        if base != s.index:
            return frozenset()
        size = self.sizes[xs]
        match s:
            case For(start=Const(0), stop=stop, step=Const(1)) if more == 0 and (
                self.same(stop, size) or (isinstance(stop, Var) and self.lengths.get(stop) == xs)
            ):
                return state.holes.get(xs, frozenset())
            case For(start=Const(int(a)), stop=Const(int(b)), step=Const(int(c))) if isinstance(size, Const):
                return frozenset(self.place(xs, Const(i + more)) for i in range(a, b, c)[:_LONG]) - {_ANYWHERE}
        return frozenset()
