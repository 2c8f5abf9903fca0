"""Elementary functions in sums and products: how exact they are, also of numbers that are none."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad.compiled import mathematics, rows

SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, -5e-324, 1e-310, 2.3e-308, 1e308, -1e308, 1.0, -1.0]
SPECIAL += [1e-300, 1e-20, -1e-20, 1e-8, -1e-8, 0.34657, -0.34657, 0.3466, -0.3466, 19.0, -37.0, 30.0, -30.0, 1e16]
SPECIAL += [709.7, 709.782, 709.79, 710.5, -708.0, -740.0, -745.1, -745.2, np.nextafter(-1.0, 0.0)]


def exact_exp(x: Decimal) -> Decimal:
    return x.exp()


def exact_expm1(x: Decimal) -> Decimal:
    return x.exp() - 1


def exact_tanh(x: Decimal) -> Decimal:
    return 1 - 2 / ((2 * x).exp() + 1)


def exact_log(x: Decimal) -> Decimal:
    return x.ln()


def exact_log1p(x: Decimal) -> Decimal:
    return (1 + x).ln()


EXACT: dict[str, Callable[[Decimal], Decimal]] = {
    "exp": exact_exp,
    "expm1": exact_expm1,
    "tanh": exact_tanh,
    "log": exact_log,
    "log1p": exact_log1p,
}


def numbers(name: str) -> np.ndarray:
    """Numbers of all sizes for which the function has a finite value."""
    rng = np.random.default_rng(0)
    sizes = np.exp(rng.normal(size=150) * 8.0)
    found = np.concatenate([rng.normal(size=150), rng.normal(size=100) * 100.0, sizes, -sizes, 1.0 + sizes[:50] * 1e-9])
    if name == "log":
        return np.abs(found)
    return found[found > -1.0] if name == "log1p" else found[found < 700.0]


def ulps(name: str, x: np.ndarray, y: np.ndarray) -> float:
    """How far results are from the exact ones, in units in the last place."""
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -999999, 999999
        exact = [EXACT[name](Decimal(float(a))) for a in x]
        return max(
            float(abs(Decimal(float(b)) - e) / Decimal(float(np.spacing(abs(float(e))))))
            for b, e in zip(y, exact, strict=True)
        )


def compiled(name: str) -> Callable[[np.ndarray], Any]:
    """The function of arrays, compiled in a loop of its own."""
    ufunc = getattr(np, name)

    def f(x: Any) -> Any:
        return ufunc(x)

    return lambda x: s2sad.vjp(f, x, backend="numba")[0]


def summed(name: str) -> Callable[[np.ndarray], Any]:
    """The sum of the function, compiled."""
    ufunc = getattr(np, name)

    def f(x: Any, weights: Any) -> Any:
        total = 0.0
        for i in range(x.shape[0]):
            total += weights[i] * ufunc(x[i])
        return total

    derivative = s2sad.value_and_grad(f, wrt="weights", backend="numba")
    assert f"_{name}_row(" in derivative.source_for(np.ones(1), np.ones(1))
    return lambda x: derivative(x, np.ones(x.shape))[1]


@pytest.mark.parametrize("name", EXACT)
def test_functions_are_exact_to_four_units_in_the_last_place(name: str) -> None:
    x = numbers(name)
    assert ulps(name, x, np.array([getattr(mathematics, name)(a) for a in x])) < 4.0


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("way", [compiled, summed])
def test_functions_are_as_exact_in_compiled_loops(name: str, way: Callable[[str], Callable[[np.ndarray], Any]]) -> None:
    x = numbers(name)
    assert ulps(name, x, way(name)(x)) < 4.0


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("way", [compiled, summed])
def test_special_values_are_those_of_numpy(name: str, way: Callable[[str], Callable[[np.ndarray], Any]]) -> None:
    x = np.array(SPECIAL)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x)
        found, one_by_one = way(name)(x), np.array([getattr(mathematics, name)(a) for a in x])
    for result in (found, one_by_one):
        np.testing.assert_array_max_ulp(result, expected, 4)
    if way is compiled:  # sums have no negative zeros
        number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize("way", [compiled, summed])
def test_sines_are_those_of_numpy(name: str, way: Callable[[str], Callable[[np.ndarray], Any]]) -> None:
    rng = np.random.default_rng(0)
    multiples = np.arange(-2000, 2000) * (math.pi / 2.0)
    x = np.concatenate([rng.normal(size=500), rng.normal(size=500) * 1e5, multiples, [0.0, -0.0, 1e-300, 999999.9]])
    f = way(name)
    row = x.copy()
    getattr(rows, f"{name}_row")(row)
    for result in (f(x), row):
        np.testing.assert_array_max_ulp(result, getattr(np, name)(x), 4)
    np.testing.assert_array_equal(np.signbit(row), np.signbit(getattr(np, name)(x)))


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sines_of_large_numbers_and_of_none_are_those_of_numpy(name: str) -> None:
    x = np.array([1.0, 1e7, -1e22, 1e300, np.nan, np.inf, -np.inf])
    f = summed(name)
    row = x.copy()
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x)
        getattr(rows, f"{name}_row")(row)
        for result in (f(x), row):
            np.testing.assert_array_max_ulp(result, expected, 4)


@pytest.mark.parametrize("n", [-3, 0, 1, 7, 8, 9])
def test_rows_have_ones_at_their_end(n: int) -> None:
    row = rows.row(n)
    assert row.shape == ({-3: 0, 0: 0, 9: 16}.get(n, 8),)
    np.testing.assert_array_equal(row[max(n, 0) :], 1.0)


def test_powers_of_rows() -> None:
    rng = np.random.default_rng(0)
    for n, y in [(5, 1.7), (21, -0.3), (300, 40.3), (300, -700.5), (8, 1e6), (8, np.nan)]:
        for x in (np.exp(rng.normal(size=n) * 5.0), rng.normal(size=n), np.array([0.0, 2.0, np.inf, np.nan, 1.0])):
            found = x.copy()
            with np.errstate(all="ignore"):
                rows.power_row(found, np.float64(y))
                np.testing.assert_array_max_ulp(found, x**y, 4)
