"""Factors of which a part is read: the rest leaves nothing in the derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import linalg

from s2sad import NotDifferentiable, grad
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


def read_before_it_is_kept(a):
    r = np.linalg.eigh(a @ a.T)
    corner = np.sum(r[1][0] ** 3)
    kept = (r, 1.0)
    return corner + np.sum(kept[0][0] ** 2)


def read_in_one_branch(a):
    r = np.linalg.eigh(a @ a.T)
    corner = np.sum(r[1][0] ** 3) + r[1][1, 1]
    q = r if a[0, 0] > 5.0 else np.linalg.eigh(2.0 * a @ a.T)
    return corner + np.sum(q[0] ** 2)


def handed_on_by_a_loop(a):
    r = np.linalg.eigh(a @ a.T)
    total = np.sum(r[1][1] ** 3)
    for k in range(2):
        total += np.sum(r[0] ** 2)
        if k == 1:
            total += r[1][0, 0] ** 3
        r = np.linalg.eigh(a @ a.T * (k + 2.0))
    return total


def held_in_a_list(a):
    r = np.linalg.eigh(a @ a.T)
    return np.sum(r[1][0] ** 3) + sum([np.sum(q[0] ** 2) for q in [r, np.linalg.eigh(a.T @ a)]])


@pytest.mark.parametrize("function", [read_before_it_is_kept, read_in_one_branch, handed_on_by_a_loop, held_in_a_list])
def test_vectors_that_are_read_elsewhere(function: Callable[..., Any]) -> None:
    """What nothing reads by one name may be read by another: it is no zero then."""
    (expected,) = gradient(function, (SQUARE,), (0,))
    np.testing.assert_allclose(grad(function)(SQUARE), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("decompose", [linalg.svd, np.linalg.svd])
def test_a_flag_of_the_run_decides_what_there_is(decompose: Callable[..., Any]) -> None:
    """Three matrices or the values alone: nothing can be said of what this is an item of."""

    def f(a, flag):
        parts = decompose(a, compute_uv=flag > 0)
        return np.sum(parts[1])

    with pytest.raises(NotDifferentiable, match="it is not known what this is an item of"):
        grad(f)(SQUARE, 1)


def test_equal_values() -> None:
    """Their sum of squares has a derivative where they are equal, or zero, too."""
    np.testing.assert_allclose(grad(lambda a: np.sum(np.linalg.svd(a)[1] ** 2))(np.eye(3)), 2.0 * np.eye(3), atol=1e-14)
    np.testing.assert_array_equal(grad(lambda a: np.sum(np.linalg.svd(a)[1] ** 2))(np.zeros((3, 2))), np.zeros((3, 2)))
