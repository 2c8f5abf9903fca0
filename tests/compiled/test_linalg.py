"""Functions of ``scipy.linalg`` in compiled code: SciPy's numbers, of the triangle that it reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, hessian, jacobian, structure, value_and_grad

pytest.importorskip("numba")
linalg = pytest.importorskip("scipy.linalg")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


A = np.array([[4.0, 0.3, -0.6, 0.2], [0.5, 3.0, 0.7, -0.4], [0.1, 0.8, 5.0, 0.9], [-0.2, 0.6, 0.35, 2.5]])
Y = np.array([0.3, -1.2, 0.7, 2.0])


def gaussian_process(a, y):
    L = linalg.cholesky(a @ a.T, lower=True)
    alpha = linalg.cho_solve((L, True), y)
    return -0.5 * y @ alpha - np.sum(np.log(np.diag(L)))


def factored_above(a, y):
    c, low = linalg.cho_factor(a @ a.T)
    R = linalg.cholesky(a @ a.T, check_finite=False)
    return np.sum(linalg.cho_solve((c, low), y) ** 2) + np.sum(linalg.solve_triangular(R, y, trans=1) ** 2)


def every_triangle(a, y):
    total = 0.0
    sides = np.outer(y, y[:3])
    for b in (y, sides):
        total += np.sum(linalg.solve_triangular(a, b) ** 2) + np.sum(linalg.solve_triangular(a, b, lower=True) ** 3)
        total += np.sum(linalg.solve_triangular(a, b, "T") ** 2)
        total += np.sum(linalg.solve_triangular(a, b, trans=1, lower=True) ** 3)
        total += np.sum(linalg.solve_triangular(a, b, unit_diagonal=True) ** 2)
        total += np.sum(linalg.solve_triangular(a, b, trans="T", lower=True, unit_diagonal=True) ** 2)
    return total


def whole_matrices(a, y):
    return linalg.det(a) + np.sum(linalg.inv(a) ** 2) + np.sum(linalg.solve(a, y, assume_a="gen") * y)


@pytest.mark.parametrize(
    "f", [gaussian_process, factored_above, every_triangle, whole_matrices], ids=lambda f: f.__name__
)
@pytest.mark.parametrize(
    "make",
    [lambda f, **k: value_and_grad(f, wrt=(0, 1), **k), hessian, lambda f, **k: jacobian(f, mode="forward", **k)],
)
def test_both_tiers_agree(f: Callable[..., Any], make: Callable[..., Any]) -> None:
    expected, found = make(f)(A, Y), make(f, backend="numba")(A, Y)
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_the_other_triangle_is_not_read() -> None:
    a = np.where(np.tri(4, dtype=bool), A, np.nan)

    def f(a, y):
        return np.sum(linalg.solve_triangular(a, y, lower=True, check_finite=False) ** 2)

    value, slope = value_and_grad(f, backend="numba")(a, Y)
    np.testing.assert_allclose(value, f(a, Y))
    np.testing.assert_allclose(slope, grad(f)(A, Y), rtol=1e-12)


def test_matrices_that_have_no_solution_raise() -> None:
    def f(a, y):
        return np.sum(linalg.solve_triangular(a, y))

    with pytest.raises(np.linalg.LinAlgError):
        value_and_grad(f, backend="numba")(np.diag([1.0, 0.0]), Y[:2])
    with pytest.raises(ValueError, match="square"):
        value_and_grad(f, backend="numba")(A[:3], Y)
    with pytest.raises(ValueError, match="rows"):
        value_and_grad(f, backend="numba")(A, Y[:2])
    assert value_and_grad(f, backend="numba")(A[:0, :0], Y[:0])[0] == 0.0


def test_matrices_of_which_something_is_assumed_are_refused() -> None:
    def f(a, y):
        return np.sum(linalg.solve(a, y, assume_a="pos"))

    with pytest.raises(CompileError, match=r"scipy\.linalg\.solve"):
        grad(f, backend="numba")(A @ A.T, Y)


def test_heaviside() -> None:
    def f(x):
        return np.sum(np.heaviside(x, 0.5) * x**2 + np.heaviside(x - 1.0, x))

    x = np.array([-1.0, 0.0, 1.0, 2.0])
    for a, b in zip(value_and_grad(f, backend="numba")(x), value_and_grad(f)(x), strict=True):
        np.testing.assert_array_equal(a, b)
    assert np.isnan(value_and_grad(f, backend="numba")(np.array([np.nan]))[0])
