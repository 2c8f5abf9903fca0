"""Items of lists that are None at times: flags in compiled code."""

from __future__ import annotations

import pytest

pytest.importorskip("numba")

import s2sad
from tests.compiled.corpus import MODES, PROGRAMS, compare

REFUSED = ("none_that_counts_as_false",)
NAMES = [name for name, p in PROGRAMS.items() if p.function.__module__ == "cases_absent"]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in REFUSED])
@pytest.mark.parametrize("mode", MODES)
def test_tiers_agree(name: str, mode: str) -> None:
    outcome = compare(name, mode)
    assert outcome.what == "agreed", outcome.message


@pytest.mark.parametrize("name", REFUSED)
def test_other_questions_are_refused(name: str) -> None:
    assert compare(name, "reverse").what == "refused"


def test_what_is_only_left_by_a_return_gives_what_is_returned():
    def f(x):
        while True:
            x = x * 1.5
            if x > 3.0:
                return x * x

    value, slope = s2sad.value_and_grad(f, backend="numba")(0.3)
    assert value == pytest.approx(f(0.3)) and slope == pytest.approx(2.0 * value / 0.3)
