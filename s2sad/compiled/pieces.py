"""Arrays in lists in one piece.

Before::

    def f(x: float64[2], xs: list[float64[2]]):
        s = make_slice(None, None, 2)
        v: float64[2] = x[s]
        xs[0] = v
        return xs

After, if nothing stores into what ``v`` shows::

    def f(x, xs):
        s = make_slice(None, None, 2)
        v = x[s]
        v_1 = np.ascontiguousarray(v)
        xs[0] = v_1
        return xs

The items of a list have one type in compiled code, and whether an array may have gaps is part of its type.

Requires: nothing of the IR.
Ensures: views that are put into lists are copied where they have gaps, and where no one can tell.
"""

from __future__ import annotations

import operator

import numpy as np

from s2sad.analysis.memory import Memory
from s2sad.analysis.sharing import makes_fresh
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import map_stmts, walk, with_body

__all__ = ["lists_of_pieces"]


def lists_of_pieces(function: Function) -> Function:
    """Copy views that are put into lists."""
    if not any(_item(s) is not None for s in walk(function)):
        return function
    return with_body(function, map_stmts(function.body, _Copier(function).change))


def _item(s: Stmt) -> Atom | None:
    """What a statement puts into a list, if it is an array or holds some."""
    match s:
        case Store(obj=obj, value=value, aug=None) if isinstance(kind_of(obj), K.List):
            pass
        case Op(fn=prims.list_append, args=(_, value)):
            pass
        case _:
            return None
    return value if isinstance(kind_of(value), K.Array | K.Tuple) else None


class _Copier:
    """Changes the statements of a function."""

    def __init__(self, function: Function) -> None:
        self.definitions = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}
        self.memory = Memory(function)

    def change(self, s: Stmt) -> Stmt | list[Stmt]:
        """A statement, behind the copies that it needs."""
        value = _item(s)
        if value is None:
            return s
        before: list[Stmt] = []
        whole = self.in_one_piece(value, before)
        if whole is value:
            return s
        if isinstance(s, Store):
            return [*before, Store(s.obj, s.index, whole, s.aug, s.origin)]
        assert isinstance(s, Op)
        return [*before, Op(s.target, s.fn, (s.args[0], whole), s.kwargs, s.origin)]

    def in_one_piece(self, value: Atom, before: list[Stmt]) -> Atom:
        """A value, or one with copies of the views in it."""
        maker = self.definitions.get(value) if isinstance(value, Var) else None
        if maker is None:
            return value
        kind = kind_of(value)
        if isinstance(kind, K.Tuple) and maker.fn is prims.make_tuple:
            parts = tuple(self.in_one_piece(a, before) for a in maker.args)
            if all(map(operator.is_, parts, maker.args)):
                return value
            fn, args = maker.fn, parts
        elif isinstance(kind, K.Array) and kind.rank and self.is_view(maker):
            fn, args = np.ascontiguousarray, (value,)
        else:
            return value
        target = Var(getattr(value, "hint", ""), kind)
        before.append(Op(target, fn, args))
        return target

    def is_view(self, maker: Op) -> bool:
        """Whether an operation may give a view of something that nothing is stored into."""
        memory = self.memory
        held = isinstance(kind_of(maker.args[0]), K.List) if maker.args else True
        if held or makes_fresh(maker.fn) or memory.opaque:
            return False
        return memory.of(maker.target) not in memory.written if maker.target is not None else False
