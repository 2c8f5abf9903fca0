"""Random programs (:mod:`tests.fuzz`) through both tiers."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

import s2sad
from tests.compiled.corpus import Outcome, difference
from tests.fuzz import parts
from tests.fuzz.check import _function, check
from tests.fuzz.generate import Program, generate

__all__ = ["MODES", "compare_random"]

MODES = ("reverse", "forward", "pullback")


def compare_random(seed: int, mode: str, size: int = 10, profile: str | None = None) -> Outcome | None:
    """Run the program of a seed through both tiers; None where it is not one that the Python tier gets right."""
    program = generate(seed, size, profile)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if check(program, "grad" if program.by_differences else "value_and_grad").kind != "accepted":
            return None
        with _function(program) as f:
            asked = _asked(f, program)
            if asked is None:
                return None
            try:
                expected = _derivative(f, program.args, asked, mode, "python")
            except s2sad.S2sadError:
                return None
            try:
                found = _derivative(f, program.args, asked, mode, "numba")
            except s2sad.S2sadError as error:
                return Outcome("refused" if error.lineno is not None else "failed", error.message)
            except Exception as error:
                return Outcome("failed", f"{type(error).__name__}: {error}")
    return difference(found, expected)


def _asked(f: Any, program: Program) -> tuple[Any, Any] | None:
    """What a program is differentiated by, and the tangents; None for a complex result, which has no gradient."""
    if not program.by_differences:
        args = copy.deepcopy(program.args)
        return program.wrt, tuple(a if k in program.wrt else None for k, a in enumerate(args))
    found = parts.expected(f, program.args, program.seed)
    return (tuple(found.alone), found.ds) if isinstance(found.value, float) else None


def _derivative(f: Any, given: Any, asked: tuple[Any, Any], mode: str, backend: str) -> Any:
    args, (wrt, tangents) = copy.deepcopy(given), asked
    if mode == "forward":
        return s2sad.jvp(f, args, tangents, backend=backend)
    if mode == "pullback":
        y, pullback = s2sad.vjp(f, *args, backend=backend)
        return y, pullback(1.5), pullback(0.5)
    return s2sad.value_and_grad(f, wrt=wrt, backend=backend)(*args)
