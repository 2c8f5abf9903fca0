"""The state of the pass: what arrays are known to be, and the means to lower a statement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from s2sad.analysis.definitions import definitions_of
from s2sad.analysis.memory import Memory
from s2sad.ir.kinds import INT, Array, Scalar, rank_of
from s2sad.ir.nodes import Atom, Block, Const, Function, Op, Store, Var
from s2sad.ir.rewrite import blocks_of, inner_targets_of, map_operands, targets_of, uses_of
from s2sad.loops.arrays import Fill, NotLowered, View, subscripts, unit, whole
from s2sad.loops.depends import Dependences
from s2sad.loops.elements import DTYPES, Elements, dtype_name
from s2sad.loops.facts import Facts
from s2sad.loops.fuse import unindexed
from s2sad.loops.index import Scopes
from s2sad.loops.model import ONE, Alloc, Choose, Compute, Dim, Get, Item, Load, Loop, Plain, Put, Sub
from s2sad.optimise.flow import shapes_through
from s2sad.optimise.shapes import Shapes
from s2sad.runtime import helpers

__all__ = ["Rule", "State"]

Body: TypeAlias = Callable[[list[Var], Elements], None]


def _as_bound(block: Block) -> Iterator[Var]:
    """The variables of a block as they are bound, one after the other: results of a loop after what is made in it."""
    for s in block.stmts:
        yield from inner_targets_of(s)
        for inner in blocks_of(s):
            yield from _as_bound(inner)
        yield from targets_of(s)


class State:
    """Facts found on the way, and the building blocks of the rules."""

    def __init__(self, function: Function, equal_lengths: bool = False) -> None:
        self.equal_lengths = equal_lengths
        self.memory = Memory(function)
        # a token may say that lengths are equal before that has been checked
        self.shapes = Shapes(function.params, by_token=False, by_product=False)
        self.shapes.lists = definitions_of(function)
        self.shapes.known |= shapes_through(function, self.memory, by_product=equal_lengths)
        self.scopes = Scopes()
        self.facts = Facts(self.shapes)
        self.scopes.find = self.facts.find
        self.scopes.shortest = self.shapes.shortest
        self.known: dict[Var, View | Fill] = {}
        self.originals: dict[Var, Op] = {}  #: of views and fills, put in place if they are needed whole
        self.homes: dict[Var, int] = {}  #: the level of the block where they were found
        self.temps: dict[Var, Alloc] = {}
        self.escaped: set[Var] = set()  #: arrays made here that something needs whole
        self.deps = Dependences(self.memory, self.disjoint, self.escaped)
        self.deps.same = self.scopes.same
        self.deps.in_order = self.facts.in_order
        self.deps.order.update((v, k) for k, v in enumerate((*function.params, *_as_bound(function.body))))
        self.fills: dict[Var, Item] = {}  #: the loops that do what one call would do as well

    # ------------------------------------------------------------ arrays

    def describe(self, a: Atom, more: frozenset[str] = frozenset()) -> View | Fill:
        """What an array is, of a dtype that is lowered or one of some more; a number is the same everywhere."""
        if isinstance(a, Const):
            dtype_name(a)
            return Fill(a, ())
        match a.kind:
            case Scalar(dtype) if dtype in DTYPES or dtype in ("float", "int", "complex"):
                return Fill(a, ())
            case Array(_, 0) if isinstance(a, Var) and a in self.known:
                return self.known[a]
            case Array(dtype, int(rank)) if dtype in DTYPES | more and rank > 0 and isinstance(a, Var):
                found = self.known.get(a) or whole(a, tuple(self.dim(a, k) for k in range(rank)))
                dims = tuple(replace(d, key=self.scopes.canonical(d.key)) for d in found.dims)
                return replace(found, dims=dims)
        raise NotLowered

    def dim(self, a: Var, k: int) -> Dim:
        """An axis of an array in memory."""
        return self.scopes.length(a, k, self.key(a, k))

    def key(self, a: Var, k: int) -> object:
        """What is known of the length of an axis."""
        shape = self.shapes.of(a)
        if len(shape) != rank_of(a.kind):
            return ("axis", a, k)
        return self.scopes.canonical(shape[k])

    def realised(self, a: Atom) -> Atom:
        """An operand that is needed whole."""
        if not isinstance(a, Var):
            return a
        op = self.originals.pop(a, None)
        if op is not None:
            op = map_operands(op, self.realised)  # type: ignore[assignment]
            self.scopes.stack[self.homes[a]].items.append(Plain(op))
        found = self.known.get(a)
        if a in self.temps:
            self.escaped.add(a)
        elif isinstance(found, View) and found.base in self.temps:
            self.escaped.add(found.base)
        return a

    def is_virtual(self, a: Var) -> bool:
        """Whether an array may turn out not to be made."""
        found = self.known.get(a)
        return a in self.originals or a in self.temps or (isinstance(found, View) and found.base in self.temps)

    def name(self, target: Var, found: View | Fill, op: Op) -> None:
        """``target`` is a view, or one number everywhere: nothing is done unless it is needed whole."""
        self.known[target] = found
        self.put_off(op)

    def put_off(self, op: Op) -> None:
        """An operation that is done when what it gives is needed whole."""
        target = op.target
        assert target is not None
        self.originals[target] = op
        self.homes[target] = len(self.scopes.stack) - 1
        self.scopes.define(target)

    def keeps(self, base: Var) -> bool:
        """Whether nothing is ever stored into an array."""
        c = self.memory.of(base)
        return c is not None and c not in self.memory.written and not self.memory.opaque

    def add(self, *items: Item) -> None:
        """Append to the innermost open block."""
        self.scopes.here.items.extend(items)

    def stmt(self, stmt: Op | Store) -> None:
        """A statement that stays as it is, but for its operands being there."""
        new = map_operands(stmt, self.realised)
        self.add(Plain(new))

    # ------------------------------------------------------------ spaces

    def space(self, dims: Sequence[Sequence[Dim]]) -> tuple[Dim, ...]:
        """The iteration space of operands broadcast together, checked at run time where that cannot be told."""
        rank = max(map(len, dims), default=0)
        padded = [(ONE,) * (rank - len(d)) + tuple(d) for d in dims]
        return tuple(self.joint([p[k] for p in padded]) for k in range(rank))

    def joint(self, dims: Sequence[Dim]) -> Dim:
        """The axis that axes are broadcast to."""
        distinct = {self.scopes.canonical(d.key): d for d in dims if self.scopes.canonical(d.key) != 1}
        first = next(iter(distinct.values()), ONE)
        if all(self.agree(first, d) for d in distinct.values()):
            return first
        first, *rest = distinct.values()
        key = ("joint", frozenset(distinct))
        for scope in self.scopes.stack:
            if key in scope.sizes:
                return Dim(key, scope.sizes[key])
        size = self.scopes.count(first)
        for d in rest:
            size = self.number(helpers.joint, size, self.scopes.count(d))
        self.scopes.here.sizes[key] = size
        return Dim(key, size)

    def agree(self, a: Dim, b: Dim) -> bool:
        """Whether two axes are as long as each other: known, or checked where that is taken for granted."""
        if self.scopes.same(a, b):
            return True
        if not self.equal_lengths:
            return False
        self.checked(a, b)
        return self.scopes.same(a, b)

    def checked(self, a: Dim, b: Dim) -> None:
        """Check at run time that two axes are as long as each other, unless it is known, and know it."""
        if self.scopes.same(a, b):
            return
        lengths = self.scopes.count(a), self.scopes.count(b)
        check = None if lengths[0] == lengths[1] else Op(None, helpers.same_length, lengths)
        if check is not None:
            self.scopes.check(check.fn, *lengths)
        self.facts.unify(a.key, b.key, check)

    def number(self, fn: object, *args: Atom) -> Var:
        """An integer found here, for it may raise."""
        target = Var("", INT)
        self.add(Plain(Op(target, fn, args)))  # type: ignore[arg-type]
        self.scopes.define(target)
        self.scopes.least[target] = 0
        return target

    def fitted(self, found: View | Fill, space: Sequence[Dim]) -> dict[int, Atom | None]:
        """The scale of each dimension of an operand that is broadcast to a space, by its axis in the space."""
        extra = len(space) - len(found.dims)
        if extra < 0:
            raise NotLowered
        scales: dict[int, Atom | None] = {}
        for k, d in enumerate(found.dims):
            theirs = space[extra + k]
            if d.key != 1 and not self.agree(d, theirs):
                scales[extra + k] = self.number(helpers.stretch, self.scopes.count(d), self.scopes.count(theirs))
        return scales

    # ------------------------------------------------------------ loops

    def nest(self, dims: Sequence[Dim], body: Body) -> Item:
        """A loop for each axis, with this body inside."""
        idx = [Var("ijklmnpq"[min(k, 7)], INT) for k in range(len(dims))]
        e = Elements()
        body(idx, e)
        return self.wrapped(dims, idx, e.items)

    def wrapped(self, dims: Sequence[Dim], idx: Sequence[Var], items: Sequence[Item]) -> Item:
        """Loops around items; an axis of length one has none, unless there would be no loop at all."""
        inner = tuple(items)
        several = [k for k, d in enumerate(dims) if d.key != 1] or [len(dims) - 1]
        for k in reversed(range(len(dims))):
            inner = (Loop(dims[k], idx[k], inner),) if k in several else tuple(unindexed(x, idx[k]) for x in inner)
        assert len(inner) == 1
        return inner[0]

    def element(
        self,
        found: View | Fill,
        space: Sequence[Dim],
        idx: Sequence[Var],
        e: Elements,
        scales: dict[int, Atom | None] | None = None,
    ) -> Atom:
        """The element of an operand at a point of an iteration space."""
        if isinstance(found, Fill):
            return found.value
        subs = self.subs(found, space, idx, scales)
        assert isinstance(found.base.kind, Array)
        target = Var("", Scalar(found.base.kind.dtype))
        e.items.append(Load(target, found.base, subs))
        return target

    def subs(
        self, view: View, space: Sequence[Dim], idx: Sequence[Var], scales: dict[int, Atom | None] | None = None
    ) -> tuple[Sub, ...]:
        """The subscripts of a view at a point of an iteration space."""
        subs = subscripts(view, space, idx, self.scopes)
        if not scales:
            return subs
        by_index = {idx[k]: s for k, s in scales.items()}
        return tuple(
            Sub(s.index, s.stride, by_index.get(s.index, s.scale) if s.index else None, s.root, s.const, s.gathered)
            for s in subs
        )

    def unit(self, dim: Dim) -> Atom:
        """0 for an axis of length one, else 1."""
        return unit(self.scopes, dim)

    # ------------------------------------------------------------ results

    def fresh(self, target: Var, dims: Sequence[Dim], original: Op | None = None) -> Var:
        """An array of the pass's own, that loops fill."""
        assert isinstance(target.kind, Array)
        for d in dims:
            self.scopes.count(d)  # computed before the loops that may move here
        if original is not None and any(isinstance(a, Var) and self.is_virtual(a) for a in uses_of(original)):
            original = None
        alloc = Alloc(target, tuple(dims), target.kind.dtype, original)
        self.add(alloc)
        self.known[target] = whole(target, tuple(dims))
        self.temps[target] = alloc
        self.deps.made.add(target)
        self.scopes.define(target)
        return target

    def temp(self, like: View | Fill, dims: Sequence[Dim], dtype: str) -> Var:
        """An array for a value that is stored where it is read from."""
        target = Var("t", Array(dtype, len(dims)))
        for d in dims:
            self.scopes.count(d)
        alloc = Alloc(target, tuple(dims), dtype)
        self.add(alloc)
        self.temps[target] = alloc
        self.deps.own.add(target)
        self.deps.made.add(target)
        self.known[target] = whole(target, tuple(dims))
        self.scopes.define(target)
        return target

    def filling(self, target: Var, dims: Sequence[Dim], value: Callable[[list[Var], Elements], Atom]) -> Item:
        """Loops that give each element of an array."""

        def body(idx: list[Var], e: Elements) -> None:
            v = value(idx, e)
            e.items.append(Put(target, tuple(Sub(i) for i in idx), v))

        return self.nest(dims, body)

    def point(self, target: Var, items: Sequence[Item], value: Atom) -> None:
        """Items that compute one number, here; the last of them gives it its name."""
        for item in items:
            match item:
                case Get(old, cell) if old is value:
                    item = Get(target, cell)
                case Compute(Op(target=old, fn=fn, args=args)) if old is value:
                    item = Compute(Op(target, fn, args))
                case Load(old, base, subs) if old is value:
                    item = Load(target, base, subs)
                case Choose(old, cond, then, orelse) if old is value:
                    item = Choose(target, cond, then, orelse)
            self.add(item)
        self.scopes.define(target)

    def result(
        self, target: Var, dims: Sequence[Dim], value: Callable[[list[Var], Elements], Atom], original: Op | None = None
    ) -> None:
        """An array of the pass's own, and loops that give each element of it."""
        loops = self.filling(target, dims, value)  # nothing is changed yet if this cannot be
        self.fresh(target, dims, original)
        self.fills[target] = loops
        self.add(loops)

    # ------------------------------------------------------------ comparing subscripts

    def disjoint(self, s: Sub, t: Sub) -> bool:
        """Whether two subscripts of one axis are never equal."""
        if s.gathered or t.gathered or s.index is not None or t.index is not None or s.root is not t.root:
            return False
        if s.const == t.const:
            return False
        if s.root is None:
            return min(s.const, t.const) >= 0
        least = self.scopes.least.get(s.root)
        return least is not None and least + min(s.const, t.const) >= 0


Rule: TypeAlias = Callable[[State, Op], None]
