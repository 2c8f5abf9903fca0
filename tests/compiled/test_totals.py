"""Sums that begin with a number and go on as arrays compile, and are those of the Python tier."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import NotDifferentiable, jvp, structure, value_and_grad

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


def test_the_number_of_a_loop_without_iterations() -> None:
    agree(of_rows, X, W, 0)
    agree(backwards, X, W, 0)


def beside_another_array(x, W, n):
    total = 0
    for k in range(n - 1):
        total = total - np.sin(x) * k
    return np.sum(W[0] * total + total)


@pytest.mark.parametrize("n", [1, 3])
def test_the_derivative_by_what_meets_the_number(n: int) -> None:
    agree(beside_another_array, X, W, n)


def handed_out(x, W, n):
    total = 0.0
    for k in range(n):
        total = total + np.sin(W[k] * x)
    return total


def test_a_number_that_would_be_handed_out_as_an_array_is_refused() -> None:
    found, expected = (jvp(handed_out, (X, W, 2), (X, W, None), backend=b) for b in ("numba", "python"))
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-13)
    with pytest.raises(NotDifferentiable, match="has no iterations"):
        jvp(handed_out, (X, W, 0), (X, W, None), backend="numba")


def of_shorter_and_shorter_parts(x, n):
    total = 0.0
    for k in range(n):
        total = total + x[k // 2 :]
    return np.sum(total)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_shape_that_is_not_known_before_the_loop(n: int) -> None:
    agree(of_shorter_and_shorter_parts, X, n)


def test_lengths_that_do_not_fit_raise() -> None:
    with pytest.raises(ValueError, match=r"broadcast|shape|size"):
        value_and_grad(of_shorter_and_shorter_parts, backend="numba")(X, 3)


def windows(x, W, n):
    total = 0.0
    for i in range(2):
        for j in range(3):
            total = total + W[i, j] * x[i : len(x) - 1 + i]
    return np.sum(np.maximum(total, 0.0) ** 2)


def windows_as_wide_as_a_kernel(x, W, n):
    K = W[:n, :n]
    total = 0
    for i in range(K.shape[0]):
        for j in range(K.shape[1]):
            total += K[i, j] * x[j : len(x) - n + j]
    return np.sum(total**2)


def windows_of_several_kernels(x, W, n):
    total = 1.0
    for c in range(n):
        for i in range(n):
            for j in range(c + 1):
                total = total + W[c, i] * x[j : len(x) - 2 + j]
    return np.sum(total**2)


def windows_while(x, W, n):
    total, i = 0.0, 0
    while i < n:
        for j in range(n):
            total = total + W[i, j] * x[j : len(x) - n + j]
        i += 1
    return np.sum(total)


def rows_while(x, W, n):
    """The shape is known before the loops, but not how often the outer one runs."""
    total, i = 0.0, 0
    while i < n:
        for j in range(n):
            total = total + W[i, j] * x
        i += 1
    return np.sum(total**2)


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize(
    "f", [windows, windows_as_wide_as_a_kernel, windows_of_several_kernels, windows_while, rows_while]
)
def test_loops_in_loops(f: Callable[..., Any], n: int) -> None:
    agree(f, X, W, n)


def windows_of_unlike_numbers(x, W, n, m):
    total = 0.0
    for i in range(n):
        for j in range(m):
            total = total + W[i, j] * x[j : len(x) - 1 + j]
    return np.sum(total**2)


@pytest.mark.parametrize(("n", "m"), [(0, 2), (2, 0), (1, 1), (3, 2)])
def test_loops_of_which_one_may_have_no_iterations(n: int, m: int) -> None:
    agree(windows_of_unlike_numbers, X, W, n, m)


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
def test_lists_of_such_sums(f: Callable[..., Any]) -> None:
    agree(f, X, 2)


def stages(x, n):
    weights = [[], [0.25], [3 / 32, 9 / 32]]
    y = x
    for _ in range(n):
        slopes = []
        for i in range(3):
            slopes.append(-((y + 0.1 * sum(weights[i][j] * slopes[j] for j in range(i))) ** 2))
        y = y + 0.1 * sum(b * slope for b, slope in zip((0.2, 0.3, 0.5), slopes, strict=True))
    return np.sum(y)


def stages_of_weights_in_an_array(x, n):
    weights, y = np.tril(np.full((3, 3), 0.5), -1), x
    for _ in range(n):
        slopes = []
        for i in range(3):
            change = 0.0
            for j in range(i):
                change += weights[i, j] * slopes[j]
            slopes.append(np.cos(y + 0.1 * change))
        y = y + 0.1 * sum(slopes)
    return np.sum(y * y)


def until_it_is_large(x, n):
    total, k = 0.0, 0
    while k < n:
        total = total + x * k
        k += 1
        if total[0] > 0.2:
            break
    return np.sum(x * total)


def of_what_sums_so_far(x, n):
    found = []
    for k in range(n):
        found.append(x * k + sum(found))
    return np.sum(sum(found) ** 2)


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("f", [stages, stages_of_weights_in_an_array, until_it_is_large, of_what_sums_so_far])
def test_numbers_told_apart_from_arrays(f: Callable[..., Any], n: int) -> None:
    agree(f, X, n)


def of_lengths_that_differ(x, n):
    held = []
    for k in range(n):
        held.append(x[:1] if k == 0 else x[:2] * k)
    return np.sum(x[:2] * sum(held))


def begun_with_one_that_is_stretched(x, n):
    held = [x[:1], x[:2] * n]
    total = 0.5 + held[0]
    for k in range(1, 2):
        total = total + held[k]
    return np.sum(x[:2] * total)


@pytest.mark.parametrize("f", [of_lengths_that_differ, begun_with_one_that_is_stretched])
def test_items_of_lists_that_are_stretched(f: Callable[..., Any]) -> None:
    agree(f, X, 3)


def of_shapes_that_a_branch_decides(x, n):
    v = x[:1] * 2.0
    factor = x if n > 1 else 1.0
    return np.sum((2.0 * np.sum(factor) * v) * factor + v)


@pytest.mark.parametrize("n", [1, 2])
def test_shapes_that_a_branch_decides(n: int) -> None:
    agree(of_shapes_that_a_branch_decides, X, n)


def of_one_rank_or_another(x, n):
    y = 2.0 * x
    if n > 2:
        y = np.sum(y)
    elif n > 1:
        y = np.outer(y, y)
    z = np.sin(y) + 1.0
    return np.sum(z * x)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_ranks_that_a_branch_decides(n: int) -> None:
    agree(of_one_rank_or_another, X, n)


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
