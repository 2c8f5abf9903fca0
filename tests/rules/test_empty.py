"""Arrays without items: averages of them are NaN, and their gradients have no items, in both tiers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import jvp, value_and_grad

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
