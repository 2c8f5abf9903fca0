"""Sums of reversed loops, in any order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad, structure, value_and_grad
from s2sad.compiled.adjoint_sums import adjoint_sums
from s2sad.ir.printer import show
from tests.ir.reader import read
from tests.optimise.test_docstrings import reversing_first

pytest.importorskip("numba")

LOOP = """
def f(x: float64[1]#1, bx: float64[1]#2, by: float64[1]#3, bz: float64[2]#4, n: int, k: int):
    for i in range(0, n):
        x[i] += 1.0
    for j in range(n, -1, -1):
        u: float = x[j]
        {0}
    return bx
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize(
    "body, totals",
    [
        ("by[k] += u", 1),
        ("by[k] -= u", 1),
        ("by[0] += u", 1),
        ("t = (k, n)\n        bz[t] += u", 1),
        ("by[k] += u\n        bx[n] += u", 2),
        ("by[k] += u\n        by[j] += u", 1),  # sums of one array may change places
        ("by[k] += u\n        by[n] += u", 2),
    ],
)
def test_an_item_that_stands_still_is_a_number(body: str, totals: int) -> None:
    text = show(adjoint_sums(reversing_first(read(LOOP.format(body)))))
    assert text.count("plus(") == totals and text.index("if ") > text.index("plus(")


@pytest.mark.parametrize(
    "body",
    [
        "by[j] += u",
        "by[k] = u",
        "by[k] *= u",
        "by[k] += u\n        v: float = by[n]\n        bx[j] += v",
        "by[k] += u\n        by[n] = u",
        "t = (k, j)\n        bz[t] += u",
        "bz[k] += u",  # a row
        "m = k + 1\n        by[m] += u",  # an index that is computed in the loop
        "by[k] += u\n        if u:\n            by[n] += 1.0",
        "by[k] += u\n        print(u)",
    ],
)
def test_loops_that_stay(body: str) -> None:
    function = reversing_first(read(LOOP.format(body)))
    assert show(adjoint_sums(function)) == show(function)


def test_a_loop_that_waits_for_the_iteration_before_stays() -> None:
    body = "w: float = b * u\n        by[k] += w\n        next w\n    -> b_1"
    text = LOOP.format(body).replace("(n, -1, -1):", "(n, -1, -1) carrying (b: float = 1.0):")
    function = reversing_first(read(text))
    assert show(adjoint_sums(function)) == show(function)


def test_loops_of_the_user_keep_their_order() -> None:
    function = read(LOOP.format("by[k] += u"))
    assert show(adjoint_sums(function)) == show(function)


def product(c, x, a, b):
    """A product of matrices, and what it was begun with, scaled."""
    x = x.copy()
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] *= c
        for k in range(a.shape[1]):
            for j in range(x.shape[1]):
                x[i, j] += c * a[i, k] * b[k, j]
    return np.sum(x * x)


def lower_half(c, x, a, b):
    """Loops as long as the row: the first has no iterations before the diagonal."""
    x = x.copy()
    for i in range(min(x.shape)):
        for k in range(a.shape[1]):
            for j in range(i):
                x[i, j] += c * a[i, k] * a[j, k] * b[k, i]
    return np.sum(x * x)


@pytest.mark.parametrize("shape", [(3, 4, 5), (7, 40, 2), (0, 3, 2), (3, 0, 2), (3, 2, 0)])
@pytest.mark.parametrize("function", [product, lower_half], ids=lambda f: f.__name__)
def test_programs(function: Callable[..., Any], shape: tuple[int, int, int]) -> None:
    n, m, k = shape
    draw = np.random.default_rng(0).normal
    args = (0.7, draw(size=(n, m)), draw(size=(n, k)), draw(size=(k, max(n, m))))
    compiled = value_and_grad(function, wrt=(0, 1, 2, 3), backend="numba")(*args)
    expected = value_and_grad(function, wrt=(0, 1, 2, 3))(*args)
    for a, b in zip(*map(structure.leaves, (compiled, expected)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def test_an_item_behind_a_loop_without_iterations_is_not_touched() -> None:
    def f(x, scale, i):
        total = 0.0
        for j in range(len(x) - 4):
            total += x[j] * scale[i]
        return total

    args = (np.ones(3), np.ones(2), 10**9)  # no iteration asks for that item
    _, bscale = grad(f, wrt=(0, 1), backend="numba")(*args)
    np.testing.assert_array_equal(bscale, np.zeros(2))


def test_an_item_at_a_counter_does_not_stand_still() -> None:
    def from_the_end(x, n):
        total = 0.0
        k = 0
        for i in range(n - 1, -1, -1):
            k -= 1
            total += np.exp(x[i] * x[i + 1]) * x[k] * k
        return total

    x = np.linspace(0.3, 1.2, 9)
    expected = grad(from_the_end)(x, 6)
    np.testing.assert_allclose(grad(from_the_end, backend="numba")(x, 6), expected, rtol=1e-12)
