"""Which values are alike, though it is not known what they are: of one shape, and of one type.

A unary function, or arithmetic with a literal, gives for a number a number, and for an array an array of the same
shape and, where that is floating, of the same dtype. Arithmetic of several gives one shape and one type, in whatever
order and however often each occurs. What has been fitted to one of those that are alike fits all of them.

In::

    t = -x
    y = np.exp(t)
    by = unbroadcast(b, y)
    bt = by * y

``x``, ``t``, ``y``, ``by`` and ``bt`` are alike, and ``unbroadcast(bt, t)`` is ``bt``.

Of numbers that are not floating nothing is said but their shape: no cotangent is cast to their types. A number counts
as like an array without axes, which becomes one by arithmetic, and one of Python as like one of NumPy's: what meets
arrays of single precision may be kept in double by that, until it is fitted to the array itself.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Numeric
from s2sad.ir.nodes import Atom, Const, For, Op, Stmt, Var, kind_of
from s2sad.runtime import helpers

__all__ = ["FITTED", "Alike"]

#: Helpers that give a value the form of one of their operands, and which operand that is.
FITTED: dict[Any, int] = {
    helpers.unbroadcast: 1,
    helpers.spread: 1,
    helpers.dot_left: 1,
    helpers.dot_right: 2,
    helpers.matmul_left: 1,
    helpers.matmul_right: 2,
}
_BINARY = frozenset(
    (
        *(operator.add, operator.sub, operator.mul, operator.truediv),
        *(np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum),
    )
)


Key: TypeAlias = frozenset[Hashable]

_MOST = 8  #: values in a key: one of many is not found again often, and each takes time to put together


class Alike:
    """Filled in as a pass meets the operations; two values are alike that have one key.

    A key is a set of values: what has it is broadcast and promoted from all of them, literals and counts apart.
    """

    def __init__(self) -> None:
        self.keys: dict[Atom, Key] = {}
        self.counts: set[Atom] = set()
        self.taped: dict[Var, tuple[Var, Key] | None] = {}  #: what the iterations of a loop append to lists

    def same(self, a: Atom, b: Atom) -> bool:
        """Whether two values are known to be alike."""
        return isinstance(a, Var) and isinstance(b, Var) and self.key(a) == self.key(b)

    def key(self, a: Atom) -> Key:
        """What all that are like a value have in common."""
        return self.keys.get(a) or frozenset((a,))

    def note(self, op: Op, loop: Stmt | None, is_tape: bool) -> None:
        """An operation has run, in a loop; ``is_tape``: what is done to its list is done in one place."""
        match op:
            case Op(target=Var() as v, fn=fn) if fn is len or fn is np.size:
                self.counts.add(v)
            case Op(target=Var() as v, fn=fn) if fn in (max, min) and all(map(self.is_weak, op.args)):
                self.counts.add(v)
            case Op(fn=prims.list_append, args=(Var() as tape, a)):
                self.taped[tape] = (loop.index, self.key(a)) if is_tape and isinstance(loop, For) else None
            case Op(target=Var() as copy, fn=prims.list_copy, args=(Var() as tape,)):  # for one call of a pullback
                self.taped[copy] = self.taped.get(tape) if is_tape else None
            case Op(target=Var() as v, fn=prims.list_pop, args=(Var() as tape, Const(-1))):
                index, key = self.taped.get(tape) or (None, frozenset())
                if is_tape and isinstance(loop, For) and index is not None and loop.reverses is index:
                    self.keys[v] = frozenset(("taken back", root) for root in key)
            case Op(target=Var() as v, kwargs=()) if isinstance(v.kind, Numeric | Array):
                found = [a for a in self.made(op) if not self.is_weak(a)]
                key = frozenset[Hashable]().union(*map(self.key, found))
                if found and all(isinstance(kind_of(a), Numeric | Array) for a in found) and len(key) <= _MOST:
                    self.keys[v] = key

    def is_weak(self, a: Atom) -> bool:
        """Whether a value is a real number of Python, which takes the type of what it meets: a literal, or a count."""
        return type(a.value) in (int, float) if isinstance(a, Const) else a in self.counts

    def made(self, op: Op) -> tuple[Atom, ...]:
        """The operands that the result of an operation is broadcast and promoted from; none where that is not so."""
        if (place := _place(op.fn)) is not None:
            return (op.args[place],)
        match op.args:
            case (a,) if op.fn in (operator.neg, operator.pos) or _keeps_type(op.fn):
                return (a,)
            case (Var() as a, Const(int())) if op.fn in (operator.pow, np.power):
                return (a,)
            case (_, _) if op.fn in _BINARY:
                return op.args
        return ()


def _place(fn: Any) -> int | None:
    try:
        return FITTED.get(fn)
    except TypeError:  # unhashable: the user's
        return None


def _keeps_type(fn: Any) -> bool:
    return isinstance(fn, np.ufunc) and _same_type(fn)


@cache
def _same_type(fn: np.ufunc) -> bool:
    """Whether a ufunc of one operand gives what is floating for such, of the same type.

    >>> [_same_type(f) for f in (np.exp, np.abs, np.isnan, np.add)]
    [True, False, False, False]
    """
    if fn.signature is not None or (fn.nin, fn.nout) != (1, 1):
        return False
    floating = [loop for loop in fn.types if loop[0] in "efdgFDG"]
    return bool(floating) and all(loop[0] == loop[-1] for loop in floating)
