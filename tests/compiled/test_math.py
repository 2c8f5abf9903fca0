"""Functions of ``math`` that Numba lacks, or has with fewer arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from s2sad import NotDifferentiable, hvp, value_and_grad
from s2sad.compiled import counts

pytest.importorskip("numba")


def logarithms(x: Any) -> Any:
    return math.log(x, 3.0) * math.log(x, 10) + math.log(2.0, x)


def lengths(x: Any) -> Any:
    return math.hypot(x, 1.0, 2.0) * math.hypot(-x) + math.hypot(x, 2.0)


def cube_roots(x: Any) -> Any:
    total = math.cbrt(8) * x
    for k in range(3):
        total += math.cbrt(k - 2 * x)
    return total


def closeness(x: Any) -> Any:
    near = math.isclose(x, 0.7, rel_tol=1e-3) or math.isclose(x, 1.3, abs_tol=0.01)
    return (2.0 if near else 3.0) * x * (1.0 if math.isclose(x, math.inf) else 5.0) * (1 + math.isclose(x, x))


@pytest.mark.parametrize("f", [logarithms, lengths, cube_roots, closeness])
@pytest.mark.parametrize("x", [0.7003, 0.75, 1.305])
def test_they_are_as_without_numba(f: Callable[..., Any], x: float) -> None:
    value, slope = value_and_grad(f, backend="numba")(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    assert slope == pytest.approx(value_and_grad(f)(x)[1], rel=1e-13)
    assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-8)
    assert hvp(f, backend="numba")(x, 1.0) == pytest.approx(hvp(f)(x, 1.0), rel=1e-12)


def factorials(x: Any, n: int) -> Any:
    total = 0.0
    for k in range(n):
        total += x**k / math.factorial(k) + math.perm(n + 70, k) * x
    return total


def subsets(x: Any, n: int) -> Any:
    total = 0.0
    for k in range(n + 1):
        total += math.comb(n, k) * x**k * (1.0 - x) ** (n - k) * math.sin(k)
    return total + x * math.comb(3 * n, n)


def integers(x: Any, n: int) -> Any:
    return x ** (math.comb(n, 3) // 100) * math.isqrt(n) * math.lcm(n, 6, -4) + x * (math.perm(5) % 7)


def remainders(x: Any, n: int) -> Any:
    total = 0.0
    for k in range(-n, n):
        total += x * math.remainder(x + 1.25 * k, 2.5) + math.remainder(k, 2.0) * x
    fraction, whole = math.modf(total)
    return fraction * x + whole * x**2 + x * math.ulp(x)


@pytest.mark.parametrize("f", [factorials, subsets, integers, remainders])
def test_of_integers_and_remainders(f: Callable[..., Any]) -> None:
    for n in (5, 25):
        value, slope = value_and_grad(f, backend="numba")(0.3, n)
        assert value == pytest.approx(f(0.3, n), rel=1e-13)
        assert slope == pytest.approx(value_and_grad(f)(0.3, n)[1], rel=1e-13)


def halves(x: Any, n: int) -> Any:
    return x * (math.comb(n, n // 2) // 2)


def test_what_64_bits_do_not_hold_is_refused() -> None:
    compiled = value_and_grad(halves, backend="numba")
    assert compiled(0.5, 62) == (0.5 * (math.comb(62, 31) // 2), float(math.comb(62, 31) // 2))
    with pytest.raises(NotDifferentiable, match=r"(?s)// 2\).*more than 64 bits"):
        compiled(0.5, 80)


@pytest.mark.parametrize("f", [halves, integers])
def test_what_python_raises_is_raised(f: Callable[..., Any]) -> None:
    for backend in ("python", "numba"):
        with pytest.raises(ValueError, match="negative"):
            value_and_grad(f, backend=backend)(0.5, -2)


@pytest.mark.parametrize("n", range(-2, 40))
def test_integers_uncompiled(n: int) -> None:
    for k in range(-1, 12):
        for ours, theirs in (
            (counts.orders, math.perm),
            (counts.orders_float, math.perm),
            (counts.subsets, math.comb),
            (counts.subsets_float, math.comb),
            (counts.lcm, math.lcm),
        ):
            assert _outcome(ours, n, k) == _outcome(theirs, n, k)
    root = (n**2) ** 5 + n
    assert _outcome(counts.isqrt, root) == _outcome(math.isqrt, root)
    if n <= 20:
        assert _outcome(counts.factorial, n) == _outcome(math.factorial, n) == _outcome(counts.factorial_float, n)


def _outcome(f: Callable[..., Any], *args: Any) -> Any:
    try:
        return f(*args)
    except (ValueError, OverflowError) as error:
        return type(error)


def test_the_largest_integers() -> None:
    largest = 2**63 - 1
    assert counts.isqrt(largest) == math.isqrt(largest)
    assert counts.isqrt(3037000499**2 - 1) == 3037000498
    assert counts.subsets(66, 33) == math.comb(66, 33)
    for f, args in ((counts.subsets, (68, 34)), (counts.factorial, (21,)), (counts.lcm, (2**40, 3**30))):
        with pytest.raises(OverflowError):
            f(*args)
    assert math.isclose(counts.subsets_float(1029, 514), math.comb(1029, 514), rel_tol=1e-12)
    for f in (
        counts.factorial_float,
        lambda n: counts.orders_float(n, n),
        lambda n: counts.subsets_float(n * 7, n * 3),
    ):
        with pytest.raises(OverflowError):
            f(171)


SIZES = [0.0, -0.0, 0.5, -1.5, 2.5, 3.0, -7.25, 1e300, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("x", SIZES)
def test_remainders_uncompiled(x: float) -> None:
    for y in SIZES:
        expected = _outcome(math.remainder, x, y)
        assert repr(float(counts.remainder(x, y))) == ("nan" if expected is ValueError else repr(expected))
    assert repr(float(counts.ulp(x))) == repr(math.ulp(x))
    assert repr(tuple(map(float, counts.fraction_and_whole(x)))) == repr(math.modf(x))


@pytest.mark.parametrize("n", [0, 1, -1, 2, 5, -6, 1023, -1024, 2**63 - 1, -(2**63), 1 - 2**63])
def test_binary_digits(n: int) -> None:
    import numba

    assert counts.binary(n) == numba.njit(counts.binary)(n) == bin(n)
