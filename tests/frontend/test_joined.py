"""``np.r_`` and ``np.c_``: what is between their brackets are parts, lists and tuples among them, and no places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import vjp

PAIR = (1.0, 2.0)

JOINED: list[Callable[[Any], Any]] = [
    lambda x: np.r_[x, x],
    lambda x: np.c_[x, x],
    lambda x: np.r_[x],
    lambda x: np.r_[x, 0.5, x[0]],
    lambda x: np.r_[(x[0], x[1]), 0.5],
    lambda x: np.r_[[x[0], x[1]], 0.5],
    lambda x: np.r_[0:3, x],
    lambda x: np.r_[PAIR, x],
    lambda x: np.r_[x[0], *PAIR],
    lambda x: np.c_[[x[0], x[1]], [1.0, 2.0]],
    lambda x: np.r_[range(3), x[0]],
    lambda x: np.r_[np.s_[0:2], x[0]],
    lambda x: np.r_[x[0] : x[1] : 4j],
]


@pytest.mark.parametrize("k", range(len(JOINED)))
@pytest.mark.parametrize("make", [list, tuple, np.array])
def test_parts(k: int, make: Callable[..., Any]) -> None:
    f, at = JOINED[k], np.array([0.3, 1.2])
    value, pullback = vjp(f, make(at.tolist()))
    np.testing.assert_allclose(value, f(at))
    weights = np.arange(1.0, value.size + 1.0).reshape(value.shape)
    slope = pullback(weights)[0]
    for i, e in enumerate(1e-6 * np.eye(2)):
        assert slope[i] == pytest.approx(np.sum(weights * (f(at + e) - f(at - e))) / 2e-6, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("k", [0, 1, 7])
def test_lists_compiled(k: int) -> None:
    pytest.importorskip("numba")
    value, pullback = vjp(JOINED[k], [0.3, 1.2])
    compiled, compiled_pullback = vjp(JOINED[k], [0.3, 1.2], backend="numba")
    np.testing.assert_allclose(compiled, value)
    np.testing.assert_allclose(compiled_pullback(value)[0], pullback(value)[0])


def order_of_a_number(x: float) -> Any:
    return np.argsort(x) + 2.0 * x


def test_the_order_of_a_number_is_an_array() -> None:
    value, pullback = vjp(order_of_a_number, 0.7)
    assert value.tolist() == [1.4]
    slope = pullback(np.ones(1))[0]
    assert slope == 2.0 and np.ndim(slope) == 0 and isinstance(slope, float)
