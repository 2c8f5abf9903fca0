"""What compiled functions call, run as Python."""

from __future__ import annotations

import random

import numpy as np

from s2sad.compiled import helpers as native
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
        found = native.matmul_stacked(*flat, expected.shape[:-2], first, second)
        np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=1e-14)
