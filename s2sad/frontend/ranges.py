"""Integers of ranges: the items of one, the length of the shortest of some, one backwards."""

from __future__ import annotations

import operator
import sys

import numpy as np

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, RangeV
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const

__all__ = ["Ranges"]


class Ranges(Lowering):
    """The part of the lowerer that counts."""

    def affine(self, start: Atom, step: Atom, k: Atom) -> Atom:
        scaled = k if step == Const(1) else self.emit(operator.mul, k, step, kind=K.INT)
        return self.shifted(scaled, start)

    def shifted(self, k: Atom, start: AVal) -> Atom:
        if start == Const(0):
            return k
        if isinstance(k, Const) and isinstance(start, Const):
            return Const(k.value + start.value)
        return self.emit(operator.add, k, self.as_atom(start), kind=K.INT)

    def shortest(self, lengths: list[Atom]) -> Atom:
        distinct = [n for n in dict.fromkeys(lengths) if n != Const(sys.maxsize)] or [Const(sys.maxsize)]
        return distinct[0] if len(distinct) == 1 else self.emit(min, *distinct, kind=K.INT)

    def array_of_range(self, r: RangeV) -> Atom:
        """The array that NumPy makes of a range."""
        ends = (
            [r.start, r.stop, r.step] if r.step != Const(1) else [r.start, r.stop] if r.start != Const(0) else [r.stop]
        )
        return self.emit(np.arange, *map(self.as_atom, ends), kind=K.Array("int64", 1))

    def reversed_range(self, r: RangeV) -> RangeV:
        """``reversed(range(...))`` as a range."""
        if r.step == Const(1):
            return RangeV(self.minus_one(r.stop), self.minus_one(r.start), Const(-1))
        length = self.emit(len, self.as_atom(r), kind=K.INT)
        last = self.affine(r.start, r.step, self.minus_one(length))
        down = Const(-r.step.value) if isinstance(r.step, Const) else self.emit(operator.neg, r.step, kind=K.INT)
        stop = self.emit(operator.sub, r.start, r.step, kind=K.INT)
        return RangeV(last, stop, down)

    def minus_one(self, a: Atom) -> Atom:
        if isinstance(a, Const):
            return Const(a.value - 1)
        return self.emit(operator.sub, a, Const(1), kind=K.INT)
