"""Copies of what the pullback of a function that calls itself is going to change.

Before::

    def f_pullback(k: int, by: float64[1], b_record: list[float64[1]], v_record: list[float64[1]]):
        b = b_record[k]
        v = v_record[k]
        t = (b, v)
        state = copy_state(t)
        b_1 = state[0]
        v_1 = state[1]
        ...

After, where ``v`` may be a view of ``b``::

    def f_pullback(k, by, b_record, v_record):
        b = b_record[k]
        v = v_record[k]
        t = span(b)
        t_1 = span(v)
        spans = (t, t_1)
        places = places_in_copy(spans)
        room = room_for_copy(places, b)
        b_1 = copied_to(room, places, 0, b)
        v_1 = copied_to(room, places, 1, v)
        ...

and where it is not, each is copied for itself.

Requires: a function that gives a pullback, which copies what it changes by ``copy_state``.
Ensures: the same values; it is refused where lists may share memory with anything.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from s2sad.analysis.memory import Memory
from s2sad.compiled.errors import HELP
from s2sad.compiled.expand import kind_of
from s2sad.errors import CompileError
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, Function, Op, Origin, Stmt, Var
from s2sad.ir.rewrite import map_stmts, walk, with_body
from s2sad.runtime import helpers

__all__ = ["copied_together", "copies_spelt_out", "empty_in_any_layout"]


def empty_in_any_layout(xs: Var) -> list[Stmt]:
    """The statements that make an empty list of arrays that may be views of any layout."""
    assert isinstance(xs.kind, K.List)
    kind = xs.kind.item
    assert isinstance(kind, K.Array)
    assert kind.rank
    shape, plain, item = Var("", K.Tuple((K.INT,) * kind.rank)), Var("", kind), Var("", kind)
    return [
        Op(shape, prims.make_tuple, (Const(0),) * kind.rank),
        Op(plain, np.empty, (shape, Const(np.dtype(kind.dtype).type))),
        Op(item, helpers.as_it_lies, (plain,)),
        Op(xs, prims.make_list, (item,)),
        Op(Var("", kind), prims.list_pop, (xs, Const(-1))),
    ]


def copies_spelt_out(block: Block, function: Function) -> Block:
    """A pullback that copies one by one what is apart, and to one piece of memory arrays that may share it."""
    memory, states = _without_states(function)
    copied: dict[Atom, dict[Atom, Atom]] = {}

    def change(s: Stmt) -> Stmt | list[Stmt]:
        match s:
            case Op() if s in states.values():
                return []
            case Op(fn=helpers.copy_state, target=Var() as target):
                stmts = _copies(states[target].args, memory, function, s.origin)
                copied[target] = {op.args[-1]: op.target for op in stmts if op.fn in _WAYS}  # type: ignore[misc]
                return list(stmts)
            case Op(fn=operator.getitem, args=(Var() as state, Const(int(k)))) if state in states:
                return replace(s, fn=prims.identity, args=(copied[state][states[state].args[k]],))
        return s

    return map_stmts(block, change)


def _without_states(function: Function) -> tuple[Memory, dict[Var, Op]]:
    """What shares memory in a function that gives a pullback, and the tuples of what that copies, by their copies.

    A tuple that holds two objects is taken to lead to one: there is none of what is to be copied.
    """
    made = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}
    states = {v: made[s.args[0]] for v, s in made.items() if s.fn is helpers.copy_state}  # type: ignore[index]

    def change(s: Stmt) -> Stmt | list[Stmt]:
        match s:
            case Op(target=Var() as target) if target in states or s in states.values():
                return []
            case Op(fn=operator.getitem, args=(Var() as state, Const(int(k)))) if state in states:
                return replace(s, fn=prims.identity, args=(states[state].args[k],))
        return s

    return Memory(with_body(function, map_stmts(function.body, change))), states


def _copies(items: Iterable[Atom], memory: Memory, function: Function, origin: Origin | None) -> list[Op]:
    """The statements that copy what a pullback is going to change."""
    groups = _sharing(items, memory)
    if not all(_is_copied(group, memory) for group in groups):
        raise CompileError(
            "a function that calls itself, whose reverse sweep restores lists that may share memory, or arrays of "
            "several dtypes, cannot be compiled.",
            HELP,
            origin=function.origin,
        )
    made: list[Op] = []
    for group in groups:
        made += _one_copy(group[0], origin) if len(group) == 1 else _copies_together(group, origin)
    return made


def _one_copy(a: Atom, origin: Origin | None) -> list[Op]:
    """The statements that copy an array or a list of numbers."""
    way = np.copy if isinstance(kind_of(a), K.Array) else prims.list_copy
    return [Op(Var("", kind_of(a)), way, (a,), (), origin)]


def _copies_together(group: list[Atom], origin: Origin | None) -> list[Op]:
    """The same of arrays that may share memory."""
    spans = [Op(Var("", K.Tuple((K.INT,) * 3)), helpers.span, (a,), (), origin) for a in group]
    told = Var("spans", K.Tuple(tuple(kind_of(s.target) for s in spans)))  # type: ignore[arg-type]
    places, room = Var("places", K.Array("int64", 1)), Var("room", K.Array(K.dtype_of(kind_of(group[0])), 1))
    return [
        *spans,
        Op(told, prims.make_tuple, tuple(s.target for s in spans), (), origin),  # type: ignore[misc]
        Op(places, helpers.places_in_copy, (told,), (), origin),
        Op(room, helpers.room_for_copy, (places, group[0]), (), origin),
        *(
            Op(Var("", K.without_shape(kind_of(a))), helpers.copied_to, (room, places, Const(k), a), (), origin)
            for k, a in enumerate(group)
        ),
    ]


def _sharing(items: Iterable[Atom], memory: Memory) -> list[list[Atom]]:
    """Objects in groups: what is in different ones is apart."""
    groups: list[tuple[set[object], list[Atom]]] = []
    for a in dict.fromkeys(items):
        classes, members = set(memory.reachable(a)), [a]
        for group in [g for g in groups if not g[0].isdisjoint(classes)]:
            groups.remove(group)
            classes |= group[0]
            members = [*group[1], *members]
        groups.append((classes, members))
    return [members for _, members in groups]


def _is_copied(group: list[Atom], memory: Memory) -> bool:
    """Whether these are copied here: an array, a list of what does not change, or arrays that may share memory."""
    kinds = [kind_of(a) for a in group]
    match kinds:
        case [K.Array()] | [K.List(K.Scalar())]:
            return True
        case [K.List(K.Array())]:
            c = memory.of(group[0])
            return c is not None and memory.written.isdisjoint(memory.within(memory.element(c)))
    dtypes = {kind.dtype if isinstance(kind, K.Array) and kind.rank else "any" for kind in kinds}
    return len(dtypes) == 1 and "any" not in dtypes


def copied_together(function: Function) -> frozenset[Atom]:
    """The arrays that the pullback which a function gives copies to one piece of memory with others."""
    memory, states = _without_states(function)
    groups = [group for whole in states.values() for group in _sharing(whole.args, memory)]
    return frozenset(a for group in groups if len(group) > 1 for a in group if isinstance(kind_of(a), K.Array))


#: What copies the last of its operands.
_WAYS = (np.copy, prims.list_copy, helpers.copied_to)
