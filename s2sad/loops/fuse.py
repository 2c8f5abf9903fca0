"""Fusion: loops over one iteration space become one loop, where no dependence is in the way.

Before::

    for i: for j: t[i, j] = a[i, j] * b[i, j]
    for i: for j: u[i, j] += t[i, j]
    for i: for j: u[i + 1, j] += t[i, j]

After::

    for i:
        for j:
            t[i, j] = a[i, j] * b[i, j]
            u[i, j] += t[i, j]
        for j: u[i + 1, j] += t[i, j]

Two loops may run as one if all that both touch, and one of them changes, is touched at the same place of the
loop's axis; additions to one array may change their order. An inner loop is what gets vectorised. It keeps to
what a compiler can: it never writes an array in one place and touches it in another, and it needs no more
than so many comparisons of addresses (:data:`COMPARISONS`) to tell those of its arrays apart which it is not told of.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any, TypeAlias

import numpy as np

from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.ir.rewrite import map_operands
from s2sad.loops.depends import Access, Dependences, Summary
from s2sad.loops.model import Choose, Compute, Dim, Guard, Item, Load, Loop, Put, Set, Sub, Subs

__all__ = ["COMPARISONS", "calls_library", "fuse", "renamed", "unindexed"]

COMPARISONS = 8  #: LLVM vectorises a loop that needs no more of them
#: How many items back a loop to go into is looked for, and how many a loop may have: a block takes as long as it is.
REACH, LONGEST = 40, 200
_POWERS: set[Any] = {operator.pow, np.power, math.pow}
_NAMES = (
    "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 log log2 log10 log1p cbrt"
)
_NAMES += " arctan2 hypot logaddexp logaddexp2 asin acos atan asinh acosh atanh atan2 erf erfc gamma lgamma"
_LIBM: set[Any] = _POWERS | {getattr(module, n) for n in _NAMES.split() for module in (np, math) if hasattr(module, n)}


def calls_library(op: Op) -> bool:
    """Whether an operation calls a function of libm, so that the loop that it is in does not become vector code."""
    if op.fn in _POWERS:
        n = op.args[1]
        return not isinstance(n, Const) or not float(n.value).is_integer()
    return op.fn in _LIBM


def fuse(items: Sequence[Item], deps: Dependences) -> list[Item]:
    """The items with loops fused: first where whole nests become one, as in a chain of operations.

    Loops that only fill new arrays go into others last: until then they may move before the one that another goes into.
    """
    deps.count_loads(items)
    for join, fills_last in ((merged, False), (fused, True), (fused, False)):
        out: list[Item] = []
        for item in deps.in_order(items):
            if fills_last and fills(item) and not any(deps.depends(item, x) for x in out if isinstance(x, Loop)):
                out.append(item)
            else:
                place(out, item, deps, join)
        items = out
    return out


Join: TypeAlias = Callable[[Loop, Loop, Dependences], Loop | None]


def place(out: list[Item], item: Item, deps: Dependences, join: Join) -> None:
    """Append an item, or put it into an earlier loop if it may go there."""
    if not isinstance(item, Loop):
        out.append(item)
        return
    for k in range(len(out) - 1, max(len(out) - REACH, 0) - 1, -1):
        candidate = out[k]
        if isinstance(candidate, Loop) and (both := join(candidate, item, deps)):
            before, after, done = parted(candidate, out[k + 1 :], deps)
            if not deps.ordered(done, deps.of(item)):
                del out[k:]
                out.extend(before)
                place(out, both, deps, join)  # what it is now may go into one before it
                out.extend(after)
                return
        if deps.depends(item, candidate):
            # what stands between may still be moved before the loop that is looked for
            earlier = next((x for x in map(out.__getitem__, range(k - 1, -1, -1)) if isinstance(x, Loop)), None)
            if earlier is None or deps.depends(candidate, earlier):
                break
    out.append(item)


def parted(loop: Loop, between: list[Item], deps: Dependences) -> tuple[list[Item], list[Item], Summary]:
    """What stands after a loop: what may as well stand before it, and the rest, with what the rest does."""
    before: list[Item] = []
    after: list[Item] = []
    done = Summary()
    for x in between:
        if deps.depends(x, loop) or deps.ordered(done, deps.of(x)):
            after.append(x)
            done.follow(deps.of(x))
        else:
            before.append(x)
    return before, after, done


# ---------------------------------------------------------------- may it be


def may_fuse(a: Loop, b: Loop, deps: Dependences, optimistic: bool = False) -> bool:
    """Whether two loops may run as one, and should; ``optimistic``: all arrays made here may become numbers."""
    if not deps.same(a.dim, b.dim) or len(a.body) + len(b.body) > LONGEST:
        return False
    x, y = deps.of(a), deps.of(b)
    if x.barrier or y.barrier or not x.defs.isdisjoint(y.uses | y.defs) or not x.uses.isdisjoint(y.defs):
        return False
    innermost = is_innermost(a) and is_innermost(b)
    for p, q in deps.pairs(x, y):
        if innermost:
            if not aligned(p, q, a.index, b.index) or (p.mode != "r" != q.mode and not same_element(p, q, a, b)):
                return False
        elif not aligned(p, q, a.index, b.index) and deps.clash(p, q):
            return False
    if not innermost or slow(a) or slow(b):
        return True
    numbers = set(deps.loads) if optimistic else deps.numbers(a, b)
    return comparisons(x, y, a.index, b.index, numbers, deps) <= COMPARISONS


def slow(loop: Loop) -> bool:
    """Whether a loop calls a function that is not vectorised anyway."""
    return any(isinstance(x, Compute) and calls_library(x.op) for x in loop.body)


def is_innermost(loop: Loop) -> bool:
    """Whether no loop is in it."""
    return not any(isinstance(x, Loop) for x in loop.body)


def aligned(p: Access, q: Access, i: Var, j: Var) -> bool:
    """Whether two accesses touch the same place along an axis, in the same iteration of loops over i and j."""
    if p.base is not q.base or p.base is None or p.subs is None or q.subs is None:
        return False
    return any(_same_place(s, t, i, j) for s, t in zip(p.subs, q.subs, strict=True))


def same_element(p: Access, q: Access, a: Loop, b: Loop) -> bool:
    """Whether two accesses are to one element, in the same iteration of two loops."""
    if p.subs is None or q.subs is None:
        return False
    renamed_subs = tuple(replace(s, index=a.index) if s.index is b.index else s for s in q.subs)
    return p.subs == renamed_subs


def _same_place(s: Sub, t: Sub, i: Var, j: Var) -> bool:
    if s.index is not i or t.index is not j or s.scale is not None or t.scale is not None:
        return False
    if s.gathered or t.gathered:
        return False
    return (s.stride, s.root, s.const) == (t.stride, t.root, t.const)


def comparisons(x: Summary, y: Summary, i: Var, j: Var, numbers: set[Var], deps: Dependences) -> int:
    """How many pairs of address ranges a loop with all these accesses must compare; ``numbers`` become scalars."""
    written: dict[object, Var | None] = {}
    read: dict[object, Var | None] = {}
    for s, index in ((x, i), (y, j)):
        for table, found in ((s.writes, written), (s.reads, read)):
            for accesses in table.values():
                found |= {_row(a, index): a.base for a in accesses if a.base not in numbers}
    others = [base for row, base in read.items() if row not in written]
    pairs = [*combinations(written.values(), 2), *product(written.values(), others)]
    return sum(not deps.told_apart(*pair) for pair in pairs)


def _row(a: Access, index: Var) -> object:
    """What an access of an inner loop runs along: accesses in one row need no comparison."""
    if a.subs is None:
        return (a.memory,)
    moving = [k for k, s in enumerate(a.subs) if s.index is index]
    rest = tuple((s.index, s.root, s.const) for s in a.subs if s.index is not index)
    return (a.base, tuple(moving), rest)


# ---------------------------------------------------------------- do it


def fused(a: Loop, b: Loop, deps: Dependences) -> Loop | None:
    """Two loops as one; what is in them is fused in turn."""
    if not may_fuse(a, b, deps):
        return None
    if is_innermost(a) and is_innermost(b):
        return joined(a, b, deps)
    body = list(a.body)
    for item in b.body:
        place(body, renamed(item, {b.index: a.index}), deps, fused)
    return Loop(a.dim, a.index, tuple(body))


def fills(item: Item) -> bool:
    """Whether this only puts a number into all of an array."""
    match item:
        case Loop(body=body):
            return all(map(fills, body))
        case Put(value=Const(), aug=None):
            return True
    return False


def merged(a: Loop, b: Loop, deps: Dependences) -> Loop | None:
    """Two perfect nests as one perfect nest, if one makes an array that the other reads."""
    if not deps.flows(a, b) or not may_fuse(a, b, deps, optimistic=True):
        return None
    return chained(a, b, deps)


def chained(a: Loop, b: Loop, deps: Dependences) -> Loop | None:
    """Two perfect nests as one perfect nest."""
    if not may_fuse(a, b, deps, optimistic=True):
        return None
    if is_innermost(a) and is_innermost(b):
        return joined(a, b, deps)
    if len(a.body) != 1 or len(b.body) != 1:
        return None
    x, y = a.body[0], renamed(b.body[0], {b.index: a.index})
    inner = chained(x, y, deps) if isinstance(x, Loop) and isinstance(y, Loop) else None
    return None if inner is None else Loop(a.dim, a.index, (inner,))


def joined(a: Loop, b: Loop, deps: Dependences) -> Loop:
    """Two innermost loops as one."""
    table: dict[Var, Atom] = {b.index: a.index}
    both = Loop(a.dim, a.index, (*a.body, *(renamed(x, table) for x in b.body)))
    deps.note_joined(both, a, b)
    return both


def unindexed(item: Item, index: Var) -> Item:
    """The item with the index of an axis of length one gone."""

    def subs(given: Subs) -> Subs:
        return tuple(Sub(None, 1, None, s.root, s.const, s.gathered) if s.index is index else s for s in given)

    match item:
        case Load(target, base, given):
            return Load(target, base, subs(given))
        case Put(base, given, value, aug):
            return Put(base, subs(given), value, aug)
        case Guard(cond, body):
            return Guard(cond, tuple(unindexed(x, index) for x in body))
        case Loop(dim, own, body):
            return Loop(dim, own, tuple(unindexed(x, index) for x in body))
    return item


def renamed(item: Item, table: dict[Var, Atom]) -> Item:
    """The item with other variables read."""

    def use(a: Atom) -> Atom:
        return table.get(a, a) if isinstance(a, Var) else a

    def sub(s: Sub) -> Sub:
        index = s.index if s.index is None else use(s.index)
        root = s.root if s.root is None else use(s.root)
        scale = s.scale if s.scale is None else use(s.scale)
        assert index is None or isinstance(index, Var)
        assert root is None or isinstance(root, Var)
        return Sub(index, s.stride, scale, root, s.const, s.gathered)

    def subs(given: Subs) -> Subs:
        return tuple(map(sub, given))

    match item:
        case Load(target, base, given):
            return Load(target, base, subs(given))
        case Put(base, given, value, aug):
            return Put(base, subs(given), use(value), aug)
        case Compute(op):
            new = map_operands(op, use)
            assert isinstance(new, Op)
            return Compute(new)
        case Choose(target, cond, then, orelse):
            return Choose(target, use(cond), use(then), use(orelse))
        case Guard(cond, body):
            return Guard(use(cond), tuple(renamed(x, table) for x in body))
        case Set(cell, value):
            return Set(cell, use(value))
        case Loop(dim, index, body):
            size = use(dim.size)
            return Loop(Dim(dim.key, size, dim.signed), index, tuple(renamed(x, table) for x in body))
    return item
