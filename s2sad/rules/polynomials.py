"""Polynomials by their coefficients: values, derivatives and antiderivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from s2sad.rules.static import is_array, is_none, rank
from s2sad.rules.table import adjoint, composite, tangent


def one_series(c: Any) -> Any:
    """The coefficients of one polynomial; those of several are refused."""
    c = np.asarray(c)
    if rank(c) != 1:
        raise NotImplementedError("this function is differentiated for the coefficients of one polynomial")
    return c


# ---------------------------------------------------------------- values


def spread(c: Any, x: Any, tensor: Any) -> Any:
    """The coefficients of one polynomial along the first axis; those of several go over all points, or beside them."""
    c = np.asarray(c)
    if rank(c) < 2:
        return one_series(c)
    return np.reshape(c, np.shape(c) + (1,) * np.ndim(x)) if tensor else c


def points(x: Any) -> Any:
    """Where a polynomial is taken: a number or an array."""
    return np.asarray(x) if isinstance(x, (list, tuple)) else x


@composite(polynomial.polyval)
def polyval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = points(x)
    c = spread(c, x, tensor)
    y = c[-1] + x * 0
    for i in range(2, len(c) + 1):
        y = c[-i] + y * x
    return y


def series(x: Any, c: Any, first: Any, across: Callable[..., Any], back: Callable[..., Any]) -> Any:
    """The sum of c[n] P[n], where P[0] = 1, P[1] = first and P[n] = across(n) P[n - 1] - back(n) P[n - 2].

    C. W. Clenshaw, A note on the summation of Chebyshev series (1955).
    """
    zero = np.zeros_like(x) if is_array(x) else 0.0
    if len(c) == 1:
        return c[0] + 0.0 * first
    low, high = c[-2] + zero, c[-1] + zero
    for n in range(len(c) - 1, 1, -1):
        low, high = c[n - 2] - high * back(n), low + high * across(n)
    return low + high * first


@composite(chebyshev.chebval)
def chebval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = points(x)
    twice = 2.0 * x
    return series(x, spread(c, x, tensor), x, lambda n: twice, lambda n: 1.0)


@composite(legendre.legval)
def legval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = points(x)
    return series(x, spread(c, x, tensor), x, lambda n: (2 * n - 1) / n * x, lambda n: (n - 1) / n)


@composite(hermite.hermval)
def hermval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = points(x)
    twice = 2.0 * x
    return series(x, spread(c, x, tensor), twice, lambda n: twice, lambda n: 2.0 * (n - 1))


@composite(hermite_e.hermeval)
def hermeval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = points(x)
    return series(x, spread(c, x, tensor), x, lambda n: x, lambda n: n - 1)


@composite(laguerre.lagval)
def lagval(x: Any, c: Any, tensor: Any = True) -> Any:
    x = points(x)
    return series(x, spread(c, x, tensor), 1.0 - x, lambda n: (2 * n - 1 - x) / n, lambda n: (n - 1) / n)


# ---------------------------------------------------------------- other coefficients


@composite(np.polyder)
def polyder(p: Any, m: Any = 1) -> Any:
    p = one_series(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


@composite(np.polyint)
def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    if m != 1 or not (is_none(k) or rank(k) == 0):
        raise NotImplementedError("np.polyint is differentiated where it integrates once, from one constant")
    p = one_series(p) / np.arange(len(p), 0, -1)
    last = np.zeros(1) if is_none(k) else np.reshape(k, 1)
    return np.concatenate((p, last), dtype=p.dtype)


def as_long(p: Any, other: Any) -> Any:
    """A polynomial with zeros before it, up to the length of another."""
    missing = len(other) - len(p)
    return np.concatenate((np.zeros(missing, dtype=p.dtype), p)) if missing > 0 else p


@composite(np.polyadd)
def polyadd(a1: Any, a2: Any) -> Any:
    a1, a2 = one_series(a1), one_series(a2)
    return as_long(a1, a2) + as_long(a2, a1)


@composite(np.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    a1, a2 = one_series(a1), one_series(a2)
    return as_long(a1, a2) - as_long(a2, a1)


def leads(p: Any) -> Any:
    """A polynomial that does not begin with zero: NumPy drops such, and the length of the product changes."""
    p = one_series(p)
    if len(p) > 1 and p[0] == 0.0:
        raise NotImplementedError("np.polymul is differentiated where no polynomial begins with zero")
    return p


@tangent(np.polymul)
def polymul(a1: Any, a2: Any, *, da1: Any, da2: Any) -> Any:
    return np.convolve(da1, leads(a2)) + np.convolve(leads(a1), da2)


@adjoint(np.polymul, wrt=("a1", "a2"))
def polymul_adjoint(a1: Any, a2: Any, *, ct: Any) -> Any:
    a1, a2 = leads(a1), leads(a2)
    return np.correlate(ct, a2, "valid"), np.correlate(ct, a1, "valid")


@composite(np.poly)
def poly(seq_of_zeros: Any) -> Any:
    zeros = one_series(seq_of_zeros)
    p = np.ones(1, dtype=zeros.dtype)
    for z in zeros:
        p = np.concatenate((p[:1], p[1:] - z * p[:-1], -z * p[-1:]))
    return p


@composite(np.polydiv)
def polydiv(u: Any, v: Any) -> Any:
    """By long division; zeros that the remainder begins with are dropped."""
    rest, v = one_series(u) + 0.0, one_series(v) + 0.0
    n, scale = len(v), 1.0 / v[0]
    quotient = np.zeros(max(len(rest) - n + 1, 1), dtype=rest.dtype)
    for k in range(len(rest) - n + 1):
        quotient[k] = scale * rest[k]
        rest[k : k + n] -= quotient[k] * v
    while len(rest) > 1 and abs(rest[0]) <= 1e-8:  # np.allclose(rest[0], 0)
        rest = rest[1:]
    return quotient, rest


# ---------------------------------------------------------------- coefficients that rise


@composite(polynomial.polyvalfromroots)
def polyvalfromroots(x: Any, r: Any, tensor: Any = True) -> Any:
    r = one_series(r)
    return np.prod(np.expand_dims(x, -1) - r, axis=-1)
