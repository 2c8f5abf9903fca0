"""Small integers stay so.

Before::

    def f(x: uint8[1]):
        y: uint8[1] = x * 2
        return y

After::

    def f(x):
        t = x * 2
        y = astype(t, <class 'numpy.uint8'>)
        return y

NumPy computes in the dtype of the array, and what is too large for it wraps around; Numba computes with 64 bits.

Requires: the kinds that lowering gave.
Ensures: results of arithmetic whose kind is of fewer than 64 bits have that many.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import all_vars, map_stmts, with_body
from s2sad.runtime import helpers

__all__ = ["keep_narrow"]

_NARROW: dict[str, Any] = {t.__name__: t for t in (np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32)}
_ARITHMETIC: frozenset[Any] = frozenset(prims.BINARY) | {operator.neg, operator.invert, abs}


def keep_narrow(function: Function) -> Function:
    """Convert what arithmetic with small integers gives."""
    if not any(K.dtype_of(v.kind) in _NARROW for v in all_vars(function)):
        return function
    return with_body(function, map_stmts(function.body, _kept))


def _kept(s: Stmt) -> Stmt | list[Stmt]:
    if not isinstance(s, Op) or s.target is None or not isinstance(kind := s.target.kind, K.Array | K.Scalar):
        return s
    to = _NARROW.get(kind.dtype)
    if to is None or not (isinstance(s.fn, np.ufunc) or s.fn in _ARITHMETIC):
        return s
    wide: Var
    match kind:
        case K.Array(_, rank):
            wide = Var("", K.Array("int64", rank))
            narrow = Op(s.target, helpers.astype, (wide, Const(to)), (), s.origin)
        case _:
            wide = Var("", K.Scalar("int64"))
            narrow = Op(s.target, to, (wide,), (), s.origin)
    return [Op(wide, s.fn, s.args, s.kwargs, s.origin), narrow]
