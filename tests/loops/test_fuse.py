"""Fusion of long chains of operations asks what it must, and no more."""

from __future__ import annotations

import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, value_and_grad
from s2sad.ir.nodes import For, Function, Op, Store
from s2sad.ir.rewrite import walk
from s2sad.ir.verify import verify
from s2sad.loops import lower_to_loops
from s2sad.loops.depends import Dependences
from tests.ir.reader import read


def chain(n: int) -> Function:
    """A function of so many sums of two arrays, one of which the sum before made."""
    sums = "".join(f"    y{k + 1}: float64[1]#1 = y{k} + x\n" for k in range(n))
    return read(f"def f(x: float64[1]#1):\n    y0: float64[1]#1 = x * x\n{sums}    return y{n}\n")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What it was asked for the memory of."""
    found: list[Any] = []
    class_of = Dependences.class_of

    def noted(self: Dependences, base: Any) -> Any:
        found.append(base)
        return class_of(self, base)

    monkeypatch.setattr(Dependences, "class_of", noted)
    return found


def test_an_array_that_is_only_filled_is_in_the_way_of_no_fusion() -> None:
    function = read("""
        def f(x: float64[2]#1, y: float64[2]#1):
            a: float64[2]#1 = x * y
            turned: float64[2]#1 = np.transpose(a)
            p: float64[2]#3 = turned @ x
            first: float = total(p)
            row: float64[1]#1 = x[0]
            q: float64[1]#2 = row * first
            s: float64[1]#2 = np.sum(a, axis=0)
            z: float64[1]#2 = q * s
            return z
        """)
    stmts = list(walk(lower_to_loops(function, equal_lengths=True)))
    product = next(k for k, s in enumerate(stmts) if isinstance(s, Op) and s.fn is operator.matmul)
    adding = [k for k, s in enumerate(stmts) if isinstance(s, Store) and s.aug == "+"]
    assert adding and max(adding) < product  # the columns are added up where their terms are made


def test_memory_is_not_asked_for_with_each_pair_of_loops(asked: list[Any]) -> None:
    counts = []
    for n in (20, 80):
        asked.clear()
        verify(lower_to_loops(chain(n)))
        counts.append(len(asked))
    assert 0 < counts[1] < 6 * counts[0]


STATES = """
def f(x: float64[1]#1, n: int):
    for k in range(0, n) carrying (u: float64[1]#1 = x):
        a: float64[1]#1 = u * 2.0
        v: float64[1]#1 = u + 1.0
        w: float64[1]#1 = v * a
        y: float64[1]#1 = w + u
        next y
    -> z: float64[1]#1
    return z
"""


def test_what_a_loop_makes_is_not_what_it_was_handed() -> None:
    """Though a state and the next one are of one class of memory."""
    stmts = list(walk(verify(lower_to_loops(read(STATES), equal_lengths=True))))
    assert sum(isinstance(s, For) for s in stmts) == 2 and sum(isinstance(s, Store) for s in stmts) == 1


def reacting(u, v, steps):
    """A state that is replaced, with edges that are not."""
    for _ in range(steps):
        flow = np.zeros_like(u)
        flow[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] - 2.0 * u[1:-1, 1:-1]
        rate = u * v * v
        u, v = u + 0.1 * flow - rate + 0.06 * (1.0 - u), v + rate - 0.1 * v
    return np.sum(u * v)


def by_turns(u, v, steps):
    """Two buffers that change places, one of them filled from the other."""
    a, b = u.copy(), v.copy()
    for _ in range(steps):
        b[1:, :] = 0.5 * a[1:, :] + a[:-1, :] * b[1:, :]
        c = b * 0.5
        c[:, 1:] += a[:, :-1]
        a, b = b, c
    return np.sum(a * a * b)


def kept(u, v, steps):
    """States that a list keeps, of which one comes back."""
    states = [u, v]
    for k in range(steps):
        new = states[-1] * 0.5 + states[-2] * v
        new[1:] += states[k // 2][:-1]
        states.append(new)
        u = states[k] + new
    return np.sum(u * states[-1])


def either(u, v, steps):
    """What a branch hands on is there when the next state is made, and may become that state."""
    for k in range(steps):
        w = u if k % 2 == 0 else v * u
        new = np.empty_like(u)
        new[1:] = w[:-1] * 2.0
        new[0] = u[-1]
        w = new if k % 3 == 0 else w
        new[:, 1:] += w[:, :-1]
        u = 0.3 * new + 0.1 * w * u
    return np.sum(u**2)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("function", [reacting, by_turns, kept, either], ids=lambda f: f.__name__)
def test_states(function: Callable[..., Any], steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    u, v = np.random.default_rng(steps).uniform(0.2, 1.0, (2, 5, 4))
    value, found = value_and_grad(function, wrt=(0, 1), backend="numba")(u, v, steps)
    other, expected = value_and_grad(function, wrt=(0, 1))(u, v, steps)
    assert value == pytest.approx(function(u, v, steps), rel=1e-13) and value == pytest.approx(other, rel=1e-13)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    check_grads(function, wrt=(0, 1), backend="numba")(u, v, steps)
