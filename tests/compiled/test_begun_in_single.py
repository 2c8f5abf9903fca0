"""Arrays of single precision that meet ones of double, in the compiled tier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, jvp, value_and_grad

X = np.array([0.5, 1.2, 2.7, 0.95], dtype=np.float32)


def state_that_meets_zeros(x):
    hidden, cell = np.zeros(4), x
    for _ in range(3):
        cell = cell + hidden
        hidden = np.tanh(cell)
    return np.sum(hidden)


def messages_between_nodes(h):
    source, target = np.array([[0, 1], [1, 2], [2, 3], [3, 0]]).T
    for _ in range(2):
        got = np.zeros(4)
        np.add.at(got, target, np.sqrt(np.ones(4) * h[source]))
        h = h + 0.5 * got
    return np.sum(h**2)


def loop_in_a_loop(x):
    k = 0
    while k < 2:
        for _ in range(2):
            x = np.tanh(x + np.ones(len(x)))
        k += 1
    return np.sum(x**2)


@pytest.mark.parametrize("f", [state_that_meets_zeros, messages_between_nodes, loop_in_a_loop])
def test_a_loop_that_goes_on_in_double_precision(f: Callable[[Any], Any]) -> None:
    found, expected = value_and_grad(f, backend="numba")(X), value_and_grad(f)(X)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-13)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-6)
    assert found[1].dtype == expected[1].dtype == np.float32
    np.testing.assert_allclose(jvp(f, (X,), (X,), backend="numba"), jvp(f, (X,), (X,)), rtol=1e-6)


def test_what_is_of_single_precision_once() -> None:
    """The first product is rounded to single precision, as in NumPy; the others are not."""

    def f(x: Any) -> Any:
        for _ in range(2):
            x = x * 0.1 + np.zeros(4)
        return np.sum(x)

    once = (X * np.float32(0.1)).astype(float)
    assert value_and_grad(f, backend="numba")(X)[0] == pytest.approx(np.sum(once * 0.1), rel=1e-14)
    np.testing.assert_allclose(grad(f, backend="numba")(X), grad(f)(X), rtol=1e-6)


def iterations_known_at_run_time(x, n):
    for _ in range(n):
        x = np.sin(x) * np.float64(2.0)
    return np.sum(x * 0.1 * x)


def double_on_one_path(x, n):
    y = x
    if n > 1:
        y = x * np.linspace(0.5, 1.0, 4) if n > 2 else x * x
    y = y * 0.3
    y[0] = 0.7
    return np.sum(y * x)


def a_loop_behind_a_branch(x, n):
    y = x if n > 1 else x + np.ones(4)
    total = np.max(y * y * 0.3)
    w = y + np.ones(4)
    for _ in range(n):
        y = y * 0.7 + w
    return total + np.sum(y)


def two_states(x, n):
    hidden, cell = np.zeros(4), x
    for _ in range(n):
        cell = cell + hidden
        hidden = np.tanh(cell)
    return np.sum(hidden * cell)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("f", [iterations_known_at_run_time, double_on_one_path, a_loop_behind_a_branch, two_states])
def test_precision_that_only_a_run_tells(f: Callable[..., Any], n: int) -> None:
    """Each path computes in the precision that it has in NumPy: what is rounded there is rounded here."""
    found, expected = value_and_grad(f, backend="numba")(X, n), value_and_grad(f)(X, n)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-13 if np.asarray(f(X, n)).itemsize == 8 else 1e-6)
    np.testing.assert_allclose(found[1], expected[1], rtol=2e-6)
    assert found[1].dtype == expected[1].dtype == np.float32
    np.testing.assert_allclose(jvp(f, (X, n), (X, None), backend="numba"), jvp(f, (X, n), (X, None)), rtol=2e-6)


def test_an_array_of_two_precisions_that_is_handed_out_is_refused() -> None:
    def f(x, n):
        return x * np.float64(2.0) if n > 2 else x

    with pytest.raises(CompileError, match="float32"):
        jvp(f, (X, 3), (X, None), backend="numba")


def with_filled(x):
    return np.sum((x + np.full(len(x), 0.1)) ** 2) + np.sum(np.maximum(x, np.full(4, 0.7)))


def with_integers(x):
    return np.sum((x * 0.1 * np.full(len(x), 3)) ** 2)


def with_a_product(x):
    return np.sum(np.outer(x, np.full(3, 0.1)) * np.arange(3.0)) + x @ np.full(len(x), 0.1)


@pytest.mark.parametrize("f", [with_filled, with_integers, with_a_product])
def test_an_array_of_one_number_has_double_precision(f: Callable[[Any], Any]) -> None:
    np.testing.assert_allclose(value_and_grad(f, backend="numba")(X)[0], f(X), rtol=1e-14)
