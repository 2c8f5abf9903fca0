"""Whether directions are better done side by side than one after the other."""

from __future__ import annotations

import operator

import numpy as np

from s2sad.compiled.elementary import is_vector_code
from s2sad.compiled.lane_loops import FLOATS
from s2sad.compiled.varied import Varied
from s2sad.ir.nodes import Block, Const, For, If, Op, Store, While
from s2sad.ir.rewrite import blocks_of

__all__ = ["gains"]

OFTEN = 16  #: how many iterations a loop has, as a guess
PRODUCT = OFTEN**2  #: operations in a product of a matrix and a vector, as a guess


def gains(varied: Varied) -> bool:
    """Whether directions gain by being done side by side.

    Loops over elements that are vector code already lose, for their arrays are so many times as large. All else gains:
    what does not depend on the direction since it is done once for all of them, the rest by becoming vector code.
    """
    scales = _Scales(varied)
    scales.block(varied.loop.body, 1, False)
    return scales.gain >= scales.loss


class _Scales:
    """Weighs the operations of a loop, by how often they are done as far as one can guess."""

    def __init__(self, varied: Varied) -> None:
        self.varied = varied
        self.gain = 0
        self.loss = 0

    def block(self, block: Block, times: int, is_vector: bool) -> None:
        """Weigh a block that is run so often, in a loop that is vector code or not."""
        for s in block.stmts:
            match s:
                case For():
                    n = iterations(s)
                    is_fast = n == OFTEN and is_vector_code(s, self.varied.memory)
                    self.block(s.body, times * n, is_fast)
                case While() | If():
                    for b in blocks_of(s):
                        self.block(b, times * (OFTEN if isinstance(s, While) else 1), is_vector)
                case Op() | Store():
                    self.stmt(s, times, is_vector)

    def stmt(self, s: Op | Store, times: int, is_vector: bool) -> None:
        """Weigh a statement."""
        if isinstance(s, Op) and s.fn in (operator.matmul, np.dot):
            self.gain += times * PRODUCT
        elif isinstance(s, Store) or (s.target is not None and s.target.kind in FLOATS):
            if is_vector and self.varied.concerns(s):
                self.loss += times
            else:
                self.gain += times


def iterations(s: For) -> int:
    """How many iterations a loop has, as far as one can tell, and no more than are often enough."""
    match s.start, s.stop, s.step:
        case Const(int(start)), Const(int(stop)), Const(int(step)):
            return min(len(range(start, stop, step)), OFTEN)
    return OFTEN
