"""Contraction: arrays that live in one loop only become numbers, or rows of a buffer.

Before::

    t = empty(n, m)
    for i:
        for j:
            t[i, j] = a[i, j] * b[i, j]
            u[i, j] += t[i, j]
        for j: u[i + 1, j] += t[i, j]

After::

    t = empty(m)
    for i:
        for j:
            x = a[i, j] * b[i, j]
            t[j] = x
            u[i, j] += x
        for j: u[i + 1, j] += t[j]

Only arrays of the pass's own that are never needed whole are contracted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import Atom, Op, Var
from s2sad.loops.depends import Dependences, leaves
from s2sad.loops.elements import CASTS
from s2sad.loops.fuse import renamed
from s2sad.loops.model import Alloc, Compute, Guard, Item, Load, Loop, Plain, Put, Sub, Subs

__all__ = ["contract", "without"]

_STRONG = {**CASTS, "bool": np.bool_}


def contract(items: Sequence[Item], deps: Dependences) -> list[Item]:
    """The items with the arrays that need not be there removed or made smaller."""
    deps.count_loads(items)
    temps = deps.unread | deps.loads.keys()
    if not temps:
        return list(items)
    items = _Forward(temps).body(items, {}, {}, inside=False)
    deps.count_loads(items)
    items = without(items, deps.unread)
    for alloc in [x for x in items if isinstance(x, Alloc) and x.target in temps]:
        items = shrunk(items, alloc)
    return items


def without(items: Sequence[Item], unread: set[Var]) -> list[Item]:
    """The items without arrays that nobody reads."""
    out: list[Item] = []
    for item in items:
        match item:
            case Put(base) | Alloc(target=base) if base in unread:
                continue
            case Loop(dim, index, body):
                new = tuple(without(body, unread))
                if new or not body:
                    out.append(item if len(new) == len(body) and new == body else Loop(dim, index, new))
                continue
            case Guard(cond, body):
                new = tuple(without(body, unread))
                if new:
                    out.append(Guard(cond, new))
                continue
        out.append(item)
    return out


class _Forward:
    """Replaces loads of what has just been put there."""

    def __init__(self, temps: set[Var]) -> None:
        self.temps = temps

    def body(
        self,
        items: Sequence[Item],
        known: dict[tuple[Var, Subs], Atom],
        table: dict[Var, Atom],
        inside: bool = True,
    ) -> list[Item]:
        """Items, with what is known to be in the arrays before them; what is loaded outside of loops keeps its name."""
        out: list[Item] = []
        for item in items:
            if table:
                item = renamed(item, table)
            match item:
                case Load(target, base, subs) if (base, subs) in known:
                    table[target] = value = known[base, subs]
                    if inside:
                        continue
                    assert isinstance(base.kind, Array)
                    item = Compute(Op(target, _STRONG[base.kind.dtype], (value,)))
                case Put(base, subs, value, aug) if base in self.temps:
                    forget(known, {base})
                    if aug is None:
                        value = settled(value, base, out)
                        known[base, subs] = value
                        item = Put(base, subs, value)
                case Loop(dim, index, body):
                    forget(known, written(body))
                    item = Loop(dim, index, tuple(self.body(body, dict(known), dict(table))))
                case Guard(cond, body):
                    forget(known, written(body))
                    item = Guard(cond, tuple(self.body(body, dict(known), dict(table))))
            out.append(item)
        return out


def settled(value: Atom, base: Var, out: list[Item]) -> Atom:
    """A value as a number of the array's own dtype, which a load would give."""
    assert isinstance(base.kind, Array)
    dtype = base.kind.dtype
    if isinstance(value, Var) and value.kind == Scalar(dtype):
        return value
    number = Var("", Scalar(dtype))
    out.append(Compute(Op(number, _STRONG[dtype], (value,))))
    return number


def written(items: Iterable[Item]) -> set[Var]:
    """The arrays that items put into."""
    return {x.base for x in leaves(items) if isinstance(x, Put)}


def forget(known: dict[tuple[Var, Subs], Atom], bases: set[Var]) -> None:
    """Drop what was known of arrays."""
    for key in [k for k in known if k[0] in bases]:
        del known[key]


# ---------------------------------------------------------------- smaller arrays


def shrunk(items: list[Item], alloc: Alloc) -> list[Item]:
    """The items with an array reduced to the rows that live at one time."""
    target, dims = alloc.target, alloc.dims
    path: list[Var] = []
    inside: Sequence[Item] = items
    while len(dims) > 1:
        holders = [x for x in inside if not isinstance(x, Alloc | Plain) and touches(x, target)]
        if len(holders) != 1 or not isinstance(holders[0], Loop):
            break
        loop = holders[0]
        row = Sub(loop.index)
        depth = len(path)
        if any(s[depth] != row for s in subs_of(loop.body, target)):
            break
        path.append(loop.index)
        dims = dims[1:]
        inside = loop.body
    if not path:
        return items
    assert isinstance(target.kind, Array)
    row_buffer = Var(target.hint, Array(target.kind.dtype, len(dims)))
    new = replace(alloc, target=row_buffer, dims=dims, original=None)
    return [new if x is alloc else redirected(x, target, row_buffer, len(path)) for x in items]


def touches(item: Item, base: Var) -> bool:
    """Whether an item accesses an array."""
    return any(True for _ in subs_of((item,), base))


def subs_of(items: Iterable[Item], base: Var) -> Iterator[Subs]:
    """The subscripts with which an array is accessed."""
    for x in leaves(items):
        if isinstance(x, Load | Put) and x.base is base:
            yield x.subs


def redirected(item: Item, base: Var, to: Var, drop: int) -> Item:
    """The item with accesses to a smaller array instead."""
    match item:
        case Load(target, old, subs) if old is base:
            return Load(target, to, subs[drop:])
        case Put(old, subs, value, aug) if old is base:
            return Put(to, subs[drop:], value, aug)
        case Loop(dim, index, body):
            return Loop(dim, index, tuple(redirected(x, base, to, drop) for x in body))
        case Guard(cond, body):
            return Guard(cond, tuple(redirected(x, base, to, drop) for x in body))
    return item
