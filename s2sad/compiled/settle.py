"""Kinds that could not be told when a statement was put down, and can be told now.

Before::

    def f(x: float64[*, *]):
        axes: (int, int) = (1, 0)
        y: number = np.transpose(x, axes)
        z: number = y * 2.0
        return z

After::

    def f(x: float64[*, *]):
        axes: (int, int) = (1, 0)
        y: float64[*, *] = np.transpose(x, axes)
        z: float64[*, *] = y * 2.0
        return z

An argument that is put together of constants counts as one, and what is known of one value makes others
known.

Requires: nothing of the IR.
Ensures: the same statements; kinds are those of before, or say more.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping
from dataclasses import replace

from s2sad.analysis.definitions import definitions_of
from s2sad.compiled.expand import Builder, kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Const, For, Function, If, Op, Stmt, Var, While
from s2sad.ir.rewrite import all_vars, blocks_of, map_operands, with_blocks, with_body
from s2sad.rules.infer import result_kind
from s2sad.runtime import helpers

__all__ = ["Settler", "resettled", "settle_kinds"]


def settle_kinds(function: Function) -> Function:
    """Tell more kinds."""
    if not any(_is_open(v.kind) for v in all_vars(function)):
        return function
    return with_body(function, Settler(definitions_of(function)).block(function.body))


def resettled(function: Function, given: Mapping[Var, Atom]) -> tuple[Function, Mapping[Var, Atom]]:
    """The function with atoms in place of variables, what these make known, and what variables go by now."""
    settler = Settler(definitions_of(function))
    settler.known.update(given)
    return with_body(function, settler.block(function.body)), settler.known


def _is_open(kind: K.Kind) -> bool:
    """Whether a kind leaves open what matters to compiled code."""
    match kind:
        case K.Numeric() | K.Other(None):
            return True
        case K.Array(dtype, rank):
            return rank is None or dtype == "any"
        case K.Scalar(dtype):
            return dtype == "any"
        case K.Tuple(items):
            return any(map(_is_open, items))
        case K.List(item):
            return _is_open(item)
    return False


class Settler:
    """Goes through a function in the order of the text, renaming what becomes known."""

    def __init__(self, definitions: dict[Var, Op]) -> None:
        self.known: dict[Var, Atom] = {}
        self.builder = Builder(None, definitions)

    def use(self, a: Atom) -> Atom:
        """What stands for an atom now."""
        return self.known.get(a, a) if isinstance(a, Var) else a

    def block(self, block: Block) -> Block:
        """A block, its statements in order."""
        stmts = tuple(map(self.stmt, block.stmts))
        return Block(stmts, tuple(map(self.use, block.outs)))

    def stmt(self, s: Stmt) -> Stmt:
        """A statement with those within."""
        new = map_operands(s, self.use)
        if isinstance(new, For | While):
            return self.loop(new)
        if blocks := blocks_of(new):
            new = with_blocks(new, tuple(map(self.block, blocks)))
        match new:
            case Op(target=Var() as target):
                return self.op(new, target)
            case If(results=results) if results:
                kinds = [K.join(kind_of(a), kind_of(b)) for a, b in zip(new.then.outs, new.orelse.outs, strict=True)]
                told = tuple(self.told(r, k) for r, k in zip(results, kinds, strict=True))
                return If(new.cond, new.then, new.orelse, told, new.origin)
        return new

    def loop(self, loop: For | While) -> Stmt:
        """A loop: what it carries is of the kind that it begins with, if the body then gives the same."""
        blocks = blocks_of(loop)
        found = map(kind_of, loop.inits)
        kinds = [K.Array(kind.dtype, kind.rank) if isinstance(kind, K.Array) else kind for kind in found]
        tried = {k for k, p in enumerate(loop.params) if _is_open(p.kind) and loop.inits[k] != UNDEF}
        before = dict(self.known)
        while True:
            params = tuple(self.told(p, kinds[k]) if k in tried else p for k, p in enumerate(loop.params))
            inner = tuple(map(self.block, blocks))
            outs = inner[-1].outs
            told = {k for k in tried if params[k] is not loop.params[k]}
            wrong = {k for k in told if not self.covers(loop.params[k], params[k], outs[k])}
            if not wrong:
                break
            for k in wrong:  # Python's float, say, and then NumPy's
                wider = K.join(kinds[k], kind_of(outs[k]))
                if wider == kinds[k] or not isinstance(wider, K.Scalar) or _is_open(wider):
                    tried -= {k}
                kinds[k] = wider
            self.known = dict(before)  # what the body made of the kinds that were tried is not so
        results = tuple(
            self.told(r, self.after(params[k], outs[k])) if k < len(params) and params[k] is not loop.params[k] else r
            for k, r in enumerate(loop.results)
        )
        if isinstance(loop, While):
            return replace(loop, test=inner[0], body=inner[1], params=params, results=results)
        return replace(loop, body=inner[0], params=params, results=results)

    def covers(self, old: Var, new: Var, out: Atom) -> bool:
        """Whether what a loop hands on is of the kind of what it carries, ``new`` in place of ``old``."""
        return K.join(new.kind, kind_of(out)) == new.kind

    def after(self, new: Var, out: Atom) -> K.Kind:
        """The kind of what a loop gives that carries ``new`` and hands on ``out``."""
        return new.kind

    def op(self, op: Op, target: Var) -> Op:
        """An operation."""
        if op.fn is prims.make_tuple:
            told = self.told(target, K.Tuple(tuple(map(kind_of, op.args)), getattr(target.kind, "cls", None)))
        elif isinstance(target.kind, K.List):
            if op.fn is not prims.make_list or not op.args or self.builder.definition(target) is None:
                return op  # something else may be put into this list later
            first: K.Kind = K.BOTTOM
            told = self.told(target, K.List(functools.reduce(K.join_items, map(kind_of, op.args), first)))
        elif (part := self.part_kind(op)) is not None:
            told = self.told(target, part)
        elif _is_open(target.kind) and not isinstance(op.fn, Function):
            named = [(k, self.literal(a)) for k, a in op.kwargs]
            told = self.told(target, result_kind(op.fn, map(self.literal, op.args), named))
        else:
            return op
        return op if told is target else Op(told, op.fn, op.args, op.kwargs, op.origin)

    def part_kind(self, op: Op) -> K.Kind | None:
        """The kind of a part that was cut for one of some arrays: that of the array."""
        cut = self.builder.definition(op.args[0]) if op.fn is operator.getitem else None
        if cut is None or cut.fn is not helpers.split_like or not isinstance(index := op.args[1], Const):
            return None
        arrays, kind = self.builder.definition(cut.args[1]), kind_of(self.use(cut.args[1]))
        if arrays is not None and arrays.fn in (prims.make_tuple, prims.make_list):
            like = kind_of(self.use(arrays.args[index.value]))
        elif isinstance(kind, K.Tuple):
            like = kind.items[index.value]
        else:
            return None
        x = kind_of(self.use(cut.args[0]))
        if not isinstance(x, K.Array) or K.rank_of(like) is None:
            return None
        return K.Array(x.dtype, K.rank_of(like)) if isinstance(like, K.Array) else K.Scalar(x.dtype)

    def literal(self, a: Atom) -> Atom:
        """A constant that is put together as one that is written down."""
        value = self.builder.constant(a) if isinstance(a, Var) else None
        return a if value is None else Const(value)

    def told(self, v: Var, kind: K.Kind) -> Var:
        """The variable under which a value goes on, of a kind that says more if this one does."""
        if not _is_open(v.kind) or _is_open(kind) or isinstance(kind, K.Bottom):
            return v
        self.known[v] = new = Var(v.hint, kind)
        return new
