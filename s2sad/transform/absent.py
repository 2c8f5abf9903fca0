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

So it is with what is looked into: an item is taken of it or stored there, its length is asked for, or lowering has
found an attribute by its class and says so (:func:`~s2sad.ir.prims.need_there`).

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; TypeError, or what lowering says, where arithmetic is done on what may be None, or it is
looked into: names, items of lists, dicts and tuples, what recursive functions take and give.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from s2sad.analysis.effects import is_pure
from s2sad.analysis.literals import literal_lists
from s2sad.analysis.ranges import surely_runs
from s2sad.analysis.taken_none import Taken, taken_where_none
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import (
    Atom,
    Block,
    Callee,
    Const,
    For,
    Function,
    If,
    Op,
    Origin,
    Stmt,
    Store,
    Var,
    While,
    With,
    kind_of,
)
from s2sad.ir.rewrite import all_blocks, blocks_of, walk, with_blocks, with_body
from s2sad.rules.table import rule_for
from s2sad.runtime import helpers
from s2sad.transform.checks_first import always_raises

__all__ = ["Asked", "ask"]

_NONE = Const(None)
#: What raises TypeError where it is given None for a number; ufuncs and the math module do so too.
_COMPUTES: tuple[Any, ...] = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow),
    *(operator.matmul, operator.neg, operator.pos, operator.lt, operator.le, operator.gt, operator.ge, builtins.abs),
)
#: What makes a number of one, or raises.
_CONVERT: tuple[Any, ...] = (float, int, complex, round, divmod, pow, min, max)
_HOLD = (prims.make_tuple, prims.make_list, prims.make_dict, prims.make_instance, prims.list_append, prims.list_insert)
_COMPARES: tuple[Any, ...] = (np.equal, np.not_equal, np.logical_and, np.logical_or, np.logical_not, np.logical_xor)
#: Comparisons of the index of a loop with where it begins, by whether they hold from the second iteration on.
_LATER: dict[Any, tuple[int, bool]] = {
    **{operator.gt: (0, True), operator.ne: (0, True), operator.ge: (1, True)},
    **{operator.le: (0, False), operator.eq: (0, False), operator.lt: (1, False)},
}


#: What asks how many items something has, or goes over them.
_LOOKS: tuple[Any, ...] = (
    *(len, operator.getitem, prims.list_copy, prims.list_repeat, prims.list_pop, prims.list_append),
    *(prims.list_extend, prims.list_insert, prims.list_reverse, sum, list, tuple, sorted),
)


@dataclass(frozen=True)
class Asked:
    """A function with its questions, and what that told of the functions that it calls.

    ``given`` are the places of arguments that may be None, by callee; ``gives`` are the places in the result, which
    is a tuple, that may be so, None being the result itself.
    """

    function: Function
    given: Mapping[Callee, frozenset[int]]
    gives: frozenset[int | None]


def ask(function: Function, derived: Set[Var], params: Set[Var], gives: Mapping[Callee, Set[int | None]]) -> Asked:
    """The function with questions before arithmetic on what may be None, and before that is looked into.

    ``derived`` are variables of derivatives, ``params`` the parameters that may be None, and ``gives`` says what
    functions that are called may give.
    """
    called = _given_by_calls(function, gives)
    if not params and not called and not _may_have_none(function):
        return Asked(function, {}, frozenset())
    taken = taken_where_none(function, called | params)
    made = {v: op.args for v, op in literal_lists(function).items()}
    asker = _Asker(derived, replace(taken, items=(taken.items - derived) | called), made, set(params))
    body = asker.block(function.body)
    given = {fn: frozenset(places) for fn, places in asker.given.items() if places}
    return Asked(with_body(function, body), given, _results(function, asker))


def _given_by_calls(function: Function, gives: Mapping[Callee, Set[int | None]]) -> frozenset[Var]:
    """What functions that are called give that may be None: as they give it, or out of the tuple that they give."""
    ops = [s for s in walk(function) if isinstance(s, Op)]
    calls = {s.target: gives.get(s.fn, frozenset()) for s in ops if isinstance(s.fn, Callee)}
    found = {v for v, places in calls.items() if v is not None and None in places}
    for s in ops:
        match s:
            case Op(target=Var() as v, fn=operator.getitem, args=(Var() as whole, Const(int(k)))) if whole in calls:
                found |= {v} if k in calls[whole] else set()
    return frozenset(found)


def _results(function: Function, asker: _Asker) -> frozenset[int | None]:
    """The places of the result that may be None."""
    if asker.may_be_none(function.result):
        return frozenset({None})
    for s in function.body.stmts:
        if isinstance(s, Op) and s.target == function.result and s.fn is prims.make_tuple:
            return frozenset(k for k, a in enumerate(s.args) if asker.may_be_none(a))
    return frozenset()


def _may_have_none(function: Function) -> bool:
    """Whether a function hands on None, computes with it or was found to look into it."""
    for s in walk(function):
        match s:
            case Op(fn=prims.need_there):
                return True
            case For() | While() if _NONE in s.inits:
                return True
            case Op() if _NONE in s.args and (_computes(s.fn) or s.fn in _HOLD):
                return True
            case Store() if s.value == _NONE:
                return True
    passed = any(isinstance(p.kind, K.List | K.Dict) for p in function.params)
    return passed or any(_NONE in block.outs for block in all_blocks(function))


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


def _looks_into(s: Op) -> tuple[Atom, ...]:
    """What an operation looks into, which Python does of nothing that is None."""
    match s:
        case Op(fn=operator.getitem, args=(xs, index)):
            places = isinstance(kind_of(xs), K.List | K.Tuple) and isinstance(index, Var) and K.is_numeric(index.kind)
            return (xs, index) if places else (xs,)  # of an array, None gives one with another axis
        case Op(fn=prims.list_pop, args=args):
            return args
        case Op(fn=fn, args=(xs, *_)) if fn in _LOOKS or fn in _CONVERT or _is_of_numpy(fn):
            return (xs,)
    return ()


def _is_none(a: Atom) -> bool:
    return kind_of(a) == K.NONE


@dataclass
class _Asker:
    """Walks a function with what is known of names that may be None."""

    derived: Set[Var]
    taken: Taken  #: what is taken out of containers, or given by calls, that may be None
    made: Mapping[Var, tuple[Atom, ...]]  #: lists that are only operands, by their items
    unsure: set[Var] = field(default_factory=set)  #: what may be None
    implied: dict[tuple[Atom, bool], tuple[Var, ...]] = field(default_factory=dict)  #: what is not None if this is so
    alike: dict[Var, tuple[Var, ...]] = field(default_factory=dict)  #: None only together
    late: dict[Var, tuple[Atom, tuple[Var, ...]]] = field(
        default_factory=dict
    )  #: by index: its first, what is None then
    known: dict[tuple[Atom, ...], Var] = field(default_factory=dict)  #: what was taken from where, and is there still
    given: dict[Callee, set[int]] = field(default_factory=dict)  #: arguments of calls that may be None

    def may_be_none(self, a: Atom) -> bool:
        """Whether an operand may be None where the walk is."""
        return _is_none(a) or (isinstance(a, Var) and a in self.unsure)

    @contextmanager
    def inside(self, cond: Atom | None = None, truth: bool = True) -> Iterator[None]:
        """In a block that runs where a condition is true, or false: what is found there does not count outside."""
        outer, known = set(self.unsure), dict(self.known)
        self.unsure.difference_update(self.implied.get((cond, truth), ()) if cond is not None else ())
        yield
        self.unsure, self.known = outer, known

    def block(self, block: Block) -> Block:
        """A block."""
        return Block(tuple(t for s in block.stmts for t in self.stmt(s)), block.outs)

    def stmt(self, s: Stmt) -> list[Stmt]:
        """A statement, after its questions."""
        match s:
            case Op(fn=prims.need_there, args=(a, *_)):
                return list(self.question(a, s))
            case Op(fn=Callee() as callee):
                self.given.setdefault(callee, set()).update(k for k, a in enumerate(s.args) if self.may_be_none(a))
                self.take(s)
                return [s]
            case Op():
                self.note(s)
                asked = [*self.questions(s), s]
                self.take(s)
                return asked
            case Store(obj=obj, value=value):
                asked = [*self.question(obj, s), *(self.stored(value, s) if _is_number(obj) else ()), s]
                self.known.clear()
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
        """What is to run before an operation; then what it is of is known to be there."""
        text = s.fn is operator.mod and not _is_number(s.args[0])
        computes = _computes(s.fn) and not text and all(_is_number(a) or a in self.unsure for a in s.args)
        for a in dict.fromkeys(s.args if computes else _looks_into(s)):
            yield from self.question(a, s)
        if s.target in self.taken.totals:
            for a in s.args:
                yield from self.filled(a, s)

    def question(self, a: Atom, s: Op | Store) -> Iterator[Stmt]:
        """What is to run before a statement that needs an operand to be there."""
        if self.may_be_none(a) and a not in self.derived:
            fails = _failing(a, s)
            yield from fails if _is_none(a) else _where_none(a, fails, s.origin)
            self.unsure -= {a}

    def stored(self, value: Atom, s: Store) -> Iterator[Stmt]:
        """What is to run before a value is stored into an array: NumPy has NaN for None."""
        yield from self.filled(value, s) if value in self.taken.lists else self.question(value, s)

    def filled(self, a: Atom, s: Op | Store) -> Iterator[Stmt]:
        """What is to run before a list is taken for an array: of one that is written down there, of its items."""
        if not isinstance(kind_of(a), K.List):
            yield from self.question(a, s)
        elif isinstance(a, Var) and a in self.made:
            for item in self.made[a]:
                yield from self.filled(item, s)
        else:
            yield Op(None, helpers.need_filled, (a,), (), s.origin)

    def take(self, s: Op) -> None:
        """Note what an operation gives: what was taken from the same place before is the same, if nothing changed."""
        if s.fn in prims.WRITES or not is_pure(s.fn):
            self.known.clear()
        if s.target is None:
            return
        if s.fn is prims.identity:
            self.hand_on([(s.target, self.may_be_none(s.args[0]))])
        elif s.target in self.taken.items:
            before = self.known.setdefault(s.args, s.target) if s.fn is operator.getitem else s.target
            if before is s.target or before in self.unsure:
                self.unsure.add(s.target)

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
        self.hand_on((r, a or b) for r, a, b in zip(s.results, *found, strict=True))
        for side, truth in ((s.then, False), (s.orelse, True)):  # what follows runs where that did not raise
            self.unsure.difference_update(self.implied.get((s.cond, truth), ()) if always_raises(side) else ())
        if _changes(s):
            self.known.clear()
        for r, a, b in zip(s.results, s.then.outs, s.orelse.outs, strict=True):
            for truth, this, there in ((True, a, b), (False, b, a)):
                if there in (Const(not truth), s.cond):  # `and`, of which both hold, or `or`, of which neither does
                    self.imply(r, truth, self.implied.get((s.cond, truth), ()))
                    self.imply(r, truth, self.implied.get((this, truth), ()))
        return If(s.cond, sides[0], sides[1], s.results, s.origin, s.adjoint)

    def loop(self, s: For | While) -> For | While:
        """A loop: what it carries may be None if it begins so, or if an iteration hands on what is."""
        begun = {p for p, a in zip(s.params, s.inits, strict=True) if self.may_be_none(a)}
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
        unsure = again if surely_runs(s) else begun
        self.known = {} if _changes(s) else self.known
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
            self.known = {} if _changes(s) else self.known
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
        return {p for p, a in outs if self.may_be_none(a) and p not in self.derived}


def _where_none(a: Atom, fails: list[Stmt], origin: Origin | None) -> list[Stmt]:
    """What is to run where a name is None."""
    none = Var("", K.BOOL)
    return [Op(none, operator.is_, (a, _NONE), (), origin), If(none, Block(tuple(fails)), Block(), (), origin)]


def _failing(a: Atom, s: Op | Store) -> list[Stmt]:
    """``raise TypeError``, or what lowering says."""
    match s:
        case Op(fn=prims.need_there, args=(_, Const(value=cls), message)):
            error = Var("", K.Other(cls))
            made = Op(error, cls, (message,), (), s.origin)
        case _:
            error = Var("", K.Other(TypeError))
            name = f"{a.hint!r} is None" if isinstance(a, Var) and a.hint else "None"
            computes = isinstance(s, Op) and _computes(s.fn)
            message = Const(f"unsupported operand: {name}" if computes else f"{name}, where something is needed")
            made = Op(error, TypeError, (message,), (), s.origin)
    return [made, Op(None, prims.raise_, (error,), (), s.origin)]


def _changes(s: Stmt) -> bool:
    """Whether anything may be stored in a branch or a loop."""
    return any(
        isinstance(t, Store) or (isinstance(t, Op) and (t.fn in prims.WRITES or not is_pure(t.fn)))
        for block in blocks_of(s)
        for t in walk(block)
    )


def _is_of_numpy(fn: Any) -> bool:
    """Whether this is a function of NumPy's that is differentiated by its first argument, which is an array."""
    module = "numpy" if isinstance(fn, np.ufunc) else getattr(fn, "__module__", None) or ""
    rule = rule_for(fn) if module.partition(".")[0] == "numpy" and fn not in _COMPARES else None
    return rule is not None and bool(rule.wrt) and next(iter(rule.signature.parameters)) in rule.wrt
