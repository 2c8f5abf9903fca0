"""Loops as statements of the IR."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import INT, Scalar, Tuple, dtype_of
from s2sad.ir.nodes import Atom, Block, Const, For, If, Op, Stmt, Store, Var
from s2sad.ir.rewrite import map_atoms
from s2sad.loops.model import Alloc, Choose, Compute, Get, Guard, Item, Load, Loop, Plain, Put, Set, Sub, Subs
from s2sad.loops.sums import sums_in_any_order

__all__ = ["Builder"]


class Builder:
    """Writes items down as statements. Cells become values that loops carry."""

    def __init__(self) -> None:
        self.table: dict[Var, Atom] = {}  #: what variables of the input are now

    def value(self, a: Atom) -> Atom:
        """An operand."""
        while isinstance(a, Var) and a in self.table:
            a = self.table[a]
        return a

    def stmts(self, items: Sequence[Item], env: dict[Var, Atom]) -> list[Stmt]:
        """Items in order; ``env`` has the values of the cells."""
        out: list[Stmt] = []
        for item in items:
            self.item(item, env, out)
        return out

    def item(self, item: Item, env: dict[Var, Atom], out: list[Stmt]) -> None:
        """One item."""
        match item:
            case Plain(stmt):
                out.append(map_atoms(stmt, self.value))
            case Compute(op):
                out.append(map_atoms(op, self.value))
            case Load(target, base, subs):
                out.append(Op(target, operator.getitem, (base, self.index(subs, out))))
            case Put(base, subs, value, "/") if dtype_of(base.kind) == "complex128":
                self.divided(base, self.index(subs, out), self.value(value), out)
            case Put(base, subs, value, aug):
                out.append(Store(base, self.index(subs, out), self.value(value), aug))
            case Choose(target, cond, then, orelse):
                first, second = (Block((), (self.value(a),)) for a in (then, orelse))
                out.append(If(self.value(cond), first, second, (target,)))
            case Guard(cond, body):
                inner = self.stmts(body, dict(env))
                out.append(If(self.value(cond), Block(tuple(inner)), Block()))
            case Set(cell, value):
                env[cell] = self.value(value)
            case Get(target, cell):
                self.table[target] = env[cell]
            case Loop():
                out.append(sums_in_any_order(self.loop(item, env)))
            case Alloc():
                raise AssertionError("arrays are made before")

    def loop(self, loop: Loop, env: dict[Var, Atom]) -> For:
        """A loop, with the cells that it changes."""
        cells = [c for c in changed(loop.body) if c in env]
        params = tuple(Var(c.hint, c.kind) for c in cells)
        inits = tuple(env[c] for c in cells)
        inner = {**env, **dict(zip(cells, params, strict=True))}
        stmts = self.stmts(loop.body, inner)
        outs = tuple(inner[c] for c in cells)
        results = tuple(Var(c.hint, c.kind) for c in cells)
        env.update(zip(cells, results, strict=True))
        size = self.value(loop.dim.size)
        return For(loop.index, Const(0), size, Const(1), params, inits, Block(tuple(stmts), outs), results)

    def divided(self, base: Var, index: Atom, value: Atom, out: list[Stmt]) -> None:
        """``base[index] /= value`` as NumPy has it: of complex numbers, an operator would raise for zero."""
        item, quotient = Var("", Scalar("complex128")), Var("", Scalar("complex128"))
        out.append(Op(item, operator.getitem, (base, index)))
        out.append(Op(quotient, np.divide, (item, value)))
        out.append(Store(base, index, quotient))

    # ------------------------------------------------------------ subscripts

    def index(self, subs: Subs, out: list[Stmt]) -> Atom:
        """The subscript of an access."""
        parts = tuple(self.place(s, out) for s in subs)
        if len(parts) == 1:
            return parts[0]
        target = Var("", Tuple((INT,) * len(parts)))
        out.append(Op(target, prims.make_tuple, parts))
        return target

    def place(self, s: Sub, out: list[Stmt]) -> Atom:
        """``index * stride * scale + root + const``"""

        def emit(fn: Any, *args: Atom) -> Atom:
            target = Var("", INT)
            out.append(Op(target, fn, args))
            return target

        root = None if s.root is None else self.value(s.root)
        if s.index is None:
            if root is None:
                return Const(s.const)
            return shift(emit, root, s.const)
        i: Atom = s.index
        if s.scale is not None:
            i = emit(operator.mul, i, self.value(s.scale))
        if s.stride == -1:
            base = shift(emit, root, s.const) if root is not None else Const(s.const)
            return emit(operator.sub, base, i)
        if s.stride != 1:
            i = emit(operator.mul, i, Const(s.stride))
        if root is not None:
            i = emit(operator.add, root, i)
        return shift(emit, i, s.const)


def shift(emit: Any, a: Atom, n: int) -> Atom:
    """``a + n``"""
    if n == 0:
        return a
    new: Atom = emit(operator.add, a, Const(n)) if n > 0 else emit(operator.sub, a, Const(-n))
    return new


def changed(items: Sequence[Item]) -> list[Var]:
    """The cells that items set, in order."""
    found: dict[Var, None] = {}
    for item in items:
        match item:
            case Set(cell):
                found[cell] = None
            case Loop(body=body) | Guard(body=body):
                found.update(dict.fromkeys(changed(body)))
    return list(found)
