"""The suite itself: peers compute the derivatives that are timed against theirs. Nothing here is timed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks import peers
from tests.benchmarks.program import Program
from tests.benchmarks.programs import PROGRAMS
from tests.benchmarks.timing import Mismatch, compare, flat

#: What a peer needs besides NumPy.
NEEDS = {
    "jax": "jax",
    "jax rewritten": "jax",
    "torch": "torch",
    "autograd": "autograd",
    "casadi": "casadi",
}
PAIRS = [pytest.param(p, peer, id=f"{p.name}-{peer}") for p in PROGRAMS for peer in p.peers]


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written for Numba is plain Python, and is run as such here: compiling takes longer than all the rest."""
    monkeypatch.setattr(peers, "compiled", lambda function: function)


@pytest.mark.parametrize("program, peer", PAIRS)
def test_peers_agree(program: Program, peer: str) -> None:
    if importlib.util.find_spec(NEEDS.get(peer, "numpy")) is None:
        pytest.skip(f"{NEEDS[peer]} is not installed")
    args = program.make_args(*program.tiny)
    reference = flat(program.differentiate("python")(*args))
    run = program.peers[peer](*args)
    for _ in range(2):  # the second time from what the first left behind
        compare(peer, run(), reference)


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p.loops], ids=lambda p: p.name)
def test_loops_are_the_program(program: Program) -> None:
    assert program.loops is not None
    found = program.loops(*program.make_args(*program.tiny))()
    compare("loops", found, flat(program.function(*program.make_args(*program.tiny))), 1e-10)


def test_a_wrong_derivative_is_refused() -> None:
    with pytest.raises(Mismatch):
        compare("peer", [1.0, np.array([2.0, 3.1])], np.array([1.0, 2.0, 3.0]))
    with pytest.raises(Mismatch):
        compare("peer", [1.0, np.nan], np.array([1.0, 2.0]))


def test_names_are_distinct() -> None:
    names = [program.name for program in PROGRAMS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_compiled_derivatives_agree(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    args = program.make_args(*program.tiny)
    reference = flat(program.differentiate("python")(*args))
    compare("s2sad numba", program.differentiate("numba")(*args), reference, 1e-12)
