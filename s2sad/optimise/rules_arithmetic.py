"""Rules of arithmetic for :mod:`s2sad.optimise.simplify`: signs, ones, reciprocals and integer offsets.

A rule takes the simplifier and an operation, and gives an atom that equals its value,
or operations that compute it (the last one has the target), or None.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from s2sad.ir.kinds import (
    INT,
    Array,
    Numeric,
    Scalar,
    dtype_of,
    is_float,
    join_dtypes,
)
from s2sad.ir.nodes import Atom, Const, Function, Op, Var, kind_of
from s2sad.rules.lookup import is_complex_atom
from s2sad.runtime import helpers

if TYPE_CHECKING:
    from s2sad.optimise.simplify import Simplifier

__all__ = ["ARITHMETIC", "Rewrite", "filled", "spread_like", "unsigned"]

Rewrite: TypeAlias = "Atom | tuple[Op, ...] | None"
Binary: TypeAlias = Callable[["Simplifier", Op, Atom, Atom], Rewrite]

add, sub, mul, div, neg = operator.add, operator.sub, operator.mul, operator.truediv, operator.neg


def is_number(a: Atom, value: float | None = None) -> bool:
    """Whether an atom is a literal int or float (of that value)."""
    return isinstance(a, Const) and type(a.value) in (int, float) and (value is None or a.value == value)


def is_int(a: Atom) -> bool:
    """Whether an atom is known to be a Python int."""
    return type(a.value) is int if isinstance(a, Const) else a.kind == INT


def _same_but(op: Op, fn: Callable[..., Any] | Function, *args: Atom) -> tuple[Op]:
    """One operation in place of another."""
    return (Op(op.target, fn, args, (), op.origin),)


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
        return _same_but(op, np.copy if kind.rank == 1 else np.array, x)
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
        return _same_but(op, sub, Const(m + n), y)  # 5 - (n - 1) = 6 - n
    rest = x if x is not None else y
    assert rest is not None
    total = m + n
    if total == 0:
        return rest
    new = (add, rest, Const(total)) if total > 0 else (sub, rest, Const(-total))
    return None if (op.fn, *op.args) == new else _same_but(op, *new)


# ---------------------------------------------------------------- arrays of one number


def spread_like(s: Simplifier, a: Atom) -> tuple[Atom, Atom] | None:
    """(c, like) where an operand is an array in the shape of ``like`` that holds the number c everywhere."""
    op = s.maker(a)
    if op is None:
        return None
    if op.fn is np.full_like and len(op.args) == 2 and not op.kwargs:
        return op.args[1], op.args[0]
    if op.fn in (np.ones_like, helpers.ones_like) and len(op.args) == 1 and not op.kwargs:
        return Const(1.0), op.args[0]
    if op.fn is helpers.spread and len(op.args) == 2 and not op.kwargs and isinstance(kind_of(op.args[0]), Scalar):
        return op.args[0], op.args[1]
    return None


def filled(op: Op, value: Atom, like: Atom) -> tuple[Op]:
    """The operation that makes such an array, ``like`` being known to hold floats.

    Where complex numbers and real ones meet, an array may be real that counts as complex: then the real part is meant.
    """
    if is_complex_atom(value):
        return _same_but(op, helpers.spread, value, like)
    if is_number(value, 1.0):
        return _same_but(op, np.ones_like, like)
    return _same_but(op, np.full_like, like, value)


def _spreads(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    """An array of one number with an array of its shape, or with a scalar: the number will do."""
    assert op.target is not None
    for i, (one, other) in enumerate(((a, b), (b, a))):
        spread = spread_like(s, one) if isinstance(kind_of(one), Array) else None
        if spread is None:
            continue
        value, like = spread
        kind = kind_of(other)
        if s.same_shape(one, other) or s.same_shape(like, other):
            if join_dtypes(dtype_of(kind_of(value)), dtype_of(kind)) == dtype_of(op.target.kind):
                return _same_but(op, op.fn, *((value, other) if i == 0 else (other, value)))
        elif isinstance(kind, Scalar) and dtype_of(kind) in ("float", "int") and op.fn is mul:
            t = Var(op.target.hint, Scalar("complex" if is_complex_atom(value) else "float"))
            first = Op(t, op.fn, (value, other) if i == 0 else (other, value), (), op.origin)
            return (first, *filled(op, t, like))
    return None


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
        return _same_but(op, mul, Const(2.0), a)
    x = _negated(s, b)
    if x is not None:
        return _same_but(op, sub, a, x)
    x = _negated(s, a)
    if x is not None:
        return _same_but(op, sub, b, x)
    return _with_positive(s, op, sub, a, b)


def _difference(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    x = _negated(s, b)
    return _same_but(op, add, a, x) if x is not None else _with_positive(s, op, add, a, b)


def _with_positive(s: Simplifier, op: Op, fn: Callable[..., Any], a: Atom, b: Atom) -> Rewrite:
    """``a + -2.0 * x`` is ``a - 2.0 * x``."""
    found = _negative_factor(s, b)
    if found is None:
        return None
    maker, args = found
    assert maker.target is not None
    t = Var(maker.target.hint, maker.target.kind)
    return Op(t, maker.fn, args, (), maker.origin), *_same_but(op, fn, a, t)


def _unit_factor(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    """``1.0 * x``, ``x * 1.0``, and with ``-1.0`` the negative."""
    for one, x in ((a, b), (b, a)):
        if is_number(one, 1.0):
            if is_int(x) and type(one.value) is int:  # type: ignore[union-attr]
                return x
            return _itself(s, op, x)
        if is_number(one, -1.0) and is_float(kind_of(x)):
            return _same_but(op, neg, x)
    return None


def _signs(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    """``-a * b`` is ``-(a * b)``: signs move outwards until a sum takes them."""
    x, y = _negated(s, a), _negated(s, b)
    if x is not None and y is not None and (s.single(a) or s.single(b)):
        return _same_but(op, op.fn, x, y)
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
                return _same_but(op, div, c, maker.args[1])
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
                return _same_but(op, mul, Const(product), x)
    return None


def _quotient(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    if is_number(b, 1.0):
        return _itself(s, op, a)
    return _same_but(op, neg, a) if is_number(b, -1.0) and is_float(kind_of(a)) else None


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
            return _same_but(op, maker.fn, Const(-c.value), y)  # type: ignore[union-attr]
        if is_number(y):
            return _same_but(op, maker.fn, c, Const(-y.value))  # type: ignore[union-attr]
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
    add: _binary(_integers, _sum, _spreads),
    sub: _binary(_integers, _difference, _spreads),
    mul: _binary(_unit_factor, _spreads, _signs, _reciprocal, _literal_factors),
    div: _binary(_quotient, _spreads, _signs),
    operator.floordiv: _binary(_floor),
    operator.pow: _power,
    neg: _negative,
    operator.not_: _not,
}
