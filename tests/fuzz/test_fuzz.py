"""Random programs: the compiler agrees with the reference, or refuses."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from .generate import generate
from .reference import Reference
from .run import run

CHUNKS, COUNT, SIZE = 34, 50, 6
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_agrees_or_refuses(chunk: int) -> None:
    """Never a wrong number and never an error of the compiler's own."""
    report = run(range(chunk * COUNT, (chunk + 1) * COUNT), SIZE)
    assert not report.failures, report.text()
    assert report.counts["skipped"] <= COUNT // 5, report.text()
    # A chunk is small: a share of 20 % overall shows as somewhat more in the worst of them.
    assert report.refused < 0.35, report.text()


@pytest.mark.parametrize("chunk", range(4))
def test_corners(chunk: int) -> None:
    """Nor where scopes, aliases, copies, kinds and exits are easily mistaken, by each argument alone too."""
    report = run(range(chunk * 25, (chunk + 1) * 25), 3, profile="corners")
    assert not report.failures, report.text()
    assert report.counts["skipped"] <= 5, report.text()
    assert report.refused < 0.4, report.text()


@pytest.mark.parametrize("chunk", range(2))
def test_kernels(chunk: int) -> None:
    """Nor in numerical loops, with integers that are state and slices that move."""
    report = run(range(chunk * 25, (chunk + 1) * 25), 3, profile="kernels")
    assert not report.failures, report.text()
    assert report.counts["skipped"] <= 5, report.text()
    assert report.refused < 0.2, report.text()


@pytest.mark.parametrize("chunk", range(4))
def test_caught(chunk: int) -> None:
    """Nor where exceptions are caught."""
    report = run(range(chunk * 25, (chunk + 1) * 25), 4, profile="caught")
    assert not report.failures, report.text()
    assert report.counts["skipped"] <= 5, report.text()
    assert report.refused < 0.35, report.text()


@pytest.mark.parametrize("chunk", range(2))
def test_complex(chunk: int) -> None:
    """Nor where real and complex numbers meet."""
    report = run(range(6000 + chunk * 25, 6000 + (chunk + 1) * 25), 3, profile="complex")
    assert not report.failures, report.text()
    assert report.counts["skipped"] <= 5, report.text()
    assert report.refused < 0.2, report.text()


@pytest.mark.parametrize("chunk", range(2))
def test_language(chunk: int) -> None:
    """Nor of classes, functions, generators, patterns, exceptions and containers within one another."""
    report = run(range(chunk * 12, (chunk + 1) * 12), 3, profile="language")
    assert not report.failures, report.text()
    assert report.counts["skipped"] <= 3, report.text()
    assert report.refused < 0.35, report.text()


@pytest.mark.parametrize("chunk", range(2))
def test_numpy(chunk: int) -> None:
    """Nor of what NumPy's functions take: ``out``, ``where``, axes, masks, places, views, arrays with no items."""
    report = run(range(chunk * 20, (chunk + 1) * 20), 3, profile="numpy")
    assert not report.failures, report.text()
    assert report.counts["skipped"] <= 5, report.text()
    assert report.refused < 0.2, report.text()


@pytest.mark.parametrize("chunk", range(6))
def test_refuses_few(chunk: int) -> None:
    """Under 20 % are refused, on programs beside the chunks'."""
    report = run(range(10_000 + chunk * COUNT, 10_000 + (chunk + 1) * COUNT))
    assert report.refused < 0.2, report.text()
    assert not report.failures, report.text()


def test_seeds_are_programs() -> None:
    """A seed is one program for good, and two seeds are two."""
    assert repr(generate(1)) == repr(generate(1))
    assert generate(1).source != generate(2).source


@pytest.mark.parametrize("profile", ["complex", "corners", "language"])
def test_seeds_have_no_history(profile: str) -> None:
    """A fresh process that begins elsewhere writes the same programs as one that has checked others."""
    seeds = range(9000, 9012)
    run(seeds[:3], 10, profile=profile)
    made = [repr(generate(seed, 10, profile)) for seed in seeds]
    text = f"print([repr(generate(k, 10, {profile!r})) for k in {[*reversed(seeds)]}])"
    command = [sys.executable, "-c", f"from tests.fuzz.generate import generate\n{text}"]
    fresh = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert ast.literal_eval(fresh.stdout)[::-1] == made


def test_programs_run() -> None:
    """The generator writes programs that run and give a float."""
    failed = 0
    for seed in range(300):
        program = generate(seed)
        try:
            assert isinstance(Reference(program.source, "f", program.args).value(), float)
        except Exception:
            failed += 1
    assert failed <= 3


def test_sizes() -> None:
    """``size`` scales a program."""
    small, large = (sum(generate(seed, size).source.count("\n") for seed in range(40)) for size in (3, 20))
    assert large > 2 * small
