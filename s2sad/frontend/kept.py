"""What methods keep: under ``functools.cache`` they give what they gave before, whatever became of the object's arrays.

Here they are lowered anew at each call. That is the same as long as no array, list or dict that the object holds
changes after the first call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from s2sad.analysis.memory import Memory, is_immutable
from s2sad.analysis.reads import classes_written
from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.interface import Lowering
from s2sad.frontend.rebound import placed_stmts
from s2sad.frontend.values import AVal, DictV, ObjectV, TupleV
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Function, Op, Origin, Ref, Store, Var, kind_of

__all__ = ["Kept", "note_kept", "refuse_changed_kept"]

#: A name that an array gets where a method is called which keeps what it gives, and the method's.
Kept: TypeAlias = dict[Var, tuple[str, Origin | None]]


def note_kept(lo: Lowering, obj: AVal, attr: str) -> None:
    """Note what an object holds where ``attr`` is called, which keeps what it gives."""
    for held in list(_held(lo, obj, [])):
        name = lo.emit(prims.identity, held, kind=kind_of(held))
        if isinstance(name, Var):
            lo.kept[name] = attr, lo.origin


def refuse_changed_kept(function: Function, kept: Kept) -> None:
    """Refuse a function in which what an object holds changes after a method has kept what it made of it."""
    if not kept:
        return
    memory = Memory(function)
    placed = list(placed_stmts(function.body))
    at = {id(s): k for k, (s, _) in enumerate(placed)}
    # what comes before in the outermost loop around may run after
    begins = {s.target: at[id(loops[0] if loops else s)] for s, loops in placed if isinstance(s, Op)}
    for name, (attr, origin) in kept.items():
        held = set(memory.reachable(name))
        later = (s for s, _ in placed[begins[name] :]) if name in begins else ()
        if any(not held.isdisjoint(classes_written(memory, s)) for s in later if isinstance(s, Op | Store)):
            raise UnsupportedSyntax(
                f"`{attr}` keeps what it gave, and what it is of changes after that.",
                help="Leave `functools.cache` out, or call it after the last change.",
                origin=origin,
            )


def _held(lo: Lowering, value: AVal, seen: list[AVal]) -> Iterator[Atom]:
    """The arrays, lists and dicts of the run that a value holds."""
    match value:
        case TupleV(items):
            for item in items:
                yield from _held(lo, item, seen)
        case ObjectV() | DictV() if value not in seen:
            seen.append(value)
            if isinstance(value, ObjectV) and value.live is not None:
                outside = getattr(value.live.value, "__dict__", {})
                for attr in [a for a, v in outside.items() if isinstance(v, np.ndarray | list | dict)]:
                    yield from _held(lo, lo.attribute(value, attr), seen)
            for place in dict.fromkeys(place for scope in lo.scopes for place in scope if place[0] is value):
                yield from _held(lo, lo.value_at(place), seen)
        case Var() | Ref() if not is_immutable(value.kind):
            yield value
