"""Real numbers that meet complex ones, made complex by an operation of its own.

The cotangent of a real number is real. What an operation with a complex result hands back is complex, so where a real
number is among what it takes, the real part is to be taken. That is the adjoint of the conversion, which NumPy
and Python make by themselves: here it is spelt out, so that all else deals with numbers of one sort.

Before::

    def f(x: float, z: complex):
        y: complex = x * z
        t: float = np.abs(y)
        return t

After::

    def f(x, z):
        t_1 = promoted(x)
        y = t_1 * z
        t = np.abs(y)
        return t

They are taken out of a derivative again (:mod:`s2sad.transform.demote`).

Requires: a verified function and its activity; lists that stand for arrays are arrays (:mod:`s2sad.transform.arrays`).
Ensures: of what is active, operations with complex results, containers of complex numbers and variables that may be
complex are given complex numbers only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.activity import Activity
from s2sad.analysis.effects import TRANSPARENT, WRITES
from s2sad.analysis.imaginary import refuse_stores_by_parts
from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.real_parts import may_turn_complex
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Callee, For, Function, If, Op, Stmt, Store, Var, While, With
from s2sad.ir.rewrite import (
    definitions,
    map_stmts,
    uses_of,
    walk,
    with_blocks,
    with_body,
)
from s2sad.rules.forms import as_numeric
from s2sad.rules.infer_helpers import promoted
from s2sad.rules.lookup import holds_complex, is_complex_atom, rule_of, takes_complex
from s2sad.rules.table import rule_for
from s2sad.runtime import helpers

__all__ = ["promote"]


def promote(function: Function, activity: Activity) -> Function:
    """The function with active real numbers made complex where they meet complex ones.

    Raises :class:`~s2sad.errors.UnsupportedSyntax` where it cannot be told what is complex, and where memory of real
    numbers would have to become memory of complex ones.
    """
    if not any(is_complex_atom(v) for s in walk(function) for v in (*uses_of(s), getattr(s, "target", None))):
        return function
    refuse_stores_by_parts(function, activity.memory)
    pass_ = _Promotion(activity, definitions(function), any(map(may_turn_complex, walk(function))))
    return with_body(function, map_stmts(function.body, pass_.change))


class _Promotion:
    """The change of each statement."""

    def __init__(self, activity: Activity, made: dict[Var, Stmt], asks: bool) -> None:
        self.activity = activity
        self.made = made
        self.asks = asks  #: whether a number of Python that counts as real may be complex in a run

    def change(self, s: Stmt) -> Stmt | list[Stmt]:
        """A statement with promotions ahead of it, and at the ends of its blocks."""
        match s:
            case Op():
                return self.op(s)
            case Store():
                return self.store(s)
            case If():
                return with_blocks(s, (self.ends(s.then, s.results, s), self.ends(s.orelse, s.results, s)))
            case For() | While():
                body = self.ends(s.body, s.params, s)
                ahead, inits = self.all_as(s.inits, [p.kind for p in s.params], s)
                return [*ahead, replace(s, body=body, inits=inits)] if ahead or body is not s.body else s
            case With():
                body = self.ends(s.body, s.results, s)
                return with_blocks(s, (body,))
        return s

    def ends(self, block: Block, targets: Sequence[Var], s: Stmt) -> Block:
        """A block that hands on complex numbers where these are; an exit flag is left as it is."""
        n = len(targets)
        stmts, outs = self.all_as(block.outs[:n], [v.kind for v in targets], s)
        return Block((*block.stmts, *stmts), (*outs, *block.outs[n:])) if stmts else block

    def all_as(self, atoms: Iterable[Atom], kinds: Iterable[K.Kind], s: Stmt) -> tuple[list[Stmt], tuple[Atom, ...]]:
        """Atoms in the sort of these kinds, and the statements that make them so."""
        stmts: list[Stmt] = []
        new = tuple([self.as_kind(a, k, s, stmts) for a, k in zip(atoms, kinds, strict=True)])
        return stmts, new

    def as_kind(self, a: Atom, kind: K.Kind, s: Stmt, stmts: list[Stmt]) -> Atom:
        """An atom as one of this kind: promoted, where it is real and the kind is complex."""
        if not isinstance(a, Var) or not self.activity.is_active(a):
            return a
        if is_complex_atom(a) and not holds_complex(kind):
            raise _refusal(
                s,
                "a complex number is put where real numbers are.",
                "Make what it is put into of complex numbers, or take np.real.",
            )
        if is_complex_atom(a) or not holds_complex(kind):
            return self.items_as(a, kind, s, stmts)
        if isinstance(a.kind, K.List) and isinstance(kind, K.Array):
            return self.array_of(a, a.kind, s, stmts)
        if not K.is_numeric(a.kind):
            return self.items_as(a, kind, s, stmts)
        memory = self.activity.memory
        if not isinstance(a.kind, K.Scalar) and memory.of(a) in memory.written and not _only_reads(s):
            raise _refusal(
                s,
                "an array that is updated in place is one of real numbers or one of complex ones.",
                "Make it of complex numbers from the start: np.zeros(n, dtype=complex).",
            )
        new = Var("", promoted(a.kind))
        if self.asks and a.kind in _PYTHON:
            stmts.append(Op(None, helpers.need_real, (a,), (), getattr(s, "origin", None)))
        stmts.append(Op(new, helpers.promoted, (a,), (), getattr(s, "origin", None)))
        return new

    def array_of(self, a: Var, kind: K.List, s: Stmt, stmts: list[Stmt]) -> Atom:
        """A list of real numbers as an array of complex ones: NumPy makes one of it."""
        if not isinstance(kind.item, K.Scalar) and not (isinstance(s, Op) and s.fn in _MAKE_ARRAYS):
            raise _refusal(s, "arrays of real numbers become complex here.", "Make the items complex: x + 0j.")
        array = Var("", as_numeric(kind))
        stmts.append(Op(array, np.array, (a,), (), getattr(s, "origin", None)))
        new = Var("", promoted(array.kind))
        stmts.append(Op(new, helpers.promoted, (array,), (), getattr(s, "origin", None)))
        return new

    def items_as(self, a: Var, kind: K.Kind, s: Stmt, stmts: list[Stmt]) -> Atom:
        """A tuple with each of its items in the sort of this kind's."""
        match a.kind, kind:
            case _ if a.kind == kind or not holds_complex(kind):
                return a
            case K.Tuple(own), K.Tuple(items) if len(own) == len(items):
                if [holds_complex(k) for k in own] == [holds_complex(k) for k in items]:
                    return a
                maker = self.made.get(a)
                if isinstance(maker, Op) and maker.fn is prims.make_tuple:
                    return self.tuple_as(maker.args, items, s, stmts)
            case (K.List() | K.Dict()), (K.List() | K.Dict()) if holds_complex(a.kind):
                return a
            case _ if K.is_numeric(a.kind):
                return a
        raise _refusal(
            s, "a container of real numbers becomes one of complex numbers.", "Make its items complex: x + 0j."
        )

    def tuple_as(self, args: Sequence[Atom], kinds: Sequence[K.Kind], s: Stmt, stmts: list[Stmt]) -> Var:
        """A tuple of these, in the sort of these kinds."""
        ahead, items = self.all_as(args, kinds, s)
        new = Var("", K.Tuple(tuple(map(kind_of, items))))
        stmts += [*ahead, Op(new, prims.make_tuple, items, (), getattr(s, "origin", None))]
        return new

    # -- operations

    def op(self, s: Op) -> Op | list[Stmt]:
        """An operation that is given complex numbers where it gives some."""
        if s.fn is helpers.promoted or not takes_complex(s):
            return s
        wanted = self.wanted(s)
        if not wanted:
            return s
        operands = (*s.args, *(a for _, a in s.kwargs))
        stmts: list[Stmt] = []
        new = {k: self.as_kind(operands[k], kind, s, stmts) for k, kind in wanted.items()}
        if not stmts:
            return s
        changed = [new.get(k, a) for k, a in enumerate(operands)]
        n = len(s.args)
        named = tuple((name, a) for (name, _), a in zip(s.kwargs, changed[n:], strict=True))
        return [*stmts, replace(s, args=tuple(changed[:n]), kwargs=named)]

    def wanted(self, s: Op) -> dict[int, K.Kind]:
        """For each operand by its place what it must be like."""
        match s.fn:
            case Callee(function=Function() as callee):
                return {k: p.kind for k, p in enumerate(callee.params)}
            case prims.make_list | prims.make_tuple | prims.make_dict | prims.make_instance:
                return _of_container(s)
            case prims.list_append | prims.list_insert | prims.list_extend:
                held = kind_of(s.args[0])
                k = len(s.args) - 1
                return {k: held if s.fn is prims.list_extend else getattr(held, "item", K.ANY)}
        if s.fn in WRITES:
            of = promoted(K.NUMERIC) if is_complex_atom(s.args[WRITES[s.fn]]) else K.NUMERIC
            return {k: of for k, a in enumerate(s.args) if k != WRITES[s.fn] and K.is_float(kind_of(a))}
        if s.target is None or not self.activity.is_active(s.target):
            return {}
        if s.fn in TRANSPARENT:
            return _of_items(s, s.target.kind)
        return self.of_rule(s, s.target)

    def of_rule(self, s: Op, target: Var) -> dict[int, K.Kind]:
        """What a primitive's differentiated arguments are like: as its result."""
        if not (holds_complex(target.kind) or _is_known(target.kind)):
            raise _refusal(
                s,
                "it cannot be told whether this is complex.",
                "Convert what goes in, so that it is known what it is.",
            )
        rule = rule_of(s)
        if rule is None or not rule.wrt:
            return {}
        named = {name: k for k, (name, _) in enumerate(s.kwargs, len(s.args))}
        try:
            bound = rule.bind(range(len(s.args)), named)
        except TypeError:
            return {}
        places = [p for name in rule.wrt if name in bound for p in _flat(bound[name])]
        operands = (*s.args, *(a for _, a in s.kwargs))
        if holds_complex(target.kind):
            wanted = {k: _made_complex(kind_of(operands[k])) for k in places}
            if any(isinstance(kind, K.List) and not _is_known(kind) for kind in wanted.values()):
                raise _refusal(s, "it cannot be told which items of this are complex.", "Make all complex: x + 0j.")
            return wanted
        if rule is rule_for(rule.primitive) and any(is_complex_atom(operands[k]) for k in places):
            raise _refusal(s, "imaginary parts are dropped here.", "Take the real part first: np.real.")
        return {}

    def store(self, s: Store) -> Store | list[Stmt]:
        """A store of a complex number where there are some."""
        if not (is_complex_atom(s.obj) or is_complex_atom(s.value)):
            return s
        held = kind_of(s.obj)
        like = held.item if isinstance(held, K.List | K.Dict) else held
        stmts: list[Stmt] = []
        value = self.as_kind(s.value, like, s, stmts)
        return [*stmts, replace(s, value=value)] if stmts else s


def _of_items(s: Op, kind: K.Kind) -> dict[int, K.Kind]:
    """What lists and dicts are like whose items an operation takes for a list or dict of its own: as that one."""
    if not isinstance(kind, K.List | K.Dict):
        return {}
    return {k: kind for k, a in enumerate(s.args) if isinstance(kind_of(a), K.List | K.Dict)}


def _only_reads(s: Stmt) -> bool:
    """Whether a statement takes the numbers of an array, which may be a copy, rather than hold or hand on the array."""
    match s:
        case Op(fn=fn):
            return not (isinstance(fn, Callee) or fn in TRANSPARENT)
        case Store(obj=obj):
            return isinstance(kind_of(obj), K.Array | K.Numeric)
    return False


_MAKE_ARRAYS = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray)
_PYTHON = (K.FLOAT, K.Scalar("any"))


def _flat(places: Any) -> tuple[int, ...]:
    return places if isinstance(places, tuple) else (places,)


def _is_known(kind: K.Kind) -> bool:
    """Whether a kind says of what sort the numbers are."""
    match kind:
        case K.Scalar(dtype) | K.Array(dtype) | K.Numeric(dtype):
            return dtype != "any"
        case K.List(item) | K.Dict(item):
            return _is_known(item)
        case K.Tuple(items):
            return all(map(_is_known, items))
    return kind != K.ANY


def _made_complex(kind: K.Kind) -> K.Kind:
    """A kind with complex numbers for real ones; a list is to be an array, and dicts stay."""
    if isinstance(kind, K.Tuple):
        return K.Tuple(tuple(map(_made_complex, kind.items)))
    if isinstance(kind, K.List) and not holds_complex(kind) and isinstance(as_numeric(kind), K.Array):
        return promoted(as_numeric(kind))
    return promoted(kind) if K.is_float(kind) else kind


def _of_container(s: Op) -> dict[int, K.Kind]:
    """What the operands of a primitive that makes a container are like: its items."""
    kind = kind_of(s.target) if s.target is not None else K.ANY
    match kind:
        case K.List(item):
            return dict.fromkeys(range(len(s.args)), item)
        case K.Dict(item):
            return dict.fromkeys(range(1, len(s.args), 2), item)
        case K.Tuple(items):
            return dict(enumerate(items, len(s.args) - len(items)))
    return dict.fromkeys(range(len(s.args)), K.ANY)


def _refusal(s: Stmt, cause: str, help: str) -> UnsupportedSyntax:
    return UnsupportedSyntax(cause, help, origin=getattr(s, "origin", None))
