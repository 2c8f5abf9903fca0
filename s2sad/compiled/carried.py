"""Arrays that keep their shapes from one iteration to the next, and parameters that have one shape.

Before::

    def f(x: float64[1], n: int):
        for _ in range(0, n) carrying (y: float64[1] = x):
            z: float64[1] = np.sin(y)
            next z
        -> w: float64[1]
        return w

After::

    def f(x, n):
        for _ in range(0, n) carrying (y = x):
            same_axes(y, x)
            z = np.sin(y)
            next z
        -> w
        same_axes(w, x)
        return w

That each iteration hands on what has the shape of what it was handed is known; the check says it to passes that look at
one iteration only, and what is as long as something outside the loop can be made there.

Requires: nothing of the IR. Ensures: the same values; the checks do not fail, unless one before them does.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.compiled.extents import Recorded
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Atom, Block, For, Function, Op, Stmt, Var, While
from s2sad.ir.rewrite import map_stmts, with_body
from s2sad.runtime import helpers

__all__ = ["say_carried_shapes"]


def say_carried_shapes(function: Function) -> Function:
    """Put in the checks."""
    kept = Recorded(function).kept
    alike = list(_alike(function.params))
    if not kept:
        return _checked(function, alike)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        pairs = kept.get(s.results) if isinstance(s, For | While) else None
        if not pairs or not isinstance(s, For | While):
            return s
        places = [(s.params[k], s.results[k], s.inits[k]) for k in sorted(pairs)]
        inside = [_check(p, init) for p, _, init in places]
        body = Block((*inside, *s.body.stmts), s.body.outs)
        after = [_check(r, init) for _, r, init in places]
        return [_with_body(s, body), *after]

    return _checked(with_body(function, map_stmts(function.body, change)), alike)


def _checked(function: Function, checks: list[Op]) -> Function:
    """The function with these checks at the beginning."""
    if not checks:
        return function
    return with_body(function, Block((*checks, *function.body.stmts), function.body.outs))


def _alike(params: tuple[Var, ...]) -> Iterator[Op]:
    """A check for each parameter that has the shape of one before it, as a tangent has that of its argument."""
    first: dict[tuple[int, int], Var] = {}
    for p in params:
        match p.kind:
            case Array(_, int(rank), int(token)) if rank:
                if (same := first.setdefault((token, rank), p)) is not p:
                    yield _check(p, same)


def _check(a: Var, b: Atom) -> Op:
    return Op(None, helpers.same_axes, (a, b))


def _with_body(s: For | While, body: Block) -> Stmt:
    if isinstance(s, While):
        return While(s.params, s.inits, s.test, body, s.results, s.has_exit, s.origin)
    return For(s.index, s.start, s.stop, s.step, s.params, s.inits, body, s.results, s.has_exit, s.origin)
