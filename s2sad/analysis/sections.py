"""Which elements of arrays are read and stored: may a store change what was read before it?

An access takes, of each axis of an array, a range whose ends are sums of loop indices, lengths and numbers. Two
accesses touch the same element if there are iterations of the loops around them for which the ranges
meet on every axis; the one comes after the other if its iteration does, in the order of the loops around both::

    for i in range(n):
        for j in range(i):
            t = A[j, :j]       # rows above i, which no later iteration stores into
            A[i, j] -= t @ A[i, :j]

What is not of that form may be any element. Ranges and orders are inequalities between integers
(Feautrier 1991, doi:10.1007/BF01407931; :mod:`s2sad.analysis.inequalities`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.analysis.effects import WRITES
from s2sad.analysis.inequalities import Linear, added, combined, less, possible, scaled
from s2sad.analysis.memory import makes_object
from s2sad.analysis.sharing import shared_operands
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Function, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, inner_targets_of, targets_of, walk

__all__ = ["Sections"]

Ends = tuple[Linear | None, Linear | None]  #: the first and the last of a range; None where it is not known
Loops = tuple[Stmt, ...]


@dataclass(frozen=True)
class Access:
    """Elements of what a variable is bound to, by axis, and the loops around the place that they are touched at.

    ``facts`` are what is known of the numbers there, in one iteration of the loops.
    """

    base: Var
    loops: Loops
    place: int
    ends: dict[int, Ends]
    facts: list[Linear]


@dataclass(frozen=True)
class Counter:
    """An integer that a loop carries, and that each iteration changes by so much."""

    var: Var
    loop: Stmt
    init: Atom
    step: int


class Sections:
    """Where the statements of a function are, what its variables are views of, and which elements of it.

    >>> from s2sad.frontend.lower import lower
    >>> from s2sad.frontend.specs import Leaf
    >>> from s2sad.ir.rewrite import walk
    >>> def f(x):
    ...     y = np.zeros(9)
    ...     for k in range(1, 9):
    ...         y[k] = y[k - 1] * x
    ...     return y[8]
    >>> function = lower(f, (Leaf(K.FLOAT),)).function
    >>> (store,) = [s for s in walk(function) if isinstance(s, Store)]
    >>> (product,) = [s for s in walk(function) if isinstance(s, Op) and s.fn is operator.mul]
    >>> Sections(function).may_change(store, product.args[0], product)
    False
    """

    def __init__(self, function: Function) -> None:
        self.makers: dict[Var, Op] = {}
        self.around: dict[Var, Loops] = {}  #: the loops whose iterations bind a variable anew
        self.places: dict[int, tuple[int, Loops]] = {}
        self.indices: dict[Var, For] = {}
        self.counters: dict[Var, Counter] = {}
        self.function = function
        self.known: dict[Any, bool] = {}
        self.accesses: dict[Any, Access | None] = {}
        for v in function.params:
            self.around[v] = ()
        self._block(function.body, ())
        #: whether items of lists of numbers stay where they are
        self.of_fixed_lengths = not any(_moves_items(s) for s in walk(function))

    def _block(self, block: Block, loops: Loops) -> None:
        """Note the statements of a block, and of those in it."""
        for s in block.stmts:
            self.places[id(s)] = len(self.places), loops
            inner = (*loops, s) if isinstance(s, For | While | Closure) else loops
            for v in inner_targets_of(s):
                self.around[v] = inner
            for v in targets_of(s):
                self.around[v] = loops
            if isinstance(s, For):
                self.indices[s.index] = s
            if isinstance(s, Op) and s.target is not None:
                self.makers[s.target] = s
            for b in blocks_of(s):
                self._block(b, inner)
            if isinstance(s, For | While):
                self.counters.update((c.var, c) for c in self._counted_by(s))

    def _counted_by(self, s: For | While) -> Iterator[Counter]:
        """The integers that each iteration of a loop changes by the same number."""
        for v, init, new in zip(s.params, s.inits, s.body.outs, strict=False):
            op = self.makers.get(new) if isinstance(new, Var) else None
            if isinstance(init, Const) and type(init.value) is not int:
                continue  # a truth value is no index
            if v.kind == K.INT and op is not None and op.fn in (operator.add, operator.sub) and op.args[0] == v:
                by = op.args[1]
                if isinstance(by, Const) and type(by.value) is int and by.value != 0:
                    yield Counter(v, s, init, by.value if op.fn is operator.add else -by.value)

    # -- views --------------------------------------------------------------------------

    def viewed(self, v: Var) -> Var:
        """The array that a variable is a view of, or of a view of; itself if it is none.

        Each time that a view is bound, it is one of what the other was bound to last: that is bound before it, in its
        block or around it.
        """
        while (base := self._seen_through(v)) is not None:
            v = base
        return v

    def _seen_through(self, v: Var) -> Var | None:
        """The array that a variable is a view of."""
        op = self.makers.get(v)
        if op is None or not isinstance(v.kind, K.Array) or makes_object(op):
            return None
        match [a for a in shared_operands(op) if isinstance(a, Var)]:
            case [Var(kind=K.Array()) as base]:
                return base
        return None

    def is_found(self, v: Var) -> bool:
        """Whether what a variable is, or is a view of, is found outside the function."""
        op = self.makers.get(self.viewed(v))
        return op is not None and op.fn is prims.identity

    def is_made_beside(self, v: Var, at: Stmt) -> bool:
        """Whether each iteration of the loops around a statement makes the array anew that a variable is, or shows."""
        base = self.viewed(v)
        maker = self.makers.get(base)
        if maker is None or not makes_object(maker) or id(at) not in self.places:
            return False
        loops = self.places[id(at)][1]
        return loops != () and self.around[base] == loops

    def comes_before(self, s: Stmt, at: Stmt) -> bool:
        """Whether a statement is written before another."""
        return id(s) in self.places and id(at) in self.places and self.places[id(s)][0] < self.places[id(at)][0]

    # -- accesses -----------------------------------------------------------------------

    def may_change(self, store: Store, read: Var | Store, at: Stmt) -> bool:
        """Whether a store may run after a read and into what it read, in the iteration of the statement ``at``.

        What is read is an array, an item of an array or of a list of numbers, or what another store stored into.
        """
        return self._may_follow(store, store, read, at)

    def may_see(self, read: Var | Store, at: Stmt, store: Store) -> bool:
        """Whether what is read at some place, in the iteration of ``at``, may be what a store stored before."""
        return self._may_follow(read, at, store, store)

    def may_change_now(self, store: Store, read: Any, at: Stmt) -> bool:
        """Whether a store may be into what was read, or stored, before it in the same iteration of all loops."""
        first, then = self._access(read, at), self._access(store, store)
        if first is None or then is None or first.base is not then.base:
            return True
        return self._meet(then, first, _common(then, first))

    def _may_follow(self, later: Var | Store, where: Stmt, earlier: Var | Store, at: Stmt) -> bool:
        key = _key(later), id(where), _key(earlier), id(at)
        if key not in self.known:
            self.known[key] = self._may_come_after(self._access(later, where), self._access(earlier, at))
        return self.known[key]

    def _may_come_after(self, then: Access | None, first: Access | None) -> bool:
        """Whether an access may come after another and touch the same element."""
        if first is None or then is None or first.base is not then.base:
            return True
        within = len(self.around[first.base])
        if any(isinstance(s, Closure) for s in (*first.loops[within:], *then.loops[within:])):
            return True  # it may run whenever it is called, and see what was made before
        if any(_numbers_apart(then.ends[axis], first.ends[axis]) for axis in then.ends.keys() & first.ends.keys()):
            return False
        return any(self._meet(then, first, shared) for shared in self._orders(then, first))

    def _steps(self, v: Var) -> list[Any]:
        """What a variable is of, and what is done to that in turn: an index, or None for something else."""
        op = self.makers.get(v)
        if op is not None and op.fn is operator.getitem and isinstance(op.args[0], Var):
            return [*self._steps(op.args[0]), op.args[1]]
        base = self._seen_through(v)
        if op is None or base is None:
            return [v]
        return self._steps(base) if op.fn in _THE_SAME else [*self._steps(base), None]

    def _access(self, what: Var | Store, at: Stmt) -> Access | None:
        """The elements that a variable is, or that a store stores into, at some place."""
        key = _key(what), id(at)
        if key not in self.accesses:
            self.accesses[key] = self._found_access(what, at)
        return self.accesses[key]

    def _found_access(self, what: Var | Store, at: Stmt) -> Access | None:
        obj = what if isinstance(what, Var) else what.obj
        if not isinstance(obj, Var) or id(at) not in self.places:
            return None
        place, loops = self.places[id(at)]
        base, *indices = self._steps(obj)
        if not isinstance(base.kind, K.Array) and not (self.of_fixed_lengths and _is_list_of_numbers(base)):
            return None
        ends = self._ends(base, indices if isinstance(what, Var) else [*indices, what.index])
        facts = list(self._bounds(loops))
        numbers = [*facts, *(e for both in ends.values() for e in both if e is not None)]
        lengths = {v for e in numbers for v in e if isinstance(v, Var) and self._is_length(v)}
        facts += [{v: 1} for v in lengths]
        positions = {axis: _positions(both, (base, axis), facts) for axis, both in ends.items()}
        return Access(base, loops, place, positions, facts)

    def _ends(self, base: Var, indices: list[Any]) -> dict[int, Ends]:
        """The ranges that are left of the axes of something by one index after the other."""
        ends: dict[int, Ends] = {}
        axes = list(range(K.rank_of(base.kind) or 0)) if isinstance(base.kind, K.Array) else [0]
        for index in indices:
            items = self._items(index)
            if items is None or len(items) > len(axes):
                break
            left: list[int] = []
            for axis, item in zip(axes, items, strict=False):
                if not self._axis(ends, axis, item, left):
                    return ends
            axes = left + axes[len(items) :]
        return ends

    def _axis(self, ends: dict[int, Ends], axis: int, item: Atom, left: list[int]) -> bool:
        """Note what an index takes of an axis, and whether the axis is left; false where it may take several."""
        if (taken := self._slice(item)) is None:
            e = self._linear(item)
            if e is None:
                return False
            ends.setdefault(axis, (e, e))
            return True
        left.append(axis)
        if taken != (_NONE, _NONE):  # an index into what is left of the axis counts from elsewhere: the first one stays
            first, stop = (self._linear(Const(0) if a == _NONE else a) for a in taken)
            last = None if taken[1] == _NONE or stop is None else added(stop, {None: -1})
            ends.setdefault(axis, (first, last))
        return True

    def _items(self, index: Any) -> list[Atom] | None:
        """An index by axis."""
        if isinstance(index, Var) and isinstance(index.kind, K.Tuple):
            op = self.makers.get(index)
            return list(op.args) if op is not None and op.fn is prims.make_tuple else None
        if isinstance(index, Const) and isinstance(index.value, tuple):
            return [Const(x) for x in index.value]
        return None if index is None else [index]

    def _slice(self, item: Atom) -> tuple[Atom, Atom] | None:
        """Where a slice starts and stops, as far as that tells; None for what is no slice."""
        op = self.makers.get(item) if isinstance(item, Var) else None
        if op is not None and op.fn is prims.make_slice:
            start, stop, step = op.args
        elif isinstance(item, Const) and isinstance(item.value, slice):
            start, stop, step = (Const(x) for x in (item.value.start, item.value.stop, item.value.step))
        else:
            return None
        forward = step == _NONE or (isinstance(step, Const) and step.value > 0)
        return (start, stop) if forward else (_UNKNOWN, _UNKNOWN)

    # -- numbers ------------------------------------------------------------------------

    def _linear(self, a: Atom) -> Linear | None:
        """An integer as a sum of symbols; None where it is none, or may be a truth value."""
        if isinstance(a, Const):
            return {None: a.value} if type(a.value) is int else None
        if not isinstance(a, Var) or a.kind != K.INT:
            return None
        op = self.makers.get(a)
        if op is None:
            return {a: 1} if a in self.indices or a in self.counters or a in self.function.params else None
        if op.fn in (operator.add, operator.sub, operator.mul, operator.neg):
            parts = [self._linear(x) for x in op.args]
            total = None if None in parts else combined(op.fn, *parts)  # type: ignore[arg-type]
            return {a: 1} if total is None and None not in parts else total
        return {a: 1} if op.fn in (len, int, operator.floordiv, operator.mod) or self._is_length(a) else None

    def _is_length(self, a: Var) -> bool:
        """Whether a number is the length of something."""
        op = self.makers.get(a)
        if op is None or op.fn is not operator.getitem:
            return op is not None and op.fn is len
        shape = self.makers.get(op.args[0]) if isinstance(op.args[0], Var) else None
        return shape is not None and (shape.fn is np.shape or (shape.fn is prims.getattr_ and shape.args[1] == _SHAPE))

    def _bounds(self, loops: Loops) -> Iterator[Linear]:
        """What is known of the indices and counters of loops in one iteration of them."""
        for s in loops:
            for c in self._counters_of(s):
                init = self._linear(c.init)
                if init is not None:
                    yield scaled(added({c.var: 1}, scaled(init, -1)), 1 if c.step > 0 else -1)
            if not isinstance(s, For) or not isinstance(s.step, Const):
                continue
            i: Linear = {s.index: 1}
            start, stop = self._linear(s.start), self._linear(s.stop)
            low, high = (start, stop) if s.step.value > 0 else (stop, start)
            if low is not None:
                yield added(i, scaled(low, -1)) if s.step.value > 0 else less(low, i)
            if high is not None:
                yield less(i, high) if s.step.value > 0 else added(high, scaled(i, -1))

    def _counters_of(self, s: Stmt) -> Iterator[Counter]:
        """What a loop counts."""
        if isinstance(s, For | While):
            yield from (self.counters[v] for v in s.params if v in self.counters)

    # -- the question -------------------------------------------------------------------

    def _orders(self, then: Access, first: Access) -> Iterator[Loops | None]:
        """The ways in which one may come after the other: the loops that are in the same iteration, None for any."""
        common = _common(then, first)
        base = self.around[first.base]
        maker = self.makers.get(first.base)
        for k in range(len(common)):
            if k >= len(base):
                yield common[:k]
            elif maker is None or not makes_object(maker):
                yield None  # another object in each iteration, or the same seen otherwise
        if then.place > first.place:
            yield common

    def _meet(self, then: Access, first: Access, shared: Loops | None) -> bool:
        """Whether the elements may be the same where only these loops are in the same iteration."""
        if shared is None:
            return True
        facts = list(self._order(shared, then, first))
        for name, access in (("then", then), ("first", first)):
            facts += [self._named(e, name, shared) for e in access.facts]
        for axis in then.ends.keys() & first.ends.keys():
            one = [None if e is None else self._named(e, "then", shared) for e in then.ends[axis]]
            other = [None if e is None else self._named(e, "first", shared) for e in first.ends[axis]]
            for (low, _), (_, high) in ((one, other), (other, one)):
                if low is not None and high is not None:
                    facts.append(added(high, scaled(low, -1)))
        return possible(facts)

    def _named(self, e: Linear, name: str, shared: Loops) -> Linear:
        """An expression in which what other iterations may bind otherwise has a name of its own."""

        def same(symbol: Any) -> bool:
            return not isinstance(symbol, Var) or all(any(s is t for t in shared) for s in self.around[symbol])

        return {symbol if symbol is None or same(symbol) else (symbol, name): k for symbol, k in e.items()}

    def _order(self, shared: Loops, then: Access, first: Access) -> Iterator[Linear]:
        """That the first loop which is not in the same iteration is in a later one, as its index and counters say."""
        common = _common(then, first)
        if len(shared) < len(common):
            s = common[len(shared)]
            steps = [(c.var, c.step) for c in self._counters_of(s)]
            if isinstance(s, For) and isinstance(s.step, Const):
                steps.append((s.index, s.step.value))
            for v, step in steps:
                late: Linear = {(v, "then"): 1}
                early: Linear = {(v, "first"): 1}
                yield less(early, late) if step > 0 else less(late, early)


def _common(then: Access, first: Access) -> Loops:
    """The loops around two accesses."""
    return tuple(a for a, b in zip(then.loops, first.loops, strict=False) if a is b)


def _key(what: Var | Store) -> Any:
    return what if isinstance(what, Var) else id(what)


def _positions(ends: Ends, axis: Any, facts: list[Linear]) -> Ends:
    """Where a range is: negative ends count from that of the axis; None where the sign is not known."""

    def position(e: Linear | None) -> Linear | None:
        if e is None:
            return None
        if not e.keys() - {None}:
            return added(e, {axis: 1}) if e.get(None, 0) < 0 else e
        return None if possible([*facts, less(e, {})]) else e

    low, high = ends
    if low is high:
        return (position(low),) * 2
    stop = None if high is None else position(added(high, {None: 1}))
    return position(low), None if stop is None else added(stop, {None: -1})


def _numbers_apart(one: Ends, other: Ends) -> bool:
    """Whether ranges with numbers for ends do not meet."""
    numbers = [[None if e is None or e.keys() - {None} else e.get(None, 0) for e in ends] for ends in (one, other)]
    (low, high), (lowest, highest) = numbers
    return (high is not None and lowest is not None and high < lowest) or (
        low is not None and highest is not None and highest < low
    )


def _is_list_of_numbers(a: Atom) -> bool:
    return isinstance(a, Var) and isinstance(a.kind, K.List) and K.is_scalar(a.kind.item)


def _moves_items(s: Stmt) -> bool:
    """Whether a statement may change the length of a list of numbers, or the order of its items."""
    if isinstance(s, Store):
        return _is_list_of_numbers(s.obj) and not (isinstance(s.index, Const) or s.index.kind == K.INT)
    return isinstance(s, Op) and s.fn in WRITES and _is_list_of_numbers(s.args[WRITES[s.fn]])


_NONE = Const(None)
_UNKNOWN = Const("")  #: an end of a slice that nothing is known of
_SHAPE = Const("shape")

#: What gives an array as it is, or a copy of it.
_THE_SAME = {prims.identity, np.asarray}
