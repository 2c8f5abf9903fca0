"""Rows of data, one for each term of a sum, turned about: what terms do at the same place lies side by side."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.compiled.helpers import as_long_as_each_other
from s2sad.compiled.lane_loops import times
from s2sad.compiled.lane_terms import Condition, condition
from s2sad.compiled.varied import Varied
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, map_stmts, targets_of, walk

__all__ = ["Row", "alike", "rows_copied", "rows_of"]

_PAIR = K.Tuple((K.INT, K.INT))


@dataclass(frozen=True)
class Row:
    """An array of which each term reads a row, or adds to one, and another for the rows of the terms at hand.

    ``conditions`` are whether the array has a row for each term.
    """

    array: Var
    wide: Var
    is_sum: bool
    length: Var
    conditions: tuple[Condition, ...]

    def made(self, width: Atom) -> Iterator[Stmt]:
        """The making of the other array."""
        shape, whole = Var("shape", _PAIR), Var("", _PAIR)
        yield Op(shape, np.shape, (self.array,))
        yield Op(self.length, operator.getitem, (shape, Const(1)))
        yield Op(whole, prims.make_tuple, (self.length, width))
        yield Op(self.wide, np.empty, (whole,))

    def before(self, first: Var, lanes: Var) -> list[Stmt]:
        """The loops that fill it: with the rows, or with zeros."""
        if self.is_sum:
            return [self.each(first, lanes, lambda place, to: [Store(self.wide, to, Const(0.0))])]
        item = Var("", K.FLOAT)
        return [
            self.each(
                first,
                lanes,
                lambda place, to: [Op(item, operator.getitem, (self.array, place)), Store(self.wide, to, item)],
            )
        ]

    def after(self, first: Var, lanes: Var) -> list[Stmt]:
        """The loops that add it to the rows."""
        if not self.is_sum:
            return []
        item = Var("", K.FLOAT)
        return [
            self.each(
                first,
                lanes,
                lambda place, to: [Op(item, operator.getitem, (self.wide, to)), Store(self.array, place, item, "+")],
            )
        ]

    def each(self, first: Var, lanes: Var, do: Callable[[Var, Var], list[Stmt]]) -> For:
        """Something done for each item, at its place in the array and in the other one."""
        j, lane, i = (Var(hint, K.INT) for hint in ("j", "lane", "i"))
        place, to = Var("", _PAIR), Var("", _PAIR)
        places = (
            Op(i, operator.add, (first, lane)),
            Op(place, prims.make_tuple, (i, j)),
            Op(to, prims.make_tuple, (j, lane)),
        )
        return times(self.length, j, [times(lanes, lane, (*places, *do(place, to)))])


def rows_copied(loop: For) -> tuple[For, dict[Var, Atom]]:
    """The loop with a copy of each row that a term is given by its place in a list or an array, and what it is out of.

    A copy is of an array of its own, whatever the other rows are used for.
    """
    inside = {v for s in walk(loop.body) for v in targets_of(s)}
    given: dict[Var, Atom] = {}

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, Op) or s.target is None or not _is_row(s, loop.index) or s.args[0] in inside:
            return s
        row = Var(s.target.hint, K.Array("float64", 1))
        given[row] = s.args[0]
        return [replace(s, target=row), Op(s.target, np.copy, (row,))]

    return replace(loop, body=map_stmts(loop.body, change)), given


def _is_row(s: Op, index: Var) -> bool:
    """Whether an operation takes a row, at this place."""
    if s.fn is not operator.getitem or s.args[1] is not index:
        return False
    rows = kind_of(s.args[0])
    of_list = isinstance(rows, K.List) and rows.item == K.Array("float64", 1)
    return of_list or (isinstance(rows, K.Array) and (rows.dtype, rows.rank) == ("float64", 2))


def alike(given: Iterable[Atom]) -> list[Condition]:
    """Whether the rows of each list are as long as each other."""
    return [condition(as_long_as_each_other, xs) for xs in dict.fromkeys(given) if isinstance(kind_of(xs), K.List)]


def rows_of(varied: Varied, made: Mapping[Var, Stmt]) -> list[Row]:
    """The arrays that are read often enough, or added to, at the place of the term along their first axis."""
    loop = varied.loop
    if not isinstance(loop.start, Const) or loop.start.value < 0:
        return []
    inside = {v for s in walk(loop.body) for v in targets_of(s)}
    often: Counter[Var] = Counter()
    for x, n in _accesses(varied, made, loop.body, 0):
        often[x] += 0 if x in inside else n
    return [_row(x, varied.is_sum(x), loop.stop, made) for x, n in often.items() if n > 1 or (n and varied.is_sum(x))]


def _accesses(varied: Varied, made: Mapping[Var, Stmt], block: Block, depth: int) -> Iterator[tuple[Var, int]]:
    """The arrays of which loops in a block read or change items in such a way, and how often at least."""
    for s in block.stmts:
        match s:
            case Op(fn=operator.getitem, args=(Var(kind=K.Array("float64", 2)) as x, index)) | Store(
                obj=Var(kind=K.Array("float64", 2)) as x, index=index
            ) if depth:
                at = made.get(index)  # type: ignore[arg-type]
                if isinstance(at, Op) and at.fn is prims.make_tuple and varied.is_row(x, at.args):
                    yield x, depth
        for b in blocks_of(s):
            yield from _accesses(varied, made, b, depth + isinstance(s, For | While))


def _row(x: Var, is_sum: bool, stop: Atom, made: Mapping[Var, Stmt]) -> Row:
    """The rows of an array, with the question whether it has one for each term."""
    wide, n = Var(x.hint, K.Array("float64", 2)), Var("n", K.INT)
    length = made.get(stop)  # type: ignore[arg-type]
    if isinstance(length, Op) and length.fn is operator.getitem and length.args[1] == Const(0):
        shape = made.get(length.args[0])  # type: ignore[arg-type]
        if isinstance(shape, Op) and shape.fn is np.shape and shape.args[0] is x:
            return Row(x, wide, is_sum, n, ())
    shape_of, rows = Var("shape", _PAIR), Var("n", K.INT)
    stmts = Op(shape_of, np.shape, (x,)), Op(rows, operator.getitem, (shape_of, Const(0)))
    return Row(x, wide, is_sum, n, (condition(operator.le, stop, rows, before=stmts),))
