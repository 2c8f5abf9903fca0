"""Loops that count: as many iterations as are known when they begin.

Before::

    def f(x: float64[1]#1, n: int):
        while carrying (total: float = 0.0, i: int = 0):
            t = i < n
            test t
        do:
            u = x[i]
            v: float = total + u
            j = i + 2
            next v, j
        -> s, k
        y = s * k
        return y

After::

    def f(x, n):
        for i in range(0, n, 2) carrying (total = 0.0):
            u = x[i]
            v = total + u
            j = i + 2
            next v
        -> s
        t = range(0, n, 2)
        t_1 = len(t)
        t_2 = 2 * t_1
        t_3 = 0 + t_2
        y = s * t_3
        return y

A ``while`` loop that compares an integer, to which each iteration adds the same number, with one that it leaves as it
is goes over a range. So does ``while True`` with such a test at its beginning, and a loop over two integers that come
nearer to each other. What is known of loops over ranges is then known of it: how long its tapes are, which loop
reverses it, what its index is then. Others stay as they are: those with a second condition, with a ``break`` or a
``return`` elsewhere, with a step that is skipped at times, or with a bound that the loop may change.

Requires: no loop carries what it never changes (:mod:`s2sad.transform.invariants`).
Ensures: the same values, and the same errors.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from s2sad.analysis.effects import KEEPS_NOTHING, is_pure, metadata_positions
from s2sad.analysis.memory import Class, Memory, is_immutable
from s2sad.analysis.reads import classes_resized
from s2sad.ir.kinds import BOOL, INT, Array, Kind, List, Other, Scalar, Tuple, is_integer
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Ref, Stmt, Var, While, kind_of
from s2sad.ir.rewrite import definitions, map_stmts, resolve, substitute, use_counts, walk, with_body
from s2sad.optimise.plain_loops import Plain, plain_loop

__all__ = ["count_loops"]

#: An atom, and operations that move what is added to it to the other side of a comparison.
_Sum = tuple[Atom, tuple[tuple[Any, Atom], ...]]

_FLIPPED: dict[Any, Any] = {
    operator.lt: operator.gt,
    operator.le: operator.ge,
    operator.gt: operator.lt,
    operator.ge: operator.le,
}
_NEGATED: dict[Any, Any] = {
    operator.lt: operator.ge,
    operator.le: operator.gt,
    operator.gt: operator.le,
    operator.ge: operator.lt,
}
_INVERSE: dict[Any, Any] = {operator.add: operator.sub, operator.sub: operator.add}
#: What a test may do with integers that change: none of it can raise.
_TOTAL: set[Any] = {operator.mul, operator.neg, operator.not_, *_INVERSE, *_FLIPPED}


def count_loops(function: Function) -> tuple[Function, dict[Var, Atom]]:
    """The function with such loops over ranges, and what stands for the variables that are gone."""
    if not any(isinstance(s, While) for s in walk(function)):
        return function, {}
    counter = _Counter(function)
    body = map_stmts(function.body, counter.change)
    if body is function.body:
        return function, {}
    gone = resolve(counter.gone)
    return with_body(function, substitute(body, gone)), gone


@dataclass(frozen=True, slots=True)
class _Range:
    """The range that the ``k``-th number of a loop goes through, and where it is in the end, with what makes them."""

    k: int
    before: tuple[Stmt, ...]
    bounds: tuple[Atom, Atom, Atom]
    behind: tuple[Stmt, ...]
    last: Atom


class _Counter:
    """Makes loops that count loops over ranges."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.made = definitions(function)
        self.read = use_counts(function)
        self.gone: dict[Var, Atom] = {}

    @cached_property
    def memory(self) -> Memory:
        """Who shares memory with whom."""
        return Memory(self.function)

    def change(self, s: Stmt) -> Stmt | tuple[Stmt, ...]:
        """A statement, or what stands for a loop that counts."""
        if not isinstance(s, While) or (plain := plain_loop(s)) is None or plain.leaves != Const(False):
            return s
        found = _Test(self, s, plain).range()
        return s if found is None else self.counted(s, plain, found)

    def counted(self, s: While, plain: Plain, found: _Range) -> tuple[Stmt, ...]:
        """The loop over a range, between what is computed before and behind it."""
        index = Var(s.params[found.k].hint, INT)
        inside: dict[Var, Atom] = {}
        kept: list[int] = []
        for n, (p, init, r, out) in enumerate(zip(s.params, s.inits, s.results, plain.body.outs, strict=True)):
            if n == found.k:
                inside[p], self.gone[r] = index, found.last
            elif out is p:
                inside[p] = self.gone[r] = init
            else:
                kept.append(n)
        self.gone |= plain.ends
        before, body = substitute(Block(found.before), inside), substitute(plain.body, inside)
        params, results = (tuple(of[n] for n in kept) for of in (s.params, s.results))
        inits, outs = (tuple(of[n] for n in kept) for of in (s.inits, body.outs))
        moved = {id(t) for t in found.before}
        stmts = tuple(t for t, old in zip(body.stmts, plain.body.stmts, strict=True) if id(old) not in moved)
        loop = For(index, *found.bounds, params, inits, Block(stmts, outs), results, origin=s.origin)
        behind = found.behind if s.results[found.k] in self.read or plain.ends else ()
        return *before.stmts, loop, *behind


class _Test:
    """What the test of a loop comes to."""

    def __init__(self, counter: _Counter, loop: While, plain: Plain) -> None:
        self.counter = counter
        self.loop = loop
        self.plain = plain
        self.ops = tuple(s for s in plain.test if isinstance(s, Op))
        self.makers: dict[Atom | None, Op] = {op.target: op for op in self.ops}
        self.steps = self.stepped()

    def stepped(self) -> dict[Atom, int]:
        """The integers that a loop carries, with what each iteration adds to them."""
        steps: dict[Atom, int] = {}
        s, outs = self.loop, self.plain.body.outs
        for p, init, r, out in zip(s.params, s.inits, s.results, outs, strict=True):
            if all(kind_of(a) == INT for a in (p, init, r, out)) and (step := _step(p, out, self.counter.made)):
                steps[p] = step
        return steps

    def range(self) -> _Range | None:
        """The range that the loop goes over; None where it may be no such loop."""
        fixed = [op for op in self.ops if self.is_fixed(op.target)]
        if self.ops != self.plain.test or not all(op in fixed or _is_total(op) for op in self.ops):
            return None
        cond, holds = self.plain.cond, self.plain.holds
        while isinstance(op := self.makers.get(cond), Op) and op.fn is operator.not_:
            cond, holds = op.args[0], not holds
        if op is None or op.fn not in _FLIPPED or not all(map(_is_integer, op.args)):
            return None
        (left, right), fn = op.args, op.fn if holds else _NEGATED[op.fn]
        if self.is_fixed(left):
            left, right, fn = right, left, _FLIPPED[fn]
        sides = self.sum(left), self.sum(right)
        if sides[0] is None or sides[1] is None or sides[0][0] not in self.steps:
            return None
        return self.between(fixed, sides[0], fn, sides[1])

    def sum(self, a: Atom) -> _Sum | None:
        """A side of the comparison: something fixed, or a counter with what goes to the other side."""
        moved: list[tuple[Any, Atom]] = []
        while not (a in self.steps or self.is_fixed(a)):
            match self.makers.get(a):
                case Op(fn=fn, args=(x, y)) if fn in _INVERSE and kind_of(x) == INT == kind_of(y):
                    if fn is operator.add and self.is_fixed(x):
                        x, y = y, x
                    if not self.is_fixed(y):
                        return None
                    moved.append((_INVERSE[fn], self.outer(y)))
                    a = x
                case _:
                    return None
        return (self.outer(a), tuple(moved)) if kind_of(a) == INT or not moved else None

    def between(self, fixed: list[Op], left: _Sum, fn: Any, right: _Sum) -> _Range | None:
        """The range that a counter on the left side goes through while the comparison holds."""
        (p, moved), (q, offsets) = left, right
        inits: dict[Atom, Atom] = dict(zip(self.loop.params, self.loop.inits, strict=True))
        step, away = self.steps[p], self.steps.get(q, 0)
        if step == away or (step > away) != (fn is operator.lt or fn is operator.le):
            return None
        before, behind = _Ops(), _Ops()
        start, stop = inits[p], inits.get(q, q)
        if kind_of(stop) != INT:
            stop = before.emit(int, stop)
        for change, y in (*((_INVERSE[change], y) for change, y in offsets), *moved):
            stop = before.emit(change, stop, y)
        if fn is operator.le or fn is operator.ge:
            stop = before.emit(operator.add if fn is operator.le else operator.sub, stop, Const(1))
        if away:
            last = stop = before.moved(start, step, before.length(start, stop, Const(step - away)))
        elif step == 1 or step == -1:
            last = behind.emit(max if step == 1 else min, start, stop)
        else:
            last = behind.moved(start, step, behind.length(start, stop, Const(step)))
        k = self.loop.params.index(p)
        return _Range(k, (*fixed, *before.stmts), (start, stop, Const(step)), tuple(behind.stmts), last)

    def outer(self, a: Atom) -> Atom:
        """What an atom is outside of the loop: that of a parameter which never changes is what it begins as."""
        s, outs = self.loop, self.plain.body.outs
        return next((i for p, i, out in zip(s.params, s.inits, outs, strict=True) if a is p is out), a)

    def is_fixed(self, a: Atom | None) -> bool:
        """Whether an atom is the same in each iteration."""
        if isinstance(a, Ref):
            return is_immutable(a.kind) and not self.calls
        if not isinstance(a, Var) or self.outer(a) is not a:
            return True
        op = self.makers.get(a)
        if op is None:
            return a not in self.loop.params
        if not is_immutable(a.kind):
            return False  # an object for each iteration
        return not op.kwargs and all(
            self.is_fixed(x) and (is_immutable(kind_of(x)) or (n in metadata_positions(op.fn) and self.keeps_length(x)))
            for n, x in enumerate(op.args)
        )

    def keeps_length(self, a: Atom) -> bool:
        """Whether an object has the same shape, or as many items, in each iteration."""
        match kind_of(a):
            case Array() | Tuple():
                return True
            case List():
                c = self.counter.memory.of(a)
                return c not in self.resized and not (self.calls and c in self.counter.memory.external)
        return False

    @cached_property
    def calls(self) -> bool:
        """Whether an iteration calls what may do anything."""
        ops = (s for s in walk(self.plain.body) if isinstance(s, Op))
        return any(not is_pure(op.fn) and not any(op.fn is fn for fn in KEEPS_NOTHING) for op in ops)

    @cached_property
    def resized(self) -> set[Class]:
        """The memory that an iteration may change otherwise than by a store into one item."""
        return {c for s in walk(self.plain.body) for c in classes_resized(self.counter.memory, s)}


class _Ops:
    """Statements as they are made."""

    def __init__(self) -> None:
        self.stmts: list[Stmt] = []

    def emit(self, fn: Callable[..., Any], *args: Atom, kind: Kind = INT) -> Atom:
        """The result of an operation: a number where all it is done with are."""
        values = [a.value for a in args if isinstance(a, Const)]
        if len(values) == len(args) and kind == INT:
            return Const(fn(*values))
        target = Var("", kind)
        self.stmts.append(Op(target, fn, args))
        return target

    def length(self, *bounds: Atom) -> Atom:
        """How many integers a range has."""
        if all(isinstance(a, Const) for a in bounds):
            return Const(len(range(*(a.value for a in bounds if isinstance(a, Const)))))
        return self.emit(len, self.emit(range, *bounds, kind=Other(range)))

    def moved(self, start: Atom, step: int, times: Atom) -> Atom:
        """Where so many steps lead."""
        return self.emit(operator.add, start, self.emit(operator.mul, Const(step), times))


def _is_integer(a: Atom) -> bool:
    """Whether an atom is an integer, of Python or NumPy."""
    return isinstance(kind := kind_of(a), Scalar) and is_integer(kind) and kind != BOOL


def _is_total(op: Op) -> bool:
    """Whether an operation is one on integers that gives something for all of them."""
    return op.fn in _TOTAL and not op.kwargs and all(_is_integer(a) or kind_of(a) == BOOL for a in op.args)


def _step(p: Var, a: Atom, made: Mapping[Var, Stmt]) -> int | None:
    """What is added to ``p`` to make ``a``, the same on every path; None if it is not known, or something else."""
    total = 0
    while a is not p:
        match made.get(a) if isinstance(a, Var) else None:
            case Op(fn=operator.add, args=(Var() as x, Const(int() as step)) | (Const(int() as step), Var() as x)):
                total, a = total + step, x
            case Op(fn=operator.sub, args=(Var() as x, Const(int() as step))):
                total, a = total - step, x
            case If(then=then, orelse=orelse, results=results):
                k = results.index(a)
                steps = {_step(p, block.outs[k], made) for block in (then, orelse)}
                rest = steps.pop()
                return None if steps or rest is None else total + rest
            case _:
                return None
    return total
