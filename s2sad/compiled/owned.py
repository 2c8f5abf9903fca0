"""Adjoints of arrays in lists, added to in place.

Before::

    def f(ws: list[float64[2]#1], k: int, b: float64[2]#2):
        bws: list[float64[2]#1] = zeros_like(ws)
        add_at(bws, k, b)
        return bws

After::

    def f(ws, k, b):
        bws = zeros_like(ws)
        t = bws[k]
        t[...] += b
        return bws

A list cannot tell whether something else holds its items, so a sum is put in the place of an item. Of a list of
zeros that sums are added to, and that nothing else is done with until the last of them, the items are its own. The
items of such a list may be tuples of arrays, each of which is added to.

Requires: no records.
Ensures: the same values; ``add_at`` stays for other lists, and where an item has parts that are no arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Const, Function, Op, Origin, Stmt, Store, Var
from s2sad.ir.rewrite import definitions, free_vars, map_stmts, use_counts, walk, with_body
from s2sad.optimise.dead import dead_code
from s2sad.runtime import helpers

__all__ = ["sums_in_place"]


def sums_in_place(function: Function) -> Function:
    """Add to the items of lists that own them."""
    owners = set(_owners(function))
    if not owners:
        return function

    made = definitions(function)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        match s:
            case Op(fn=helpers.add_at, args=(Var(kind=K.List(item)) as items, index, value)) if items in owners:
                return list(_added(_taken(items, index, item, s.origin), value, made))
        return s

    return dead_code(with_body(function, map_stmts(function.body, change)))  # tuples that were taken apart


def _owners(function: Function) -> Iterator[Var]:
    """The lists whose items nothing else holds while sums are added to them."""
    made = [s.target for s in walk(function) if isinstance(s, Op) and s.fn is helpers.zeros_like]
    captured = {v for s in walk(function) if isinstance(s, Closure) for v in free_vars(s.function)}  # used later
    for v in made:
        if isinstance(v, Var) and v not in captured and isinstance(v.kind, K.List) and _is_of_arrays(v.kind.item):
            sums = [k for k, s in enumerate(function.body.stmts) if _adds_to(Block((s,)), v)]
            between = Block(function.body.stmts[: sums[-1] + 1]) if sums else Block()
            if sums and use_counts(between).get(v, 0) == _adds_to(between, v):
                yield v


def _adds_to(block: Block, v: Var) -> int:
    """How many statements add something like an item to an item of a list."""
    return sum(
        isinstance(s, Op) and s.fn is helpers.add_at and s.args[0] == v and _fits(v, *s.args[1:]) for s in walk(block)
    )


def _fits(items: Var, index: Atom, value: Atom) -> bool:
    assert isinstance(items.kind, K.List)
    return isinstance(kind_of(index), K.Scalar) and _is_like(items.kind.item, kind_of(value))


def _is_of_arrays(kind: K.Kind) -> bool:
    """Whether this is an array, or a tuple of nothing but arrays."""
    match kind:
        case K.Array(rank=int(rank)):
            return rank > 0
        case K.Tuple(items):
            return all(map(_is_of_arrays, items))
    return False


def _is_like(kind: K.Kind, value: K.Kind) -> bool:
    """Whether a value can be added to an item of this kind in place."""
    match kind, value:
        case K.Array(dtype, rank), K.Array(other, same):
            return (dtype, rank) == (other, same)
        case K.Tuple(items), K.Tuple(others):
            return len(items) == len(others) and all(map(_is_like, items, others))
    return False


def _taken(whole: Atom, index: Atom, kind: K.Kind, origin: Origin | None) -> Op:
    return Op(Var("", kind), operator.getitem, (whole, index), (), origin)


def _added(take: Op, value: Atom, made: Mapping[Var, Stmt]) -> Iterator[Stmt]:
    """The statements that take an item, or a part of one, and add a value to it."""
    yield take
    item = take.target
    assert item is not None
    match item.kind, kind_of(value):
        case K.Tuple(kinds), K.Tuple(others):
            for k, (kind, other) in enumerate(zip(kinds, others, strict=True)):
                match made.get(value):  # type: ignore[arg-type]
                    case Op(fn=prims.make_tuple, args=parts):
                        part = parts[k]
                    case _:
                        yield (taken := _taken(value, Const(k), other, take.origin))
                        part = taken.target  # type: ignore[assignment]
                yield from _added(_taken(item, Const(k), kind, take.origin), part, made)
        case _:
            yield Store(item, Const(Ellipsis), value, "+", take.origin)
