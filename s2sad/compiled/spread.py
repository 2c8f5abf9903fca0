"""Loops that add at several offsets, as loops that go forward and add at one each.

What the loops add is either computed in each of them (:mod:`s2sad.compiled.scatters`) or, where that would be much, put
into rows by the first.

Before::

    def f(x: float64[1]#1, bx: float64[1]#2, n: int):
        for i in range(n, 0, -1):
            u: float = x[i]
            b: float = np.exp(u)
            bx[i] += b
            j = i - 1
            bx[j] -= b
        return bx

After::

    def f(x, bx, n):
        stop = n + 1
        t = stop - 1
        trips = max(t, 0)
        row = np.empty(trips)
        for k in range(0, trips):
            i = k + 1
            u = x[i]
            b = np.exp(u)
            bx[i] += b
            j = i - 1
            t_1 = -b
            row[k] = t_1
        for k_1 in range(0, trips):
            i_1 = k_1 + 1
            j_1 = i_1 - 1
            t_2 = row[k_1]
            bx[j_1] += t_2
        return bx

Counters, with which a loop goes along its tapes, follow from its index.

Requires: loops that may do their iterations in any order.
Ensures: the same sums, added in another order.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from s2sad.analysis.memory import Class
from s2sad.compiled.bodies import forward_range
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Comment, Const, For, If, Op, Stmt, Store, Var
from s2sad.ir.rewrite import clone_block, free_vars, targets_of, uses_of, walk

__all__ = ["Forward", "Part", "counters_of", "in_rows", "is_simple", "sliced"]

#: Rows that a loop may fill, and steps of a loop for which they do not pay.
ROWS, FEW = 8, 8
_DOUBLE = (K.FLOAT, K.Scalar("float64"))


@dataclass(frozen=True)
class Part:
    """The body of one of the loops, by the index of the one that is split, or by the place among its iterations."""

    body: Block
    at: Var | None = None  #: the place, counted from the iteration with the least index


def is_simple(s: For) -> bool:
    """Whether a loop goes by steps of one, is never left early and has branches within only to choose numbers."""
    if s.has_exit or s.step not in (Const(1), Const(-1)):
        return False
    choices = [x for x in s.body.stmts if isinstance(x, If)]
    if not all(isinstance(x, Op | If | Comment) for c in choices for x in walk(Block((c,)))):
        return False
    return all(isinstance(x, Op | Store | Comment | If) for x in s.body.stmts)


def counters_of(s: For) -> dict[Var, Var]:
    """The integers that grow by one where the index does, by which they are in an iteration, with what it hands on."""
    made = {x.target: x for x in s.body.stmts if isinstance(x, Op)}
    step = operator.add if s.step == Const(1) else operator.sub
    found = {}
    for p, out in zip(s.params, s.body.outs, strict=False):
        match made.get(out) if isinstance(out, Var) else None:
            case Op(fn=fn, args=(a, Const(1))) if fn is step and a is p and p.kind == K.INT:
                assert isinstance(out, Var)
                found[p] = out
    return found


def sliced(stmts: Iterable[Stmt], stores: set[int]) -> list[Stmt]:
    """Some stores, and what they need, from the last to the first."""
    needed: set[Atom] = set()
    kept = []
    for s in reversed([*stmts]):
        if id(s) in stores or (isinstance(s, Op | If) and not needed.isdisjoint(targets_of(s))):
            kept.append(s)
            needed.update(free_vars(Block((s,))) if isinstance(s, If) else uses_of(s))
    return kept


@dataclass
class Forward:
    """A loop that is split."""

    loop: For
    made: Mapping[Var, Stmt]
    before: list[Stmt] = field(default_factory=list)
    rows: list[Var] = field(default_factory=list)

    def row(self) -> Var:
        """An array with an item for each iteration, that the first of the loops fills."""
        row = Var("row", K.Array("float64", 1))
        self.rows.append(row)
        return row

    def loops(self, parts: list[Part]) -> Iterable[Stmt]:
        """Loops with these bodies, from the least index to the largest, and what comes before and after."""
        s, counters = self.loop, counters_of(self.loop)
        start, stop = forward_range(s, self.made, self.before)
        if not counters and not self.rows:
            yield from self.before
            for k, part in enumerate(parts):
                yield self.first(start, stop, part.body) if k == 0 else self.another(start, stop, part.body)
            return
        trips = self.trips(start, stop)
        firsts = {p: self.first_count(p, trips) for p in counters}
        self.before += [Op(row, np.empty, (trips,)) for row in self.rows]
        yield from self.before
        for k, part in enumerate(parts):
            at = part.at or Var("k", K.INT)
            body = self.by_place(part.body, at, start, firsts)
            yield self.first(Const(0), trips, body, at) if k == 0 else self.another(Const(0), trips, body, at)
        for p, result in zip(s.params, s.results, strict=True):
            if p in counters:
                step = operator.add if s.step == Const(1) else operator.sub
                yield Op(result, step, (s.inits[s.params.index(p)], trips))

    def trips(self, start: Atom, stop: Atom) -> Var:
        """How many iterations there are."""
        length = stop
        if start != Const(0):
            length = Var("", K.INT)
            self.before.append(Op(length, operator.sub, (stop, start)))
        trips = Var("trips", K.INT)
        self.before.append(Op(trips, max, (length, Const(0))))
        return trips

    def first_count(self, p: Var, trips: Var) -> Atom:
        """The least number that a counter hands on, or, if it goes up, gets."""
        init = self.loop.inits[self.loop.params.index(p)]
        if self.loop.step == Const(1):
            return init
        first = Var(p.hint, K.INT)
        self.before.append(Op(first, operator.sub, (init, trips)))
        return first

    def by_place(self, body: Block, at: Var, start: Atom, firsts: Mapping[Var, Atom]) -> Block:
        """A body with the index, and counters, computed from the place of an iteration."""
        stmts: list[Stmt] = [Op(self.loop.index, operator.add, (at, start))]
        for p, out in counters_of(self.loop).items():
            if self.loop.step == Const(1):
                stmts += [Op(p, operator.add, (firsts[p], at)), Op(out, operator.add, (p, Const(1)))]
            else:
                stmts += [Op(out, operator.add, (firsts[p], at)), Op(p, operator.add, (out, Const(1)))]
        given = set(counters_of(self.loop).values())
        return Block((*stmts, *(s for s in body.stmts if not (isinstance(s, Op) and s.target in given))), body.outs)

    def first(self, start: Atom, stop: Atom, body: Block, index: Var | None = None) -> For:
        """The first loop, which carries the sums."""
        s, counters = self.loop, counters_of(self.loop)
        if index is None:
            return replace(s, start=start, stop=stop, step=Const(1), body=body)
        sums = [k for k, p in enumerate(s.params) if p not in counters]
        params, results = (tuple(x[k] for k in sums) for x in (s.params, s.results))
        inits, outs = (tuple(x[k] for k in sums) for x in (s.inits, s.body.outs))
        body = clone_block(Block(body.stmts, outs), {index: (own := Var(index.hint, K.INT))})
        return For(own, start, stop, Const(1), params, inits, body, results, False, s.origin, s.independent, s.reverses)

    def another(self, start: Atom, stop: Atom, body: Block, index: Var | None = None) -> For:
        """Another loop."""
        s, own = self.loop, Var((index or self.loop.index).hint, K.INT)
        body = clone_block(body, {index or s.index: own})
        return For(own, start, stop, Const(1), (), (), body, (), False, s.origin, s.independent, s.reverses)


def in_rows(
    s: For, offsets: Mapping[Class | None, list[Hashable]], places: Mapping[int, tuple[Class | None, int]], to: Forward
) -> list[Part] | None:
    """A loop that computes all, adds at one offset of each array and puts the rest into rows, and one for each other.

    ``places`` says of a store to which array it adds, and at which of its ``offsets``. None where that does not pay.
    """
    stores = {id(x): x for x in s.body.stmts if isinstance(x, Store) and id(x) in places}
    count = sum(len(found) - 1 for found in offsets.values())
    single = any(K.dtype_of(kind_of(x.obj)) != "float64" or kind_of(x.value) not in _DOUBLE for x in stores.values())
    if not 0 < count <= ROWS or single or _is_short(s):
        return None
    totals: dict[tuple[Class | None, int], tuple[Store, Atom]] = {}
    stmts: list[Stmt] = []
    for x in s.body.stmts:
        place = places.get(id(x), (None, 0))
        if place[1] == 0:
            stmts.append(x)
            continue
        add = stores[id(x)]
        total = _added(totals[place][1] if place in totals else None, add, stmts)
        totals[place] = add, total
    at = Var("k", K.INT)
    others: dict[int, list[Stmt]] = {}
    for (_, n), (add, total) in totals.items():
        row, value = to.row(), Var("", K.FLOAT)
        stmts.append(Store(row, at, total))
        later = others.setdefault(n, [])
        later += [x for x in reversed(sliced(s.body.stmts, {id(add)})) if _is_for(x, add, s.body)]
        later += [Op(value, operator.getitem, (row, at)), replace(add, value=value, aug="+")]
    return [Part(Block(tuple(stmts), s.body.outs), at), *(Part(Block(tuple(x)), at) for x in others.values())]


def _is_for(x: Stmt, add: Store, body: Block) -> bool:
    """Whether a statement computes where a store adds."""
    index = sliced(body.stmts, {id(add)})
    needed: set[Atom] = {add.index}
    for y in index[1:]:
        if not needed.isdisjoint(targets_of(y)):
            needed.update(uses_of(y))
            if y is x:
                return True
    return False


def _added(total: Atom | None, add: Store, stmts: list[Stmt]) -> Atom:
    """What is added at one place so far, and then."""
    if total is None and add.aug == "+":
        return add.value
    new = Var("", K.FLOAT)
    if total is None:
        stmts.append(Op(new, operator.neg, (add.value,), (), add.origin))
    else:
        stmts.append(Op(new, operator.add if add.aug == "+" else operator.sub, (total, add.value), (), add.origin))
    return new


def _is_short(s: For) -> bool:
    """Whether a loop is known to take few steps."""
    match s.start, s.stop:
        case Const(int(a)), Const(int(b)):
            return abs(b - a) < FEW
    return False
