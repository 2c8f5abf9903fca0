"""Linear algebra of small matrices of known shape: the same values and derivatives, and no call of a library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hessian, jvp, structure, value_and_grad
from tests.texts import own_text

pytest.importorskip("numba")

RNG = np.random.default_rng(11)
REGULAR = [
    RNG.normal(size=(3, 3)) + np.eye(3),
    np.array([[0.0, 2.0, 1.0], [1.0, 0.5, -1.0], [3.0, 0.2, 0.4]]),
    np.array([[1e-9, 2.0, 1.0], [0.3, 0.0, 2.0], [-0.4, 1.5, 1e-8]]),
    np.array([[0.2, -0.7, 0.1], [-0.9, 0.3, 0.6], [0.4, 0.8, -0.5]]),
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def same(found: Any, expected: Any) -> None:
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)


def by_differences(f: Callable[..., Any], args: tuple[Any, ...]) -> list[Any]:
    """The derivative by each argument, of differences."""
    out = []
    for k, x in enumerate(args):
        slopes = np.zeros_like(x)
        for place in np.ndindex(x.shape):
            moved = np.zeros_like(x)
            moved[place] = 1e-6
            ends = [f(*args[:k], x + side * moved, *args[k + 1 :]) for side in (1, -1)]
            slopes[place] = (ends[0] - ends[1]) / 2e-6
        out.append(slopes)
    return out


def one_by_one(a, b):
    m = a[:1, :1]
    x = np.linalg.solve(m, b[:1]) + np.linalg.inv(m)[0]
    factor = np.linalg.cholesky(m @ m.T + np.eye(1))
    return x[0] * np.linalg.det(m) + factor[0, 0] + np.sum(np.linalg.inv(m) ** 2) + np.linalg.slogdet(m)[1]


def two_by_two(a, b):
    m = a[:2, 1:3]
    sign, size = np.linalg.slogdet(m)
    x = np.linalg.solve(m, b[:2])
    many = np.linalg.solve(m.T, a[:2, :3])
    factor = np.linalg.cholesky(m @ m.T + np.eye(2))
    return np.sum(x * x) + np.sum(many * a[1:, :3]) * sign + size * np.linalg.det(m) + np.sum(factor**3 * m)


def three_by_three(a, b):
    m = a[:3, :3]
    back = np.linalg.inv(m) @ b[:3]
    factor = np.linalg.cholesky(m @ m.T + 0.5 * np.eye(3))
    z = np.linalg.solve(factor, b[:3])
    return np.sum(np.sin(back)) + np.linalg.det(m) - np.sum(z**2) - 2.0 * np.sum(np.log(np.diag(factor)))


def diagonals(a, b):
    m = a[:3, :3]
    spread = np.diag(b[:3]) @ m + np.diag(b[:2], 1) * m + np.diag(b[:2], k=-1)
    return np.trace(m @ spread) + np.trace(m, 1) + np.sum(np.diag(m, -1) ** 2) + np.sum(np.tril(m, -1) * np.triu(m.T))


@pytest.mark.parametrize("m", REGULAR, ids=range(len(REGULAR)))
@pytest.mark.parametrize("f", [one_by_one, two_by_two, three_by_three, diagonals], ids=lambda f: f.__name__)
def test_numbers_are_those_of_the_library(f: Callable[..., Any], m: Any) -> None:
    if f is one_by_one:
        m = m + 0.5
    args = m, np.array([0.3, -0.8, 0.5])
    compiled = value_and_grad(f, wrt=(0, 1), backend="numba")
    same(compiled(*args), value_and_grad(f, wrt=(0, 1))(*args))
    same(compiled(*args)[0], f(*args))
    tangents = np.cos(m), np.array([1.0, 0.5, -2.0])
    same(jvp(f, args, tangents, backend="numba"), jvp(f, args, tangents))
    if np.min(abs(m)) > 1e-3:
        for ours, theirs in zip(compiled(*args)[1], by_differences(f, args), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    text = own_text(compiled.source_for(*args), f"{f.__name__}_value_and_grad")
    calls = ("solve(", "inv(", "det(", "cholesky(", "diag(", "trace(", "tril(", "triu(", " @ ")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    assert not any(call in line for line in lines for call in calls)


def test_second_derivatives() -> None:
    def f(b):
        m = np.array([[b[0], b[1] * b[2]], [b[2], b[0] * b[1]]])
        return np.linalg.solve(m, b[:2])[1] * np.linalg.det(m) + np.log(np.linalg.inv(m)[0, 1] ** 2)

    b = np.array([0.3, 1.7, -0.9])
    same(hessian(f, backend="numba")(b), hessian(f)(b))


# ---------------------------------------------------------------- what is singular


def solved(m, b):
    return np.sum(np.linalg.solve(m[:2, :2], b[:2]))


def inverted(m, b):
    return np.sum(np.linalg.inv(m[:2, :2]) @ b[:2])


def factored(m, b):
    return np.sum(np.linalg.cholesky(m[:2, :2]) @ b[:2])


@pytest.mark.parametrize(
    ("f", "m", "message"),
    [
        (solved, np.array([[1.0, 2.0], [2.0, 4.0]]), "Singular"),
        (solved, np.zeros((2, 2)), "Singular"),
        (inverted, np.array([[0.0, 1.0], [0.0, 3.0]]), "Singular"),
        (factored, np.array([[1.0, 2.0], [2.0, 1.0]]), "positive definite"),
        (factored, np.zeros((2, 2)), "positive definite"),
    ],
)
def test_what_has_no_solution_raises(f: Callable[..., Any], m: Any, message: str) -> None:
    with pytest.raises(np.linalg.LinAlgError, match=message):
        f(m, np.ones(2))
    with pytest.raises(np.linalg.LinAlgError, match=message):
        grad(f, backend="numba")(m, np.ones(2))


@pytest.mark.parametrize(
    "m", [np.array([[1.0, 2.0], [2.0, 4.0]]), np.zeros((2, 2)), np.array([[0.0, 3.0], [0.0, 1.0]])]
)
def test_determinants_of_singular_matrices(m: Any) -> None:
    def f(x, m):
        sign, size = np.linalg.slogdet(m[:2, :2])
        return x * sign + x**2 * np.exp(size) + x**3 * (1.0 + np.linalg.det(m[:2, :2]))

    assert np.linalg.slogdet(m)[0] == 0.0
    assert grad(f, backend="numba")(2.0, m) == grad(f)(2.0, m) == 12.0


@pytest.mark.parametrize("shape", [(2, 3), (3, 2)])
def test_what_is_not_square_raises(shape: tuple[int, int]) -> None:
    def f(m):
        return np.sum(np.linalg.inv(m[: shape[0], : shape[1]]))

    with pytest.raises(np.linalg.LinAlgError):
        f(np.ones((3, 3)))
    with pytest.raises(Exception, match="square"):
        grad(f, backend="numba")(np.ones((3, 3)))


@pytest.mark.parametrize("m", [np.eye(2), np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([[-1.0, 0.0], [0.0, 1.0]])])
def test_exceptions_are_caught(m: Any) -> None:
    def f(m, x):
        try:
            return x * np.sum(np.linalg.solve(m[:2, :2], np.ones(2)))
        except np.linalg.LinAlgError:
            return x**2

    def g(m, x):
        try:
            return x * np.sum(np.linalg.cholesky(m[:2, :2]))
        except np.linalg.LinAlgError:
            return x**2

    for h in (f, g):
        same(grad(h, wrt=1, backend="numba")(m, 3.0), grad(h, wrt=1)(m, 3.0))


@pytest.mark.parametrize("place", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite(place: tuple[int, int], value: float) -> None:
    m = np.array([[2.0, 1.0], [0.5, 3.0]])
    m[place] = value

    def f(m, x):
        return x * np.sum(np.linalg.solve(m[:2, :2], np.array([1.0, 2.0])))

    found, expected = grad(f, wrt=1, backend="numba")(m, 3.0), grad(f, wrt=1)(m, 3.0)
    np.testing.assert_allclose(found, expected)
