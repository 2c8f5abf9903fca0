"""Loop invariants: what a loop carries but never changes.

An array that is updated in place is carried by the loop in the primal's first form, for the update
looks like an assignment to its name.  Its reference is the same all along.

Requires: a verified function.
Ensures: no loop carries a value that each iteration hands on as it got it.

Before::

    for i in range(0, n) carrying (A = A_0):
        A[i] = 0.0
        next A
    -> A_1

After::

    for i in range(0, n):
        A_0[i] = 0.0
"""

from __future__ import annotations

from dataclasses import replace

from s2sad.ir.nodes import Atom, Block, For, Function, Stmt, Var, While, With
from s2sad.ir.rewrite import blocks_of, inner_targets_of, substitute, targets_of, with_blocks

__all__ = ["drop_invariants"]


def drop_invariants(function: Function) -> tuple[Function, dict[Var, Atom]]:
    """The function without them, and what stands for the variables that are gone."""
    table: dict[Var, Atom] = {}
    body = _block(function.body, table)
    if not table:
        return function, table
    for v in list(table):
        table[v] = _final(table[v], table)
    body = substitute(body, table)
    assert isinstance(body, Block)
    return Function(function.name, function.params, body, function.doc, function.origin), table


def _final(a: Atom, table: dict[Var, Atom]) -> Atom:
    while isinstance(a, Var) and a in table:
        a = table[a]
    return a


def _block(block: Block, table: dict[Var, Atom]) -> Block:
    return Block(tuple(_stmt(s, table) for s in block.stmts), block.outs)


def _stmt(s: Stmt, table: dict[Var, Atom]) -> Stmt:
    inner = blocks_of(s)
    if inner:
        s = with_blocks(s, tuple(_block(b, table) for b in inner))
    match s:
        case For() | While():
            return _loop(s, table)
        case With():
            return _with(s, table)
    return s


def _with(s: With, table: dict[Var, Atom]) -> With:
    """What a context hands on although it was there before."""
    inside = {v for t in s.body.stmts for v in targets_of(t)} | set(inner_targets_of(s))
    keep = [isinstance(out, Var) and _final(out, table) in inside for out in s.body.outs]
    for r, out, kept in zip(s.results, s.body.outs, keep, strict=True):
        if not kept:
            table[r] = out
    outs = tuple(o for o, k in zip(s.body.outs, keep, strict=True) if k)
    results = tuple(r for r, k in zip(s.results, keep, strict=True) if k)
    return replace(s, body=Block(s.body.stmts, outs), results=results)


def _loop(s: For | While, table: dict[Var, Atom]) -> For | While:
    outs = s.body.outs[: len(s.params)]
    keep = [_final(out, table) is not p for p, out in zip(s.params, outs, strict=True)]
    if all(keep):
        return s
    for p, init, r, kept in zip(s.params, s.inits, s.results, keep, strict=True):
        if not kept:
            table[p] = table[r] = init
    flag = s.body.outs[len(s.params) :]
    return replace(
        s,
        params=tuple(p for p, k in zip(s.params, keep, strict=True) if k),
        inits=tuple(i for i, k in zip(s.inits, keep, strict=True) if k),
        results=tuple(r for r, k in zip(s.results, keep, strict=True) if k),
        body=Block(s.body.stmts, (*(o for o, k in zip(outs, keep, strict=True) if k), *flag)),
    )
