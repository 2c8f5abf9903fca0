"""Gathering: updates of one array at several offsets become one loop that sums what each element gets.

Before::

    t = empty(n)
    for i in range(n): t[i] = ...
    for i in range(n): b[i] += t[i]
    for i in range(n): b[i + 1] -= 2.0 * t[i]
    for i in range(n): b[i + 2] += t[i]

After::

    t = zeros(n + 4)
    for i in range(n): t[i + 2] = ...
    for i in range(n + 2): b[i] += t[i + 2] - 2.0 * t[i + 1] + t[i]

This is the adjoint of a stencil as a stencil. The array that is read gets a margin of zeros, which are what elements
near the border get from outside; nothing is ever written there, so a buffer that is used again keeps it.
The updates must be linear in that array, with literal factors. It pays from three offsets on (:data:`OFFSETS`):
one pass over the array that is updated, instead of one for each.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from s2sad.ir.kinds import INT, Array, Scalar
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.ir.rewrite import map_operands
from s2sad.loops.depends import Dependences
from s2sad.loops.index import Scopes
from s2sad.loops.model import Alloc, Compute, Dim, Guard, Item, Load, Loop, Put, Sub, Subs
from s2sad.runtime import helpers

__all__ = ["gather"]

OFFSETS = 3  #: how many make it worth while


@dataclass(frozen=True)
class Update:
    """``base[index + offset] += a linear function of source[index]``, over the whole of the source."""

    put: Put
    parts: tuple[Item, ...]
    source: Var
    dims: tuple[Dim, ...]
    offset: tuple[int, ...]
    place: object  #: what updates of one group share


def gather(items: Sequence[Item], deps: Dependences, scopes: Scopes) -> list[Item]:
    """The items, with updates at several offsets as one loop."""
    deps.count_loads(items)
    allocs = {x.target: x for x in items if isinstance(x, Alloc) and x.target in deps.loads}
    if not allocs:
        return list(items)
    margins: dict[Var, tuple[int, ...]] = {}
    out: list[Item] = []
    open_groups: dict[object, list[tuple[Loop, Update]]] = {}

    def close(key: object) -> None:
        group = open_groups.pop(key)
        if len({u.offset for _, u in group}) < OFFSETS:
            out.extend(loop for loop, _ in group)
            return
        out.append(gathered([u for _, u in group], allocs, margins, scopes))

    for item in deps.in_order(items):
        update = update_of(item, allocs, scopes)
        for key in [k for k, g in open_groups.items() if any(deps.depends(item, loop) for loop, _ in g)]:
            if update is None or key != update.place:
                close(key)
        if update is None:
            out.append(item)
        else:
            assert isinstance(item, Loop)
            open_groups.setdefault(update.place, []).append((item, update))
    for key in list(open_groups):
        close(key)
    return with_margins(out, margins, scopes) if margins else list(items)


def update_of(item: Item, allocs: dict[Var, Alloc], scopes: Scopes) -> Update | None:
    """A nest as an update that may be gathered."""
    idx: list[Var] = []
    dims: list[Dim] = []
    while isinstance(item, Loop):
        idx.append(item.index)
        dims.append(item.dim)
        if len(item.body) > 1:
            break
        item = item.body[0]
    if not isinstance(item, Loop):
        return None
    *parts, put = item.body
    if not isinstance(put, Put) or put.aug not in ("+", "-") or not isinstance(put.base.kind, Array):
        return None
    if put.base.kind.dtype not in ("float64", "float32"):
        return None
    source = linear_source(parts, put, tuple(map(Sub, idx)))
    if source not in allocs or source is None or len(allocs[source].dims) != len(idx):
        return None
    moving = [s for s in put.subs if s.index is not None]
    if [s.index for s in moving] != idx or any(s.stride != 1 or s.scale or s.gathered for s in put.subs):
        return None
    fixed = tuple((s.root, None if s.index else s.const) for s in put.subs)
    place = (put.base, fixed, tuple(scopes.canonical(d.key) for d in dims))
    return Update(put, tuple(parts), source, tuple(dims), tuple(s.const for s in moving), place)


def linear_source(parts: Sequence[Item], put: Put, subs: Subs) -> Var | None:
    """The one array that a value is a linear function of, at one place."""
    sources: set[Var] = set()
    linear: set[Atom] = set()
    for part in parts:
        match part:
            case Load(target, base, at) if at == subs:
                sources.add(base)
                linear.add(target)
            case Compute(Op(target=Var() as target, fn=fn, args=args)) if is_linear(fn, args, linear):
                linear.add(target)
            case _:
                return None
    return sources.pop() if len(sources) == 1 and put.value in linear else None


def is_linear(fn: object, args: tuple[Atom, ...], linear: set[Atom]) -> bool:
    """Whether an operation on values that are linear in something gives one that is, zero at zero."""
    if fn in (operator.neg, operator.pos, operator.add, operator.sub):
        return all(a in linear for a in args)
    if fn is operator.mul:
        factors = [a for a in args if a not in linear]
        return len(factors) == 1 and all(isinstance(a, Const) and math.isfinite(a.value) for a in factors)
    return False


# ---------------------------------------------------------------- the one loop


def gathered(
    group: list[Update], allocs: dict[Var, Alloc], margins: dict[Var, tuple[int, ...]], scopes: Scopes
) -> Loop:
    """The loop that sums what each element gets from a group of updates."""
    axes = range(len(group[0].dims))
    low = tuple(min(u.offset[k] for u in group) for k in axes)
    span = tuple(max(u.offset[k] for u in group) - low[k] for k in axes)
    for u in group:
        before = margins.get(u.source, (0,) * len(span))
        margins[u.source] = tuple(map(max, before, span))
    sizes = allocs[group[0].source].dims
    dims = [widened(d, s, scopes) for d, s in zip(sizes, span, strict=True)]
    idx = [Var("ijklmnpq"[min(k, 7)], INT) for k in axes]
    body: list[Item] = []
    total: Atom | None = None
    for u in group:
        shift = tuple(lo - o for lo, o in zip(low, u.offset, strict=True))
        value = copied(u, idx, shift, body)
        kind = Scalar(u.put.base.kind.dtype)  # type: ignore[attr-defined]
        if total is None and u.put.aug == "+":
            total = value
            continue
        new = Var("", kind)
        fn, args = (operator.neg, (value,)) if total is None else (_SIGNS[u.put.aug], (total, value))
        body.append(Compute(Op(new, fn, args)))
        total = new
    assert total is not None
    places = iter(zip(idx, low, strict=True))
    subs = []
    for s in group[0].put.subs:
        if s.index is None:
            subs.append(s)
        else:
            i, lo = next(places)
            subs.append(Sub(i, 1, None, s.root, lo))
    body.append(Put(group[0].put.base, tuple(subs), total, "+"))
    loop: tuple[Item, ...] = tuple(body)
    for d, i in reversed(list(zip(dims, idx, strict=True))):
        loop = (Loop(d, i, loop),)
    assert isinstance(loop[0], Loop)
    return loop[0]


_SIGNS: dict[str | None, Any] = {"+": operator.add, "-": operator.sub}


def copied(u: Update, idx: list[Var], shift: tuple[int, ...], body: list[Item]) -> Atom:
    """The value of an update, read at other places; its statements go to the body."""
    table: dict[Var, Atom] = {}
    for part in u.parts:
        match part:
            case Load(target, base, _):
                table[target] = fresh = Var(target.hint, target.kind)
                body.append(Load(fresh, base, tuple(Sub(i, const=c) for i, c in zip(idx, shift, strict=True))))
            case Compute(op):
                assert op.target is not None
                made = map_operands(op, lambda a: table.get(a, a) if isinstance(a, Var) else a)
                assert isinstance(made, Op)
                table[op.target] = fresh = Var(op.target.hint, op.target.kind)
                body.append(Compute(Op(fresh, made.fn, made.args)))
    assert isinstance(u.put.value, Var)
    return table[u.put.value]


def widened(dim: Dim, span: int, scopes: Scopes) -> Dim:
    """An axis with so many places more, unless it has none."""
    if span == 0:
        return dim
    key = ("more", dim.key, span)
    if isinstance(dim.size, Const):
        n = dim.size.value
        return Dim(key, Const(n + span if n > 0 else 0))
    return Dim(key, scopes.op(helpers.widened, scopes.count(dim), Const(span)))


# ---------------------------------------------------------------- margins


def with_margins(items: list[Item], margins: dict[Var, tuple[int, ...]], scopes: Scopes) -> list[Item]:
    """The items, with the arrays that are gathered from made larger."""
    out: list[Item] = []
    for item in items:
        if isinstance(item, Alloc) and item.target in margins:
            dims = []
            for d, m in zip(item.dims, margins[item.target], strict=True):
                size = scopes.op(operator.add, scopes.count(d), Const(2 * m))
                dims.append(Dim(("margin", d.key, m), size) if m else d)
            out.append(replace(item, dims=tuple(dims), original=None, zero=True))
        else:
            out.append(shifted(item, margins))
    return out


def shifted(item: Item, margins: dict[Var, tuple[int, ...]]) -> Item:
    """An item with accesses beyond the margins."""

    def subs(base: Var, given: Subs) -> Subs:
        return tuple(replace(s, const=s.const + m) for s, m in zip(given, margins[base], strict=True))

    match item:
        case Load(target, base, given) if base in margins:
            return Load(target, base, subs(base, given))
        case Put(base, given, value, aug) if base in margins:
            return Put(base, subs(base, given), value, aug)
        case Loop(dim, index, body):
            return Loop(dim, index, tuple(shifted(x, margins) for x in body))
        case Guard(cond, body):
            return Guard(cond, tuple(shifted(x, margins) for x in body))
    return item
