"""Calls of functions that keep what they give, lowered as calls of what is under ``functools.cache``.

Ensures: what such a call reads that was there before, and what it gives, is noted; where it changes later, the function
is refused (:mod:`s2sad.frontend.kept`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from s2sad.analysis.memory import is_immutable
from s2sad.frontend.interface import Lowering
from s2sad.frontend.kept import Kept
from s2sad.frontend.tables import builtin
from s2sad.frontend.values import SERIALS, AVal, DictV, ObjectV, TupleV
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Op, Ref, Stmt, Var, kind_of
from s2sad.ir.rewrite import all_vars, uses_of, walk
from s2sad.rules import static

__all__ = ["call_kept"]


def call_kept(lo: Lowering, name: str, call: Callable[[], AVal]) -> AVal:
    """What a function gives that keeps it; what it reads is noted, and what it gives.

    Calls within such a call need no notes of their own: they read no more than it does, and later calls of them are
    either within one like it, or noted themselves.
    """
    if lo.keeping is not None:
        return call()
    serial, start, into = next(SERIALS), len(lo.stmts), lo.stmts
    kept = Kept(name, lo.origin)
    lo.keeping = set()
    try:
        value = call()
    finally:
        read, lo.keeping = lo.keeping, None
    for place in read:
        if lo.was_before(place[0], serial):
            lo.kept_places.setdefault(place, kept)
    before = []
    for a in _read_by(into[start:]):
        if isinstance(a.kind, K.Row):
            raise lo.unsupported(
                f"`{name}` keeps what it gave, and is given an object that may change after that.",
                "Leave `functools.cache` out, or pass the fields.",
            )
        before.append(Op(target := Var("", a.kind), prims.identity, (a,), (), lo.origin))
        lo.kept[target] = kept
    into[start:start] = before
    for held in _held(lo, value, []):
        if isinstance(seen := lo.emit(prims.identity, held, kind=kind_of(held)), Var):
            lo.kept[seen] = Kept(name, lo.origin, given=True)
    return value


def _read_by(stmts: list[Stmt]) -> list[Var | Ref]:
    """What statements use that was there before and may change."""
    block = Block(tuple(stmts), ())
    defined = set(all_vars(block))
    uses = (a for s in walk(block) for a in uses_of(s))
    return [
        a for a in dict.fromkeys(uses) if isinstance(a, Var | Ref) and a not in defined and not is_immutable(a.kind)
    ]


def _held(lo: Lowering, value: AVal, seen: list[Any]) -> Iterator[Atom]:
    """The arrays, lists and dicts of the run that a value holds."""
    match value:
        case TupleV(items):
            for item in items:
                yield from _held(lo, item, seen)
        case ObjectV() | DictV() if value not in seen:
            seen.append(value)
            for place in dict.fromkeys(place for scope in lo.scopes for place in scope if place[0] is value):
                yield from _held(lo, lo.value_at(place), seen)
        case Var() | Ref() if not is_immutable(value.kind):
            yield value


@builtin(static.held_by, takes=static.held_by)
def _held_by(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    name, held = args[0], lo.as_atom(args[1])
    if not isinstance(held, Var) or is_immutable(held.kind):
        return held
    seen = lo.emit(prims.identity, held, kind=held.kind, hint=hint)
    lo.kept[seen] = Kept(str(name.value), lo.origin, help="Give it a copy.")  # type: ignore[union-attr]
    return seen
