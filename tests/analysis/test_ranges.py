"""Comparisons that say whether a loop over a range has iterations."""

from __future__ import annotations

import itertools

import pytest

from s2sad.analysis.ranges import range_tests
from s2sad.ir.kinds import INT
from s2sad.ir.nodes import Atom, Block, Const, For, Var

n = Var("n", INT)


def loop(start: Atom, stop: Atom, step: Atom) -> For:
    return For(Var("k", INT), start, stop, step, (), (), Block(), ())


@pytest.mark.parametrize("step", [-2, -1, 1, 3])
@pytest.mark.parametrize("known", ["start", "stop"])
def test_they_say_what_the_range_says(step: int, known: str) -> None:
    for a, b in itertools.product(range(-2, 3), repeat=2):
        values = {n: b if known == "start" else a}
        given = (Const(a), n) if known == "start" else (n, Const(b))
        tests = range_tests(loop(*given, Const(step)))
        assert tests is not None
        runs, empty = (t.fn(*(values.get(x, getattr(x, "value", None)) for x in t.args)) for t in tests)  # type: ignore
        assert (runs, empty) == (bool(range(a, b, step)), not range(a, b, step))


def test_a_range_that_may_go_either_way() -> None:
    assert range_tests(loop(Const(0), Const(3), n)) is None
