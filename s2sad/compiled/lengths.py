"""Lengths on tapes, in place of arrays that are only asked for them.

Before::

    def f(xs: list[float64[2]], n: int):
        tape: list[float64[2]] = []
        for i in range(0, n):
            a = xs[i]
            b: float64[2] = np.exp(a)
            list_append(tape, b)
        m = n - 1
        for j in range(m, -1, -1):
            c: float64[2] = list_pop(tape, -1)
            d: float64[2] = np.zeros_like(c)
            print(d)
        return n

After::

    def f(xs, n):
        n_tape = []
        n_tape_1 = []
        for i in range(0, n):
            a = xs[i]
            b = np.exp(a)
            shape = np.shape(b)
            n_1 = shape[0]
            list_append(n_tape, n_1)
            n_2 = shape[1]
            list_append(n_tape_1, n_2)
        m = n - 1
        for j in range(m, -1, -1):
            n_3 = list_pop(n_tape, -1)
            n_4 = list_pop(n_tape_1, -1)
            t = (n_3, n_4)
            c = np.empty(t, <class 'numpy.float64'>)
            d = np.zeros_like(c)
            print(d)
        return n

The loops that are made of array statements then need neither array: lengths are all that is left of it. A length that
is known to be that of another array recorded in the same place is recorded once, and one that is a number not at all.

Requires: tapes of one part each (:mod:`s2sad.compiled.parts`); those of known shape are no lists any more
(:mod:`s2sad.compiled.tapes`), for their rows need no array either.
Ensures: the same values.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

import numpy as np

from s2sad.analysis.effects import metadata_positions
from s2sad.compiled.expand import kind_of
from s2sad.compiled.extents import Recorded
from s2sad.compiled.parts import Tape, find_tapes, groups_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import map_stmts, use_counts, walk, with_body

__all__ = ["DTYPES", "lengths_of_records", "only_shapes"]

#: Of the arrays in the place of which there are lengths: these are made anew, to be asked for their shapes.
DTYPES = {
    **{"float64": np.float64, "float32": np.float32, "int64": np.int64, "bool": np.bool_},
    "complex128": np.complex128,
}


def lengths_of_records(function: Function) -> Function:
    """Record the lengths of arrays that are only asked for them."""
    tapes = _asked_for_shapes(function)
    if not tapes:
        return function
    recorded = Recorded(function, [t.append for t in tapes if t.append is not None], tried=False)
    order = {id(s): k for k, s in enumerate(walk(function))}
    changes: dict[int, list[Stmt]] = {}
    for group in groups_of(function, tapes):
        _replace(group, recorded, order, changes)
    return with_body(function, map_stmts(function.body, lambda s: changes.get(id(s), s)))


def _asked_for_shapes(function: Function) -> list[Tape]:
    """The tapes of arrays of which only the shape is used."""
    tapes = [t for t in find_tapes(function) if t.copy is None and _is_array(t.kind)]
    popped = [(t, t.pop.target) for t in tapes if t.pop is not None]
    asked = set(only_shapes(function, [v for _, v in popped if v is not None]) if popped else ())
    return [t for t, v in popped if v in asked]


def only_shapes(function: Function, arrays: Iterable[Var]) -> list[Var]:
    """Those among some arrays of which a function uses only the shape."""
    counts = use_counts(function)
    asked: Counter[Atom] = Counter()
    ops = [s for s in walk(function) if isinstance(s, Op)]
    for s in ops:
        asked.update(s.args[k] for k in metadata_positions(s.fn) if isinstance(k, int) and k < len(s.args))
    for s in reversed(ops):  # a view, or a tuple, that is asked for no more
        if s.target is not None and 0 < counts.get(s.target, 0) == asked[s.target]:
            asked.update(s.args if s.fn is prims.make_tuple else s.args[:1] if _is_view(s) else ())
    return [v for v in arrays if _is_array(v.kind) and 0 < counts.get(v, 0) == asked[v]]


def _is_array(kind: K.Kind) -> bool:
    return isinstance(kind, K.Array) and kind.dtype in DTYPES and bool(kind.rank)


def _is_view(s: Op) -> bool:
    """Whether a statement gives a view of its first operand."""
    return s.fn is np.transpose or (s.fn is operator.getitem and _is_array(kind_of(s.args[0])))


@dataclass(slots=True)
class _Length:
    """A length that is recorded, what it is known to be the length of, and what it is when it is read."""

    axes: set[Hashable] = field(default_factory=set)
    read: Atom = field(default_factory=lambda: Var("n", K.INT))


def _known(axes: Iterable[Hashable], lengths: list[_Length]) -> _Length:
    """The length of an axis that is known to be as long as these."""
    axes = set(axes)
    number = next((d for d in axes if type(d) is int), None)
    if number is not None:
        return _Length(axes, Const(number))
    for length in lengths:
        if not length.axes.isdisjoint(axes):
            length.axes |= axes
            return length
    lengths.append(_Length(axes))
    return lengths[-1]


def _replace(group: list[Tape], recorded: Recorded, order: dict[int, int], changes: dict[int, list[Stmt]]) -> None:
    """Put down what takes the place of tapes that are appended to in one block and popped from in one."""
    lengths: list[_Length] = []
    read: list[Stmt] = []
    kept: set[int] = set()
    for t in group:
        assert t.append is not None and t.pop is not None and isinstance(t.kind, K.Array)
        mine = [_known(axes, lengths) for axes in recorded.lengths[id(t.append)]]
        made: list[Stmt] = []
        put: list[Stmt] = []
        shape = Var("shape", K.Tuple((K.INT,) * len(mine)))
        for k, length in enumerate(mine):
            if isinstance(length.read, Var) and id(length) not in kept:
                kept.add(id(length))
                tape, n = Var("n_tape", K.List(K.INT)), Var("n", K.INT)
                made.append(Op(tape, prims.make_list, ()))
                put += [] if put else [Op(shape, np.shape, (t.append.args[1],))]
                put += [Op(n, operator.getitem, (shape, Const(k))), Op(None, prims.list_append, (tape, n))]
                read.append(Op(length.read, prims.list_pop, (tape, Const(-1))))
        changes[id(t.made)], changes[id(t.append)] = made, put
        sizes = Var("", K.Tuple((K.INT,) * len(mine)))
        again = Op(sizes, prims.make_tuple, tuple(length.read for length in mine))
        changes[id(t.pop)] = [again, Op(t.pop.target, np.empty, (sizes, Const(DTYPES[t.kind.dtype])))]
    first = min((t.pop for t in group), key=lambda pop: order[id(pop)])
    changes[id(first)] = [*read, *changes[id(first)]]
