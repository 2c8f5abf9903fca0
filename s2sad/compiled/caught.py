"""Functions that tell what their bodies raise give numbers instead of exceptions.

Before::

    def f_error(x) catching ValueError, ZeroDivisionError:
        t = math.log(x)
        z = t / x
        return None

    e = f_error(x)
    if e is None: ...
    elif isinstance(e, ValueError): ...

After::

    def f_error(x):
        if x <= 0.0:
            leave(1)
        t = math.log(x)
        if x == 0:
            leave(2)
        return 0

    e = f_error(x)
    if e == 0: ...
    elif e == 1: ...

Numba catches all exceptions or none, and machine code does not raise where Python does. So it is asked in words of the
operands what an operation would raise (:mod:`s2sad.compiled.failing`), and nothing is raised at all. Each exception
that is caught somewhere has a number; one that is raised again is made anew by that.

Requires: the linked IR of a derivative.
Ensures: no function catches; what cannot be told is refused. No exception has a cause.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from s2sad.analysis.effects import called
from s2sad.compiled.nothing import Merged
from s2sad.compiled.numbered import ERROR, Site, Sites, classes_of, is_one_of, makes_users, raising, refuse, refuse_none
from s2sad.compiled.told import errors_told
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Origin, Ref, Stmt, Var, While
from s2sad.ir.rewrite import clone, definitions, map_atoms, map_stmts, use_counts, with_blocks, with_body
from s2sad.optimise.dead import dead_code

__all__ = ["caught_as_numbers"]


def caught_as_numbers(function: Function) -> Function:
    """The derivative, in which functions that catch exceptions give the numbers of these, zero if there is none."""
    functions = called(function)
    if not any(f.catches for f in functions):
        return function
    sites = Sites(functions)
    return _rebuilt([f for f in functions if not f.catches], sites)


def _rebuilt(functions: list[Function], sites: Sites) -> Function:
    """The first of some functions, all of which call functions that give numbers."""
    shells = {f: Function(f.name, f.params, f.body, f.doc, f.origin) for f in functions}
    told = {f: _call_numbers(f, sites, shells) for f in functions}
    for f, shell in shells.items():
        new = _with_numbers(told[f], sites)
        object.__setattr__(shell, "params", new.params)
        object.__setattr__(shell, "body", new.body)  # a function may call itself
    for coded in dict.fromkeys(sites.done.values()):
        new = _with_numbers(coded.function, sites)
        new = clone(errors_told(dead_code(_without_made(new))))  # there may be one for other classes
        object.__setattr__(coded.function, "params", new.params)
        object.__setattr__(coded.function, "body", new.body)
    return shells[functions[0]]


def _without_made(function: Function) -> Function:
    """A function that makes no exceptions of the user's classes which it does not raise."""
    counts = use_counts(function)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        return [] if isinstance(s, Op) and s.target not in counts and makes_users(s) else s

    return with_body(function, map_stmts(function.body, change))


def _call_numbers(function: Function, sites: Sites, shells: dict[Function, Function]) -> Function:
    """A function that calls those which give numbers, and others in their new form."""
    merged = Merged(function)

    def change(s: Stmt) -> Stmt:
        if not isinstance(s, Op) or not isinstance(s.fn, Function):
            return s
        if not s.fn.catches:
            return replace(s, fn=shells[s.fn])
        refuse_none(s, merged)
        return replace(s, fn=sites.coded(s.fn, classes_of(s.fn), s.origin).function)

    return with_body(function, map_stmts(function.body, change))


# ---------------------------------------------------------------- those who ask for them


def _with_numbers(function: Function, sites: Sites) -> Function:
    """A function in which exceptions are numbers: what is asked of them, and raised again."""
    uses = _Uses(function, sites)
    return _renamed(with_body(function, map_stmts(function.body, uses.change)))


def _is_error(a: Atom) -> bool:
    return isinstance(a, Var) and a.kind == ERROR


class _Uses:
    """What is done with exceptions, done with their numbers."""

    def __init__(self, function: Function, sites: Sites) -> None:
        self.sites = sites
        self.made = definitions(function)

    def change(self, s: Stmt) -> Stmt | list[Stmt]:
        """A statement, or what takes its place."""
        if not isinstance(s, Op) or not any(map(_is_error, s.args)):
            return s
        match s.fn:
            case operator.is_ | operator.is_not if Const(None) in s.args:
                error = next(filter(_is_error, s.args))
                return replace(s, fn=operator.eq if s.fn is operator.is_ else operator.ne, args=(error, Const(0)))
            case fn if fn is isinstance:
                return self.is_of(s)
            case prims.raise_ if _is_error(s.args[0]):
                return raising(s.args[0], self.sites.of(s.args[0]), s.origin)
            case prims.raise_:
                return replace(s, args=s.args[:1])
            case fn if fn in (prims.format_value, str, repr) and s.target is not None:
                return self.text(s.target, s)
            case fn if fn is print:
                return self.printed(s)
        return s

    def is_of(self, s: Op) -> list[Stmt]:
        """Whether an exception is of some classes."""
        classes = tuple(self.classes(s.args[1], s.origin))
        numbers = [n for site, n in self.sites.of(s.args[0]) if issubclass(site.kind, classes)]
        tests, found = is_one_of(s.args[0], numbers, s.origin)
        return [*tests, Op(s.target, prims.identity, (found,), (), s.origin)]

    def classes(self, a: Atom, origin: Origin | None) -> Iterable[type]:
        made = self.made.get(a) if isinstance(a, Var) else None
        if isinstance(a, Ref | Const) and isinstance(a.value, type):
            yield a.value
        elif isinstance(made, Op) and made.fn is prims.make_tuple:
            for item in made.args:
                yield from self.classes(item, origin)
        else:
            refuse("of which class an exception is", origin)

    def text(self, target: Var, s: Op) -> list[Stmt]:
        """The text of an exception: one of a few."""
        error, *how = s.args
        given = [a.value if isinstance(a, Const) else None for a in how] if s.fn is prims.format_value else ["", ""]
        texts = [
            (_text_of(site, repr if s.fn is repr or given[0] == "r" else str), n) for site, n in self.sites.of(error)
        ]
        if given[1] != "" or given[0] not in ("", "s", "r") or not texts or any(text is None for text, _ in texts):
            refuse("the text of an exception that is caught", s.origin)
        block = Block((), (Const(texts[-1][0]),))
        for text, n in reversed(texts[:-1]):
            test, result = Var("", K.BOOL), Var("", K.STR)
            branch = If(test, Block((), (Const(text),)), block, (result,), s.origin)
            block = Block((Op(test, operator.eq, (error, Const(n)), (), s.origin), branch), (result,))
        return [*block.stmts, Op(target, prims.identity, block.outs, (), s.origin)]

    def printed(self, s: Op) -> list[Stmt]:
        stmts: list[Stmt] = []
        args = list(s.args)
        for k, a in enumerate(args):
            if _is_error(a):
                args[k] = text = Var("", K.STR)
                stmts += self.text(text, Op(text, str, (a,), (), s.origin))
        return [*stmts, replace(s, args=tuple(args))]


def _text_of(site: Site, convert: Callable[[Any], str]) -> str | None:
    """The text of an exception of Python's or a library's; None where that is not known."""
    if site.made is None or not isinstance(site.made[0], type):
        return None
    fn, args = site.made
    return convert(fn(*(a.value for a in args if isinstance(a, Const))))


# ---------------------------------------------------------------- kinds


def _renamed(function: Function) -> Function:
    """A function whose variables for exceptions are for numbers."""
    body = map_stmts(function.body, _zero_for_none)
    names: dict[Atom, Var] = {}

    def define(v: Var) -> Var:
        kind = _of_numbers(v.kind)
        if kind == v.kind:
            return v
        return names.setdefault(v, Var(v.hint, kind))

    return map_atoms(with_body(function, body), lambda a: names.get(a, a), define)


def _of_numbers(kind: K.Kind) -> K.Kind:
    match kind:
        case _ if kind == ERROR:
            return K.INT
        case K.List(item, fields):
            return K.List(_of_numbers(item), fields and tuple(map(_of_numbers, fields)))
        case K.Tuple(items, cls):
            return K.Tuple(tuple(map(_of_numbers, items)), cls)
    return kind


def _zero_for_none(s: Stmt) -> Stmt:
    """A branch or a loop that hands on zero where it handed on None for an exception."""
    match s:
        case If(results=results):
            names: tuple[Var, ...] = results
        case For(params=names) | While(params=names):
            inits = tuple(map(_as_number, s.inits, names))
            if inits != s.inits:
                s = replace(s, inits=inits)
        case _:
            return s
    if not any(map(_is_error, names)):
        return s
    blocks = [s.then, s.orelse] if isinstance(s, If) else [s.body]
    new = [Block(b.stmts, (*map(_as_number, b.outs, names), *b.outs[len(names) :])) for b in blocks]
    tests = (s.test,) if isinstance(s, While) else ()
    return with_blocks(s, (*tests, *new))


def _as_number(a: Atom, name: Var) -> Atom:
    return Const(0) if _is_error(name) and a == Const(None) else a
