"""Sums of reversed loops, in an order that is left open.

Before::

    def f(x: float64[1]#1, y: float64[1]#2, by: float64[1]#3, n: int, k: int):
        for i in range(0, n):
            x[i] += 1.0
        for j in range(n, -1, -1) carrying (ba: float = 0.0):
            u: float = x[j]
            by[k] += u
            v: float = y[k]
            w: float = u * v
            ba_1: float = ba + w
            next ba_1
        -> ba_2
        return ba_2

After::

    def f(x, y, by, n, k):
        for i in range(0, n):
            x[i] += 1.0
        for j in range(n, -1, -1) carrying (ba = 0.0, total = 0.0):
            u = x[j]
            v = y[k]
            w = u * v
            ba_1 = plus(ba, w)
            total_1 = plus(total, u)
            next ba_1, total_1
        -> ba_2, total_2
        t = n > -1
        if t:
            by[k] += total_2
        return ba_2

The second loop reverses the first. What it adds up the user has not written in an order: additions that wait for each
other are left to the compiler, which does several side by side. An item that stands still is a number meanwhile.

Requires: loops that take items one by one (:func:`s2sad.loops.lower_to_loops`).
Ensures: the same sums, but for their order.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, replace

from s2sad.analysis.memory import Class, Memory
from s2sad.compiled.bodies import Body, first_index, is_plain
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Block, Comment, Const, For, Function, If, Op, Stmt, Store, Var
from s2sad.ir.rewrite import map_stmts, with_body
from s2sad.loops.sums import sums_in_any_order
from s2sad.runtime.helpers import plus

__all__ = ["adjoint_sums"]


def adjoint_sums(function: Function) -> Function:
    """Leave open the order in which innermost loops add up adjoints."""
    memory = Memory(function)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, For) or s.reverses is None or not is_plain(s):
            return s
        found = _Body(s.index, first_index(s), memory, carried=frozenset(s.params))
        for inner in s.body.stmts:
            found.note(inner)
        loop, after = _with_totals(s, found)
        loop = sums_in_any_order(loop)
        return [loop, *after] if _carries_only_sums(loop) else s

    return with_body(function, map_stmts(function.body, change))


def _carries_only_sums(loop: For) -> bool:
    """Whether a loop carries sums and counters: where each iteration waits for the one before, nothing is won."""
    sums = {op.target for op in loop.body.stmts if isinstance(op, Op) and op.fn is plus}
    return all(p.kind == K.INT or out in sums for p, out in zip(loop.params, loop.body.outs, strict=True))


@dataclass
class _Body(Body):
    """What the body of a loop adds to items that stand still."""

    carried: frozenset[Var] = frozenset()  #: what one iteration hands to the next
    standing: list[Store] = field(default_factory=list)
    moving: set[Class | None] = field(default_factory=set)  #: what is read, or stored otherwise
    plain: bool = True  #: whether the statements are all of a kind that is known

    def note(self, s: Stmt) -> None:
        """Note a statement."""
        match s:
            case Op() if self.number(s):
                if s.fn is operator.getitem:
                    self.moving.add(self.memory.of(s.args[0]))
            case Store(aug="+" | "-"):
                if self.stands(s):
                    self.standing.append(s)
            case Store():
                self.moving.add(self.memory.of(s.obj))
            case _ if not isinstance(s, Comment):
                self.plain = False

    def stands(self, s: Store) -> bool:
        """Whether a sum goes to one number of an array, the same in each iteration, by an index that is at hand."""
        kind, made = kind_of(s.obj), self.made.get(s.index)
        parts = made.args if made is not None and made.fn is prims.make_tuple else (s.index,)
        return (
            isinstance(kind, K.Array)
            and kind.dtype == "float64"
            and kind.rank == len(parts)
            and kind_of(s.value) in (K.FLOAT, K.Scalar("float64"))
            and all(kind_of(a) == K.INT and a is not self.index and a not in self.made for a in parts)
            and self.carried.isdisjoint(parts)
        )

    def totals(self) -> list[Store]:
        """The sums that may be added when the loop is over: of arrays to which it only adds."""
        return [s for s in self.standing if self.plain and self.memory.of(s.obj) not in self.moving | {None}]


def _with_totals(loop: For, found: _Body) -> tuple[For, list[Stmt]]:
    """A loop that carries such sums, and what adds them behind it, if there was an iteration."""
    stores = found.totals()
    if not stores:
        return loop, []
    of = {id(s): Var("total", K.FLOAT) for s in stores}
    sums = [Var("total", K.FLOAT) for _ in stores]
    results = [Var("total", K.FLOAT) for _ in stores]
    body = [s for s in loop.body.stmts if id(s) not in of]
    then: list[Stmt] = []
    for s, out, result in zip(stores, sums, results, strict=True):
        body.append(Op(out, plus, (of[id(s)], s.value), (), s.origin))
        index = s.index
        if made := found.made.get(index):
            assert made.target is not None
            index = Var("", made.target.kind)
            then.append(replace(made, target=index))
        then.append(replace(s, index=index, value=result))
    some = Var("", K.BOOL)
    order = operator.lt if loop.step == Const(1) else operator.gt
    again = replace(
        loop,
        params=(*loop.params, *of.values()),
        inits=(*loop.inits, *(Const(0.0) for _ in stores)),
        body=Block(tuple(body), (*loop.body.outs, *sums)),
        results=(*loop.results, *results),
    )
    return again, [Op(some, order, (loop.start, loop.stop), ()), If(some, Block(tuple(then)), Block(), ())]
