"""Arrays that keep their shapes from one iteration to the next, as far as only the kinds say so.

Before::

    def f(x: float64[1]#1, y: float64[1]#1, n: int):
        for _ in range(0, n) carrying (z: float64[1]#1 = x):
            w: float64[1]#1 = z * y
            next w
        -> r: float64[1]#1
        return r

After::

    def f(x, y, n):
        for _ in range(0, n) carrying (z = x):
            same_axes(z, x)
            w = z * y
            next w
        -> r
        same_axes(r, x)
        return r

Passes that decide about memory believe no token of a kind, for that may say what is only true behind a check, nor what
is known on the other side of a call: the reverse sweep gets its arrays as arguments. What follows from operations and
checks in sight they find themselves (:func:`s2sad.optimise.flow.shapes_through`). The rest is checked here, so that
buffers for what loops carry can be made outside.

Requires: nothing of the IR. Ensures: the same values; the checks do not fail, unless one before them does.
"""

from __future__ import annotations

from dataclasses import replace

from s2sad.analysis.memory import Memory
from s2sad.ir.kinds import rank_of
from s2sad.ir.nodes import Atom, Block, For, Function, Op, Stmt, Var, While
from s2sad.ir.rewrite import map_stmts, walk, with_body
from s2sad.optimise.dims import Shape
from s2sad.optimise.flow import Flow, shapes_through
from s2sad.runtime import helpers

__all__ = ["say_carried_shapes"]


def say_carried_shapes(function: Function) -> Function:
    """Put in the checks."""
    if not any(isinstance(s, For | While) for s in walk(function)):
        return function
    memory = Memory(function)
    told = _Told(function, memory=memory)
    told.run()
    known = shapes_through(function, memory) if told.kept else {}
    kept = {p: init for p, init in told.kept.items() if p not in known or _has_own(p, known[p])}
    if not kept:
        return function

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, For | While):
            return s
        places = [(p, r, kept[p]) for p, r in zip(s.params, s.results, strict=True) if p in kept]
        inside = [_check(p, init) for p, _, init in places]
        after = [_check(r, init) for _, r, init in places]
        return [replace(s, body=Block((*inside, *s.body.stmts), s.body.outs)), *after]

    return with_body(function, map_stmts(function.body, change))


class _Told(Flow):
    """What loops carry in the shape that it has at first, tokens being believed, and what it is at first."""

    def start(self) -> None:
        """Begin without."""
        self.kept: dict[Var, Atom] = {}
        super().start()

    def loop(self, loop: For | While) -> None:
        """A loop."""
        super().loop(loop)
        for p, init in zip(loop.params, loop.inits, strict=True):
            self.kept.pop(p, None)
            changing = any(q is p for q, _ in self.changing)
            if not changing and rank_of(p.kind) and isinstance(init, Var) and self.shapes.equal(p, init):
                self.kept[p] = init


def _has_own(p: Var, shape: Shape) -> bool:
    """Whether a shape has an axis of which nothing is known but whose it is."""
    return any(dim == ("axis", p, k) for k, dim in enumerate(shape))


def _check(a: Var, b: Atom) -> Op:
    return Op(None, helpers.same_axes, (a, b))
