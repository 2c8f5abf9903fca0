"""What the last iteration hands on though nobody reads it: what any other would.

Before::

    def f(a: float):
        while carrying (x: float = a, y: float = UNDEF):
            test True
        do:
            u = a / x
            v: float = x + u
            t = v - x
            t_1 = abs(t)
            t_2 = t_1 < 1e-12
            if t_2:
                give x
            else:
                give v
            -> x_1: float
            next x_1, v
            exit t_2
        -> x_2: float, z: float
        return z

After::

    def f(a):
        while carrying (x = a, y = UNDEF):
            test True
        do:
            u = a / x
            v = x + u
            t = v - x
            t_1 = abs(t)
            t_2 = t_1 < 1e-12
            next v, v
            exit t_2
        -> x_1, z
        return z

A name that is bound anew behind a ``break`` keeps its value where that is taken. If it is not read after the loop, it
may as well have the new one, and no iteration differs from another: the reverse sweep need not know which was the last.

Requires: a verified function.
Ensures: the same values, and the same errors. What the rest of an iteration makes is not made where the loop ends.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace

from s2sad.ir.nodes import Atom, Block, For, Function, If, Op, Stmt, Var, While
from s2sad.ir.rewrite import all_vars, map_stmts, use_counts, walk, with_body
from s2sad.optimise.plain_loops import last_branch

__all__ = ["end_like_others"]


def end_like_others(function: Function) -> tuple[Function, dict[Var, Atom]]:
    """The function with loops whose last iteration hands on what others do, where nobody reads it; nothing is gone."""
    if not any(isinstance(s, For | While) and s.has_exit for s in walk(function)):
        return function, {}
    read = use_counts(function)
    body = map_stmts(function.body, lambda s: _changed(s, read) if isinstance(s, For | While) and s.has_exit else s)
    return (function if body is function.body else with_body(function, body)), {}


def _changed(s: For | While, read: Mapping[Var, int]) -> For | While:
    """The loop, if it ends with a branch that tells whether it is left."""
    last = last_branch(s)
    if last is None or not last.decides:
        return s
    made = set(all_vars(last.rest))
    pairs = zip(s.results, s.body.outs, last.stayed, strict=False)
    outs = [a if r in read or b in made else b for r, a, b in pairs]
    if outs == list(s.body.outs[:-1]):
        return s
    stmts, left = _needed(last.branch, Block((), (*outs, s.body.outs[-1])), last.leaves)
    return replace(s, body=Block((*last.before, *stmts), (*outs, left)))


def _needed(branch: If, body: Block, leaves: bool) -> tuple[tuple[Stmt, ...], Atom]:
    """The branch if it is needed, with the results that are still read; what tells whether the loop is left."""
    read = use_counts(body)
    kept = [k for k, r in enumerate(branch.results) if r in read]
    flag = body.outs[-1]
    if branch.then.stmts or branch.orelse.stmts or any(branch.results[k] is not flag for k in kept):
        then, orelse = (replace(side, outs=tuple(side.outs[k] for k in kept)) for side in (branch.then, branch.orelse))
        return (replace(branch, then=then, orelse=orelse, results=tuple(branch.results[k] for k in kept)),), flag
    if not isinstance(flag, Var) or not kept:
        return (), flag
    if leaves:
        return (), branch.cond
    return (Op(flag, operator.not_, (branch.cond,), (), branch.origin),), flag
