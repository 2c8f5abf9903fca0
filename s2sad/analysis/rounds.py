"""Which of the numbers that a loop carries says how many iterations it has had.

>>> import operator
>>> from s2sad.ir.kinds import INT, BOOL
>>> from s2sad.ir.nodes import Block, Const, Op, Var, While
>>> n, more, steps, test = Var("n", INT), Var("n", INT), Var("n", INT), Var("t", BOOL)
>>> head = Block((Op(test, operator.lt, (n, Const(9))),), (test,))
>>> body = Block((Op(more, operator.add, (n, Const(1))),), (more,))
>>> list(counters_of(While((n,), (Const(0),), head, body, (steps,)))) == [steps]
True
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from s2sad.ir.kinds import INT
from s2sad.ir.nodes import Atom, Const, For, Op, Var, While

__all__ = ["counters_of"]

_ZERO = Const(0)


def counters_of(s: For | While) -> Iterator[Var]:
    """The results that begin as zero and are one more after each iteration, the last included."""
    made: dict[Atom | None, Op] = {t.target: t for t in s.body.stmts if isinstance(t, Op)}
    for p, init, r, out in zip(s.params, s.inits, s.results, s.body.outs, strict=False):
        match made.get(out):
            case Op(fn=operator.add, args=(a, Const(int(one)))) | Op(fn=operator.add, args=(Const(int(one)), a)):
                if a is p and type(one) is int and one == 1 and init == _ZERO and r.kind == p.kind == INT:
                    yield r
