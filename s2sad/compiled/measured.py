"""Lengths that are asked of arrays, where it was said how long they are to be when they were made.

Before::

    def f(n: int, m: int, k: int):
        sizes = (n, m, 3)
        tape: float64[3] = np.empty(sizes, np.float64)
        row: float64[2] = tape[k]
        shape: (int, int) = np.shape(row)
        width = shape[0]
        same_length(width, width)
        y: float64[1] = np.empty(width, np.float64)
        one: float64 = np.float64(1.0)
        y[0] = one
        return y

After (and once dead code is gone)::

    def f(n, m, k):
        y = np.empty(m, np.float64)
        y[0] = 1.0
        return y

What an adjoint asks of a row of a tape is mostly its shape. Then there is no need of the tape.

Requires: nothing of the IR. In compiled code all integers have one type, so that a length is what was given for it.
Ensures: the same values; no length is compared with itself, and numbers that are stored are written as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import getitem

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import map_stmts, with_body
from s2sad.runtime import helpers

__all__ = ["lengths_as_given"]

_MADE = {np.empty, np.zeros, np.ones, np.full}
_LENGTHS = {K.INT, K.Scalar("int64")}


def lengths_as_given(function: Function) -> Function:
    """Put what arrays were made with in the place of what is asked of their shapes."""
    made = definitions_of(function)

    def change(stmt: Stmt) -> Stmt | tuple[Stmt, ...]:
        match stmt:
            case Op(fn=helpers.same_length, args=(a, b)) if a == b:
                return ()
            case Op(fn=np.shape, args=(Var() as a,)) if (lengths := _lengths(a, made)) is not None:
                return Op(stmt.target, prims.make_tuple, lengths, (), stmt.origin)
            case Store(value=Var() as a) if (number := _literal(a, made)) is not None and _holds(stmt.obj, a.kind):
                return Store(stmt.obj, stmt.index, number, stmt.aug, stmt.origin)
        return stmt

    return with_body(function, map_stmts(function.body, change))


def _lengths(a: Var, made: Mapping[Var, Op]) -> tuple[Atom, ...] | None:
    """The lengths that an array, or what it is a row of, was made with."""
    match made.get(a):
        case Op(fn=fn, args=(shape, *_)) if fn in _MADE:
            return _said(shape, made)
        case Op(fn=fn, args=(Var() as base, index)) if fn is getitem and isinstance(kind_of(base), K.Array):
            rows = _lengths(base, made)
            return rows[1:] if rows is not None and _is_place(kind_of(index)) else None
    return None


def _is_place(kind: K.Kind) -> bool:
    """Whether an index is one integer."""
    return isinstance(kind, K.Scalar) and kind.dtype.startswith(("int", "uint"))


def _said(shape: Atom, made: Mapping[Var, Op]) -> tuple[Atom, ...] | None:
    """The lengths in a shape."""
    tuple_of = made.get(shape) if isinstance(shape, Var) else None
    lengths = tuple_of.args if tuple_of is not None and tuple_of.fn is prims.make_tuple else (shape,)
    return lengths if all(kind_of(n) in _LENGTHS for n in lengths) else None


def _literal(a: Var, made: Mapping[Var, Op]) -> Const | None:
    """The number that a value was written as."""
    match made.get(a):
        case Op(fn=np.float64, args=(Const(float()) as number,)):
            return number
    return None


def _holds(obj: Atom, kind: K.Kind) -> bool:
    """Whether items of an array have a kind."""
    array = kind_of(obj)
    return isinstance(array, K.Array) and kind == K.Scalar(array.dtype)
