"""Adjoints of arrays in lists: added to in place where the list owns them, and right in any case."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from s2sad import structure, value_and_grad, vjp
from s2sad.compiled.owned import sums_in_place
from s2sad.ir.printer import show
from tests.ir.reader import read

pytest.importorskip("numba")

OWNED = """
def f(ws: list[float64[2]#1], k: int, b: float64[2]#2, c: float64[2]#3):
    bws: list[float64[2]#1] = zeros_like(ws)
    for i in range(0, k):
        add_at(bws, i, b)
    {0}
    add_at(bws, k, c)
    n = len(bws)
    return bws
"""


def compared(f: Callable[..., Any], *args: Any) -> str:
    """Both tiers agree; the text of the compiled module."""
    compiled = value_and_grad(f, wrt=(0, 1), backend="numba")
    for a, b in zip(*(structure.leaves(d(*args)) for d in (compiled, value_and_grad(f, wrt=(0, 1)))), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)
    return str(compiled.source_for(*args))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def test_a_list_that_owns_its_items() -> None:
    text = show(sums_in_place(read(OWNED.format("n_1 = k + 1"))))
    assert "add_at" not in text and text.count("+= b") == text.count("+= c") == 1


@pytest.mark.parametrize("held", ["t: float64[2]#1 = bws[0]", "bws[0] = b", "t = make_tuple(bws)"])
def test_a_list_whose_items_something_else_may_hold(held: str) -> None:
    function = read(OWNED.format(held))
    assert sums_in_place(function) is function


class Cell(NamedTuple):
    weights: np.ndarray
    bias: np.ndarray


RNG = np.random.default_rng(0)
CELLS = [Cell(RNG.normal(size=(3, 3)), RNG.normal(size=3)) for _ in range(2)]
WEIGHTS = [RNG.normal(size=(3, 3)) for _ in range(3)]


def recurrent(cells, xs):
    state = np.zeros(3)
    for x in xs:
        for cell in cells:
            state = np.tanh((state + x) @ cell.weights + cell.bias)
    return np.sum(state)


def shared(weights, x):
    for k in range(4):
        x = np.tanh(weights[k % 3] @ x) * np.sum(weights[0])
    return np.sum(x)


def test_records_of_arrays() -> None:
    assert ".append" in compared(recurrent, CELLS, RNG.normal(size=(4, 3)))


def test_one_array_that_is_read_at_several_places() -> None:
    compared(shared, WEIGHTS, RNG.normal(size=3))


def test_lists_that_hold_one_array_twice() -> None:
    compared(shared, [WEIGHTS[0]] * 3, RNG.normal(size=3))


def test_a_pullback_that_is_called_twice() -> None:
    def f(weights: Any, x: Any) -> Any:
        return shared(weights, x), x

    x = RNG.normal(size=3)
    (_, back), (_, plain) = vjp(f, WEIGHTS, x, backend="numba"), vjp(f, WEIGHTS, x)
    for ct in ((1.0, x), (0.5, 2.0 * x), (1.0, x)):
        for a, b in zip(*(structure.leaves(pull(ct)) for pull in (back, plain)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)
