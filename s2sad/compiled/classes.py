"""Questions for the class of a number, answered where all that it may be is known.

Before::

    def f(x: float64[1], a: float):
        v = x[0]
        items: list[float64] = [v]
        list_append(items, a)
        first: float64 = items[1]
        c = isinstance(first, float)
        return c

After::

    def f(x, a):
        v = x[0]
        items = [v]
        list_append(items, a)
        first = items[1]
        c = identity(True)
        return c

A kind says less than a class: what a branch, a loop or a list joins of ``1`` and ``2.5`` is that of a float. Lowering
answers where nothing is joined. Here the whole function is there, so what is joined is looked at.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; a question stays where integers and floats meet, or where it is not seen what meets.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.compiled.absent import Held
from s2sad.compiled.expand import kind_of
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Const, Function, Op, Ref, Stmt, Var
from s2sad.ir.rewrite import map_stmts, uses_of, walk, with_body

__all__ = ["classes_told", "tell_classes"]

#: The classes of numbers, Python's and NumPy's, by the first letters of a dtype.
_CLASSES: dict[str, tuple[type, ...]] = {"float": (float, np.float64), "int": (int, np.int64), "bool": (bool, np.bool_)}
#: The dtypes that are of one of these classes.
_DTYPES = {"float": "float", "float64": "float", "int": "int", "int64": "int", "bool": "bool"}


def tell_classes(lowered: Lowered) -> Lowered:
    """:func:`classes_told` of a function with its templates."""
    function = classes_told(lowered.function)
    return lowered if function is lowered.function else replace(lowered, function=function)


def classes_told(function: Function) -> Function:
    """The function with such questions answered."""
    asked = [s for s in walk(function) if isinstance(s, Op) and _asks(s)]
    if not asked:
        return function
    open_ = _open_values(function)
    answers = {s.target: a for s in asked if s.args[0] not in open_ and (a := _answer(s)) is not None}

    def change(s: Stmt) -> Stmt:
        if isinstance(s, Op) and s.target in answers:
            return replace(s, fn=prims.identity, args=(Const(answers[s.target]),))
        return s

    return with_body(function, map_stmts(function.body, change)) if answers else function


def _asks(op: Op) -> bool:
    """Whether an operation asks for the class of a number."""
    number, cls = op.args if op.fn is isinstance else (None, None)
    return isinstance(number, Var) and isinstance(number.kind, K.Scalar) and isinstance(_value(cls), type)


def _value(cls: Any) -> Any:
    """The class that is asked for, where it is written down by name."""
    return cls.value if isinstance(cls, Const | Ref) else None


def _answer(op: Op) -> bool | None:
    """The answer that all classes of numbers of a kind give, if it is one."""
    family = _DTYPES.get(K.dtype_of(kind_of(op.args[0])))
    answers = {issubclass(cls, _value(op.args[1])) for cls in _CLASSES.get(family or "", ())}
    return answers.pop() if len(answers) == 1 else None


def _open_values(function: Function) -> set[Any]:
    """The variables of which it is not known that they are of the class of their kind."""
    held, found = Held(function), set[Any]()
    given = held.merged.sources
    unseen = held.lost | held.memory.escaping | held.memory.external
    ops = [s for s in walk(function) if isinstance(s, Op) and s.target is not None and s.target not in given]

    def joins_others(target: Any, sources: Iterable[Atom]) -> bool:
        return any(a in found or _is_of_another(a, target.kind) for a in sources)

    def is_open(op: Op) -> bool:
        if op.target in held.taken:
            lists = _behind(held, held.memory.of(held.taken[op.target]))
            return not lists.isdisjoint(unseen) or any(joins_others(op.target, held.put[c]) for c in lists)
        if _is_always_float(op):
            return False
        if op.fn in (max, min):
            return joins_others(op.target, op.args)
        return isinstance(op.fn, Function) or _is_open_power(op) or any(a in found for a in uses_of(op))

    while True:
        new = {v for v, sources in given.items() if joins_others(v, sources)} | {s.target for s in ops if is_open(s)}
        if new <= found:
            return found
        found |= new


def _behind(held: Held, c: Any) -> set[Any]:
    """The classes of the lists that the items of those of a class are from."""
    found: set[Any] = set()
    todo = [c]
    while todo:
        c = todo.pop()
        if c not in found:
            found.add(c)
            todo += held.given[c]
    return found


def _is_of_another(a: Atom, kind: K.Kind) -> bool:
    """Whether a value is of another class than a kind says; of arrays, of another dtype."""
    if a == UNDEF:
        return False
    ours, theirs = (K.dtype_of(k) for k in (kind_of(a), kind))
    return K.is_numeric(kind) and _DTYPES.get(ours, ours) != _DTYPES.get(theirs, theirs)


def _is_open_power(op: Op) -> bool:
    """Whether this is a power of integers, which is a float where the exponent is negative."""
    return op.fn in (pow, operator.pow) and not any(K.is_float(kind_of(a)) for a in op.args)


def _is_always_float(op: Op) -> bool:
    """Whether an operation gives floats whatever the numbers are that it is given."""
    if op.target is None or not K.is_float(op.target.kind):
        return False
    return op.fn in (float, operator.truediv) or getattr(math, getattr(op.fn, "__name__", ""), None) is op.fn
