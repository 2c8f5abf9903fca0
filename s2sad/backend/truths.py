"""Variables of which more is asked than whether they are true.

A comparison of NumPy's numbers gives a truth value of NumPy's. It is as true as Python's, but two of them add up to
``True``, and neither is ``True`` itself. So ``True if c else False`` may be ``c`` only where its truth is all that is
asked.

>>> from s2sad.ir.nodes import Block, Const, Function, If, Op, Var
>>> import operator
>>> from s2sad.ir.kinds import BOOL, INT
>>> c, t, y = Var("c", BOOL), Var("t", BOOL), Var("y", INT)
>>> branch = If(c, Block((), (Const(True),)), Block((), (Const(False),)), (t,))
>>> taken_whole(Function("f", (c,), Block((branch, Op(y, operator.add, (t, t))), (y,)))) == {t, y}
True
"""

from __future__ import annotations

import operator

from s2sad.ir.nodes import Atom, For, Function, If, Op, Var, While
from s2sad.ir.rewrite import blocks_of, uses_of, walk

__all__ = ["taken_whole"]

_ASK_TRUTH = (operator.not_, operator.truth, bool)


def taken_whole(function: Function) -> set[Var]:
    """Those that are operands, are stored or returned, or are handed on to what is."""
    handed: dict[Var, list[Atom]] = {}
    found: list[Atom] = [*function.body.outs]
    for s in walk(function):
        match s:
            case If(then=then, orelse=orelse, results=results):
                for v, *sources in zip(results, then.outs, orelse.outs, strict=True):
                    handed.setdefault(v, []).extend(sources)
            case For() | While():
                for v, result, *sources in zip(s.params, s.results, s.inits, s.body.outs, strict=False):
                    handed.setdefault(v, []).extend(sources)
                    handed.setdefault(result, []).append(v)
                found += (s.start, s.stop, s.step) if isinstance(s, For) else ()
            case Op(fn=fn) if any(fn is one for one in _ASK_TRUTH):
                pass
            case _:
                found += uses_of(s)
                found += [a for block in blocks_of(s) for a in block.outs]
    whole: set[Var] = set()
    while found:
        a = found.pop()
        if isinstance(a, Var) and a not in whole:
            whole.add(a)
            found += handed.get(a, ())
    return whole
