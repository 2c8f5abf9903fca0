"""Sums that begin with a number and go on as arrays compile, and are those of the Python tier."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, NotDifferentiable, jvp, structure, value_and_grad

pytest.importorskip("numba")

X = np.linspace(0.1, 0.8, 4)
W = np.cos(np.arange(12.0)).reshape(3, 4)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def agree(f: Callable[..., Any], *args: Any) -> None:
    """Both tiers agree in both modes."""
    moved = tuple(np.cos(a) if isinstance(a, np.ndarray) else None for a in args)
    wrt = tuple(k for k, m in enumerate(moved) if m is not None)
    found = value_and_grad(f, wrt=wrt, backend="numba")(*args), jvp(f, args, moved, backend="numba")
    expected = value_and_grad(f, wrt=wrt)(*args), jvp(f, args, moved)
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def of_rows(x, W, n):
    total = 0.0
    for k in range(n):
        total = total + np.sin(W[k] * x)
    return np.sum(total * x)


def of_a_generator(x, W, n):
    return np.sum(sum(np.roll(x, s) for s in (-1, 1)) ** 2) + np.sum(sum([W[k] * x for k in range(n)]) ** 2)


def in_two_loops(x, W, n):
    total = 0
    for i in range(n):
        for j in range(2):
            total += W[i] * x * (j + 1)
    return np.sum(total**2)


def begun_in_each_iteration(x, W, n):
    y = x
    for _ in range(n):
        change = sum(np.roll(y, s) for s in (-1, 1)) - 2.0 * y
        y = y + 0.1 * change
    return np.sum(y * y)


def of_matrices(x, W, n):
    total = 1.5
    for row in W:
        total = 0.5 * total + np.outer(row, x)
    return np.sum(total @ x)


def of_shorter_rows(x, W, n):
    total = x[0]
    for k in range(2, n + 2):
        total = total - W[k - 2, 1:] * x[1:] ** 2
    return np.sum(total**2)


def backwards(x, W, n):
    total = 0.0
    for k in range(n - 1, -1, -1):
        if k == 1:
            x = x * 2.0
        total = total * x + W[k]
    return np.sum(total)


def the_last(x, W, n):
    y = 0.0
    for k in range(n):
        y = W[k] * x
    return np.sum(y * y)


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize(
    "f",
    [
        *(of_rows, of_a_generator, in_two_loops, begun_in_each_iteration),
        *(of_matrices, of_shorter_rows, backwards, the_last),
    ],
)
def test_both_tiers_agree(f: Callable[..., Any], n: int) -> None:
    agree(f, X, W, n)


def test_operands_that_are_stretched() -> None:
    agree(of_rows, X[:1], W, 3)


def test_a_loop_without_iterations_is_refused() -> None:
    derivative = value_and_grad(of_rows, backend="numba")
    derivative(X, W, 2)
    with pytest.raises(NotDifferentiable, match="has no iterations"):
        derivative(X, W, 0)


def test_a_shape_that_is_not_known_before_the_loop_is_refused() -> None:
    def f(x, n):
        total = 0.0
        for k in range(n):
            total = total + x[k:]
        return np.sum(total)

    with pytest.raises(CompileError, match="number or an array"):
        value_and_grad(f, backend="numba")(X, 1)


def kept_while_it_grows(x, n):
    total, seen = 0.0, []
    for k in range(n):
        total = total + x * (k + 1)
        seen.append(total)
    return np.sum(seen[0] * seen[-1])


def kept_with_a_number(x, n):
    total, seen = 0.0, []
    for k in range(n):
        total = total + x * (k + 1)
        seen.append((total, k))
    return np.sum(seen[0][0] * seen[-1][0])


@pytest.mark.parametrize("f", [kept_while_it_grows, kept_with_a_number])
def test_lists_of_such_sums_hold_what_may_be_a_number(f: Callable[..., Any]) -> None:
    with pytest.raises(CompileError, match="number or an array"):
        value_and_grad(f, backend="numba")(X, 2)


def kept_in_a_list_of_their_own(x, n):
    rows = [x * 1.0, x**2]
    return np.sum(sum(rows) * rows[1]) + np.sum(sum([x, rows[0]]) ** 2)


def test_lists_that_are_only_added_up() -> None:
    agree(kept_in_a_list_of_their_own, X, 2)


def inner_loops_of_any_length(x, s, n, m):
    total = 0.0
    for _ in range(n):
        for j in range(m):
            total = total + x * j
    return np.sum(total + s**2)


def test_an_inner_loop_without_iterations_is_refused() -> None:
    derivative = value_and_grad(inner_loops_of_any_length, wrt=1, backend="numba")
    assert derivative(X, 3.0, 2, 2) == pytest.approx(value_and_grad(inner_loops_of_any_length, wrt=1)(X, 3.0, 2, 2))
    with pytest.raises(NotDifferentiable, match="has no iterations"):
        derivative(X, 3.0, 2, 0)  # the sum stays a number: its derivative is 6, of an array it would be 24
