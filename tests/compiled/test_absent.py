"""Items of lists that are None at times: flags in compiled code."""

from __future__ import annotations

import pytest

pytest.importorskip("numba")

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
