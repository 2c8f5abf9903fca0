"""Random programs that the compiled tier got wrong, made small: results as the Python tier's, or a refusal."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, jvp, value_and_grad
from tests.compiled.corpus import difference

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def same_forward(f: Any, *args: Any) -> None:
    """Fail unless the tiers agree on a derivative along the arguments."""
    expected, found = (jvp(f, *copy.deepcopy((args, args)), backend=tier) for tier in ("python", "numba"))
    assert difference(found, expected).what == "agreed"


def same_reverse(f: Any, *args: Any) -> None:
    """Fail unless the tiers agree on a value and a gradient."""
    expected, found = (value_and_grad(f, backend=tier)(*copy.deepcopy(args)) for tier in ("python", "numba"))
    assert difference(found, expected).what == "agreed"


def masked_where_lengths_differ(s):
    x = np.ones_like(s)
    y = x[:, :1] * x / s
    y[~(np.full((len(x), s.shape[1]), s.mean()) < -0.28)] = 0.5
    return np.add(x, y).sum()


def test_masks_are_made_before_a_store_goes_by_them() -> None:
    same_forward(masked_where_lengths_differ, np.array([[1.03, -0.02], [-1.26, 1.35], [-0.65, -1.37], [-0.86, 0.49]]))


def rows_of_different_lengths(z):
    a = np.outer(z.T[2], z[0, 1] * np.arange(z.shape[1]))
    b = np.zeros((len(z), len(z))) + np.max(np.outer(z.T[0], z[0]))
    return np.sum(a + b)


def test_loops_of_different_lengths_stay_apart_until_a_check_says_otherwise() -> None:
    same_forward(rows_of_different_lengths, np.array([[1.5, -0.1, 1.1, -0.9]]))


def product_of_vectors(u, v):
    return np.sum(np.sin(u) * 2.0) * (np.sin(u) @ np.cos(v))


def product_with_a_matrix(a, u):
    return (a @ np.sin(u)).sum() + np.sum(np.sin(u)) + np.sum(np.sin(a[0]))


@pytest.mark.parametrize("shape", [(3,), (7,)])
def test_products_of_different_lengths_raise(shape: tuple[int, ...]) -> None:
    u, v = np.ones(5), np.ones(shape)
    for f, args in ((product_of_vectors, (u, v)), (product_with_a_matrix, (np.ones((3, *shape)), u))):
        with pytest.raises(ValueError):
            jvp(f, args, args, backend="numba")
        with pytest.raises(ValueError):
            value_and_grad(f, wrt=(0, 1), backend="numba")(*args)


def sum_of_a_list_of_arrays(p):
    held = [np.array([p])]
    return sum(held)


def sum_of_a_list_of_several_lengths(p):
    held = [np.array([p]), np.array([p, 2.0])]
    return sum(held)


def test_sums_of_lists_of_arrays() -> None:
    value, tangent = jvp(sum_of_a_list_of_arrays, (0.5,), (1.0,), backend="numba")
    assert (value.tolist(), tangent.tolist()) == ([0.5], [1.0])
    value, tangent = jvp(sum_of_a_list_of_several_lengths, (0.5,), (1.0,), backend="numba")
    assert (value.tolist(), tangent.tolist()) == ([1.0, 2.5], [2.0, 1.0])


def view_made_in_a_context(t):
    rows = np.array([[t * (k - q) for k in range(1)] for q in range(5)])
    more = np.array([[t * (k - q) for k in range(1)] for q in range(5)])
    s = np.full((3,), 1.0) @ np.sort((np.zeros((5, 3)) + math.sin(t)) / (1.5 + rows * more), axis=0).T
    s[1:] = True
    with np.errstate(all="ignore"):
        m = s[::-1].min()
    for _ in range(0):
        s, v = (v, s)  # noqa: F821, F841
    return s.sum() + m


def test_views_made_in_a_context_are_the_same_memory_outside() -> None:
    same_reverse(view_made_in_a_context, -0.9)


def joined_list_that_was_changed(a, b):
    rows = [a * 1.0, b * 1.0]
    rows[1] = a * b
    rows.append(b)
    late = []
    late.append(b * 2.0)
    late.append(a * b)
    return np.sum(np.concatenate(rows) ** 2) + np.sum(np.concatenate(late) ** 3)


def test_what_a_list_was_made_of_is_not_what_it_holds_later() -> None:
    same_forward(joined_list_that_was_changed, np.array([0.7, -1.2]), np.array([1.1, 0.3]))


def row_that_may_be_added_to(x):
    rows = np.ones((3, 2)) * x
    for k in range(1):
        rows[k] = 0.5 * x
    s = None
    for r in rows:
        if s is None:
            s = r
        elif x > 5.0:
            s = s + r
        else:
            s = r
    return s.sum()


def largest_of_rows(x):
    rows = np.ones((2, 2)) * x
    for k in range(1):
        rows[k] = 0.5
    s = None
    for r in rows:
        if s is None:
            s = r
        else:
            s = np.maximum(s, r)
    return s.sum() * x


def test_what_stands_for_none_does_not_say_how_long_arrays_are() -> None:
    for f in (row_that_may_be_added_to, largest_of_rows):
        same_forward(f, 0.7)
        same_reverse(f, 0.7)


def sum_in_place_from_none(x):
    s = None
    for _ in range(3):
        if s is None:
            s = np.sin(x)
        else:
            s += x
    return s.sum()


def test_adjoints_are_recorded_before_they_are_there() -> None:
    same_reverse(sum_in_place_from_none, np.arange(3.0))


def diagonal_shown_before_a_store(d):
    D = np.outer(d, d)
    R = np.diag(D)
    S = np.diag(D, 1)
    D[1, 1] = 3.0 * d[0]
    D[0, 1] = 2.0 * d[1]
    return R * d + np.sum(S)


def transpose_by_labels_before_a_store(d):
    D = np.outer(d, d)
    R = np.einsum("ij->ji", D)
    S = np.einsum("ij->ij", D)
    D[1, 2] = 3.0 * d[0]
    return np.sum(R[2] * d + S[1] * 2.0)


def test_views_show_what_is_stored_later() -> None:
    """Numba's diagonals, and loops over labels, are copies."""
    for f in (diagonal_shown_before_a_store, transpose_by_labels_before_a_store):
        same_forward(f, np.array([0.3, 0.4, 0.5]))


def diagonal_by_labels_before_a_store(d):
    D = np.outer(d, d)
    R = np.einsum("ii->i", D)
    D[1, 1] = 3.0 * d[0]
    return R * d


def test_a_diagonal_by_labels_is_refused() -> None:
    d = np.array([0.3, 0.4, 0.5])
    with pytest.raises(CompileError):
        jvp(diagonal_by_labels_before_a_store, (d,), (d,), backend="numba")


def product_without_columns(x):
    return np.sum((np.ones((3, 2)) * x) @ (np.ones((2, 0)) * x)) + x * x


def sums_without_columns(x):
    empty = np.ones((3, 0)) * x
    return np.sum(np.sum(empty, axis=0)) + np.sum(np.sum(empty, axis=1)) + x * x


def test_small_arrays_without_columns_are_added_up() -> None:
    for f in (product_without_columns, sums_without_columns):
        same_forward(f, 0.7)
        same_reverse(f, 0.7)
