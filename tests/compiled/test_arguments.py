"""Arguments of NumPy functions that the compiled tier may not drop, by position too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

import s2sad

x = np.array([[0.7, 0.31, 1.3], [0.52, 0.93, 1.12]])


def unbiased(a: Any) -> Any:
    return np.var(a, 0, None, None, 1)


def deviations(a: Any) -> Any:
    return np.std(a, ddof=1, axis=1, dtype=np.float64)


def kept_mean(a: Any) -> Any:
    return np.mean(a, 0, None, None, True)


def running(a: Any) -> Any:
    return np.cumprod(a, 1, np.float32)


def running_alike(a: Any) -> Any:
    return np.cumsum(a, 1, np.float64)


def kept_sum(a: Any) -> Any:
    return np.sum(a, 1, None, None, True)


def stable(a: Any) -> Any:
    return np.sort(a, 1, kind="stable")


def framed(a: Any) -> Any:
    return np.pad(a[0], (1, 2), "constant", constant_values=3.0)


def single_mean(a: Any) -> Any:
    return np.mean(a, axis=0, dtype=np.float32)


ALL = [unbiased, deviations, kept_mean, running, running_alike, kept_sum, stable, framed, single_mean]
REFUSED = {kept_sum}


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_arguments_count(f: Callable[..., Any]) -> None:
    if f in REFUSED:
        with pytest.raises(s2sad.CompileError):
            s2sad.jvp(f, (x,), (x,), backend="numba")
        return
    for got, want in zip(s2sad.jvp(f, (x,), (x,), backend="numba"), s2sad.jvp(f, (x,), (x,)), strict=True):
        assert np.shape(got) == np.shape(want)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-12)
