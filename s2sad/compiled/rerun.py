"""Pullbacks that run the forward sweep themselves, where what they would be handed does not survive the crossing.

Before::

    def f_vjp(x: float, xs: list[list[float]]):
        s: float = math.sin(x)
        bxs: list[list[float]] = []
        b: list[float] = [s]
        list_append(bxs, b)
        def f_pullback(by: float):
            t: (list[list[float]], list[float]) = (bxs, b)
            state: (list[list[float]], list[float]) = copy_state(t)
            bxs_1: list[list[float]] = state[0]
            b_1: list[float] = state[1]
            b_1[0] += by
            u: list[float] = bxs_1[0]
            v: float = u[0]
            w = (v,)
            return w
        r = (s, f_pullback)
        return r

After::

    def f_vjp(x, xs):
        s = math.sin(x)
        def f_pullback(by):
            s_1 = math.sin(x)
            bxs = []
            b = [s_1]
            list_append(bxs, b)
            b[0] += by
            u = bxs[0]
            v = u[0]
            w = (v,)
            return w
        r = (s, f_pullback)
        return r

Lists cross between Python and compiled code as copies: two that are one, or of which one holds the other, are two on
the other side. Those whose items are of several kinds do not cross at all. A pullback with both sweeps makes its lists
by itself, and is compiled as a gradient is.

Requires: the IR of a derivative, before it is parted (:mod:`s2sad.compiled.boundary`).
Ensures: the same values, of each call of the pullback. :class:`~s2sad.errors.CompileError` where the forward sweep does
what must not be done twice, or reads containers from outside, which may change before the pullback is called.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator

import numpy as np

from s2sad.analysis.effects import shows_effects
from s2sad.analysis.memory import Class, Memory, is_immutable
from s2sad.analysis.outside import data_refs, hint_of
from s2sad.compiled.errors import HELP
from s2sad.compiled.passing import is_mixed
from s2sad.errors import CompileError
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Const, Function, Op, Origin, Stmt, Var
from s2sad.ir.rewrite import clone_block, free_vars, map_atoms, substitute, targets_of, with_body
from s2sad.optimise.dead import dead_code
from s2sad.runtime.helpers import copy_state

__all__ = ["pullbacks_run_again"]


def pullbacks_run_again(function: Function) -> Function:
    """Put the forward sweep into a pullback that is handed lists which must stay one thing."""
    stmts = function.body.stmts
    place = next((k for k, s in enumerate(stmts) if isinstance(s, Closure)), None)
    closure = stmts[place] if place is not None else None
    if place is None or not isinstance(closure, Closure):
        return function
    inner, state = _without_copies(closure.function)
    plain = Closure(closure.target, inner, closure.origin)
    memory = Memory(with_body(function, Block((*stmts[:place], plain, *stmts[place + 1 :]), function.body.outs)))
    handed = set(free_vars(closure.function)).intersection(t for s in stmts[:place] for t in targets_of(s))
    if not any(is_mixed(v.kind) for v in handed) and not _must_stay_one(memory, state):
        return function
    if shows_effects(function):
        _refuse("a pullback that changes lists, of a function that does more than compute,", function.origin)
    read, again = _forward(stmts[:place], function.origin)
    body = clone_block(Block((*again, *inner.body.stmts), inner.body.outs))
    whole = (*read, *stmts[:place], Closure(closure.target, with_body(inner, body), closure.origin))
    return dead_code(with_body(function, Block((*whole, *stmts[place + 1 :]), function.body.outs)))


def _without_copies(pullback: Function) -> tuple[Function, list[Atom]]:
    """A pullback that works on what it is handed, and what it would have copied together."""
    made = {s.target: s for s in pullback.body.stmts if isinstance(s, Op) and s.target is not None}
    state: list[Atom] = []
    same: dict[Var, Atom] = {}
    left: list[Stmt] = []
    for s in pullback.body.stmts:
        match s:
            case Op(target=Var(), fn=fn, args=(Var() as whole,)) if fn is copy_state:
                state += made[whole].args
            case Op(target=Var() as v, fn=operator.getitem, args=(Var() as copied, Const(int(k)))) if _is_copy(
                made.get(copied)
            ):
                same[v] = made[made[copied].args[0]].args[k]  # type: ignore[index]
            case _:
                left.append(s)
    body = substitute(Block(tuple(left), pullback.body.outs), same)
    return with_body(pullback, body), state


def _is_copy(op: Op | None) -> bool:
    return op is not None and op.fn is copy_state


def _must_stay_one(memory: Memory, state: list[Atom]) -> bool:
    """Whether a list that the pullback changes is, or is held by, two things that it is handed."""
    ways = Counter(c for a in state for c in memory.reachable(a))
    return any(ways[c] > 1 and c in memory.written for a in state for c in _lists(memory, a))


def _lists(memory: Memory, a: Atom) -> Iterator[Class]:
    """The classes of the lists that a value is or holds."""
    kind = a.kind if isinstance(a, Var) else K.ANY
    c = memory.of(a)
    while isinstance(kind, K.List) and c is not None:
        yield c
        c, kind = memory.element(c), kind.item
    if _holds_lists(kind):
        yield from memory.reachable(a)


def _holds_lists(kind: K.Kind) -> bool:
    match kind:
        case K.Tuple(items):
            return any(map(_holds_lists, items))
    return isinstance(kind, K.List | K.Dict)


def _forward(stmts: tuple[Stmt, ...], origin: Origin | None) -> tuple[list[Stmt], tuple[Stmt, ...]]:
    """What keeps the values that the forward sweep reads from outside, and the sweep on these."""
    read: list[Stmt] = []
    kept: dict[Atom, Atom] = {}
    for ref in data_refs(Block(stmts)):
        kept[ref] = v = Var(hint_of(ref), ref.kind)
        read.append(Op(v, prims.identity, (ref,), (), origin))
        if isinstance(ref.kind, K.Array):
            kept[ref] = copy = Var(v.hint, v.kind)
            read.append(Op(copy, np.copy, (v,), (), origin))
        elif not is_immutable(ref.kind):
            _refuse(f"a pullback that changes lists, of a function that reads `{hint_of(ref)}` from outside,", origin)
    return read, map_atoms(Block(stmts), lambda a: kept.get(a, a)).stmts


def _refuse(what: str, origin: Origin | None) -> None:
    raise CompileError(f"{what} cannot be compiled.", HELP, origin=origin)
