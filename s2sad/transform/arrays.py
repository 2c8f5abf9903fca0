"""Lists and tuples that stand for arrays.

NumPy's functions take lists where they mean arrays.  Rules are written for arrays, so an active operation gets
arrays: the conversion, which is linear, is an operation of its own.

Requires: a verified function and its activity.
Ensures: what an active operation of NumPy or scipy, or an operator with an array, is differentiated by is no list or
tuple, save where it takes a sequence of arrays. Such a sequence that is written down, and has arrays in it, has no
lists.

Before::

    xs = [a, b]
    y = np.cumsum(xs)

After::

    xs = [a, b]
    t = np.array(xs)
    y = np.cumsum(t)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.frontend.builder import is_numpy
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Function, Op, Origin, Stmt, Var
from s2sad.ir.rewrite import map_stmts, with_body
from s2sad.rules.forms import as_numeric
from s2sad.rules.lookup import rule_of

__all__ = ["lists_as_arrays"]

#: Functions that join a sequence of arrays.
_JOINS: set[Any] = {np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack}
#: Of these, those that take a number for an array of one; the others raise, or want numbers only.
_TAKE_NUMBERS: set[Any] = {np.vstack, np.hstack, np.dstack, np.column_stack}
#: Functions that make an array of a sequence.
_MAKERS: set[Any] = {np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.copy}
_TAKE_SEQUENCES = _JOINS | _MAKERS
_OPERATORS: set[Any] = {
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod),
    *(operator.pow, operator.matmul),
}


def lists_as_arrays(function: Function, is_active: Callable[[Var | None], bool]) -> Function:
    """The function with arrays in place of lists and tuples in active calls of NumPy."""

    definitions = definitions_of(function)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if type(s) is not Op or not is_active(s.target):
            return s
        given = [*s.args, *(a for _, a in s.kwargs)]
        if not any(map(_is_sequence, given)):
            return s
        made: list[Stmt] = []
        for k in sorted(_array_positions(s)):
            if _is_sequence(given[k]):
                given[k] = _as_array(given[k], made, s.origin)
        fn, joined = s.fn, given[0]
        if fn in _TAKE_SEQUENCES and s.args:
            given[0] = _of_arrays(joined, fn in _TAKE_NUMBERS, definitions, made, s.origin)
        if fn in _MAKERS and given[0] is not joined:
            if len(given) > 1:
                return s
            fn = np.stack
        n = len(s.args)
        kwargs = tuple((name, a) for (name, _), a in zip(s.kwargs, given[n:], strict=True))
        return [*made, replace(s, fn=fn, args=tuple(given[:n]), kwargs=kwargs)] if made else s

    return with_body(function, map_stmts(function.body, change))


def _as_array(a: Atom, made: list[Stmt], origin: Origin | None) -> Var:
    """The array that a list or tuple is taken for, or a number that is joined with arrays."""
    if isinstance(kind_of(a), K.Scalar):
        number, a = a, Var("", K.List(kind_of(a)))
        made.append(Op(a, prims.make_list, (number,), (), origin))
    kind = as_numeric(kind_of(a))
    array = Var("", kind if isinstance(kind, K.Array) else K.Array("any", None))
    made.append(Op(array, np.array, (a,), (), origin))
    return array


def _of_arrays(
    joined: Atom, with_numbers: bool, definitions: Mapping[Var, Op], made: list[Stmt], origin: Origin | None
) -> Atom:
    """What is joined, of arrays alone: ``[0.0, x, [y]]`` as ``(np.array([0.0]), x, np.array([y]))``.

    Numbers are joined with arrays by functions of ``_TAKE_NUMBERS`` only; what makes an array of a sequence stacks it.
    """
    op = definitions.get(joined) if isinstance(joined, Var) else None
    if op is None or op.fn not in (prims.make_tuple, prims.make_list):
        return joined
    others = [a for a in op.args if _is_sequence(a) or (with_numbers and isinstance(kind_of(a), K.Scalar))]
    if not others or not any(isinstance(kind_of(a), K.Array) for a in op.args):
        return joined
    items = tuple([_as_array(a, made, origin) if a in others else a for a in op.args])
    whole = Var("", K.Tuple(tuple(map(kind_of, items))))
    made.append(Op(whole, prims.make_tuple, items, (), origin))
    return whole


def _is_sequence(a: Atom) -> bool:
    return isinstance(kind_of(a), K.List | K.Tuple)


def _of_a_library(fn: Any) -> bool:
    """Whether a primitive takes lists for arrays, as NumPy and scipy do."""
    return is_numpy(fn) or (fn.__module__ or "").startswith("scipy")


def _array_positions(op: Op) -> set[int]:
    """Which arguments of an operation, those with names after the others, are arrays that it is differentiated by."""
    if op.fn in _OPERATORS:
        return set(range(len(op.args))) if any(isinstance(kind_of(a), K.Array | K.Numeric) for a in op.args) else set()
    rule = None if op.fn in _TAKE_SEQUENCES else rule_of(op)
    if rule is None or not rule.wrt or not _of_a_library(op.fn):
        return set()
    try:
        named = {name: k for k, (name, _) in enumerate(op.kwargs, len(op.args))}
        bound = rule.bind(range(len(op.args)), named)
    except TypeError:
        return set()
    names = bound if rule.form == "elementwise" else rule.wrt  # all arguments of these are arrays
    found = [bound[name] for name in names if name in bound]
    return {k for p in found for k in (p if isinstance(p, tuple) else (p,))}
