"""How loops end, and those that test whether to go on before they do anything else.

These are ``while test``, and ``while True`` with a test in it.

Each has a :class:`Plain`, which says what is tested, and what an iteration does after that. ``while a < b`` has the
test at its beginning; of ``while True`` it is what decides between the rest of the body and leaving.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from s2sad.analysis.effects import only_gives
from s2sad.ir.kinds import BOOL
from s2sad.ir.nodes import Atom, Block, Const, For, If, Stmt, Var, While, kind_of

__all__ = ["LastBranch", "Plain", "last_branch", "plain_loop"]

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
    last = last_branch(s) if s.is_endless else None
    if last is None or last.end.stmts or not all(map(_only_gives, last.before)):
        return None
    ends: dict[Var, Atom] = {}
    finals = dict(zip(s.params, s.results, strict=True))
    for r, p, a in zip(s.results, s.params, last.left, strict=False):
        if isinstance(a, Var) and a not in finals:
            return None  # made by the test
        if a is not p:
            ends[r] = finals[a] if isinstance(a, Var) else a
    body = Block((*last.before, *last.rest.stmts), last.stayed[:-1])
    return Plain(last.before, last.branch.cond, not last.leaves, body, ends, last.stayed[-1])


def _only_gives(s: Stmt) -> bool:
    """Whether a statement gives values and changes nothing: as ``and`` does, which may ask its second half or not."""
    return all(map(_only_gives, (*s.then.stmts, *s.orelse.stmts))) if isinstance(s, If) else only_gives(s)


@dataclass(frozen=True, slots=True)
class LastBranch:
    """The branch at the end of a loop's body, of which one side always leaves the loop.

    ``leaves`` tells which. ``left`` and ``stayed`` is what the body hands on where that side or the other has run,
    with whether the loop is left.
    """

    before: tuple[Stmt, ...]
    branch: If
    leaves: bool
    left: tuple[Atom, ...]
    stayed: tuple[Atom, ...]

    @property
    def end(self) -> Block:
        """The side that leaves."""
        return self.branch.then if self.leaves else self.branch.orelse

    @property
    def rest(self) -> Block:
        """The other."""
        return self.branch.orelse if self.leaves else self.branch.then

    @property
    def decides(self) -> bool:
        """Whether the other side never leaves."""
        return self.stayed[-1] == _NO


def last_branch(s: For | While) -> LastBranch | None:
    """The branch that ends an iteration, if one side of it leaves the loop."""
    *before, branch = s.body.stmts or (None,)
    if not isinstance(branch, If):
        return None
    sides = {side: _side(branch, side, s.body.outs) for side in (True, False)}
    leaves = next((side for side, outs in sides.items() if outs[-1] == Const(True)), None)
    return None if leaves is None else LastBranch(tuple(before), branch, leaves, sides[leaves], sides[not leaves])


def _side(branch: If, side: bool, outs: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """What atoms are where one side of a branch has run."""
    given = (branch.then if side else branch.orelse).outs
    known: dict[Atom, Atom] = dict(zip(branch.results, given, strict=True))
    if kind_of(branch.cond) == BOOL:  # a number that is asked is no truth value
        known[branch.cond] = Const(side)
    return tuple(known.get(a, a) for a in outs)
