"""Partitions: what is moved is the items that are there, in whatever order the processor leaves them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp

RNG = np.random.default_rng(3)
WEIGHTS = RNG.normal(size=1000)


def in_one_row(x):
    return np.sum(np.partition(x, 100) ** 2 * WEIGHTS)


def by_rows(x):
    a = np.reshape(x, (2, 500))
    return np.sum(np.partition(a, (30, 400)) ** 2 * WEIGHTS[:500])


def by_columns(x):
    return np.sum(np.partition(np.reshape(x, (500, 2)), 7, axis=0) ** 2 * np.reshape(WEIGHTS, (500, 2)))


@pytest.mark.parametrize("f", [in_one_row, by_rows, by_columns], ids=lambda f: f.__name__)
def test_long_ones_move_their_own_items(f: Callable[[Any], Any]) -> None:
    """From some hundred items on, argpartition orders the parts otherwise than partition where there is AVX-512."""
    x, dx = RNG.normal(size=1000), RNG.normal(size=1000)
    h = 1e-7  # which changes no order
    slope = (f(x + h * dx) - f(x - h * dx)) / (2.0 * h)
    assert jvp(f, (x,), (dx,))[1] == pytest.approx(slope, rel=1e-5, abs=1e-5)
    assert np.sum(grad(f)(x) * dx) == pytest.approx(slope, rel=1e-5, abs=1e-5)


def parts_of_compiled(x):
    smallest = np.partition(x, 3)[:3]
    columns = np.partition(np.reshape(x, (-1, 4)), (1, 2), axis=0)
    nearest = x[np.argpartition(-x, 4)[:4]]
    return np.sum(smallest**2) + np.sum(columns[1] * columns[2]) + np.log(np.sum(np.exp(nearest)))


def test_both_tiers_have_the_same_parts() -> None:
    pytest.importorskip("numba")
    x = RNG.normal(size=20)
    np.testing.assert_allclose(grad(parts_of_compiled, backend="numba")(x), grad(parts_of_compiled)(x), rtol=1e-13)
    np.testing.assert_allclose(
        jvp(parts_of_compiled, (x,), (x,), backend="numba"), jvp(parts_of_compiled, (x,), (x,)), rtol=1e-13
    )
