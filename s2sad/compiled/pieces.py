"""Arrays in lists in one piece.

Before::

    def f(x: float64[2], xs: list[float64[2]]):
        s = make_slice(None, None, 2)
        v: float64[2] = x[s]
        xs[0] = v
        return xs

After, if nothing stores into what ``v`` shows from then on::

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
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from s2sad.analysis.effects import writes_of
from s2sad.analysis.memory import Memory
from s2sad.analysis.sharing import makes_fresh
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, For, Function, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, map_stmts, walk, with_body
from s2sad.runtime import helpers

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


#: Where a statement is: the how manyth it is, and the loops around it.
_Place: TypeAlias = tuple[int, frozenset[int]]


def _in_order(block: Block, loops: frozenset[int] = frozenset()) -> Iterator[tuple[Stmt, frozenset[int]]]:
    """The statements of a block as they are written, with the loops around them; closures may be called repeatedly."""
    for s in block.stmts:
        yield s, loops
        around = loops | {id(s)} if isinstance(s, For | While | Closure) else loops
        for inner in blocks_of(s):
            yield from _in_order(inner, around)


class _Copier:
    """Changes the statements of a function."""

    def __init__(self, function: Function) -> None:
        self.definitions = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}
        self.memory = Memory(function)
        self.made: dict[Var, _Place] = {}
        #: Stores by what they may change, each with where the only object that it can change was made, if it is known.
        self.stored: defaultdict[Any, list[tuple[_Place, _Place | None]]] = defaultdict(list)
        for k, (s, loops) in enumerate(_in_order(function.body)):
            if isinstance(s, Op) and s.target is not None:
                self.made[s.target] = k, loops
            for a in writes_of(s) if isinstance(s, Op | Store) else ():
                maker = self.definitions.get(a) if isinstance(a, Var) else None
                only = self.made[maker.target] if maker and maker.target and makes_fresh(maker.fn) else None
                self.stored[self.memory.of(a)].append(((k, loops), only))

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
        if (
            not maker.args
            or maker.fn is helpers.as_it_lies
            or self.is_held(maker.args[0])
            or makes_fresh(maker.fn)
            or self.memory.opaque
            or maker.target is None
        ):
            return False
        return not self.changes_later(maker.target)

    def is_held(self, container: Atom) -> bool:
        """Whether this is a list of arrays in one piece: any but one of the parts that an array is cut into."""
        maker = self.definitions.get(container) if isinstance(container, Var) else None
        cut = maker is not None and maker.fn in (helpers.split_like, helpers.unstack)
        return isinstance(kind_of(container), K.List) and not cut

    def changes_later(self, view: Var) -> bool:
        """Whether what a view shows may be stored into once there is the view."""
        shown = self.memory.of(view)
        if shown in self.memory.asked or shown in self.memory.changed_by_calls:
            return True
        since = self.made[view]
        return any(
            _may_follow(since, at) and (only is None or _may_follow(only, since)) for at, only in self.stored[shown]
        )


def _may_follow(first: _Place, second: _Place) -> bool:
    """Whether what is at the second place may be done after what is at the first."""
    return second[0] > first[0] or not first[1].isdisjoint(second[1])
