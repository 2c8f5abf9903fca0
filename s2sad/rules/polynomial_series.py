"""Series of polynomials by their coefficients: what numpy.polynomial has of powers and of the orthogonal families.

Each family is a recurrence, ``P[n] = (slope * x + start) P[n - 1] - back(n) P[n - 2]``, where ``across(n)`` gives slope
and start. A product is a sum of such polynomials in the matrix that x is, and its adjoints in that matrix transposed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from s2sad.rules.polynomials import one_series
from s2sad.rules.static import is_none
from s2sad.rules.table import adjoint, tangent

__all__: list[str] = []


@dataclass(frozen=True)
class Family:
    """Polynomials of each degree.

    ``times`` gives, for an array of degrees, what x times such a polynomial has of the next, of itself and of the one
    before. What there is none of is None.
    """

    across: Callable[[Any], tuple[Any, Any]]
    back: Callable[[Any], Any]
    times: Callable[[Any], tuple[Any, Any, Any]]


POWERS = Family(lambda n: (1.0, None), lambda n: None, lambda j: (1.0 + 0.0 * j, None, None))
CHEBYSHEV = Family(
    across=lambda n: (1.0 if n == 1 else 2.0, None),
    back=lambda n: 1.0,
    times=lambda j: (np.where(j == 0, 1.0, 0.5), None, 0.5 + 0.0 * j),
)
LEGENDRE = Family(
    across=lambda n: ((2.0 * n - 1.0) / n, None),
    back=lambda n: (n - 1.0) / n,
    times=lambda j: ((j + 1.0) / (2.0 * j + 1.0), None, j / (2.0 * j + 1.0)),
)
HERMITE = Family(lambda n: (2.0, None), lambda n: 2.0 * (n - 1.0), lambda j: (0.5 + 0.0 * j, None, j))
HERMITE_E = Family(lambda n: (1.0, None), lambda n: n - 1.0, lambda j: (1.0 + 0.0 * j, None, j))
LAGUERRE = Family(
    across=lambda n: (-1.0 / n, (2.0 * n - 1.0) / n),
    back=lambda n: (n - 1.0) / n,
    times=lambda j: (-1.0 - j, 2.0 * j + 1.0, -j),
)
_FAMILIES = (
    *((polynomial, "poly", POWERS), (chebyshev, "cheb", CHEBYSHEV), (legendre, "leg", LEGENDRE)),
    *((hermite, "herm", HERMITE), (hermite_e, "herme", HERMITE_E), (laguerre, "lag", LAGUERRE)),
)

# ---------------------------------------------------------------- what changes lengths


def ended(c: Any) -> Any:
    """The coefficients of a series that does not end with zero: NumPy drops such, and lengths change."""
    c = one_series(c) + 0.0
    if len(c) > 1 and c[-1] == 0.0:
        raise NotImplementedError("this function is differentiated where no polynomial ends with zero")
    return c


def not_zero(c: Any) -> Any:
    """The coefficients of a series that is not zero, of which NumPy gives a shorter one."""
    if len(c) == 1 and c[0] == 0.0:
        raise NotImplementedError("this function is differentiated where the polynomial is not zero")
    return c


def whole(result: Any, n: Any) -> Any:
    """The length of a result, from which no zeros at the end have been dropped."""
    if len(result) < n:
        raise NotImplementedError("this function is differentiated where no polynomial ends with zero")
    return n


def as_long(c: Any, n: Any) -> Any:
    """A series with zeros behind it, up to a length."""
    return np.concatenate((c, np.zeros(max(n - len(c), 0), dtype=c.dtype)))


# ---------------------------------------------------------------- x as a matrix


def degrees(n: Any, like: Any) -> Any:
    """The degrees below n, in the precision of a series."""
    return np.arange(n).astype(like.dtype)


def times_x(family: Any, c: Any) -> Any:
    """The series of x times another, which is as long: there is a zero behind it, as the last."""
    up, same, down = family.times(degrees(len(c), c))
    moved = np.concatenate((np.zeros(1, dtype=c.dtype), up[:-1] * c[:-1]))
    if not is_none(same):
        moved = moved + same * c
    if not is_none(down):
        moved = moved + np.concatenate((down[1:] * c[1:], np.zeros(1, dtype=c.dtype)))
    return moved.astype(c.dtype)


def times_x_transposed(family: Any, c: Any) -> Any:
    """The same with the matrix transposed."""
    up, same, down = family.times(degrees(len(c), c))
    moved = np.concatenate((up[:-1] * c[1:], np.zeros(1, dtype=c.dtype)))
    if not is_none(same):
        moved = moved + same * c
    if not is_none(down):
        moved = moved + np.concatenate((np.zeros(1, dtype=c.dtype), down[1:] * c[:-1]))
    return moved.astype(c.dtype)


def summed(family: Any, times: Any, c: Any, of: Any) -> Any:
    """The sum of c[n] P[n] in the matrix by which ``times`` multiplies, times a series."""
    total = c[0] * of
    low, high = of, of
    for n in range(1, len(c)):
        slope, start = family.across(n)
        new = slope * times(family, high)
        if not is_none(start):
            new = new + start * high
        if n > 1 and not is_none(family.back(n)):
            new = new - family.back(n) * low
        low, high = high, new
        total = total + c[n] * high
    return total


def product(family: Any, c1: Any, c2: Any) -> Any:
    """The product of two series, whatever they end with."""
    if family is POWERS:
        return np.convolve(c1, c2)
    return summed(family, times_x, c1, as_long(c2, len(c1) + len(c2) - 1))


def product_adjoint(family: Any, c: Any, ct: Any) -> Any:
    """The adjoint of the other factor of a product with c."""
    if family is POWERS:
        return np.correlate(ct, c, "valid")
    return summed(family, times_x_transposed, c, ct)[: len(ct) - len(c) + 1]


def declare_products(family: Any, module: Any, start: str) -> None:
    """Declare what multiplies series."""
    mul, power, roots_to = (getattr(module, f"{start}{name}") for name in ("mul", "pow", "fromroots"))

    @tangent(mul)
    def mul_tangent(c1: Any, c2: Any, *, result: Any, dc1: Any, dc2: Any) -> Any:
        whole(result, len(dc1) + len(dc2) - 1)
        return product(family, dc1, ended(c2)) + product(family, ended(c1), dc2)

    @adjoint(mul, wrt=("c1", "c2"))
    def mul_adjoint(c1: Any, c2: Any, *, result: Any, ct: Any) -> Any:
        c1, c2 = ended(c1), ended(c2)
        whole(result, len(c1) + len(c2) - 1)
        return product_adjoint(family, c2, ct), product_adjoint(family, c1, ct)

    @tangent(power)
    def pow_tangent(c: Any, pow: Any, maxpower: Any = None, *, result: Any, dc: Any) -> Any:
        whole(result, pow * (len(dc) - 1) + 1)
        if pow == 0:
            return np.zeros(1, dtype=dc.dtype)
        return product(family, pow * power(ended(c), pow - 1, None), dc)

    @adjoint(power, wrt="c")
    def pow_adjoint(c: Any, pow: Any, maxpower: Any = None, *, result: Any, ct: Any) -> Any:
        c = ended(c)
        whole(result, pow * (len(c) - 1) + 1)
        return product_adjoint(family, pow * power(c, pow - 1, None), ct) if pow > 0 else np.zeros_like(c)

    @tangent(roots_to)
    def fromroots_tangent(roots: Any, *, droots: Any) -> Any:
        moved = np.zeros(len(droots) + 1)
        for k in range(len(droots)):
            moved[:-1] -= droots[k] * roots_to(np.delete(roots, k))
        return moved

    @adjoint(roots_to, wrt="roots")
    def fromroots_adjoint(roots: Any, *, ct: Any) -> Any:
        roots = one_series(roots)
        found = np.zeros(len(roots))
        for k in range(len(roots)):
            found[k] = -np.dot(ct[:-1], roots_to(np.delete(roots, k)))
        return found

    @tangent(getattr(module, f"{start}mulx"))
    def mulx_tangent(c: Any, *, dc: Any) -> Any:
        return times_x(family, as_long(dc, len(not_zero(ended(c))) + 1))

    @adjoint(getattr(module, f"{start}mulx"), wrt="c")
    def mulx_adjoint(c: Any, *, ct: Any) -> Any:
        return times_x_transposed(family, ct)[: len(not_zero(ended(c)))]


# ---------------------------------------------------------------- linear in the coefficients


def declare_sums(module: Any, start: str, name: str, sign: float) -> None:
    """Declare the sum or the difference of two series."""
    function = getattr(module, f"{start}{name}")

    @tangent(function)
    def sum_tangent(c1: Any, c2: Any, *, result: Any, dc1: Any, dc2: Any) -> Any:
        n = max(len(ended(c1)), len(ended(c2)))
        return as_long(dc1, whole(result, n)) + sign * as_long(dc2, n)

    @adjoint(function, wrt=("c1", "c2"))
    def sum_adjoint(c1: Any, c2: Any, *, result: Any, ct: Any) -> Any:
        c1, c2 = ended(c1), ended(c2)
        whole(result, max(len(c1), len(c2)))
        return ct[: len(c1)] + 0.0, sign * ct[: len(c2)]


def along(matrix: Any, c: Any, axis: Any) -> Any:
    """A matrix times the series along an axis."""
    return np.moveaxis(np.tensordot(matrix, c, (1, axis)), 0, axis)


def declare_calculus(module: Any, start: str) -> None:
    """Declare derivatives and integrals, whose matrices are those of the series of one term each."""
    der, integral = getattr(module, f"{start}der"), getattr(module, f"{start}int")

    @tangent(der)
    def der_tangent(c: Any, m: Any = 1, scl: Any = 1, axis: Any = 0, *, dc: Any) -> Any:
        return along(der(np.eye(np.shape(dc)[axis]), m, scl), dc, axis).astype(dc.dtype)

    @adjoint(der, wrt="c")
    def der_adjoint(c: Any, m: Any = 1, scl: Any = 1, axis: Any = 0, *, ct: Any) -> Any:
        return along(np.transpose(der(np.eye(np.shape(c)[axis]), m, scl)), ct, axis).astype(ct.dtype)

    @tangent(integral)
    def int_tangent(
        c: Any, m: Any = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: Any = 0, *, result: Any, dc: Any
    ) -> Any:
        n = longer(np.shape(dc)[axis], m, np.shape(result)[axis])
        return along(integral(np.eye(n), m, [], lbnd, scl), dc, axis).astype(dc.dtype)

    @adjoint(integral, wrt="c")
    def int_adjoint(
        c: Any, m: Any = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: Any = 0, *, result: Any, ct: Any
    ) -> Any:
        n = longer(np.shape(c)[axis], m, np.shape(result)[axis])
        return along(np.transpose(integral(np.eye(n), m, [], lbnd, scl)), ct, axis).astype(ct.dtype)


def longer(n: Any, m: Any, found: Any) -> Any:
    """The length of a series whose integral of an order is as much longer: that of zero is not."""
    if found < n + m:
        raise NotImplementedError("this function is differentiated where the polynomial is not zero")
    return n


def declare_conversion(function: Any, name: str) -> None:
    """Declare what gives the same polynomial in another family, of an argument of that name."""

    def matrix(n: Any, like: Any) -> Any:
        found = np.zeros((n, n), dtype=like.dtype)
        for k in range(n):
            found[: k + 1, k] = function(np.concatenate((np.zeros(k), np.ones(1))))
        return found

    if name == "c":

        @tangent(function)
        def of_powers_tangent(c: Any, *, dc: Any) -> Any:
            return matrix(len(ended(c)), dc) @ dc

        @adjoint(function, wrt="c")
        def of_powers_adjoint(c: Any, *, ct: Any) -> Any:
            return ct @ matrix(len(ended(c)), ct)

    else:

        @tangent(function)
        def to_powers_tangent(pol: Any, *, dpol: Any) -> Any:
            return matrix(len(ended(pol)), dpol) @ dpol

        @adjoint(function, wrt="pol")
        def to_powers_adjoint(pol: Any, *, ct: Any) -> Any:
            pol = ended(pol)
            return (ct @ matrix(len(pol), ct)).astype(pol.dtype)


for _module, _start, _family in _FAMILIES:
    declare_products(_family, _module, _start)
    declare_sums(_module, _start, "add", 1.0)
    declare_sums(_module, _start, "sub", -1.0)
    declare_calculus(_module, _start)
    if _family is not POWERS:
        declare_conversion(getattr(_module, f"{_start}2poly"), "c")
        declare_conversion(getattr(_module, f"poly2{_start}"), "pol")
