"""Items of lists of arrays and tuples: cleared, then added to."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.items import assign_items
from tests.ir.reader import read
from tests.ir_interpreter import interpret

PAIR = "(float64[1], float64[1])"

BEFORE = f"""
def f(x: float64[1]#1, y: float64[1]#2, k: int):
    u = np.sin(x)
    v = np.cos(x)
    p: {PAIR} = (u, v)
    states: list[{PAIR}] = [p]
    b: {PAIR} = states[k]
    zero: {PAIR} = zeros_like(b)
    states[k] = zero
    # next
    h: float64[1] = b[0]
    bh = h * x
    bm = h * y
    t = (bh, bm)
    {{between}}
    add_at(states, k, t)
    {{after}}
    q: {PAIR} = states[0]
    r: float64[1] = q[0]
    s: float64[1] = q[1]
    w = r * s
    return w
"""


def function(between: str = "w_0 = h * h", after: str = "w_1 = h * h"):
    return read(BEFORE.format(between=between, after=after).strip())


def test_assigned() -> None:
    new = show(verify(assign_items(function())))
    assert "states[k] = t" in new and "add_at" not in new and "states[k] = zero" not in new


@pytest.mark.parametrize(
    ("between", "after"),
    [
        pytest.param(f"e: {PAIR} = states[0]", "w_1 = h * h", id="read in between"),
        pytest.param("add_at(states, 0, t)", "w_1 = h * h", id="added to elsewhere in between"),
        pytest.param("w_0 = h * h", "bh[...] += 1.0", id="what was added changes later"),
        pytest.param("w_0 = h * h", "states[k] += t", id="changed in place later"),
    ],
)
def test_left_alone(between: str, after: str) -> None:
    before = function(between, after)
    assert show(assign_items(before)) == show(before)


def test_same_values() -> None:
    x, y = np.linspace(0.5, 1.5, 4), np.linspace(-1.0, 1.0, 4)
    before, after = (interpret(f, *copy.deepcopy((x, y)), 0) for f in (function(), assign_items(function())))
    np.testing.assert_allclose(before, after, rtol=1e-14)
