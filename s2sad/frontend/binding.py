"""Calls of Python functions: arguments are bound as Python does, the body is lowered in place."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
from typing import Any

import gast

from s2sad.frontend.builder import FALSE, TRUE, Restart
from s2sad.frontend.interface import Lowering
from s2sad.frontend.keeping import call_kept
from s2sad.frontend.parse import FunctionSource, parse_function
from s2sad.frontend.recursion import UNROLLED, UNROLLED_AT_MOST, UNROLLED_IN_ALL
from s2sad.frontend.scope import own_nodes, scope_names, yields_in
from s2sad.frontend.standing import refuse_call
from s2sad.frontend.statements import always_exits
from s2sad.frontend.values import (
    REST,
    SPREAD,
    AVal,
    ClosureV,
    Frame,
    GeneratorV,
    SliceV,
    TupleV,
    is_atom,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Const

__all__ = ["Binding", "frame_of"]


def frame_of(source: FunctionSource, owner: type | None = None) -> Frame:
    """A fresh activation record for a function."""
    names = scope_names(source.node)
    return Frame(
        source.node.name if isinstance(source.node, gast.FunctionDef) else "<lambda>",
        source,
        source.globals,
        dict(source.closure),
        None,
        *names,
        owner=owner,
    )


class Binding(Lowering):
    """The part of the lowerer that enters functions."""

    def call_function(self, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Lower the body of a Python function in place of its call."""
        refuse_call(self, fn)
        source = parse_function(fn, generators=True)
        frame = frame_of(source)
        defaults = [functools.partial(self.default_value, v) for v in source.defaults]
        kwdefaults = {k: functools.partial(self.default_value, v) for k, v in source.kwdefaults.items()}
        self.call_sites.append(self.origin)
        try:
            return self.inline(frame, source.node, args, kwargs, defaults, kwdefaults, hint)
        finally:
            self.call_sites.pop()

    def call_closure(self, function: ClosureV, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Call a function defined inside the function being compiled."""
        if function.kept:
            anew = dataclasses.replace(function, kept=False)
            return call_kept(self, function.name, lambda: self.call_closure(anew, args, kwargs, hint))
        parent = function.frame
        frame = Frame(function.name, parent.source, parent.globals, parent.closure, parent, *scope_names(function.node))
        defaults = [functools.partial(_given, v) for v in function.defaults]
        kwdefaults = {k: functools.partial(_given, v) for k, v in function.kwdefaults}
        return self.inline(frame, function.node, args, kwargs, defaults, kwdefaults, hint)

    def inline(
        self,
        frame: Frame,
        node: Any,
        args: list[AVal],
        kwargs: dict[str, AVal],
        defaults: Any,
        kwdefaults: Any,
        hint: str = "",
    ) -> AVal:
        bound = self.bind_arguments(frame.name, node.args, args, kwargs, defaults, kwdefaults)
        managing, self.managing = self.managing, False
        if yields_in(node):
            if managing:
                self.check_manager(node)
            else:
                self.check_yields(node)
            return GeneratorV("generated", (), node=node, frame=frame, given=tuple(bound.items()))
        if id(node) in self.recursive:
            return self.call_outlined(frame, node, bound, hint)
        depth = sum(n is node for n in self.active_calls)
        self.entered_within[id(node)] += depth > 0
        entered = self.entered_within[id(node)]
        if depth > UNROLLED or entered > (UNROLLED_AT_MOST if self.unrolls_more else UNROLLED_IN_ALL):
            if depth <= UNROLLED and not self.unrolls_more:
                self.outlined_early.add(id(node))
            self.recursive.add(id(node))
            raise Restart
        for name, value in bound.items():
            self.write((frame, name), value)
        self.active_calls.append(node)
        try:
            return self.run_body(frame, node)
        finally:
            self.active_calls.pop()

    def check_manager(self, node: Any) -> None:
        """Refuse a context that does not yield once, whatever it does, or that sees exceptions."""
        if len(yields_in(node)) != 1 or not _yields_once(node.body):
            raise self.unsupported(
                f"`{node.name}` makes a context by a `yield` within a branch, a loop or a `try` with `except`.",
                "Yield once, by itself or within `try` and `finally`.",
            )

    def check_yields(self, node: Any) -> None:
        """Refuse a generator that is sent something, or left in the middle of what does something at its end."""
        plain = {id(n.value) for n in own_nodes(node) if isinstance(n, gast.Expr)}
        for n in own_nodes(node):
            within = isinstance(n, gast.With | gast.Try)
            if within and any(isinstance(i, gast.Yield | gast.YieldFrom) for i in gast.walk(n)):
                raise self.unsupported(
                    f"`{node.name}` yields within `try` or `with`, which end when the generator is left.",
                    "Yield after it.",
                )
        if any(id(n) not in plain for n in yields_in(node)):
            raise self.unsupported("a generator that asks for the value of its `yield` is not handled.")

    def run_body(self, frame: Frame, node: Any) -> AVal:
        """Lower the body of a function in its frame; the value it returns."""
        self.frames.append(frame)
        outer_origin = self.origin
        try:
            if isinstance(node, gast.Lambda):
                self.origin = self.here(node)
                return self.expr(node.body)
            for name, start in (("$exit", FALSE), ("$ret", FALSE), ("$value", UNDEF)):
                self.write((frame, name), start)
            self.statements(node.body)
            return self.returned(frame, node)
        finally:
            self.frames.pop()
            self.origin = outer_origin

    def returned(self, frame: Frame, node: Any) -> AVal:
        """What a body returned; None where it ran off its end."""
        value, done = self.value_at((frame, "$value")), self.value_at((frame, "$ret"))
        if done == TRUE or always_exits(node.body):
            return value
        if done == FALSE or not is_atom(done):
            return Const(None)
        return self.choose(done, lambda: value, lambda: Const(None))

    def bind_arguments(
        self,
        name: str,
        params: Any,
        args: list[AVal],
        kwargs: dict[str, AVal],
        defaults: Any,
        kwdefaults: Any,
    ) -> dict[str, AVal]:
        """Bind a call's arguments as Python does."""
        positional = [a.id for a in (*params.posonlyargs, *params.args)]
        keyword_ok = {a.id for a in (*params.args, *params.kwonlyargs)}
        bound: dict[str, AVal] = dict(zip(positional, args, strict=False))
        if len(args) > len(positional) and params.vararg is None:
            raise self.unsupported(f"`{name}` takes {len(positional)} positional arguments and is given {len(args)}.")
        extra: list[tuple[Any, AVal]] = []
        for k, v in kwargs.items():
            if k in (REST, SPREAD):
                continue
            if k in keyword_ok and k not in bound:
                bound[k] = v
            elif params.kwarg is not None and k not in keyword_ok:
                extra.append((k, v))
            else:
                raise self.unsupported(f"`{name}` got an unexpected or repeated argument `{k}`.")
        optional = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True)) | kwdefaults
        more: AVal = TupleV(tuple(args[len(positional) :]))
        if SPREAD in kwargs:
            more = self.bind_spread(bound, args, kwargs[SPREAD], params, optional)
        if REST in kwargs:
            self.bind_rest(bound, kwargs[REST], params, optional)
        for k, default in optional.items():
            if k not in bound:
                bound[k] = default()
        missing = [n for n in (*positional, *(a.id for a in params.kwonlyargs)) if n not in bound]
        if missing:
            raise self.unsupported(f"`{name}` is missing the argument `{missing[0]}`.")
        if params.vararg is not None:
            bound[params.vararg.id] = more
        if params.kwarg is not None:
            bound[params.kwarg.id] = self.fresh_dict([(Const(k), v) for k, v in extra], params.kwarg.id, params.kwarg)
        return bound

    def bind_spread(
        self, bound: dict[str, AVal], args: list[AVal], spread: AVal, params: Any, optional: dict[str, Any]
    ) -> AVal:
        """Bind parameters to the first items of a tuple of any length; the tuple of those that are left over.

        It must have as many as there are parameters for: Python raises TypeError otherwise.
        """
        positional = [a.id for a in (*params.posonlyargs, *params.args)]
        rest = positional[len(args) :]
        names = list(itertools.takewhile(lambda name: name not in bound, rest))
        if params.vararg is not None and not rest:
            return self.tuple_of([*((False, a) for a in args[len(positional) :]), (True, spread)])
        needed = len([name for name in names if name not in optional])
        atom = self.sized(
            spread, needed, operator.ge if params.vararg is not None or needed < len(names) else operator.eq
        )
        length = self.emit(len, atom, kind=K.INT)
        for k, name in enumerate(names):
            take = functools.partial(self.load, atom, Const(k))
            if k < needed:
                bound[name] = take()
            else:
                there = self.emit(operator.gt, length, Const(k), kind=K.BOOL)
                bound[name] = self.choose(there, take, optional[name])
        if params.vararg is None or len(names) < len(rest):
            fits = self.emit(operator.le, length, Const(len(names)), kind=K.BOOL)
            self.effect(prims.assert_, fits, Const(f"the starred sequence has more items than {len(names)}"))
            return TupleV(())
        return self.load(atom, SliceV((Const(len(names)), Const(None), Const(None))))

    def bind_rest(self, bound: dict[str, AVal], rest: AVal, params: Any, optional: dict[str, Any]) -> None:
        """Bind parameters to the items of a dict, which must have no others: Python raises TypeError otherwise."""
        if params.kwarg is not None:
            raise self.unsupported("`**` of a dict whose keys are not known here needs a function without `**`.")
        atom = self.as_atom(rest)
        used: Atom = Const(0)
        for name in [a.id for a in (*params.args, *params.kwonlyargs) if a.id not in bound]:
            there: Atom = Const(1)
            if name in optional:
                there = self.emit(prims.contains, Const(name), atom, kind=K.BOOL)
                bound[name] = self.choose(there, functools.partial(self.load, atom, Const(name)), optional[name])
            else:
                bound[name] = self.load(atom, Const(name))
            used = self.as_atom(self.binary(operator.add, used, there))
        self.effect(
            prims.assert_,
            self.emit(operator.eq, self.emit(len, atom, kind=K.INT), used, kind=K.BOOL),
            Const("the dict after `**` must have no keys besides parameters of the function"),
        )


def _given(value: AVal) -> AVal:
    return value


def _yields_once(body: list[Any]) -> bool:
    """Whether a block comes to a statement that yields, of its own or of a ``try`` with ``finally`` alone."""
    for s in body:
        match s:
            case gast.Expr(value=gast.Yield()):
                return True
            case gast.Try(body=inner, handlers=[], orelse=[]) if _yields_once(inner):
                return True
            case _ if any(isinstance(n, gast.Return | gast.Yield) for n in gast.walk(s)):
                return False
    return False
