"""Exceptions that are caught, numbered, and the functions that catch them as ones that give the numbers.

Before a statement of such a function stands what it would raise (:mod:`s2sad.compiled.failing`), and leaves the
function with a number.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.compiled import failing_arrays  # noqa: F401  (it fills the table of what raises)
from s2sad.compiled.expand import Builder, kind_of
from s2sad.compiled.failing import Unsure, failures
from s2sad.compiled.nothing import Merged
from s2sad.errors import CompileError
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Origin, Ref, Stmt, Store, Var, While
from s2sad.ir.rewrite import definitions, map_stmts, walk

__all__ = [
    "ERROR",
    "Coded",
    "Site",
    "Sites",
    "classes_of",
    "is_one_of",
    "makes_users",
    "raising",
    "refuse",
    "refuse_none",
]

_HELP = "use backend='python' for this function, or test for what would raise."
ERROR = K.Other(BaseException)
#: What operations on values of other types raise, which machine code has not.
_OF_TYPES = (TypeError, AttributeError, NameError, RecursionError, MemoryError)

Made: TypeAlias = "tuple[Any, tuple[Atom, ...]]"


def refuse_none(call: Op, merged: Merged) -> None:
    """Refuse to ask what is raised by arithmetic on None, which is caught as all else is."""
    assert isinstance(call.fn, Function)
    everything = any(issubclass(TypeError, c) for c in classes_of(call.fn))
    if everything and merged.may_be_none([a for a in call.args if isinstance(a, Var)]):
        refuse("whether this raises, of a value that may be None,", call.origin)


def classes_of(function: Function) -> tuple[type, ...]:
    return tuple(a.value for a in function.catches if isinstance(a, Ref | Const))


def refuse(what: str, origin: Origin | None) -> None:
    raise CompileError(f"{what} is not known in compiled code.", _HELP, origin=origin)


# ---------------------------------------------------------------- what is raised


@dataclass(frozen=True)
class Site:
    """An exception of a class, and how it is made where that is known: a callable and its arguments."""

    kind: type
    made: Made | None


@dataclass(frozen=True, eq=False)
class Coded:
    """A function that gives numbers, and which ones beside zero for nothing."""

    function: Function
    numbers: frozenset[int]


class Sites:
    """The exceptions that functions catch, numbered from one, and these functions as ones that give the numbers."""

    def __init__(self, functions: Collection[Function]) -> None:
        self.numbers: dict[Site, int] = {}
        self.done: dict[tuple[Function, tuple[type, ...]], Coded] = {}
        self.open: list[Function] = []
        self.watched = [s for f in functions for s in walk(f) if isinstance(s, Op) and _makes_numpy_raise(s)]
        self.calls = {
            s.target: s.fn for f in functions for s in walk(f) if isinstance(s, Op) and isinstance(s.fn, Function)
        }

    def number(self, site: Site) -> int:
        return self.numbers.setdefault(site, len(self.numbers) + 1)

    def coded(self, function: Function, classes: tuple[type, ...], origin: Origin | None) -> Coded:
        """A function that catches, as one that gives the numbers of exceptions of some classes."""
        key = (function, classes)
        if key not in self.done:
            if function in self.open:
                refuse("what a function raises that calls itself in a `try`", origin)
            self.refuse_classes(classes, function.origin or origin)
            self.open.append(function)
            try:
                coded = _Asking(self, function, classes).coded()
                like = (c for (f, _), c in self.done.items() if f is function and c.numbers == coded.numbers)
                self.done[key] = next(like, coded)
            finally:
                self.open.pop()
        return self.done[key]

    def refuse_classes(self, classes: Iterable[type], origin: Origin | None) -> None:
        """Refuse to tell of exceptions that compiled code has not."""
        for c in classes:
            if issubclass(c, _OF_TYPES):
                refuse(f"whether this raises `{c.__name__}`", origin)
            floating = c is FloatingPointError or (issubclass(FloatingPointError, c) and self.watched)
            if floating:
                refuse("whether NumPy raises `FloatingPointError`", origin)

    def of(self, error: Atom) -> list[tuple[Site, int]]:
        """The exceptions that one may be."""
        caller = self.calls.get(error) if isinstance(error, Var) else None
        known = [c.numbers for (f, _), c in self.done.items() if f is caller]
        some = frozenset().union(*known) if known else None
        return [(site, n) for site, n in self.numbers.items() if some is None or n in some]


def _makes_numpy_raise(op: Op) -> bool:
    """Whether this may make what NumPy warns of an exception."""
    if op.fn is not np.errstate:
        return getattr(op.fn, "__name__", "") in ("seterr", "seterrcall", "filterwarnings", "simplefilter")
    given = [a.value if isinstance(a, Const) else None for _, a in op.kwargs]
    return any(v not in ("ignore", "warn") for v in given)


# ---------------------------------------------------------------- functions that give numbers


class _Asking:
    """Makes one function that catches into one that gives the numbers of exceptions of some classes."""

    def __init__(self, sites: Sites, function: Function, classes: tuple[type, ...]) -> None:
        self.sites = sites
        self.function = function
        self.classes = classes
        self.definitions = definitions_of(function)
        self.made = definitions(function)
        self.merged = Merged(function)
        self.given: set[int] = set()

    def catches(self, kind: type) -> bool:
        return issubclass(kind, self.classes)

    def coded(self) -> Coded:
        """The function."""
        f = self.function
        body = map_stmts(f.body, self.change)
        new = Function(f.name, f.params, Block(body.stmts, (Const(0),)), f.doc, f.origin)
        return Coded(new, frozenset(self.given))

    def change(self, s: Stmt) -> list[Stmt]:
        """A statement, and before it what it would raise."""
        try:
            match s:
                case Op(fn=prims.raise_):
                    return self.raised(s)
                case Op(fn=prims.assert_) if self.catches(AssertionError):
                    return self.asserted(s)
                case Op(fn=Function()):
                    return self.called(s)
                case Op(fn=prims.assert_) | If() | While():
                    return [s]
                case Op() if makes_users(s):
                    return [s]
                case Op() | Store():
                    return [*self.checks(s), s]
                case For(step=step) if not isinstance(step, Const) and self.catches(ValueError):
                    raise Unsure("whether the step of this range is zero")
                case For():
                    return [s]
        except Unsure as unsure:
            refuse(str(unsure), getattr(s, "origin", None) or self.function.origin)
        return [s]

    def checks(self, s: Op | Store) -> list[Stmt]:
        """Leave with the number of each exception that a statement would raise, under its condition."""
        b = Builder(s.origin, self.definitions, forms={})
        for failure in failures(b, s, self.catches):
            cond = failure.when()
            made = None if failure.message is None else (failure.kind, (Const(failure.message),))
            b.stmts.append(self.leaving(cond, Site(failure.kind, made), s.origin))
        return b.stmts

    def leaving(self, cond: Atom, site: Site, origin: Origin | None) -> Stmt:
        return If(cond, Block((self.leave(site, origin),)), Block(), (), origin)

    def leave(self, site: Site, origin: Origin | None) -> Stmt:
        number = self.sites.number(site)
        self.given.add(number)
        return Op(None, prims.leave, (Const(number),), (), origin)

    def asserted(self, s: Op) -> list[Stmt]:
        """A check that the program makes itself."""
        failed = Var("", K.BOOL)
        message = s.args[1:] if s.args[1:] != (Const(None),) else ()
        made = (AssertionError, message) if all(isinstance(a, Const) for a in message) else None
        test = Op(failed, operator.not_, s.args[:1], (), s.origin)
        return [test, self.leaving(failed, Site(AssertionError, made), s.origin)]

    def raised(self, s: Op) -> list[Stmt]:
        """What the body raises itself: one of another class is raised still."""
        error = s.args[0]
        if kind_of(error) == ERROR and isinstance(made := self.made.get(error), Op) and isinstance(made.fn, Function):  # type: ignore[arg-type]
            return self.again(error, s.origin)
        site = self.site(error)
        return [self.leave(site, s.origin)] if self.catches(site.kind) else [s]

    def site(self, error: Atom) -> Site:
        """The exception that a statement raises."""
        if isinstance(error, Ref) and isinstance(error.value, type):
            return Site(error.value, (prims.call_value, (error,)))
        op = self.made.get(error) if isinstance(error, Var) else None
        if isinstance(op, Op) and isinstance(op.fn, type):
            known = all(isinstance(a, Const) for a in op.args) and not op.kwargs
            return Site(op.fn, (op.fn, op.args) if known else None)
        if isinstance(op, Op) and op.fn is prims.call_value and isinstance(cls := op.args[0], Ref):
            known = all(isinstance(a, Const) for a in op.args[1:]) and not op.kwargs
            return Site(cls.value, (op.fn, op.args) if known else None)
        raise Unsure("of which class this exception is")

    def again(self, error: Atom, origin: Origin | None) -> list[Stmt]:
        """Raise again what a `try` within this one has caught."""
        mine = [(site, n) for site, n in self.sites.of(error) if self.catches(site.kind)]
        others = [(site, n) for site, n in self.sites.of(error) if not self.catches(site.kind)]
        self.given.update(n for _, n in mine)
        leave = Op(None, prims.leave, (error,), (), origin)
        if not others:
            return [leave]
        tests, is_other = is_one_of(error, [n for _, n in others], origin)
        return [*tests, If(is_other, Block(tuple(raising(error, others, origin))), Block((leave,)), (), origin)]

    def called(self, s: Op) -> list[Stmt]:
        """A `try` within this one: what it does not take comes to this one."""
        if not isinstance(s.fn, Function) or not s.fn.catches:
            raise Unsure("what a function raises that calls itself")
        refuse_none(s, self.merged)
        own = classes_of(s.fn)
        coded = self.sites.coded(s.fn, tuple(dict.fromkeys((*own, *self.classes))), s.origin)
        names = {n: site.kind for site, n in self.sites.numbers.items()}
        passing = sorted(n for n in coded.numbers if not issubclass(names[n], own))
        target = s.target or Var("", ERROR)
        call = replace(s, target=target, fn=coded.function)
        if not passing:
            return [call]
        self.given.update(passing)
        tests, passes = is_one_of(target, passing, s.origin)
        leave = Op(None, prims.leave, (target,), (), s.origin)
        return [call, *tests, If(passes, Block((leave,)), Block(), (), s.origin)]


def is_one_of(error: Atom, numbers: Iterable[int], origin: Origin | None) -> tuple[list[Stmt], Atom]:
    """Whether a number is one of these."""
    b = Builder(origin, {}, forms={})
    found: Atom = Const(False)
    for k, n in enumerate(numbers):
        same = b.emit(operator.eq, error, n, kind=K.BOOL)
        found = same if k == 0 else b.emit(operator.or_, found, same, kind=K.BOOL)
    return b.stmts, found


def raising(error: Atom, some: list[tuple[Site, int]], origin: Origin | None) -> list[Stmt]:
    """Raise the one of some exceptions that has a number."""
    block: list[Stmt] = []
    for k, (site, n) in enumerate(reversed(some)):
        if site.made is None:
            raise CompileError(
                "an exception with values in its text that is caught and raised again cannot be compiled.",
                _HELP,
                origin=origin,
            )
        made, test = Var("", K.Other(site.kind)), Var("", K.BOOL)
        fn, args = site.made
        fails = [Op(made, fn, args, (), origin), Op(None, prims.raise_, (made,), (), origin)]
        if k == 0:
            block = [*fails]
        else:
            branch = If(test, Block(tuple(fails)), Block(tuple(block)), (), origin)
            block = [Op(test, operator.eq, (error, Const(n)), (), origin), branch]
    return block


def makes_users(op: Op) -> bool:
    cls = op.args[0] if op.fn is prims.call_value else None
    return isinstance(cls, Ref) and isinstance(cls.value, type) and issubclass(cls.value, BaseException)
