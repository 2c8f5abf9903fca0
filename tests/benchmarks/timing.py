"""Contestants timed by turns, after their derivatives have been compared."""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.benchmarks.program import Run

__all__ = ["Mismatch", "compare", "flat", "time_by_turns"]

TURN = 2e-3  #: seconds of a turn: enough calls that the clock does not matter
ROUNDS = 25  #: turns each contestant has at most
FEWEST = 3  #: turns a slow contestant has
SLOW = 0.2  #: seconds of a call that is not repeated to learn how long it takes


class Mismatch(Exception):
    """Two contestants disagree about a derivative."""


def flat(value: Any) -> np.ndarray:
    """All numbers of a derivative, whatever holds them, in order."""
    match value:
        case dict():
            items = list(value.values())
        case list() | tuple():
            items = list(value)
        case _:
            return np.asarray(value, dtype=float).ravel()
    return np.concatenate([flat(item) for item in items]) if items else np.zeros(0)


def compare(name: str, value: Any, reference: np.ndarray, tolerance: float = 1e-8) -> None:
    """Raise unless a derivative is the reference to the tolerance times the reference's largest entry."""
    found = flat(value)
    if found.shape != reference.shape:
        raise Mismatch(f"{name}: {found.size} numbers, not {reference.size}")
    error = float(np.max(np.abs(found - reference)) / np.max(np.abs(reference)))
    if not error <= tolerance:
        raise Mismatch(f"{name}: relative error {error:.1e}")


def time_by_turns(contestants: Mapping[str, Run], budget: float) -> dict[str, float]:
    """The least seconds a call takes, for each; none takes much longer than ``budget`` seconds in all."""
    plans = {name: _plan(run, budget) for name, run in contestants.items()}
    best = dict.fromkeys(contestants, float("inf"))
    gc.collect()
    gc.disable()
    try:
        for turn in range(max(rounds for _, rounds in plans.values())):
            for name, run in contestants.items():
                calls, rounds = plans[name]
                if turn < rounds:
                    best[name] = min(best[name], _seconds(run, calls))
    finally:
        gc.enable()
    return best


def _plan(run: Run, budget: float) -> tuple[int, int]:
    """Calls in a turn and the number of turns, for a contestant that has run before."""
    seconds = _seconds(run, 1)
    if seconds < SLOW:
        seconds = min(_seconds(run, 1) for _ in range(FEWEST))
    calls = max(1, round(TURN / seconds))
    return calls, max(FEWEST, min(ROUNDS, int(budget / (calls * seconds))))


def _seconds(run: Run, calls: int) -> float:
    """The mean seconds of so many calls in a row: by the clock or of the processor, whichever are fewer.

    The two are the same on a machine with nothing else to do, each contestant having one thread. Where others take
    their share, the clock counts it.
    """
    turns = range(calls)
    began, worked = time.perf_counter(), time.process_time()
    for _ in turns:
        run()
    return min(time.perf_counter() - began, time.process_time() - worked) / calls
