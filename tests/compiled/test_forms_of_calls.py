"""Calls in less common forms, in both tiers: results and gradients are the same, their dtypes included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp

A = np.array([[0.7, 0.3, 1.3, 0.9], [0.4, 1.1, 0.2, 0.8], [1.6, 0.1, 0.5, 1.2]])
K = np.arange(18.0).reshape(2, 3, 3) ** 0.5
M = np.array([[1.0, 0.5, 0.2], [0.3, 2.0, 0.7], [0.1, 0.4, 1.5]])
missing = np.array([0.5, np.nan, 1.5, np.nan])

CALLS: list[tuple[Any, ...]] = [
    (lambda a: np.moveaxis(a, source=-1, destination=0) @ a, A),
    (lambda a: np.take(a=a, indices=np.array([0, 2]), axis=1), A),
    (lambda a: np.full(shape=3, fill_value=a[0, 1]), A),
    (lambda a: np.sum(a, axis=0, initial=a[0, 0]), A),
    (lambda a: np.prod(a, axis=1, initial=a[0, 0]), A),
    (lambda a: np.linalg.norm(a, "f") * a, A),
    (lambda a: np.average(a, axis=(-1, 1), weights=M, keepdims=True), K),
    (lambda a: np.fmax(a, missing), A),
    (lambda a: np.fmin(missing, a), A),
    (lambda a: np.repeat(a, 2), np.asfortranarray(A)),
    (lambda a: np.resize(a, (5, 5)), np.asfortranarray(A)),
    (lambda a: np.ascontiguousarray(a[0, :2]) * 2.0, A),
    (lambda a: a.astype(np.float32) ** 2, A),
    (lambda a: np.prod(a.astype(np.float32), axis=1), A),
    (lambda a: np.var(a, axis=0, dtype=np.float32), A),
    (lambda a: np.r_[a[0, 0], a[1, 1]] * 2, A.astype(np.float32)),
    (lambda a: np.hstack([np.float32(a[0, 0]), np.float32(a[1, 1])]), A),
]


@pytest.mark.parametrize("case", CALLS, ids=range(len(CALLS)))
def test_the_tiers_agree(case: tuple[Any, ...]) -> None:
    f, a = case
    exact = a.dtype == np.float64 and f(a).dtype == np.float64
    y, dy = jvp(f, (a,), (np.cos(a),), backend="numba")
    for found, expected in zip((y, dy), jvp(f, (a,), (np.cos(a),)), strict=True):
        assert found.dtype == expected.dtype == f(a).dtype
        np.testing.assert_allclose(found, expected, rtol=1e-12 if exact else 1e-5)

    def total(a: Any) -> Any:
        return np.sum(np.sin(f(a)))

    found, expected = grad(total, backend="numba")(a), grad(total)(a)
    assert found.dtype == expected.dtype == a.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12 if exact else 1e-5, atol=1e-12)
