"""Ranges, deviations, extremes without NaN and orders by columns, which compiled code has spelt out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, hessian, jvp, structure, value_and_grad

pytest.importorskip("numba")

ROWS = np.random.default_rng(3).normal(size=(4, 5))
GAPS = np.where(np.abs(ROWS) > 1.1, np.nan, ROWS)
GAPS[2] = np.nan
STACK = np.random.default_rng(4).normal(size=(3, 4, 5))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def ranges(x):
    return np.sum(np.ptp(x, axis=0) ** 2) + np.ptp(x) * np.sum(np.ptp(x, axis=1, keepdims=True) * x)


def extremes(x):
    rows = np.nansum(np.nanmax(x, axis=1) ** 2) * np.nanmin(x)
    return rows + np.nansum(np.nanmin(x, axis=0, keepdims=True) * x) + np.sum(np.nanmax(x, axis=0))


def extremes_of_nothing(x):
    return np.sum(np.nanmax(x, axis=1))


def deviations(x):
    whole = np.var(x) + np.sum(np.std(x, axis=(0, 2), ddof=1)) + np.sum(np.var(x, axis=0))
    return whole + np.sum(np.std(x, axis=-1, keepdims=True) * x)


def deviations_in_a_loop(x):
    total = 0.0
    for k in range(x.shape[0]):
        scaled = (x[k] - np.mean(x[k], axis=0)) / np.std(x[k], axis=0)
        total += np.sum(scaled**3) + x[k].std() * x[k, 0].var(ddof=1)
    return total


def parts(x):
    fractions, whole = np.modf(3.0 * x)
    return np.sum(fractions**2) + np.sum(np.fix(x) * x) + np.sum(whole * x) * np.modf(x[0, 0])[0]


def by_columns(x):
    pairs, line = x.reshape(10, 2, order="F"), x.ravel(order="F")
    halves = np.reshape(x * 2.0, (2, -1), order="F")
    return np.sum(pairs[:, 0] ** 2) + np.sum(line**2 * np.arange(20.0)) * np.sum(halves[0]) + x.flatten("F")[1]


def by_columns_in_space(x):
    return np.sum(x.reshape((4, -1), order="F")[1] ** 2 * np.arange(15.0)) + np.sum(
        x.reshape(5, 3, 4, order="F")[2, 1] ** 3
    )


def copied_by_columns(x):
    pairs = x.reshape(10, 2, order="F").copy()
    pairs[0] = 5.0
    return np.sum(pairs**2) + np.sum(x**3)


def differences(x):
    return np.sum(np.diff(x, n=2, axis=0) ** 2) + np.sum(np.diff(x, 3) ** 2) + np.sum(np.diff(x[0], n=2) ** 4)


def turned_each(x):
    rows = np.reshape(np.reshape(x, (x.shape[0], 1, x.shape[1])) @ (x.T @ x), x.shape)
    return np.sum(rows**2)


CASES = [
    *[(f, ROWS) for f in (ranges, parts, by_columns, copied_by_columns, differences, turned_each)],
    *[(f, STACK) for f in (deviations, deviations_in_a_loop, by_columns_in_space)],
    *[(f, GAPS) for f in (extremes, extremes_of_nothing)],
    *[(f, x) for f in (by_columns, ranges) for x in (np.asfortranarray(ROWS), np.ascontiguousarray(ROWS.T).T[::-1])],
]


@pytest.mark.filterwarnings("ignore:All-NaN")
@pytest.mark.parametrize("f, x", CASES, ids=[f"{k} {f.__name__}" for k, (f, _) in enumerate(CASES)])
def test_they_are_as_in_python(f: Callable[..., Any], x: np.ndarray) -> None:
    made: list[Any] = [value_and_grad, lambda f, **k: lambda x: jvp(f, (x,), (np.cos(x),), **k)]
    if "columns" not in f.__name__:  # of which a Hessian is refused
        made.append(hessian)
    for make in made:
        found, expected = make(f, backend="numba")(x), make(f)(x)
        for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def special_values(x):
    fractions, whole = np.modf(x)
    return fractions, whole, np.fix(x)


def test_signs_and_infinities() -> None:
    x = np.array([np.inf, -np.inf, np.nan, -0.0, 0.0, -2.5, -0.3])
    found, _ = jvp(special_values, (x,), (x,), backend="numba")
    for ours, theirs in zip(found, special_values(x), strict=True):
        assert list(map(repr, ours)) == list(map(repr, theirs))


def stored_by_columns(x):
    pairs = x.reshape(10, 2, order="F")
    pairs[0] = 5.0
    return np.sum(pairs**2) + np.sum(x**3)


def test_stores_by_columns_are_refused() -> None:
    for x in (ROWS, np.asfortranarray(ROWS)):
        with pytest.raises(CompileError, match="whether this is a view"):
            value_and_grad(stored_by_columns, backend="numba")(x)


def in_double(x):
    whole = np.mean(x, dtype=float) * np.sum(x, dtype=np.float64)
    rows = x - np.mean(x, axis=1, dtype=float, keepdims=True)
    return whole + np.sum(x.prod(axis=0, dtype="float64") ** 2) + np.sum(np.cov(x)) + np.sum(rows**2)


def in_single(x):
    return np.sum(np.mean(x, axis=(0,), dtype=np.float32) ** 2) + np.sum(x, dtype=np.float32)


@pytest.mark.parametrize("f, x", [(in_double, ROWS.astype(np.float32)), (in_single, ROWS)])
def test_sums_in_another_precision(f: Callable[..., Any], x: np.ndarray) -> None:
    (found, slope), (expected, expected_slope) = value_and_grad(f, backend="numba")(x), value_and_grad(f)(x)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_allclose(slope, expected_slope, rtol=1e-5)
    assert slope.dtype == expected_slope.dtype == x.dtype
