"""Functions of matrices of SciPy in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, hvp, jvp, value_and_grad

pytest.importorskip("numba")
linalg = pytest.importorskip("scipy.linalg")
stats = pytest.importorskip("scipy.stats")

RNG = np.random.default_rng(17)


def real(*shape: int) -> Any:
    return RNG.normal(size=shape)


def transported(a, times):
    total = 0.0
    for t in times:
        total += np.sum(linalg.expm(a * t)[:, 0])
    return total


def grown(a, x):
    return np.sum(linalg.expm(12.0 * (a - 3.0 * np.eye(len(a)))) @ x) + np.sum(linalg.expm(a.T)[1])


def diffused(u, k):
    band = np.zeros((3, len(u)))
    band[0, 1:], band[1], band[2, :-1] = -k, 1.0 + 2.0 * k, -k
    for _ in range(3):
        u = linalg.solve_banded((1, 1), band, u)
    return np.sum(u**2)


def of_several_sides(band, b):
    return np.sum(linalg.solve_banded((2, 1), band, b) ** 3)


def filtered(x, mean, factor):
    total, cov = 0.0, factor @ factor.T + np.eye(len(factor))
    for point in x:
        total += stats.multivariate_normal.logpdf(point, mean, cov)
    return total + stats.multivariate_normal.pdf(x[0], cov=cov)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (transported, (real(4, 4), np.linspace(0.0, 2.0, 4))),
    (grown, (real(3, 3), real(3))),
    (diffused, (real(8), 0.3)),
    (of_several_sides, (real(4, 7), real(7, 2))),
    (filtered, (real(5, 3), real(3), real(3, 3))),
]


@pytest.mark.parametrize("f, args", CASES, ids=[f.__name__ for f, _ in CASES])
def test_derivatives_are_those_of_the_python_tier(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    wrt = tuple(range(len(args)))
    expected = grad(f, wrt=wrt)(*args)
    for a, b in zip(grad(f, wrt=wrt, backend="numba")(*args), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)
    tangents = tuple(np.cos(a) for a in args)
    found = jvp(f, args, tangents, backend="numba")
    np.testing.assert_allclose(found, jvp(f, args, tangents), rtol=1e-11)
    check_grads(f, wrt=wrt)(*args)


def test_second_derivatives_of_exponentials() -> None:
    a, v = real(3, 3), real(3, 3)
    times = np.array([0.5])
    expected = hvp(transported)(a, times, v)
    np.testing.assert_allclose(hvp(transported, backend="numba")(a, times, v), expected, rtol=1e-11, atol=1e-12)


def solved(band, b):
    return np.sum(linalg.solve_banded((1, 1), band, b))


def dense(cov, x):
    return stats.multivariate_normal.logpdf(x, np.zeros(2), cov)


def test_singular_matrices_raise() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        grad(solved, backend="numba")(np.zeros((3, 4)), np.ones(4))
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        value_and_grad(dense, wrt=1, backend="numba")(np.diag([1.0, 1e-12]), np.ones(2))
    with pytest.raises(ValueError, match="semidefinite"):
        value_and_grad(dense, wrt=1, backend="numba")(np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones(2))


def test_rows_change_places_within_the_band() -> None:
    band = np.array([[0.0, 2.0, 1.0, 3.0], [0.0, 1e-20, 0.0, 1.0], [4.0, 1.0, 2.0, 0.0]])
    np.testing.assert_allclose(
        grad(solved, wrt=(0, 1), backend="numba")(band, np.ones(4))[1],
        grad(solved, wrt=1)(band, np.ones(4)),
        rtol=1e-12,
    )
