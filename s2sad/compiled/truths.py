"""Truth values, of which NumPy's and Python's are one type to Numba: refused where it would matter which they are.

What a comparison of NumPy's numbers gives is not ``True`` itself, and to Numba it is. ``~True`` is -2 in Python, and
``~np.True_`` is ``np.False_``.

Requires: the IR of a derivative, before what it reads outside becomes arguments.
Ensures: the function as it is. :class:`~s2sad.errors.CompileError` where Numba would answer otherwise than Python.
"""

from __future__ import annotations

import operator

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.analysis.truths import classes_of_truth
from s2sad.errors import CompileError
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, For, Function, If, Op, Var, While, kind_of
from s2sad.ir.rewrite import walk

__all__ = ["refuse_mistaken_truths"]

_ITSELF = (
    "whether a truth value is `True` or `False` itself cannot be compiled where it may be one of NumPy's, which is not."
)
_INVERTED = "`~` of a truth value cannot be compiled where it may be one of Python's, of which it gives an integer."


_ASK = (operator.is_, operator.is_not, operator.invert)


def refuse_mistaken_truths(function: Function) -> None:
    """Refuse to ask of what may be NumPy's whether it is ``True`` itself, and ``~`` of what may be Python's."""
    _refuse(_Truths(function, (bool,)))
    seen: set[Function] = set()
    todo = _called(function)
    while todo:
        called = todo.pop()
        if called not in seen:
            seen.add(called)
            todo += _called(called)
            _refuse(_Truths(called, (bool, np.bool_)))


def _called(function: Function) -> list[Function]:
    """The functions of its own that a function calls."""
    return [s.fn for s in walk(function) if isinstance(s, Op) and isinstance(s.fn, Function)]


def _refuse(truths: _Truths) -> None:
    for s in truths.asked:
        if s.fn is operator.invert:
            if truths.may_be(bool, s.args[0], set()):
                raise CompileError(_INVERTED, "Write `not`.", origin=s.origin)
        elif any(truths.may_be(np.bool_, a, set()) for a in s.args):
            raise CompileError(_ITSELF, "Leave out `is True`, or ask `bool(...)` of it.", origin=s.origin)


def _is_truth(a: Atom) -> bool:
    return kind_of(a) == K.BOOL


class _Truths:
    """The truth values of a function, and of which class they may be: those that are ``passed``, of these.

    What is passed to a derivative is Python's, for lowering puts an operation where it is not.
    """

    def __init__(self, function: Function, passed: tuple[type, ...]) -> None:
        self.asked = [
            s
            for s in walk(function)
            if isinstance(s, Op) and s.fn in _ASK and any(map(_is_truth, s.args)) and Const(None) not in s.args
        ]
        self.passed = passed
        self.definitions = definitions_of(function)
        self.merged = _merged(function)

    def may_be(self, cls: type, a: Atom, seen: set[Atom]) -> bool:
        """Whether a value may be of a class."""
        if a in seen or kind_of(a) in (K.NONE, K.BOTTOM):
            return False
        seen.add(a)
        if isinstance(a, Var) and a in self.merged:
            return any(self.may_be(cls, part, seen) for part in self.merged[a])
        passed = isinstance(a, Var) and a not in self.definitions
        return cls in (self.passed if passed else classes_of_truth(a, self.definitions))


def _merged(function: Function) -> dict[Var, tuple[Atom, ...]]:
    """What branches and loops hand on, by what goes on from there."""
    found: dict[Var, tuple[Atom, ...]] = {}
    for s in walk(function):
        match s:
            case If(then=then, orelse=orelse, results=results):
                found.update(zip(results, zip(then.outs, orelse.outs, strict=True), strict=True))
            case For() | While():
                for v, result, one, other in zip(s.params, s.results, s.inits, s.body.outs, strict=False):
                    found[v] = found[result] = (one, other)
    return found
