"""Windows, running extrema, diagonals, triangles, joins in depth, parts deleted, least squares: compiled alike."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import CompileError, grad, vjp

pytest.importorskip("numba")

from tests.compiled.corpus import MODES, PROGRAMS, compare


def programs() -> list[str]:
    """Those that are about this."""
    return [name for name, p in PROGRAMS.items() if p.function.__module__ in ("cases_windows", "cases_least_squares")]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", programs())
def test_tiers_agree(name: str, mode: str) -> None:
    outcome = compare(name, mode)
    assert outcome.what == "agreed", outcome.message


def accumulated(a):
    return np.maximum.accumulate(a), np.minimum.accumulate(a, axis=0), np.maximum.accumulate(a[None], axis=1)


def test_running_extrema_of_nan_and_of_equal_items() -> None:
    x = np.array([1.0, 1.0, 0.5, 2.0, 2.0, np.nan, 3.0, -1.0])
    (found, pullback), (expected, other) = vjp(accumulated, x, backend="numba"), vjp(accumulated, x)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    ct = tuple(np.arange(1.0, 9.0).reshape(np.shape(y)) * k for k, y in enumerate(expected, 1))
    np.testing.assert_array_equal(pullback(ct), other(ct))


def test_diagonals_that_are_not_there() -> None:
    def f(a):
        return np.diagonal(a, 7, 1, 2), np.trace(a, -5, 1, 2), np.diagonal(a, -2, 1, 2)

    a = np.arange(24.0).reshape(2, 3, 4)
    (found, pullback), (expected, other) = vjp(f, a, backend="numba"), vjp(f, a)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(x, y)
    ct = tuple(np.ones(np.shape(y)) for y in expected)
    np.testing.assert_array_equal(pullback(ct), other(ct))


def test_diagonals_of_what_changes_are_refused() -> None:
    """NumPy's are views, of stacked matrices those of compiled code are copies."""

    def f(x):
        a = np.ones((2, 3, 3))
        lines = np.diagonal(a, axis1=1, axis2=2)
        a[0] = 2.0
        return np.sum(lines * x)

    assert grad(f)(np.ones((2, 3)))[0, 0] == 2.0
    with pytest.raises(CompileError):
        grad(f, backend="numba")(np.ones((2, 3)))


def test_limits_of_single_precision() -> None:
    def f(a):
        return np.sum(np.nan_to_num(a) * a)

    a = np.array([1.5, -2.0, np.inf], np.float32)[:2]
    found, expected = grad(f, backend="numba")(a), grad(f)(a)
    assert found.dtype == expected.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_places_of_extrema() -> None:
    a = np.array([[1.0, 3.0, 3.0], [0.5, np.nan, -2.0], [0.5, 0.5, np.nan]])
    b = np.stack([a, -a, a[::-1]])

    def f(a, b):
        return np.argmax(a, axis=1), np.argmin(a, 0), np.argmax(b, axis=1), np.argmin(b, axis=-1), np.argmin(a > 0.0, 1)

    for x, y in zip(vjp(lambda a, b: (f(a, b), np.sum(a)), a, b, backend="numba")[0][0], f(a, b), strict=True):
        np.testing.assert_array_equal(x, y)
        assert x.dtype == y.dtype


def two_triangles(a, k):
    """Powers of what is on one side of a diagonal, of what is on the other, and of both of the transpose."""
    return np.sum(np.tril(a, k) ** 2) + np.sum(np.triu(a, k + 1) * a) + np.sum(np.tril(a.T) ** 3 + np.triu(a.T))


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (0, 3), (3, 0)])
@pytest.mark.parametrize("k", [-6, -2, 0, 1, 6])
def test_triangles(shape: tuple[int, int], k: int) -> None:
    a = np.linspace(-1.0, 2.0, shape[0] * shape[1]).reshape(shape)
    found, expected = grad(two_triangles, backend="numba")(a, k), grad(two_triangles)(a, k)
    assert found.dtype == expected.dtype and np.array_equal(found, expected)


def test_what_a_triangle_leaves_out_may_be_anything() -> None:
    a = np.full((3, 3), np.nan)
    a[2, 0] = 1.0
    y, pullback = vjp(lambda x: np.tril(x, -2), a, backend="numba")
    assert np.array_equal(y, [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    assert np.array_equal(pullback(np.ones((3, 3)))[0], y)
