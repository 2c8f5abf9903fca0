"""Adjoints of ``np.einsum`` as ``np.einsum`` of other subscripts.

::

    b = einsum_transpose(0, "ij,jk->ik", x, a, c)    =>    t = np.einsum("ik,jk->ij", x, c)
                                                           b = unbroadcast(t, a)

Requires: a function about to be written down for Python.
Ensures: the same values; where an operand may have been stretched, its adjoint is still summed to its shape.
"""

from __future__ import annotations

import numpy as np

from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import map_stmts, with_body
from s2sad.rules.products import einsum_spec
from s2sad.runtime import helpers

__all__ = ["contractions_spelt"]


def contractions_spelt(function: Function) -> Function:
    """The function with such adjoints, but those of diagonals, of axes that are summed by themselves and of ``...``."""
    return with_body(function, map_stmts(function.body, _spelt))


def _spelt(s: Stmt) -> Stmt | list[Stmt]:
    match s:
        case Op(
            target=Var() as target,
            fn=helpers.einsum_transpose,
            args=(Const(int(k)), Const(str(text)), x, like, *others),
        ):
            if (spec := einsum_spec(k, text)) is not None:
                made = Var("", K.Numeric(K.dtype_of(target.kind)))
                return [
                    Op(made, np.einsum, (Const(spec), x, *others), (), s.origin),
                    Op(target, helpers.unbroadcast, (made, like), (), s.origin),
                ]
    return s
