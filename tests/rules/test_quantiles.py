"""Quantiles by all methods: of numbers, of rows, and by their fraction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad

LINES = ("linear", "hazen", "weibull", "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf")
M = np.random.default_rng(0).normal(size=(5, 3))


def of_numbers(method: str, axis: int | None) -> Callable[..., Any]:
    def f(m: Any) -> Any:
        return np.sum(np.quantile(m, 0.3, axis=axis, method=method) ** 2)

    return f


@pytest.mark.parametrize("method", [*LINES, "lower", "higher", "midpoint"])
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
