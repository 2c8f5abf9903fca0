"""Linear inequalities between integers, and whether numbers satisfy them all.

An expression is a mapping from symbols to their coefficients, with its constant under ``None``. What is asked is
whether there are integers for the symbols such that no expression is negative: Fourier-Motzkin elimination, each
expression made sharper by what integers are (Pugh 1992, doi:10.1145/135226.135233). It may take for
possible what is not, never the other way round.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Mapping
from math import gcd
from typing import Any

__all__ = ["Linear", "added", "combined", "less", "possible", "scaled"]

Linear = Mapping[Hashable, int]

MANY = 200  #: expressions, beyond which all is taken to be possible


def added(a: Linear, b: Linear) -> Linear:
    """The sum of two expressions."""
    total = dict(a)
    for symbol, factor in b.items():
        total[symbol] = total.get(symbol, 0) + factor
    return total


def scaled(a: Linear, factor: int) -> Linear:
    """A multiple of an expression."""
    return {symbol: factor * k for symbol, k in a.items()}


def combined(fn: Any, a: Linear, b: Linear | None = None) -> Linear | None:
    """What a sum, difference, product or negation makes of expressions; None for a product of two that are no numbers.

    >>> combined(operator.mul, {None: 2}, {"i": 1, None: -1}), combined(operator.mul, {"i": 1}, {"j": 1})
    ({'i': 2, None: -2}, None)
    """
    if b is None:
        return scaled(a, -1)
    if fn is operator.mul:
        if b.keys() - {None}:
            a, b = b, a
        return None if b.keys() - {None} else scaled(a, b.get(None, 0))
    return added(a, b if fn is operator.add else scaled(b, -1))


def less(a: Linear, b: Linear) -> Linear:
    """The expression that is not negative where ``a < b``."""
    return added(added(b, scaled(a, -1)), {None: -1})


def possible(expressions: Iterable[Linear]) -> bool:
    """Whether integers may satisfy that none of the expressions is negative.

    >>> i, n = {"i": 1}, {"n": 1}
    >>> possible([i, less(i, n), less(n, {None: 2})]), possible([i, less(i, n), less(n, {None: 1})])
    (True, False)
    """
    known = _tightest(expressions)
    while known:
        if known.get(frozenset(), 0) < 0:
            return False
        if len(known) > MANY:
            return True
        known = _without_one(known)
    return True


_Known = dict[frozenset[tuple[Hashable, int]], int]


def _tightest(expressions: Iterable[Linear]) -> _Known:
    """The least constant of expressions by their other terms, these without a common factor."""
    known: _Known = {}
    for e in expressions:
        terms = {symbol: k for symbol, k in e.items() if symbol is not None and k != 0}
        common = gcd(*terms.values()) or 1
        key = frozenset((symbol, k // common) for symbol, k in terms.items())
        constant = e.get(None, 0) // common
        known[key] = min(known.get(key, constant), constant)
    return known


def _without_one(known: _Known) -> _Known:
    """What follows for all symbols but one, which is chosen so that little follows."""
    signs: dict[Hashable, list[int]] = {}
    for key in known:
        for symbol, k in key:
            signs.setdefault(symbol, [0, 0])[k > 0] += 1
    if not signs:
        return {}
    gone = min(signs, key=lambda symbol: signs[symbol][0] * signs[symbol][1])
    rest: list[Linear] = []
    sides: tuple[list[Linear], list[Linear]] = ([], [])
    for key, constant in known.items():
        e = {**dict(key), None: constant}
        factor = e.get(gone, 0)
        (sides[factor > 0] if factor else rest).append(e)
    for low in sides[False]:
        rest += [added(scaled(low, high[gone]), scaled(high, -low[gone])) for high in sides[True]]
    return _tightest(rest)
