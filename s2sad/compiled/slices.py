"""Slices of one type, where several may go by one name.

Before::

    def f(u: float64[1], c: bool):
        if c:
            r: slice = make_slice(0, 8, 2)
            give r
        else:
            s: slice = make_slice(None, 3, None)
            give s
        -> p: slice
        v: float64[1] = u[p]
        return v

After::

    def f(u, c):
        if c:
            r = make_slice(0, 8, 2)
            give r
        else:
            s = make_slice(None, 3, 1)
            give s
        -> p
        v = u[p]
        return v

To Numba a slice with a step is of another type than one without.

Requires: nothing.
Ensures: the same values. Slices that are used where they are made, as subscripts, stay as they are.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import blocks_of, map_stmts, uses_of, walk, with_body

__all__ = ["slices_of_one_type"]


def slices_of_one_type(function: Function) -> Function:
    """Give all slices a step that are handed on, if one of them has one."""
    made = {s.target: s for s in walk(function) if isinstance(s, Op) and s.fn is prims.make_slice}
    if all(s.args[2] == Const(None) for s in made.values()):
        return function
    tuples = {s.target: s for s in walk(function) if isinstance(s, Op) and s.fn is prims.make_tuple}
    kept = {a for s in walk(function) for a in _handed_on(s)} | set(function.body.outs)
    kept |= {a for t in kept if t in tuples for a in tuples[t].args}  # type: ignore[index]
    handed_on = {a for a in kept if a in made}
    if all(made[a].args[2] == Const(None) for a in handed_on):  # type: ignore[index]
        return function

    def change(s: Stmt) -> Stmt:
        if isinstance(s, Op) and s.target in handed_on and s.args[2] == Const(None):
            return Op(s.target, s.fn, (*s.args[:2], Const(1)), (), s.origin)
        return s

    return with_body(function, map_stmts(function.body, change))


def _handed_on(s: Stmt) -> Iterator[Atom]:
    """What a statement uses otherwise than as a subscript, or puts into a tuple that may be one."""
    for block in blocks_of(s):
        yield from block.outs
    match s:
        case Op(fn=operator.getitem, args=(obj, _)):
            yield obj
        case Store(obj=obj, value=value):
            yield from (obj, value)
        case Op(target=Var(), fn=prims.make_tuple):
            pass
        case _:
            yield from uses_of(s)
