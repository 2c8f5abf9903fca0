"""Refusal of ``a += b`` where ``a`` may be an array that is known elsewhere too.

Of what may be a number or an array, ``a += b`` is lowered as ``a = a + b``. Python updates the array in
place, which shows where the caller, a list or another name has it as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from s2sad.analysis.memory import Class, Memory
from s2sad.errors import UnsupportedSyntax
from s2sad.ir.nodes import Atom, Block, For, Function, If, Op, Origin, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, uses_of

__all__ = ["HELD", "HELP", "placed_stmts", "refuse_rebound"]

HELD = "it cannot be told whether this is an array, updated in place, that goes by another name too."
HELP = "Annotate the parameter (`: float` or `: np.ndarray`), or write `a = a + b` where a new array is meant."

#: A statement, and the loops around it.
Placed: TypeAlias = tuple[Stmt, tuple[Stmt, ...]]


def refuse_rebound(function: Function, rebound: dict[Var, tuple[Var, Origin | None]]) -> None:
    """Refuse a function of which ``rebound`` gives old and new value, by the new one, of names that it updates."""
    if not rebound:
        return
    placed = list(placed_stmts(function.body))
    at = {s.target: k for k, (s, _) in enumerate(placed) if isinstance(s, Op) and s.target in rebound}
    if not at:
        return
    memory = Memory(function)
    held = memory.external | {memory.find(e) for e in memory.elements.values()}
    for new, position in at.items():
        old, origin = rebound[new]
        c = memory.of(old)
        if c is not None and (c in held or _goes_on(memory, c, placed, position, set(rebound))):
            raise UnsupportedSyntax(HELD, help=HELP, origin=origin)


def placed_stmts(block: Block, loops: tuple[Stmt, ...] = ()) -> Iterator[Placed]:
    """The statements in order, those of nested blocks after the one that they are in."""
    for s in block.stmts:
        yield s, loops
        for inner in blocks_of(s):
            yield from placed_stmts(inner, (*loops, s) if isinstance(s, For | While) else loops)


def _goes_on(memory: Memory, c: Class, placed: list[Placed], position: int, rebound: set[Var]) -> bool:
    """Whether an object of a class is used, after the update at a position, by the name with which it was made."""
    loops = placed[position][1]
    made = {}
    for s, around in placed:
        if isinstance(s, Op) and s.target is not None and s.target not in rebound and memory.of(s.target) == c:
            made[s.target] = around
        if _parts(memory, c, s):
            return True
    for k, (s, around) in enumerate(placed):
        for a in _read(s):
            if a in made and (k > position or any(x in around and x not in made[a] for x in loops)):  # type: ignore[index]
                return True
    return False


def _read(s: Stmt) -> tuple[Atom, ...]:
    """What a statement uses, other than to hand it on."""
    return uses_of(s) if isinstance(s, Op | Store) else ()


def _parts(memory: Memory, c: Class, s: Stmt) -> bool:
    """Whether a statement hands one object of a class on under two names."""
    match s:
        case If(results=results, then=then, orelse=orelse):
            groups = [then.outs, orelse.outs]
        case For(params=results, inits=inits, body=body) | While(params=results, inits=inits, body=body):
            groups = [inits, body.outs[: len(inits)]]
        case _:
            return False
    for group in groups:
        known = [a for a, r in zip(group, results, strict=True) if isinstance(a, Var) and memory.of(r) == c]
        if len(set(known)) < len(known):
            return True
    return False
