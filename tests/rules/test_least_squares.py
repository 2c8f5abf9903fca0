"""np.linalg.lstsq, fits and pseudo-inverses, through the public interface."""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from rules.samples import arr, square

import s2sad

PAIRS = [(arr(5, 3), arr(5)), (arr(5, 3), arr(5, 2)), (arr(2, 4), arr(2)), (arr(2, 4), arr(2, 3)), (square(3), arr(3))]


def solution(a: np.ndarray, b: np.ndarray) -> Any:
    return np.sum(np.sin(np.linalg.lstsq(a, b)[0]))


def residuals(a: np.ndarray, b: np.ndarray) -> Any:
    return np.sum(np.sin(np.linalg.lstsq(a, b, rcond=None)[1]))


def values(a: np.ndarray, b: np.ndarray) -> Any:
    return np.sum(np.sin(np.linalg.lstsq(a, b)[3]))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: str([x.shape for x in pair]))
@pytest.mark.parametrize("f", [solution, residuals, values])
def test_parts(f: Any, pair: tuple[np.ndarray, np.ndarray]) -> None:
    s2sad.check_grads(f, wrt=(0, 1))(*pair)


def test_the_parts_are_those_of_numpy() -> None:
    def everything(a: np.ndarray, b: np.ndarray) -> Any:
        return np.linalg.lstsq(a, b, rcond=None)

    for pair in PAIRS:
        got, _ = s2sad.vjp(everything, *pair)
        for part, want in zip(got, np.linalg.lstsq(*pair, rcond=None), strict=True):
            np.testing.assert_allclose(part, want, atol=1e-12)


# ---------------------------------------------------------------- columns that are almost alike


def exact_slope(f: Any, x: np.ndarray, place: int) -> float:
    """The derivative of a function by one of some numbers, in fractions, up to the square of a small step."""
    h = Fraction(1, 2**60)
    ends = [[Fraction(v) + (sign * h if k == place else 0) for k, v in enumerate(x.tolist())] for sign in (1, -1)]
    return float((f(ends[0]) - f(ends[1])) / (2 * h))


def solved(a: list[list[Fraction]], b: list[list[Fraction]]) -> list[list[Fraction]]:
    """The solution of equations, by elimination."""
    rows = [[*r, *s] for r, s in zip(a, b, strict=True)]
    n = len(rows)
    for k in range(n):
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [v - rows[i][k] * w for v, w in zip(rows[i], rows[k], strict=True)]
    return [r[n:] for r in rows]


def normal(x: list[Fraction], degree: int) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """The products of powers with each other, and the powers, of the highest first."""
    powers = [[v ** (degree - k) for v in x] for k in range(degree + 1)]
    return [[sum(map(operator.mul, p, q), Fraction()) for q in powers] for p in powers], powers


def test_fits_of_high_degree() -> None:
    x, degree, n = np.linspace(0.0, 1.0, 13), 10, 13
    y = np.cos(9.0 * np.arange(n))

    def exact(x: list[Fraction]) -> Fraction:
        squares, powers = normal(x, degree)
        right = [[sum((p * Fraction(v) for p, v in zip(row, y.tolist(), strict=True)), Fraction())] for row in powers]
        return sum((c[0] * k for k, c in enumerate(solved(squares, right), 1)), Fraction())

    def f(x):
        return np.sum(np.polyfit(x, y, degree) * np.arange(1.0, degree + 2))

    slope = exact_slope(exact, x, 4)
    assert s2sad.grad(f)(x)[4] == pytest.approx(slope, rel=1e-6)
    assert s2sad.jvp(f, (x,), (np.eye(n)[4],))[1] == pytest.approx(slope, rel=1e-6)


def test_pseudo_inverses_of_high_condition() -> None:
    x, degree = np.linspace(0.0, 1.0, 10), 7

    def exact(x: list[Fraction]) -> Fraction:
        return sum((row[j] * k for k, row in enumerate(solved(*normal(x, degree)), 1) for j in (0, 3, 4)), Fraction())

    def f(x):
        found = np.linalg.pinv(np.vander(x, degree + 1))
        return np.sum((found[:, 0] + found[:, 3] + found[:, 4]) * np.arange(1.0, degree + 2))

    def turned(x):
        found = np.linalg.pinv(np.transpose(np.vander(x, degree + 1)))
        return np.sum((found[0] + found[3] + found[4]) * np.arange(1.0, degree + 2))

    slope = exact_slope(exact, x, 4)
    for function in (f, turned):
        assert s2sad.grad(function)(x)[4] == pytest.approx(slope, rel=1e-8)
        assert s2sad.jvp(function, (x,), (np.eye(10)[4],))[1] == pytest.approx(slope, rel=1e-8)
