"""Loops with their tests in front.

Before::

    def f(a: float):
        while carrying (x: float = a):
            test True
        do:
            t = x * x
            t_1 = t - a
            t_2 = t_1 > 1e-12
            if t_2:
                t_3 = a / x
                u: float = x + t_3
                give u, False
            else:
                give x, True
            -> y: float, left: bool
            next y
            exit left
        -> z: float
        return z

After::

    def f(a):
        while carrying (x = a):
            t = x * x
            t_1 = t - a
            t_2 = t_1 > 1e-12
            test t_2
        do:
            t_3 = a / x
            u = x + t_3
            next u
        -> z
        return z

A test that calls is lowered into the body, as it may bind names, store, or ask something itself. Where it does none of
this, it is what is asked before each iteration. No iteration is cut short by it, and nothing has to be recorded of how
iterations ended.

Requires: nothing that is computed twice has been made one (:mod:`s2sad.optimise.cse`).
Ensures: the same values, and the same errors. Loops stay as they are whose body reads what the test works out, or does
the same with arrays, which then is done once; and those that leave something else behind where the test ends them than
where the body does.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Mapping
from dataclasses import replace

from s2sad.ir.kinds import BOOL, Array
from s2sad.ir.nodes import Atom, Block, Const, Function, Op, Stmt, Var, While, kind_of
from s2sad.ir.rewrite import map_stmts, resolve, substitute, targets_of, use_counts, walk, with_body
from s2sad.optimise.plain_loops import Plain, plain_loop

__all__ = ["put_tests_in_front"]

_NO = Const(False)


def put_tests_in_front(function: Function) -> tuple[Function, dict[Var, Atom]]:
    """The function with such loops, and what stands for the variables that are gone."""
    if not any(isinstance(s, While) and s.has_exit for s in walk(function)):
        return function, {}
    read = use_counts(function)
    gone: dict[Var, Atom] = {}

    def change(s: Stmt) -> Stmt:
        if not isinstance(s, While) or not s.has_exit or (plain := plain_loop(s := _without_unread(s, read))) is None:
            return s
        rest = Block(plain.body.stmts[len(plain.test) :], (*plain.body.outs, plain.leaves))
        if not _may_move(plain, rest, read):
            return s
        if plain.leaves == _NO:
            gone.update(plain.ends)
            rest = replace(rest, outs=rest.outs[:-1])
        return replace(s, test=_test(plain), body=rest, has_exit=plain.leaves != _NO)

    body = map_stmts(function.body, change)
    if body is function.body:
        return function, {}
    gone = resolve(gone)
    return with_body(function, substitute(body, gone)), gone


def _without_unread(s: While, read: Mapping[Var, int]) -> While:
    """The loop without what it carries for nobody: a name that the test binds, say."""
    kept = [k for k, (p, r) in enumerate(zip(s.params, s.results, strict=True)) if p in read or r in read]
    if len(kept) == len(s.params):
        return s
    params, results = (tuple(of[k] for k in kept) for of in (s.params, s.results))
    inits, outs = (tuple(of[k] for k in kept) for of in (s.inits, s.body.outs))
    body = replace(s.body, outs=(*outs, s.body.outs[-1]))
    return replace(s, params=params, inits=inits, results=results, body=body)


def _may_move(plain: Plain, rest: Block, read: Mapping[Var, int]) -> bool:
    """Whether the test concerns nothing but whether to go on."""
    if plain.leaves != _NO and any(r in read for r in plain.ends):
        return False
    if not _operations(plain.test).isdisjoint(_operations(rest.stmts)):
        return False
    return {v for s in plain.test for v in targets_of(s)}.isdisjoint(use_counts(rest))


def _operations(stmts: tuple[Stmt, ...]) -> set[Hashable]:
    """What is done with arrays, and what to them."""
    ops = (s for s in walk(Block(stmts)) if isinstance(s, Op))
    return {(s.fn, s.args, s.kwargs) for s in ops if any(isinstance(kind_of(a), Array) for a in s.args)}


def _test(plain: Plain) -> Block:
    """What is asked before each iteration."""
    if plain.holds:
        return Block(plain.test, (plain.cond,))
    cond = Var("", BOOL)
    return Block((*plain.test, Op(cond, operator.not_, (plain.cond,))), (cond,))
