"""Rules of arithmetic for :mod:`s2sad.optimise.simplify`: signs, ones, reciprocals and integer offsets.

A rule takes the simplifier and an operation, and gives an atom that equals its value,
or operations that compute it (the last one has the target), or None.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.ir.kinds import (
    Array,
    Numeric,
    Scalar,
    dtype_of,
    is_float,
)
from s2sad.ir.nodes import Atom, Const, Function, Op, Var, kind_of
from s2sad.optimise.rewriting import Binary, Rewrite, is_int, is_number, replaced
from s2sad.optimise.rules_spread import filled, spread_like, spreads, stretches

if TYPE_CHECKING:
    from s2sad.optimise.simplify import Simplifier

__all__ = ["ARITHMETIC", "unsigned"]

add, sub, mul, div, neg = operator.add, operator.sub, operator.mul, operator.truediv, operator.neg


def _then_negate(op: Op, fn: Callable[..., Any] | Function, *args: Atom) -> tuple[Op, Op]:
    """The negative of an operation."""
    assert op.target is not None
    t = Var(op.target.hint, op.target.kind)
    return Op(t, fn, args, (), op.origin), Op(op.target, neg, (t,), (), op.origin)


def _negated(s: Simplifier, a: Atom) -> Atom | None:
    """x where an operand is -x."""
    maker = s.maker(a)
    if maker is None:
        return None
    if maker.fn is mul:
        for one, x in (maker.args, maker.args[::-1]):
            if is_int(one) and is_number(one, -1):
                return x
    return maker.args[0] if maker.fn is neg else None


def _itself(s: Simplifier, op: Op, x: Atom) -> Rewrite:
    """x in place of a number that equals it; of an array that escapes, a copy."""
    assert op.target is not None
    if not is_float(kind_of(x)) or isinstance(x, Const):
        return None
    target, kind = op.target, kind_of(x)
    if isinstance(kind, Array) and kind.rank == 0:
        return None
    if s.may_stand_for(x, target):
        return x
    if isinstance(kind, Array) and isinstance(target.kind, Array):
        return replaced(op, np.copy if kind.rank == 1 else np.array, x)
    return None


# ---------------------------------------------------------------- literals and integers


def _literals(op: Op, a: Atom, b: Atom) -> Const | None:
    """Two literals, where the result is as short as they are (``2 - 1``, not ``0.1 * 3``)."""
    if not (is_number(a) and is_number(b)):
        return None
    x, y = a.value, b.value  # type: ignore[union-attr]
    if op.fn is operator.pow and (not type(x) is type(y) is int or not 0 <= y <= 8):
        return None
    if op.fn in (div, operator.floordiv, operator.mod) and y == 0:
        return None
    value = op.fn(x, y)  # type: ignore[operator]
    if isinstance(value, float) and len(repr(value)) > max(len(repr(x)), len(repr(y)), 3) + 1:
        return None
    return Const(value) if type(value) in (int, float) else None


def _offset(s: Simplifier, a: Atom) -> tuple[Atom | None, int]:
    """An int as (something, literal): ``n - 1`` is (n, -1), 3 is (None, 3)."""
    if isinstance(a, Const):
        return None, a.value
    maker = s.maker(a)
    if maker is not None and maker.fn in (add, sub):
        x, y = maker.args
        if isinstance(y, Const) and type(y.value) is int:
            return x, y.value if maker.fn is add else -y.value
        if isinstance(x, Const) and type(x.value) is int and maker.fn is add:
            return y, x.value
    return a, 0


def _integers(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    """Sums and differences of ints with literals: ``(n - 1) - 1`` is ``n - 2``."""
    if not (is_int(a) and is_int(b)):
        return None
    (x, m), (y, n) = _offset(s, a), _offset(s, b)
    if op.fn is sub:
        n = -n
        if x is not None and x == y:
            return Const(m + n)
    if (x is None) == (y is None):
        return None
    if y is not None and op.fn is sub:
        if n == 0 or isinstance(b, Const):
            return None
        return replaced(op, sub, Const(m + n), y)  # 5 - (n - 1) = 6 - n
    rest = x if x is not None else y
    assert rest is not None
    total = m + n
    if total == 0:
        return rest
    new = (add, rest, Const(total)) if total > 0 else (sub, rest, Const(-total))
    return None if (op.fn, *op.args) == new else replaced(op, *new)


# ---------------------------------------------------------------- the operators


def _binary(*rules: Binary) -> Callable[[Simplifier, Op], Rewrite]:
    """The first of the rules that applies; literals first."""

    def rule(s: Simplifier, op: Op) -> Rewrite:
        a, b = op.args
        if type(a) is Const and type(b) is Const:
            return _literals(op, a, b)
        for r in rules:
            result = r(s, op, a, b)
            if result is not None:
                return result
        return None

    return rule


def _negative_factor(s: Simplifier, a: Atom) -> tuple[Op, tuple[Atom, Atom]] | None:
    """``(op, (2.0, x))`` where an operand used once is ``-2.0 * x`` or ``-2.0 / x``."""
    maker = s.maker(a)
    if maker is not None and maker.fn in (mul, div) and s.single(a):
        for i, c in enumerate(maker.args):
            if is_number(c) and c.value < 0:  # type: ignore[union-attr]
                args = (Const(-c.value), maker.args[1]) if i == 0 else (maker.args[0], Const(-c.value))  # type: ignore[union-attr]
                return maker, args
    return None


def unsigned(s: Simplifier, a: Atom, target: Var) -> tuple[tuple[Op, ...], Atom | None]:
    """x where an operand is -x, with what computes it into ``target`` if it must be computed."""
    x = _negated(s, a)
    found = _negative_factor(s, a) if x is None else None
    if found is None:
        return (), x
    maker, args = found
    return (Op(target, maker.fn, args, (), maker.origin),), target


def _sum(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    if a == b and isinstance(a, Var) and dtype_of(a.kind).startswith("float"):
        return replaced(op, mul, Const(2.0), a)
    x = _negated(s, b)
    if x is not None:
        return replaced(op, sub, a, x)
    x = _negated(s, a)
    if x is not None:
        return replaced(op, sub, b, x)
    return _with_positive(s, op, sub, a, b)


def _difference(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    x = _negated(s, b)
    return replaced(op, add, a, x) if x is not None else _with_positive(s, op, add, a, b)


def _with_positive(s: Simplifier, op: Op, fn: Callable[..., Any], a: Atom, b: Atom) -> Rewrite:
    """``a + -2.0 * x`` is ``a - 2.0 * x``."""
    found = _negative_factor(s, b)
    if found is None:
        return None
    maker, args = found
    assert maker.target is not None
    t = Var(maker.target.hint, maker.target.kind)
    return Op(t, maker.fn, args, (), maker.origin), *replaced(op, fn, a, t)


def _unit_factor(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    """``1.0 * x``, ``x * 1.0``, and with ``-1.0`` the negative."""
    for one, x in ((a, b), (b, a)):
        if is_number(one, 1.0):
            if is_int(x) and type(one.value) is int:  # type: ignore[union-attr]
                return x
            return _itself(s, op, x)
        if is_number(one, -1.0) and is_float(kind_of(x)):
            return replaced(op, neg, x)
    return None


def _signs(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    """``-a * b`` is ``-(a * b)``: signs move outwards until a sum takes them."""
    x, y = _negated(s, a), _negated(s, b)
    if x is not None and y is not None and (s.single(a) or s.single(b)):
        return replaced(op, op.fn, x, y)
    if x is not None and s.single(a):
        return _then_negate(op, op.fn, x, b)
    if y is not None and s.single(b):
        return _then_negate(op, op.fn, a, y)
    return None


def _reciprocal(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    """``c * (1.0 / p)`` is ``c / p``, and with ``-1.0`` the negative."""
    for r, c in ((b, a), (a, b)):
        maker = s.maker(r)
        if maker is not None and maker.fn is div and s.single(r):
            if is_number(maker.args[0], 1.0):
                return replaced(op, div, c, maker.args[1])
            if is_number(maker.args[0], -1.0):
                return _then_negate(op, div, c, maker.args[1])
    return None


def _literal_factors(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    """``2.0 * (3.0 * x)`` is ``6.0 * x``, for whole numbers (the product is exact)."""
    for c, rest in ((a, b), (b, a)):
        maker = s.maker(rest) if is_number(c) else None
        if maker is None or maker.fn is not mul or not s.single(rest):
            continue
        d, x = maker.args
        if is_number(x) and not is_number(d):
            d, x = x, d
        if is_number(d) and not is_number(x):
            product = c.value * d.value  # type: ignore[union-attr]
            if float(product).is_integer() and abs(product) < 1e6 and float(c.value).is_integer():  # type: ignore[union-attr]
                return replaced(op, mul, Const(product), x)
    return None


def _quotient(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    if is_number(b, 1.0):
        return _itself(s, op, a)
    return replaced(op, neg, a) if is_number(b, -1.0) and is_float(kind_of(a)) else None


def _power(s: Simplifier, op: Op) -> Rewrite:
    x, n = op.args
    if isinstance(x, Const) and isinstance(n, Const):
        return _literals(op, x, n)
    if is_number(n, 1) and (type(n.value) is int or isinstance(kind_of(x), Scalar | Array | Numeric)):  # type: ignore[union-attr]
        return x if is_int(x) and type(n.value) is int else _itself(s, op, x)  # type: ignore[union-attr]
    if is_number(n, 0) and isinstance(kind_of(x), Scalar) and dtype_of(kind_of(x)) == "float":
        return Const(1.0)
    return None


def _negative(s: Simplifier, op: Op) -> Rewrite:
    (a,) = op.args
    if is_number(a):
        return Const(-a.value) if a.value != 0 else None  # type: ignore[union-attr]
    x = _negated(s, a)
    if x is not None:
        return x if is_int(x) else _itself(s, op, x)
    maker = s.maker(a)
    if maker is not None and s.single(a) and maker.fn in (mul, div):
        c, y = maker.args
        if is_number(c):
            return replaced(op, maker.fn, Const(-c.value), y)  # type: ignore[union-attr]
        if is_number(y):
            return replaced(op, maker.fn, c, Const(-y.value))  # type: ignore[union-attr]
    spread = spread_like(s, a)
    if spread is not None and is_number(spread[0]):
        return filled(op, Const(-spread[0].value), spread[1])  # type: ignore[union-attr]
    return None


def _floor(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    return a if is_number(b, 1) and is_int(a) and is_int(b) else None


def _not(s: Simplifier, op: Op) -> Rewrite:
    (a,) = op.args
    if isinstance(a, Const):
        return Const(not a.value)
    maker = s.maker(a)
    if maker is not None and maker.fn is operator.not_ and kind_of(maker.args[0]) == Scalar("bool"):
        return maker.args[0]
    return None


#: The rules by operator.
ARITHMETIC: dict[Callable[..., Any], Callable[[Simplifier, Op], Rewrite]] = {
    add: _binary(_integers, _sum, spreads, stretches),
    sub: _binary(_integers, _difference, spreads, stretches),
    mul: _binary(_unit_factor, spreads, stretches, _signs, _reciprocal, _literal_factors),
    div: _binary(_quotient, spreads, stretches, _signs),
    operator.floordiv: _binary(_floor),
    operator.pow: _power,
    neg: _negative,
    operator.not_: _not,
}
