"""Quantiles by all methods: of numbers, of rows, and by their fraction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad

LINES = ("linear", "hazen", "weibull", "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf")
STEPS = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")
M = np.random.default_rng(0).normal(size=(5, 3))


def of_numbers(method: str, axis: int | None) -> Callable[..., Any]:
    def f(m: Any) -> Any:
        return np.sum(np.quantile(m, 0.3, axis=axis, method=method) ** 2)

    return f


@pytest.mark.parametrize("method", [*LINES, *STEPS, "midpoint"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_by_the_numbers(method: str, axis: int | None) -> None:
    s2sad.check_grads(of_numbers(method, axis))(M)


@pytest.mark.parametrize("method", LINES)
def test_one_quantile_is_a_number_of_the_precision_of_the_others(method: str) -> None:
    def f(x: Any, q: Any) -> Any:
        return np.quantile(x, q, method=method)

    slope = s2sad.grad(f)(M[:, 0], 0.3)
    assert slope.shape == (5,)
    assert np.sum(slope) == pytest.approx(1.0, rel=1e-14)
    s2sad.check_grads(f, wrt=1)(M[:, 0], 0.33)
    single = M[:, 0].astype(np.float32)
    assert s2sad.vjp(f, single, 0.3)[0].dtype == np.quantile(single, 0.3, method=method).dtype


@pytest.mark.parametrize("method", [*STEPS, "midpoint"])
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_fractions_at_which_methods_jump(method: str, n: int) -> None:
    x = M.ravel()[:n]
    for q in (0.0, 0.125, 0.25, 0.3, 0.375, 0.5, 0.625, 0.75, 0.9, 1.0):
        value, slope = s2sad.value_and_grad(lambda x, q: np.quantile(x, q, method=method))(x, q)
        assert value == np.quantile(x, q, method=method)
        assert slope @ x == pytest.approx(value, rel=1e-14)
        assert np.sum(slope) == 1.0
