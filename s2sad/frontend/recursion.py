"""Functions that are called rather than put in place: those that call themselves.

A function whose recursion does not end at a depth known while compiling is lowered once, for the
structure of its arguments, as a function of its own.  What it returns is found by lowering it
until the kinds of the result settle.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad.analysis.effects import is_pure, spares_arguments
from s2sad.analysis.memory import Memory
from s2sad.frontend.interface import Lowering
from s2sad.frontend.outlining import as_parameters, callers_of, passing, taking
from s2sad.frontend.real_parts import check_real_parts
from s2sad.frontend.values import (
    SERIALS,
    AVal,
    DictV,
    Frame,
    FuncV,
    ObjectV,
    TupleV,
    fields_of,
    is_atom,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Callee, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import free_vars, substitute, walk
from s2sad.names import candidates

__all__ = ["Recursion"]

#: How often a function may be entered within itself before it becomes a function of its own.
UNROLLED = 12
#: How many of those within others are lowered into one body: those that call themselves twice are 2 ** depth. So many
#: if the function can be one of its own, which takes a fraction of the time, and so many if it cannot.
UNROLLED_IN_ALL = 60
UNROLLED_AT_MOST = 1000
#: What may be None where it is passed to a function or given by one: their zeros look at no value.
_BESIDE_NONE = (K.Scalar, K.Row, K.Other, K.Bottom)


@dataclass(eq=False)
class Outlined:
    """A function being lowered on its own: what it is called by, and what it is so far known to return."""

    callee: Callee
    result: AVal | None = None


class Recursion(Lowering):
    """The part of the lowerer that calls functions of their own."""

    def call_outlined(self, frame: Frame, node: Any, bound: dict[str, AVal], hint: str) -> AVal:
        """Call a function that is lowered on its own."""
        if any(self.may_be_none(v) and not isinstance(runtime_kind(v), _BESIDE_NONE) for v in bound.values()):
            raise self.unsupported(
                f"the recursive function `{frame.name}` takes an array or a list that may be None.",
                "Test for None before the call.",
            )
        if any(not _passable(self, v) for v in bound.values()):
            raise self.unsupported(
                f"the recursive function `{frame.name}` takes an argument that cannot be passed to it.",
                "Pass numbers, arrays, lists and tuples of these, and functions that stay the same.",
            )
        key = (id(node), tuple((n, _signature(self, v)) for n, v in bound.items()))
        leaves: dict[Var, Atom] = {}
        with self.overlay():  # the fields of objects that are parameters are there in the body only
            given = {n: _general(self, v, leaves, n) for n, v in bound.items()}
            if any(isinstance(kind_of(a), K.Bottom) for a in leaves.values()):
                return UNDEF
            outlined = self.outlined.get(key)
            captured: tuple[Var, ...] = ()
            if outlined is None:
                outlined = self.outlined[key] = Outlined(Callee(frame.name))
                try:
                    captured = self.outline(outlined, frame, node, given, tuple(leaves))
                finally:
                    del self.outlined[key]
        return self.result_of(outlined, (*leaves.values(), *captured), hint)

    def result_of(self, outlined: Outlined, args: tuple[Atom, ...], hint: str) -> AVal:
        """The result of a call, taken apart."""
        if outlined.result is None:
            return UNDEF
        leaves = _leaves(outlined.result)
        kinds = tuple(K.without_shape(runtime_kind(a)) for a in leaves)
        if len(leaves) == 1 and is_atom(outlined.result):
            return self.as_result(leaves[0], self.emit(outlined.callee, *args, kind=kinds[0], hint=hint))
        whole = self.emit(outlined.callee, *args, kind=K.Tuple(kinds))
        parts = iter([self.as_result(leaf, self.load(whole, Const(k))) for k, leaf in enumerate(leaves)])
        return self.thaw(_rebuilt(outlined.result, lambda _: next(parts)))

    def as_result(self, leaf: AVal, part: AVal) -> AVal:
        """Part of what a call gave, None where the function may give that."""
        if leaf in self.nullable and isinstance(part, Var):
            self.nullable.add(part)
        return part

    def outline(
        self, outlined: Outlined, frame: Frame, node: Any, given: dict[str, AVal], leaves: tuple[Var, ...]
    ) -> tuple[Var, ...]:
        """Lower the body until the kinds of its result settle; the outer variables it reads."""
        for _ in range(10):
            serial = next(SERIALS)
            inner = replace(frame, loops=[], serial=next(SERIALS))
            with self.overlay() as writes, self.block() as stmts:
                for n, v in given.items():
                    self.write((inner, n), v)
                self.active_calls.append(node)
                try:
                    value = self.run_body(inner, node)
                finally:
                    self.active_calls.pop()
                value = self.snapshot(value, self.read)
                parts = [self.as_atom(a) for a in _leaves(value)]
                result = parts[0] if is_atom(value) else self.as_atom(TupleV(tuple(parts)))
            for place in writes:
                if isinstance(place[0], Frame | DictV | ObjectV) and self.was_before(place[0], serial):
                    what = "assigns the outer variable" if isinstance(place[0], Frame) else "changes the outer"
                    raise self.unsupported(
                        f"the recursive function `{frame.name}` {what} `{place[1]}`.", "Return the value instead."
                    )
            wider = _joined(self, outlined.result, value)
            if wider is None:
                return self.close(outlined, stmts, result, leaves)
            outlined.result = wider
        raise self.unsupported(f"the kind of what the recursive function `{frame.name}` returns does not settle.")

    def close(self, outlined: Outlined, stmts: list[Stmt], result: Atom, leaves: tuple[Var, ...]) -> tuple[Var, ...]:
        """Make the function, with the outer variables it reads as further parameters."""
        callee = outlined.callee
        captured = tuple(v for v in free_vars(Block(tuple(stmts), (result,))) if v not in leaves)
        extra = as_parameters(captured, leaves)
        body = substitute(Block(tuple(stmts), (result,)), extra)
        assert isinstance(body, Block)
        body = check_real_parts(body, (*leaves, *extra.values()), self.definitions.may_turn_complex)
        own = tuple(extra.values())
        back = callers_of(callee, body)
        for other in back:
            other.function = taking(captured, other.function, {callee, *back})  # type: ignore[arg-type]
        body = passing(own, body, {callee, *back})
        function = Function(callee.name, (*leaves, *own), body, origin=self.origin)
        does = [s.fn for s in _operations(function) if s.fn is not callee]
        callee.pure = all(map(is_pure, does))
        callee.spares = all(is_pure(fn) or spares_arguments(fn) for fn in does)
        for other in back:
            other.pure, other.spares = other.pure and callee.pure, other.spares and callee.spares
        memory = Memory(function)
        for p in function.params:
            if any(c in memory.foreign for c in memory.reachable(p)):
                raise self.unsupported(
                    f"the recursive function `{callee.name}` updates an argument in place.",
                    "Return a new array, or write the recursion as a loop.",
                )
        callee.function = own_results(function)
        return captured


def own_results(function: Function) -> Function:
    """The function, with array results copied so that they share memory with no argument."""
    result = function.result
    if not isinstance(result, Var) or not isinstance(result.kind, K.Array | K.Numeric):
        return function
    copy = Var(result.hint, result.kind)
    stmts = (*function.body.stmts, Op(copy, np.copy if isinstance(result.kind, K.Array) else prims.identity, (result,)))
    return Function(function.name, function.params, Block(stmts, (copy,)), function.doc, function.origin)


def _operations(function: Function) -> list[Op]:
    return [s for s in walk(function) if isinstance(s, Op)]


def _passable(lo: Lowering, v: AVal) -> bool:
    match v:
        case TupleV(items):
            return all(_passable(lo, i) for i in items)
        case DictV():
            return all(_passable(lo, lo.value_at((v, k))) for k in lo.dict_keys(v))
        case ObjectV(cls=cls, live=None):
            return (
                bool(fields_of(cls))
                and v not in lo.extended
                and all(_passable(lo, lo.attribute(v, n)) for n in fields_of(cls))
            )
    return is_atom(v) or isinstance(v, FuncV | ObjectV)


def _signature(lo: Lowering, v: AVal) -> Any:
    """What of an argument a function of its own is made for."""
    match v:
        case Const(value=bool() | str() | None):
            return v
        case TupleV(items, cls):
            return cls, tuple(_signature(lo, i) for i in items)
        case DictV():
            return v.cls, v.own, tuple((k, _signature(lo, lo.value_at((v, k)))) for k in lo.dict_keys(v))
        case ObjectV(cls=cls, live=None):
            return cls, tuple(_signature(lo, lo.attribute(v, n)) for n in fields_of(cls))
    return (K.without_shape(kind_of(v)), lo.may_be_none(v)) if is_atom(v) else v


def _general(lo: Lowering, v: AVal, leaves: dict[Var, Atom], name: str) -> AVal:
    """An argument with a fresh parameter for each of its numbers, arrays and lists."""
    match v:
        case Const(value=bool() | str() | None):
            return v
        case TupleV(items, cls):
            return TupleV(tuple(_general(lo, i, leaves, name) for i in items), cls)
        case DictV():
            pairs = [(k, _general(lo, lo.value_at((v, k)), leaves, str(k))) for k in lo.dict_keys(v)]
            return lo.dict_like(v, pairs, None)
        case ObjectV(cls=cls, live=None):
            twin = ObjectV(cls)
            for n in fields_of(cls):
                lo.write((twin, n), _general(lo, lo.attribute(v, n), leaves, n))
            return twin
    if not is_atom(v):
        return v
    taken = {p.hint for p in leaves}
    hint = name if name.isidentifier() else "x"
    unique = next(n for n in candidates(hint) if n not in taken)
    param = Var(unique, K.without_shape(kind_of(v)))
    leaves[param] = v
    if lo.may_be_none(v):
        lo.nullable.add(param)
    return param


def _leaves(v: AVal) -> list[AVal]:
    return [leaf for i in v.items for leaf in _leaves(i)] if isinstance(v, TupleV) else [v]


def _rebuilt(v: AVal, leaf: Callable[[AVal], AVal]) -> AVal:
    return TupleV(tuple(_rebuilt(i, leaf) for i in v.items), v.cls) if isinstance(v, TupleV) else leaf(v)


def _joined(lo: Lowering, known: AVal | None, value: AVal) -> AVal | None:
    """A result that covers both what was known and a new finding; None where nothing is new."""
    if known is None or known == UNDEF:
        return _rebuilt(value, lambda a: _result(lo, a))
    if isinstance(known, TupleV) and isinstance(value, TupleV) and len(known.items) == len(value.items):
        parts = [_joined(lo, a, b) for a, b in zip(known.items, value.items, strict=True)]
        if all(p is None for p in parts):
            return None
        items = tuple(a if p is None else p for a, p in zip(known.items, parts, strict=True))
        return TupleV(items, known.cls)
    wider = _result(lo, known, value)
    return None if wider.kind == runtime_kind(known) and (wider in lo.nullable) <= lo.may_be_none(known) else wider


def _result(lo: Lowering, *values: AVal) -> Var:
    """A variable for what a function gives, which is one of several things; None only beside numbers and objects."""
    kinds = [K.without_shape(runtime_kind(v)) for v in values]
    none = any(map(lo.may_be_none, values))
    kind: K.Kind = functools.reduce(K.join, [K.BOTTOM, *(k for k in kinds if k != K.NONE)])
    if not none or isinstance(kind, _BESIDE_NONE[:2]):
        result = Var("", kind)
        if none:
            lo.nullable.add(result)
        return result
    return Var("", K.NONE if kind == K.BOTTOM else K.ANY)
