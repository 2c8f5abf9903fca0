"""Values that are bound on some paths only.

A branch may leave an array unbound that nothing reads on that path.  Its adjoint is merged on both, so the
reverse sweep asks for its shape; None, which has a zero (None), stands for the missing array.  A tuple, or a record,
that the program itself has None for at times is asked for the shapes of its items in the same way.

Requires: a verified function.
Ensures: no branch gives an unbound array, and the set of arrays and tuples that may be None.

Before::

    if c:
        y = np.sin(x)
        give y
    else:
        give UNDEF
    -> y_1

After::

    if c:
        y = np.sin(x)
        give y
    else:
        give None
    -> y_1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from s2sad.ir import kinds as K
from s2sad.ir.nodes import UNDEF, Atom, Block, Const, For, Function, If, Stmt, Var, While
from s2sad.ir.rewrite import map_stmts, walk, with_body

__all__ = ["bind_undefined"]

_NONE = Const(None)


def bind_undefined(function: Function) -> tuple[Function, frozenset[Var]]:
    """The function with None for unbound arrays, and the variables that may be None."""
    missing: set[Var] = set()

    def change(s: Stmt) -> Stmt:
        if not isinstance(s, If) or UNDEF not in (*s.then.outs, *s.orelse.outs):
            return s
        affected = [
            isinstance(r.kind, K.Array | K.Numeric) and UNDEF in (a, b)
            for r, a, b in zip(s.results, s.then.outs, s.orelse.outs, strict=True)
        ]
        if not any(affected):
            return s
        missing.update(r for r, hit in zip(s.results, affected, strict=True) if hit)
        return replace(s, then=_bound(s.then, affected), orelse=_bound(s.orelse, affected))

    new = with_body(function, map_stmts(function.body, change))
    missing.update(_nothing_at_times(new))
    while _spread(new, missing):
        pass
    return new, frozenset(missing)


def _merges(s: Stmt) -> Iterator[tuple[tuple[Var, ...], tuple[Atom, ...]]]:
    """The variables that a branch or a loop gives, and what each of them may be."""
    match s:
        case If(then=then, orelse=orelse, results=results):
            for r, a, b in zip(results, then.outs, orelse.outs, strict=True):
                yield (r,), (a, b)
        case For() | While():
            for p, r, a, b in zip(s.params, s.results, s.inits, s.body.outs, strict=False):
                yield (p, r), (p, a, b)


def _nothing_at_times(function: Function) -> Iterator[Var]:
    """The tuples that are None on some path."""
    for s in walk(function):
        for targets, sources in _merges(s):
            if _NONE in sources:
                yield from (v for v in targets if isinstance(v.kind, K.Tuple))


def _bound(block: Block, affected: list[bool]) -> Block:
    outs = tuple(_NONE if hit and a == UNDEF else a for a, hit in zip(block.outs, affected, strict=True))
    return Block(block.stmts, outs)


def _spread(function: Function, missing: set[Var]) -> bool:
    """Mark merges of what may be None; whether that was news."""
    before = len(missing)
    if not before:
        return False
    for s in walk(function):
        for targets, sources in _merges(s):
            if any(isinstance(a, Var) and a in missing for a in sources):
                missing.update(targets)
    return len(missing) > before
