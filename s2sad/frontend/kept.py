"""What functions keep: under ``functools.cache`` they give what they gave before, whatever became of what they read.

Here they are lowered anew at each call (:mod:`s2sad.frontend.keeping`). That is the same as long as what they read
around them, and what they gave, does not change after the first call.
"""

from __future__ import annotations

from dataclasses import dataclass

from s2sad.analysis.memory import Class, Memory
from s2sad.analysis.reads import classes_written
from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.rebound import Placed, placed_stmts
from s2sad.ir.nodes import Function, Op, Origin, Stmt, Store, Var
from s2sad.ir.rewrite import inner_targets_of, targets_of

__all__ = ["Kept", "refuse_changed_kept"]

HELP = "Leave `functools.cache` or `cached_property` out, or change nothing that was there before."


@dataclass(frozen=True, slots=True)
class Kept:
    """What a function that keeps what it gives, or holds what it is given, has read or given (``given``), and where."""

    function: str
    origin: Origin | None
    given: bool = False
    help: str = HELP

    def refusal(self) -> UnsupportedSyntax:
        """The error where that changes."""
        what = "that" if self.given else "what it is of"
        said = f"`{self.function}` keeps what it gave, and {what} changes after that."
        return UnsupportedSyntax(said, help=self.help, origin=self.origin)


def refuse_changed_kept(function: Function, kept: dict[Var, Kept]) -> None:
    """Refuse a function in which what another one keeps, or has read to make it, changes after that."""
    if not kept:
        return
    memory = Memory(function)
    placed = list(placed_stmts(function.body))
    made = _loops_of_classes(memory, placed)
    written = [
        (k, loops, c)
        for k, (s, loops) in enumerate(placed)
        if isinstance(s, Op | Store)
        for c in classes_written(memory, s)
    ]
    at = {s.target: (k, loops) for k, (s, loops) in enumerate(placed) if isinstance(s, Op) and s.target in kept}
    for name, (position, around) in at.items():
        held = set(memory.reachable(name))
        for k, loops, c in written:
            # what comes before in a loop around both may run after, if the object is not made anew there
            if c in held and (k > position or any(x in loops and x not in made.get(c, ()) for x in around)):
                raise kept[name].refusal()


def _loops_of_classes(memory: Memory, placed: list[Placed]) -> dict[Class, tuple[Stmt, ...]]:
    """The loops that all names of the objects of a class are within."""
    found: dict[Class, tuple[Stmt, ...]] = {}
    for s, loops in placed:
        for v in (*targets_of(s), *inner_targets_of(s)):
            if (c := memory.of(v)) is not None:
                found[c] = tuple(x for x in found[c] if x in loops) if c in found else loops
    return {c: () if c in memory.external else loops for c, loops in found.items()}
