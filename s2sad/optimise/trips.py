"""Loops that count down, of which nobody asks where they are: as many rounds.

Before::

    def f(x: float, n: int):
        m = n - 1
        for k in range(m, -1, -1) carrying (y: float = x):
            z = y * 2.0
            next z
        -> w
        return w

After::

    def f(x, n):
        for k in range(0, n) carrying (y = x):
            z = y * 2.0
            next z
        -> w
        return w

Requires: the last passes over the derivative have run; which loop one reverses matters no more.
Ensures: the same iterations.
"""

from __future__ import annotations

import operator

from s2sad.ir.kinds import INT
from s2sad.ir.nodes import Atom, Block, Const, For, Function, Op, Stmt, Var, kind_of
from s2sad.ir.rewrite import blocks_of, use_counts, walk, with_blocks, with_body

__all__ = ["count_rounds"]


def count_rounds(function: Function) -> Function:
    """Let loops count up to the number of their iterations, where their index is not read."""
    if not any(type(s) is For and s.step == Const(-1) for s in walk(function)):
        return function
    uses = use_counts(function)

    def block(b: Block) -> Block:
        stmts: list[Stmt] = []
        for s in b.stmts:
            stmts.append(with_blocks(s, tuple(block(inner) for inner in blocks_of(s))) if blocks_of(s) else s)
            if type(s) is For and not uses.get(s.index):
                _count_last(stmts, uses)
        return Block(tuple(stmts), b.outs)

    return with_body(function, block(function.body))


def _count_last(stmts: list[Stmt], uses: dict[Var, int]) -> None:
    """Let the last of some statements, a loop, count up, if the number of its iterations is at hand."""
    loop = stmts[-1]
    assert isinstance(loop, For)
    rounds = _rounds(loop, stmts)
    if rounds is None:
        return
    told = loop.origin, loop.independent
    carried = loop.params, loop.inits, loop.body, loop.results, loop.has_exit
    stmts[-1] = For(loop.index, Const(0), rounds, Const(1), *carried, *told)
    for k, s in enumerate(stmts):
        if type(s) is Op and s.target is loop.start and rounds is not loop.start and uses.get(s.target) == 1:
            del stmts[k]
            return


def _rounds(loop: For, before: list[Stmt]) -> Atom | None:
    """How many iterations a loop has that counts down to one or to zero; perhaps a number below zero for none."""
    match loop.start, loop.stop, loop.step:
        case start, Const(value=0), Const(value=-1):
            return start
        case Const(value=int(first)), Const(value=-1), Const(value=-1):
            return Const(first + 1)
        case Var() as start, Const(value=-1), Const(value=-1):
            for s in reversed(before):
                if type(s) is Op and s.target is start:
                    whole = s.fn is operator.sub and s.args[1] == Const(1) and kind_of(s.args[0]) == INT
                    return s.args[0] if whole else None
    return None
