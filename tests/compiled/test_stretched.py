"""Arrays without axes as arguments, and places that are stretched along another axis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import pipeline, structure

pytest.importorskip("numba")

X = np.array([[0.3, 0.9, -0.4], [1.2, 0.7, 0.5]])
SCALE, SHIFT = np.array(1.7), np.array(0.4)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def scaled(x, a, b):
    return np.add(x, a) * b


def chosen(x, a):
    return np.where(x > 0.0, x * a, a) + np.maximum(x, a)


def powers(a, n):
    total = 0.0
    for i in range(n):
        total = total + a**i
    return total


def stored(x, a):
    y = np.zeros(3)
    y[1] = a
    y[:2] += a
    return y * x


@pytest.mark.parametrize(
    ("function", "args", "wrt"),
    [
        (scaled, (X, SCALE, SHIFT), (0, 1, 2)),
        (chosen, (X, SCALE), (0, 1)),
        (powers, (SCALE, 4), 0),
        (stored, (X, SCALE), (0, 1)),
    ],
)
def test_arrays_without_axes(function: Callable[..., Any], args: tuple[Any, ...], wrt: Any) -> None:
    s2sad.check_grads(function, wrt=wrt, backend="numba")(*args)


def along_rows(x, i):
    return np.take_along_axis(x, i, 1)


def along_columns(x, i):
    return np.take_along_axis(x, i, 0)


@pytest.mark.parametrize(
    ("function", "x", "places"),
    [
        (along_rows, X, [[0, 2]]),
        (along_rows, X[:1], [[0, 2], [1, 1], [2, 0]]),
        (along_rows, X, [[0, 2], [1, 1]]),
        (along_columns, X, [[1], [0], [1]]),
        (along_columns, X[:, :1], [[1, 0], [0, 0]]),
        (along_rows, np.arange(12.0).reshape(2, 3, 2), [[[0, 2]], [[1, 1]]]),
    ],
)
def test_places_along_an_axis(function: Callable[..., Any], x: Any, places: Any) -> None:
    s2sad.check_grads(function, backend="numba")(x, np.array(places))


def test_places_in_a_stack_are_not_stretched() -> None:
    x, places = np.arange(9.0).reshape(1, 3, 3), np.zeros((3, 1, 1), int)
    for f in (along_rows, lambda x, i: 3.0 * np.sum(np.take_along_axis(x, i, 1))):
        with pytest.raises(ValueError, match="lengths"):
            s2sad.vjp(f, x, places, backend="numba")[1](np.ones(()))


def heads(xs, w):
    total = 0.0
    for v in [x @ w for x in xs]:
        e = np.exp(v - np.max(v, axis=1, keepdims=True))
        total += np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2)
    return total


def test_what_sums_keep_is_recorded_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first version serves: none that stretches any axis is compiled."""
    args = [X, np.vstack([X, X * 0.5])], X.T @ X
    expected = s2sad.grad(heads, wrt=(0, 1))(*args)
    made: list[Any] = []
    derived = pipeline.derived
    monkeypatch.setattr(pipeline, "derived", lambda *args: made.append(args[4]) or derived(*args))
    found = s2sad.grad(heads, wrt=(0, 1), backend="numba")(*args)
    assert made == [True]
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
