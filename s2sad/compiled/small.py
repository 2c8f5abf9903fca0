"""Small arrays of known shape as numbers.

Before::

    def f(u: float64[1]#1, x: float, n: int):
        shape = np.shape(u)
        m = shape[0]
        same_length(m, 2)
        t = [x, 1.0]
        v: float64[1]#2 = np.array(t)
        for i in range(0, n) carrying (w: float64[1]#3 = v):
            r: float64[1]#4 = u * 0.5
            r[0] += x
            y: float64[1]#5 = w + r
            next y
        -> z: float64[1]#3
        s = np.sum(z)
        return s

After::

    def f(u, x, n):
        shape = np.shape(u)
        m = shape[0]
        same_length(m, 2)
        for i in range(0, n) carrying (w = x, w_1 = 1.0):
            t = u[0]
            t_1 = u[1]
            r = t * 0.5
            r_1 = t_1 * 0.5
            t_2 = r + x
            y = w + t_2
            y_1 = w_1 + r_1
            next y, y_1
        -> z, z_1
        s = z + z_1
        return s

What nothing stores into, or only where it is made, may as well be numbers, which a compiler keeps in registers: no
array is made for each of them, in each iteration of a loop, or carried along by it. An array is made after all, where
it is defined, if something needs it as one: a call, an index that is no constant, a list. It is another array than that
which was there, so what a caller gets at in several ways stays as it is: a pullback stores into what is on its tapes.

Requires: lengths as :mod:`s2sad.optimise.foresee` has found and checked them; branches give None for what is never read
(:mod:`s2sad.compiled.blanks` comes later).
Ensures: the same values, sums of small arrays being from first to last.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from s2sad.analysis.memory import Memory
from s2sad.compiled.grids import LIMIT, RULES, Grid, grid_of
from s2sad.compiled.small_linalg import LINALG, PAIRS
from s2sad.compiled.small_state import Line, Numbers, Slot
from s2sad.compiled.small_stores import changed, spelt
from s2sad.ir import prims
from s2sad.ir.kinds import INT, Scalar, Tuple, rank_of
from s2sad.ir.nodes import UNDEF, Atom, Block, Closure, Const, For, Function, If, Op, Stmt, Store, Var, While, With
from s2sad.ir.rewrite import free_vars, map_operands, substitute, uses_of, with_blocks
from s2sad.loops.arrays import NotLowered
from s2sad.loops.common import dtype_of
from s2sad.optimise.dead import dead_code
from s2sad.optimise.flow import shapes_through
from s2sad.runtime import helpers

__all__ = ["small_as_numbers"]

_RULES = RULES | LINALG | PAIRS
_OF_MATRICES = (np.linalg.det, *PAIRS)  #: what gives numbers, and takes a library to be computed
_CHECKS = (helpers.same_axes, helpers.same_length, helpers.at_least)
#: The shape and dtype of small arrays, by their positions among results, parameters or outs.
_Flat: TypeAlias = "Mapping[int, tuple[tuple[int, ...], str]]"
_NONE: _Flat = {}


def small_as_numbers(function: Function) -> Function:
    """Let numbers take the place of small arrays that nothing stores into."""
    memory = Memory(function)
    known = shapes_through(function, memory)
    spoilt: set[Var] = set()
    while True:
        numbers = _Numbers(function, memory, known, spoilt)
        new = numbers.run(function)
        if numbers.spoilt <= spoilt:
            return dead_code(new) if numbers.any else function
        spoilt |= numbers.spoilt


@dataclass(frozen=True)
class _Open:
    """A block before it is known how it hands on its outs: these, and the shapes of those that are small arrays."""

    lines: list[Line]
    outs: tuple[Atom, ...]
    found: tuple[tuple[int, ...] | None, ...]


class _Numbers(Numbers):
    """Walks a function, and puts down what becomes of it."""

    # ------------------------------------------------------------ statements

    def run(self, function: Function) -> Function:
        """The function with numbers."""
        body = self.closed(self.opened(function.body))
        return Function(function.name, function.params, body, function.doc, function.origin)

    def opened(self, block: Block, given: Sequence[tuple[Var, Grid]] = ()) -> _Open:
        """What becomes of a block, but for its outs; ``given`` are small arrays that are there at its beginning."""
        outer, self.out = self.out, []
        mark = self.shapes.mark()
        for v, grid in given:
            self.define(v, grid)
        for s in block.stmts:
            self.stmt(s)
        found = tuple(map(self.small, block.outs))
        self.shapes.forget(mark)
        lines, self.out = self.out, outer
        return _Open(lines, block.outs, found)

    def closed(self, opened: _Open, flat: _Flat = _NONE) -> Block:
        """The block, the outs of given places and shapes as numbers."""
        outer, self.out = self.out, opened.lines
        outs: list[Atom] = []
        for k, a in enumerate(opened.outs):
            outs += self.items(a, *flat[k]) if k in flat else [self.whole(a)]
        self.out = outer
        stmts: list[Stmt] = []
        for line in opened.lines:
            stmts += line.stmts if isinstance(line, Slot) else [line]
        return Block(tuple(stmts), tuple(outs))

    def stmt(self, s: Stmt) -> None:
        """A statement."""
        match s:
            case Op():
                self.op(s)
            case Store():
                self.store(s)
            case If():
                self.branch(s)
            case For() | While():
                self.loop(s)
            case With(body=body):
                s = map_operands(s, self.whole)
                self.put(with_blocks(s, (self.closed(self.opened(body)),)))
            case Closure(function=function):
                for v in free_vars(function):
                    self.whole(v)
                self.put(substitute(s, {v: self.number(v) for v in free_vars(function)}))
            case _:
                self.put(s)

    # ------------------------------------------------------------ operations

    def op(self, s: Op) -> None:
        """An operation."""
        if s.fn in _CHECKS:
            self.check(s)
        elif not self.length(s) and not self.lowered(s):
            self.emit(map_operands(s, self.whole))  # type: ignore[arg-type]

    def emit(self, op: Op) -> None:
        """An operation as it is, and what it says of shapes."""
        self.put(op)
        self.shapes.note(op)

    def lowered(self, s: Op) -> bool:
        """Do an operation number by number, if that is known."""
        t = s.target
        try:
            rule = _RULES.get(s.fn)
        except TypeError:  # unhashable
            return False
        if t is None or rule is None or not (self.fits(t) or self.is_number_of_grid(s) or s.fn in _OF_MATRICES):
            return False
        mark = len(self.out)
        try:
            grid = rule(self, s)
            if s.fn in PAIRS:
                self.emit(Op(t, prims.make_tuple, tuple(grid), (), s.origin))
                return True
            if grid.ndim != (rank_of(t.kind) or 0) or not 0 < grid.size <= LIMIT:
                raise NotLowered
        except NotLowered:
            del self.out[mark:]
            return False
        if grid.ndim:
            there = not any(isinstance(a, Var) and a in self.grids for a in self.reads(s))
            self.define(t, grid, map_operands(s, self.number) if there else None)  # type: ignore[arg-type]
        else:
            self.name(t, grid.item(), mark)
        return True

    def reads(self, s: Op) -> Iterator[Atom]:
        """The operands of an operation, those in tuples and lists too."""
        for a in uses_of(s):
            yield a
            made = self.maker(a)
            if made is not None and made.fn in (prims.make_tuple, prims.make_list):
                yield from self.reads(made)

    def is_number_of_grid(self, s: Op) -> bool:
        """Whether an operation gives a number of what has become numbers."""
        assert s.target is not None
        return isinstance(s.target.kind, Scalar) and any(isinstance(a, Var) and a in self.grids for a in s.args)

    def name(self, target: Var, value: Atom, mark: int) -> None:
        """A number: what computed it last, after this mark, gives it its name."""
        self.any = True
        last = self.out[-1] if len(self.out) > mark else None
        if isinstance(last, Op) and last.target is value:
            self.out[-1] = replace(last, target=target)
        else:
            self.atoms[target] = value

    def length(self, s: Op) -> bool:
        """A length, or all of them, of a small array."""
        match s:
            case Op(target=Var() as t, fn=np.shape, args=(Var() as x,)) if x in self.grids:
                self.emit(Op(t, prims.make_tuple, tuple(map(Const, self.grids[x].shape))))
                return True
            case Op(target=Var() as t, fn=builtins.len, args=(Var() as x,)) if x in self.grids:
                self.atoms[t] = Const(len(self.grids[x]))
                return True
            case Op(target=Var() as t, fn=operator.getitem, args=(Var() as tuple_, Const(int(k)))):
                made = self.maker(tuple_)
                if made is not None and made.fn is np.shape and len(made.args) == 1:
                    shape = self.small(made.args[0])
                    if shape is not None and -len(shape) <= k < len(shape):
                        self.atoms[t] = Const(shape[k])
                        return True
        return False

    def check(self, s: Op) -> None:
        """A check: of what is known there is none."""
        if s.fn is helpers.same_axes and any(isinstance(a, Var) and a in self.grids for a in s.args):
            for n, m in self.pairs(*s.args):
                if n != m:
                    self.emit(Op(None, helpers.same_length, (n, m), (), s.origin))
            return
        self.emit(map_operands(s, self.whole))  # type: ignore[arg-type]

    def pairs(self, a: Atom, b: Atom) -> Iterator[tuple[Atom, Atom]]:
        """The lengths that are to be the same."""
        ranks = [rank_of(x.kind) or 0 for x in (a, b)]  # type: ignore[union-attr]
        for k in range(1, ranks[1] + 1):
            yield self.axis(a, ranks[0] - k), self.axis(b, ranks[1] - k)

    def axis(self, a: Atom, k: int) -> Atom:
        """The length of an axis."""
        assert isinstance(a, Var)
        if a in self.grids:
            return Const(self.grids[a].shape[k])
        rank = rank_of(a.kind) or 0
        dims = self.shapes.canonical(self.shapes.of(a))
        if len(dims) == rank and isinstance(dims[k], int):
            return Const(dims[k])
        shape, n = Var("shape", Tuple((INT,) * rank)), Var("n", INT)
        self.emit(Op(shape, np.shape, (a,)))
        self.emit(Op(n, operator.getitem, (shape, Const(k))))
        return n

    # ------------------------------------------------------------ stores

    def store(self, s: Store) -> None:
        """A store: number by number, if it is into a small array, or of one."""
        mark = len(self.out)
        try:
            if isinstance(s.obj, Var) and s.obj in self.grids:
                grid = changed(self, s)
                self.left[s.obj] -= 1
                self.define(s.obj, grid)
            else:
                self.out += spelt(self, s)
        except NotLowered:
            del self.out[mark:]
            self.put(map_operands(s, self.whole))

    # ------------------------------------------------------------ blocks

    def branch(self, s: If) -> None:
        """A branch: what both sides know the numbers of are numbers after it."""
        sides = self.opened(s.then), self.opened(s.orelse)
        flat: dict[int, tuple[tuple[int, ...], str]] = {}
        for k, r in enumerate(s.results):
            shapes = {o.found[k] for o in sides if o.outs[k] not in (Const(None), UNDEF)}
            shape = next(iter(shapes)) if len(shapes) == 1 else None
            if shape is not None and self.fits(r) and any(o.outs[k] in self.grids for o in sides):
                flat[k] = shape, dtype_of(r)
        new, given = self.flattened(s.results, flat)
        then, orelse = (self.closed(o, flat) for o in sides)
        self.put(If(self.number(s.cond), then, orelse, new, s.origin))
        for v, grid in given:
            self.define(v, grid)

    def loop(self, s: For | While) -> None:
        """A loop: small arrays that it carries, and that keep their shape, are numbers."""
        flat = dict(self.carried(s))
        params, given = self.flattened(s.params, flat)
        body = self.opened(s.body, given)
        self.spoilt.update(s.params[k] for k, (shape, _) in flat.items() if body.found[k] != shape)
        inits: list[Atom] = []
        for k, a in enumerate(s.inits):
            inits += self.items(a, *flat[k]) if k in flat else [self.whole(a)]
        results, after = self.flattened(s.results, flat)
        inner = self.closed(body, flat)
        loop = replace(s, params=params, inits=tuple(inits), body=inner, results=results)
        if isinstance(loop, While):
            self.put(replace(loop, test=self.closed(self.opened(loop.test))))
        else:
            start, stop, step = self.number(loop.start), self.number(loop.stop), self.number(loop.step)
            self.put(replace(loop, start=start, stop=stop, step=step))
        for v, grid in after:
            self.define(v, grid)

    def carried(self, s: For | While) -> Iterator[tuple[int, tuple[tuple[int, ...], str]]]:
        """What a loop carries that may be numbers: small arrays that keep their shapes."""
        asked = set(free_vars(s.test)) if isinstance(s, While) else set()
        for k, (p, init, r) in enumerate(zip(s.params, s.inits, s.results, strict=True)):
            shape = self.small(init)
            kept = shape is not None and self.shapes.canonical(self.shapes.of(p)) == shape
            if shape and kept and p not in asked and p not in self.stay and self.fits(p) and self.fits(r):
                yield k, (shape, dtype_of(p))

    def flattened(self, variables: tuple[Var, ...], flat: _Flat) -> tuple[tuple[Var, ...], list[tuple[Var, Grid]]]:
        """Variables with those of given places as numbers, and which numbers these are."""
        out: list[Var] = []
        given: list[tuple[Var, Grid]] = []
        for k, v in enumerate(variables):
            if k not in flat:
                out.append(v)
                continue
            shape, dtype = flat[k]
            items = [Var(v.hint, Scalar(dtype)) for _ in range(int(np.prod(shape)))]
            given.append((v, grid_of(items, shape)))
            out += items
        return tuple(out), given
