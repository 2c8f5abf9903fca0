"""What compiled functions call, run as Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from s2sad.compiled import helpers as native
from s2sad.compiled import lists, stacks
from s2sad.runtime import helpers


def test_the_order_of_overlapping_stores_is_that_of_numpy() -> None:
    rng = random.Random(7)
    overtaken = 0
    for _ in range(3000):
        memory = np.arange(24.0)
        a, b = (memory[rng.randrange(24) :: rng.choice([1, 2, 3, 4, -1, -2, -3])] for _ in "ab")
        n = min(len(a), len(b))
        target, source = a[:n], b[: n if rng.random() < 0.9 else 1]
        expected = np.broadcast_to(helpers.copy_order(target, slice(None), source), target.shape)
        assert np.array_equal(native.copy_order(target, source), expected), (target, source)
        overtaken += len(source) > 1 and not np.array_equal(expected, np.arange(n))
    assert overtaken > 50


def test_products_of_stacks() -> None:
    rng = np.random.default_rng(3)
    for first, second in (((2, 3), (2, 3)), ((2, 1), (1, 3)), ((1,), (4,)), ((0, 2), (1, 2)), ((), ())):
        a, b = rng.normal(size=(*first, 2, 3)), rng.normal(size=(*second, 3, 4))
        expected = a @ b
        flat = a.reshape(-1, 2, 3) if a.size else np.zeros((0, 2, 3)), b.reshape(-1, 3, 4)
        found = stacks.matmul_stacked(*flat, expected.shape[:-2], first, second)
        np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=1e-14)


def test_products_of_stacks_of_which_nothing_is_added_up() -> None:
    found = stacks.matmul_stacked(np.ones((2, 3, 0)), np.ones((2, 0, 4)), (2,), (2,), (2,))
    assert np.array_equal(found, np.zeros((2, 3, 4)))


def test_rows_that_are_stacked_are_of_one_length() -> None:
    rows = [np.arange(3.0), np.arange(1.0)]
    with pytest.raises(ValueError, match="same shape"):
        native.stack_list(rows)
    assert np.array_equal(native.join_list(rows), np.concatenate(rows))
    assert np.array_equal(native.stack_list([rows[0], -rows[0]]), np.stack([rows[0], -rows[0]]))


def test_matrices_that_are_joined_have_one_width() -> None:
    wide, narrow = np.arange(6.0).reshape(2, 3), np.arange(2.0).reshape(2, 1)
    with pytest.raises(ValueError, match="concatenation axis"):
        lists.join_rows([wide, narrow])
    with pytest.raises(ValueError, match="concatenation axis"):
        lists.join_columns([wide, wide[:1]])
    beside = lists.join_columns([wide, narrow])
    assert np.array_equal(beside, np.hstack([wide, narrow]))
    assert all(map(np.array_equal, lists.cut_columns(beside, [wide, narrow]), [wide, narrow]))
    below = lists.join_rows([wide, wide[:1]])
    assert np.array_equal(below, np.vstack([wide, wide[:1]]))
    assert all(map(np.array_equal, lists.cut_rows(below, [wide, wide[:1]]), [wide, wide[:1]]))
    assert all(map(np.array_equal, lists.cut_apart(wide[0], [wide[1, :2], wide[1, :1]]), [wide[0, :2], wide[0, 2:]]))


@pytest.mark.parametrize("n", [0, 1, 4])
def test_masks_of_matrices(n: int) -> None:
    assert np.array_equal(native.diagonal_mask(n), helpers.diagonal_mask(np.zeros(n)))
    assert np.array_equal(native.upper_mask(n), helpers.upper_mask(np.zeros(n)))


MATRICES = np.ones((2, 3, 3))


@pytest.mark.parametrize(
    ("helper", "arguments"),
    [
        (stacks.matmul_stacked, (MATRICES, MATRICES, (2,), (2,), (2,))),
        (native.stack_list, ([MATRICES[0, 0]],)),
        (native.join_list, ([MATRICES[0, 0]],)),
        (lists.join_rows, ([MATRICES[0]],)),
        (lists.join_columns, ([MATRICES[0]],)),
        (lists.cut_apart, (MATRICES[0, 0], [MATRICES[0, 0]])),
        (lists.cut_rows, (MATRICES[0], [MATRICES[0]])),
        (lists.cut_columns, (MATRICES[0], [MATRICES[0]])),
        (lists.sort_along, (MATRICES,)),
    ],
)
def test_no_array_is_stored_whole(helper: Any, arguments: Any) -> None:
    """Numba links in the text of an error about shapes then, some thousand lines."""
    numba = pytest.importorskip("numba")
    compiled = numba.njit(helper)
    compiled(*arguments)
    assert "shape_context" not in "".join(compiled.inspect_llvm().values())
