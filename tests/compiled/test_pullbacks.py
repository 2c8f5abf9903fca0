"""Lists that a pullback changes: passed under two names they would be two lists."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad

X = np.array([0.3, 0.7, 0.9])


def backward_induction(x):
    prices = [x[0] * (j + 1.0) for j in range(4)]
    for i in range(3, 0, -1):
        prices = [0.3 * prices[j + 1] * x[1] + 0.6 * prices[j] for j in range(i)]
    return prices[0]


def one_row_twice(x):
    a = [[0.0] * 2] * 2
    a[0][0] = x[0]
    return a[1][0] * x[1]


def table(x):
    a = [[0.0] * 3 for _ in range(3)]
    for i in range(1, 3):
        for j in range(1, 3):
            a[i][j] = max(a[i - 1][j], a[i][j - 1] + x[i] * x[j])
    return a[-1][-1]


def one_list(x):
    l = [x[0], x[1]]
    l.append(l[0] * l[1])
    return l[0] * l[2] + sum(l)


def into_a_list_argument(xs, x):
    xs.append(x[0] * xs[0])
    ys = xs
    ys[0] = x[1] * x[2]
    return xs[0] * ys[-1] + sum(xs)


def extended_by_rows(x):
    rows = [[x[0], x[1]]]
    more = [[2.0 * x[0]], [x[1], x[2]]]
    rows.extend(more)
    rows[1][0] = x[0] * x[2] * rows[1][0]
    more[1].append(3.0 * x[0])
    return sum(sum(row) for row in rows) * more[0][0]


def emptied_part(x):
    l, nothing = [x[0], x[1] * x[0], x[2]], []
    l[-1:] = []
    l[:0] = nothing
    return l[0] * l[1] + x[2] * len(l)


def every_other(x):
    l = [x[0], x[1] * x[0], x[2]]
    l[::2] = [x[1], x[0] * x[2]]
    return l[0] * l[1] * l[2]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize(
    "f", [backward_induction, one_row_twice, table, one_list, extended_by_rows, emptied_part, every_other]
)
def test_pullbacks_are_gradients(f: Callable[..., float]) -> None:
    expected = s2sad.grad(f)(X)
    np.testing.assert_allclose(s2sad.grad(f, backend="numba")(X), expected, rtol=1e-12)
    _, pullback = s2sad.vjp(f, X, backend="numba")
    for _ in range(2):
        np.testing.assert_allclose(pullback(1.0)[0], expected, rtol=1e-12)


def test_a_list_argument_that_grows() -> None:
    expected = s2sad.grad(into_a_list_argument, wrt=(0, 1))([2.0, 3.0], X)
    for backend in ("python", "numba"):
        _, pullback = s2sad.vjp(into_a_list_argument, [2.0, 3.0], X, backend=backend)
        for _ in range(2):
            for a, b in zip(pullback(1.0), expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-12)


def array_argument_stored_into(x):
    x[0] = x[1] ** 2 + x[0]
    products = np.outer(x, x)
    return np.sum(np.expand_dims(products[0], 1) * products)


def lists_of_an_argument_stored_into(x):
    x[0] = x[1] ** 2 + x[0]
    prices = [x[0] * (j + 1.0) for j in range(4)]
    for i in range(3, 0, -1):
        prices = [0.3 * prices[j + 1] * x[1] + 0.6 * prices[j] for j in range(i)]
    x[1] = prices[0] * x[0]
    return prices[0] * x[1]


@pytest.mark.parametrize("f", [array_argument_stored_into, lists_of_an_argument_stored_into])
def test_what_runs_again_has_the_arguments_as_they_were(f: Callable[..., float]) -> None:
    expected = s2sad.grad(f)(X.copy())
    x = X.copy()
    _, pullback = s2sad.vjp(f, x, backend="numba")
    x[:] = 99.0
    for _ in range(2):
        np.testing.assert_allclose(pullback(1.0)[0], expected, rtol=1e-12)


def first_items_doubled(x):
    y = x.copy()
    z = y[:2]
    z *= 2.0
    return y * x


def leading_block_scaled(x):
    y = np.outer(x, x)
    y[:2, 1:] *= 3.0
    return y + y[::-1]


@pytest.mark.parametrize("f", [first_items_doubled, leading_block_scaled])
def test_what_is_stored_into_a_part_is_not_read_for_the_rest(f: Callable[..., Any]) -> None:
    s2sad.check_grads(f, backend="numba")(X[:5])


def every_other_on_one_path(x):
    l = [x[0], x[1] * x[0], x[2]]
    if x[0] > 0.1:
        l[::2] = [x[k] for k in range(2, len(x))][:2]
    return l[0] * l[1] * l[2]


def two_on_one_path(x):
    l = [x[0], x[1] * x[0], x[2]]
    if x[0] > 0.1:
        l[::2] = [x[1], x[0]]
    return l[0] * l[1] * l[2]


@pytest.mark.parametrize("x", [X, -X])
def test_a_range_of_one_path_that_is_known(x: np.ndarray) -> None:
    s2sad.check_grads(two_on_one_path, backend="numba")(x)


def test_a_range_of_one_path_is_refused() -> None:
    """Numba returns no ranges, and what is made on one path only is not made again in the pullback."""
    with pytest.raises(s2sad.S2sadError, match="a range that the derivative keeps for later"):
        s2sad.vjp(every_other_on_one_path, X, backend="numba")


def turning(a, b):
    if b == 0:
        return 1.0, 0.0
    if abs(b) > abs(a):
        s = 1.0 / np.sqrt(1.0 + (a / b) ** 2)
        return -s * a / b, s
    c = 1.0 / np.sqrt(1.0 + (b / a) ** 2)
    return c, -c * b / a


def rotated(A):
    A = A.copy()
    for j in range(A.shape[1]):
        for i in range(len(A) - 1, j, -1):
            c, s = turning(A[i - 1, j], A[i, j])
            A[[i - 1, i], j:] = np.array([[c, -s], [s, c]]) @ A[[i - 1, i], j:]
    return A


def test_lists_of_several_kinds_are_made_again() -> None:
    A = np.cos(np.arange(12.0) ** 2).reshape(4, 3)
    value, pullback = s2sad.vjp(rotated, A, backend="numba")
    expected, plain = s2sad.vjp(rotated, A)
    np.testing.assert_allclose(value, expected, rtol=1e-13, atol=1e-15)
    for ct in (np.ones_like(A), A):
        np.testing.assert_allclose(pullback(ct)[0], plain(ct)[0], rtol=1e-12, atol=1e-13)


def sines_of_multiples(x, n):
    total = 0.0
    for i in range(n):
        for k in range(1, 3**i + 1):
            total += np.sin(x * k)
    return total


@pytest.mark.parametrize("n", [0, 1, 3])
def test_powers_that_are_recorded_are_integers_where_there_are_none(n):
    value, pullback = s2sad.vjp(sines_of_multiples, 0.3, n, backend="numba")
    multiples = [k for i in range(n) for k in range(1, 3**i + 1)]
    assert value == pytest.approx(sum(np.sin(0.3 * k) for k in multiples), rel=1e-12)
    assert pullback(1.5)[0] == pytest.approx(1.5 * sum(k * np.cos(0.3 * k) for k in multiples), rel=1e-12)
