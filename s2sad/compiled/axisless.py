"""Arrays without axes that are views, refused where what they show changes while they are in use.

``p[..., 0]`` of a vector shows the first item of ``p``, whatever becomes of it. Numba has the number.

Requires: the IR of a derivative, before loops are lowered and views folded.
Ensures: the function as it is. :class:`~s2sad.errors.CompileError` where such an array is used after a store.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.analysis.effects import writes_of
from s2sad.analysis.memory import Memory
from s2sad.compiled.errors import HELP
from s2sad.errors import CompileError
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Block, For, Function, Op, Stmt, Store, While
from s2sad.ir.rewrite import blocks_of, walk
from s2sad.transform.lifetimes import Lifetimes
from s2sad.transform.operations import view_base

__all__ = ["refuse_axisless_views_of_what_changes"]

_Path = tuple[Stmt, ...]


def refuse_axisless_views_of_what_changes(function: Function) -> None:
    """Refuse views without axes that would have to show later values."""
    views = [s for s in walk(function) if isinstance(s, Op) and _is_axisless_view(s)]
    if not views:
        return
    memory, lifetimes = Memory(function), Lifetimes(function)
    places = {id(s): (k, path) for k, (s, path) in enumerate(_in_order(function.body, ()))}
    changes = [
        (places[id(s)][0], memory.of(a)) for s in walk(function) if isinstance(s, Op | Store) for a in writes_of(s)
    ]
    for view in views:
        assert view.target is not None
        uses = lifetimes.uses(view.target)
        first, around = places[id(view)]
        last = len(places) if uses is None else max((_end(*places[id(s)], around, places) for s, _ in uses), default=0)
        if any(first < k < last and c == memory.of(view.target) for k, c in changes):
            message = "an array without axes that shows an item of one that changes cannot be compiled."
            raise CompileError(message, HELP, origin=view.origin)


def _is_axisless_view(s: Op) -> bool:
    """Whether an array without axes is made that shows an item of another."""
    return (
        s.target is not None
        and isinstance(s.target.kind, K.Array)
        and s.target.kind.rank == 0
        and view_base(s) is not None
    )


def _in_order(block: Block, path: _Path) -> Iterator[tuple[Stmt, _Path]]:
    """The statements of a block, each with the loops that are around it."""
    for s in block.stmts:
        yield s, path
        for inner in blocks_of(s):
            yield from _in_order(inner, (*path, s) if isinstance(s, For | While) else path)


def _end(place: int, path: _Path, around: _Path, places: dict[int, tuple[int, _Path]]) -> int:
    """Up to where a use counts: the end of the outermost loop around it that is not around the view."""
    outer = next((s for s in path if not any(s is t for t in around)), None)
    if outer is None:
        return place
    return max(places[id(s)][0] for block in blocks_of(outer) for s in walk(block)) + 1
