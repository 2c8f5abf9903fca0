"""Imaginary parts of arrays that are updated in place.

In NumPy they are a view. Where the cotangent of a complex number is ``b``, that of its imaginary part is the imaginary
part of ``b`` with its sign changed: no view of anything. So they are read as a copy is, and not stored into.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.analysis.effects import TRANSPARENT, WRITES
from s2sad.analysis.memory import Memory
from s2sad.analysis.sharing import shared_operands
from s2sad.errors import UnsupportedSyntax
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Block, For, Function, If, Op, Stmt, Store, While, With, kind_of
from s2sad.ir.rewrite import uses_of, walk
from s2sad.rules.lookup import is_complex_atom

__all__ = ["refuse_stores_by_parts"]


def refuse_stores_by_parts(function: Function, memory: Memory) -> None:
    """Refuse what may be a store into a complex array by a view of its imaginary parts: their adjoint is no view."""
    views: set[Any] = set()
    for s in walk(function):
        if isinstance(s, Op) and s.target is not None and not isinstance(s.target.kind, K.Scalar):
            base = s.args[0] if s.args else None
            own = s.fn is np.imag and is_complex_atom(base) and memory.of(base) in memory.written  # type: ignore[arg-type]
            if own or (s.fn is not prims.make_tuple and not views.isdisjoint(shared_operands(s))):
                views.add(s.target)
                continue
        kept = isinstance(s, Store) and (s.obj in views or isinstance(kind_of(s.obj), K.List | K.Dict))
        held = isinstance(s, Op) and (s.fn in WRITES or s.fn in TRANSPARENT)
        handed = [a for b in _blocks_with_results(s) for a in b.outs] + list(getattr(s, "inits", ()))
        touched = uses_of(s) if (kept or held) else handed
        if not views.isdisjoint(touched):
            raise UnsupportedSyntax(
                "imaginary parts of an array that is updated in place are a view of it, which is not followed here.",
                "Copy them: np.imag(z).copy(); and store complex numbers.",
                origin=getattr(s, "origin", None),
            )


def _blocks_with_results(s: Stmt) -> tuple[Block, ...]:
    match s:
        case If(then=then, orelse=orelse):
            return then, orelse
        case For(body=body) | While(body=body) | With(body=body):
            return (body,)
    return ()
