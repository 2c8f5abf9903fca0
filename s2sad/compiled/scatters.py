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
goes forward. What several of the loops need is computed in each, if that is little: numbers that are loaded, sums and
products. Else one loop computes all, and puts what the others add into rows (:mod:`s2sad.compiled.spread`).

Requires: loops that take items one by one (:func:`s2sad.loops.lower_to_loops`).
Ensures: the same sums, added in another order: at one offset after the other, and along the array.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from s2sad.analysis.memory import Class, Memory
from s2sad.compiled.before import integers_before
from s2sad.compiled.bodies import Body, first_index
from s2sad.compiled.expand import kind_of
from s2sad.compiled.spread import Forward, Part, counters_of, in_rows, is_simple, sliced
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Block, Comment, Const, For, Function, If, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, definitions, inner_targets_of, targets_of, walk, with_blocks, with_body
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
    rows: set[Var] = set()

    def block(b: Block, changing: frozenset[Var] = frozenset()) -> Block:
        """A block; ``changing`` is what the loop around it defines, if there is one."""
        stmts: list[Stmt] = []
        for s in b.stmts:
            if isinstance(s, For) and _only_sums(s):
                new = loop(s, changing)
            else:
                inner = frozenset(targets_in(s)) if isinstance(s, For | While) else changing
                new = [with_blocks(s, tuple(block(x, inner) for x in blocks_of(s)))]
            stmts += new
        return b if all(map(operator.is_, stmts, b.stmts)) and len(stmts) == len(b.stmts) else Block((*stmts,), b.outs)

    def loop(s: For, changing: frozenset[Var]) -> list[Stmt]:
        """What becomes of a loop."""
        found = _Body(s.index, first_index(s), memory, backwards=s.step == Const(-1))
        found.speeds.update(dict.fromkeys(counters_of(s), 1))
        if not all(map(found.takes, s.body.stmts)) or not found.commutes():
            return [s]
        forward = Forward(s, made)
        parts: list[Part] | None = found.parts(s.body)
        if parts is None and changing.isdisjoint((s.start, s.stop)):  # rows are made before the loop around
            parts = in_rows(s, found.offsets, found.places, forward)
            rows.update(forward.rows)
        return [s] if parts is None or parts[0].body is s.body else [*forward.loops(parts)]

    body = block(function.body)
    if body is function.body:
        return function
    new = with_body(function, body)
    return integers_before(new, rows) if rows else new


def targets_in(s: For | While) -> Iterable[Var]:
    """What a loop defines."""
    yield from inner_targets_of(s)
    for inner in (x for b in blocks_of(s) for x in walk(b)):
        yield from targets_of(inner)
        yield from inner_targets_of(inner)


def _only_sums(s: For) -> bool:
    """Whether a loop has no loops within, and carries nothing but sums in any order and counters."""
    if not is_simple(s):
        return False
    sums = {op.target: op.args[0] for op in s.body.stmts if isinstance(op, Op) and op.fn is plus}
    counted = counters_of(s)
    carried = zip(s.params, s.body.outs, strict=True)
    return all(p in counted or sums.get(out) is p for p, out in carried)  # type: ignore[arg-type]


@dataclass
class _Body(Body):
    """What the body of a loop does, if it only adds."""

    backwards: bool = False
    loads: dict[Class | None, set[Hashable]] = field(default_factory=dict)
    stored: dict[Class | None, Hashable] = field(default_factory=dict)  #: arrays whose items are stored anew, and where
    offsets: dict[Class | None, list[Hashable]] = field(default_factory=dict)  #: where is added to each array
    places: dict[int, tuple[Class | None, int]] = field(default_factory=dict)  #: to which array each store adds, where
    late: set[int] = field(default_factory=set)  #: stores of the last loop
    sums: set[int] = field(default_factory=set)  #: sums, which the first loop carries

    def takes(self, s: Stmt) -> bool:
        """Note a statement; whether it is of those that may be done in another order."""
        match s:
            case Op() if self.number(s):
                if s.fn is plus:
                    self.sums.add(id(s))
                return s.fn is not operator.getitem or self.load(s)
            case If():
                return self.choice(s)
            case Store():
                return self.store(s)
        return isinstance(s, Comment)

    def choice(self, s: If) -> bool:
        """A branch that chooses between numbers."""
        self.speeds |= dict.fromkeys(s.results)
        return all(isinstance(x, Op | If | Comment) and self.takes(x) for b in blocks_of(s) for x in b.stmts)

    def load(self, s: Op) -> bool:
        """An item that is taken, of an array of which none has been stored in this iteration."""
        if not isinstance(kind_of(s.args[0]), K.Array):
            return False
        c = self.memory.of(s.args[0])
        self.loads.setdefault(c, set()).add(self.place(s.args[0], s.args[1]))
        return c not in self.stored

    def store(self, s: Store) -> bool:
        """A sum, or a number that is stored."""
        kind = kind_of(s.obj)
        if not isinstance(kind, K.Array) or kind.dtype not in ("float64", "float32"):
            return False
        if not isinstance(kind_of(s.value), K.Scalar) or self.along(s.index, kind.rank) != 1:
            return False
        c, place = self.memory.of(s.obj), self.place(s.obj, s.index)
        if s.aug is None and c is not None and c not in self.stored and self.least(s.index) >= 0:
            self.stored[c] = place
            self.late.add(id(s))
            return True
        offsets = self.offsets.setdefault(c, [])
        if place not in offsets:
            offsets.append(place)
        self.places[id(s)] = c, offsets.index(place)
        return s.aug in ("+", "-")

    def commutes(self) -> bool:
        """Whether iterations may be done in any order: nothing is read that another has stored."""
        for c, place in self.stored.items():
            if c in self.offsets or self.loads.get(c, set()) - {place}:
                return False
        return bool(self.offsets) and not any(c in self.loads or c is None for c in self.offsets)

    def parts(self, body: Block) -> list[Part] | None:
        """The loops: the first has comments and what is carried, the last stores; None where too much is repeated."""
        count = max(map(len, self.offsets.values()))
        if count == 1 and not self.backwards:
            return [Part(body)]
        if count > LOOPS:
            return None
        chosen = [{k for k, (_, m) in self.places.items() if m == n} for n in range(count)]
        chosen[0] |= self.sums
        chosen[-1] |= self.late
        kept = [sliced(body.stmts, stores) for stores in chosen]
        often = Counter(id(s) for part in kept for s in part)
        again = [s for s in body.stmts if often[id(s)] > 1]
        if (
            not all(map(_is_cheap, again))
            or sum(s.fn not in _SUBSCRIPTS for s in again if isinstance(s, Op)) > REPEATED
        ):
            return None
        comments = [s for s in body.stmts if isinstance(s, Comment)]
        ids = [{id(s) for s in part} for part in ([*kept[0], *comments], *kept[1:])]
        first, *others = [tuple(s for s in body.stmts if id(s) in part) for part in ids]
        return [Part(Block(first, body.outs)), *(Part(Block(x)) for x in others)]


def _is_cheap(s: Stmt) -> bool:
    """Whether a statement may be done again."""
    if not isinstance(s, Op):
        return False
    return s.fn in _CHEAP or (s.fn is operator.pow and s.args[1] in (Const(2), Const(3)))
