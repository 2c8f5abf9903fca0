"""Parameters that have one shape.

Before::

    def f(x: float64[1]#1, dx: float64[1]#1):
        y: float64[1]#1 = x * dx
        return y

After::

    def f(x, dx):
        same_axes(dx, x)
        y = x * dx
        return y

A tangent has the shape of its argument. The kinds say so, but a compiled function may be called with other lengths; it
reads no memory by what the kinds say alone (:class:`s2sad.optimise.shapes.Shapes`, ``by_token``), and believes a check.

Requires: nothing of the IR. Ensures: the same values, where what the kinds say is so.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Block, Function, Op, Var
from s2sad.ir.rewrite import with_body
from s2sad.runtime import helpers

__all__ = ["check_alike"]


def check_alike(function: Function) -> Function:
    """Put in the checks."""
    checks = tuple(_alike(function.params))
    return with_body(function, Block((*checks, *function.body.stmts), function.body.outs)) if checks else function


def _alike(params: tuple[Var, ...]) -> Iterator[Op]:
    """A check for each parameter that has the shape of one before it, as a tangent has that of its argument."""
    first: dict[tuple[int, int], Var] = {}
    for p in params:
        match p.kind:
            case Array(_, int(rank), int(token)) if rank:
                if (same := first.setdefault((token, rank), p)) is not p:
                    yield Op(None, helpers.same_axes, (p, same))
