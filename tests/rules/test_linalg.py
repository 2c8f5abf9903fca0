"""Factors of which a part is read: the rest leaves nothing in the derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import linalg

from s2sad import grad
from tests.programs.differences import gradient

RNG = np.random.default_rng(11)
WIDE, TALL, SQUARE = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3))


def singular_values(a):
    return np.sum(np.linalg.svd(a)[1] ** 3)


def singular_values_of_many(a):
    return np.sum(np.linalg.svd(np.stack((a, 2.0 * a + 1.0)))[1] ** 3)


def by_scipy(a):
    return np.sum(linalg.svd(a)[1] ** 3)


def eigenvalues(a):
    w, _ = np.linalg.eigh(a @ a.T + np.eye(a.shape[0]))
    return np.sum(np.sqrt(w))


def eigenvalues_by_scipy(a):
    w, v = linalg.eigh(a @ a.T + np.eye(a.shape[0]))
    return np.sum(np.sqrt(w)) * v.size


def eigenvalues_of_bands(a):
    w, _ = linalg.eigh_tridiagonal(a[0], a[1, :-1])
    return np.sum(w**3)


@pytest.mark.parametrize("a", [WIDE, TALL, SQUARE], ids=["wide", "tall", "square"])
@pytest.mark.parametrize(
    "function",
    [singular_values, singular_values_of_many, by_scipy, eigenvalues, eigenvalues_by_scipy, eigenvalues_of_bands],
)
def test_values_alone(function: Callable[..., Any], a: Any) -> None:
    (expected,) = gradient(function, (a,), (0,))
    np.testing.assert_allclose(grad(function)(a), expected, rtol=1e-6, atol=1e-7)
    assert "_inverse_gaps" not in grad(function).source


def test_equal_values() -> None:
    """Their sum of squares has a derivative where they are equal, or zero, too."""
    np.testing.assert_allclose(grad(lambda a: np.sum(np.linalg.svd(a)[1] ** 2))(np.eye(3)), 2.0 * np.eye(3), atol=1e-14)
    np.testing.assert_array_equal(grad(lambda a: np.sum(np.linalg.svd(a)[1] ** 2))(np.zeros((3, 2))), np.zeros((3, 2)))
