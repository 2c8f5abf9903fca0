"""Powers of integers as floats, where that is what they are used for.

Before::

    def f(x: float64[1], s: int):
        t: any = 2 ** s
        y: any[1] = x / t
        return y

After::

    def f(x, s):
        t = float(2)
        t_1 = t ** s
        y = x / t_1
        return y

An integer to a power is an integer or a float, by the sign of the power, and a variable has one type in machine code.
Where all that uses it is arithmetic with floats, and comparison, the two are the same. Elsewhere it is an integer, and
compiled code raises where the power is negative. So it is with factorials and the like, which 64 bits soon do not hold:
where they only meet floats they are floats, and elsewhere compiled code raises where they are too large.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values, to the last rounding.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad.compiled.expand import kind_of
from s2sad.compiled.settle import resettled
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import all_blocks, map_stmts, uses_of, walk, with_body
from s2sad.transform.assemble import retold

__all__ = ["powers_as_floats", "tell_powers"]

_WITH_FLOATS: set[Any] = {
    *(operator.add, operator.sub, operator.mul, operator.truediv),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
}
#: What forms have for integers and for floats (:mod:`s2sad.compiled.forms_math`).
_COUNTED: set[Any] = {math.factorial, math.comb, math.perm}


def tell_powers(lowered: Lowered) -> Lowered:
    """:func:`powers_as_floats` of a function with its templates."""
    function, renamed = powers_as_floats(lowered.function)
    if function is lowered.function:
        return lowered
    return replace(lowered, function=function, result=retold(lowered.result, renamed))


def powers_as_floats(function: Function) -> tuple[Function, Mapping[Var, Atom]]:
    """The function with such powers as floats, others known to be integers, and what variables go by now."""
    powers = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None and _is_open(s)}
    if not powers:
        return function, {}
    whole = _used_as_integers(function, set(powers))
    found: dict[Var, Atom] = {v: Var(v.hint, K.INT if v in whole else K.FLOAT) for v in powers}

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, Op) or s.target not in powers:
            return s
        target = found[s.target]
        assert isinstance(target, Var)
        if s.target in whole or s.fn in _COUNTED:
            return replace(s, target=target)
        base = Var("", K.FLOAT)
        return [Op(base, float, s.args[:1], (), s.origin), Op(target, s.fn, (base, *s.args[1:]), (), s.origin)]

    body = map_stmts(function.body, change)
    return resettled(with_body(function, body), found)


def _is_open(op: Op) -> bool:
    """Whether this is an integer to a power that may be negative, or what is soon too large for an integer."""
    if op.fn in _COUNTED:
        return True
    if op.fn not in (operator.pow, pow) or len(op.args) != 2:
        return False
    return all(kind_of(a) == K.INT for a in op.args) and not isinstance(op.args[1], Const)


def _used_as_integers(function: Function, powers: set[Var]) -> set[Var]:
    """Those of some variables that are used for more than arithmetic with floats, and comparison with them."""
    found = {a for block in all_blocks(function) for a in block.outs if a in powers}
    for s in walk(function):
        used = [a for a in uses_of(s) if a in powers]
        if used and not _is_with_floats(s, powers):
            found.update(a for a in used if isinstance(a, Var))
    return {v for v in found if isinstance(v, Var)}


def _is_with_floats(s: Stmt, powers: set[Var]) -> bool:
    """Whether a statement makes floats of the powers that it uses."""
    if not isinstance(s, Op) or s.fn not in _WITH_FLOATS or s.kwargs:
        return False
    others = [a for a in s.args if a not in powers]
    return s.fn is operator.truediv or any(K.is_float(kind_of(a)) for a in others)
