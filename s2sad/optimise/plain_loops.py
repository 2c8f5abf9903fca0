"""Loops that test whether to go on before they do anything else: ``while test``, and ``while True`` with a test in it.

Each has a :class:`Plain`, which says what is tested, and what an iteration does after that. ``while a < b`` has the
test at its beginning; of ``while True`` it is what decides between the rest of the body and leaving.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from s2sad.analysis.effects import only_gives
from s2sad.ir.kinds import BOOL
from s2sad.ir.nodes import Atom, Block, Const, If, Stmt, Var, While, kind_of

__all__ = ["Plain", "plain_loop", "sides_of"]

_NO = Const(False)


@dataclass(frozen=True, slots=True)
class Plain:
    """A loop that goes on where ``cond``, worked out by ``test``, is what ``holds`` says.

    ``body`` hands on what the loop carries; a test that was in it comes first. ``leaves`` tells whether the body ends
    the loop too, and ``ends`` are results that are known to be something else where the test ends it.
    """

    test: tuple[Stmt, ...]
    cond: Atom
    holds: bool
    body: Block
    ends: Mapping[Var, Atom]
    leaves: Atom = _NO


def plain_loop(s: While) -> Plain | None:
    """What a loop does, if all that its test does is give values."""
    if not s.has_exit:
        return Plain(s.test.stmts, s.test.outs[0], True, s.body, {}) if all(map(_only_gives, s.test.stmts)) else None
    if not s.is_endless or not s.body.stmts:
        return None
    *test, branch = s.body.stmts
    if not isinstance(branch, If) or not all(map(_only_gives, test)):
        return None
    sides = sides_of(branch, s.body.outs)
    leaves = next((side for side, outs in sides.items() if outs[-1] == Const(True)), None)
    if leaves is None or (branch.then if leaves else branch.orelse).stmts:
        return None
    ends: dict[Var, Atom] = {}
    finals = dict(zip(s.params, s.results, strict=True))
    for r, p, a in zip(s.results, s.params, sides[leaves], strict=False):
        if isinstance(a, Var) and a not in finals:
            return None  # made by the test
        if a is not p:
            ends[r] = finals[a] if isinstance(a, Var) else a
    body = Block((*test, *(branch.orelse if leaves else branch.then).stmts), sides[not leaves][:-1])
    return Plain(tuple(test), branch.cond, not leaves, body, ends, sides[not leaves][-1])


def _only_gives(s: Stmt) -> bool:
    """Whether a statement gives values and changes nothing: as ``and`` does, which may ask its second half or not."""
    return all(map(_only_gives, (*s.then.stmts, *s.orelse.stmts))) if isinstance(s, If) else only_gives(s)


def sides_of(branch: If, outs: tuple[Atom, ...]) -> dict[bool, tuple[Atom, ...]]:
    """What atoms are where a branch was taken, and where not."""
    return {side: _side(branch, side, outs) for side in (True, False)}


def _side(branch: If, side: bool, outs: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """What atoms are where one side of a branch has run."""
    given = (branch.then if side else branch.orelse).outs
    known: dict[Atom, Atom] = dict(zip(branch.results, given, strict=True))
    if kind_of(branch.cond) == BOOL:  # a number that is asked is no truth value
        known[branch.cond] = Const(side)
    return tuple(known.get(a, a) for a in outs)
