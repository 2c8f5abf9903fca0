"""Outer products that a loop adds to a matrix: as one product of matrices, after the loop.

Before::

    def f(A: float64[2]#1, x: float64[1]#2, n: int):
        tape: list[float64[1]] = []
        for k in range(0, n) carrying (y: float64[1] = x):
            list_append(tape, y)
            z: float64[1] = A @ y
            next z
        -> w
        bA = np.zeros_like(A)
        for i in range(0, n) carrying (c: float64[1] = w):
            v: float64[1] = list_pop(tape, -1)
            t: float64[2] = np.outer(c, v)
            bA[...] += t
            d: float64[1] = c @ A
            next d
        -> e
        return bA

After::

    def f(A, x, n):
        tape = []
        for k in range(0, n) carrying (y = x):
            list_append(tape, y)
            z = A @ y
            next z
        -> w
        bA = np.zeros_like(A)
        lefts = []
        rights = []
        for i in range(0, n) carrying (c = w):
            v = list_pop(tape, -1)
            list_append(lefts, c)
            list_append(rights, v)
            d = c @ A
            next d
        -> e
        t = np.array(lefts)
        t_1 = np.transpose(t)
        t_2 = np.array(rights)
        t_3 = t_1 @ t_2
        bA[...] += t_3
        return bA

The adjoint of a matrix gets an outer product for each vector that the matrix is multiplied by. Each writes as many
numbers as the matrix has, twice; a product of matrices adds them up in registers. The vectors are held until then, in a
loop that has recorded as many.

Requires: the last passes over the derivative have run; loops say which ones they reverse. What a reversed loop adds to
the whole of an adjoint has its shape.
Ensures: the same sums, in another order; without an iteration the product is a zero that fits any matrix.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace

import numpy as np

from s2sad.analysis.facts import Facts
from s2sad.analysis.memory import Class
from s2sad.analysis.reads import classes_written, op_reads, store_reads
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Kind, List
from s2sad.ir.nodes import Atom, Block, Const, For, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import all_vars, blocks_of, uses_of, walk, with_blocks, with_body

__all__ = ["sum_outer_products"]

_REAL = ("float64", "float32")


def sum_outer_products(function: Function) -> Function:
    """Let loops that reverse others gather the vectors of the outer products that they add to a matrix."""
    if not any(type(s) is Op and s.fn is np.outer for s in walk(function)):
        return function
    return with_body(function, _Sums(function).block(function.body))


@dataclass(frozen=True)
class _Addition:
    """A statement that adds an outer product to a matrix, and what made the product."""

    store: Store
    outer: Op


class _Sums:
    """Rebuilds a function, loops with what goes before and after them."""

    def __init__(self, function: Function) -> None:
        self.facts = Facts(function)
        self.memory = self.facts.memory

    def block(self, block: Block) -> Block:
        """A block, with what its loops gather."""
        stmts: list[Stmt] = []
        for s in block.stmts:
            inner = with_blocks(s, tuple(map(self.block, blocks_of(s)))) if blocks_of(s) else s
            stmts += self.gathered(inner, self.additions(s)) if type(s) is For and type(inner) is For else (inner,)
        return Block(tuple(stmts), block.outs) if len(stmts) != len(block.stmts) or stmts != [*block.stmts] else block

    # -- which ones --

    def additions(self, loop: For) -> dict[tuple[Var, str], list[_Addition]]:
        """The additions in the body of a loop that may wait for its end, by matrix and sign."""
        if loop.reverses is None or not any(type(s) is Op and s.fn is prims.list_pop for s in loop.body.stmts):
            return {}
        makers = {s.target: s for s in loop.body.stmts if type(s) is Op and s.fn is np.outer}
        found: dict[tuple[Var, str], list[_Addition]] = {}
        for s in loop.body.stmts:
            match s:
                case Store(Var() as obj, Const(value=index), Var() as value, "+" | "-" as sign) if index is Ellipsis:
                    outer = makers.get(value)
                    if outer is not None and self.facts.uses.get(value) == 1 and _fits(obj, outer):
                        found.setdefault((obj, sign), []).append(_Addition(s, outer))
        inside = {*all_vars(Block((loop,)))} if found else set()
        return {k: a for k, a in found.items() if k[0] not in inside and self.is_only_added_to(k[0], loop)}

    def is_only_added_to(self, matrix: Var, loop: For) -> bool:
        """Whether nothing in a loop asks for the items of a matrix."""
        c = self.memory.of(matrix)
        return all(self.only_adds(s, c) for s in walk(loop.body) if isinstance(s, Op | Store))

    def only_adds(self, s: Op | Store, c: Class | None) -> bool:
        """Whether a statement does not touch the objects of a class, or only adds to them."""
        if isinstance(s, Store):
            adds = self.memory.of(s.obj) != c or s.aug in ("+", "-")
            return adds and c not in store_reads(self.memory, s)
        if self.memory.opaque and any(c in self.memory.reachable(a) for a in uses_of(s)):
            return False
        return c not in op_reads(self.memory, s) and c not in classes_written(self.memory, s)

    # -- what becomes of them --

    def gathered(self, loop: For, additions: dict[tuple[Var, str], list[_Addition]]) -> list[Stmt]:
        """A loop that gathers the vectors of some additions, and what goes before and after it."""
        before: list[Stmt] = []
        after: list[Stmt] = []
        instead: dict[int, list[Stmt]] = {}
        for (matrix, sign), found in additions.items():
            lists = [Var(hint, List(_operand_kind(found[0].outer, k))) for k, hint in enumerate(("lefts", "rights"))]
            before += [Op(v, prims.make_list, ()) for v in lists]
            for a in found:
                vectors = zip(lists, a.outer.args, strict=True)
                instead[id(a.outer)] = [s for v, x in vectors for s in self.append(v, x)]  # as they are there
                instead[id(a.store)] = []
            after += _product(matrix, sign, lists)
        if not instead:
            return [loop]
        stmts = [new for s in loop.body.stmts for new in instead.get(id(s), [s])]
        return [*before, replace(loop, body=Block(tuple(stmts), loop.body.outs)), *after]

    def append(self, items: Var, x: Atom) -> list[Stmt]:
        """Append a vector to a list, as it is now."""
        c = self.memory.of(x)
        if c not in self.memory.written and not (self.memory.opaque and c in self.memory.external):
            return [Op(None, prims.list_append, (items, x))]
        copy = Var("t", x.kind)  # type: ignore[union-attr]
        return [Op(copy, np.copy, (x,)), Op(None, prims.list_append, (items, copy))]


def _fits(matrix: Var, outer: Op) -> bool:
    """Whether an outer product is one of real vectors of the type of a matrix."""
    kind = matrix.kind
    if not isinstance(kind, Array) or kind.rank != 2 or kind.dtype not in _REAL or outer.kwargs or len(outer.args) != 2:
        return False
    return all(
        type(a) is Var and isinstance(k := a.kind, Array) and (k.rank, k.dtype) == (1, kind.dtype) for a in outer.args
    )


def _operand_kind(outer: Op, place: int) -> Kind:
    return outer.args[place].kind  # type: ignore[union-attr]


def _product(matrix: Var, sign: str, lists: list[Var]) -> list[Stmt]:
    """Add the product of what lists hold to a matrix, or subtract it."""
    kind = matrix.kind
    left, right, turned, product = (Var(hint, kind) for hint in ("t", "t", "t", "t"))
    return [
        Op(left, np.array, (lists[0],)),
        Op(turned, np.transpose, (left,)),
        Op(right, np.array, (lists[1],)),
        Op(product, operator.matmul, (turned, right)),
        Store(matrix, Const(Ellipsis), product, sign),
    ]
