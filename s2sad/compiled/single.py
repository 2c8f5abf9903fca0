"""Single precision stays so.

Before::

    def f(x: float32[*], a: float, b: float32, n: int64[*]):
        y: float32[*] = 2.0 * x
        z: float32[*] = y + a
        w: float64[*] = b * n
        return w

After::

    def f(x, a, b, n):
        t = np.float32(2.0)
        y = t * x
        t_1 = np.float32(a)
        z = y + t_1
        t_2 = np.float64(b)
        w = t_2 * n
        return w

In NumPy a Python number takes the precision of the array that it meets; Numba computes in double
precision. NumPy computes in double precision where values of single precision meet its own integers;
Numba does not.

Requires: the kinds that lowering gave.
Ensures: elementwise operations of kind ``float32`` have operands of that precision, those of kind ``float64`` that
have integers for operands none of it.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.compiled import helpers as native
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import all_vars, map_stmts, with_body
from s2sad.runtime import helpers

__all__ = ["keep_single"]

_COMPARISONS = frozenset(prims.COMPARE)
_ARITHMETIC = frozenset(prims.BINARY) | {np.where, np.clip}
#: Helpers and functions that give arrays in double precision whatever they get.
_WIDE: tuple[Any, ...] = (native.quotient_array, native.safe_log_array, native.exp_difference, native.power_slope_array)
_WIDE += (native.power_term_array, native.where_larger_array, native.times_array)
_WIDE += (native.unconvolve,)  # in the precision of the adjoint that it gets


def keep_single(function: Function) -> Function:
    """Convert the numbers that meet values of single precision."""
    if not any(K.dtype_of(v.kind) == "float32" for v in all_vars(function)):
        return function
    return with_body(function, map_stmts(function.body, _kept))


def _kept(s: Stmt) -> Stmt | list[Stmt]:
    if not isinstance(s, Op) or s.target is None:
        return s
    single = K.dtype_of(s.target.kind) == "float32"
    if single and s.fn in _WIDE:
        wide = Var("", s.target.kind)
        narrow = Op(s.target, helpers.astype, (wide, Const(np.float32)), (), s.origin)
        return [Op(wide, s.fn, s.args, s.kwargs, s.origin), narrow]
    before: list[Stmt] = []
    if _is_comparison(s) or (single and _is_elementwise(s.fn)):
        args = tuple(_converted(a, s, before) for a in s.args)
    elif K.dtype_of(s.target.kind) == "float64" and _is_elementwise(s.fn) and _meets_integers(s):
        args = tuple(_widened(a, s, before) for a in s.args)
    else:
        return s
    return [*before, Op(s.target, s.fn, args, s.kwargs, s.origin)] if before else s


def _is_comparison(op: Op) -> bool:
    """Whether values of single precision are compared."""
    return _of(op.fn, _COMPARISONS) and any(K.dtype_of(kind_of(a)) == "float32" for a in op.args)


def _meets_integers(op: Op) -> bool:
    """Whether integers are among the operands: NumPy's, or arrays of them, if the result is of double precision."""
    return any(map(K.is_integer, map(kind_of, op.args)))


def _is_elementwise(fn: Any) -> bool:
    return isinstance(fn, np.ufunc) or _of(fn, _ARITHMETIC)


def _of(fn: Any, known: frozenset[Any]) -> bool:
    try:
        return fn in known
    except TypeError:
        return False


def _converted(a: Atom, op: Op, before: list[Stmt]) -> Atom:
    """An operand in single precision, if it is a Python number."""
    kind = kind_of(a)
    weak = kind in (K.FLOAT, K.INT)
    if not weak or op.fn in (operator.is_, operator.is_not, prims.contains):
        return a
    converted = Var("", K.Scalar("float32"))
    before.append(Op(converted, np.float32, (a,), (), op.origin))
    return converted


def _widened(a: Atom, op: Op, before: list[Stmt]) -> Atom:
    """An operand in double precision, if it is of single precision."""
    kind = kind_of(a)
    if K.dtype_of(kind) != "float32":
        return a
    wide = Var("", replace(kind, dtype="float64"))  # type: ignore[call-arg]
    if isinstance(kind, K.Scalar):
        before.append(Op(wide, np.float64, (a,), (), op.origin))
    else:
        before.append(Op(wide, helpers.astype, (a, Const(np.float64)), (), op.origin))
    return wide
