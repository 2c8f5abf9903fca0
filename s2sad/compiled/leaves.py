"""Numbers and arrays that a Jacobian is by, or of, and its blocks, one for each pair of them.

All numbers of the arguments are counted through, and so are those of the result: iteration ``k`` of the loop over
columns is about number ``k`` of the arguments. A leaf is one of the numbers or arrays, with its place in the count.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, If, Op, Ref, Stmt, Store, Var

__all__ = [
    "Blocks",
    "Leaf",
    "Tree",
    "Writer",
    "guarded",
    "leaves",
    "lined_up",
    "located",
    "measured",
    "pushed",
    "room",
    "taken_back",
]


@dataclass
class Writer:
    """Puts statements down."""

    stmts: list[Stmt] = field(default_factory=list)

    def emit(self, fn: Any, *args: Any, kind: K.Kind = K.INT, hint: str = "") -> Var:
        """The result of an operation."""
        target = Var(hint, kind)
        self.stmts.append(Op(target, fn, tuple(a if isinstance(a, Var | Ref | Const) else Const(a) for a in args)))
        return target

    def tuple_of(self, *items: Atom) -> Var:
        """A tuple."""
        return self.emit(prims.make_tuple, *items, kind=K.Tuple(tuple(map(kind_of, items))))


_ZERO, _ONE = Const(0), Const(1)


@dataclass
class Leaf:
    """A number or an array of the arguments or the result, and where it is among all their numbers."""

    value: Atom
    sizes: tuple[Atom, ...] = ()
    start: Atom = _ZERO
    count: Atom = _ONE
    place: Var | None = None  #: where in it the number of this iteration is
    inside: Var | None = None  #: whether it is in it; None: it is, always
    known: tuple[int, ...] | None = None  #: the shape, if it is known and its direction is to be made of numbers

    @property
    def rank(self) -> int:
        """The number of axes."""
        return K.rank_of(kind_of(self.value)) or 0


Tree = Any  #: a leaf, or a tuple of trees


def leaves(tree: Tree) -> Iterator[Any]:
    """The leaves of a tree, in order."""
    if isinstance(tree, tuple):
        for part in tree:
            yield from leaves(part)
    else:
        yield tree


def measured(w: Writer, value: Atom) -> Leaf:
    """A leaf with the lengths of its axes."""
    leaf = Leaf(value)
    if leaf.rank:
        shape = w.emit(np.shape, value, kind=K.Tuple((K.INT,) * leaf.rank))
        leaf.sizes = tuple(w.emit(operator.getitem, shape, k) for k in range(leaf.rank))
        leaf.count = leaf.sizes[0]
        for size in leaf.sizes[1:]:
            leaf.count = w.emit(operator.mul, leaf.count, size)
    return leaf


def lined_up(w: Writer, leaves: Sequence[Leaf]) -> Atom:
    """Put leaves one after the other; how many numbers they are."""
    total: Atom = Const(0)
    for k, leaf in enumerate(leaves):
        leaf.start = total
        total = leaf.count if k == 0 else w.emit(operator.add, total, leaf.count)
    return total


def room(w: Writer, dtype: str, sizes: tuple[Atom, ...]) -> Var:
    """An array of these lengths."""
    block = Var("J", K.Array(dtype, len(sizes)))
    made = Ref(("np", dtype), np, getattr(np, dtype), K.Other(type))
    w.stmts.append(Op(block, np.empty, (w.tuple_of(*sizes),), (("dtype", made),)))
    return block


# ---------------------------------------------------------------- one iteration


def located(w: Writer, leaves: Sequence[Leaf], index: Var) -> None:
    """Find the leaf in which the number of this iteration is."""
    for k, leaf in enumerate(leaves):
        leaf.place = index if k == 0 else w.emit(operator.sub, index, leaf.start)
        tests = [] if k == 0 else [w.emit(operator.ge, leaf.place, 0, kind=K.BOOL)]
        if k < len(leaves) - 1:
            tests.append(w.emit(operator.lt, leaf.place, leaf.count, kind=K.BOOL))
        if tests:
            leaf.inside = tests[0] if len(tests) == 1 else w.emit(operator.and_, *tests, kind=K.BOOL)


def _where(w: Writer, leaf: Leaf) -> tuple[Atom, ...]:
    """The index, in a leaf, of the number of this iteration."""
    assert leaf.place is not None
    if leaf.rank < 2:
        return (leaf.place,) if leaf.rank else ()
    rest, found = leaf.place, []
    for length in reversed(leaf.sizes[1:]):
        size = w.emit(max, length, 1)  # where it is zero, there is no place
        found.append(w.emit(operator.mod, rest, size))
        rest = w.emit(operator.floordiv, rest, size)
    return (rest, *reversed(found))


def guarded(w: Writer, leaf: Leaf, act: Callable[[Writer], None]) -> None:
    """Statements for iterations that are about a leaf."""
    inner = Writer() if leaf.inside is not None else w
    act(inner)
    if leaf.inside is not None:
        w.stmts.append(If(leaf.inside, Block(tuple(inner.stmts)), Block()))


def _store(w: Writer, array: Atom, index: Sequence[Atom], value: Atom) -> None:
    w.stmts.append(Store(array, index[0] if len(index) == 1 else w.tuple_of(*index), value))


def pushed(w: Writer, leaf: Leaf, seed: Atom) -> Atom:
    """The direction of this iteration, of a leaf: one at its place, zero everywhere else."""
    if leaf.known:
        numbers = [_one_if(w, w.emit(operator.eq, leaf.place, n, kind=K.BOOL)) for n in range(math.prod(leaf.known))]
        return w.emit(np.array, _nested(w, iter(numbers), leaf.known), kind=K.Array("float64", leaf.rank), hint="by")
    if leaf.rank:
        guarded(w, leaf, lambda inner: _store(inner, seed, _where(inner, leaf), Const(1.0)))
        return seed
    return Const(1.0) if leaf.inside is None else _one_if(w, leaf.inside)


def _one_if(w: Writer, test: Atom) -> Var:
    """One or zero."""
    number = Var("d", K.FLOAT)
    w.stmts.append(If(test, Block((), (Const(1.0),)), Block((), (Const(0.0),)), (number,)))
    return number


def _nested(w: Writer, numbers: Iterator[Atom], shape: Sequence[int]) -> Atom:
    """Lists of lists of numbers."""
    if not shape:
        return next(numbers)
    items = [_nested(w, numbers, shape[1:]) for _ in range(shape[0])]
    return w.emit(prims.make_list, *items, kind=K.List(kind_of(items[0])))


def taken_back(w: Writer, leaf: Leaf, seed: Atom) -> None:
    """The direction zero everywhere again."""
    if leaf.rank and not leaf.known:
        guarded(w, leaf, lambda inner: _store(inner, seed, _where(inner, leaf), Const(0.0)))


@dataclass
class Blocks:
    """The blocks of a Jacobian: one for each leaf of the result and each of the arguments."""

    targets: Sequence[Leaf]
    sources: Sequence[Leaf]
    arrays: dict[tuple[int, int], Var] = field(default_factory=dict)

    def make(self, w: Writer) -> None:
        """Room for them. That of a number by a number is an array with one item."""
        for t, target in enumerate(self.targets):
            kind = kind_of(target.value)
            dtype = K.dtype_of(kind) if isinstance(kind, K.Array) else "float64"
            for s, source in enumerate(self.sources):
                sizes = (*target.sizes, *source.sizes) or (Const(1),)
                self.arrays[t, s] = room(w, dtype, sizes)

    def set_column(self, w: Writer, source: Leaf, tangents: Sequence[Atom]) -> None:
        """Store the tangents of the result along one number of an argument."""
        s = next(k for k, leaf in enumerate(self.sources) if leaf is source)
        where = _where(w, source)
        for t, (target, tangent) in enumerate(zip(self.targets, tangents, strict=True)):
            _store(w, self.arrays[t, s], (*_whole(w, target.rank), *where) or (Const(0),), tangent)

    def row(self, w: Writer, s: int, view: Var) -> None:
        """The row by an argument, for one number of the only result, as a view of zeros."""
        where = _where(w, self.targets[0])
        index = where[0] if len(where) == 1 else w.tuple_of(*where)
        w.stmts.append(Op(view, operator.getitem, (self.arrays[0, s], index)))
        _store(w, view, _whole(w, self.sources[s].rank), Const(0.0))

    def set_row(self, w: Writer, target: Leaf, cotangents: Sequence[Atom | None]) -> None:
        """Store the cotangents of the arguments for one number of the result; None for those that are there."""
        t = next(k for k, leaf in enumerate(self.targets) if leaf is target)
        where = _where(w, target)
        for s, (source, cotangent) in enumerate(zip(self.sources, cotangents, strict=True)):
            if cotangent is not None:
                _store(w, self.arrays[t, s], (*where, *_whole(w, source.rank)) or (Const(0),), cotangent)

    def result(self, w: Writer, tree: Tree) -> Atom:
        """The Jacobian: blocks by arguments, within the structure of the result."""
        numbers = iter(range(len(self.targets)))

        def of(part: Tree) -> Atom:
            if isinstance(part, tuple):
                return w.tuple_of(*map(of, part))
            t = next(numbers)
            found = [self._block(w, t, s) for s in range(len(self.sources))]
            return found[0] if len(found) == 1 else w.tuple_of(*found)

        return of(tree)

    def _block(self, w: Writer, t: int, s: int) -> Atom:
        if self.targets[t].rank or self.sources[s].rank:
            return self.arrays[t, s]
        return w.emit(operator.getitem, self.arrays[t, s], 0, kind=K.FLOAT)


def _whole(w: Writer, rank: int) -> list[Atom]:
    return [w.emit(prims.make_slice, None, None, None, kind=K.SLICE) for _ in range(rank)]
