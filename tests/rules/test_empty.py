"""Arrays without items: averages of them are NaN, and their gradients have no items, in both tiers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp, value_and_grad

EMPTY: list[Callable[..., Any]] = [
    lambda x: np.mean(x) * 2.0,
    lambda x: x.mean() * x.sum(),
    lambda x: np.average(x),
    lambda x: np.var(x),
    lambda x: np.std(x) + 1.0,
    lambda x: np.median(x),
    lambda x: np.nanmedian(x),
    lambda x: np.sum(np.nanmedian(x, axis=0)),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("k", range(len(EMPTY)))
def test_averages_of_nothing(k: int, backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    f, x = EMPTY[k], np.zeros(0)
    value, slope = value_and_grad(f, backend=backend)(x)
    assert np.isnan(f(x)) and np.isnan(value)
    assert slope.shape == (0,) and slope.dtype == np.float64
    assert np.isnan(jvp(f, (x,), (x,), backend=backend)).all()


def test_moments_of_something_are_as_before() -> None:
    x = np.array([1.0, 2.5, -0.5])
    for ddof in (0, 1):
        expected = 2.0 * (x - 1.0) / (3 - ddof)
        np.testing.assert_allclose(value_and_grad(lambda x, d=ddof: np.var(x, ddof=d))(x)[1], expected, rtol=1e-14)
        slope = jvp(lambda x, d=ddof: np.var(x, ddof=d), (x,), (np.array([1.0, 0.0, 2.0]),))[1]
        assert slope == pytest.approx(expected @ [1.0, 0.0, 2.0], rel=1e-14)
    assert value_and_grad(np.var)(x.astype(np.float32))[1].dtype == np.float32


def once(x):
    return np.sum(np.diff(x, axis=0) ** 2)


def twice(x):
    return np.sum(np.diff(x, 2, axis=0) ** 2)


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("f", [once, twice])
@pytest.mark.parametrize("shape", [(0, 2), (1, 2), (2, 2), (3, 0)])
def test_differences_along_short_axes(f: Callable[..., Any], shape: tuple[int, ...], backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    x = np.random.default_rng(0).normal(size=shape)
    value, slope = value_and_grad(f, backend=backend)(x)
    d = np.diff(x, axis=0)
    expected = (
        2.0 * (np.concatenate((np.zeros((1, 2)), d)) - np.concatenate((d, np.zeros((1, 2))))) if d.size else 0.0 * x
    )
    assert value == f(x) and slope.shape == x.shape
    np.testing.assert_allclose(slope, expected if f is once else 0.0 * x, atol=1e-15)


def test_differences_of_what_changes_record_nothing() -> None:
    pytest.importorskip("numba")

    def diffused(x, steps):
        x = x.copy()
        for _ in range(steps):
            x[1:-1] += 0.1 * np.diff(x, 2)
        return np.sum(x**2)

    derivative = grad(diffused, backend="numba")
    assert "tape" not in derivative.source_for(np.ones(5), 3)
    x = np.random.default_rng(0).normal(size=5)
    np.testing.assert_allclose(derivative(x, 3), grad(diffused)(x, 3), rtol=1e-14)
