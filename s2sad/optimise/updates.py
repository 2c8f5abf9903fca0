"""Items that are taken, changed and put back: as augmented assignments.

Before::

    def f(A: float64[2]#1, i: int, j: int):
        u = (i, j)
        v = A[u]
        w = (j, j)
        p = A[w]
        q = v / p
        A[u] = q
        return A

After::

    def f(A, i, j):
        u = (i, j)
        w = (j, j)
        p = A[w]
        A[u] /= p
        return A

Differentiation spells updates out, for their rules ask for what was there before; where no rule did, this is how the
program had it.

Requires: the last passes over the derivative have run, which look at stores one by one.
Ensures: the same operations on the same numbers; arrays and their parts, of which an update in place is another thing
than a new array, are left.
"""

from __future__ import annotations

import operator
from typing import Any

from s2sad.analysis.effects import only_gives
from s2sad.ir.kinds import Array, List, Scalar
from s2sad.ir.nodes import Block, Comment, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import blocks_of, use_counts, with_blocks, with_body

__all__ = ["augment_items"]

_SIGNS: dict[Any, str] = {operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/"}


def augment_items(function: Function) -> Function:
    """Make augmented assignments of items that are taken only to be changed and put back."""
    uses = use_counts(function)

    def block(b: Block) -> Block:
        stmts: list[Stmt] = []
        for s in b.stmts:
            stmts.append(with_blocks(s, tuple(block(inner) for inner in blocks_of(s))) if blocks_of(s) else s)
            _fold_last(stmts, uses)
        return Block(tuple(stmts), b.outs)

    return with_body(function, block(function.body))


def _fold_last(stmts: list[Stmt], uses: dict[Var, int]) -> None:
    """Make an augmented assignment of the last of some statements, if it puts back an item that one of them took."""
    match stmts[-1]:
        case Store(obj=Var(kind=Array() | List()) as obj, index=index, value=Var() as value, aug=None) as store:
            put = _place_of_maker(stmts, value, uses)
        case _:
            return
    if put is None:
        return
    changed = stmts[put]
    if not isinstance(changed, Op) or changed.fn not in _SIGNS:
        return
    item, by = changed.args
    took = _place_of_maker(stmts, item, uses)
    if took is None:
        return
    taken = stmts[took]
    if not isinstance(taken, Op) or taken.fn is not operator.getitem or taken.args != (obj, index):
        return
    if isinstance(item, Var) and isinstance(item.kind, Scalar) and item != by:
        stmts[-1] = Store(obj, index, by, _SIGNS[changed.fn], store.origin)
        del stmts[put], stmts[took]


def _place_of_maker(stmts: list[Stmt], v: Any, uses: dict[Var, int]) -> int | None:
    """Where a value is made that is used once, if nothing has been changed since."""
    for k in range(len(stmts) - 2, -1, -1):
        s = stmts[k]
        if isinstance(s, Op) and s.target == v:
            return k if uses.get(v) == 1 else None
        if not isinstance(s, Comment) and not only_gives(s):
            return None
    return None
