"""Arithmetic on what may be None: it is asked before.

Before::

    def f(x: float, n: int, m: int):
        for k in range(0, n) carrying (last: float = None, y: float = 0.0):
            c = k > m
            if c:
                d: float = x - last
                give d
            else:
                give y
            -> y_1: float
            next x, y_1
        -> last_1: float, y_2: float
        return y_2

After::

    def f(x, n, m):
        for k in range(0, n) carrying (last = None, y = 0.0):
            c = k > m
            if c:
                t = last is None
                if t:
                    t_1 = TypeError("unsupported operand: 'last' is None")
                    raise_(t_1)
                d = x - last
                give d
            else:
                give y
            -> y_1
            next x, y_1
        -> last_1, y_2
        return y_2

Python finds out when it computes. A derivative may not compute what its value is made of, and in machine code a number
stands for None. Tests in the program tell, and so does what is given a value in each iteration: it has one after the
first.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; TypeError where arithmetic is done on a name that is None, or on an item of a list that
is made with None in it and then only filled and read. Items of other lists are not asked.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from s2sad.analysis.unfilled import unfilled_items
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Callee, Const, For, Function, If, Op, Origin, Stmt, Var, While, With, kind_of
from s2sad.ir.rewrite import all_blocks, walk, with_blocks, with_body

__all__ = ["ask_for_none"]

_NONE = Const(None)
#: What raises TypeError where it is given None for a number; ufuncs and the math module do so too.
_COMPUTES: tuple[Any, ...] = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow),
    *(operator.matmul, operator.neg, operator.pos, operator.lt, operator.le, operator.gt, operator.ge, builtins.abs),
)
_COMPARES: tuple[Any, ...] = (np.equal, np.not_equal, np.logical_and, np.logical_or, np.logical_not, np.logical_xor)
#: Comparisons of the index of a loop with where it begins, by whether they hold from the second iteration on.
_LATER: dict[Any, tuple[int, bool]] = {
    **{operator.gt: (0, True), operator.ne: (0, True), operator.ge: (1, True)},
    **{operator.le: (0, False), operator.eq: (0, False), operator.lt: (1, False)},
}


def ask_for_none(function: Function, derived: Set[Var] = frozenset()) -> Function:
    """The function with questions before arithmetic on what may be None; ``derived`` are variables of derivatives."""
    unfilled = unfilled_items(function) - derived
    if not unfilled and not any(_NONE in atoms for atoms in _handed(function)):
        return function
    return with_body(function, _Asker(derived, unfilled).block(function.body))


def _handed(function: Function) -> Iterator[tuple[Atom, ...]]:
    """What names may come to be, and operands."""
    for s in walk(function):
        if isinstance(s, For | While):
            yield s.inits
        elif isinstance(s, Op) and _computes(s.fn):
            yield s.args
    for block in all_blocks(function):
        yield block.outs


def _computes(fn: Any) -> bool:
    """Whether an operation is arithmetic, which None has no part in."""
    if isinstance(fn, np.ufunc):
        return fn not in _COMPARES
    return any(fn is f for f in _COMPUTES) or (
        not isinstance(fn, Function) and getattr(fn, "__module__", "") == math.__name__
    )


def _is_number(a: Atom) -> bool:
    kind = kind_of(a)
    return K.is_numeric(kind) or isinstance(kind, K.Bottom) or _is_none(a)


def _is_none(a: Atom) -> bool:
    return kind_of(a) == K.NONE


@dataclass
class _Asker:
    """Walks a function with what is known of names that may be None."""

    derived: Set[Var]
    unfilled: Set[Var] = frozenset()  #: what is read out of lists that may still hold None there
    unsure: set[Var] = field(default_factory=set)  #: what may be None
    implied: dict[tuple[Atom, bool], tuple[Var, ...]] = field(default_factory=dict)  #: what is not None if this is so
    alike: dict[Var, tuple[Var, ...]] = field(default_factory=dict)  #: None only together
    late: dict[Var, tuple[Atom, tuple[Var, ...]]] = field(
        default_factory=dict
    )  #: by index: its first, what is None then

    def may_be_none(self, a: Atom) -> bool:
        """Whether an operand may be None where the walk is."""
        return _is_none(a) or (isinstance(a, Var) and a in self.unsure)

    @contextmanager
    def inside(self, cond: Atom | None = None, truth: bool = True) -> Iterator[None]:
        """In a block that runs where a condition is true, or false: what is found there does not count outside."""
        outer = set(self.unsure)
        self.unsure.difference_update(self.implied.get((cond, truth), ()) if cond is not None else ())
        yield
        self.unsure = outer

    def block(self, block: Block) -> Block:
        """A block."""
        return Block(tuple(t for s in block.stmts for t in self.stmt(s)), block.outs)

    def stmt(self, s: Stmt) -> list[Stmt]:
        """A statement, after its questions."""
        match s:
            case Op(fn=Callee()):
                return [s]
            case Op():
                self.note(s)
                asked = [*self.questions(s), s]
                self.unsure |= {s.target} & self.unfilled if s.target else set()
                return asked
            case If():
                return [self.branch(s)]
            case For() | While():
                return [self.loop(s)]
            case With():
                new = with_blocks(s, (self.block(s.body),))
                self.hand_on(zip(s.results, map(self.may_be_none, s.body.outs), strict=True))
                return [new]
        return [s]

    def questions(self, s: Op) -> Iterator[Stmt]:
        """What is to run before arithmetic; then what it is of is known to be there."""
        if not _computes(s.fn) or not all(map(_is_number, s.args)):
            return
        for a in dict.fromkeys(s.args):
            if self.may_be_none(a):
                fails = _failing(a.hint if isinstance(a, Var) else "", s.origin)
                yield from fails if _is_none(a) else _where_none(a, fails, s.origin)
                self.unsure.discard(a)

    # ------------------------------------------------------------ what tests tell

    def note(self, s: Op) -> None:
        """What a test tells of names."""
        t = s.target
        match s:
            case Op(fn=operator.is_ | operator.is_not as fn, args=(Var() as a, b) | (b, Var() as a)) if (
                b == _NONE and t
            ):
                self.imply(t, fn is operator.is_not, (a, *self.alike.get(a, ())))
            case Op(fn=operator.not_ | builtins.bool as fn, args=(Var() as a,)) if t is not None:
                for truth in (True, False):
                    self.imply(t, truth, self.implied.get((a, truth == (fn is builtins.bool)), ()))
            case Op(fn=fn, args=(Var() as index, Const(int(n)))) if fn in _LATER and index in self.late and t:
                (first, found), (more, truth) = self.late[index], _LATER[fn]
                if first == Const(n - more):
                    self.imply(t, truth, found)

    def imply(self, test: Atom, truth: bool, found: tuple[Var, ...]) -> None:
        """Where a test is true, or false, these are not None."""
        if found:
            self.implied[test, truth] = (*self.implied.get((test, truth), ()), *found)

    # ------------------------------------------------------------ blocks

    def hand_on(self, pairs: Any) -> None:
        """Note which results may be None."""
        self.unsure.update(r for r, unsure in pairs if unsure and r not in self.derived)

    def branch(self, s: If) -> If:
        """A branch."""
        sides, found = [], []
        for side, truth in ((s.then, True), (s.orelse, False)):
            with self.inside(s.cond, truth):
                sides.append(self.block(side))
                found.append([self.may_be_none(a) for a in side.outs])
        self.hand_on((r, a or b) for r, a, b in zip(s.results, *found, strict=True) if _is_number(r))
        for r, a, b in zip(s.results, s.then.outs, s.orelse.outs, strict=True):
            for truth, this, there in ((True, a, b), (False, b, a)):
                if there in (Const(not truth), s.cond):  # `and`, of which both hold, or `or`, of which neither does
                    self.imply(r, truth, self.implied.get((s.cond, truth), ()))
                    self.imply(r, truth, self.implied.get((this, truth), ()))
        return If(s.cond, sides[0], sides[1], s.results, s.origin, s.adjoint)

    def loop(self, s: For | While) -> For | While:
        """A loop: what it carries may be None if it begins so, or if an iteration hands on what is."""
        begun = {p for p, a in zip(s.params, s.inits, strict=True) if self.may_be_none(a) and _is_number(p)}
        before = dict(self.implied), dict(self.alike)
        while True:
            only_first = {p for p, a in zip(s.params, s.inits, strict=True) if a == _NONE and p in begun}
            while True:
                self.implied, self.alike = dict(before[0]), dict(before[1])
                new, again = self.body(s, begun, tuple(only_first))
                if only_first.isdisjoint(again):
                    break
                only_first -= again
            if again <= begun:
                break
            begun |= again
        unsure = again if _surely_runs(s) else begun
        results = dict(zip(s.params, s.results, strict=True))
        self.hand_on((r, p in unsure) for p, r in results.items())
        self.group(tuple(results[p] for p in only_first))
        return new

    def group(self, found: tuple[Var, ...]) -> None:
        """Note that these are None only together."""
        self.alike |= dict.fromkeys(found, found)

    def body(self, s: For | While, begun: set[Var], only_first: tuple[Var, ...]) -> tuple[For | While, set[Var]]:
        """The loop with questions in its blocks, and what may be None after an iteration.

        Some may be so at the beginning, of these some in the first iteration only.
        """
        with self.inside():
            self.unsure |= begun - self.derived
            self.group(only_first)
            if isinstance(s, While):
                test = self.block(s.test)
                with self.inside(s.test.outs[0], True):
                    new: For | While = replace(s, test=test, body=self.block(s.body))
                    return new, self.handed_on(s)
            self.late[s.index] = (s.start, only_first)
            if s.start == Const(0):
                self.imply(s.index, True, only_first)
            return replace(s, body=self.block(s.body)), self.handed_on(s)

    def handed_on(self, s: For | While) -> set[Var]:
        """What may be None after an iteration, where that ends."""
        outs = zip(s.params, s.body.outs, strict=False)
        return {p for p, a in outs if self.may_be_none(a) and _is_number(p) and p not in self.derived}


def _surely_runs(s: For | While) -> bool:
    """Whether a loop is known to have an iteration."""
    match s:
        case For(start=Const(int(a)), stop=Const(int(b)), step=Const(int(c))):
            return bool(range(a, b, c))
    return isinstance(s, While) and s.test == Block((), (Const(True),))


def _where_none(a: Atom, fails: list[Stmt], origin: Origin | None) -> list[Stmt]:
    """What is to run where a name is None."""
    none = Var("", K.BOOL)
    return [Op(none, operator.is_, (a, _NONE), (), origin), If(none, Block(tuple(fails)), Block(), (), origin)]


def _failing(name: str, origin: Origin | None) -> list[Stmt]:
    """``raise TypeError``"""
    error = Var("", K.Other(TypeError))
    message = f"unsupported operand: {name!r} is None" if name else "unsupported operand: None"
    return [
        Op(error, TypeError, (Const(message),), (), origin),
        Op(None, prims.raise_, (error,), (), origin),
    ]
