"""Values that are never read, in the types of those that are.

Before::

    def f(x: float, c: bool):
        if c:
            t = math.sin(x)
            give t
        else:
            give None
        -> u: float
        ...

After, the other side gives ``0.0``: a variable has one type in compiled code.  A branch gives None, or nothing, for
what its other side alone has, and what is behind that side alone reads; so does a loop before its first iteration.

Requires: nothing asks for None (:mod:`s2sad.compiled.nothing`).
Ensures: results of branches and loops whose kind is known take values of that kind on all sides.
"""

from __future__ import annotations

import math
import operator
from dataclasses import replace

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.compiled.items import FIRST_ITEM
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Const, For, Function, If, Op, Stmt, Var, While
from s2sad.ir.rewrite import map_stmts, walk, with_body
from s2sad.runtime import helpers

__all__ = ["fill_blanks"]


#: A list that nothing is put into: it has no type in compiled code.
_EMPTY = K.List(K.BOTTOM)
#: What puts items into a list, from which Numba tells its type.
_GROW = (prims.list_append, prims.list_insert, prims.list_extend)


def fill_blanks(function: Function) -> Function:
    """Replace None where a number or an array is expected, and empty lists that only get items under another name."""
    grown = {s.args[0] for s in walk(function) if isinstance(s, Op) and s.fn in _GROW}

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if isinstance(s, Op) and s.fn is prims.make_list and not s.args and s.target not in grown:
            return _empty(s)
        return _filled(s)

    return with_body(function, map_stmts(function.body, change))


def _empty(op: Op) -> Stmt | list[Stmt]:
    """An empty list of which nothing tells the type but its kind: a list of one item, without it."""
    made: list[Stmt] = []
    if op.target is None or not isinstance(_blank(Const(None), op.target.kind, made), Var):
        return op
    *before, last = made
    assert isinstance(last, Op)
    return [*before, replace(last, target=op.target, origin=op.origin)]


def _filled(s: Stmt) -> Stmt | list[Stmt]:
    match s:
        case Op(fn=fn) if fn in FIRST_ITEM:
            return _items(s)
        case Op(target=Var() as target, fn=helpers.zeros_like, args=(Var() as like,)) if like.kind == _EMPTY:
            return Op(target, prims.make_list, (), (), s.origin)
        case If(then=then, orelse=orelse, results=results):
            new = _block(then, results), _block(orelse, results)
            return If(s.cond, *new, results, s.origin) if new != (then, orelse) else s
        case For(params=params, body=body) | While(params=params, body=body):
            before: list[Stmt] = []
            inits = tuple(_blank(a, p.kind, before) for a, p in zip(s.inits, params, strict=True))
            outs = body.outs[: len(params)]
            after: list[Stmt] = []
            given = tuple(_blank(a, p.kind, after) for a, p in zip(outs, params, strict=True))
            if inits == s.inits and given == outs:
                return s
            body = Block((*body.stmts, *after), (*given, *body.outs[len(params) :]))
            if isinstance(s, While):
                return [*before, While(params, inits, s.test, body, s.results, s.has_exit, s.origin)]
            return [*before, replace(s, params=params, inits=inits, body=body)]
    return s


def _items(op: Op) -> Stmt | list[Stmt]:
    """What is put into a list: None, as long as there is nothing else, is of the kind of the items."""
    first = FIRST_ITEM[op.fn]
    held = op.target if first == 0 else op.args[0]
    kind = None if held is None else kind_of(held)
    if not isinstance(kind, K.List):
        return op
    if isinstance(kind.item, K.List):  # the adjoint of None among lists is zero
        items = [Const(None) if isinstance(a, Const) else a for a in op.args[first:]]
        op = replace(op, args=(*op.args[:first], *items))
    if Const(None) not in op.args[first:]:
        return op
    before: list[Stmt] = []
    floats = kind.item in (K.FLOAT, K.Scalar("float64"))  # NaN shows if it is used
    filled = [Const(math.nan) if floats and a == Const(None) else _blank(a, kind.item, before) for a in op.args[first:]]
    return [*before, Op(op.target, op.fn, (*op.args[:first], *filled), op.kwargs, op.origin)]


def _block(block: Block, results: tuple[Var, ...]) -> Block:
    stmts: list[Stmt] = []
    outs = tuple(_blank(a, r.kind, stmts) for a, r in zip(block.outs, results, strict=True))
    return block if outs == block.outs else Block((*block.stmts, *stmts), outs)


def _blank(a: Atom, kind: K.Kind, stmts: list[Stmt]) -> Atom:
    """A value of this kind in place of None or none, or of a list of nothing; what makes it goes to ``stmts``."""
    untyped = isinstance(a, Var) and a.kind == _EMPTY and kind != _EMPTY
    if not untyped and a not in (UNDEF, Const(None)):
        return a
    match kind:
        case K.Scalar("bool"):
            return Const(False)
        case K.Scalar(dtype) if dtype.startswith("int"):
            return Const(0)
        case K.Scalar("float" | "float64" | "any"):
            return Const(0.0)
        case K.Scalar("float32"):
            return _made(stmts, Op(Var("", kind), np.float32, (Const(0.0),)))
        case K.Array(dtype, int(rank)) if dtype != "any":
            own = K.without_shape(kind)  # which is not that of what it stands for
            return _made(stmts, Op(Var("", own), np.empty, (Const((0,) * rank), Const(np.dtype(dtype).type))))
        case K.SLICE:
            return _made(stmts, Op(Var("", kind), prims.make_slice, (Const(None), Const(0), Const(None))))
        case K.Tuple(items):
            parts = tuple(_blank(a, k, stmts) for k in items)
            return a if a in parts else _made(stmts, Op(Var("", kind), prims.make_tuple, parts))
        case K.List(item):
            part = _blank(Const(None), item, stmts)
            if part == Const(None):
                return a
            whole = _made(stmts, Op(Var("", kind), prims.make_list, (part,)))
            empty = _made(stmts, Op(Var("", K.SLICE), prims.make_slice, (Const(None), Const(0), Const(None))))
            return _made(stmts, Op(Var("", kind), operator.getitem, (whole, empty)))
    return a


def _made(stmts: list[Stmt], op: Op) -> Atom:
    stmts.append(op)
    assert op.target is not None
    return op.target
