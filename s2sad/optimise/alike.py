"""Which values are alike, though it is not known what they are: of one shape, and of one type.

A unary function, or arithmetic with a literal, gives for a number a number, and for an array an array of the same
shape and, where that is floating, of the same dtype. Arithmetic of several gives one shape and one type, in whatever
order and however often each occurs. So do sums of what is alike, and the same parts of it. What has been fitted to one
of those that are alike fits all of them.

In::

    t = -x
    y = np.exp(t)
    by = unbroadcast(b, y)
    bt = by * y

``x``, ``t``, ``y``, ``by`` and ``bt`` are alike, and ``unbroadcast(bt, t)`` is ``bt``. What branches and loops hand on
is alike where it is on both sides, and in each iteration. A tangent is like what it is the tangent of, so callers say.

Of numbers that are not floating nothing is said but their shape: no cotangent is cast to their types. A number counts
as like an array without axes, which becomes one by arithmetic, and one of Python as like one of NumPy's: what meets
arrays of single precision may be kept in double by that, until it is fitted to the array itself.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Numeric, Scalar
from s2sad.ir.nodes import Atom, Block, Const, For, If, Op, Stmt, Var, While, kind_of
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
    helpers.tensordot_left: 1,
    helpers.tensordot_right: 2,
    helpers.einsum_transpose: 3,
}
_BINARY = frozenset(
    (
        *(operator.add, operator.sub, operator.mul, operator.truediv),
        *(np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum),
    )
)
#: What gives for arrays that are alike what is alike, if all else is the same.
_OF_ONE = (np.sum, np.mean, np.transpose, np.reshape, np.ravel, operator.getitem)


Key: TypeAlias = frozenset[Hashable]

_TRIES = 4  #: how often what a loop carries is parted anew
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
            case Op():
                self.note_made(op)

    def note_made(self, op: Op) -> None:
        """What an operation has its result broadcast and promoted from is the key of that."""
        v = op.target
        if v is None or not _is_open(v):
            return
        if op.fn in _OF_ONE and _is_open(op.args[0]):
            self.keys[v] = frozenset(((op.fn, self.key(op.args[0]), op.args[1:], op.kwargs),))
        if op.kwargs:
            return
        found = [a for a in self.made(op) if not self.is_weak(a)]
        key = frozenset[Hashable]().union(*map(self.key, found))
        if found and all(map(_is_open, found)) and len(key) <= _MOST:
            self.keys[v] = key

    def enter(self, loop: For | While) -> None:
        """A loop begins: what it carries is alike in each iteration if it is at first, and one after the other then.

        That is taken to be so of what begins alike, until an iteration says otherwise.
        """
        carried = [
            (p, self.key(init), out)
            for p, init, out in zip(loop.params, loop.inits, loop.body.outs, strict=False)
            if _is_open(p)
        ]
        begin: list[Hashable] = [key for _, key, _ in carried]
        for _ in range(_TRIES):
            self._gather([p for p, _, _ in carried], begin)
            self._run(loop.body)
            end = [(key, self.key(out)) for key, (_, _, out) in zip(begin, carried, strict=True)]
            if len(set(end)) == len(set(begin)):
                return
            begin = [*end]
        for p, _, _ in carried:
            self.keys.pop(p, None)

    def _run(self, block: Block) -> None:
        """Note what is in an iteration, and in its branches."""
        for s in block.stmts:
            match s:
                case Op(target=Var() as v):
                    self.keys.pop(v, None)
                    self.note_made(s)
                case If():
                    self._run(s.then)
                    self._run(s.orelse)
                    self.join(s)

    def leave(self, loop: For | While) -> None:
        """A loop has ended: what was alike in the last iteration, or when it began, is."""
        of = dict(zip(loop.params, loop.results, strict=False))
        self._gather([*of.values()], [self.key(p) for p in of])

    def join(self, branch: If) -> None:
        """A branch has ended: what is alike on either side is."""
        outs = zip(branch.results, branch.then.outs, branch.orelse.outs, strict=True)
        known = [(r, (self.key(a), self.key(b))) for r, a, b in outs if isinstance(a, Var) and isinstance(b, Var)]
        self._gather([r for r, _ in known], [keys for _, keys in known])
        for r in set(branch.results).difference(r for r, _ in known):
            self.keys.pop(r, None)

    def _gather(self, values: Sequence[Var], groups: Sequence[Hashable]) -> None:
        """Of values those in one group are alike, the first of which stands for all."""
        first: dict[Hashable, Key] = {}
        for v, group in zip(values, groups, strict=True):
            self.keys[v] = first.setdefault(group, frozenset((v,)))

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


def _is_open(a: Atom) -> bool:
    """Whether a value is an array, or may be, or a number of which it is not known what it is."""
    kind = kind_of(a)
    return isinstance(kind, Numeric | Array) or kind == Scalar("any")


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
