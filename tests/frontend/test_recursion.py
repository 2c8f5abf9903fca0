"""Functions that call themselves: lowered within one another as far as that is little, and apart from there on."""

from __future__ import annotations

import pytest

from s2sad import grad


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
