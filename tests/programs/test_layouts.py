"""What may be a view or a copy is what it is for the caller's array, in both modes, whatever its layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad

LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "rows": lambda x: x.copy(),
    "columns": lambda x: np.asfortranarray(x),
    "strided": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "reversed": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "part": lambda x: np.pad(x, 1)[1:-1, 1:-1],
}


def ravelled(x: Any, c: float) -> Any:
    flat = x.ravel()
    flat[1] = c
    return np.sum(x * x) + np.sum(flat)


def copies(x: Any, c: float) -> Any:
    kept, made, times = np.copy(x), x.T.copy(), x * 1.0
    kept.ravel()[1] = c
    made.ravel()[1] = c
    times.ravel()[2] *= c
    return np.sum(kept * kept) + np.sum(made * made * x.T) + np.sum(times * x)


def contiguous(x: Any, c: float) -> Any:
    rows = np.ascontiguousarray(x)
    rows[0] *= c
    flat = np.reshape(x.T, -1)
    flat *= c
    return np.sum(x * x) + np.sum(rows * flat[0])


def held(xs: Any, c: float) -> Any:
    flat = xs[0].ravel()
    flat[1] *= c
    return np.sum(xs[0] * xs[1]) + np.sum(flat * flat)


def begun(x: Any, c: float) -> Any:
    sums = np.zeros_like(x.T)
    sums += x.T
    sums.ravel()[1] = c * x[1, 0]
    return np.sum(sums * sums)


def handed_on(x: Any, c: float) -> Any:
    by_rows = (x * x).T.copy()
    more = by_rows + c
    more.ravel()[2] = x[0, 0]
    return np.sum(more * by_rows)


def overwritten_before_it_is_read(x: Any, c: float) -> Any:
    square = x[:3]
    square[1] = square[:, 2]
    square.T[2] *= c
    square.T[2] = square[1]
    return np.sum(x**3)


def made_and_overwritten(x: Any, c: float) -> Any:
    y = x * c
    y[1] = y[:3, 2]
    return np.sum(y**3)


F = [ravelled, copies, contiguous, held, begun, handed_on, overwritten_before_it_is_read, made_and_overwritten]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", F)
def test_layouts(f: Callable[..., Any], layout: str) -> None:
    x, c, h = np.random.default_rng(1).uniform(0.5, 1.5, (4, 3)), 0.4, 1e-6

    def argument(x: np.ndarray) -> Any:
        return [LAYOUTS[layout](x), LAYOUTS[layout](2 * x)] if f is held else LAYOUTS[layout](x)

    def along(gradient: Any) -> list[float]:
        return [np.sum(gradient[0] * e + gradient[1] * 2 * e) if f is held else np.sum(gradient * e) for e in units]

    units = [np.reshape(row, x.shape) for row in np.eye(x.size)]
    expected = [(f(argument(x + h * e), c) - f(argument(x - h * e), c)) / (2 * h) for e in units]
    value, gradient = s2sad.value_and_grad(f)(argument(x), c)
    assert value == pytest.approx(f(argument(x), c))
    assert along(gradient) == pytest.approx(expected)
    value, pullback = s2sad.vjp(f, argument(x), c)
    assert value == pytest.approx(f(argument(x), c))
    assert along(pullback(1.0)[0]) == pytest.approx(expected)
    directions = [([e, 2 * e] if f is held else e, 0.0) for e in units]
    assert [s2sad.jvp(f, (argument(x), c), d)[1] for d in directions] == pytest.approx(expected)
