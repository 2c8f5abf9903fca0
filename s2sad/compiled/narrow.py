"""Integers of few bits, and those without a sign, stay so.

Before::

    def f(x: uint8[1], i: int):
        y: uint8[1] = x * 2
        a: uint8 = x[i]
        b: uint8 = x[0]
        c: uint8 = a - b
        r = (y, c)
        return r

After::

    def f(x, i):
        t = x * 2
        y = astype(t, <class 'numpy.uint8'>)
        a = x[i]
        b = x[0]
        t_1 = a - b
        c = np.uint8(t_1)
        r = (y, c)
        return r

NumPy computes in the dtype of the operands, and what is too large for it wraps around; Numba computes with 64 bits.

Requires: the kinds that lowering gave.
Ensures: results of arithmetic have the bits that their kind says.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import all_vars, map_stmts, with_body
from s2sad.runtime import helpers

__all__ = ["keep_narrow"]

_DTYPES: dict[str, Any] = {
    t.__name__: t for t in (np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32, np.uint64)
}
_PRODUCTS = (operator.matmul, np.matmul, np.dot, np.vdot, np.inner)
_ARITHMETIC = frozenset((*prims.BINARY, *prims.UNARY, abs))


def keep_narrow(function: Function) -> Function:
    """Cut the results of arithmetic to the bits that they have."""
    if not any(K.dtype_of(v.kind) in _DTYPES for v in all_vars(function)):
        return function
    return with_body(function, map_stmts(function.body, _kept))


def _kept(s: Stmt) -> Stmt | list[Stmt]:
    match s:
        case Op(target=Var(kind=K.Scalar(dtype)), fn=fn) if dtype in _DTYPES and _computes(fn):
            return _number(s, _DTYPES[dtype])
        case Op(target=Var(kind=K.Array(dtype, rank)), fn=fn) if dtype in _DTYPES and _computes(fn):
            if dtype == "uint64":
                return s  # of 64 bits as it is
            wide = Var("", K.Array("int64", rank))
            return [
                replace(s, target=wide),
                replace(s, fn=helpers.astype, args=(wide, Const(_DTYPES[dtype])), kwargs=()),
            ]
    return s


def _number(s: Op, dtype: Any) -> list[Stmt]:
    """An operation on numbers."""
    before: list[Stmt] = []
    if dtype is np.uint64:  # with which Numba takes signed integers for floats
        s = replace(s, args=tuple(_unsigned(a, before) for a in s.args))
    wide = Var("", K.INT)
    after = Op(s.target, dtype, (wide,), (), s.origin)
    if s.fn in _PRODUCTS:  # which are those of floats
        floats = Var("", K.FLOAT)
        return [replace(s, target=floats), Op(wide, int, (floats,), (), s.origin), after]
    return [*before, replace(s, target=wide), after]


def _computes(fn: Any) -> bool:
    return isinstance(fn, np.ufunc) or fn in _PRODUCTS or fn in _ARITHMETIC


def _unsigned(a: Atom, before: list[Stmt]) -> Atom:
    """An operand without a sign."""
    if kind_of(a) not in (K.INT, K.Scalar("int64")):
        return a
    converted = Var("", K.Scalar("uint64"))
    before.append(Op(converted, np.uint64, (a,)))
    return converted
