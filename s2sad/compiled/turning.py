"""Loops in which a branch makes an array of a number: one loop while it is a number, and another from there on.

Before::

    def f(y: float64[1], n: int):
        for k in range(0, n) carrying (t: float64[..1] = 0.0):
            c = k > 2
            if c:
                u: float64[1] = t + y
                give u
            else:
                give t
            -> v: float64[..1]
            next v
        -> s: float64[..1]
        z: float64[1] = y + s
        return z

After::

    def f(y, n):
        for k in range(0, n) carrying (t = 0.0, t_1 = UNDEF, turned = False, start = 0):
            c = k > 2
            if c:
                u = t + y
                give t, u, True
            else:
                give t, t_1, False
            -> v, v_1, turned_1
            start_1 = k + 1
            next v, v_1, turned_1, start_1
            exit turned_1
        -> s, t_2, turned_2, start_2
        if turned_2:
            for k_1 in range(start_2, n) carrying (t_3 = t_2):
                c_1 = k_1 > 2
                if c_1:
                    u_1 = t_3 + y
                    give u_1
                else:
                    give t_3
                -> v_2
                next v_2
            -> s_1
            give s_1
        else:
            give s
        -> s_2
        z = y + s_2
        return z

A variable has one type in machine code. What is left a number is told apart by :mod:`s2sad.compiled.either`.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values, by the same operations in the same order. A loop that makes a number of an array is left.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import UNDEF, Atom, Block, Const, For, Function, If, Op, Stmt, Var, While
from s2sad.ir.rewrite import clone_block, free_vars, map_stmts, targets_of, with_body

__all__ = ["turning_apart", "with_tail"]

FALSE, TRUE = Const(False), Const(True)


def turning_apart(function: Function) -> Function:
    """The function with such loops parted where the number becomes an array."""
    return with_body(function, map_stmts(function.body, _apart))


def _apart(s: Stmt) -> Stmt | list[Stmt]:
    if not isinstance(s, For | While):
        return s
    loop = _gathered(s)
    found = _turn(loop)
    return loop if found is None else _parted(found)


@dataclass(frozen=True)
class _Turn:
    """A loop in whose body a branch, at this place, decides whether what it carries at a position becomes an array."""

    loop: For | While
    position: int
    place: int
    array: K.Array


def _turn(loop: For | While) -> _Turn | None:
    """Where a number that a loop carries becomes an array, if it does so in a branch that ends its iterations."""
    for k, (p, init, out) in enumerate(zip(loop.params, loop.inits, loop.body.outs, strict=False)):
        if not _begins_as_number(p, init) or not isinstance(out, Var):
            continue
        place = next((n for n, s in enumerate(loop.body.stmts) if isinstance(s, If) and out in s.results), None)
        if place is not None and (array := _may_become(loop.body.stmts[place], out)) is not None:  # type: ignore[arg-type]
            return _Turn(loop, k, place, array)
    return None


def _begins_as_number(p: Var, init: Atom) -> bool:
    return isinstance(p.kind, K.Numeric) and isinstance(kind_of(init), K.Scalar | K.Numeric)


def _may_become(branch: If, result: Var) -> K.Array | None:
    """The kind of the array that a result of a branch may be, or else it is what is a number for as long as it was."""
    kinds = [kind_of(a) for a in _ends(branch, result)]
    arrays = {K.Array(kind.dtype, kind.rank) for kind in kinds if isinstance(kind, K.Array) and kind.rank}
    others = [kind for kind in kinds if not isinstance(kind, K.Array)]
    if len(arrays) != 1 or not others or any(not isinstance(kind, K.Numeric) for kind in others):
        return None
    return arrays.pop()


def _gathered(loop: For | While) -> For | While:
    """A loop with all that is behind such a branch, and uses what it gives, at the end of its sides."""
    if not any(map(_begins_as_number, loop.params, loop.inits)):
        return loop
    stmts = loop.body.stmts
    for n, s in enumerate(stmts):
        turning = {r for r in s.results if _may_become(s, r) is not None} if isinstance(s, If) else set()
        if turning and not turning.isdisjoint(free_vars(Block(stmts[n + 1 :]))):
            assert isinstance(s, If)
            last = with_tail(s, stmts[n + 1 :], Block((), loop.body.outs))
            return replace(loop, body=Block((*stmts[:n], last), loop.body.outs))
    return loop


def _ends(branch: If, result: Var) -> list[Atom]:
    """What a result of a branch may be, by the branches within that decide it."""
    found: list[Atom] = []
    for side in (branch.then, branch.orelse):
        out = side.outs[branch.results.index(result)]
        inner = _decides(side, out)
        found += [out] if inner is None else _ends(inner, out)  # type: ignore[arg-type]
    return found


def _decides(side: Block, out: Atom) -> If | None:
    return next((s for s in side.stmts if isinstance(s, If) and out in s.results), None)


# ---------------------------------------------------------------- the two loops


def _parted(turn: _Turn) -> list[Stmt]:
    """The statements in place of a loop."""
    (first,) = clone_block(Block((turn.loop,)), None, K.without_shape).stmts
    assert isinstance(first, For | While)
    array, turned = Var("", turn.array), Var("turned", K.BOOL)
    branch, result = first.body.stmts[turn.place], first.body.outs[turn.position]
    assert isinstance(branch, If) and isinstance(result, Var)
    tail, outs, n = first.body.stmts[turn.place + 1 :], first.body.outs, len(first.params)
    told = _told(branch, result, first.params[turn.position], array)
    body = [*first.body.stmts[: turn.place], told, *tail]
    more: list[tuple[Var, Atom, Atom]] = [(array, UNDEF, told.results[-2]), (turned, FALSE, told.results[-1])]
    leaves: Atom = told.results[-1]
    if isinstance(first, For):
        after = Var("start", K.INT)
        body.append(Op(after, operator.add, (first.index, first.step), (), first.origin))
        more.append((Var("start", K.INT), first.start, after))
    if first.has_exit:
        leaves = Var("", K.BOOL)
        body.append(Op(leaves, operator.or_, (outs[-1], told.results[-1]), (), first.origin))
        more.append((Var("left", K.BOOL), FALSE, outs[-1]))
    params, inits, nexts = zip(*more, strict=True)
    results = tuple(Var(v.hint, v.kind) for v in params)
    whole = Block(tuple(body), (*outs[:n], *nexts, leaves))
    carried = {
        "params": (*first.params, *params),
        "inits": (*first.inits, *inits),
        "results": (*first.results, *results),
    }
    loop = replace(first, body=whole, has_exit=True, **carried)  # type: ignore[arg-type]
    return [loop, _second(turn, first, results)]


def _told(branch: If, result: Var, number: Var, array: Var) -> If:
    """A branch that gives, at the end, the number as it was, the array, and whether it is an array now."""
    k = branch.results.index(result)
    sides = []
    for side in (branch.then, branch.orelse):
        out, inner = side.outs[k], _decides(side, side.outs[k])
        ends: tuple[Atom, Atom]
        if inner is not None:
            told = _told(inner, out, number, array)  # type: ignore[arg-type]
            side = Block(tuple(told if s is inner else s for s in side.stmts), side.outs)
            ends = told.results[-2:]  # type: ignore[assignment]
        else:
            ends = (out, TRUE) if isinstance(kind_of(out), K.Array) else (array, FALSE)
        kept = number if inner is None and isinstance(kind_of(out), K.Array) else out
        sides.append(Block(side.stmts, (*side.outs[:k], kept, *side.outs[k + 1 :], *ends)))
    results = (*branch.results, Var(result.hint, array.kind), Var("turned", K.BOOL))
    return If(branch.cond, sides[0], sides[1], results, branch.origin)


def _second(turn: _Turn, first: For | While, told: tuple[Var, ...]) -> If:
    """The loop over the iterations that are left, if the number has become an array."""
    array, turned, *others = told
    (again,) = clone_block(Block((turn.loop,)), None, K.without_shape).stmts
    assert isinstance(again, For | While)
    inits = list(first.results)
    inits[turn.position] = array
    again = replace(again, inits=tuple(inits))
    if isinstance(again, For):
        again = replace(again, start=others.pop(0))
    block = Block((again,), again.results)
    if first.has_exit:
        results = tuple(Var(r.hint, r.kind) for r in again.results)
        block = Block((If(others[0], Block((), tuple(inits)), block, results, again.origin),), results)
    return If(turned, block, Block((), first.results), turn.loop.results, turn.loop.origin)


def with_tail(
    s: If,
    tail: tuple[Stmt, ...] | list[Stmt],
    after: Block,
    kind: Callable[[K.Kind], K.Kind] = K.without_shape,
) -> If:
    """A branch with statements at the end of both sides, which gives what the statements after it read.

    ``kind`` gives kinds of what the statements define there.
    """
    read = set(free_vars(after))
    made = tuple(v for t in (s, *tail) for v in targets_of(t) if v in read)
    sides = []
    for side in (s.then, s.orelse):
        given: dict[Var, Atom] = dict(zip(s.results, side.outs, strict=True))
        new = clone_block(Block(tuple(tail), made), given, kind)
        sides.append(Block((*side.stmts, *new.stmts), new.outs))
    return If(s.cond, sides[0], sides[1], made, s.origin)
