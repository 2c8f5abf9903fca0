"""Views without axes: right while what they show stays, refused where it changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def before_and_after(p):
    first = np.sum(p[..., 0])
    for _ in range(2):
        p *= 2.0
    return first + np.sum(p[..., 0])


def kept(p):
    q = p[..., 0]
    for _ in range(2):
        p *= 2.0
    return np.sum(q)


def changed_in_the_next_iteration(p):
    q, total = p[0, ...], 0.0
    for _ in range(2):
        total = total + np.sum(q)
        p *= p[1]
    return total


@pytest.mark.parametrize("f", [before_and_after, kept, changed_in_the_next_iteration])
def test_what_changes_is_refused(f: Callable[..., Any]) -> None:
    x = np.array([1.5, 2.0])
    assert s2sad.value_and_grad(f)(x)[0] == f(x.copy())
    with pytest.raises(s2sad.CompileError, match="without axes") as caught:
        s2sad.value_and_grad(f, backend="numba")(x)
    assert "test_axisless.py" in str(caught.value)


def stored_through(p):
    q = p[..., 0]
    q += 1.0
    return np.sum(p * p)


def taken_in_each_iteration(p):
    total = 0.0
    for i in range(2):
        total = total + np.sum(p[..., i]) * 2.0
        p[0] += total
    return total


@pytest.mark.parametrize("f", [stored_through, taken_in_each_iteration])
def test_what_stays_is_compiled(f: Callable[..., Any]) -> None:
    x = np.array([1.5, 2.0])
    found, expected = s2sad.value_and_grad(f, backend="numba")(x), s2sad.value_and_grad(f)(x)
    assert found[0] == expected[0]
    np.testing.assert_array_equal(found[1], expected[1])


def in_another_shape(p):
    y = np.array(p[0] * 2.0)
    flat, square = y.ravel(), y.reshape(1, 1)
    flat[0] = flat[0] * p[1]
    y[...] = y + p[1]
    square *= p[0]
    return y[()] * 3.0 + np.sum(flat**2) + np.sum(square)


def test_another_shape_shows_the_array() -> None:
    x = np.array([1.5, 2.0])
    found, expected = s2sad.value_and_grad(in_another_shape, backend="numba")(x), s2sad.value_and_grad(
        in_another_shape
    )(x)
    assert found[0] == expected[0] == in_another_shape(x)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-13)
