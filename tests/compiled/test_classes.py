"""Questions for the class of a number that branches, loops and lists have joined."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import hessian, value_and_grad
from s2sad.errors import CompileError

pytest.importorskip("numba")

X = np.array([0.3, -1.2, 2.0, 0.7])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def of_each(x):
    def root(t):
        z = 1.0
        for _ in range(20):
            step = (z * z - abs(t)) / (2.0 * z)
            z -= step
            if abs(step) < 1e-12:
                break
        return max(z, 0.5) if t > 0.0 else math.exp(t)

    return np.sum(np.vectorize(root)(x) * x)


def of_what_a_list_holds(x):
    held = []
    for z in x:
        held.append(z**2 if z > 0.0 else math.exp(z))
    total = 0.0
    for v in held[1:]:
        total += v if isinstance(v, float) else 100.0 * x[0]
    return total


def of_levels(x):
    low, high = np.percentile(x, [5, 95.0])
    return np.sum(np.clip(x, low, high) ** 2) + np.sum(np.quantile(x, [0.1, 0.5, 0.9]) ** 2) * high


def of_levels_that_are_integers(x):
    return np.sum(np.quantile(x, [0, 1]) ** 2)


def of_levels_of_rows(x):
    rows = np.outer(x, x)
    return np.sum(np.quantile(rows, (0.1, 0.55), axis=1, keepdims=True) * rows)


def of_levels_in_a_list_that_grows(x):
    levels = []
    for k in range(3):
        levels.append(0.25 * (k + 1))
    return np.sum(np.quantile(x, levels) ** 2)


def of_dtypes(x):
    steps = np.arange(4)
    steps = steps * 0.5 if np.issubdtype(steps.dtype, np.integer) else steps
    return np.sum(x * steps) if np.issubdtype(x.dtype, np.floating) else 0.0


FLOATS = [
    *(of_each, of_what_a_list_holds, of_levels, of_levels_that_are_integers, of_levels_of_rows),
    *(of_levels_in_a_list_that_grows, of_dtypes),
]


@pytest.mark.parametrize("f", FLOATS)
def test_floats_are_floats(f: Callable[..., Any]) -> None:
    (value, slope), (y, g) = (value_and_grad(f, backend=b)(X) for b in ("numba", "python"))
    np.testing.assert_allclose(value, y, rtol=1e-13)
    np.testing.assert_allclose(slope, g, rtol=1e-13)


def an_integer_for_some(x):
    return np.sum(np.vectorize(lambda t: 1 if t > 5.0 else t * 2.0)(x))


def the_larger_is_an_integer(x):
    return np.sum(np.vectorize(lambda t: max(t, 0))(x))


def an_integer_before_floats(x):
    held = [1]
    for z in x:
        held.append(z)
    return x[0] * sum(2.0 if isinstance(v, float) else 3.0 for v in held)


def a_copy_of_integers_and_floats(x):
    held = [1, x[0]]
    other = held[:]
    return x[0] if isinstance(other[0], float) else x[1]


def an_integer_at_first(x, n):
    s = 0
    for i in range(n):
        s = x[0] if isinstance(s, int) else s * x[i]
    return s


def a_power_of_integers(x, n):
    return x[0] if isinstance(2**n, float) else x[1]


def levels_that_change(x):
    levels = [0, 0.5]
    levels[1] = 1
    return np.sum(np.quantile(x, levels) ** 2)


def levels_that_are_taken_away(x):
    levels = [0, 0.5]
    levels.pop()
    return np.sum(np.quantile(x, levels) ** 2)


MIXED = [
    (an_integer_for_some, (X,)),
    (the_larger_is_an_integer, (X,)),
    (an_integer_before_floats, (X,)),
    (a_copy_of_integers_and_floats, (X,)),
    (an_integer_at_first, (X, 3)),
    (a_power_of_integers, (X, 3)),
    (levels_that_change, (X,)),
    (levels_that_are_taken_away, (X,)),
]


@pytest.mark.parametrize("f, args", MIXED, ids=[f.__name__ for f, _ in MIXED])
def test_where_integers_meet_floats_it_is_refused(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    value_and_grad(f)(*args)
    with pytest.raises(CompileError, match=r"class of a number|dtype of an array"):
        value_and_grad(f, backend="numba")(*args)


def rows_by_a_matrix(a, n):
    for i in range(n):
        a[i] *= np.diagonal(a) + a
    return np.sum(a**2)


def test_axes_that_do_not_fit_are_refused_where_they_are() -> None:
    with pytest.raises(CompileError, match=r"np\.diagonal"):
        hessian(rows_by_a_matrix, backend="numba")(np.ones((4, 5)), 0)
