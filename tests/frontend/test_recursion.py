"""Functions that call themselves: lowered within one another as far as that is little, and apart from there on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import check_grads, grad


def ways(i: int, j: int, gain: float) -> float:
    if i == 0 or j == 0:
        return 1.0
    return gain * ways(i - 1, j - 1, gain) + max(ways(i - 1, j, gain), 2.0 * ways(i, j - 1, gain))


@pytest.mark.parametrize("n", [2, 7])
def test_calls_that_branch_are_few(n: int) -> None:
    """Of arguments that are known while compiling, too: three calls in each are 3 ** depth."""

    def f(gain: float) -> float:
        return ways(n, n, gain)

    derivative = grad(f)
    assert derivative(1.1) == pytest.approx((f(1.1 + 1e-6) - f(1.1 - 1e-6)) / 2e-6, rel=1e-7)
    assert len(derivative.source.splitlines()) < 400


def halved(a: float, b: float, gain: float, depth: int) -> float:
    middle = 0.5 * (a + b)
    if depth == 0:
        return (b - a) * math.exp(gain * middle)
    return halved(a, middle, gain, depth - 1) + halved(middle, b, gain, depth - 1)


def scaled_in_place(y: np.ndarray, depth: int) -> None:
    if depth > 0:
        y[depth % 3] = y[depth % 3] * y[0]
        scaled_in_place(y, depth - 1)
        scaled_in_place(y[::-1], depth - 1)


def test_a_depth_that_is_written_down_makes_one_function() -> None:
    """It calls itself 126 times, which in one body would be thousands of lines."""

    def f(gain: float) -> float:
        return halved(0.0, 2.0, gain, 6)

    derivative = grad(f)
    assert derivative(0.7) == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-7)
    assert len(derivative.source.splitlines()) < 60


def test_what_cannot_be_a_function_of_its_own_is_lowered_into_one_body() -> None:
    """It changes its argument; 126 calls are few enough."""

    def f(x: np.ndarray) -> float:
        y = x * 1.0
        scaled_in_place(y, 6)
        return float(np.sum(y))

    check_grads(f)(np.array([0.9, 1.1, 1.01]))


def folded(t: object) -> float:
    return sum(0.5 * folded(v) for v in t) if isinstance(t, (list, tuple)) else t * t


def test_lists_that_hold_numbers_and_lists_to_any_depth() -> None:
    """What an item is, and so its cotangent, is known at run time only."""

    def f(x: float, y: float) -> float:
        return folded([x, [y, [x, y * x]], [[x]], y])

    check_grads(f, wrt=(0, 1))(0.7, 0.3)
    assert grad(f)(0.7, 0.3) == pytest.approx(0.7 + 0.25 * (0.7 + 0.7 * 0.3**2) + 0.25 * 0.7)
