"""Lists that NumPy's functions are given, in the compiled tier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad

pytest.importorskip("numba")

X = np.array([0.5, 0.3, 0.9, 1.1])


def grown(x: Any) -> Any:
    values = []
    for k in range(len(x)):
        values.append(x[k] * x[0] + 0.13 * k)
    return values


def by_order(x: Any) -> Any:
    values = grown(x)
    order = np.argsort(values)
    return values[order[0]] * values[np.argmax(values)] - values[np.argmin(values)] ** 2


def in_the_middle(x: Any) -> Any:
    values = grown(x)
    return np.median(values) + np.percentile(values, 30) * np.sort(values)[1] + np.ptp(values)


def joined(x: Any) -> Any:
    values = grown(x)
    both = np.concatenate([values, values])
    return both[3] * np.vstack((values, values))[1, 2] + np.tile(values, 2)[5] + np.stack([values, values])[1, 0]


def between(x: Any) -> Any:
    values = grown(x)
    return np.interp(1.5, range(4), values) * np.trapezoid(values, dx=0.1) + np.polyval(values, 0.5)


def together(x: Any) -> Any:
    return np.corrcoef(grown(x), [1.0, 2.0, 0.0, 3.0])[0, 1] + np.cov(np.array(grown(x)), [1.0, 2.0, 0.0, 3.0])[1, 0]


def asked(x: Any) -> Any:
    values = grown(x)
    if np.any(np.isnan(values)) or not np.allclose(values, values) or np.count_nonzero(values) < 4:
        return 0.0
    return values[np.nonzero(values)[0][1]] * np.round(values)[3] + np.nanmean(values)


FUNCTIONS = [by_order, in_the_middle, joined, between, together, asked]


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients(f: Callable[..., Any], backend: str) -> None:
    h = 1e-6
    slopes = [(f(X + h * d) - f(X - h * d)) / (2 * h) for d in np.eye(4)]
    np.testing.assert_allclose(grad(f, backend=backend)(X), slopes, rtol=1e-7, atol=1e-8)
