"""Polynomials where the length of a result would change, and polynomials that are objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Chebyshev, Legendre, Polynomial, chebyshev, legendre, polynomial
from rules.samples import arr
from rules.through import check

import s2sad

P, Q, C = np.poly1d([1.0, 2.0, -3.0, 0.5]), Polynomial([1, 2, 3]), Chebyshev([1.0, 0.3, -0.2], domain=[0.0, 3.0])


def total(p: Any) -> Any:
    return np.sum(np.polymul(p, np.array([1.0, 2.0])) ** 2)


def test_a_polynomial_that_begins_with_zero_is_refused() -> None:
    p = np.array([0.0, 1.0, 2.0])
    for derived in (lambda: s2sad.grad(total)(p), lambda: s2sad.jvp(total, (p,), (p,))):
        with pytest.raises(NotImplementedError, match="begins with zero"):
            derived()


def test_a_number_may_be_zero() -> None:
    np.testing.assert_array_equal(s2sad.grad(total)(np.zeros(1)), [0.0])


@pytest.mark.parametrize("x", [0.3, arr(3), arr(2, 3), np.array(0.6), np.zeros(0)], ids=str)
def test_objects_at_points(x: Any) -> None:
    check(lambda x: P(x) * Q(x) + C(x), x)
    check(lambda x: np.poly1d([1, 2])(x) ** 2 + Legendre([1.0, 2.0, 0.4])(x), x)
    check(lambda x: P.deriv()(x) + Q.deriv(2)(x) * x + C.integ()(x), x)
    check(lambda x, p=P: p(x), x)


def test_objects_at_complex_points() -> None:
    s2sad.check_grads(lambda x: np.sum(np.abs(np.poly1d([1j, 2.0])(x + 0.5j)) ** 2))(arr(3))
    with pytest.raises(NotImplementedError, match="complex coefficients"):
        s2sad.grad(lambda x: np.abs(np.poly1d([1j, 2.0])(x)))(0.3)


@pytest.mark.parametrize("f", [lambda c: np.poly1d(c)(0.3), lambda c: Polynomial(c)(0.3)], ids=["poly1d", "Polynomial"])
def test_objects_of_active_coefficients_are_refused(f: Any) -> None:
    with pytest.raises(s2sad.MissingRule):
        s2sad.vjp(f, arr(3))


ENDS, ZERO, P2 = np.array([1.0, 0.5, 0.0]), np.zeros(1), np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("f", "c", "why"),
    [
        (lambda c: chebyshev.chebmul(c, P2), ENDS, "ends with zero"),
        (lambda c: chebyshev.chebmul(c, P2), ZERO, "ends with zero"),
        (lambda c: legendre.legpow(c, 2), ENDS, "ends with zero"),
        (lambda c: polynomial.polyadd(c, P2), ENDS, "ends with zero"),
        (lambda c: polynomial.polysub(c, 0.5 * P2), np.array([3.0, 1.0]), "ends with zero"),
        (lambda c: polynomial.polymulx(c), ZERO, "is not zero"),
        (lambda c: chebyshev.chebint(c), ZERO, "is not zero"),
        (lambda c: chebyshev.poly2cheb(c), ENDS, "ends with zero"),
    ],
)
def test_lengths_that_change_are_refused(f: Any, c: Any, why: str) -> None:
    def total(c: Any) -> Any:
        return np.sum(f(c) * 2.0)

    for derived in (lambda: s2sad.grad(total)(c), lambda: s2sad.jvp(total, (c,), (c,))):
        with pytest.raises(NotImplementedError, match=why):
            derived()


def spectral_residual(c: Any, x: Any) -> Any:
    u = chebyshev.chebmul(c, chebyshev.chebder(c))
    return np.sum((chebyshev.chebval(x, u) - np.sin(x)) ** 2) + np.sum(chebyshev.cheb2poly(u))


def fitted_area(x: Any, y: Any) -> Any:
    c = legendre.legint(legendre.legfit(x, y, 3), lbnd=-1.0)
    return legendre.legval(1.0, c) + np.sum(legendre.legvander(x, 2) @ c[:3])


def surface(c: Any, x: Any) -> Any:
    return np.sum(polynomial.polyval2d(x, 0.5 * x, c) ** 2) + np.sum(
        polynomial.polygrid2d(x, x[:2], polynomial.polyder(c))
    )


def test_series_within_programs() -> None:
    check(spectral_residual, 0.3 * arr(3), np.linspace(-0.9, 0.8, 5))
    check(fitted_area, np.linspace(-1.0, 1.0, 7), arr(7))
    check(surface, 0.2 * arr(3, 4), 0.4 * arr(4))
