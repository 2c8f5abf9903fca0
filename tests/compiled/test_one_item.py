"""Numbers that NumPy takes for vectors of one item, in the compiled tier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import jvp, value_and_grad

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "prod": lambda a: np.prod(a * a, axis=0),
    "max": lambda a: np.max(a * a),
    "nanmin": lambda a: np.nanmin(a * a),
    "ptp": lambda a: np.ptp(a * a, axis=-1) + a * a,
    "cumsum": lambda a: np.cumsum(a * a, axis=0)[-1],
    "cumprod": lambda a: np.sum(np.cumprod(a * a)),
    "take": lambda a: np.take(a * a, 0) + np.take(a, [0, -1], axis=0)[1],
    "repeat": lambda a: np.sum(np.repeat(a * a, 3)),
    "compress": lambda a: np.compress([True], a * a, axis=0)[0],
    "kept": lambda a: np.sum(a * a, keepdims=True) * np.max(a, axis=0, keepdims=True),
    "argmax": lambda a: np.argmax(a * a) + np.count_nonzero(a) * a,
    "median": lambda a: np.median(a * a) + np.quantile(a, 0.3) + np.percentile(a, 10.0),
    "nanmean": lambda a: np.nanmean(a * a) * np.nanprod(a),
    "norm": lambda a: np.linalg.norm(a * a),
    "counted": lambda a: np.sum(a > 0.0) * a + np.any(a) * a,
}


@pytest.mark.parametrize("number", [0.7, np.array(0.7)], ids=["number", "array"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_both_tiers_agree(name: str, number: Any) -> None:
    f = FUNCTIONS[name]
    for found, expected in (
        (value_and_grad(f, backend="numba")(number), value_and_grad(f)(number)),
        (jvp(f, (number,), (1.0,), backend="numba"), jvp(f, (number,), (1.0,))),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        assert [np.shape(x) for x in found] == [np.shape(x) for x in expected]


def test_items_that_are_taken_of_a_vector() -> None:
    def f(v: Any) -> Any:
        w = np.sin(v)
        return np.take(w, 1) * np.sum(np.take(v, [0, 2, 0]) * np.take(w, (1, 1, 2)))

    v = np.array([0.3, 0.8, -0.4])
    np.testing.assert_allclose(value_and_grad(f, backend="numba")(v)[1], value_and_grad(f)(v)[1], rtol=1e-14)
