"""Conversions to complex numbers that operations make by themselves, left out.

Before::

    def f(x: float, z: complex):
        t: complex = promoted(x)
        y: complex = t * z
        return y

After::

    def f(x, z):
        y = x * z
        return y

Requires: a derivative, whose primal was promoted (:mod:`s2sad.transform.promote`).
Ensures: the same values. A conversion is a copy where that matters, of an array that is stored into, and stays where
its dtype is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.effects import metadata_positions
from s2sad.analysis.memory import Memory
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Function, Op, Stmt, Var, kind_of
from s2sad.ir.rewrite import blocks_of, map_operands, map_stmts, use_counts, walk, with_blocks, with_body
from s2sad.rules.lookup import is_complex_atom
from s2sad.runtime import helpers
from s2sad.transform.operations import MAYBE_VIEWS, VIEWS

__all__ = ["drop_promotions"]


def drop_promotions(function: Function) -> Function:
    """The function without the conversions that its operations make by themselves.

    One is a copy where that matters, of an array that is stored into, and stays where its dtype is asked for.
    """
    made = {s.target: s.args[0] for s in walk(function) if isinstance(s, Op) and s.fn is helpers.promoted}
    if not made:
        return function
    memory = Memory(function)
    plain: dict[Var, Atom] = {t: x for t, x in made.items() if t is not None}
    copies = {t: Var("", kind_of(x)) for t, x in plain.items() if _is_stored_into(x, memory)}
    plain |= copies
    views = _views_of(function, plain)
    plain |= views
    counts = use_counts(function)
    projected = {s.args[0] for s in walk(function) if isinstance(s, Op) and s.fn is np.real}
    fitted = {v for v in projected if isinstance(v, Var) and counts[v] == 1}

    likes = {a for s in walk(function) if isinstance(s, Op) for k, a in enumerate(s.args) if k in _kept(s)}

    def use(a: Atom) -> Atom:
        return plain.get(a, a) if isinstance(a, Var) else a

    def change(s: Stmt) -> Stmt | list[Stmt]:
        match s:
            case Op(fn=helpers.promoted, target=Var() as target) if target in copies:
                return [Op(copies[target], np.array, s.args, (), s.origin), s]
            case Op(target=Var() as target) if target in views:
                return [replace(s, target=views[target], args=tuple(map(use, s.args))), s]
            case Op(fn=helpers.unbroadcast, args=(x, Var() as like)) if like in plain and s.target in fitted:
                part = Var("", _real(kind_of(x)))
                return [Op(part, np.real, (use(x),), (), s.origin), replace(s, args=(part, use(like)))]
            case Op(target=target, fn=prims.make_tuple | prims.make_list) if target in likes:
                return s
            case Op() if _turns_real(s, use):
                return s
            case Op():
                kept = _kept(s)
                args = tuple([a if k in kept else use(a) for k, a in enumerate(s.args)])
                return replace(s, args=args, kwargs=tuple((n, a if n in kept else use(a)) for n, a in s.kwargs))
        return with_blocks(map_operands(s, use), tuple(_with_outs(b, use) for b in blocks_of(s)))

    return with_body(function, _with_outs(map_stmts(function.body, change), use))


def _views_of(function: Function, plain: dict[Var, Atom]) -> dict[Var, Var]:
    """What goes for the views of conversions that are left out: they show real numbers, and are told to."""
    views: dict[Var, Var] = {}
    for s in walk(function):
        match s:
            case Op(fn=fn, args=(Var() as base, *_), target=Var(kind=K.Array() as kind) as target):
                if fn in VIEWS | MAYBE_VIEWS and (base in plain or base in views) and 0 not in _kept(s):
                    views[target] = Var(target.hint, _real(kind))
    return views


def _is_stored_into(x: Atom, memory: Memory) -> bool:
    return isinstance(x, Var) and not isinstance(x.kind, K.Scalar) and memory.of(x) in memory.written


def _turns_real(s: Op, use: Callable[[Atom], Atom]) -> bool:
    """Whether arithmetic on complex numbers would be on real ones: roots of what is negative are none of those."""
    if not isinstance(s.fn, np.ufunc) and s.fn not in _OPERATORS:
        return False
    return is_complex_atom(s.target) and not any(is_complex_atom(use(a)) for a in s.args)


def _kept(s: Op) -> tuple[int | str, ...]:
    """The arguments of which the dtype is asked for: by position and by name."""
    return () if s.fn in _ASK_FOR_SHAPES else metadata_positions(s.fn)


_OPERATORS: set[Any] = {*prims.BINARY, *prims.UNARY}

#: Functions that read the shape of an argument, and not its dtype.
_ASK_FOR_SHAPES: set[Any] = {np.shape, np.ndim, np.size, len, helpers.resized}


def _with_outs(block: Block, use: Callable[[Atom], Atom]) -> Block:
    return Block(block.stmts, tuple(map(use, block.outs)))


def _real(kind: K.Kind) -> K.Kind:
    """The kind of the real parts of numbers of this kind; of what is not known, as an item of a list, none is."""
    if not isinstance(kind, K.Scalar | K.Array | K.Numeric):
        return K.ANY
    dtypes = {"complex": "float", "complex64": "float32", "complex128": "float64"}
    return replace(kind, dtype=dtypes.get(kind.dtype, "any"))
