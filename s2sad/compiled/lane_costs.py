"""Whether terms of a sum are better done side by side than one after the other: what each way takes.

Counted are cycles for a term, roughly, as measured on processors with vectors of four doubles. One after the other, an
operation costs little, since a processor does several at once, those of the next term among them; what costs is a call
of the C library, a recurrence in which each step waits for the one before, and a loop over few elements, vector code or
not. Side by side, all of it is vector code, but each loop over terms takes its time to begin, and what lies beside each
other in memory belongs to one term and not to many.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from s2sad.compiled.elementary import FUNCTIONS, is_vector_code
from s2sad.compiled.lane_loops import FLOATS
from s2sad.compiled.varied import Varied
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, If, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, inner_targets_of, targets_of, walk
from s2sad.loops.fuse import calls_library
from s2sad.runtime.helpers import plus

__all__ = ["SHORT", "Costs", "costs_of"]

SHORT = 64  #: loops that are vector code are taken to be over so many elements at most, which is asked before
OFTEN = 8  #: how many iterations a loop has, as a guess
WORTH = 1.4  #: how much better it has to look

ENTRY = 4.0  #: to begin a loop, one term at a time
VECTOR_ENTRY = 8.0  #: the same of one that is vector code
GROUP = 0.4  #: to begin a loop over terms, for each of them
ROW = 2.0  #: to read an item of the term's row of data, or to put it beside those of other terms
WAIT = 10.0  #: a step of a recurrence, which waits for the one before
SOME = 2.0  #: to ask whether there are terms that take a branch
FAR = 0.2  #: for an element of arrays that may be long, and are so many times as long then
LISTED = 15.0  #: to put something into a list, or to take it out

#: What an operation takes: one at a time, in a loop over elements that is vector code, and side by side.
_ARITHMETIC = 0.3, 0.15, 0.12
_STORE = 0.5, 0.3, 0.25
_SLOW = 3.0, 1.5, 1.5  #: a quotient or a root
_LIBRARY = 14.0, 5.0, 5.0
_LIBRARY_ALONE = 14.0, 14.0, 16.0  #: without a vector form
_PRODUCT = 40.0, 40.0, 15.0  #: a matrix by a vector
_LIST = LISTED, LISTED, 0.5

_ROOTS = (operator.truediv, np.divide, np.sqrt, math.sqrt)
_LISTS = (prims.list_append, prims.list_pop, prims.make_list)


@dataclass
class Costs:
    """What a term takes one by one and side by side, if none of some lengths is above ``SHORT``."""

    alone: float = 0.0
    together: float = 0.0
    lengths: list[Atom] = field(default_factory=list)
    has_loops: bool = False

    @property
    def gains(self) -> bool:
        """Whether terms gain by being done side by side. One without loops is left to the compiler."""
        return self.has_loops and self.alone > WORTH * self.together


def costs_of(varied: Varied, made: Mapping[Var, Stmt]) -> Costs:
    """What the terms that a loop adds up take."""
    weighing = _Weighing(varied, made)
    weighing.block(varied.loop.body, 1.0, _At())
    weighing.costs.together += sum(ROW * min(n, OFTEN) for n in weighing.rows.values())
    weighing.costs.lengths = list(dict.fromkeys(weighing.costs.lengths))
    return weighing.costs


@dataclass(frozen=True)
class _At:
    """Where a statement is: in a loop that is vector code for one term, in a branch that only some terms take.

    ``share`` is how many of the terms come there, as a guess; side by side, all of them do.
    """

    is_vector: bool = False
    share: float = 1.0


class _Weighing:
    """Adds up what statements take, by how often they are done as far as one can guess."""

    def __init__(self, varied: Varied, made: Mapping[Var, Stmt]) -> None:
        self.varied = varied
        self.made = made
        self.costs = Costs()
        self.rows: dict[Var, float] = {}  #: how often each is read
        self.inside = {v for s in walk(varied.loop.body) for v in (*targets_of(s), *inner_targets_of(s))}
        self.inside.add(varied.loop.index)

    def block(self, block: Block, times: float, at: _At) -> None:
        """Weigh a block that is run so often."""
        inner = sum(isinstance(s, For | While) for s in block.stmts)
        if any(isinstance(s, Op | Store) and self.varied.concerns(s) for s in block.stmts):
            self.costs.together += GROUP * times * (1 + inner)
        for s in block.stmts:
            match s:
                case For():
                    self.loop(s, times, at)
                case While():
                    self.costs.has_loops = True
                    self.block(s.body, times * OFTEN, at)
                case If():
                    self.branch(s, times, at)
                case Op() | Store():
                    self.stmt(s, times, at)

    def loop(self, s: For, times: float, at: _At) -> None:
        """Weigh a loop."""
        self.costs.has_loops = True
        is_vector = is_vector_code(s, self.varied.memory)
        n = float(_iterations(s))
        if is_vector and not self.is_short(s):
            self.costs.together += times * n * FAR
        self.costs.alone += at.share * times * (VECTOR_ENTRY if is_vector else ENTRY)
        if not is_vector and any(p.kind in FLOATS and not _is_summed(s, p) for p in s.params):
            self.costs.alone += at.share * times * n * WAIT
        self.block(s.body, times * n, _At(is_vector, at.share))

    def branch(self, s: If, times: float, at: _At) -> None:
        """Weigh a branch: both sides of it are run, side by side."""
        share = at.share
        if self.varied.is_value(s.cond) and any(isinstance(x, For | While) for x in walk(Block((s,)))):
            self.costs.together += SOME * times
            share /= 2
        for b in blocks_of(s):
            self.block(b, times, _At(at.is_vector, share))

    def stmt(self, s: Op | Store, times: float, at: _At) -> None:
        """Weigh a statement."""
        alone, in_vectors, together = _weight(s, at)
        self.costs.alone += at.share * times * (in_vectors if at.is_vector else alone)
        if self.varied.concerns(s):
            self.costs.together += times * together
            if (row := self.row_at(s)) is not None:
                self.rows[row] = self.rows.get(row, 0.0) + times

    def row_at(self, s: Op | Store) -> Var | None:
        """The array of which a statement reads or changes an item of the term's row."""
        match s:
            case Op(fn=operator.getitem, args=(Var(kind=K.Array(rank=2)) as x, Var() as index)) | Store(
                obj=Var(kind=K.Array(rank=2)) as x, index=Var() as index
            ):
                at = self.made.get(index)
                if isinstance(at, Op) and at.fn is prims.make_tuple and self.varied.is_row(x, at.args):
                    return x
        return None

    def is_short(self, s: For) -> bool:
        """Whether a loop may be taken to be over few elements; how many there are is then asked."""
        length = self.known(s.start if s.step == Const(-1) else s.stop)
        if isinstance(length, Var):
            self.costs.lengths.append(length)
        return length is not None and not (isinstance(length, Const) and length.value > SHORT)

    def known(self, a: Atom) -> Atom | None:
        """An integer that is known before the loop and, by the looks of it, not less than this one."""
        if a not in self.inside:
            return a
        match self.made.get(a):  # type: ignore[arg-type]
            case Op(fn=operator.sub, args=(b, _)):
                return self.known(b)
            case Op(fn=builtins.max | builtins.min, args=args):
                found = [b for b in map(self.known, args) if isinstance(b, Var)]
                return found[0] if found else None
        return None


def _weight(s: Op | Store, at: _At) -> tuple[float, float, float]:
    """What a statement takes."""
    if isinstance(s, Store):
        return _STORE
    if calls_library(s):
        return _LIBRARY if s.fn in FUNCTIONS and at.share == 1.0 else _LIBRARY_ALONE
    if s.fn in _ROOTS:
        return _SLOW
    if s.fn in _LISTS:
        return _LIST
    return _PRODUCT if s.fn in (operator.matmul, np.dot) else _ARITHMETIC


def _is_summed(s: For, p: Var) -> bool:
    """Whether a loop only adds to what it carries."""
    return any(isinstance(x, Op) and x.fn in (operator.add, plus) and p in x.args for x in s.body.stmts)


def _iterations(s: For) -> int:
    match s.start, s.stop, s.step:
        case Const(int(start)), Const(int(stop)), Const(int(step)):
            return min(len(range(start, stop, step)), SHORT)
    return OFTEN
