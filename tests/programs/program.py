"""A program to differentiate, with arguments to do it at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from differences import STEP, to_vector


@dataclass(frozen=True)
class Program:
    """A function, its arguments, and which of them to differentiate with respect to (all with floats, by default)."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: tuple[int, ...]
    name: str
    tolerance: float
    step: float


def program(
    function: Callable[..., Any],
    *args: Any,
    wrt: tuple[int, ...] | None = None,
    name: str | None = None,
    tolerance: float = 1e-8,
    step: float = STEP,
) -> Program:
    """Describe a program; ``tolerance`` is relative to the largest entry of the derivative."""
    if wrt is None:
        wrt = tuple(k for k, arg in enumerate(args) if to_vector(arg).size)
    return Program(function, args, wrt, name or function.__name__, tolerance, step)
