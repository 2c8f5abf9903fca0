"""Both tiers on the corpus: a sample of it here, all of it by ``python -m tests.compiled``."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

pytest.importorskip("numba")

from tests.compiled import random_programs
from tests.compiled.corpus import MODES, PROGRAMS, compare

#: The programs that are refused, by mode and name: the list is to become shorter.
REFUSED = frozenset(Path(__file__).with_name("refused.txt").read_text(encoding="utf-8").splitlines())
ONE_IN = 12


def sample() -> list[tuple[str, str]]:
    """Some programs, each in one mode, the same ones each time."""
    chosen = []
    for name in PROGRAMS:
        number = zlib.crc32(name.encode())
        if number % ONE_IN == 0:
            chosen.append((MODES[number // ONE_IN % 2], name))
    return chosen


def test_most_programs_are_accepted() -> None:
    known = {f"{mode} {name}" for mode in MODES for name in PROGRAMS}
    assert known >= REFUSED, "programs that are gone are still in the list"
    assert len(REFUSED) < 0.1 * len(known)


@pytest.mark.parametrize(("mode", "name"), sample())
def test_tiers_agree(mode: str, name: str) -> None:
    outcome = compare(name, mode)
    expected = "refused" if f"{mode} {name}" in REFUSED else "agreed"
    assert outcome.what == expected, outcome.message


@pytest.mark.parametrize(
    "name",
    [
        "product_of_a_list_that_grows",
        "changed_rows_returned",
        "changed_arrays_returned",
        "arrays_taken_in_turns",
        "arrays_turned_and_returned",
        "slices_of_lists_replaced",
        "rows_replaced_by_views",
        "lists_in_a_dict_grow",
    ],
)
@pytest.mark.parametrize("mode", ["pullback", "forward"])
def test_lists_that_are_changed_come_back(name: str, mode: str) -> None:
    """Compiled functions are passed copies of lists: what they change in them is seen by what runs after."""
    outcome = compare(name, mode)
    assert outcome.what == "agreed", outcome.message


@pytest.mark.parametrize("name", ["masks_beside_slices", "one_number_for_a_mask", "repeated_along_axes"])
@pytest.mark.parametrize("mode", MODES)
def test_parts_that_are_picked(name: str, mode: str) -> None:
    """A mask beside a slice picks a copy, and one number may be stored for all that a mask picks."""
    outcome = compare(name, mode)
    assert outcome.what == "agreed", outcome.message


def test_one_number_for_pairs_of_indices() -> None:
    outcome = compare("one_number_for_pairs", "forward")
    assert outcome.what == "agreed", outcome.message


@pytest.mark.parametrize("seed", range(40, 52))
def test_tiers_agree_on_random_programs(seed: int) -> None:
    outcome = random_programs.compare_random(seed, random_programs.MODES[seed % 3])
    assert outcome is None or outcome.what in ("agreed", "refused"), outcome.message
