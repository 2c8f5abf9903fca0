"""Functions that are called rather than put in place: those that call themselves.

A function whose recursion does not end at a depth known while compiling is lowered once, for the
structure of its arguments, as a function of its own.  What it returns is found by lowering it
until the kinds of the result settle.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.effects import is_pure, spares_arguments
from s2sad.analysis.memory import is_immutable
from s2sad.frontend.builder import Place
from s2sad.frontend.interface import Lowering
from s2sad.frontend.outlining import as_parameters, callers_of, passing, taking
from s2sad.frontend.real_parts import check_real_parts
from s2sad.frontend.updating import (
    Outlined,
    given_back,
    gives_apart,
    on_copies,
    only_source,
    put_back,
    refuse_changed,
    refuse_given_arguments,
    updated_by,
    widened,
)
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
                outlined = self.outlined[key] = Outlined(Callee(frame.name, apart=True))
                try:
                    captured = self.outline(outlined, frame, node, given, tuple(leaves))
                finally:
                    del self.outlined[key]
        return self.result_of(outlined, tuple(leaves.values()), captured, hint)

    def result_of(self, outlined: Outlined, leaves: tuple[Atom, ...], captured: tuple[Var, ...], hint: str) -> AVal:
        """The result of a call, taken apart; what it updates is what it has given back then."""
        carried = self.carried_into(outlined)
        if outlined.result is None:
            return UNDEF
        args = (*leaves, *carried, *captured)
        leaf_results = _leaves(outlined.result)
        known = {k: leaves[u] for k, u in outlined.same.items()}
        known |= dict.fromkeys(self.nothing_in(outlined, outlined.result), Const(None))
        results = [a for k, a in enumerate(leaf_results) if k not in known]
        kinds = tuple(K.without_shape(runtime_kind(a)) for a in results)
        if not outlined.changes() and not known and len(results) == 1 and is_atom(outlined.result):
            return self.as_result(results[0], self.emit(outlined.callee, *args, kind=kinds[0], hint=hint))
        targets = [leaves[u] if isinstance(u, int) else u for u in outlined.updates]
        new = (*(K.without_shape(kind_of(a)) for a in targets), *(v.kind for v in outlined.places.values()))
        whole = self.emit(outlined.callee, *args, kind=K.Tuple((*kinds, *new)))
        taken = [self.as_atom(self.load(whole, Const(k))) for k in range(len(kinds) + len(new))]
        made = iter([self.as_result(leaf, part) for leaf, part in zip(results, taken, strict=False)])
        parts = iter([known[k] if k in known else next(made) for k in range(len(leaf_results))])
        value = self.thaw(_rebuilt(outlined.result, lambda _: next(parts)))
        after = taken[len(kinds) :]
        for target, part in zip(targets, after, strict=False):
            assert isinstance(part, Var)
            put_back(self, target, part)
        for place, part in zip(outlined.places, after[len(targets) :], strict=True):
            self.write(place, part)
        return value

    def nothing_in(self, outlined: Outlined, value: AVal) -> set[int]:
        """The parts of a result that are always None, beside what the function updates."""
        parts = enumerate(_leaves(outlined.result or value))
        return {k for k, a in parts if outlined.changes() and (a == Const(None) or runtime_kind(a) == K.NONE)}

    def carried_into(self, outlined: Outlined) -> list[Atom]:
        """What outer variables are before a call of a function that assigns them."""
        values = [self.value_at(place) for place in outlined.places]
        for place, value in zip([*outlined.places], values, strict=True):
            outlined.wider |= widened(outlined, place, value, outlined.callee.name, self)
        return [self.as_atom(value) for value in values]

    def as_result(self, leaf: AVal, part: AVal) -> AVal:
        """Part of what a call gave, None where the function may give that."""
        if leaf in self.nullable and isinstance(part, Var):
            self.nullable.add(part)
        return part

    def outline(
        self, outlined: Outlined, frame: Frame, node: Any, given: dict[str, AVal], leaves: tuple[Var, ...]
    ) -> tuple[Var, ...]:
        """Lower the body until the kinds of its result settle, and what it updates; the outer variables it reads."""
        for _ in range(20):
            serial = next(SERIALS)
            inner = replace(frame, loops=[], serial=next(SERIALS))
            outlined.wider = False
            places = dict(outlined.places)
            with self.overlay() as writes, self.block() as stmts:
                value = self.run_outlined(inner, node, given, places)
                news = outlined.note_same([only_source(stmts, self.as_atom(a)) for a in _leaves(value)], leaves)
                parts, result = self.parts_and_result(outlined, value, places, leaves)
            outer = [p for p in writes if isinstance(p[0], Frame | DictV | ObjectV) and self.was_before(p[0], serial)]
            refuse_changed(self, frame.name, outer, given.values())
            news |= given_back(self, outlined, frame.name, outer) or outlined.wider
            wider = _joined(self, outlined.result, value)
            if wider is not None:
                outlined.result = wider
            elif not news:
                function, captured = self.as_function(outlined, stmts, result, (*leaves, *places.values()))
                shown = [captured.get(a, a) for a in parts if isinstance(a, Var) and not isinstance(a.kind, K.Row)]
                if not self.note_updates(outlined, function, captured, leaves, shown):
                    return self.close(outlined, function, captured, shown)
        raise self.unsupported(f"the kind of what the recursive function `{frame.name}` returns does not settle.")

    def run_outlined(self, inner: Frame, node: Any, given: dict[str, AVal], places: dict[Place, Var]) -> AVal:
        """Lower a body for its parameters, and what outer variables are at first; its result."""
        for n, v in given.items():
            self.write((inner, n), v)
        for place, before in places.items():
            self.write(place, before)
        self.active_calls.append(node)
        try:
            value = self.run_body(inner, node)
        finally:
            self.active_calls.pop()
        return self.snapshot(value, self.read)

    def parts_and_result(
        self, outlined: Outlined, value: AVal, places: dict[Place, Var], leaves: tuple[Var, ...]
    ) -> tuple[list[Atom], Atom]:
        """The parts of a result that are given at run time; and all that is, beside what is given back."""
        gone = outlined.same.keys() | self.nothing_in(outlined, value)
        parts = [self.as_atom(a) for k, a in enumerate(_leaves(value)) if k not in gone]
        own = [self.own_part(outlined, a) for a in parts]
        ends = [self.value_at(place) for place in places]
        for place, end in zip(places, ends, strict=True):
            outlined.wider |= widened(outlined, place, end, outlined.callee.name, self)
        if not outlined.changes() and not gone and is_atom(value):
            return parts, own[0]
        updated = [leaves[u] if isinstance(u, int) else u for u in outlined.updates]
        return parts, self.as_atom(TupleV((*own, *updated, *map(self.as_atom, ends))))

    def own_part(self, outlined: Outlined, part: Atom) -> Atom:
        """Part of a result, which shares memory with nothing where the function updates arguments."""
        if not outlined.updates or is_immutable(kind_of(part)) or isinstance(part, Const):
            return part
        match kind_of(part):
            case K.Array():
                return self.emit(np.copy, part, kind=kind_of(part))
            case K.Row():
                return part
        raise self.unsupported(
            f"the recursive function `{outlined.callee.name}` updates an argument and returns a list or a dict.",
            "Return numbers or arrays, or nothing.",
        )

    def as_function(
        self, outlined: Outlined, stmts: list[Stmt], result: Atom, leaves: tuple[Var, ...]
    ) -> tuple[Function, dict[Var, Var]]:
        """The function with the outer variables that it reads as further parameters, and these."""
        callee = outlined.callee
        block = Block(tuple(stmts), (result,))
        extra = as_parameters([v for v in free_vars(block) if v not in leaves], leaves)
        body = substitute(block, extra)
        assert isinstance(body, Block)
        body = check_real_parts(body, (*leaves, *extra.values()), self.definitions.may_turn_complex)
        return Function(callee.name, (*leaves, *extra.values()), body, origin=self.origin), extra

    def note_updates(
        self, outlined: Outlined, function: Function, extra: dict[Var, Var], leaves: tuple[Var, ...], parts: list[Var]
    ) -> bool:
        """Note which arguments, and what around it, a function updates in place; whether that was news."""
        updated = updated_by(self, function, leaves)
        outer = {own: v for v, own in extra.items()}
        found = [leaves.index(p) if p in leaves else outer[p] for p in updated]
        news = [u for u in found if u not in outlined.updates]
        outlined.updates += news
        if not news and updated:
            refuse_given_arguments(self, function, parts)
        return bool(news)

    def close(self, outlined: Outlined, function: Function, extra: dict[Var, Var], parts: list[Var]) -> tuple[Var, ...]:
        """Make the function, passing the outer variables that it reads on; these."""
        callee = outlined.callee
        captured, own = tuple(extra), tuple(extra.values())
        back = callers_of(callee, function.body)
        if back and outlined.changes():
            raise self.unsupported(
                f"the recursive function `{callee.name}` updates an argument or an outer variable, and others call it.",
                "Let it call itself only, or return the values.",
            )
        for other in back:
            other.function = taking(captured, other.function, {callee, *back})  # type: ignore[arg-type]
        function = replace(function, body=passing(own, function.body, {callee, *back}))
        does = [s.fn for s in _operations(function) if s.fn is not callee]
        callee.pure = all(map(is_pure, does))
        callee.spares = all(is_pure(fn) or spares_arguments(fn) for fn in does)
        for other in back:
            other.pure, other.spares = other.pure and callee.pure, other.spares and callee.spares
        updated = [function.params[u] if isinstance(u, int) else extra[u] for u in outlined.updates]
        callee.updates = tuple(map(function.params.index, updated))
        callee.apart = bool(updated) or gives_apart(function, parts)
        callee.function = on_copies(function, updated) if updated else own_results(function)
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
    if isinstance(param.kind, K.List | K.Dict):
        lo.containers.union(param, v)
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
