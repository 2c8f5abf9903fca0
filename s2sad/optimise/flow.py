"""Shapes through a whole function: of what loops carry, of what branches give, of what lists hold.

A pass over straight code learns shapes from the operations that it meets (:mod:`s2sad.optimise.shapes`). Here loops and
lists are taken to keep the shapes they begin with, loops axis by axis. If what comes later does not agree, that is not
so, and the walk begins again without.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from itertools import takewhile

from s2sad.analysis.definitions import definitions_of
from s2sad.analysis.memory import Memory
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Atom, Block, Closure, For, Function, If, Op, Stmt, Store, Var, While, With
from s2sad.ir.rewrite import all_vars, blocks_of, inner_targets_of, targets_of
from s2sad.optimise.held import Held
from s2sad.optimise.shapes import Dim, Shape, Shapes

__all__ = ["Flow", "shapes_through"]

#: A shape as far as it is kept: None for an axis that is not.
Kept = tuple[Dim | None, ...]


def shapes_through(function: Function, memory: Memory, by_product: bool = False) -> dict[Var, Shape]:
    """The shapes of what loops carry, branches give and lists hold, by what has been checked before.

    An axis of which nothing is known that holds throughout a run is one of the variable's own. ``by_product``: whether
    the lengths that products need to be equal will have been checked too.
    """
    flow = Flow(function, by_token=False, scoped=True, by_product=by_product, memory=memory)
    flow.run()
    found = ((v, _lasting(v, shape, flow.shapes)) for v, shape in flow.shapes.known.items())
    return {v: shape for v, shape in found if shape is not None}


def _lasting(v: Var, shape: Shape, shapes: Shapes) -> Shape | None:
    """A shape as far as it holds throughout a run; None where no axis does."""
    if shapes.is_lasting(shape):
        return shape
    own = shapes.by_kind(v)
    if len(own) != len(shape) or not any(map(shapes.is_lasting, shape)):
        return None
    return tuple(a if shapes.is_lasting(a) else b for a, b in zip(shape, own, strict=True))


class Flow:
    """Walks a function with the shapes of its variables; only those that are the same in every iteration are kept."""

    def __init__(
        self,
        function: Function,
        by_token: bool = True,
        scoped: bool = False,
        by_product: bool = True,
        memory: Memory | None = None,
    ) -> None:
        self.function = function
        self.believes = {"by_token": by_token, "scoped": scoped, "by_product": by_product}  #: as for Shapes
        self.held = Held(function, memory)
        self.changing: set[tuple[Var, int]] = (
            set()
        )  #: axes that loops carry in several lengths, found once for all walks
        self.lists = definitions_of(function)
        self.homes = dict(_homes(function)) if not scoped else {}
        self.way: list[Block] = []  #: from the body of the function to the block of the walk

    def run(self) -> None:
        """Walk until nothing that was taken to be so is found not to be."""
        mixed = None
        while mixed != self.held.mixed:
            mixed = set(self.held.mixed)
            self.held.again()
            self.start()
            self.shapes.mark()
            self.block(self.function.body)

    def start(self) -> None:
        """Begin a walk."""
        self.shapes = Shapes(self.function.params, **self.believes)
        self.shapes.lists = self.lists
        self.shapes.is_local, self.shapes.optional = self.is_local, False
        self.met(self.function.params)

    def met(self, variables: Iterable[Var]) -> None:
        """The shapes of these variables are found, as far as they are."""

    def unmet(self, variables: Sequence[Var]) -> None:
        """What was found of these was not so."""
        for v in variables:
            self.shapes.known.pop(v, None)

    # ------------------------------------------------------------ walking

    def is_local(self, dim: Dim) -> bool:
        """Whether a dimension is made of one that is only spoken of in the block of the walk."""
        if isinstance(dim, Var) or (isinstance(dim, tuple) and dim[0] == "token"):
            home = self.homes.get(dim, ())
            return len(home) >= len(self.way) and all(map(operator.is_, self.way, home))
        return isinstance(dim, tuple | frozenset) and any(map(self.is_local, dim))

    def block(self, block: Block) -> None:
        """A block."""
        self.way.append(block)
        for stmt in block.stmts:
            if type(stmt) is Op:
                self.op(stmt)
            else:
                self.stmt(stmt)
            self.met(targets_of(stmt))
        self.way.pop()

    def op(self, op: Op) -> None:
        """An operation."""
        self.shapes.note(op)
        self.held.note(op, self.shapes)

    def inside(self, block: Block, starts: Sequence[Kept | None] = ()) -> tuple[list[Shape], set[tuple[int, int]]]:
        """A nested block: the shapes of its outs, and which axes of them are not those given, as known at its end."""
        mark = self.shapes.mark()
        self.block(block)
        outs = [self.shapes.canonical(self.shapes.of(a)) for a in block.outs]
        pairs = enumerate(zip(starts, outs, strict=False))
        other = {(k, axis) for k, (a, b) in pairs if a is not None for axis in self.others(a, b)}
        self.shapes.forget(mark)
        return outs, other

    def others(self, kept: Kept, shape: Shape) -> list[int]:
        """The axes that were taken to be kept, and are not."""
        same = len(kept) == len(shape)
        axes = [k for k, dim in enumerate(kept) if dim is not None]
        return [k for k in axes if not same or self.shapes.find(kept[k]) != self.shapes.find(shape[k])]

    def stmt(self, stmt: Stmt) -> None:
        """A statement that is no operation."""
        match stmt:
            case Store():
                self.held.note(stmt, self.shapes)
            case If(then=then, orelse=orelse, results=results):
                outer, self.shapes.optional = self.shapes.optional, True
                sides = self.inside(then)[0], self.inside(orelse)[0]
                self.shapes.optional = outer
                for r, a, b in zip(results, *sides, strict=True):
                    self.joined(r, a, b)
            case With(body=body, results=results):
                for r, a in zip(results, self.inside(body)[0], strict=True):
                    self.joined(r, a, a)
            case For() | While():
                self.loop(stmt)
            case Closure(function=function):
                self.inside(function.body)

    def loop(self, loop: For | While) -> None:
        """A loop: what it carries keeps the shape it starts with, as long as the body agrees."""
        starts = {p: self.begins(p, a) for p, a in zip(loop.params, loop.inits, strict=True) if _may_learn(p, a)}
        learnt, held = self.shapes.state(), self.held.state()
        while True:
            for p, shape in starts.items():
                self.learn(p, shape)
            self.met(loop.params)
            if isinstance(loop, While):
                self.inside(loop.test)
            _, other = self.inside(loop.body, [starts.get(p) for p in loop.params])
            if not other:
                break
            for k, axis in other:  # walk again without these, and without what was concluded from them
                p = loop.params[k]
                self.changing.add((p, axis))
                starts[p] = _without(starts[p], axis)
            self.shapes.restore(learnt)
            self.held.restore(held)
            self.unmet((*loop.params, *(v for b in blocks_of(loop) for v in all_vars(b))))
        for r, p in zip(loop.results, loop.params, strict=True):
            self.learn(r, starts.get(p, ()))

    def begins(self, p: Var, a: Atom) -> Kept:
        """The shape that a loop carries a variable in, as far as it may be the same throughout a run."""
        shape = enumerate(self.shapes.of(a))
        return tuple(d if (p, k) not in self.changing and self.shapes.is_fixed(d) else None for k, d in shape)

    def joined(self, v: Var, a: Shape, b: Shape) -> None:
        """The shape of a result that comes from two places."""
        if _may_learn(v, v) and len(a) == len(b):
            same = zip(a, b, strict=True)
            self.learn(v, tuple(d if d == e and self.shapes.is_fixed(d) else None for d, e in same))

    def learn(self, v: Var, kept: Kept) -> None:
        """A variable has these axes; others are its own."""
        if any(d is not None for d in kept):
            own = self.shapes.by_kind(v)
            if len(own) == len(kept):
                self.shapes.learn(v, tuple(o if d is None else d for d, o in zip(kept, own, strict=True)))


def _homes(function: Function) -> dict[Dim, tuple[Block, ...]]:
    """The innermost block that all which is said of a variable, or a token, is in, with the blocks around it."""
    homes: dict[Dim, tuple[Block, ...]] = {}

    def define(variables: Iterable[Var], way: tuple[Block, ...]) -> None:
        for v in variables:
            homes[v] = way
            if isinstance(v.kind, Array) and v.kind.shape is not None:
                token = ("token", v.kind.shape)
                pairs = zip(homes.get(token, way), way, strict=False)
                homes[token] = tuple(a for a, _ in takewhile(lambda pair: pair[0] is pair[1], pairs))

    def visit(block: Block, way: tuple[Block, ...]) -> None:
        way = (*way, block)
        for s in block.stmts:
            define(targets_of(s), way)
            for inner in blocks_of(s):
                define(inner_targets_of(s), way if isinstance(s, While) else (*way, inner))
                visit(inner, way)

    define(function.params, (function.body,))
    visit(function.body, ())
    return homes


def _without(kept: Kept, axis: int) -> Kept:
    """The same but for one axis."""
    return tuple(None if k == axis else d for k, d in enumerate(kept))


def _may_learn(v: Var, a: Atom) -> bool:
    """Whether a variable that begins as ``a`` is an array of known rank all the time."""
    return isinstance(v.kind, Array) and v.kind.rank is not None and isinstance(a, Var)
