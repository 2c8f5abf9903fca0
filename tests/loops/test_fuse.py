"""Fusion of long chains of operations asks what it must, and no more."""

from __future__ import annotations

import operator
from typing import Any

import pytest

from s2sad.ir.nodes import Function, Op, Store
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
