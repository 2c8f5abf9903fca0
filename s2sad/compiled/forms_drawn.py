"""Forms of random numbers."""

from __future__ import annotations

from s2sad.compiled.expand import Builder, form, kind_of
from s2sad.compiled.forms_adjoint import is_none
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op
from s2sad.rules.draws import GENERATOR


@form(prims.call_method)
def drawn_below(b: Builder, op: Op) -> Atom | None:
    """``rng.integers(high)``, of which Numba is to be told that the lowest is zero."""
    if op.target is None or kind_of(op.args[0]) != GENERATOR or op.args[1] != Const("integers"):
        return None
    rest = op.args[2:]
    if "high" in dict(op.kwargs) or not (len(rest) == 1 or (len(rest) > 1 and is_none(rest[1]))):
        return None
    args = (*op.args[:2], Const(0), rest[0], *rest[2:])
    b.stmts.append(Op(op.target, op.fn, args, op.kwargs, op.origin))
    return op.target
