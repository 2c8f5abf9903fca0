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

import operator
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import Atom, Op, Var
from s2sad.loops.depends import Dependences, leaves
from s2sad.loops.elements import CASTS
from s2sad.loops.fuse import renamed
from s2sad.loops.model import Alloc, Compute, Guard, Item, Load, Loop, Put, Sub, Subs

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
    return shrunk(items, temps)


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


#: The loops and branches around an item, from the outermost: each is an object of its own.
Path: TypeAlias = tuple[list[Item], ...]
#: An array in place of another, and how many of its axes it lacks.
Smaller: TypeAlias = dict[Var, tuple[Var, int]]


def shrunk(items: list[Item], arrays: Container[Var]) -> list[Item]:
    """The items with each of these arrays reduced to the rows that live at one time."""
    allocs = {x.target: x for x in items if isinstance(x, Alloc) and x.target in arrays}
    touched: dict[Var, list[tuple[Path, Subs]]] = {base: [] for base, alloc in allocs.items() if len(alloc.dims) > 1}
    note_touched(items, (), touched)
    smaller: Smaller = {}
    for base, accesses in touched.items():
        if drop := min(shared_rows(accesses), len(allocs[base].dims) - 1):
            assert isinstance(base.kind, Array)
            smaller[base] = Var(base.hint, Array(base.kind.dtype, len(allocs[base].dims) - drop)), drop
    return [redirected(x, smaller) for x in items] if smaller else items


def note_touched(items: Iterable[Item], path: Path, touched: dict[Var, list[tuple[Path, Subs]]]) -> None:
    """Note where, and with what subscripts, arrays are accessed."""
    for item in items:
        match item:
            case Load(_, base, subs) | Put(base, subs) if base in touched:
                touched[base].append((path, subs))
            case Loop(body=body) | Guard(body=body):
                note_touched(body, (*path, [item]), touched)


def shared_rows(accesses: list[tuple[Path, Subs]]) -> int:
    """How many loops are around all accesses to an array, and have an axis of it, in order, for their rows."""
    path, first = accesses[0] if accesses else ((), ())
    for depth, (holder, sub) in enumerate(zip(path, first, strict=False)):
        loop = holder[0]
        if not isinstance(loop, Loop) or sub != Sub(loop.index):
            return depth
        if not all(len(p) > depth and p[depth] is holder and s[depth] == sub for p, s in accesses):
            return depth
    return min(len(path), len(first))


def redirected(item: Item, smaller: Smaller) -> Item:
    """The item with smaller arrays instead."""
    match item:
        case Load(target, base, subs) if base in smaller:
            to, drop = smaller[base]
            return Load(target, to, subs[drop:])
        case Put(base, subs, value, aug) if base in smaller:
            to, drop = smaller[base]
            return Put(to, subs[drop:], value, aug)
        case Alloc(target=base, dims=dims) if base in smaller:
            to, drop = smaller[base]
            return replace(item, target=to, dims=dims[drop:], original=None)
        case Loop(dim, index, body):
            new = tuple(redirected(x, smaller) for x in body)
            return item if all(map(operator.is_, new, body)) else Loop(dim, index, new)
        case Guard(cond, body):
            return Guard(cond, tuple(redirected(x, smaller) for x in body))
    return item
