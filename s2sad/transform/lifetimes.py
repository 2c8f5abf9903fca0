"""Where a value, and all that may share its memory, is used after it is made."""

from __future__ import annotations

from collections import defaultdict

from s2sad.analysis.effects import WRITES, read_atoms, writes_of
from s2sad.analysis.finished import HOLDERS
from s2sad.analysis.sharing import shared_operands
from s2sad.ir.nodes import Atom, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import blocks_of, uses_of, walk
from s2sad.runtime import helpers

__all__ = ["Lifetimes"]

#: Changes that put nothing of their last operand into the first.
_ADDING = {helpers.add_nested, helpers.add_back}


class Lifetimes:
    """The uses of the values of a function."""

    def __init__(self, function: Function) -> None:
        self.users: dict[Var, list[Stmt]] = defaultdict(list)
        self.merged: set[Var] = {a for a in function.body.outs if isinstance(a, Var)}
        for s in walk(function):
            for a in uses_of(s):
                if isinstance(a, Var):
                    self.users[a].append(s)
            if not isinstance(s, Op):
                self.merged.update(a for a in getattr(s, "inits", ()) if isinstance(a, Var))
                self.merged.update(a for b in blocks_of(s) for a in b.outs if isinstance(a, Var))

    def uses(self, v: Var) -> list[tuple[Stmt, bool]] | None:
        """The statements that use a value, a view of it, or what holds either; None where it lives on in a merge.

        With each, whether it stores into that which it uses.
        """
        found: list[tuple[Stmt, bool]] = []
        names, work = {v}, [v]
        while work:
            a = work.pop()
            if a in self.merged:
                return None
            for s in self.users[a]:
                if not isinstance(s, Op) or any(b is a and not shape_only for b, shape_only in read_atoms(s)):
                    found.append((s, a in _stored_into(s)))
                for other in _names_for(s, a):
                    if other not in names:
                        names.add(other)
                        work.append(other)
        return found


def _stored_into(s: Stmt) -> tuple[Atom, ...]:
    """What a statement changes itself."""
    return writes_of(s) if isinstance(s, Op | Store) else ()


def _names_for(s: Stmt, a: Var) -> list[Var]:
    """What else may lead to a value after a statement that uses it."""
    if not isinstance(s, Op):
        return []
    found = []
    if s.fn in WRITES and s.fn not in _ADDING and isinstance(holder := s.args[WRITES[s.fn]], Var) and holder is not a:
        found.append(holder)
    if s.target is not None and (s.fn in HOLDERS or a in shared_operands(s)):
        found.append(s.target)
    return found
