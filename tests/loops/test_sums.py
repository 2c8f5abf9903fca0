"""Sums in any order: the same numbers for all lengths, and a user's own loop keeps to its order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jacobian, value_and_grad

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def squares(x):
    return np.sum(x[1:] * x[:-1]) * np.sum(x)


def products(x, n):
    total = 0.0
    for i in range(n):
        total = total + np.dot(x[:i], x[i : 2 * i]) * (x[i:] @ x[i:])
    return total


def strided(x):
    return np.sum(x[::3]) * (x[::-1] @ x) + np.sum(x[5:2])


def rows(a):
    return np.sum(a, axis=1) * np.sum(a) + np.mean(a, axis=-1)


@pytest.mark.parametrize("n", [*range(14), 33])
@pytest.mark.parametrize("f", [squares, strided])
def test_all_lengths(f: Any, n: int) -> None:
    x = np.random.default_rng(n).normal(size=n)
    if n == 0:
        x = np.zeros(0)
    here, there = value_and_grad(f, backend="numba")(x), value_and_grad(f)(x)
    assert np.isclose(here[0], there[0], rtol=1e-13, atol=1e-15)
    assert np.allclose(here[1], there[1], rtol=1e-13, atol=1e-15)


def test_products_of_parts() -> None:
    x = np.random.default_rng(0).normal(size=24)
    assert np.allclose(grad(products, backend="numba")(x, 12), grad(products)(x, 12), rtol=1e-12, atol=1e-14)


def test_lengths_that_differ_are_refused() -> None:
    def f(x, y):
        return np.dot(x, y)

    for backend in ("python", "numba"):
        with pytest.raises(ValueError, match=r"aligned|incompatible|differ|mismatch|broadcast"):
            grad(f, backend=backend)(np.ones(3), np.ones(4))


def test_rows_of_all_lengths() -> None:
    for m in range(1, 10):
        a = np.random.default_rng(m).normal(size=(2, m))
        assert np.allclose(jacobian(rows, backend="numba")(a), jacobian(rows)(a), rtol=1e-13, atol=1e-15)


def test_what_is_not_a_number_stays_so() -> None:
    x = np.ones(9)
    x[6] = np.inf
    assert np.isnan(value_and_grad(squares, backend="numba")(np.where(x > 5.0, np.nan, x))[0])
    assert value_and_grad(squares, backend="numba")(x)[0] == np.inf


def one_by_one(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


def test_loops_of_the_user_keep_their_order() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 1001)) * 10.0 ** np.arange(-5.0, 6.0).repeat(91)
    assert value_and_grad(one_by_one, backend="numba")(x, y)[0] == one_by_one(x, y)
