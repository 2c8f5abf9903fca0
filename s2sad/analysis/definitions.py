"""What made each variable, as far as it is still what was made."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import Const, Function, Op, Var
from s2sad.ir.rewrite import blocks_of, uses_of, walk
from s2sad.runtime import helpers

__all__ = ["definitions_of"]

#: What a list goes through unchanged, and by no other name.
_READ: tuple[Any, ...] = (np.array, np.stack, np.vstack, np.hstack, np.concatenate, np.tensordot, operator.getitem, len)
_READ += (np.column_stack, np.dstack, np.asarray)
_READ += (helpers.split_like, helpers.unstack, helpers.unpack, helpers.zeros_like)


def definitions_of(function: Function) -> dict[Var, Op]:
    """The operations of a function by target, but for lists that may be changed after they are made."""
    found = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}
    changed = {v for v, s in found.items() if s.fn is prims.make_list} & _let_out(function, found)
    return {v: s for v, s in found.items() if v not in changed}


def _let_out(function: Function, made: Mapping[Var, Op]) -> set[Var]:
    """The variables whose object something else may get hold of, or change; through tuples too."""
    out: set[Var] = {a for a in function.body.outs if isinstance(a, Var)}
    holders: dict[Var, list[Var]] = {}
    for s in walk(function):
        used = [a for a in uses_of(s) if isinstance(a, Var)]
        for block in blocks_of(s):
            out.update(a for a in block.outs if isinstance(a, Var))
        match s:
            case Op(target=Var() as holder, fn=prims.make_tuple | prims.make_list):
                for a in used:
                    holders.setdefault(a, []).append(holder)
            case Op(fn=operator.getitem, args=(Var() as a, _)) if a in made and _holds_lists(made[a]):
                out.add(a)
            case Op(fn=fn) if fn in _READ:
                pass
            case _:
                out.update(used)
    while more := {v for v, held in holders.items() if v not in out and not out.isdisjoint(held)}:
        out |= more
    return out


def _holds_lists(op: Op) -> bool:
    """Whether what is got from a value that is put together may be a list, or hold one."""
    return op.fn is prims.make_tuple or (
        op.fn is prims.make_list
        and not all(isinstance(a, Const) or isinstance(a.kind, Scalar | Array) for a in op.args)
    )
