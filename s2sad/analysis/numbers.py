"""Which parameters can only be real numbers, by what becomes of them.

A function of the math module takes numbers. A sum, a product or a power of two operands is a real number only if both
are: one array, or one complex number, makes it another. So what a number is computed from by such operations is numbers
again, and in a gradient, whose function must give one, that begins with the result.

Before::

    def f(x: any, y: any, a: any[?]):
        t: any = x * y
        s: any = np.sum(a)
        r: any = t + s
        return r

After: if ``r`` is a number then ``x`` and ``y`` are. ``a`` may be anything.

Requires: a verified function.
Ensures: where a run of it ends, and with a real number if that is asked for, these parameters were real numbers. Loops
are taken to run once at least: what is used nowhere else would be anything.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from s2sad.ir.kinds import is_numeric, rank_of
from s2sad.ir.nodes import Atom, Block, Callee, For, Function, If, Op, Stmt, Var, While, With

__all__ = ["only_numbers"]

_OPERATORS = frozenset(
    (
        *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow),
        *(operator.neg, operator.pos),
    )
)
#: Functions of the math module that take something else.
_OF_OTHERS = frozenset(
    f
    for name in ("fsum", "prod", "dist", "sumprod", "gcd", "lcm", "factorial", "comb", "perm", "isqrt")
    if (f := getattr(math, name, None)) is not None
)


def only_numbers(function: Function, result_is_number: bool) -> frozenset[Var]:
    """The parameters, and what they hold, that are real numbers; ``result_is_number`` says that the result is one."""
    search = _Search({})
    search.block(function.body, (result_is_number,))
    return frozenset(search.numbers)


class _Search:
    """Walks a function from its end, and notes what is a number there."""

    def __init__(self, callees: dict[Callee, frozenset[Var]]) -> None:
        self.numbers: set[Var] = set()
        self.noted: list[Var] = []  #: in order, to come back to
        self.callees = callees  #: the parameters that are numbers where the result is

    def note(self, atoms: Iterable[Atom]) -> None:
        """These are numbers, or arrays without axes."""
        for a in atoms:
            if isinstance(a, Var) and is_numeric(a.kind) and not rank_of(a.kind) and a not in self.numbers:
                self.numbers.add(a)
                self.noted.append(a)

    def forget(self, mark: int) -> list[Var]:
        """What was noted since a mark, which is no longer said of it."""
        since = self.noted[mark:]
        del self.noted[mark:]
        self.numbers.difference_update(since)
        return since

    def block(self, block: Block, outs: Iterable[bool]) -> None:
        """A block that is run, of which some outs are numbers."""
        self.note(a for a, wanted in zip(block.outs, outs, strict=False) if wanted)
        for s in reversed(block.stmts):
            self.stmt(s)

    def stmt(self, s: Stmt) -> None:
        """A statement that is run."""
        match s:
            case Op():
                self.op(s)
            case If(then=then, orelse=orelse, results=results):
                self.either(then, orelse, [r in self.numbers for r in results])
            case For(body=body):
                self.loop(s, body)
            case While(body=body, test=test):
                self.loop(s, body)
                self.block(test, ())
            case With(body=body, results=results):
                self.block(body, [r in self.numbers for r in results])

    def op(self, op: Op) -> None:
        """What an operation asks of its operands."""
        if isinstance(op.fn, Callee):
            if op.target in self.numbers and op.fn.function is not None:
                wanted = self.of_callee(op.fn)
                params = op.fn.function.params
                self.note(a for a, p in zip(op.args, params, strict=False) if p in wanted)
        elif _needs_numbers(op.fn) or (op.target in self.numbers and not op.kwargs and _hands_on(op.fn)):
            self.note(op.args[1:] if op.fn is np.where else op.args)

    def of_callee(self, callee: Callee) -> frozenset[Var]:
        """The parameters of a callee that are numbers if its result is; none where it calls itself."""
        if callee not in self.callees:
            self.callees[callee] = frozenset()
            assert callee.function is not None
            search = _Search(self.callees)
            search.block(callee.function.body, (True,))
            self.callees[callee] = frozenset(p for p in callee.function.params if p in search.numbers)
        return self.callees[callee]

    def either(self, then: Block, orelse: Block, wanted: list[bool]) -> None:
        """Of two branches one is run: what is said of it holds if both say it."""
        mark = len(self.noted)
        self.block(then, wanted)
        found = set(self.forget(mark))
        self.block(orelse, wanted)
        self.note([v for v in self.forget(mark) if v in found])

    def loop(self, loop: For | While, body: Block) -> None:
        """What a loop carries is a number in each iteration if that follows from the iteration after it."""
        carried = [r in self.numbers for r in loop.results]
        mark = len(self.noted)
        for attempt in range(2):
            self.block(body, carried)
            params = [p in self.numbers for p in loop.params]
            still = [c and p for c, p in zip(carried, params, strict=True)]
            if still == carried:
                self.note(a for a, p in zip(loop.inits, params, strict=True) if p)
                return
            self.forget(mark)
            carried = still if attempt == 0 else []
        self.block(body, ())


@cache
def _needs_numbers(fn: Any) -> bool:
    """Whether a function takes nothing but real numbers.

    >>> _needs_numbers(math.log), _needs_numbers(np.log), _needs_numbers(math.fsum)
    (True, False, False)
    """
    return getattr(fn, "__module__", None) == "math" and fn not in _OF_OTHERS


@cache
def _hands_on(fn: Any) -> bool:
    """Whether a function gives a real number only of real numbers.

    >>> [_hands_on(f) for f in (np.exp, np.abs, np.less, np.maximum, np.matmul, operator.mul)]
    [True, False, False, True, False, True]
    """
    if isinstance(fn, np.ufunc):
        return fn.signature is None and fn.nout == 1 and all(map(_keeps_complex, fn.types))
    return fn in _OPERATORS or fn is np.where


def _keeps_complex(loop: str) -> bool:
    """Whether a ufunc gives complex numbers of operands that have some among them, and no truth values of floats."""
    operands, result = loop.split("->")
    return result in "FDG" if set(operands) & set("FDG") else result != "?" or not set(operands) & set("efdg")
