"""Tapes that a loop makes anew, made once before it, and read and written by place.

Before::

    def f(x: float, n: int):
        for i in range(0, n) carrying (y: float = x):
            tape: list[float] = []
            for j in range(0, i) carrying (z: float = y):
                list_append(tape, z)
                next 2.0
            -> u
            for k in range(0, i) carrying (bz: float = 1.0):
                w: float = list_pop(tape, -1)
                v = bz * w
                next v
            -> bu
            next bu
        -> r
        return r

After::

    def f(x, n):
        tape = []
        for i in range(0, n) carrying (y = x):
            for j in range(0, i) carrying (z = y, k = 0):
                n_1 = len(tape)
                there = k < n_1
                if there:
                    tape[k] = z
                else:
                    list_append(tape, z)
                k_1 = k + 1
                next 2.0, k_1
            -> u, k_2
            for k_4 in range(0, i) carrying (bz = 1.0, k_3 = k_2):
                k_5 = k_3 - 1
                w = tape[k_5]
                v = bz * w
                next v, k_5
            -> bu, k_6
            next bu
        -> r
        return r

To append an item and pop it again takes compiled code sixty nanoseconds, to store and load it fifteen.

Requires: tapes that stay lists (:mod:`s2sad.compiled.tapes`); nothing is moved afterwards by what memory belongs to
an iteration.
Ensures: the same values. What one iteration recorded is held until the next one records in its place.
"""

from __future__ import annotations

import operator

from s2sad.compiled.parts import Tape, find_tapes, groups_of
from s2sad.compiled.tapes import Rewriter, State, block_replaced
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Block, Const, For, Function, If, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import walk, with_body

__all__ = ["before_all_loops", "tapes_kept"]


def tapes_kept(function: Function) -> Function:
    """Make tapes before the loops that make them anew in each iteration."""
    tapes = [t for t in find_tapes(function) if t.copy is None]
    for group in groups_of(function, tapes):
        keeper = _Keeper(function, group)
        if any(isinstance(s, For | While) and s.body is keeper.home for s in walk(function)):
            block = keeper.block_without_tapes()
            if block is not None:
                made: list[Stmt] = [t.made for t in group]
                function = before_all_loops(function, keeper.home, block, made)
    return function


def before_all_loops(function: Function, old: Block, new: Block, made: list[Stmt]) -> Function:
    """The function with another block in the place of one, and statements before all that this one is in."""
    stmts: list[Stmt] = []
    for s in function.body.stmts:
        (changed,) = block_replaced(Block((s,)), old, new).stmts
        stmts += [changed] if changed is s else [*made, changed]
    return with_body(function, Block(tuple(stmts), function.body.outs))


class _Keeper(Rewriter):
    """Replaces the appends and pops of a group; the state is how many items there are."""

    def __init__(self, function: Function, tapes: list[Tape]) -> None:
        super().__init__(function, tapes)
        for t in tapes:
            self.slots[id(t.append)] = self.slots[id(t.pop)] = 0
            self.gone.add(id(t.made))
        self.done = 0

    def block_without_tapes(self) -> Block | None:
        """The block that made the tapes; None if they do not grow as one."""
        stmts, _ = self.block(self.home.stmts, (Const(0),))
        return None if stmts is None or self.done < 2 * len(self.tapes) else Block(stmts, self.home.outs)

    def put(self, s: Op, k: object, state: State, out: list[Stmt]) -> State:
        """An append."""
        self.done += 1
        tape, value = s.args
        n, there, after = Var("n", K.INT), Var("there", K.BOOL), Var("k", K.INT)
        place = k  # the number before the appends of this block
        out += [Op(n, len, (tape,)), Op(there, operator.lt, (place, n))]  # type: ignore[arg-type]
        stored = Block((Store(tape, place, value, None, s.origin),))  # type: ignore[arg-type]
        out.append(If(there, stored, Block((s,)), ()))
        if state[0] is not k:
            return state
        out.append(Op(after, operator.add, (place, Const(1))))  # type: ignore[arg-type]
        return (after,)

    def take(self, s: Op, k: object, state: State, out: list[Stmt]) -> State:
        """A pop."""
        self.done += 1
        if state[0] is k:
            before = Var("k", K.INT)
            out.append(Op(before, operator.sub, (state[0], Const(1))))
            state = (before,)
        out.append(Op(s.target, operator.getitem, (s.args[0], state[0]), (), s.origin))
        return state
