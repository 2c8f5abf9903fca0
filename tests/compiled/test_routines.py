"""Linear algebra that compiled code does by LAPACK."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp
from s2sad.compiled import lapack, routines
from s2sad.compiled.triangular import substituted_2
from s2sad.ir.printer import show
from tests.ir.reader import read

pytest.importorskip("numba")
pytest.importorskip("scipy")

RNG = np.random.default_rng(8)


def solved(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2)


def inverted(a, b):
    return np.sum(np.linalg.inv(a) @ b)


def whitened(a, b):
    x = np.linalg.solve(a.T, b)
    for _ in range(3):
        x = x - 0.1 * np.linalg.solve(a @ a.T, x)
    return np.sum(np.linalg.inv(a @ a.T) @ x)


def by_factor(a, b):
    lower = np.linalg.cholesky(a @ a.T)
    return np.sum(np.linalg.solve(lower.T, np.linalg.solve(lower, b)) ** 2)


def agree(f: Callable[..., Any], *args: Any) -> None:
    expected = grad(f, wrt=(0, 1))(*args)
    found = grad(f, wrt=(0, 1), backend="numba")(*args)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("sides", [(), (2,)])
def test_gradients_are_those_of_the_python_tier(sides: tuple[int, ...]) -> None:
    for n in (1, 4, 40):
        agree(whitened, RNG.normal(size=(n, n)) + 2.0 * n * np.eye(n), RNG.normal(size=(n, *sides)))


@pytest.mark.parametrize("f", [whitened, by_factor])
def test_single_precision_is_rounded_in_the_end(f: Callable[..., Any]) -> None:
    a, b = (RNG.normal(size=(5, 5)) / 9.0 + np.eye(5)).astype(np.float32), RNG.normal(size=(5, 2)).astype(np.float32)
    expected = grad(f, wrt=(0, 1))(a.astype(float), b.astype(float))
    found = grad(f, wrt=(0, 1), backend="numba")(a, b)
    for x, y in zip(found, expected, strict=True):
        assert x.dtype == np.float32
        np.testing.assert_allclose(x, y, rtol=2e-5, atol=2e-5)
    mixed = grad(f, wrt=(0, 1), backend="numba")(a, b.astype(float))
    assert [x.dtype for x in mixed] == [np.float32, np.float64]


def test_rows_change_places() -> None:
    a = np.array([[0.0, 2.0, 1.0], [1e-20, 1.0, 0.0], [3.0, 0.0, 1.0]])
    agree(solved, a, np.ones((3, 2)))
    agree(inverted, a, np.ones((3, 2)))


def test_matrices_of_other_layouts() -> None:
    a, b = RNG.normal(size=(4, 4)) + 4.0 * np.eye(4), RNG.normal(size=(4, 3))
    f = grad(solved, wrt=(0, 1), backend="numba")
    expected = f(a, b)
    wide = np.zeros((8, 12))
    wide[::2, ::3] = a
    for other in (np.asfortranarray(a), wide[::2, ::3], a[::-1][::-1]):
        for x, y in zip(f(other, np.asfortranarray(b)), expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12)


def value(f: Callable[..., Any], *args: Any, backend: str) -> Any:
    return jvp(f, args, tuple(np.zeros_like(a) for a in args), backend=backend)[0]


@pytest.mark.parametrize("f", [np.linalg.solve, lambda a, b: np.linalg.inv(a)])
@pytest.mark.parametrize("item", [np.nan, np.inf])
def test_what_is_no_number_is_passed_on(f: Callable[..., Any], item: float) -> None:
    """Numba's own functions refuse it."""
    a, b = 3.0 * np.eye(3), np.ones(3)
    a[1, 2] = item
    found, expected = (value(lambda a, b: f(a, b), a, b, backend=backend) for backend in ("numba", "python"))
    assert np.array_equal(np.isfinite(found), np.isfinite(expected))


def of_complex_numbers(a, b):
    x = np.linalg.solve(a, b) + np.linalg.solve(a.T, b)
    return np.sum(np.abs(np.linalg.inv(a) @ x) ** 2)


def complex_normal(*shape: int) -> Any:
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


@pytest.mark.parametrize("sides", [(), (2,)])
def test_equations_of_complex_numbers(sides: tuple[int, ...]) -> None:
    for n in (0, 1, 5):
        a, b = complex_normal(n, n) + 2.0 * n * np.eye(n), complex_normal(n, *sides)
        for other in (a, np.asfortranarray(a), np.repeat(a, 2, 1)[:, ::2]):
            agree(of_complex_numbers, other, b)


def test_equations_of_complex_numbers_that_have_no_solution() -> None:
    df = grad(of_complex_numbers, backend="numba")
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        df(np.ones((3, 3)) * (1 + 1j), complex_normal(3))
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        df(complex_normal(2, 3), complex_normal(3))


def test_a_matrix_that_may_be_real_is_taken_as_complex_numbers() -> None:
    def f(a, b):
        x = np.where(a > 0.0, a, 0.0) * 1j if b[0] > 0.0 else np.sqrt(a + 0j)
        return np.sum(np.abs(np.linalg.inv(x)) ** 2) + np.sum(np.linalg.inv(x * np.conj(x)).real * b)

    a = RNG.uniform(1.0, 2.0, size=(3, 3)) + 3.0 * np.eye(3)
    for b in (np.ones(3), -np.ones(3)):
        agree(f, a, b)


def test_nothing_to_solve() -> None:
    empty = np.zeros((0, 0))
    for f, side in ((solved, np.zeros((0, 2))), (inverted, np.zeros((0, 2)))):
        found = grad(f, wrt=(0, 1), backend="numba")(empty, side)
        assert [x.shape for x in found] == [(0, 0), side.shape]


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("f", [solved, inverted])
def test_errors_are_those_of_numpy(f: Callable[..., Any], backend: str) -> None:
    df = grad(f, wrt=(0, 1), backend=backend)
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        df(np.ones((3, 3)), np.ones((3, 2)))
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        df(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(ValueError):
        df(np.eye(3), np.ones((4, 2)))


def factored(a, b):
    factor = np.linalg.cholesky(a @ a.T)
    return np.sum(factor**2) + np.sum(np.linalg.solve(factor.T, np.linalg.solve(factor, b)) ** 2)


def factored_and_changed(a, b):
    factor = np.linalg.cholesky(a @ a.T)
    factor[0, -1] += 1.0
    return np.sum(np.linalg.solve(factor, b) ** 2)


@pytest.mark.parametrize("f", [factored, factored_and_changed])
@pytest.mark.parametrize("sides", [(), (3,)], ids=["one", "three"])
@pytest.mark.parametrize("n", [1, 5, 32, 33, 75])
def test_equations_of_factors(f: Callable[..., Any], sides: tuple[int, ...], n: int) -> None:
    agree(f, RNG.normal(size=(n, n)) + 3.0 * n * np.eye(n), RNG.normal(size=(n, *sides)))


FACTOR = """
def f(a: float64[2]#1, b: float64[2]#2):
    c: float64[2]#1 = np.linalg.cholesky(a)
    {0}
    d: float64[2] = np.transpose(c)
    x: float64[2]#2 = np.linalg.solve(c, b)
    y: float64[2]#2 = np.linalg.solve(d, x)
    return y
"""


def test_a_factor_is_not_factored_again() -> None:
    text = show(routines.routines_called(read(FACTOR.format(""))))
    assert text.count("substituted_2(c, ") == 2 and "solution_2" not in text
    text = show(routines.routines_called(read(FACTOR.format("c[0] = 1.0"))))
    assert text.count("solution_2(") == 2 and "substituted_2" not in text


@pytest.mark.parametrize("lower, turned", [(True, False), (True, True), (False, False), (False, True)])
def test_substitution_by_blocks(lower: bool, turned: bool) -> None:
    a, b = RNG.normal(size=(70, 70)) + 20.0 * np.eye(70), RNG.normal(size=(70, 4))
    triangle = np.tril(a) if lower else np.triu(a)
    for unit in (False, True):
        used = triangle - np.diag(np.diag(triangle)) * 0.98 if unit else triangle
        solved = substituted_2(used / 20.0, b, turned, lower, unit)
        meant = used / 20.0 - (np.diag(np.diag(used) / 20.0) - np.eye(70) if unit else 0.0)
        np.testing.assert_allclose((meant.T if turned else meant) @ solved, b, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("shape", [(1, 1), (3, 70), (70, 3), (130, 64), (65, 131), (0, 3), (3, 0)])
def test_products_with_the_own_transpose(shape: tuple[int, int]) -> None:
    a = RNG.normal(size=shape)

    def f(x):
        turned = x.T
        below, above = x @ turned, np.dot(turned, turned.T)
        return np.sum(below**3) + np.sum(np.sin(above))

    for x in (a, np.asfortranarray(a), np.repeat(a, 2, 1)[:, ::2]):
        found, expected = grad(f, backend="numba")(x), grad(f)(x)
        scale = max(1.0, np.max(np.abs(expected), initial=0.0))
        np.testing.assert_allclose(found / scale, expected / scale, rtol=1e-11, atol=1e-13)


def test_text_that_is_read_has_the_names_of_numpy() -> None:
    df = grad(solved, backend="numba")
    a, b = 2.0 * np.eye(2), np.ones(2)
    df(a, b)
    assert "np.linalg.solve(" in df.source_for(a, b)
    assert "xgesv" not in df.source_for(a, b)


def test_routines_that_numba_calls_in_another_way_are_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert routines._are_there.__wrapped__()
    monkeypatch.setitem(lapack.ROUTINES, lapack.xgesv, "ciinipn")
    assert not routines._are_there.__wrapped__()
