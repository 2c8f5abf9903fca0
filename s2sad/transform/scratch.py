"""Scratch arrays: what each iteration of a loop fills before it reads it, made there.

Before::

    def f(x: float64[1], n: int, m: int):
        terms: float64[1] = np.empty(m)
        for i in range(0, n) carrying (total: float = 0.0):
            t = x[i]
            for c in range(0, m):
                u = t * c
                terms[c] = u
            v = np.max(terms)
            w = total + v
            next w
        -> s
        return s

After::

    def f(x, n, m):
        for i in range(0, n) carrying (total = 0.0):
            terms = np.empty(m)
            t = x[i]
            for c in range(0, m):
                u = t * c
                terms[c] = u
            v = np.max(terms)
            w = total + v
            next w
        -> s
        return s

An iteration has nothing to do with another by such an array then, and its items need not be put back when the loop
is reversed.

Items are stored one after the other, the first ones by numbers and the others by a loop, which may read those before.
Or all are stored at once.

Requires: no loop carries what it leaves as it is (:mod:`s2sad.transform.invariants`).
Ensures: the same values; an array of a negative length is an error only where an iteration makes it.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from s2sad.analysis.memory import Class, Memory
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Function, Op, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import blocks_of, free_vars, uses_of, walk, with_blocks, with_body

__all__ = ["own_scratch"]

_MAKERS: set[Any] = {np.zeros, np.empty, np.full, np.ones}
#: Those that take the shape of another array.
_LIKE: set[Any] = {np.zeros_like, np.empty_like, np.full_like, np.ones_like}
#: Those with the same parameters that fill nothing.
_UNFILLED: dict[Any, Any] = {
    np.zeros: np.empty,
    np.ones: np.empty,
    np.zeros_like: np.empty_like,
    np.ones_like: np.empty_like,
}
#: What gives the same length again.
_LENGTHS: set[Any] = {len, np.shape, np.size, operator.getitem, operator.add, operator.sub, operator.mul}


def own_scratch(function: Function) -> Function:
    """Make arrays in the loops that fill them in each iteration."""
    stmts = list(walk(function))
    if not any(isinstance(s, For) for s in stmts) or any(isinstance(s, Closure) for s in stmts):
        return function
    return with_body(function, _Mover(function).block(function.body))


class _Mover:
    """Moves what makes arrays into loops."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.definitions = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}

    @cached_property
    def memory(self) -> Memory:
        """Who shares memory with whom."""
        return Memory(self.function)

    def block(self, block: Block) -> Block:
        """A block, the arrays that are made in it first."""
        stmts = block.stmts
        for s in stmts:
            if isinstance(s, Op) and _makes_array(s) and _is_array(s.target):
                stmts = self.moved(s, stmts, block.outs)
        stmts = tuple(with_blocks(s, tuple(self.block(b) for b in blocks_of(s))) for s in stmts)
        same = len(stmts) == len(block.stmts) and all(map(operator.is_, stmts, block.stmts))
        return block if same else Block(stmts, block.outs)

    def moved(self, maker: Op, stmts: tuple[Stmt, ...], outs: tuple[Atom, ...]) -> tuple[Stmt, ...]:
        """Statements with an array made in the loop that fills it, if there is one."""
        assert maker.target is not None
        c = self.memory.of(maker.target)
        users = [s for s in stmts if s is not maker and self.touches(s, c)]
        if len(users) != 1 or not isinstance(users[0], For) or c in self.held or self.among(outs, c):
            return stmts
        loop = users[0]
        body = self.with_maker(maker, loop)
        if body is None:
            return stmts
        return tuple(with_blocks(s, (body,)) if s is loop else s for s in stmts if s is not maker)

    def with_maker(self, maker: Op, loop: For) -> Block | None:
        """The body of a loop that makes the array itself, or has one within that does; None if there is none."""
        c = self.memory.of(maker.target)  # type: ignore[arg-type]
        body = loop.body
        users = [s for s in body.stmts if self.touches(s, c)]
        if self.among((*loop.params, *loop.inits, *body.outs), c):
            return None
        if self.fills(users, maker, c):
            return Block((replace(maker, fn=_UNFILLED.get(maker.fn, maker.fn)), *body.stmts), body.outs)
        if len(users) == 1 and isinstance(inner := users[0], For) and (new := self.with_maker(maker, inner)):
            return Block(tuple(with_blocks(s, (new,)) if s is inner else s for s in body.stmts), body.outs)
        return None

    @cached_property
    def held(self) -> set[Class]:
        """The classes of what a list or a tuple may hold, of what leaves the function, and of what `is` is asked."""
        found = {self.memory.find(e) for e in self.memory.elements.values()}
        return found | self.memory.external | self.memory.escaping | self.memory.asked

    def among(self, atoms: Iterable[Atom], c: Class) -> bool:
        """Whether one of some atoms is of a class."""
        return any(self.memory.of(a) == c for a in atoms)

    def touches(self, s: Stmt, c: Class) -> bool:
        """Whether a statement has to do with the memory of a class."""
        return self.among((*uses_of(s), *free_vars(Block((s,)))), c)

    # ------------------------------------------------------------ whether all is stored

    def fills(self, users: Sequence[Stmt], maker: Op, c: Class) -> bool:
        """Whether statements store all of an array before they read it."""
        known = 0  #: how many of the first items have been stored
        for s in users:
            match s:
                case Store(obj=obj, index=index, aug=None) if obj is maker.target and self.is_plain(s, c):
                    if self.is_all(index):
                        return True
                    if index != Const(known):
                        return False
                    known += 1
                case For(index=j, start=Const(value=int(start)), step=Const(value=1), has_exit=False):
                    length = maker.args[0] if maker.args else None
                    complete = length is not None and self.is_length(s.stop, length)
                    return complete and 0 <= start <= known and self.stores_each(s, maker, c, j, start)
                case _:
                    return False
        return False

    def stores_each(self, loop: For, maker: Op, c: Class, j: Var, start: int) -> bool:
        """Whether each iteration stores its item, and reads none but this afterwards and those before it."""
        stored = False
        for s in loop.body.stmts:
            if not self.touches(s, c):
                continue
            match s:
                case Store(obj=obj, index=index, aug=None) if (
                    obj is maker.target and index == j and self.is_plain(s, c)
                ):
                    stored = True
                case Op(fn=operator.getitem, args=(obj, index), target=Var(kind=K.Scalar())) if obj is maker.target:
                    if not (stored and index == j) and not 1 <= self.back(index, j) <= start:
                        return False
                case _ if not stored or not all(self.keeps_to(j, inner, maker, c) for inner in walk(Block((s,)))):
                    return False
        return stored

    def keeps_to(self, j: Var, s: Stmt, maker: Op, c: Class) -> bool:
        """Whether a statement, its blocks apart, does nothing with an array but read and change one item."""
        match s:
            case Op(fn=operator.getitem, args=(obj, index), target=Var(kind=K.Scalar())) if obj is maker.target:
                return index == j
            case Store(obj=obj, index=index) if obj is maker.target:
                return index == j and self.is_plain(s, c)
        return not self.among(uses_of(s), c) and not any(self.among(b.outs, c) for b in blocks_of(s))

    def is_plain(self, s: Store, c: Class) -> bool:
        """Whether nothing of the array is stored into it."""
        return not self.among((s.index, s.value), c)

    def is_all(self, index: Atom) -> bool:
        """Whether an index takes all of an array."""
        op = self.definitions.get(index) if isinstance(index, Var) else None
        whole = op is not None and op.fn is prims.make_slice and all(a == Const(None) for a in op.args)
        return whole or index == Const(Ellipsis)

    def back(self, index: Atom, j: Var) -> int:
        """How far an index is behind another; 0 where that is not known."""
        op = self.definitions.get(index) if isinstance(index, Var) else None
        match op:
            case Op(fn=operator.sub, args=(base, Const(value=int(k)))) if base == j:
                return k
        return 0

    def is_length(self, a: Atom, shape: Atom) -> bool:
        """Whether an integer is the first length of a shape, or of an array."""
        if not isinstance(kind_of(shape), K.Array):
            return self.same(a, self.first(shape))
        match self.definitions.get(a) if isinstance(a, Var) else None:
            case Op(fn=builtins.len, args=(of,)):
                return of == shape
            case Op(fn=operator.getitem, args=(Var() as lengths, Const(0))):
                asked = self.definitions.get(lengths)
                return asked is not None and _asks_for_shape(asked) and asked.args[0] == shape
        return False

    def first(self, shape: Atom) -> Atom:
        """The first length of a shape."""
        op = self.definitions.get(shape) if isinstance(shape, Var) else None
        return op.args[0] if op is not None and op.fn is prims.make_tuple and op.args else shape

    def same(self, a: Atom, b: Atom) -> bool:
        """Whether two integers are the same: one value, or one length asked for twice."""
        if a == b:
            return kind_of(a) == K.INT
        if not (isinstance(a, Var) and isinstance(b, Var)):
            return False
        x, y = self.definitions.get(a), self.definitions.get(b)
        if x is None or y is None or x.fn is not y.fn or x.fn not in _LENGTHS or x.kwargs or y.kwargs:
            return False
        fixed = all(isinstance(kind_of(v), K.Scalar | K.Array | K.Tuple) for v in (*x.args, *y.args))
        return fixed and len(x.args) == len(y.args) and all(map(self.equal, x.args, y.args))

    def equal(self, a: Atom, b: Atom) -> bool:
        """Whether two operands are the same; of arrays only the shape is asked."""
        return a == b or self.same(a, b)


def _is_array(v: Var | None) -> bool:
    return v is not None and isinstance(v.kind, K.Array) and bool(v.kind.rank)


def _makes_array(s: Op) -> bool:
    """Whether an operation makes an array of a shape that stays, or of that of another."""
    if s.fn in _LIKE:
        shaped = len(s.args) > 2 or any(name == "shape" for name, _ in s.kwargs)  # by a shape of its own, perhaps
        return bool(s.args) and isinstance(kind_of(s.args[0]), K.Array) and not shaped
    return s.fn in _MAKERS and all(map(_is_fixed, uses_of(s)[:1]))


def _asks_for_shape(s: Op) -> bool:
    return s.fn is np.shape or (s.fn is prims.getattr_ and s.args[1] == Const("shape"))


def _is_fixed(shape: Atom) -> bool:
    """Whether a shape is a number or a tuple, and no list that may change."""
    return isinstance(kind_of(shape), K.Scalar | K.Tuple)
