"""Choices between numbers by ``np.where``, which compiled code makes branches of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hessian, jvp, structure, value_and_grad

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def in_sums(x):
    s = 0.0
    for i in range(3):
        s += np.where(x > i, x * x, -x)
    return s


def in_products(x):
    s = 1.0
    for i in range(3):
        s *= np.where(x > 0.3 * i, x * x, 2)
    return s * np.where(x < 0.0, 1.0, x)


def unpacked(x):
    y = np.where(x > 0, x * x, -x)
    z = np.empty(3)
    z[0] = y
    z[1] = y * 2
    z[2] = np.float64(y)
    return np.sum(z) + float(y) * y[()] + y.item()


def in_a_list(x):
    return np.sum(np.array([np.where(v > 0, v * v, -v) for v in (x, 2 * x, -x)]))


def within(x):
    y = np.where(x > 0.5, np.where(x > 1.0, 1.0, x), np.where(x < -1.0, -1.0, 0.5 * x))
    return np.sin(y) * y


def stored_into(x):
    y = np.where(x > 0, x * x, -x)
    y[...] = y * x
    return y * 2.0


def beyond_the_roots(x):
    return np.where(x > 0.0, np.sqrt(np.where(x > 0.0, x, 1.0)), 0.0) * x


@pytest.mark.parametrize(
    "f", [in_sums, in_products, unpacked, in_a_list, within, stored_into, beyond_the_roots], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("make", [grad, value_and_grad, hessian, lambda f, **k: lambda x: jvp(f, (x,), (0.3,), **k)])
@pytest.mark.parametrize("x", [0.7, 1.5, -0.4, 0.0])
def test_both_tiers_agree(f: Callable[..., Any], make: Callable[..., Any], x: float) -> None:
    for expected, found in zip(
        structure.leaves(make(f)(x)), structure.leaves(make(f, backend="numba")(x)), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_an_array_without_axes_is_still_the_result() -> None:
    def f(x):
        return np.where(x > 0.0, x * x, x)

    value, slope = value_and_grad(f, backend="numba")(1.5)
    assert (np.ndim(value), value, slope) == (0, 2.25, 3.0)


def test_the_text_has_a_branch() -> None:
    text = grad(in_sums, backend="numba").source_for(0.5)
    lines = [line for line in text.splitlines() if not line.strip().startswith("#")]
    assert not any("np.where" in line for line in lines)
