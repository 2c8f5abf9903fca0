"""What endless loops do when they end, behind them.

Before::

    def f(a: float):
        while carrying (x: float = a, y: float = UNDEF):
            test True
        do:
            t = x * x
            t_1 = t - a
            u = abs(t_1)
            t_2 = u < 1e-12
            if t_2:
                t_3 = u + x
                v: float = t_3 * a
                give x, v, True
            else:
                w: float = 0.5 * x
                give w, y, False
            -> x_1: float, y_1: float, left: bool
            next x_1, y_1
            exit left
        -> z: float, s: float
        return s

After::

    def f(a):
        while carrying (x = a, y = UNDEF, u = UNDEF):
            test True
        do:
            t = x * x
            t_1 = t - a
            u_1 = abs(t_1)
            t_2 = u_1 < 1e-12
            if t_2:
                give x, y, True
            else:
                w = 0.5 * x
                give w, y, False
            -> x_1, y_1, left
            next x_1, y_1, u_1
            exit left
        -> z, s, u_2
        t_3 = u_2 + z
        v = t_3 * a
        return v

``while True`` is left in one way only, so what comes before that runs once, and after all else: the loop need not be
looked at to reverse it, nor asked in which iteration it was.

Requires: no loop carries what it never changes (:mod:`s2sad.transform.invariants`).
Ensures: the same values, and the same errors. Loops stay as they are where there are several ways out, and where what
runs at the end reads arrays that the last iteration made: each iteration would have to hand them on.
"""

from __future__ import annotations

from dataclasses import replace

from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import UNDEF, Atom, Block, Function, If, Stmt, Var, While
from s2sad.ir.rewrite import all_vars, free_vars, map_stmts, resolve, substitute, walk, with_body
from s2sad.optimise.plain_loops import last_branch

__all__ = ["put_exits_behind"]


def put_exits_behind(function: Function) -> tuple[Function, dict[Var, Atom]]:
    """The function with such loops, and what stands for the variables that are gone."""
    if not any(isinstance(s, While) and s.has_exit for s in walk(function)):
        return function, {}
    gone: dict[Var, Atom] = {}

    def change(s: Stmt) -> Stmt | tuple[Stmt, ...]:
        return _parted(s, gone) if isinstance(s, While) and s.has_exit and s.is_endless else s

    body = map_stmts(function.body, change)
    if body is function.body:
        return function, {}
    gone = resolve(gone)
    return with_body(function, substitute(body, gone)), gone


def _parted(s: While, gone: dict[Var, Atom]) -> Stmt | tuple[Stmt, ...]:
    """The loop and what it did at its end; itself if that is nothing, or has to stay in it."""
    last = last_branch(s)
    if last is None or not last.decides or not last.end.stmts:
        return s
    end, outs = last.end, last.left[:-1]
    inside = {*s.params, *all_vars(Block(last.before))}
    needed = [v for v in free_vars(Block(end.stmts)) if v in inside]
    known = {p: r for p, r, a in zip(s.params, s.results, outs, strict=True) if a is p}
    handed = [v for v in needed if v not in known]
    if not all(isinstance(v.kind, Scalar) for v in handed):
        return s
    known |= {v: Var(v.hint, v.kind) for v in handed}
    made = set(all_vars(Block(end.stmts)))
    gone |= {r: a for r, a in zip(s.results, outs, strict=True) if isinstance(a, Var) and a in made}
    loop = replace(
        s,
        params=(*s.params, *(Var(v.hint, v.kind) for v in handed)),
        inits=(*s.inits, *(UNDEF for _ in handed)),
        body=Block((*last.before, _without(last.branch, end, s)), (*s.body.outs[:-1], *handed, s.body.outs[-1])),
        results=(*s.results, *(known[v] for v in handed)),
    )
    return loop, *substitute(Block(end.stmts), known).stmts


def _without(branch: If, end: Block, s: While) -> If:
    """The branch without the statements of one side: it hands on what the loop carried."""
    made = set(all_vars(Block(end.stmts)))
    carried = dict(zip(s.body.outs, s.params, strict=False))
    given = zip(branch.results, end.outs, strict=True)
    left = Block((), tuple(carried.get(r, a) if a in made else a for r, a in given))
    return replace(branch, then=left) if branch.then is end else replace(branch, orelse=left)
