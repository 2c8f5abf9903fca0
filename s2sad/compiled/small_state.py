"""Small arrays that are numbers, in the course of a walk over a function.

An array of known shape is a grid of operands (:mod:`s2sad.compiled.grids`) from where it is defined; there it is made
after all, of these, if something asks for it whole.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.analysis.memory import Class, Memory
from s2sad.compiled.filled import Filled
from s2sad.compiled.grids import LIMIT, Grid, grid_of
from s2sad.compiled.small_stores import index_of
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Store, Var
from s2sad.loops.arrays import NotLowered
from s2sad.loops.common import array
from s2sad.loops.lower import may_be_unbound
from s2sad.optimise.shape_parts import subscript
from s2sad.optimise.shapes import Shape, Shapes

__all__ = ["Line", "Numbers", "Slot"]

DTYPES = {"float64": None, "bool": np.bool_}
_ANYTHING: dict[str, object] = {"float64": math.nan, "bool": False}  #: for what is never read; NaN shows if it is


@dataclass
class Slot:
    """Where an array is made of its numbers, if it is needed as one."""

    target: Var
    grid: Grid
    original: Op | None  #: what gives the array as it did, if its operands are still arrays
    stmts: list[Stmt] = field(default_factory=list)

    def fill(self) -> None:
        """Make the array."""
        if self.stmts:
            return
        if self.original is not None:
            self.stmts.append(self.original)
            return
        kind = self.target.kind
        assert isinstance(kind, Array)
        dtype = DTYPES[kind.dtype]
        kwargs = () if dtype is None else (("dtype", Const(dtype)),)
        shape = Const(self.grid.shape if self.grid.ndim > 1 else self.grid.shape[0])
        self.stmts.append(Op(self.target, np.empty, (shape,), kwargs))
        for place, item in np.ndenumerate(self.grid):
            index, made = index_of(place)
            self.stmts += [*made, Store(self.target, index, item)]


Line: TypeAlias = "Stmt | Slot"


class Numbers:
    """The numbers of small arrays, and the shapes that are known, at some point of a walk over a function."""

    def __init__(self, function: Function, memory: Memory, known: Mapping[Var, Shape], spoilt: Collection[Var]) -> None:
        self.memory = memory
        self.filled = Filled.of(function, self.memory, frozenset(spoilt))
        self.left = dict(self.filled.stores)  #: how many stores into these arrays are still to come
        self.stay = spoilt  #: what loops carry that cannot be numbers
        self.spoilt: set[Var] = set()  #: arrays that are needed as such too early, or must be where loops begin anew
        self.shapes = Shapes(function.params, by_token=False, by_product=False)
        self.shapes.known |= known
        self.made = self.shapes.lists = definitions_of(function)
        self.maybe_none = may_be_unbound(function)
        self.handed_out = {c for c, n in self.ways_out(function.body.outs).items() if n > 1}
        self.grids: dict[Var, Grid] = {}
        self.atoms: dict[Var, Atom] = {}  #: what takes the place of numbers
        self.slots: dict[Var, Slot] = {}
        self.out: list[Line] = []
        self.any = False

    # ------------------------------------------------------------ what rules ask

    def put(self, stmt: Stmt) -> None:
        """Put a statement down."""
        self.out.append(stmt)

    def maker(self, a: Atom) -> Op | None:
        """The operation that made an operand, and nothing has changed since."""
        return self.made.get(a) if isinstance(a, Var) else None

    def shape(self, a: Atom) -> tuple[int, ...]:
        """The shape of an operand, if all of it is known."""
        if isinstance(a, Const):
            if type(a.value) in (bool, int, float) or isinstance(a.value, np.generic):
                return ()
            raise NotLowered
        if a in self.grids:
            return self.grids[a].shape  # type: ignore[index]
        match a.kind:
            case Scalar():
                return ()
            case Array(_, int(rank)) if isinstance(a, Var):
                dims = self.shapes.canonical(self.shapes.of(a))
                if len(dims) == rank and all(type(d) is int for d in dims):
                    return dims  # type: ignore[return-value]
        raise NotLowered

    def grid(self, a: Atom) -> Grid:
        """The numbers of an operand, loaded here if it is an array."""
        shape = self.shape(a)
        if not shape and not array(a):
            return grid_of([self.number(a)], ())
        assert isinstance(a, Var) and isinstance(a.kind, Array)
        if a in self.grids:
            return self.grids[a]
        if not shape or np.prod(shape) > LIMIT or a.kind.dtype not in DTYPES:
            raise NotLowered
        return grid_of([self.load(a, place) for place in np.ndindex(shape)], shape)

    def load(self, a: Var, place: Sequence[Atom | int]) -> Var:
        """An element of an array."""
        assert isinstance(a.kind, Array)
        item = Var("", Scalar(a.kind.dtype))
        index, made = index_of(place)
        self.out += [*made, Op(item, operator.getitem, (a, index))]
        return item

    # ------------------------------------------------------------ operands

    def grid_if_small(self, a: Atom) -> Grid | None:
        """The numbers of a small array that is numbers already."""
        return self.grids.get(a) if isinstance(a, Var) else None

    def places_of(self, obj: Var, index: Atom) -> tuple[int, ...] | None:
        """The shape of a part of an array, if all of it is known."""
        shape = subscript(self.shapes, Op(Var("", obj.kind), operator.getitem, (obj, index)))
        dims = () if shape is None else self.shapes.canonical(shape)
        return None if shape is None or not all(type(n) is int for n in dims) else dims  # type: ignore[return-value]

    def number(self, a: Atom) -> Atom:
        """An operand that is not an array."""
        while isinstance(a, Var) and a in self.atoms:
            a = self.atoms[a]
        return a

    def whole(self, a: Atom) -> Atom:
        """An operand that is needed as it was: an array is made if there is none."""
        if isinstance(a, Var) and a in self.slots:
            self.slots[a].fill()
            if self.left.get(a):
                self.spoilt.add(a)
        return self.number(a)

    def fits(self, a: Var) -> bool:
        """Whether an array may be numbers: nothing stores into it, or only where it is made."""
        if not isinstance(a.kind, Array) or not a.kind.rank or a.kind.dtype not in DTYPES:
            return False
        c = self.memory.of(a)
        if c in self.handed_out:
            return False
        return c is None or c in self.filled.classes or (c not in self.memory.written and not self.memory.opaque)

    def define(self, target: Var, grid: Grid, original: Op | None = None) -> None:
        """An array is these numbers from here on."""
        self.any = True
        self.grids[target] = grid
        self.slots[target] = slot = Slot(target, grid, original)
        self.shapes.known[target] = grid.shape
        self.out.append(slot)

    def ways_out(self, outs: Sequence[Atom]) -> Counter[Class]:
        """In how many ways a caller gets at arrays of a class: of several it may matter that they lead to one array."""
        found: Counter[Class] = Counter()
        for a in outs:
            made = self.maker(a)
            if made is not None and made.fn is prims.make_tuple:
                found += self.ways_out(made.args)
            else:
                for c in self.memory.reachable(a):
                    found[c] += 1 if array(a) else 2
        return found

    def small(self, a: Atom) -> tuple[int, ...] | None:
        """The shape of a small array, if it is known."""
        if not isinstance(a, Var) or not isinstance(a.kind, Array) or a.kind.dtype not in DTYPES:
            return None
        if a in self.maybe_none and a not in self.grids:
            return None  # nothing may be loaded from it but where the function does
        with suppress(NotLowered):
            shape = self.shape(a)
            return shape if shape and 0 < np.prod(shape) <= LIMIT else None
        return None

    def items(self, a: Atom, shape: tuple[int, ...], dtype: str) -> list[Atom]:
        """The numbers of an array of this shape; of None, which is never read, anything."""
        if not isinstance(a, Var):
            return [Const(_ANYTHING[dtype])] * int(np.prod(shape))
        if a in self.grids:
            return list(self.grids[a].ravel())
        return [self.load(a, place) for place in np.ndindex(shape)]
