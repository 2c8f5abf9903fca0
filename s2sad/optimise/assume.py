"""Lengths taken to be equal, and checked.

Before::

    def f(u: float64[1]#1, v: float64[1]#2):
        w: float64[1] = u * v
        s = np.sum(w)
        return s

After::

    def f(u, v):
        same_axes(u, v)
        w = u * v
        s = np.sum(w)
        return s

Where two arrays meet in an element-wise operation or a store, and are not known to have the same lengths along the
axes that both have, NumPy might stretch one of them, and a derivative must be ready for it: it records shapes and sums
over axes that hardly ever were stretched. With the check, what is derived from the function takes the lengths to be the
same. Axes known to be of length one are let alone, and those of slices of one item at the most, which are there to be
stretched: ``x[:, 0:1]``. A caller that gets the error of the check derives anew, without it.
What reads memory by these shapes must not believe them before the check.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping

from s2sad.analysis.definitions import definitions_of
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Atom, Block, Closure, Const, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import blocks_of, with_blocks, with_body
from s2sad.optimise.dims import Dim
from s2sad.optimise.shape_parts import subscript
from s2sad.optimise.shape_rules import is_elementwise
from s2sad.optimise.shapes import Shapes
from s2sad.runtime import helpers

__all__ = ["is_thin", "take_equal"]


def take_equal(function: Function) -> Function:
    """The function with a check for each pair of shapes that is taken to be equal."""
    return with_body(function, _Assumer(function).block(function.body))


class _Assumer:
    """Walks a function with what is known of shapes."""

    def __init__(self, function: Function) -> None:
        self.shapes = Shapes(function.params)
        self.shapes.is_thin = self.is_thin
        self.definitions = definitions_of(function)

    def block(self, block: Block) -> Block:
        """A block, with checks."""
        mark = self.shapes.mark()
        stmts: list[Stmt] = []
        for s in block.stmts:
            for check in self.checks(s):
                stmts.append(check)
                self.shapes.note(check)
            if isinstance(s, Op):
                self.shapes.note(s)
            elif not isinstance(s, Closure) and (inner := blocks_of(s)):
                s = with_blocks(s, tuple(map(self.block, inner)))
            stmts.append(s)
        self.shapes.forget(mark)
        return (
            block
            if len(stmts) == len(block.stmts) and all(map(operator.is_, stmts, block.stmts))
            else Block(tuple(stmts), block.outs)
        )

    def checks(self, s: Stmt) -> Iterator[Op]:
        """The checks before a statement."""
        match s:
            case Op(fn=fn, args=args, kwargs=()) if is_elementwise(fn):
                arrays = [a for a in args if isinstance(a, Var) and isinstance(a.kind, Array)]
                arrays.sort(key=lambda a: -(a.kind.rank or 0))  # type: ignore[attr-defined]
                for b in arrays[1:]:
                    if self.may_differ(arrays[0], b):
                        yield Op(None, helpers.same_axes, (arrays[0], b), (), s.origin)
            case Store(obj=Var(kind=Array(dtype, _)) as obj, index=index, value=Var(kind=Array(_, rank)) as value):
                view = Var("", Array(dtype, rank))
                take = Op(view, operator.getitem, (obj, index), (), s.origin)
                shape = subscript(self.shapes, take)
                if shape is None or rank is None or len(shape) != rank:
                    return
                self.shapes.known[view] = shape
                if self.may_differ(view, value):
                    yield take
                    yield Op(None, helpers.same_axes, (view, value), (), s.origin)

    def may_differ(self, a: Atom, b: Atom) -> bool:
        """Whether the axes of ``b`` are not known to be the last ones of ``a``, and none is there to be stretched."""
        x, y = (self.shapes.canonical(self.shapes.of(v)) for v in (a, b))
        if any(v.kind.rank != len(s) for v, s in ((a, x), (b, y))) or len(x) < len(y):  # type: ignore[union-attr]
            return False
        x = x[len(x) - len(y) :]
        return x != y and not any(map(self.is_thin, (*x, *y)))

    def is_thin(self, dim: Dim) -> bool:
        """Whether an axis is there to be stretched."""
        return is_thin(dim, self.shapes, self.definitions)


def is_thin(dim: Dim, shapes: Shapes, definitions: Mapping[Var, Op]) -> bool:
    """Whether an axis has length one, or is of slices of one item at the most."""
    match dim:
        case 1:
            return True
        case ("slice", _, start, stop, *_):
            return _is_next(start, stop, definitions)
        case ("broadcast", dims):
            return all(is_thin(d, shapes, definitions) for d in dims)  # type: ignore[attr-defined]
    return dim in shapes.thin


def _is_next(start: Dim, stop: Dim, definitions: Mapping[Var, Op]) -> bool:
    """Whether a slice ends one after its start at the latest."""
    match start, stop:
        case Const(-1), Const(None):
            return True
        case Const(int() | None as first), Const(int(last)):
            first = first or 0
            return (first < 0) == (last < 0) and last - first <= 1
    match definitions.get(stop), definitions.get(start):  # type: ignore[call-overload]
        case (Op(fn=operator.add, args=(a, Const(1)) | (Const(1), a)), _) if a == start:
            return True
        case _, Op(fn=operator.sub, args=(b, Const(1))) if b == stop:
            return True
    return False
