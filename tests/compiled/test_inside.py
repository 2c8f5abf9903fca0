"""Derivatives called in functions that Numba compiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hessian, hvp, jacobian, value_and_grad

numba = pytest.importorskip("numba")

RATE = 2.0
X = np.array([0.5, -1.25, 2.0])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def bent(x):
    return x**3 - 2.0 * x - 5.0


def stretched(x, w):
    return np.sum(x * w) ** 2


def curve(x, n):
    y = x * 1.0
    for _ in range(n):
        y = np.sin(y) * x[0]
    return y


def test_newton() -> None:
    slope = grad(bent, backend="numba")

    @numba.njit
    def root(x):
        for _ in range(20):
            x -= (x**3 - 2.0 * x - 5.0) / slope(x)
        return x

    assert root(2.0) == pytest.approx(2.0945514815423265, rel=1e-15)
    assert slope(2.0) == 10.0


def test_values_and_gradients_of_arrays() -> None:
    both = value_and_grad(stretched, wrt=(0, 1), backend="numba")

    @numba.njit
    def descend(x, w):
        total = 0.0
        for _ in range(3):
            value, (dx, dw) = both(x, w)
            total += value
            x = x - 0.01 * dx
        return total, x, dw

    here, there = descend(X, X + 1.0), descend.py_func(X, X + 1.0)
    for a, b in zip(here, there, strict=True):
        assert np.allclose(a, b, rtol=1e-13, atol=0.0)


def test_axes_of_different_lengths() -> None:
    slope = grad(stretched, backend="numba")

    @numba.njit
    def call(x, w):
        return slope(x, w)

    for w in (X, np.array([2.0]), X):
        assert np.allclose(call(X, w), grad(stretched)(X, w), rtol=1e-13, atol=0.0)
    with pytest.raises(ValueError, match="broadcast"):
        call(X, np.ones(2))


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_jacobians(mode: str) -> None:
    derivative = jacobian(curve, mode=mode, backend="numba")

    @numba.njit
    def total(x):
        found = np.zeros((len(x), len(x)))
        for n in range(4):
            found += derivative(x, n)
        return found

    there = sum(jacobian(curve)(X, n) for n in range(4))
    assert np.allclose(total(X), there, rtol=1e-13, atol=1e-15)


def test_rows_where_they_are_fewer() -> None:
    derivative = jacobian(lambda x, a: a @ x, backend="numba")

    @numba.njit
    def call(x, a):
        return derivative(x, a)

    for shape in ((2, 3), (5, 3)):
        a = np.arange(float(shape[0] * 3)).reshape(shape)
        assert np.allclose(call(X, a), a)


def test_hessians() -> None:
    second = hessian(lambda x: np.sum(x**3) * x[0], backend="numba")

    @numba.njit
    def call(x):
        return second(x)

    assert np.allclose(call(X), hessian(lambda x: np.sum(x**3) * x[0])(X), rtol=1e-13, atol=0.0)


def refused() -> list[tuple[Any, tuple[Any, ...], str]]:
    def scaled(x):
        return RATE * x

    return [
        (grad(bent, backend="numba"), (2,), "floats and arrays of floats"),
        (grad(scaled, backend="numba"), (2.0,), "all of it is compiled"),
        (grad(stretched, wrt=(0,), backend="numba"), (X, X), "by whole arguments"),
        (hvp(bent, backend="numba"), (2.0,), "all of it is compiled"),
        (grad(lambda x, n=3: x**n, backend="numba"), (2.0,), "all arguments"),
        (grad(lambda p: p[0] * p[1], backend="numba"), ((2.0, 3.0),), "numbers and arrays"),
    ]


@pytest.mark.parametrize("k", range(6))
def test_what_is_refused_says_why(k: int) -> None:
    derivative, args, why = refused()[k]

    @numba.njit
    def call(*args):
        return derivative(*args)

    with pytest.raises(numba.TypingError, match=why):
        call(*args)
