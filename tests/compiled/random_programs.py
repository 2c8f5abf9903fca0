"""Random programs (:mod:`tests.fuzz`) through both tiers."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

import s2sad
from tests.compiled.corpus import Outcome, difference
from tests.fuzz.check import _function, check
from tests.fuzz.generate import generate

__all__ = ["MODES", "compare_random"]

MODES = ("reverse", "forward", "pullback")


def compare_random(seed: int, mode: str, size: int = 10, profile: str | None = None) -> Outcome | None:
    """Run the program of a seed through both tiers; None where it is not one that the Python tier gets right."""
    program = generate(seed, size, profile)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if check(program, "value_and_grad").kind != "accepted":
            return None
        with _function(program) as f:
            try:
                expected = _derivative(f, program, mode, "python")
            except s2sad.S2sadError:
                return None
            try:
                found = _derivative(f, program, mode, "numba")
            except s2sad.S2sadError as error:
                return Outcome("refused" if error.lineno is not None else "failed", error.message)
            except Exception as error:
                return Outcome("failed", f"{type(error).__name__}: {error}")
    return difference(found, expected)


def _derivative(f: Any, program: Any, mode: str, backend: str) -> Any:
    args = copy.deepcopy(program.args)
    if mode == "forward":
        tangents = tuple(a if k in program.wrt else None for k, a in enumerate(copy.deepcopy(program.args)))
        return s2sad.jvp(f, args, tangents, backend=backend)
    if mode == "pullback":
        y, pullback = s2sad.vjp(f, *args, backend=backend)
        return y, pullback(1.5), pullback(0.5)
    return s2sad.value_and_grad(f, wrt=program.wrt, backend=backend)(*args)
