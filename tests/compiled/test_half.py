"""Functions that give floats of truth values and of small integers: in NumPy of half or single precision."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, value_and_grad

pytest.importorskip("numba")

X = np.array([0.4, -0.3, 1.7])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def of_flags(x, n):
    return np.sum(np.sin(x > 0.0) * x)


def of_a_flag(x, n):
    return np.sum(np.exp(x[0] > 0.0) * x)


def of_bytes(x, n):
    return np.sum(np.sqrt(n) * x)


def in_half_precision(x, n):
    return np.sum(x.astype(np.float16) * 2.0)


@pytest.mark.parametrize("f", [of_flags, of_a_flag, of_bytes, in_half_precision])
def test_half_precision_is_refused(f: Callable[..., Any]) -> None:
    n = np.array([1, 2, 3], np.int8)
    value_and_grad(f)(X, n)
    with pytest.raises(CompileError, match="half precision"):
        value_and_grad(f, backend="numba")(X, n)


def quotients(x, n):
    return np.sum(n / n[1] * x) + n[0] / n[2] * x[0]


def means(x, n):
    return np.mean(n) * np.sum(x) + np.mean(x > 0.0) * x[0] + np.sum(x > 0.0) * x[1] + np.std(n) * x[2]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
@pytest.mark.parametrize("f", [quotients, means])
def test_quotients_and_means_are_of_double_precision(f: Callable[..., Any], dtype: str) -> None:
    n = np.array([1, 7, 3], dtype)
    (value, slope), (y, g) = (value_and_grad(f, backend=b)(X, n) for b in ("numba", "python"))
    assert slope.dtype == g.dtype == np.float64
    np.testing.assert_allclose(value, y, rtol=1e-14)
    np.testing.assert_allclose(slope, g, rtol=1e-14)


def roots(x, n):
    return np.sum(np.sqrt(n) * x.astype(np.float32))


def test_of_16_bits_they_are_of_single_precision() -> None:
    n = np.array([1, 7, 3], np.int16)
    (value, slope), (y, g) = (value_and_grad(roots, backend=b)(X, n) for b in ("numba", "python"))
    assert np.asarray(value).dtype == np.asarray(y).dtype == np.float32
    np.testing.assert_allclose(value, y, rtol=1e-6)
    np.testing.assert_allclose(slope, g, rtol=1e-6)
