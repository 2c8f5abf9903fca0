"""Lists and tuples that NumPy's functions are given, as the arrays that they make of them.

Before::

    def f(x: float64, y: float64):
        xs: list[float64] = [x, y]
        t: list[list[float64]] = [xs, xs]
        k: int64[1] = np.argsort(xs)
        z: float64[1] = np.concatenate(t)

After::

    def f(x, y):
        xs = [x, y]
        t = [xs, xs]
        t_1 = np.array(xs)
        k = np.argsort(t_1)
        t_2 = np.array(xs)
        t_3 = np.array(xs)
        t_4 = (t_2, t_3)
        z = np.concatenate(t_4)

Machine code has these functions of arrays, and derivatives are of arrays (:mod:`s2sad.transform.arrays`, which looks at
what is differentiated only).

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.compiled.expand import kind_of
from s2sad.frontend.builder import is_numpy
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Function, Op, Origin, Stmt, Var
from s2sad.ir.rewrite import map_stmts, with_body
from s2sad.rules.forms import as_numeric
from s2sad.runtime import helpers

__all__ = ["given_lists_as_arrays"]

#: What NumPy calls parameters that are arrays.
_ARRAYS = frozenset(
    [
        *(
            "A",
            "a",
            "a_min",
            "a_max",
            "ar",
            "ar1",
            "ar2",
            "arr",
            "array",
            "ary",
            "b",
            "bins",
            "condition",
            "element",
            "f",
        ),
        *("fp", "m", "p", "q", "test_elements", "v", "values", "weights", "x", "x1", "x2", "xp", "y"),
    ]
)
#: Functions that join a sequence of arrays.
_JOIN: set[Any] = {np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack}
#: Functions that make an array of a list themselves, or have it as it is.
_MAKE: set[Any] = {np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.copy}


def given_lists_as_arrays(function: Function) -> Function:
    """The function with arrays in place of lists and tuples of numbers."""
    made_by = definitions_of(function)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, Op) or not (is_numpy(s.fn) or s.fn is helpers.flatten_axes) or s.fn in _MAKE:
            return s
        if (rows := _of_rows(s)) is not None:
            return rows
        made: list[Stmt] = []

        def given(name: str, a: Atom) -> Atom:
            if (
                name in _ARRAYS
                and isinstance(a, Var)
                and isinstance(numbers := made_by.get(a), Op)
                and numbers.fn is range
            ):
                made.append(Op(a := Var("", K.Array("int64", 1)), np.arange, numbers.args, (), s.origin))
            return _given(a, name in _ARRAYS, made, s.origin)

        names = dict(zip(_parameters(s.fn), s.args, strict=False))
        args = [given(name, a) for name, a in names.items()]
        args += s.args[len(args) :]
        kwargs = tuple([(name, given(name, a)) for name, a in s.kwargs])
        if s.fn in _JOIN and args and isinstance(op := made_by.get(s.args[0]), Op):  # type: ignore[arg-type]
            args[0] = _joined(args[0], op, made, s.origin)
        return [*made, replace(s, args=tuple(args), kwargs=kwargs)] if made else s

    return with_body(function, map_stmts(function.body, change))


def _of_rows(s: Op) -> list[Stmt] | None:
    """A join of lists of numbers, one below or beside the other, by way of one array of all."""
    match s:
        case Op(Var(), fn, (Var(kind=K.List(K.List(K.Scalar(dtype)))) as rows,), ()) if dtype != "any":
            pass
        case _:
            return None
    if fn is np.vstack:
        return [replace(s, fn=np.array)]
    if fn is not np.column_stack:
        return None
    whole, turned = Var("", K.Array(dtype, 2)), Var("", K.Array(dtype, 2))
    made = [Op(whole, np.array, (rows,), (), s.origin), Op(turned, np.transpose, (whole,), (), s.origin)]
    return [*made, Op(s.target, np.copy, (turned,), (), s.origin)]


@functools.cache
def _parameters(fn: Any) -> tuple[str, ...]:
    """The names of parameters; those of ufuncs are all of arrays."""
    if isinstance(fn, np.ufunc):
        return ("x1", "x2", "x", "y")[: fn.nin]
    try:
        return tuple(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return ()


def _given(a: Atom, is_array: bool, made: list[Stmt], origin: Origin | None) -> Atom:
    kind = kind_of(a)
    if not is_array or not isinstance(kind, K.List | K.Tuple):
        return a
    wanted = as_numeric(kind)
    if not isinstance(wanted, K.Array) or wanted.rank is None or wanted.dtype == "any":
        return a
    array = Var("", wanted)
    made.append(Op(array, np.array, (a,), (), origin))
    return array


def _joined(a: Atom, op: Op, made: list[Stmt], origin: Origin | None) -> Atom:
    """What is joined, each part an array."""
    if op.fn not in (prims.make_list, prims.make_tuple):
        return a
    parts = [_given(part, True, made, origin) for part in op.args]
    if all(new is old for new, old in zip(parts, op.args, strict=True)):
        return a
    whole = Var("", K.Tuple(tuple(map(kind_of, parts))))
    made.append(Op(whole, prims.make_tuple, tuple(parts), (), origin))
    return whole
