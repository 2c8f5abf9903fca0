"""Recomputation: what costs no more than reading it back is computed where it is used.

Before::

    for i: t[i] = 2.0 * a[i + 1]
    for i: b[i] = t[i] * c[i]
    for i: d[i + 1] += t[i]

After::

    for i: t[i] = 2.0 * a[i + 1]      # removed, as nobody reads it
    for i: b[i] = 2.0 * a[i + 1] * c[i]
    for i: d[i + 1] += 2.0 * a[i + 1]

The cost model: at most one load and two additions or multiplications (:data:`CHEAP`), of memory that nothing
changes between the two places, the place of use included. Before updates are gathered (:mod:`s2sad.loops.gather`) they
may be four for what is read at one place, which saves an array with a margin, and factors must be literals, as there.
"""

from __future__ import annotations

import operator
from bisect import bisect_right
from collections.abc import Sequence

from s2sad.analysis.memory import Class
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.ir.rewrite import map_operands
from s2sad.loops.contract import without
from s2sad.loops.depends import Dependences, Summary, leaves
from s2sad.loops.fuse import renamed
from s2sad.loops.model import Alloc, Compute, Dim, Guard, Item, Load, Loop, Put, Sub

__all__ = ["recompute"]

CHEAP = {operator.add, operator.sub, operator.mul, operator.neg, operator.pos}
BUDGET = 2  #: operations
READ_ONCE = 4  #: those of what is made of another array of the pass's own, and read at one place


def recompute(items: Sequence[Item], deps: Dependences, own: bool = False) -> list[Item]:
    """The items, with cheap values computed again where they are used.

    ``own``: only those that are made of other arrays of the pass's own.
    """
    deps.count_loads(items)
    out = list(items)
    dims = {x.target: x.dims for x in items if isinstance(x, Alloc)}
    touched: _Touched | None = None
    for k, item in enumerate(items):
        if isinstance(item, Loop) and (recipe := cheap(out[k], deps, own)):
            if not covers(out[k], recipe[0], dims.get(recipe[0].base)):
                continue
            if own and not (is_of_own(recipe, deps) and has_literal_factors(recipe)):
                continue
            touched = touched or _Touched(out, deps)
            spread(out, k, recipe, deps, touched)
    deps.count_loads(out)
    return without(out, deps.unread)


Recipe = tuple[Put, list[Item]]


def cheap(item: Item, deps: Dependences, own: bool) -> Recipe | None:
    """What a nest puts into an array of the pass's own, if that is all it does and costs little."""
    while isinstance(item, Loop) and len(item.body) == 1:
        item = item.body[0]
    if not isinstance(item, Loop):
        return None
    *parts, last = item.body
    if not isinstance(last, Put) or last.aug is not None or last.base not in deps.loads:
        return None
    if not all(_plain(s) for s in last.subs):
        return None
    loads = [x for x in parts if isinstance(x, Load)]
    ops = [x for x in parts if isinstance(x, Compute) and x.op.fn in CHEAP]
    places = {(x.base, x.subs) for x in loads}
    if (
        len(loads) + len(ops) != len(parts)
        or len(places) > 1
        or len(ops) > (READ_ONCE if own and deps.loads[last.base] == 1 else BUDGET)
    ):
        return None
    if any(s.gathered for x in loads for s in x.subs):
        return None
    return last, parts


def is_of_own(recipe: Recipe, deps: Dependences) -> bool:
    """Whether all that is loaded are arrays of the pass's own."""
    return all(x.base in deps.loads for x in recipe[1] if isinstance(x, Load))


def has_literal_factors(recipe: Recipe) -> bool:
    """Whether nothing but literals meets what is loaded: an update by it may be gathered."""
    made = {x.target for x in recipe[1] if isinstance(x, Load)} | {
        x.op.target for x in recipe[1] if isinstance(x, Compute)
    }
    args = (a for x in recipe[1] if isinstance(x, Compute) for a in x.op.args)
    return all(isinstance(a, Const) or a in made for a in args)


def covers(nest: Item, put: Put, dims: tuple[Dim, ...] | None) -> bool:
    """Whether a nest puts something into each element of an array that has these axes."""
    keys: dict[Var | None, object] = {}
    while isinstance(nest, Loop):
        keys[nest.index] = nest.dim.key
        nest = nest.body[0]
    return dims is not None and all(keys.get(s.index) == d.key for s, d in zip(put.subs, dims, strict=True))


def _plain(s: Sub) -> bool:
    return s.index is not None and s == Sub(s.index)


class _Touched:
    """Which of the items of a block touch what memory, so that a recipe asks these, and not all that come after it."""

    def __init__(self, items: Sequence[Item], deps: Dependences) -> None:
        self.deps = deps
        self.writers: dict[Class, list[int]] = {}
        self.readers: dict[Class, set[int]] = {}
        self.barriers: list[int] = []
        for n, item in enumerate(items):
            summary = deps.of(item)
            for c in summary.writes:
                self.writers.setdefault(c, []).append(n)
            if summary.barrier:
                self.barriers.append(n)
            self.read(n, summary)

    def read(self, n: int, summary: Summary) -> None:
        """The n-th item reads what this says."""
        for c in summary.reads:
            self.readers.setdefault(c, set()).add(n)

    def writing(self, c: Class, after: int) -> list[int]:
        """The items after one that write to some memory, in order."""
        found = self.writers.get(c, [])
        return found[bisect_right(found, after) :]


def spread(items: list[Item], k: int, recipe: Recipe, deps: Dependences, touched: _Touched) -> None:
    """Use a recipe in the items after the k-th, as long as it gives the same."""
    put, parts = recipe
    own = deps.class_of(put.base)
    end = last_place(items, k, recipe, deps, touched)
    for n in sorted(n for n in touched.readers.get(own, ()) if k < n < end):
        if isinstance(items[n], Loop) and own in deps.of(items[n]).reads:
            items[n] = replaced(items[n], put, parts)
            touched.read(n, deps.of(items[n]))


def last_place(items: list[Item], k: int, recipe: Recipe, deps: Dependences, touched: _Touched) -> int:
    """The first item after the k-th that may change what a recipe reads, or the array that it fills."""
    put, parts = recipe
    ends = [len(items), *touched.barriers[bisect_right(touched.barriers, k) :][:1]]
    for base in {x.base for x in parts if isinstance(x, Load)}:
        after = touched.writing(deps.class_of(base), k)
        ends += [next((n for n in after if changes(deps.of(items[n]), base, deps)), len(items))]
    for n in touched.writing(deps.class_of(put.base), k):
        if any(isinstance(x, Put) and x.base is put.base for x in leaves((items[n],))):
            return min(*ends, n)
    return min(ends)


def changes(summary: Summary, base: Var, deps: Dependences) -> bool:
    """Whether an item may write to an array."""
    return any(not deps.distinct(x.base, base) for x in summary.writes.get(deps.class_of(base), ()))


def replaced(item: Item, put: Put, parts: list[Item]) -> Item:
    """An item with loads of an array replaced by what was put there."""
    match item:
        case Loop(dim, index, body):
            return Loop(dim, index, tuple(body_of(body, put, parts)))
        case Guard(cond, body):
            return Guard(cond, tuple(body_of(body, put, parts)))
    return item


def body_of(body: Sequence[Item], put: Put, parts: list[Item]) -> list[Item]:
    """The items of a body, each changed so."""
    out: list[Item] = []
    table: dict[Var, Atom] = {}
    for item in body:
        item = renamed(item, table) if table else item
        if isinstance(item, Load) and item.base is put.base and all(map(_plain, item.subs)):
            table[item.target] = again(item, put, parts, out)
        else:
            out.append(replaced(item, put, parts))
    return out


def again(load: Load, put: Put, parts: list[Item], out: list[Item]) -> Atom:
    """Compute a value anew, at the place that a load reads: the statements go to ``out``."""
    table: dict[Var, Atom] = {
        mine.index: theirs.index
        for mine, theirs in zip(put.subs, load.subs, strict=True)
        if mine.index is not None and theirs.index is not None
    }
    for part in parts:
        match part:
            case Load(target, base, _):
                new = renamed(part, table)
                assert isinstance(new, Load)
                table[target] = fresh = Var(target.hint, target.kind)
                out.append(Load(fresh, base, new.subs))
            case Compute(op):
                assert op.target is not None
                made = map_operands(op, lambda a: table.get(a, a) if isinstance(a, Var) else a)
                assert isinstance(made, Op)
                table[op.target] = fresh = Var(op.target.hint, op.target.kind)
                out.append(Compute(Op(fresh, made.fn, made.args)))
    value = put.value
    return table.get(value, value) if isinstance(value, Var) else value
