"""Choices between two numbers, as branches: ``np.where`` of numbers makes an array without axes, to be unpacked again.

Before::

    def f(x: float64):
        c: bool = x > 0.0
        y: float64[0] = np.where(c, x, 0.5)
        z: float64 = y * 2.0
        return z

After::

    def f(x):
        c = x > 0.0
        if c:
            give x
        else:
            give 0.5
        -> t
        y = np.asarray(t)
        z = t * 2.0
        return z

NumPy's arithmetic takes such an array as the number in it, and gives numbers. The array itself is made for what else
takes it, and dropped where nothing does. Of a function that is to be differentiated, the reverse sweep then records
which branch was taken, and numbers, where Numba has no tape of such arrays. In derivatives, there are choices that
come from rules.

Requires: a function to be differentiated, or the IR of a derivative before loops are lowered.
Ensures: the same values. Arrays that something is stored into stay as they are, and are read where they are used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.compiled import helpers as native
from s2sad.compiled.expand import Builder, Form, expand, kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, Function, If, Op, Var
from s2sad.ir.rewrite import all_vars, walk
from s2sad.loops.elements import ELEMENTWISE

__all__ = ["choices_as_branches", "numbers_unpacked"]


def choices_as_branches(function: Function) -> Function:
    """Branch where ``np.where`` is of numbers, and of what such choices give."""
    while any(isinstance(s, Op) and _choice(s) is not None for s in walk(function)):
        function = expand(expand(function, {np.where: branch}), _READERS)
    return function


def numbers_unpacked(function: Function) -> Function:
    """The same, and arithmetic of any array without axes is of the number in it: Numba has none that is in place."""
    function = choices_as_branches(function)
    if not any(isinstance(v.kind, K.Array) and v.kind.rank == 0 for v in all_vars(function)):
        return function
    return expand(function, _UNPACKERS)


def _choice(op: Op) -> tuple[Atom, Atom, Atom] | None:
    """The condition and the two numbers that ``np.where`` chooses from, of its type; None of anything else."""
    if op.fn is not np.where or op.target is None or op.kwargs or len(op.args) != 3:
        return None
    if not all(isinstance(kind_of(a), K.Scalar) for a in op.args):
        return None
    cond, then, orelse = op.args
    first, second = (_of_dtype(a, K.dtype_of(op.target.kind)) for a in (then, orelse))
    return None if first is None or second is None else (cond, first, second)


def _of_dtype(a: Atom, dtype: str) -> Atom | None:
    """A number that has the type of the array, or is written down as one that has."""
    own = K.dtype_of(kind_of(a))
    if dtype == "float64" and isinstance(a, Const):
        return Const(float(a.value))
    return a if own == dtype or (own, dtype) == ("float", "float64") else None


def branch(b: Builder, op: Op) -> Atom | None:
    """An array without axes, of the number that a branch takes."""
    found = _choice(op)
    if found is None or op.target is None:
        return None
    cond, first, second = found
    chosen = Var("", K.Scalar(K.dtype_of(op.target.kind)))
    b.stmts.append(If(cond, Block((), (first,)), Block((), (second,)), (chosen,), b.origin))
    return b.emit(np.asarray, chosen, kind=op.target.kind) if isinstance(op.target.kind, K.Array) else chosen


def of_numbers(unpacked: Callable[[Builder, Atom], Atom]) -> Form:
    """An operation of numbers, on what arrays without axes are unpacked to."""

    def build(b: Builder, op: Op) -> Atom | None:
        if op.target is None or (isinstance(op.target.kind, K.Array) and op.fn is not np.where):
            return None
        args = tuple([unpacked(b, a) for a in op.args])
        return None if args == op.args else b.call(op.fn, args, dict(op.kwargs), op.target.kind)

    return build


def chosen_number(b: Builder, a: Atom) -> Atom:
    """The number that an array was made of."""
    made = b.definition(a)
    if made is None or made.fn is not np.asarray or not isinstance(a, Var) or b.is_written(a):
        return a
    return made.args[0] if len(made.args) == 1 and isinstance(kind_of(made.args[0]), K.Scalar) else a


def number_there(b: Builder, a: Atom) -> Atom:
    """The number in an array; Numba may have a number there already."""
    kind = kind_of(a)
    if not isinstance(kind, K.Array) or kind.rank != 0:
        return a
    return b.emit(native.number_in, a, kind=K.Scalar(kind.dtype))


_ARITHMETIC = [fn for fn in ELEMENTWISE if isinstance(fn, np.ufunc) or fn in prims.BINARY or fn in prims.UNARY]
_READERS: dict[Any, Form] = dict.fromkeys([*_ARITHMETIC, float, np.float64, np.where], of_numbers(chosen_number))
_UNPACKERS: dict[Any, Form] = dict.fromkeys([*_ARITHMETIC, float, np.float64], of_numbers(number_there))
