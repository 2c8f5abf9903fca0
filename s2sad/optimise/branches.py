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
from collections.abc import Mapping, Sequence
from dataclasses import replace

from s2sad.analysis.memory import Memory
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Comment, Function, If, Op, Stmt, Var
from s2sad.ir.rewrite import (
    blocks_of,
    clone_block,
    free_vars,
    substitute,
    targets_of,
    use_counts,
    walk,
    with_blocks,
    with_body,
)
from s2sad.optimise.touched import Moves, touched_by
from s2sad.runtime import helpers

__all__ = ["join_branches"]

REACH = 300  #: how many statements there may be in between
FEW = 3  #: how many operations in between are done in each side of a branch instead


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
            merged = None
            if forward is not None and isinstance(s, If) and (late := self.late(forward, s, made)) is not None:
                own = with_own(block, s, late)
                merged = None if own is None else self.merged(stmts, forward, own, {id(op) for op in late})
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

    def merged(self, stmts: list[Stmt], forward: If, reverse: If, late: set[int]) -> If | None:
        """The two as one, put in the place of the first; None where something in between has to be between them."""
        at = next((k for k in range(len(stmts) - 1, max(-1, len(stmts) - REACH), -1) if stmts[k] is forward), None)
        if at is None:
            return None
        between = [s for s in stmts[at + 1 :] if id(s) not in late]
        merged = self.moves.merged(forward, between, reverse)
        if merged is None or merged.parted.touched.effects:
            return None
        shows = touched_by(self.memory, Block((forward,))).effects
        if shows and not all(isinstance(s, Comment) for s in merged.parted.before):
            return None
        stmts[at:] = *merged.parted.before, merged.branch, *merged.parted.after
        return merged.branch

    def late(self, forward: If, reverse: If, made: Mapping[Var, Stmt]) -> list[Op] | None:
        """What gives a result its first adjoint and is needed by the second branch, in order; None if it needs more of
        the results of the first. It is looked for from the second branch.
        """
        results = {*forward.results}
        needs: dict[Var, list[Var]] = {
            v: [] for v in self.read_by(reverse) if v not in results
        }  # by value: who reads it
        row, late = deque(needs), dict[Var, Op]()
        for _ in range(REACH):
            if not row:
                return [late[v] for v in made if v in late] if late else []  # in the order of the block
            maker = made.get(v := row.popleft())
            read = self.read_by(maker) if maker is not None and maker is not forward else ()
            if not results.isdisjoint(read) or not late.keys().isdisjoint(read):
                readers = [v]
                for reader in readers:
                    if reader in late:
                        continue
                    op = made[reader]
                    if not isinstance(op, Op) or not _may_be_late(op) or len(late) > FEW:
                        return None
                    late[reader] = op
                    readers += needs[reader]
            for a in read:
                if a not in needs:
                    row.append(a)
                needs.setdefault(a, []).append(v)
        return None

    def read_by(self, s: Stmt) -> tuple[Var, ...]:
        """The variables that a statement reads."""
        found = self.free.get(id(s))
        if found is None:
            found = self.free[id(s)] = s, free_vars(Block((s,)))
        return found[1]


def _may_be_late(op: Op) -> bool:
    """Whether this is what gives a result of a kind that is not known its first adjoint."""
    return op.fn in (helpers.unit_seed, helpers.unbroadcast)


def with_own(block: Block, reverse: If, ops: Sequence[Op]) -> If | None:
    """A branch of a block with operations in both of its sides, if nobody else needs them."""
    if not ops:
        return reverse
    targets = [op.target for op in ops if op.target is not None]
    inside, uses = use_counts(Block((*ops, reverse))), use_counts(block)
    if any(inside[v] != uses[v] for v in targets):
        return None
    sides = []
    for side in (reverse.then, reverse.orelse):
        again = clone_block(Block(tuple(ops), tuple(targets)), {}, K.without_shape)
        rest = substitute(side, dict(zip(targets, again.outs, strict=True)))
        sides.append(Block((*again.stmts, *rest.stmts), rest.outs))
    then, orelse = sides
    return replace(reverse, then=then, orelse=orelse)
