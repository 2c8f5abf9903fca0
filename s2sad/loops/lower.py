"""Loop lowering: array statements become loops over elements.

Before::

    def f(u: float64[1]#1, c: float):
        s = make_slice(1, None, None)
        r = make_slice(None, -1, None)
        v: float64[1]#2 = u[s]
        w: float64[1]#2 = u[r]
        d: float64[1]#2 = v - w
        e: float64[1]#2 = c * d
        t: float64 = np.prod(e)
        return t

After::

    def f(u, c):
        shape = np.shape(u)
        t = shape[0]
        t_1 = t - 1
        for i in range(0, t_1) carrying (t_2 = 1.0):
            t_3 = i + 1
            t_4 = u[t_3]
            t_5 = u[i]
            d = t_4 - t_5
            e = c * d
            t_6 = t_2 * e
            next t_6
        -> t_7
        return t_7

Requires: a verified function, optimised, in which no store has a source of another stride that it may overwrite
(:mod:`s2sad.transform.overlaps`). Ensures: the same values, but for the order of sums.
What is not known well enough (a rank, a dtype, an operation without a rule here) stays as it is.

The parts: :mod:`statements` makes loops of statements, :mod:`fuse` joins loops, :mod:`contract` turns arrays
that live in one loop into numbers, :mod:`build` writes the result down.
"""

from __future__ import annotations

import operator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import INT, Tuple
from s2sad.ir.nodes import (
    UNDEF,
    Atom,
    Block,
    Closure,
    Comment,
    Const,
    For,
    Function,
    If,
    Op,
    Ref,
    Stmt,
    Store,
    Var,
    While,
    With,
)
from s2sad.ir.rewrite import (
    all_vars,
    inner_targets_of,
    map_operands,
    substitute,
    targets_of,
    uses_of,
    walk,
    with_blocks,
)
from s2sad.loops.arrays import NotLowered
from s2sad.loops.build import Builder
from s2sad.loops.contract import contract
from s2sad.loops.fuse import fuse
from s2sad.loops.gather import gather
from s2sad.loops.index import Scope
from s2sad.loops.model import Alloc, Item, Plain
from s2sad.loops.recompute import recompute
from s2sad.loops.shapes_only import drop_shape_records
from s2sad.loops.state import State
from s2sad.loops.statements import lower_op
from s2sad.loops.stores import lower_store
from s2sad.optimise.dead import dead_code
from s2sad.runtime import helpers

__all__ = ["lower_to_loops"]

#: The last axis of one operand is as long as the first of the other, for vectors and matrices.
PRODUCTS = (np.dot, np.matmul, operator.matmul, helpers.add_product)
#: Checks that two lengths are equal.
CHECKS = (helpers.same_axes, helpers.same_length, helpers.need_values)


def lower_to_loops(function: Function, equal_lengths: bool = False) -> Function:
    """The function with array statements as loops over elements.

    ``equal_lengths``: axes that meet in an operation, and are not known to be of length one, are taken to be as
    long as each other. This is checked where lengths become known (``ValueError``), and nothing is ever broadcast at
    run time: the loops are simpler and faster. A caller that gets this error needs the function without it.
    """
    first = dead_code(_Lowering(function, equal_lengths).run())
    leaner, phantoms = drop_shape_records(function, first)
    if not phantoms:
        return first
    second = dead_code(_Lowering(leaner, equal_lengths).run())
    return first if phantoms & set(all_vars(second)) else second


class _Lowering:
    """Walks a function, block by block."""

    def __init__(self, function: Function, equal_lengths: bool) -> None:
        self.function = function
        self.state = State(function, equal_lengths)
        self.builder = Builder()
        self.scopes = self.state.scopes
        self.scopes.fragile = may_be_unbound(function)
        self.floor = [0]  #: the block of the innermost closure: no array is made outside it

    def run(self) -> Function:
        """The lowered function."""
        f = self.function
        body = self.block(f.body, f.params)
        body = substitute(body, {v: self.builder.value(v) for v in self.builder.table})
        return Function(f.name, f.params, body, f.doc, f.origin)

    # ------------------------------------------------------------ walking

    def block(self, block: Block, params: tuple[Var, ...] = (), optional: bool = False) -> Block:
        """A block."""
        self.scopes.stack.append(Scope(optional=optional))
        mark = self.state.shapes.mark()
        self.scopes.define(*params)
        for stmt in block.stmts:
            self.stmt(stmt)
        outs = tuple(map(self.state.realised, block.outs))
        stmts = self.finished(self.scopes.here)
        self.state.shapes.forget(mark)
        self.scopes.stack.pop()
        return Block(tuple(stmts), outs)

    def stmt(self, stmt: Stmt) -> None:
        """A statement."""
        match stmt:
            case Op():
                if stmt.fn not in CHECKS:  # whose lowering makes it known, after the check
                    self.state.shapes.note(stmt)
                if not lower_op(self.state, stmt) and not self.put_off(stmt):
                    self.multiplied(stmt)
                    self.state.stmt(stmt)
                self.learn(stmt)
            case Store():
                if not lower_store(self.state, stmt):
                    self.state.stmt(stmt)
            case Comment():
                self.state.add(Plain(stmt))
            case _:
                self.compound(stmt)
        self.scopes.define(*targets_of(stmt))

    def multiplied(self, op: Op) -> None:
        """Check the lengths that a product needs to be equal before it, where that is asked for, to know them."""
        if self.state.equal_lengths and any(op.fn is f for f in PRODUCTS) and not op.kwargs:
            with suppress(NotLowered):
                a, b = (self.state.describe(x).dims for x in op.args[-2:])
                if 1 <= len(a) <= 2 and 1 <= len(b) <= 2:
                    self.state.checked(a[-1], b[0])

    def put_off(self, op: Op) -> bool:
        """Leave a tuple until it is needed as one: what takes its parts may do without it, and without the arrays."""
        if op.fn not in (prims.make_tuple, helpers.split_like) or op.target is None:
            return False
        if not any(isinstance(a, Var) and self.state.is_virtual(a) for a in op.args):
            return False
        self.state.put_off(op)
        return True

    def learn(self, op: Op) -> None:
        """What an operation says of integers and tuples."""
        target = op.target
        if target is None:
            return
        makers = self.scopes.makers
        makers[target] = op
        if op.fn is len:
            self.scopes.least[target] = 0
        elif op.fn is operator.getitem and isinstance(op.args[0], Var):
            source = makers.get(op.args[0])
            if source is not None and source.fn is np.shape:
                self.scopes.least[target] = 0

    def compound(self, stmt: Stmt) -> None:
        """A statement with blocks."""
        stmt = map_operands(stmt, self.state.realised)
        match stmt:
            case If(then=then, orelse=orelse):
                new = with_blocks(stmt, (self.block(then, (), True), self.block(orelse, (), True)))
            case For(index=index, params=params, body=body):
                self.bound(stmt)
                new = with_blocks(stmt, (self.block(body, (index, *params)),))
            case While(test=test, body=body, params=params):
                new = with_blocks(stmt, (self.kept(test, params), self.block(body, params)))
            case With(body=body):
                new = with_blocks(stmt, (self.block(body, inner_targets_of(stmt)),))
            case Closure(target=target, function=function):
                self.scopes.define(target)
                self.floor.append(len(self.scopes.stack))
                inner = self.block(function.body, function.params, True)
                self.floor.pop()
                new = with_blocks(stmt, (inner,))
            case _:
                raise AssertionError(stmt)
        self.state.add(Plain(new))

    def kept(self, block: Block, params: tuple[Var, ...]) -> Block:
        """A block that is not lowered: the condition of a loop."""
        self.scopes.stack.append(Scope())
        self.scopes.define(*params)
        for v in {a for s in walk(block) for a in uses_of(s)} | set(block.outs):
            self.state.realised(v)
        made = [x.stmt for x in self.scopes.here.items if isinstance(x, Plain)]
        self.scopes.stack.pop()
        return replace(block, stmts=(*made, *block.stmts))

    def bound(self, loop: For) -> None:
        """The least value of a loop's index."""
        match loop.step:
            case Const(int(step)) if step > 0:
                least = self.scopes.bound(loop.start)
            case Const(int()):
                least = self.scopes.bound(loop.stop)
                least = None if least is None else least + 1
            case _:
                least = None
        if least is not None:
            self.scopes.least[loop.index] = least

    # ------------------------------------------------------------ a block, when all of it is known

    def finished(self, scope: Scope) -> list[Stmt]:
        """The statements of a block."""
        items = self.originals(scope.items)
        scope.items = []
        items = recompute(items, self.state.deps, own=True)
        items = gather(items, self.state.deps, self.scopes)
        items = self.sized(items, scope.items)
        items = recompute(items, self.state.deps)
        items = fuse(items, self.state.deps)
        items = contract(items, self.state.deps)
        made: list[Item] = []
        for item in items:
            if isinstance(item, Alloc):
                self.allocate(item, made)
            else:
                made.append(item)
        return self.builder.stmts(made, {})

    def originals(self, items: list[Item]) -> list[Item]:
        """Arrays that are needed whole are made as they were, where that takes one call."""
        escaped, fills = self.state.escaped, self.state.fills
        gone: set[int] = set()
        out: list[Item] = []
        for item in items:
            if isinstance(item, Alloc) and item.original is not None:
                once = len(self.scopes.stack) - 1 == self.floor[-1] and not self.state.keeps(item.target)
                if once or item.target in escaped:
                    gone.add(id(fills.get(item.target)))
                    out.append(Plain(item.original))
                    continue
            out.append(item)
        return [x for x in out if id(x) not in gone]

    def sized(self, items: list[Item], sizes: list[Item]) -> list[Item]:
        """The items with lengths that were found late, where what they are made from is known."""
        out = list(items)
        for size in sizes:
            needed = self.state.deps.of(size).uses
            places = [k for k, item in enumerate(out) if not needed.isdisjoint(self.state.deps.of(item).defs)]
            out.insert(max(places, default=-1) + 1, size)
        return out

    def allocate(self, alloc: Alloc, into: list[Item]) -> None:
        """Make an array: outside the loops, if it does not outlive an iteration."""
        sizes = [self.scopes.count(d) for d in alloc.dims]
        here = len(self.scopes.stack) - 1
        level = here if alloc.target in self.state.escaped else max(self.scopes.depth(*sizes), self.floor[-1])
        target = into if level == here else self.scopes.stack[level].items
        if len(sizes) == 1:
            shape = sizes[0]
        else:
            shape = Var("", Tuple((INT,) * len(sizes)))
            target.append(Plain(Op(shape, prims.make_tuple, tuple(sizes))))
        kwargs: tuple[tuple[str, Atom], ...] = ()
        if alloc.dtype != "float64":
            kwargs = (("dtype", dtype_ref(alloc.dtype)),)
        target.append(Plain(Op(alloc.target, np.zeros if alloc.zero else np.empty, (shape,), kwargs)))


def dtype_ref(name: str) -> Ref:
    """``np.float32``"""
    from s2sad.ir.kinds import Other

    attribute = {"bool": "bool_"}.get(name, name)
    value = getattr(np, attribute)
    return Ref(("np", attribute), np, value, Other(type))


def _is_blank(op: Op) -> bool:
    """Whether an array of nothing is made, which may stand for one that is not there (:mod:`s2sad.compiled.blanks`)."""
    shape = op.args[0] if op.fn is np.empty and op.args else None
    return isinstance(shape, Const) and isinstance(shape.value, tuple) and bool(shape.value) and not any(shape.value)


def may_be_unbound(function: Function) -> set[Var]:
    """Variables that hold nothing on some path: what branches and loops hand on from where it is not bound."""
    found = {s.target for s in walk(function) if isinstance(s, Op) and s.target is not None and _is_blank(s)}

    def empty(a: Atom) -> bool:
        return a in (UNDEF, Const(None)) or a in found

    while True:
        before = len(found)
        for s in walk(function):
            match s:
                case If(then=then, orelse=orelse, results=results):
                    pairs = [*zip(results, then.outs, strict=True), *zip(results, orelse.outs, strict=True)]
                case For() | While():
                    pairs = [*zip(s.params, s.inits, strict=True), *zip(s.params, s.body.outs, strict=False)]
                    pairs += [*zip(s.results, s.inits, strict=True), *zip(s.results, s.body.outs, strict=False)]
                case With(results=results, body=body):
                    pairs = list(zip(results, body.outs, strict=True))
                case _:
                    continue
            found |= {r for r, a in pairs if empty(a)}
        if len(found) == before:
            return found
