"""Which adjoints may be zero where a partial is infinite: those of what is only used in part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad


def part(x: Any) -> Any:
    return np.sum(np.sqrt(x)[1:, None])


def row(x: Any) -> Any:
    return np.sum(np.sqrt(x)[None, ...][0]) + np.sqrt(x)[0]


def widened(x: Any) -> Any:
    return np.sum(np.sqrt(x)[:, None] * np.sqrt(x)[None, ...])


def shown(x: Any) -> Any:
    y = np.sqrt(x)
    return np.sum(y[:] * y[...])


@pytest.mark.parametrize(("f", "masked"), [(part, True), (row, True), (widened, False), (shown, False)])
def test_what_shows_all_items_picks_none(f: Callable[..., Any], masked: bool) -> None:
    x = np.array([0.3, 1.2, 2.0])
    assert ("_times" in grad(f).source_for(x) or "_quotient" in grad(f).source_for(x)) is masked
    moved = [f(x + 1e-6 * d) - f(x - 1e-6 * d) for d in np.eye(3)]
    np.testing.assert_allclose(grad(f)(x), np.array(moved) / 2e-6, rtol=1e-7)


def test_what_is_not_picked_may_be_zero() -> None:
    assert np.all(np.isfinite(grad(part)(np.array([0.0, 1.2, 2.0]))))


def added_in_place(x: Any) -> Any:
    total = np.zeros(3)
    total += np.sqrt(x)
    return np.sum(np.maximum(total - 0.5, 0.0))


def added_in_a_loop(x: Any) -> Any:
    total = np.zeros(3)
    for k in range(2):
        total[...] += np.sqrt((k + 1.0) * x)
    return np.sum(np.maximum(total - 0.5, 0.0))


def stored_through_a_view(x: Any) -> Any:
    total = np.zeros((2, 3))
    first = total.T[:, 0]
    first[:] = np.sqrt(x)
    return np.sum(np.where(total > 0.5, total, 0.0))


@pytest.mark.parametrize("f", [added_in_place, added_in_a_loop, stored_through_a_view])
def test_what_is_stored_is_picked_with_the_array(f: Callable[..., Any]) -> None:
    x = np.array([0.0, 1.2, 2.0])
    with np.errstate(divide="ignore"):
        gradient = grad(f)(x)
    assert gradient[0] == 0.0
    moved = [f(x + 1e-6 * d) - f(x - 1e-6 * d) for d in np.eye(3)[1:]]
    np.testing.assert_allclose(gradient[1:], np.array(moved) / 2e-6, rtol=1e-7)
