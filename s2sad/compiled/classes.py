"""Questions for the class of a number, or the dtype of an array, answered where all that it may be is known.

Before::

    def f(x: float64[1], a: float):
        v = x[0]
        items: list[float64] = [v]
        list_append(items, a)
        first: float64 = items[1]
        c = isinstance(first, float)
        if c:
            y: float64 = first * 2.0
            give (y)
        else:
            give (a)
        -> z
        return z

After::

    def f(x, a):
        v = x[0]
        items = [v]
        list_append(items, a)
        first = items[1]
        y = first * 2.0
        return y

A kind says less than a class: what a branch, a loop or a list joins of ``1`` and ``2.5`` is that of a float. Lowering
answers where nothing is joined. Here the whole function is there, so what is joined is looked at.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; a question stays where integers and floats meet, or where it is not seen what meets.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.compiled.absent import Held
from s2sad.compiled.expand import kind_of
from s2sad.compiled.settle import resettled
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Const, Function, If, Op, Ref, Stmt, Var
from s2sad.ir.rewrite import map_stmts, resolve, uses_of, walk, with_body
from s2sad.transform.assemble import retold

__all__ = ["classes_told", "tell_classes"]

#: The classes of numbers, Python's and NumPy's, by the first letters of a dtype.
_CLASSES: dict[str, tuple[type, ...]] = {"float": (float, np.float64), "int": (int, np.int64), "bool": (bool, np.bool_)}
#: The dtypes that are of one of these classes.
_DTYPES = {"float": "float", "float64": "float", "int": "int", "int64": "int", "bool": "bool"}


def tell_classes(lowered: Lowered) -> Lowered:
    """:func:`classes_told` of a function with its templates."""
    function, renamed = classes_told(lowered.function)
    if function is lowered.function:
        return lowered
    return replace(lowered, function=function, result=retold(lowered.result, renamed))


def classes_told(function: Function) -> tuple[Function, Mapping[Var, Atom]]:
    """The function with such questions answered, and what variables go by now."""
    definitions = definitions_of(function)
    asked = {s.target: about for s in walk(function) if isinstance(s, Op) and (about := _asked(s, definitions))}
    if not asked:
        return function, {}
    open_ = _open_values(function)
    answers = {v: a for v, (x, answer) in asked.items() if x not in open_ and (a := answer()) is not None}
    if not answers:
        return function, {}
    known: dict[Var, Atom] = {v: Const(a) for v, a in answers.items() if v is not None}

    def change(s: Stmt) -> Stmt | Iterable[Stmt]:
        match s:
            case Op(target=target) if target in answers:
                return ()
            case If(cond=Var() as cond) if cond in answers:
                taken = s.then if answers[cond] else s.orelse
                known.update(zip(s.results, taken.outs, strict=True))
                return taken.stmts
        return s

    return resettled(with_body(function, map_stmts(function.body, change)), resolve(known))


def _asked(op: Op, definitions: Mapping[Var, Op]) -> tuple[Var, Callable[[], bool | None]] | None:
    """The value that an operation asks the class of, or an array of which it asks the dtype, and the answer."""
    match op:
        case Op(
            fn=builtins.isinstance,
            args=(Var(kind=K.Scalar(dtype)) as x, Const(value=type() as cls) | Ref(value=type() as cls)),
        ):
            family = _CLASSES.get(_DTYPES.get(dtype, ""), ())
            return x, lambda: _common(issubclass(c, cls) for c in family)
        case Op(fn=np.issubdtype, args=(Var() as dtype, Const(value=type() as cls) | Ref(value=type() as cls))):
            match definitions.get(dtype):
                case Op(fn=prims.getattr_, args=(Var(kind=K.Array(name)) as x, Const("dtype"))) if (
                    name in np.sctypeDict
                ):
                    return x, lambda: bool(np.issubdtype(name, cls))
    return None


def _common(answers: Iterable[bool]) -> bool | None:
    """The one answer, if all give the same."""
    found = set(answers)
    return found.pop() if len(found) == 1 else None


def _open_values(function: Function) -> set[Any]:
    """The variables of which it is not known that they are of the class of their kind."""
    values = _Values(function)
    while True:
        new: set[Any] = {v for v, sources in values.merged.items() if values.joins_others(v, sources)}
        new |= {s.target for s in values.ops if values.is_open(s)}
        if new <= values.open:
            return values.open
        values.open |= new


class _Values:
    """What may be of another class than its kind says: ``open``, as far as it is found."""

    def __init__(self, function: Function) -> None:
        self.open: set[Any] = set()
        self.held = held = Held(function)
        self.merged = held.merged.sources
        self.unseen = held.lost | held.followed | held.memory.escaping | held.memory.external
        self.ops = [
            s for s in walk(function) if isinstance(s, Op) and s.target is not None and s.target not in self.merged
        ]
        shortened = {held.memory.of(s.args[0]) for s in self.ops if s.fn is prims.list_pop}
        made = {s.target: len(s.args) for s in self.ops if s.fn is prims.make_list and s.target is not None}
        #: How many items there are in lists that are written down, of which none is taken away.
        self.written = {v: n for v, n in made.items() if held.memory.of(v) not in shortened}

    def is_open(self, op: Op) -> bool:
        """Whether what an operation gives may be of another class."""
        if op.target in self.held.taken:
            return self.holds_others(self.held.taken[op.target])
        if _is_always_float(op):
            return False
        if op.fn in (max, min):
            return self.joins_others(op.target, op.args)
        made = op.fn in (np.array, np.asarray)
        if any(self.holds_others(a, made) for a in op.args if isinstance(kind_of(a), K.List)):
            return True
        return isinstance(op.fn, Function) or _is_open_power(op) or any(a in self.open for a in uses_of(op))

    def joins_others(self, target: Any, sources: Iterable[Atom]) -> bool:
        """Whether one of the values that may go under a name may be of another class."""
        return any(a in self.open or _is_of_another(a, target.kind) for a in sources)

    def holds_others(self, xs: Any, made: bool = False) -> bool:
        """Whether an item of a list may be of another class, or of the array that is ``made`` of it.

        An array of integers and floats is one of floats.
        """
        lists = _behind(self.held, self.held.memory.of(xs))
        items = [a for c in lists for a in self.held.put[c]]
        others = [a for a in items if a in self.open or _is_of_another(a, xs.kind.item)]
        if made and self.written.get(xs) == len(items) > len(others):
            return False
        return not lists.isdisjoint(self.unseen) or bool(others)


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
