"""Results that are small, in one piece of memory.

Before::

    def f(n: int):
        shape: (int, int) = (2, n)
        J: float64[2] = np.empty(shape)
        K: float64[1] = np.empty(3)
        at: (int, int) = (0, 0)
        J[at] = 1.0
        result: (float64[2], float64[1]) = (J, K)
        return result

After::

    def f(n):
        shape = (2, n)
        t = 2 * n
        t_1 = t + 3
        t_2 = t_1 <= 256
        t_3 = 0 <= n
        t_4 = n <= 256
        t_5 = t_2 & t_3
        t_6 = t_5 & t_4
        if t_6:
            give t_1
        else:
            give 0
        -> t_7
        room = np.empty(t_7)
        t_8 = (2, n)
        J = part(room, 0, t_8)
        t_9 = (3,)
        K = part(room, t, t_9)
        at = (0, 0)
        J[at] = 1.0
        result = (J, K)
        return result

To get memory and to give it back takes Numba and the C library some 25 nanoseconds: for the three blocks of a small
Jacobian, as long as what is computed. Large results are apart as they were, for each would keep all of the room.

Requires: a compiled function of a module that is loaded; text that is read has the arrays apart.
Ensures: the same values. Results that share no memory share none, though they lie in one piece.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.compiled.leaves import Writer
from s2sad.compiled.rooms import part
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, Function, If, Op, Ref, Stmt, Var
from s2sad.ir.rewrite import blocks_of, targets_of, walk, with_blocks, with_body

__all__ = ["results_together"]

FEW = 256  #: how many numbers results have that are put together


def results_together(function: Function) -> Function:
    """The function with one piece of memory for results that it makes empty, if they are few numbers."""
    tuples = {s.target: s.args for s in walk(function) if isinstance(s, Op) and s.fn is prims.make_tuple}
    body = _Together(_results(function, tuples), tuples).block(function.body, set(function.params))
    return with_body(function, body)


def _results(function: Function, tuples: Mapping[Any, tuple[Atom, ...]]) -> set[Atom]:
    """The values that a function gives: those of a tuple one by one, and those of both sides of a branch."""
    sources = dict(tuples)
    for s in walk(function):
        if isinstance(s, If):
            sources |= dict(zip(s.results, zip(s.then.outs, s.orelse.outs, strict=True), strict=True))
    waiting, found = [function.result], set[Atom]()
    while waiting:
        a = waiting.pop()
        found.add(a)
        waiting += sources.get(a, ()) if isinstance(a, Var) else ()
    return found


@dataclass
class _Together:
    """Rewrites a function that gives these values."""

    given: set[Atom]
    tuples: Mapping[Any, tuple[Atom, ...]]

    def block(self, block: Block, known: set[Var]) -> Block:
        """A block and the branches in it; these variables are there when it begins."""
        made, here = dict[Var, tuple[Atom, ...]](), set(known)
        stmts: list[Stmt] = []
        place, before = 0, known  # of the first array, and what is there by then
        for s in block.stmts:
            if isinstance(s, If):
                s = with_blocks(s, tuple(self.block(b, here) for b in blocks_of(s)))
            if isinstance(s, Op) and s.target is not None and s.target in self.given and _is_room(s, s.target):
                if not made:
                    place, before = len(stmts), set(here)
                if (lengths := self.lengths(s.args[0], before)) is not None:
                    made[s.target] = lengths
            stmts.append(s)
            here.update(targets_of(s))
        return replace(block, stmts=_in_one_room(stmts, place, made) if len(made) > 1 else tuple(stmts))

    def lengths(self, shape: Atom, known: set[Var]) -> tuple[Atom, ...] | None:
        """The lengths that a shape says; None if some are not there yet."""
        match shape:
            case Const(tuple() as sizes):
                found: tuple[Atom, ...] = tuple(map(Const, sizes))
            case Var() if shape in self.tuples:
                found = self.tuples[shape]
            case _ if isinstance(kind_of(shape), K.Scalar):
                found = (shape,)
            case _:
                return None
        return found if all(isinstance(a, Const) or a in known for a in found) else None


def _in_one_room(stmts: Sequence[Stmt], place: int, made: Mapping[Var, tuple[Atom, ...]]) -> tuple[Stmt, ...]:
    """Statements that take arrays of these lengths from one room, which is made before the first of them."""
    w = Writer()
    *starts, total = _starts(w, list(made.values()))
    if isinstance(total, Const) and not 0 < total.value <= FEW:
        return tuple(stmts)
    lengths = dict.fromkeys(n for shape in made.values() for n in shape if isinstance(n, Var))
    w.stmts.append(Op(room := Var("room", K.Array("float64", 1)), np.empty, (_if_few(w, total, lengths),)))
    start_of = dict(zip(made, starts, strict=True))
    out = [*stmts[:place], *w.stmts]
    for s in stmts[place:]:
        if isinstance(s, Op) and s.target is not None and s.target in made:
            w = Writer()
            shape = w.tuple_of(*made[s.target])
            out += [*w.stmts, Op(s.target, part, (room, start_of[s.target], shape), (), s.origin)]
        else:
            out.append(s)
    return tuple(out)


def _is_room(s: Op, target: Var) -> bool:
    """Whether this makes an empty array of double precision."""
    doubles = all(name == "dtype" and isinstance(a, Const | Ref) and a.value is np.float64 for name, a in s.kwargs)
    return s.fn is np.empty and len(s.args) == 1 and doubles and K.dtype_of(target.kind) == "float64"


def _starts(w: Writer, shapes: Sequence[Sequence[Atom]]) -> list[Atom]:
    """Where arrays of these shapes begin, one after the other, and where the last ends."""
    starts: list[Atom] = [Const(0)]
    for lengths in shapes:
        size = lengths[0]
        for n in lengths[1:]:
            size = _of_integers(w, operator.mul, size, n)
        starts.append(_of_integers(w, operator.add, starts[-1], size))
    return starts


def _of_integers(w: Writer, fn: Any, a: Atom, b: Atom) -> Atom:
    """A sum or product of lengths."""
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(fn(a.value, b.value))
    return b if fn is operator.add and a == Const(0) else w.emit(fn, a, b)


def _if_few(w: Writer, total: Atom, lengths: Iterable[Var]) -> Atom:
    """A total of lengths, if it is small, else zero.

    Each of them has to be: one that is negative, for which there is no array, or a product too large for an integer
    could make a total small that is not what the others need.
    """
    if isinstance(total, Const):
        return total
    tests = [w.emit(operator.le, total, FEW, kind=K.BOOL)]
    for n in lengths:
        tests += [w.emit(operator.le, 0, n, kind=K.BOOL), w.emit(operator.le, n, FEW, kind=K.BOOL)]
    is_small = functools.reduce(lambda a, b: w.emit(operator.and_, a, b, kind=K.BOOL), tests)
    w.stmts.append(If(is_small, Block((), (total,)), Block((), (Const(0),)), (length := Var("", K.INT),)))
    return length
