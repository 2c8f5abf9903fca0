"""Lengths of arguments that a function comes to need, checked before anything else.

Before::

    def f(u: float64[1]#1, v: float64[1]#2):
        r = make_slice(2, 5, None)
        w: float64[1] = u[r]
        same_axes(v, w)
        x: float64[1] = v * w
        s = np.sum(x)
        return s

After::

    def f(u, v):
        shape = np.shape(u)
        n = shape[0]
        at_least(n, 5)
        shape_1 = np.shape(v)
        n_1 = shape_1[0]
        same_length(n_1, 3)
        r = make_slice(2, 5, None)
        w = u[r]
        same_axes(v, w)
        x = v * w
        s = np.sum(x)
        return s

With the checks, slices with constant ends have constant lengths, and arrays that meet them too: loops over them have
constant bounds, small arrays become numbers, and rows of tapes have one size. An axis is taken to be as long as
constant places in it say, and as long as :mod:`s2sad.optimise.assume` checks that it is, later and deeper inside. What
is behind a test of lengths is not looked at: ``if len(x) > 2`` is there because ``x[2]`` may be missing.

Requires: the checks of :mod:`s2sad.optimise.assume`.
Ensures: the same values where no check fails. A caller that gets the error of one derives anew, without them.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterator

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.ir import prims
from s2sad.ir.kinds import INT, Array, Tuple
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Function, If, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, uses_of, with_body
from s2sad.optimise.shapes import Shapes
from s2sad.runtime import helpers

__all__ = ["foresee_lengths"]

#: What turns lengths into truth values and other lengths.
_OF_LENGTHS = {
    *(np.shape, np.size, np.ndim, len, operator.getitem, operator.and_, operator.or_, operator.not_, bool, min, max),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.add, operator.sub),
    *(operator.mul, operator.floordiv, operator.mod),
}


_WALKS = 4  #: what a walk finds may let the next one find more


def foresee_lengths(function: Function) -> Function:
    """The function with checks of its arguments' lengths at the beginning."""
    axes = _Axes(function)
    walk = _Walk(function, axes)
    for _ in range(_WALKS):
        before, walk = walk, _Walk(function, axes, walk)
        if walk.least == before.least and walk.kept == before.kept:
            break
    checks = list(_checks(axes, walk.shapes, walk.least))
    if not checks:
        return function
    return with_body(function, Block((*checks, *function.body.stmts), function.body.outs))


class _Axes:
    """The axes of the parameters that are arrays."""

    def __init__(self, function: Function) -> None:
        shapes = Shapes(function.params, by_token=False)
        arrays = [p for p in function.params if isinstance(p.kind, Array) and p.kind.rank]
        #: by what the axis is called: the parameter and the number of the axis; parameters may share a shape
        self.places: dict[Hashable, tuple[Var, int]] = {}
        for p in arrays:
            for k, dim in enumerate(shapes.of(p)):
                self.places.setdefault(dim, (p, k))


class _Walk:
    """Goes over a function, gathers what constant places need of its parameters, and keeps all that shapes tell."""

    def __init__(self, function: Function, axes: _Axes, before: _Walk | None = None) -> None:
        self.axes = axes
        self.shapes = Shapes(function.params, by_token=False)
        self.shapes.lists = definitions_of(function) if before is None else before.shapes.lists
        self.before = {} if before is None else before.kept
        self.shapes.least |= {} if before is None else before.least
        self.least: dict[Hashable, int] = {}  #: how long axes of parameters are to be
        self.kept: dict[Var, Atom] = {}  #: what loops carry, and hand on, in one shape, and what they start with
        self.of_lengths: set[Atom] = set()
        self.block(function.body)

    def block(self, block: Block) -> None:
        """A block; what is found in it is kept."""
        self.shapes.mark()
        for s in block.stmts:
            self.stmt(s)
        self.shapes.depth -= 1

    def loop(self, s: For | While) -> None:
        """A loop, with what is known of the shapes that it keeps, and what is found of them."""
        for p, r, init in zip(s.params, s.results, s.inits, strict=True):
            if p in self.before:
                self.unify(p, init)
                self.unify(r, init)
        for inner in blocks_of(s):
            self.block(inner)
        for p, init, out in zip(s.params, s.inits, s.body.outs, strict=False):
            if isinstance(p.kind, Array) and isinstance(init, Var) and self.shapes.equal(p, out):
                self.kept[p] = init

    def unify(self, a: Var, b: Atom) -> None:
        """Two arrays have one shape."""
        for x, y in zip(self.shapes.of(a), self.shapes.of(b), strict=False):
            self.shapes.unify(x, y)

    def stmt(self, s: Stmt) -> None:
        """A statement."""
        match s:
            case Op():
                self.shapes.note(s)
                if s.fn in _OF_LENGTHS and self.tells_length(s):
                    self.of_lengths.add(s.target or Const(None))
                if s.fn is operator.getitem:
                    self.reach(s.args[0], s.args[1])
            case Store(obj=obj, index=index):
                self.reach(obj, index)
            case Closure():
                return
            case For() | While():
                self.loop(s)
                return
            case If(cond=cond) if cond in self.of_lengths:
                return
        for inner in blocks_of(s):
            self.block(inner)
        if isinstance(s, If):
            self.choice(s)

    def choice(self, s: If) -> None:
        """A branch that hands out arrays of one shape, whichever side is taken."""
        for r, a, b in zip(s.results, s.then.outs, s.orelse.outs, strict=True):
            if isinstance(r.kind, Array) and isinstance(a, Var) and isinstance(b, Var) and self.shapes.equal(a, b):
                self.unify(r, a)

    def tells_length(self, s: Op) -> bool:
        """Whether an operation gives a length, or something found from lengths."""
        return s.fn in (np.shape, np.size, np.ndim, len) or any(a in self.of_lengths for a in uses_of(s))

    def reach(self, obj: Atom, index: Atom) -> None:
        """Note how long axes are if all constant places of a subscript are in them."""
        if not isinstance(obj, Var) or not isinstance(obj.kind, Array) or not obj.kind.rank:
            return
        makers = self.shapes.makers
        maker = makers.get(index) if isinstance(index, Var) else None
        parts = maker.args if maker is not None and maker.fn is prims.make_tuple else (index,)
        if (isinstance(index, Var) and isinstance(index.kind, Tuple) and maker is None) or Const(Ellipsis) in parts:
            return
        dims = self.shapes.of(obj)
        for dim, part in zip(dims, (p for p in parts if p != Const(None)), strict=False):
            made = makers.get(part) if isinstance(part, Var) else None
            ends = made.args[:2] if made is not None and made.fn is prims.make_slice else ()
            needed = _items(part) if not ends else max(_items(ends[0], 0), _items(ends[1], 0))
            if needed:
                self.need(self.shapes.find(dim), needed)

    def need(self, dim: Hashable, length: int) -> None:
        """An axis is to be at least so long."""
        match dim:
            case ("less", whole, int(cut)):
                dim, length = whole, length + cut
        if dim in self.axes.places:
            self.least[dim] = max(length, self.least.get(dim, 0))


def _items(place: Atom, more: int = 1) -> int:
    """How many items there are up to a constant place, or from it to the end; ``more``: that of the place itself."""
    if not isinstance(place, Const) or type(place.value) is not int:
        return 0
    return -place.value if place.value < 0 else place.value + more


def _checks(axes: _Axes, shapes: Shapes, least: dict[Hashable, int]) -> Iterator[Stmt]:
    """The checks, each after the length that it is of."""
    lengths: dict[Hashable, Var] = {}  #: by what the axis is known as in the end
    for dim, (p, k) in axes.places.items():
        found = shapes.find(dim)
        alone = dim == found and not any(d != dim and shapes.find(d) == found for d in axes.places)
        if alone and dim not in least:
            continue
        shape, n = Var("shape", Tuple((INT,) * (p.kind.rank or 0))), Var("n", INT)  # type: ignore[attr-defined]
        yield Op(shape, np.shape, (p,))
        yield Op(n, operator.getitem, (shape, Const(k)))
        if isinstance(found, int):
            yield Op(None, helpers.same_length, (n, Const(found)))
            continue
        if dim in least:
            yield Op(None, helpers.at_least, (n, Const(least[dim])))
        if found in lengths:
            yield Op(None, helpers.same_length, (n, lengths[found]))
        lengths.setdefault(found, n)
