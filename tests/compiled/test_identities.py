"""Tests whether two names are one object: those that Numba answers otherwise than Python are refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

import s2sad


@dataclass
class Point:
    x: float
    y: float


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def of_pairs(items: Any, value: Any) -> Any:
    total = 0.0
    for a in items:
        for b in items:
            if a is not b:
                total += value(a) * value(b) ** 2
    return total


def of_dicts(xs):
    items = []
    for x in xs:
        items.append({"x": x})
    return of_pairs(items, lambda d: d["x"])


def of_records(xs):
    items = []
    for x in xs:
        items.append(Point(x, 1.0))
    return of_pairs(items, lambda p: p.x)


def of_tuples(xs):
    return of_pairs([(x, 1.0) for x in xs], lambda t: t[0])


def of_lists(xs):
    return of_pairs([[x] for x in xs], lambda row: row[0])


def of_arrays(xs):
    return of_pairs([np.array([x, x]) for x in xs], lambda a: a[1])


@pytest.mark.parametrize("f", [of_dicts, of_records, of_tuples])
def test_is_refused(f: Any) -> None:
    with pytest.raises(s2sad.CompileError, match="one tuple, record or dict"):
        s2sad.grad(f, backend="numba")([0.3, -0.7, 0.3])


@pytest.mark.parametrize("f", [of_lists, of_arrays])
def test_is_as_in_python(f: Any) -> None:
    xs = [0.3, -0.7, 0.3]
    np.testing.assert_allclose(s2sad.grad(f, backend="numba")(xs), s2sad.grad(f)(xs), rtol=1e-12)


def of_lists(x, a, b):
    return x * 2.0 if a is b else x * 3.0


def test_lists_that_are_passed() -> None:
    one, other = [1.0], [1.0]
    assert (s2sad.grad(of_lists)(1.7, one, one), s2sad.grad(of_lists)(1.7, one, other)) == (2.0, 3.0)
    with pytest.raises(s2sad.CompileError, match="two lists that are passed"):
        s2sad.grad(of_lists, backend="numba")(1.7, one, one)
    with pytest.raises(s2sad.CompileError, match="two lists that are passed"):
        s2sad.grad(lambda x: x * 2.0 if one is other else x * 3.0, backend="numba")(1.7)
