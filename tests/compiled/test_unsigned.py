"""Indices that are known not to be negative, and those that may be and count from the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from numba import njit

from s2sad.compiled.machine import DerivativeCompiler
from s2sad.compiled.sites import Sites
from s2sad.compiled.unsigned import unsigned

X = np.random.default_rng(7).normal(size=9)


@njit
def _place(i: Any, n: Any) -> Any:
    return max(min(i + n if i < 0 else i, n), 0)


@njit
def _before(i: Any, n: Any) -> Any:
    return min(i + n if i < 0 else i, n)


def forwards(x: Any, k: Any) -> Any:
    total = 0.0
    at = 0
    n = x.shape[0]
    for i in range(n - 1, -1, -1):
        start = _place(i - k, n)
        for j in range(n - start):
            total += x[start + j] * x[i] * x[at]
        at += 1
    for i in range(2, len(x), 3):
        total += x[i] * x[max(i - 5, 0)] * x[min(i, n // 2 + n % 2)]
    return total


def backwards(x: Any, k: Any) -> Any:
    total = 0.0
    down = 3
    n = x.shape[0]
    for i in range(k, -n, -1):
        total += x[i] * x[i - 1] * x[-1]
    for i in range(-3, 3):
        total += 2.0 * x[i] * x[_before(i, n)] * x[min(i, 4)]
    for i in range(4):
        total += 3.0 * x[down] * x[2 * i - 5]
        down -= 2
    return total


@pytest.mark.parametrize("f", [forwards, backwards])
@pytest.mark.parametrize("k", [0, 2, 7])
def test_items_are_those_of_python(f: Callable[..., Any], k: int) -> None:
    compiled = njit(pipeline_class=DerivativeCompiler)(f)
    assert compiled(X, k) == pytest.approx(f(X, k), rel=1e-13)


def found(f: Callable[..., Any]) -> frozenset[str]:
    compiled: Any = njit(f)
    compiled(X, 1)
    typed = compiled.overloads[compiled.signatures[0]].type_annotation
    return unsigned(Sites(typed.blocks, typed.typemap, typed.calltypes).definitions, typed.typemap)


def test_what_is_known() -> None:
    known, unknown = found(forwards), found(backwards)
    assert {"n", "i", "j", "start", "at"} <= known
    assert "k" not in known
    assert "n" in unknown
    assert not {"i", "k"} & unknown


def test_indices_that_move_with_a_loop_are_not_asked() -> None:
    def tails(x: Any, y: Any) -> Any:
        n = x.shape[0]
        for i in range(n - 1, -1, -1):
            start = _place(i, n)
            for j in range(n - start):
                y[start + j] += x[start + j] * x[start]

    compiled: Any = njit(pipeline_class=DerivativeCompiler)(tails)
    y, z = np.zeros(9), np.zeros(9)
    compiled(X, y)
    tails(X, z)
    np.testing.assert_allclose(y, z, rtol=1e-13)
    text = next(t for t in compiled.inspect_llvm().values())
    assert "<4 x double>" in text or "<2 x double>" in text or "<8 x double>" in text
    assert "ashr" not in text  # the sign of an index
