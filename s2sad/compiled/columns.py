"""Matrices that are gone through by columns, in memory by columns.

Before::

    def f(B: float64[2], m: int, n: int):
        A: float64[2] = np.copy(B)
        for k in range(0, n):
            for j in range(k, n):
                for i in range(0, m):
                    t = (i, j)
                    u: float = A[t]
                    v = (i, k)
                    A[v] += u
        return A

After::

    def f(B, m, n):
        t = np.transpose(B)
        t_1 = np.copy(t)
        A = np.transpose(t_1)
        for k in range(0, n):
            for j in range(k, n):
                for i in range(0, m):
                    t_2 = (i, j)
                    u = A[t_2]
                    v = (i, k)
                    A[v] += u
        A_1 = np.ascontiguousarray(A)
        return A_1

The innermost loop now goes along memory, and becomes vector code. A matrix that is returned is
copied to rows first, as NumPy's own are.

Requires: loops that take items one by one (:func:`s2sad.loops.lower_to_loops`).
Ensures: only matrices that the function makes, and of which all it does is to take items, to store items, to ask for
the shape and to return them. One is turned where more is done by columns than by rows, in loops so deep that
the copies cost little beside them.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, definitions, map_stmts, substitute, use_counts, with_body

__all__ = ["by_columns"]

DEEP = 3  #: loops about an item, from which on a layout is worth a copy
DEEPER = 16  #: how much more often items are taken in one more loop, as a guess
_AFFINE = {operator.add, operator.sub, operator.mul, operator.neg}


@dataclass
class Uses:
    """How the items of a matrix are taken."""

    count: int = 0
    deepest: int = 0  #: loops about a use by columns
    gain: int = 0  #: uses by columns less those by rows


def by_columns(function: Function) -> Function:
    """Lay matrices out by columns where loops go along these."""
    made = {s.target: s for s in function.body.stmts if isinstance(s, Op) and s.target is not None and _makes(s)}
    if not made:
        return function
    returned = _returned(function)
    found = _Search(function, set(made)).uses
    counts = use_counts(function)
    turned = {
        v
        for v, uses in found.items()
        if uses.gain > 0 and uses.deepest >= DEEP and uses.count + returned[v] == counts.get(v, 0)
    }
    if not turned:
        return function
    makers = definitions(function)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        return list(_turned(s, makers)) if isinstance(s, Op) and s.target in turned else s

    body = map_stmts(function.body, change)
    copies = {v: Var(v.hint, v.kind) for v in turned if returned[v]}
    return with_body(function, _with_copies(body, copies) if copies else body)


def _makes(s: Op) -> bool:
    """Whether a statement makes a matrix of memory of its own."""
    kind = s.target.kind if s.target is not None else None
    if not isinstance(kind, K.Array) or kind.rank != 2:
        return False
    match s.fn, s.args:
        case np.copy, (Var(kind=K.Array(rank=2)),):
            return True
        case np.empty, (Var(kind=K.Tuple()), *_):
            return True
    return False


def _returned(function: Function) -> Counter[Atom]:
    """How often a variable is among the results."""
    outs = function.body.outs
    tuples = [s for s in function.body.stmts if isinstance(s, Op) and s.fn is prims.make_tuple and s.target in outs]
    return Counter([*outs, *(a for s in tuples for a in s.args)])


class _Search:
    """Goes through the loops of a function, and notes how the items of some matrices are taken."""

    def __init__(self, function: Function, matrices: set[Var]) -> None:
        self.matrices = matrices
        self.uses: defaultdict[Var, Uses] = defaultdict(Uses)
        self.subscripts: dict[Atom, tuple[Atom, ...]] = {}
        self.moves: dict[Atom, frozenset[Var]] = {}  #: which loop indices a number changes with
        self.block(function.body, ())

    def block(self, block: Block, loops: tuple[Var | None, ...]) -> None:
        """A block in loops with these indices."""
        for s in block.stmts:
            match s:
                case Op(target=Var() as target, fn=prims.make_tuple, args=args) if len(args) == 2:
                    self.subscripts[target] = args
                case Op(target=Var() as target, fn=fn, args=args) if fn in _AFFINE:
                    self.moves[target] = frozenset().union(*(self.moves.get(a, frozenset()) for a in args))
                case Op(fn=np.shape, args=(Var() as v,)) if v in self.matrices:
                    self.uses[v].count += 1
                case Op(fn=operator.getitem, args=(Var() as v, at)) | Store(obj=Var() as v, index=at):
                    self.take(v, at, loops)
                case For(index=index):
                    self.moves[index] = frozenset([index])
                    self.block(s.body, (*loops, index))
                case While():
                    self.block(s.body, (*loops, None))
                case _:
                    for inner in blocks_of(s):
                        self.block(inner, loops)

    def take(self, v: Var, at: Atom, loops: tuple[Var | None, ...]) -> None:
        """An item of a matrix that is taken or stored."""
        places = self.subscripts.get(at)
        if v not in self.matrices or places is None or any(not isinstance(kind_of(p), K.Scalar) for p in places):
            return
        uses = self.uses[v]
        uses.count += 1
        if loops:
            row, column = (loops[-1] in self.moves.get(p, frozenset()) for p in places)
            uses.gain += (row - column) * DEEPER ** len(loops)
            if row and not column:
                uses.deepest = max(uses.deepest, len(loops))


def _turned(s: Op, makers: dict[Var, Stmt]) -> Iterator[Stmt]:
    """The making of a matrix, by columns."""
    assert s.target is not None
    first = s.args[0]
    assert isinstance(first, Var)
    source = Var("", first.kind)
    if s.fn is np.copy:
        yield Op(source, np.transpose, (first,), (), s.origin)
    else:
        yield from _reversed(first, source, makers.get(first))
    across = Var("", s.target.kind)
    yield Op(across, s.fn, (source, *s.args[1:]), s.kwargs, s.origin)
    yield Op(s.target, np.transpose, (across,), (), s.origin)


def _reversed(pair: Var, target: Var, maker: Stmt | None) -> Iterator[Stmt]:
    """The two items of a tuple the other way round."""
    if isinstance(maker, Op) and maker.fn is prims.make_tuple:
        yield Op(target, prims.make_tuple, maker.args[::-1])
        return
    items = [Var("", K.INT), Var("", K.INT)]
    for k, item in enumerate(items):
        yield Op(item, operator.getitem, (pair, Const(k)))
    yield Op(target, prims.make_tuple, tuple(items[::-1]))


def _with_copies(body: Block, copies: dict[Var, Var]) -> Block:
    """A function's body that returns copies by rows."""
    last = {s.target for s in body.stmts if isinstance(s, Op) and s.fn is prims.make_tuple and s.target in body.outs}
    stmts: list[Stmt] = []
    results: list[Stmt] = []
    for s in body.stmts:
        (results if isinstance(s, Op) and s.target in last else stmts).append(s)
    stmts += [Op(copy, np.ascontiguousarray, (v,)) for v, copy in copies.items()]
    end = substitute(Block(tuple(results), body.outs), copies)
    assert isinstance(end, Block)
    return Block((*stmts, *end.stmts), end.outs)
