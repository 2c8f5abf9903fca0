"""Lists that NumPy's functions are given, in the compiled tier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad
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


def columns_written_down(x, c):
    beside = np.column_stack([[c, 1.0, c * c], [x[0], x[1], 2.0]])
    below = np.vstack([[c, x[2]], [x[0] * c, 3.0]])
    return np.sum(beside**3) * np.linalg.det(below)


def columns_that_grow(x, c):
    columns = []
    for k in range(3):
        columns.append([x[k], c * k, 1.0])
    return np.sum(np.column_stack(columns) ** 3 * np.arange(9.0).reshape(3, 3))


def columns_changed_between(x, c):
    columns = [[x[0], x[1]], [c, 1.0]]
    first = np.column_stack(columns)
    columns[0][0] = 7.0 * c * x[2]
    columns.append([x[2], 2.0])
    return np.sum(first**2) * np.sum(np.column_stack(columns) ** 3) + np.sum(np.vstack(columns) ** 4)


def columns_stored_into(x, c):
    beside = np.column_stack([[x[0], x[1]], [c, 1.0]])
    flat = beside.reshape(-1)
    flat[1] = c * c
    flat[0] *= x[2]
    return np.sum(beside**3) + np.sum(flat)


@pytest.mark.parametrize("f", [columns_written_down, columns_that_grow, columns_changed_between, columns_stored_into])
def test_lists_of_lists_are_joined(f, tmp_path, monkeypatch):
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    x, c, v = np.array([0.3, -0.8, 1.2]), 0.5, np.array([0.4, 0.9, -0.6])
    slope, moved = (s2sad.grad(f, wrt=(0, 1), backend="numba")(x + h * v, c + 0.7 * h) for h in (0.0, 1e-5))
    back = s2sad.grad(f, wrt=(0, 1), backend="numba")(x - 1e-5 * v, c - 0.7e-5)
    along = (f(x + 1e-5 * v, c + 0.7e-5) - f(x - 1e-5 * v, c - 0.7e-5)) / 2e-5
    assert slope[0] @ v + 0.7 * slope[1] == pytest.approx(along, rel=1e-7)
    assert s2sad.jvp(f, (x, c), (v, 0.7), backend="numba")[1] == pytest.approx(along, rel=1e-7)
    product = s2sad.hvp(f, wrt=(0, 1), backend="numba")(x, c, (v, 0.7))
    np.testing.assert_allclose(product[0], (moved[0] - back[0]) / 2e-5, rtol=1e-6, atol=1e-8)
    assert product[1] == pytest.approx((moved[1] - back[1]) / 2e-5, rel=1e-6)
