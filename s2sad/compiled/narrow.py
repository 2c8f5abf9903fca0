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
Ensures: results of arithmetic have the bits that their kind says, Python's integers a sign; functions that give
floats are given floats.
"""

from __future__ import annotations

import builtins
import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.compiled import helpers as native
from s2sad.compiled.expand import kind_of
from s2sad.errors import CompileError
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import all_vars, map_stmts, walk, with_body
from s2sad.runtime import helpers

__all__ = ["keep_narrow", "refuse_half"]

_DTYPES: dict[str, Any] = {
    t.__name__: t for t in (np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32, np.uint64)
}
#: Functions of compiled derivatives in which there are such of Python's floats.
_OF_DOUBLES = (native.safe_log_scalar, native.exp_difference_scalar)
_PRODUCTS = (operator.matmul, np.matmul, np.dot, np.vdot, np.inner)
_ARITHMETIC = frozenset((*prims.BINARY, *prims.UNARY, abs))


def refuse_half(function: Function) -> None:
    """Refuse what NumPy computes in half precision: functions of truth values and of integers of eight bits, say."""
    for s in walk(function):
        if isinstance(s, Op) and s.target is not None and K.dtype_of(s.target.kind) == "float16":
            what = "a number of half precision, which NumPy makes of truth values and of integers of eight bits,"
            raise CompileError(
                f"{what} cannot be compiled.", "Convert what it is of: x.astype(float).", origin=s.origin
            )


def keep_narrow(function: Function) -> Function:
    """Cut the results of arithmetic to the bits that they have."""
    if not any(K.dtype_of(v.kind) in _DTYPES for v in all_vars(function)):
        return function
    return with_body(function, map_stmts(function.body, _kept))


def _of_floats(op: Op) -> Stmt | list[Stmt]:
    """A function that gives floats of integers: of floats of the precision that NumPy has for them."""
    name = K.dtype_of(kind_of(op.target)) if op.target is not None else ""
    dtype = np.float64 if name == "float" else getattr(np, name, None)
    if dtype not in (np.float32, np.float64):
        return op
    before: list[Stmt] = []

    def made(a: Atom) -> Atom:
        match kind_of(a):
            case K.Array(name, rank) if name in _DTYPES:
                before.append(Op(target := Var("", K.Array(dtype.__name__, rank)), helpers.astype, (a, Const(dtype))))
            case K.Scalar(name) if name in _DTYPES:
                before.append(Op(target := Var("", K.Scalar(dtype.__name__)), dtype, (a,)))
            case _:
                return a
        return target

    args = tuple(map(made, op.args))
    made_of = [replace(s, origin=op.origin) for s in before if isinstance(s, Op)]
    return [*made_of, replace(op, args=args)] if before else op


def _kept(s: Stmt) -> Stmt | list[Stmt]:
    match s:
        case Op(fn=builtins.int, args=(Var(kind=K.Scalar(dtype)),)) if dtype.startswith("uint"):
            return replace(s, fn=np.int64)  # to Numba the integer of one without a sign has none
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
    if isinstance(s, Op) and (isinstance(s.fn, np.ufunc) or s.fn is operator.truediv or _is_of_doubles(s.fn)):
        return _of_floats(s)
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


def _is_of_doubles(fn: Any) -> bool:
    """Whether a function computes with Python's floats: Numba has it in single precision for integers of 16 bits."""
    return getattr(fn, "__module__", None) == "math" or fn in _OF_DOUBLES


def _computes(fn: Any) -> bool:
    return isinstance(fn, np.ufunc) or fn in _PRODUCTS or fn in _ARITHMETIC


def _unsigned(a: Atom, before: list[Stmt]) -> Atom:
    """An operand without a sign."""
    if kind_of(a) not in (K.INT, K.Scalar("int64")):
        return a
    converted = Var("", K.Scalar("uint64"))
    before.append(Op(converted, np.uint64, (a,)))
    return converted
