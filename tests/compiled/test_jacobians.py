"""Jacobians in one compiled call: the same as by single columns and rows, for all they are asked by."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from s2sad import hessian, jacobian

pytest.importorskip("numba")

X = np.array([0.5, -1.25, 2.0])
M = np.array([[0.5, 1.5, -0.75], [2.0, 0.25, 1.0]])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def vector(x):
    return np.sin(x) * x[0] + np.sum(x**2)


def matrix(a, b):
    return (a @ b) * np.sum(a)


def matrix_of_scalar(s, a):
    return np.exp(s * a)


def number(x):
    return np.sum(x**3) * x[1]


def scalar(x):
    return x * np.sin(x)


def several(x, a, s):
    y = a @ x
    if s > 0.0:
        y = y * s
    return y, s * np.sum(x), (a * s, x[0] * x)


def in_place(x, n):
    y = x.copy()
    for k in range(1, n):
        y[k % 3] = y[k % 3] * y[(k - 1) % 3] + x[0]
        y *= 0.5
    return y


def primal_in_place(x, w):
    """What is written holds no derivative, before what has one reads it and after."""
    t = np.zeros(3)
    t[0] = w[0]
    y = t * x
    t[0] = w[1]
    return y + t * x


def loop(x, w):
    total = np.zeros(2)
    for k in range(3):
        c = np.cos(w[k]) * w[k]
        total = total + c * x[k] * x[:2]
    return total


def empty(x, y):
    return x[:0] * 2.0, y


def integers(x):
    return np.arange(3) * x


CASES: list[tuple[Any, tuple[Any, ...], Any]] = [
    (vector, (X,), 0),
    (matrix, (M, X), 0),
    (matrix, (M, X), (0, 1)),
    (matrix, (M, X), (1, 0)),
    (matrix_of_scalar, (0.3, M), 0),
    (matrix_of_scalar, (0.3, M), (0, 1)),
    (number, (X,), 0),
    (scalar, (0.7,), 0),
    (several, (X, M, 0.5), (0, 1, 2)),
    (several, (X, M, -0.5), (1, 2)),
    (several, (X, M, 0.5), 2),
    (in_place, (X, 5), 0),
    (primal_in_place, (X, X + 1.0), 0),
    (primal_in_place, (X, X + 1.0), (0, 1)),
    (loop, (X, X + 1.0), 0),
    (loop, (X, X + 1.0), (0, 1)),
    (empty, (X, X), (0, 1)),
    (vector, (np.asfortranarray(M)[0],), 0),
    (integers, (X,), 0),
]


def compare(here: Any, there: Any) -> None:
    if isinstance(there, tuple):
        assert type(here) is type(there) and len(here) == len(there)
        for a, b in zip(here, there, strict=True):
            compare(a, b)
        return
    assert isinstance(here, np.ndarray) == isinstance(there, np.ndarray)
    assert np.shape(here) == np.shape(there)
    assert np.allclose(here, there, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
@pytest.mark.parametrize("f, args, wrt", CASES)
def test_as_in_python(f: Any, args: tuple[Any, ...], wrt: Any, mode: str) -> None:
    derivative = jacobian(f, wrt=wrt, mode=mode, backend="numba")
    there = jacobian(f, wrt=wrt, mode=mode)(*args)
    compare(derivative(*args), there)
    compare(derivative(*args), there)  # by way of the entry
    if (f, mode) != (in_place, "reverse"):  # which changes what its tapes may share
        assert "_jacobian" in derivative.source_for(*args)


def pair(x, p, s):
    """Two numbers of many, read in several places."""
    angle = np.sqrt(np.sum(x[:3] ** 2))
    y = np.array([x[0] * p[1] - np.cos(angle), x[4] * p[2] + p[0] / angle])
    return s * (y - x[3:5] * np.sum(y))


def small_matrix(x, p):
    return np.array([[x[0] * p[1], np.sum(x) * p[0], x[1] ** 2]])


def with_nothing(x, p):
    return x[0] * p[:0], np.array([x[0] * p[0], x[1] * p[1]])


FEW_ROWS: list[tuple[Any, tuple[Any, ...], Any]] = [
    (pair, (np.linspace(0.5, 1.5, 6), X, 0.7), (0, 1, 2)),
    (pair, (np.linspace(0.5, 1.5, 5), X, 0.7), (1, 0)),
    (pair, (np.linspace(0.5, 1.5, 6), X, 0.7), 0),
    (small_matrix, (np.linspace(0.5, 1.5, 6), X), (0, 1)),
    (with_nothing, (X, X + 1.0), (0, 1)),
]


@pytest.mark.parametrize("f, args, wrt", FEW_ROWS)
def test_few_rows(f: Any, args: tuple[Any, ...], wrt: Any) -> None:
    there = jacobian(f, wrt=wrt)(*args)
    for mode in ("auto", "reverse"):
        derivative = jacobian(f, wrt=wrt, mode=mode, backend="numba")
        compare(derivative(*args), there)
        compare(derivative(*args), there)


def row_of_products(x, w, a):
    return np.array([np.sum(x * w), a])


@pytest.mark.parametrize(
    "f, args, wrt, sweep",
    [
        (pair, FEW_ROWS[0][1], (0, 1, 2), "vjp"),  # 2 rows; of x at least 5 are read, which makes 9 columns
        (scalar, (0.7,), 0, "jvp"),
        (vector, (X,), 0, "jvp"),  # as many
        (several, (X, M, 0.5), 0, "jvp"),  # as many, and others
        (row_of_products, (X, X, 0.5), (0, 1, 2), None),
        (row_of_products, (X, X, 0.5), (0, 2), None),
        (number, (X,), 0, "vjp"),  # one row; two items of x are read
    ],
)
def test_the_shorter_loop_is_known(f: Any, args: tuple[Any, ...], wrt: Any, sweep: str | None) -> None:
    text = jacobian(f, wrt=wrt, backend="numba").source_for(*args)
    assert ("_jacobian_if_fewer(" in text) == (sweep is None)
    assert sweep is None or text.startswith(f'"""{sweep} of {f.__name__}')


def scaled(x, w):
    return x * w


def gathered(x, w):
    return np.array([np.sum(x * w), x[1] * w[0]])


@pytest.mark.parametrize("f, lengths", [(scaled, (3, 3)), (scaled, (3, 1)), (scaled, (1, 3)), (gathered, (3, 1))])
@pytest.mark.parametrize("wrt", [0, 1, (0, 1)])
def test_lengths_that_differ_make_another_loop_shorter(f: Any, lengths: tuple[int, int], wrt: Any) -> None:
    derivative = jacobian(f, wrt=wrt, backend="numba")
    x, w = (np.linspace(0.5, 1.5, n) for n in lengths)
    for a, b in ((X, X), (x, w), (X, X), (x, w)):
        compare(derivative(a, b), jacobian(f, wrt=wrt)(a, b))


def test_a_name_like_that_of_a_pair() -> None:
    def jacobian_if_fewer(x):
        return x * x

    compare(jacobian(jacobian_if_fewer, backend="numba")(X), np.diag(2.0 * X))


@pytest.mark.parametrize("f, args", [(number, (X,)), (scalar, (0.7,))])
def test_hessians(f: Any, args: tuple[Any, ...]) -> None:
    compare(hessian(f, backend="numba")(*args), hessian(f)(*args))


def test_a_hessian_by_several() -> None:
    def f(x, a):
        return np.sum((a @ x) ** 2)

    compare(hessian(f, wrt=(0, 1), backend="numba")(X, M), hessian(f, wrt=(0, 1))(X, M))


def test_single_precision_stays() -> None:
    x = X.astype(np.float32)
    found = jacobian(vector, backend="numba")(x)
    assert found.dtype == np.float32 and np.allclose(found, jacobian(vector)(x), rtol=1e-5)


def test_the_fewer_of_rows_and_columns_by_the_call() -> None:
    def f(a):
        return a @ a.T

    derivative = jacobian(f, backend="numba")
    for shape in ((2, 5), (5, 2), (3, 3), (2, 5)):
        a = np.arange(10.0 if shape != (3, 3) else 9.0).reshape(shape) / 7.0
        compare(derivative(a), jacobian(f)(a))


class Pair(NamedTuple):
    x: Any
    y: Any


def test_what_is_put_together_in_python() -> None:
    """Structures come from several calls, as before."""
    p = {"x": X, "s": 0.5}
    here, there = (jacobian(lambda p: p["x"] * p["s"], **k)(p) for k in ({"backend": "numba"}, {}))
    compare(here["x"], there["x"])
    compare(here["s"], there["s"])
    pair = jacobian(lambda x: Pair(x * x, np.sum(x)), backend="numba")(X)
    assert isinstance(pair, Pair)
    compare(pair.x, np.diag(2.0 * X))
    (whole,) = jacobian(vector, wrt=(0,), backend="numba")(X)
    compare(whole, jacobian(vector)(X))


def test_arguments_stay_and_results_are_apart() -> None:
    x, a = X.copy(), M.copy()
    first = jacobian(several, wrt=(0, 1), backend="numba")(x, a, 0.5)
    second = jacobian(several, wrt=(0, 1), backend="numba")(x, a, 0.5)
    assert np.array_equal(x, X) and np.array_equal(a, M)
    first[0][0][...] = 7.0
    compare(second, jacobian(several, wrt=(0, 1))(x, a, 0.5))


def test_axes_of_different_lengths() -> None:
    def f(x, w):
        return x * w

    derivative = jacobian(f, backend="numba")
    for w in (X, np.array([2.0])):
        compare(derivative(X, w), jacobian(f)(X, w))


def changes_what_it_sums(x):
    y = x * 1.0
    sums = np.empty(2)
    for k in range(2):
        sums[k] = np.sum(y * y)
        y[k] = sums[k] * y[k + 1]
    return sums


@pytest.mark.parametrize("mode", ["auto", "reverse"])
def test_rows_that_one_call_does_not_give_are_put_together_in_python(mode: str) -> None:
    x = np.linspace(0.1, 0.5, 5)
    compiled = jacobian(changes_what_it_sums, mode=mode, backend="numba")
    for _ in range(2):
        np.testing.assert_allclose(compiled(x), jacobian(changes_what_it_sums)(x), rtol=1e-13)
