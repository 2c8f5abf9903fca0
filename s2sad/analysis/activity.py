"""Activity: which values carry a derivative.

A value is *varied* when it depends differentiably on an independent, *useful* when the
result depends differentiably on it, and *active* when it is both (Griewank & Walther,
section 6.2).  Memory is followed by alias class: a store makes its class varied, a load from a
varied class is varied.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from s2sad.analysis.effects import BLIND, TRANSPARENT, metadata_positions, writes_of
from s2sad.analysis.memory import Memory, is_immutable
from s2sad.analysis.sharing import shared_operands
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import (
    Atom,
    Block,
    Closure,
    Comment,
    Const,
    For,
    Function,
    If,
    Op,
    Stmt,
    Store,
    Var,
    While,
    With,
    kind_of,
)
from s2sad.ir.rewrite import walk
from s2sad.rules.lookup import rule_of

__all__ = ["Activity", "carries_derivative"]


def carries_derivative(kind: K.Kind) -> bool:
    """Whether a value of this kind can carry a derivative, itself or in what it holds.

    >>> carries_derivative(K.FLOAT), carries_derivative(K.INT), carries_derivative(K.List(K.FLOAT))
    (True, False, True)
    >>> carries_derivative(K.STR), carries_derivative(K.Other(types.SimpleNamespace))
    (False, True)
    """
    if type(kind) is K.Scalar or type(kind) is K.Array:
        return K.is_float(kind) or kind.dtype == "object" or kind.dtype.startswith("void")
    match kind:
        case K.Tuple(items):
            return any(carries_derivative(k) for k in items)
        case K.List(item) | K.Dict(item):
            return carries_derivative(item)
        case K.Other(t):
            return t is None or not issubclass(t, _HOLD_NO_FLOATS)
    return K.is_float(kind) or K.dtype_of(kind).startswith("void")


#: Of other objects, what one made of floats has them in its attributes, or gives them back. These have nothing such:
#: text, what an index or a type is, and the containers of which a kind says more where they hold floats.
_HOLD_NO_FLOATS = (
    *(type(None), type(...), str, bytes, bool, slice, range, type, np.dtype, np.generic, list, tuple, dict, K.Key),
    *(types.ModuleType, types.FunctionType, types.BuiltinFunctionType, BaseException),
)


class Activity:
    """Varied, useful and active values of a function, with respect to some of its parameters."""

    def __init__(self, function: Function, independents: Iterable[Var], memory: Memory) -> None:
        self.function = function
        self.memory = memory
        self.varied: set[Any] = set()
        self.useful: set[Any] = set()
        self.changed = True
        independents = tuple(independents)
        self.still = self.constants(independents)
        for v in independents:
            self.mark(self.varied, v)
        while self.changed:
            self.changed = False
            self.forward(function.body)
        self.mark(self.useful, function.result)
        self.changed = True
        while self.changed:
            self.changed = False
            self.backward(function.body)

    def is_active(self, a: Atom | None) -> bool:
        """Whether a value carries a derivative that matters."""
        return self.holds(self.varied, a) and self.holds(self.useful, a)

    def is_varied(self, a: Atom | None) -> bool:
        """Whether a value depends on an independent."""
        return self.holds(self.varied, a)

    def constants(self, independents: tuple[Var, ...]) -> set[Var]:
        """Parameters that no independent is part of and that nothing is stored into, and their parts.

        So are items of a tuple that holds independents at other places. A class may have others: an item of such a
        list, and what takes its place in a loop. A slice of a list and items picked from an array are new objects,
        which may change.
        """
        whole = {s.target: s.args[0] for s in walk(self.function) if isinstance(s, Op) and s.target and _is_part(s)}
        holders: set[Any] = {h for v in independents for h in _holders(v, whole)}
        varied = holders.union(independents)
        foreign = self.memory.foreign

        def unchanged(v: Var) -> bool:
            return v not in varied and not any(c in foreign for c in self.memory.reachable(v))

        found: set[Any] = set(filter(unchanged, self.function.params))
        partly = {h for h in holders if not {h, *_holders(h, whole)}.intersection(independents)}
        beside = self.beside(partly, varied)
        for part, base in whole.items():
            if part not in varied and (base in found or (part in beside and unchanged(part))):
                found.add(part)
        return found

    def beside(self, partly: set[Any], varied: set[Any]) -> set[Any]:
        """Items of tuples that hold independents and are none, nor part of one, at places where no independent is."""
        items = {
            s.target: (s.args[0], s.args[1])
            for s in walk(self.function)
            if isinstance(s, Op) and s.fn is operator.getitem and s.target and isinstance(s.args[1], Const)
            if isinstance(kind_of(s.args[0]), K.Tuple) and isinstance(s.args[1].value, int) and s.args[0] in partly
        }
        taken = {place for v, place in items.items() if v in varied}
        return {v for v, place in items.items() if place not in taken and place[1].value >= 0}

    def carries(self, kind: K.Kind) -> bool:
        """Whether values of this kind are looked at."""
        return carries_derivative(kind)

    def sources(self, op: Op) -> list[Atom]:
        """The arguments of an operation that what it gives depends on."""
        return differentiable_arguments(op)

    def is_useful(self, a: Atom | None) -> bool:
        """Whether the result depends differentiably on a value."""
        return self.holds(self.useful, a)

    # -- marks --------------------------------------------------------------------------

    def keys(self, a: Any) -> list[Any]:
        """What stands for a value: itself, and the memory it refers to with all it holds."""
        if not isinstance(a, Var) or not self.carries(a.kind):
            return []
        if isinstance(a.kind, K.Scalar):
            return [a]
        classes = self.memory.reachable(a)
        return [("memory", c) for c in classes] or [a]

    def holds(self, marks: set[Any], a: Any) -> bool:
        if type(a) is not Var or a in self.still:
            return False
        if type(a.kind) is K.Scalar:
            return a in marks
        return any(k in marks for k in self.keys(a))

    def mark(self, marks: set[Any], a: Any) -> None:
        for k in self.keys(a):
            if k not in marks:
                marks.add(k)
                self.changed = True

    # -- forward ------------------------------------------------------------------------

    def forward(self, block: Block) -> None:
        for s in block.stmts:
            self.forward_stmt(s)

    def forward_stmt(self, s: Stmt) -> None:
        match s:
            case Op():
                self.forward_op(s)
            case Store(obj=obj, value=value):
                if self.is_varied(value):
                    self.mark(self.varied, obj)
            case If(then=then, orelse=orelse, results=results):
                self.forward(then)
                self.forward(orelse)
                for r, a, b in zip(results, then.outs, orelse.outs, strict=True):
                    self.flow(self.varied, (a, b), r)
            case For() | While():
                if isinstance(s, While):
                    self.forward(s.test)
                for p, a, b in zip(s.params, s.inits, outs_of(s), strict=True):
                    self.flow(self.varied, (a, b), p)
                self.forward(s.body)
                for r, p, a, b in zip(s.results, s.params, s.inits, outs_of(s), strict=True):
                    self.flow(self.varied, (p, a, b), r)
                    self.flow(self.varied, (b,), p)
            case With(body=body, results=results):
                self.forward(body)
                for r, a in zip(results, body.outs, strict=True):
                    self.flow(self.varied, (a,), r)
            case Closure() | Comment():
                pass

    def forward_op(self, op: Op) -> None:
        sources = self.sources(op)
        if any(self.is_varied(a) for a in sources):
            if op.target is not None:
                self.mark(self.varied, op.target)
            for w in written_by(op):
                self.mark(self.varied, w)

    def flow(self, marks: set[Any], sources: Iterable[Any], target: Any) -> None:
        if any(self.holds(marks, a) for a in sources):
            self.mark(marks, target)

    # -- backward -----------------------------------------------------------------------

    def backward(self, block: Block) -> None:
        for s in reversed(block.stmts):
            self.backward_stmt(s)

    def backward_stmt(self, s: Stmt) -> None:
        match s:
            case Op():
                if self.holds(self.useful, s.target) or any(self.holds(self.useful, w) for w in written_by(s)):
                    for a in self.sources(s):
                        self.mark(self.useful, a)
            case Store(obj=obj, value=value):
                self.flow(self.useful, (obj,), value)
            case If(then=then, orelse=orelse, results=results):
                for r, a, b in zip(results, then.outs, orelse.outs, strict=True):
                    self.flow(self.useful, (r,), a)
                    self.flow(self.useful, (r,), b)
                self.backward(then)
                self.backward(orelse)
            case For() | While():
                for r, p, a, b in zip(s.results, s.params, s.inits, outs_of(s), strict=True):
                    self.flow(self.useful, (r, p), b)
                    self.flow(self.useful, (r, p), a)
                self.backward(s.body)
                for p, a, b in zip(s.params, s.inits, outs_of(s), strict=True):
                    self.flow(self.useful, (p,), b)
                    self.flow(self.useful, (p,), a)
                if isinstance(s, While):
                    self.backward(s.test)
            case With(body=body, results=results):
                for r, a in zip(results, body.outs, strict=True):
                    self.flow(self.useful, (r,), a)
                self.backward(body)


def _holders(v: Any, whole: Mapping[Any, Any]) -> Iterator[Any]:
    """What a value is part of, and what that is part of."""
    while (v := whole.get(v)) is not None:
        yield v


def _is_part(op: Op) -> bool:
    """Whether an operation gives what its first operand holds, or a view of it, rather than a new object."""
    if op.fn is operator.getitem and isinstance(op.args[0], Var):
        match op.args[0].kind:
            case K.Array() | K.Numeric():
                return bool(shared_operands(op)) or (op.target is not None and isinstance(op.target.kind, K.Scalar))
            case K.List():
                return getattr(op.args[1], "kind", None) != K.SLICE
    return op.fn is operator.getitem or op.fn is prims.getattr_


def outs_of(s: For | While) -> tuple[Atom, ...]:
    """The next values of a loop's params, without the exit flag."""
    return s.body.outs[:-1] if s.has_exit else s.body.outs


def written_by(op: Op) -> tuple[Atom, ...]:
    """The objects a primitive changes, and those that a call of which nothing is known may change."""
    if isinstance(op.fn, Function):
        return ()
    return tuple(a for a in writes_of(op) if isinstance(a, Var) and not is_immutable(a.kind))


def differentiable_arguments(op: Op) -> list[Atom]:
    """The arguments through which a derivative may flow to what an operation gives or writes."""
    fn = op.fn
    if fn in BLIND:
        return []
    if fn is operator.getitem or fn is prims.getattr_:
        return [op.args[0]]
    if fn is prims.list_pop:
        return [op.args[0]]
    rule = rule_of(op)
    arguments = [*op.args, *(a for _, a in op.kwargs)]
    if rule is not None and rule.form == "zero":
        return []
    if rule is None and fn not in TRANSPARENT:
        blind = metadata_positions(fn)
        return [a for k, a in enumerate(arguments) if k not in blind]
    return arguments
