"""Lists to which a loop adds arrays of one shape, as arrays with a row for each.

Before::

    def f(y: float64[1]#1, n: int):
        ys: list[float64[1]] = [y]
        for i in range(0, n):
            u: float64[1] = ys[-1]
            v: float64[1] = u * 0.5
            list_append(ys, v)
        m = len(ys)
        z: float64[2] = np.array(ys)
        s = np.sum(z)
        return s

After::

    def f(y, n):
        shape = np.shape(y)
        t = shape[0]
        t_1 = max(n, 0)
        t_2 = t_1 + 1
        t_3 = (t_2, t)
        ys = np.empty(t_3)
        same_axes(ys, y)
        t_4 = np.copy(y)
        ys[0] = t_4
        for i in range(0, n):
            k = i + 1
            k_1 = k + -1
            u = ys[k_1]
            v = u * 0.5
            same_axes(ys, v)
            ys[k] = v
        m = len(ys)
        z = np.copy(ys)
        s = np.sum(z)
        return s

The states of a simulation are often kept so. A list holds references, and the adjoint of it one array for each, all of
them made one by one; a row is stored and loaded like any part of an array, and is its own tape.

The list is made and filled in one block, by a loop that appends one array in each iteration, and nothing else is done
with it than taking items, counting them and making an array of all. While it grows, it is only asked for items that are
known to be there. What is put into it is not stored into from then on, nor is what is taken out.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; ``ValueError`` (that lengths differ) where an array has another shape than the first, or
an array is to be made of none.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.analysis.effects import ASKS_IDENTITY
from s2sad.analysis.memory import Memory
from s2sad.analysis.sharing import makes_fresh
from s2sad.compiled.extents import Extents, Recorded
from s2sad.compiled.filled import Filled
from s2sad.compiled.tapes import block_replaced, in_sight
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Function, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import all_blocks, map_stmts, use_counts, uses_of, walk, with_blocks, with_body
from s2sad.optimise.assume import take_equal
from s2sad.optimise.foresee import foresee_lengths
from s2sad.runtime import helpers

__all__ = ["histories_as_arrays"]

_JOINING: set[Any] = {np.array, np.asarray, np.stack}  #: what makes an array of all that is in a list


def histories_as_arrays(function: Function) -> Function:
    """Let arrays take the place of such lists."""
    if not any(_is_history(s) for s in walk(function)) or any(isinstance(s, Closure) for s in walk(function)):
        return function
    function, given_up = _without_unread(function), set[Var]()
    while (found := _next(function, given_up)) is not None:
        given_up.add(found.made.target)  # type: ignore[arg-type]
        function = _Rewriter(function, found).run()
    return function


def _is_history(s: Stmt) -> bool:
    """Whether a statement makes a list of arrays of floats."""
    match s:
        case Op(fn=prims.make_list, target=Var(kind=K.List(K.Array("float64", int(rank))))):
            return rank > 0
    return False


def _without_unread(function: Function) -> Function:
    """The function without what loops carry from one iteration to the next, and nobody reads.

    The name of a list that is made in a loop is carried so.
    """
    counts = use_counts(function)

    def change(s: Stmt) -> Stmt:
        if not isinstance(s, For | While):
            return s
        kept = [
            k
            for k, (p, r) in enumerate(zip(s.params, s.results, strict=True))
            if counts.get(p) or counts.get(r) or not isinstance(p.kind, K.List)
        ]
        if len(kept) == len(s.params):
            return s
        params, results = (tuple(x[k] for k in kept) for x in (s.params, s.results))
        outs = (*(s.body.outs[k] for k in kept), *s.body.outs[len(s.params) :])
        inits, body = tuple(s.inits[k] for k in kept), Block(s.body.stmts, outs)
        return replace(s, params=params, inits=inits, results=results, body=body)

    return with_body(function, map_stmts(function.body, change))


@dataclass(frozen=True)
class _History:
    """A list of arrays, and all that is done with it."""

    block: Block
    made: Op
    loop: For
    append: Op
    uses: tuple[Op, ...]  #: the other operations with it

    @property
    def first(self) -> int:
        """How many arrays are in it when it is made."""
        return len(self.made.args)

    @property
    def rank(self) -> int:
        """How many axes an array in it has."""
        return self.made.target.kind.item.rank  # type: ignore[union-attr,no-any-return]


def _next(function: Function, given_up: set[Var]) -> _History | None:
    """A list that can be an array."""
    memory, counts = Memory(function), use_counts(function)
    if memory.opaque or any(isinstance(s, Op) and s.fn in ASKS_IDENTITY for s in walk(function)):
        return None
    filled = Filled.of(function, memory)
    for block in all_blocks(function):
        for place, made in enumerate(block.stmts):
            if isinstance(made, Op) and _is_history(made) and made.target not in given_up:
                found = _used(function, block, place, counts.get(made.target, 0))  # type: ignore[arg-type]
                if found is not None and _stay_as_they_are(found, memory, filled):
                    return found
    return None


def _used(function: Function, block: Block, place: int, count: int) -> _History | None:
    """The list that is made at a place of a block, if there is no more to it than is known."""
    made = block.stmts[place]
    assert isinstance(made, Op)
    xs, kind = made.target, made.target.kind.item  # type: ignore[union-attr]
    uses = [s for s in walk(function) if isinstance(s, Op) and xs in s.args]
    appends = [s for s in uses if s.fn is prims.list_append]
    if len(uses) != count or len(appends) != 1 or any(s.kwargs for s in uses) or appends[0].args[0] is not xs:
        return None
    loops = [s for s in block.stmts[place:] if isinstance(s, For) and appends[0] in s.body.stmts]
    values = [*made.args, appends[0].args[1]]
    if len(loops) != 1 or not all(isinstance(a, Var) and _is_same(a.kind, kind) for a in values):
        return None
    loop = loops[0]
    before = block.stmts[place + 1 : block.stmts.index(loop)]
    if loop.has_exit or loop.step != Const(1) or any(xs in uses_of(s) for b in before for s in _all(b)):
        return None
    history = _History(block, made, loop, appends[0], tuple(s for s in uses if s is not appends[0]))
    inside = {id(s): after for s, after in _inside(history)}
    definitions = definitions_of(function)
    if not all(_is_known(s, history, inside.get(id(s)), definitions) for s in history.uses):
        return None
    return history


def _is_same(kind: K.Kind, other: K.Kind) -> bool:
    """Whether two kinds are of arrays with the same dtype and rank."""
    match kind, other:
        case K.Array(dtype, rank), K.Array(other_dtype, other_rank):
            return (dtype, rank) == (other_dtype, other_rank)
    return False


def _all(s: Stmt) -> Iterator[Stmt]:
    """A statement and those in it."""
    return walk(Block((s,)))


def _inside(history: _History) -> Iterator[tuple[Op, bool]]:
    """The operations with a list in the loop that fills it, and whether they come after the append."""
    stmts = history.loop.body.stmts
    at = stmts.index(history.append)
    for k, s in enumerate(stmts):
        for inner in _all(s):
            if any(inner is use for use in history.uses):
                yield inner, k > at  # type: ignore[misc]


def _is_known(s: Op, history: _History, after: bool | None, definitions: dict[Var, Op]) -> bool:
    """Whether an operation with a list can be done with an array; ``after``: the append, None outside of the loop."""
    xs = history.made.target
    match s:
        case Op(fn=builtin, args=(a,)) if builtin is len and a is xs:
            return True
        case Op(fn=operator.getitem, args=(a, index), target=Var(kind=kind)) if a is xs and index is not xs:
            whole = isinstance(index, Const | Var) and _is_integer(index)
            if not whole or not _is_same(kind, xs.kind.item):  # type: ignore[attr-defined]
                return False
            return after is None or _place(index, history, after, definitions) is not None
        case Op(fn=fn, args=(a,), target=Var(kind=K.Array("float64", rank))) if a is xs and fn in _JOINING:
            return after is None and rank == history.rank + 1
    return False


def _is_integer(a: Atom) -> bool:
    if isinstance(a, Const):
        return type(a.value) is int
    return a.kind in (K.INT, K.Scalar("int64"))


def _place(index: Atom, history: _History, after: bool, definitions: dict[Var, Op]) -> tuple[bool, int] | None:
    """Where an item is while the list grows: at an index as it is, or at a distance from the place of the append.

    The second with how far away. None where the item may not be there.
    """
    loop, there = history.loop, history.first + after  #: how many items there are at least
    if isinstance(index, Const):
        if index.value >= 0:
            return (True, 0) if index.value < there else None
        return (False, index.value + int(after)) if -index.value <= there else None
    made = definitions.get(index) if isinstance(index, Var) else None
    match made:
        case Op(fn=operator.add, args=(a, Const(int(c)))) if a is loop.index:
            pass
        case Op(fn=operator.sub, args=(a, Const(int(c)))) if a is loop.index:
            c = -c
        case _ if index is loop.index:
            c = 0
        case _:
            return None
    known = isinstance(loop.start, Const) and 0 <= loop.start.value + c < there
    return (True, 0) if known else None


def _stay_as_they_are(history: _History, memory: Memory, filled: Filled) -> bool:
    """Whether nothing stores into what is put into a list, or taken out of it."""
    taken = [s.target for s in history.uses if s.fn is operator.getitem]
    for a in (*history.made.args, history.append.args[1], *taken):
        c = memory.of(a)  # type: ignore[arg-type]
        if c is not None and c in memory.written and c not in filled.classes:
            return False
    return True


class _Rewriter:
    """Makes an array of a list."""

    def __init__(self, function: Function, history: _History) -> None:
        self.function, self.history = function, history
        self.definitions = definitions_of(function)
        xs = history.made.target
        assert xs is not None
        self.rows = Var(xs.hint, K.Array("float64", history.rank + 1))

    def run(self) -> Function:
        """The function with the array; as it was where the shape of what is put into the list is not known before."""
        history, function = self.history, self.function
        place = history.block.stmts.index(history.loop)
        recorded = Recorded(foresee_lengths(take_equal(function)), [history.append], tried=True)
        extents = Extents(in_sight(function, history.block, place), self.definitions, recorded)
        if history.first:
            sizes = tuple(extents.axis(history.made.args[0], k) for k in range(history.rank))  # type: ignore[arg-type]
        else:
            found = recorded.lengths.get(id(history.append))
            sizes = extents.sizes(found) if found is not None and len(found) == history.rank else None  # type: ignore[assignment]
        if not sizes or None in sizes:
            return function
        loop, made = self.loop(), self.made(extents, sizes)  # type: ignore[arg-type]
        stmts: list[Stmt] = []
        for s in history.block.stmts:
            if s is history.loop:
                stmts += [*made, loop]
            elif s is not history.made:
                stmts.append(s)
        block = Block(tuple(stmts), history.block.outs)
        body = block_replaced(function.body, history.block, block)
        return with_body(function, map_stmts(body, self.outside))

    def made(self, extents: Extents, sizes: tuple[Atom, ...]) -> list[Stmt]:
        """What makes the array, with the first rows."""
        loop, first = self.history.loop, self.history.first
        far = loop.stop if loop.start == Const(0) else extents.emit(operator.sub, loop.stop, loop.start)
        trips = extents.emit(max, far, Const(0))
        out = extents.stmts
        if not first and any(s.fn in _JOINING for s in self.history.uses):
            out.append(Op(None, helpers.at_least, (trips, Const(1)), (), self.history.made.origin))
        shape = Var("", K.Tuple((K.INT,) * (self.history.rank + 1)))
        total = extents.emit(operator.add, trips, Const(first)) if first else trips
        out.append(Op(shape, prims.make_tuple, (total, *sizes)))
        out.append(Op(self.rows, np.empty, (shape,), (), self.history.made.origin))
        for k, a in enumerate(self.history.made.args):
            out += self.put(Const(k), a, self.history.made)
        return out

    def put(self, place: Atom, a: Atom, op: Op) -> list[Stmt]:
        """Store a row; of a copy, where the array may be another row by then."""
        check = Op(None, helpers.same_axes, (self.rows, a), (), op.origin)
        maker = self.definitions.get(a) if isinstance(a, Var) else None
        if maker is not None and makes_fresh(maker.fn):
            return [check, Store(self.rows, place, a, None, op.origin)]
        copy = Var("", a.kind)  # type: ignore[union-attr]
        return [check, Op(copy, np.copy, (a,), (), op.origin), Store(self.rows, place, copy, None, op.origin)]

    def loop(self) -> For:
        """The loop that fills the array."""
        history, begin = self.history, list[Stmt]()
        place = self.sum(begin, history.loop.index, history.first)
        if history.loop.start != Const(0):
            begin.append(Op(new := Var("k", K.INT), operator.sub, (place, history.loop.start)))
            place = new
        inside = {id(s): after for s, after in _inside(history)}

        def change(s: Stmt) -> Stmt | list[Stmt]:
            if s is history.append:
                return self.put(place, s.args[1], history.append)
            if not isinstance(s, Op) or id(s) not in inside:
                return s
            out: list[Stmt] = []
            if s.fn is len:
                out.append(Op(s.target, operator.add, (place, Const(int(inside[id(s)]))), (), s.origin))
                return out
            found = _place(s.args[1], history, inside[id(s)], self.definitions)
            assert found is not None, "a place that is known before is known again"
            index = s.args[1] if found[0] else self.sum(out, place, found[1])
            return [*out, Op(s.target, operator.getitem, (self.rows, index), (), s.origin)]

        body = map_stmts(history.loop.body, change)
        return with_blocks(history.loop, (Block((*begin, *body.stmts), body.outs),))  # type: ignore[return-value]

    def sum(self, out: list[Stmt], a: Atom, b: int) -> Atom:
        """An integer and a constant one, added here."""
        if b == 0:
            return a
        out.append(Op(target := Var("k", K.INT), operator.add, (a, Const(b))))
        return target

    def outside(self, s: Stmt) -> Stmt:
        """An operation with the list, behind the loop."""
        xs = self.history.made.target
        if not isinstance(s, Op) or xs not in s.args:
            return s
        if s.fn in _JOINING:
            return Op(s.target, np.copy, (self.rows,), (), s.origin)
        return Op(s.target, s.fn, tuple(self.rows if a is xs else a for a in s.args), s.kwargs, s.origin)
