"""One row of the tables: contestants built, their derivatives compared, then timed."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from tests.benchmarks.peers import compiled
from tests.benchmarks.program import Program, Run, Size
from tests.benchmarks.timing import Mismatch, compare, flat, time_by_turns

__all__ = ["CONTESTANTS", "OURS", "PRIMALS", "Result", "race"]

PRIMALS = ("primal", "primal numba")
OURS = ("s2sad", "s2sad numba")
#: All columns, in order.
CONTESTANTS = (
    *PRIMALS,
    *OURS,
    "hand",
    "hand numba",
    "jax",
    "jax rewritten",
    "torch",
    "autograd",
    "casadi",
)


@dataclass(frozen=True)
class Result:
    """Seconds of each contestant for a program at a size, and why others have none."""

    program: Program
    size: Size
    seconds: dict[str, float]
    absent: dict[str, str]

    @property
    def label(self) -> str:
        """The program and its size."""
        return " ".join((self.program.name, " × ".join(map(str, self.size)))).strip()

    def ratio(self, over: str, under: str) -> float | None:
        """How many times longer one takes than another."""
        if over in self.seconds and under in self.seconds:
            return self.seconds[over] / self.seconds[under]
        return None


def race(program: Program, size: Size, budget: float) -> Result:
    """Time all contestants whose derivatives agree with ours on the Python tier."""
    args = program.make_args(*size)
    reference = flat(program.differentiate("python")(*args))
    if not np.all(np.isfinite(reference)):
        raise Mismatch(f"{program.name}: the derivative is not finite")
    ready: dict[str, Run] = {}
    absent: dict[str, str] = {}
    for name, build in _builders(program, args):
        try:
            run = build()
            result = run()
        except Exception as error:  # whatever a library raises when it is not there or cannot do this
            absent[name] = _told(error)
            continue
        if name in PRIMALS:
            ready[name] = run
            continue
        try:
            compare(name, result, reference)
            compare(name, run(), reference)
            ready[name] = run
        except Mismatch as mismatch:
            absent[name] = f"WRONG: {mismatch}"
    return Result(program, size, time_by_turns(ready, budget), absent)


def _told(error: Exception) -> str:
    """What an error says, in a line; without carets under source, and folders that only this machine has."""
    lines = [line.strip() for line in f"{type(error).__name__}: {error}".splitlines()]
    text = " ".join(line for line in lines if line.strip("^~ ")).replace("`", "'")
    return re.sub(r"(?<!\S)/\S*/", "", text)[:300]


def _builders(program: Program, args: tuple[Any, ...]) -> Iterator[tuple[str, Callable[[], Run]]]:
    """The contestants by name; a peer that a program does not have is not among them."""
    yield "primal", lambda: _primal(program, program.function, args)
    yield "primal numba", lambda: _compiled_primal(program, args)
    for name, backend in zip(OURS, ("python", "numba"), strict=True):
        yield name, lambda backend=backend: _ours(program, backend, args)
    for name, build in program.peers.items():
        yield name, lambda build=build: build(*args)


def _ours(program: Program, backend: str, args: tuple[Any, ...]) -> Run:
    return functools.partial(program.differentiate(backend), *args)


def _compiled_primal(program: Program, args: tuple[Any, ...]) -> Run:
    """The loops where a program has them, otherwise the function as it stands."""
    if program.loops is not None:
        return program.loops(*args)
    own = tuple(compiled(a) if isinstance(a, FunctionType) else a for a in args)
    return _primal(program, compiled(program.function), own)


def _primal(program: Program, function: Callable[..., Any], args: tuple[Any, ...]) -> Run:
    """A call of the function, with copies of the arrays it changes, as a gradient has to make them too."""
    if not program.changes:
        return functools.partial(function, *args)

    def run() -> Any:
        own = list(args)
        for i in program.changes:
            own[i] = own[i].copy()
        return function(*own)

    return run
