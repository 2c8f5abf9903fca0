"""Branches that are reversed where they have run.

Before::

    def f(c: bool, x: float, w: float):
        if c:
            t = x * w
            y = math.sin(t)
            give y, t
        else:
            u = x + w
            give u, 0.0
        -> z, kept
        b = w * 2.0
        if c:
            s = math.cos(kept)
            d = b * s
            give d
        else:
            give b
        -> bx
        r = (z, bx)
        return r

After::

    def f(c, x, w):
        b = w * 2.0
        if c:
            t = x * w
            y = math.sin(t)
            s = math.cos(t)
            d = b * s
            give y, d
        else:
            u = x + w
            give u, b
        -> z, bx
        r = (z, bx)
        return r

Where nothing of what comes of a branch is asked for before its adjoint is known, the reverse sweep need not come back
to it: what it reads is at hand, and is not handed out of the branch. So it is with a formula for each case, whether its
cases are chosen by ``if`` and ``else`` or return early.

Requires: branches say of which results they are adjoints; the passes that make each other's work possible have run.
Ensures: the same statements are done; what may fail goes before nothing that is shown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from s2sad.analysis.memory import Memory
from s2sad.ir.nodes import Atom, Block, Comment, Function, If, Stmt, Var
from s2sad.ir.rewrite import blocks_of, free_vars, targets_of, walk, with_blocks, with_body
from s2sad.optimise.touched import Moves, touched_by

__all__ = ["join_branches"]

REACH = 300  #: how many statements there may be in between


def join_branches(function: Function) -> Function:
    """Reverse each branch right after it has run, where nothing in between needs it."""
    if not any(isinstance(s, If) and s.adjoint for s in walk(function)):
        return function
    body = _Joiner(Memory(function)).block(function.body)
    return function if body is function.body else with_body(function, body)


class _Joiner:
    """Joins branches with those that reverse them."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.moves = Moves(memory)
        self.free: dict[int, tuple[Stmt, tuple[Var, ...]]] = {}

    def block(self, block: Block) -> Block:
        """A block with the branches in it joined, the outer ones first."""
        stmts: list[Stmt] = []
        places: dict[Atom, If] = {}
        made: dict[Var, Stmt] = {}
        joined = False
        for s in block.stmts:
            forward = places.get(s.cond) if isinstance(s, If) and s.adjoint else None
            merged = None if forward is None or self.waits(forward, s, made) else self.merged(stmts, forward, s)
            if merged is None:
                stmts.append(s)
                now = s
            else:
                now = merged
                joined = True
            made.update(dict.fromkeys(targets_of(now), now))
            if isinstance(now, If):
                places[now.cond] = now
        new = tuple(with_blocks(s, tuple(map(self.block, blocks_of(s)))) for s in stmts)
        same = not joined and all(a is b for a, b in zip(new, block.stmts, strict=True))
        return block if same else Block(new, block.outs)

    def merged(self, stmts: list[Stmt], forward: If, reverse: Stmt) -> If | None:
        """The two as one, put in the place of the first; None where something in between has to be between them."""
        at = next((k for k in range(len(stmts) - 1, max(-1, len(stmts) - REACH), -1) if stmts[k] is forward), None)
        if at is None or not isinstance(reverse, If):
            return None
        merged = self.moves.merged(forward, stmts[at + 1 :], reverse)
        if merged is None or merged.parted.touched.effects:
            return None
        shows = touched_by(self.memory, Block((forward,))).effects
        if shows and not all(isinstance(s, Comment) for s in merged.parted.before):
            return None
        stmts[at:] = *merged.parted.before, merged.branch, *merged.parted.after
        return merged.branch

    def waits(self, forward: If, reverse: Stmt, made: Mapping[Var, Stmt]) -> bool:
        """Whether the second branch reads what is made of the results of the first before it: looked for from there."""
        results = {*forward.results}
        row = deque(v for v in self.read_by(reverse) if v not in results)
        seen: set[Var] = {*row}
        for _ in range(REACH):
            if not row:
                return False
            maker = made.get(row.popleft())
            read = self.read_by(maker) if maker is not None and maker is not forward else ()
            if not results.isdisjoint(read):
                return True
            row.extend(v for v in read if v not in seen)
            seen.update(read)
        return True

    def read_by(self, s: Stmt) -> tuple[Var, ...]:
        """The variables that a statement reads."""
        found = self.free.get(id(s))
        if found is None:
            found = self.free[id(s)] = s, free_vars(Block((s,)))
        return found[1]
