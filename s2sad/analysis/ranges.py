"""Whether loops over ranges have iterations."""

from __future__ import annotations

import operator

from s2sad.ir.nodes import Block, Const, For, Op, While

__all__ = ["range_tests", "surely_runs"]


def surely_runs(loop: For | While) -> bool:
    """Whether a loop is known to have an iteration."""
    match loop:
        case For(start=Const(int(a)), stop=Const(int(b)), step=Const(int(c))):
            return bool(range(a, b, c))
    return isinstance(loop, While) and loop.test == Block((), (Const(True),))


def range_tests(loop: For) -> tuple[Op, Op] | None:
    """Comparisons, without targets, that are true where a loop has an iteration, and where it has none.

    None where it is known at run time only whether the range goes up or down. A constant is on the right.
    """
    match loop:
        case For(start=start, stop=stop, step=Const(int(step))) if step:
            turned = isinstance(stop, Const)
            more, less = (operator.gt, operator.le), (operator.lt, operator.ge)
            ends = (start, stop) if turned else (stop, start)
            runs, empty = more if (step > 0) != turned else less
            return Op(None, runs, ends, (), loop.origin), Op(None, empty, ends, (), loop.origin)
    return None
