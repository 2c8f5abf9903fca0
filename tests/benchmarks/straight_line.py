"""Straight-line programs of any length, for timing the compiler."""

from __future__ import annotations

import linecache
import math
import random
from collections.abc import Callable
from types import FunctionType

__all__ = ["straight_line"]

FORMULAS = (
    "0.5 * math.cos({a} * {b}) + math.sin({c})",
    "math.exp(-{a} * {a}) + {b}",
    "({a} - {b}) / (1.5 + {c} * {c})",
    "math.tanh({a}) * {b} - 0.5 * {c}",
)


def straight_line(statements: int, seed: int = 0) -> Callable[[float, float], float]:
    """A function of two floats with so many statements, each a formula of the latest values."""
    rng = random.Random(seed)
    names, lines = ["x", "y"], ["def f(x, y):"]
    for i in range(statements - 1):
        a, b, c = (rng.choice(names[-6:]) for _ in "abc")
        names.append(f"v{i}")
        lines.append(f"    v{i} = {rng.choice(FORMULAS).format(a=a, b=b, c=c)}")
    lines.append(f"    return {' + '.join(names[-4:])}")
    return _defined("\n".join(lines) + "\n", f"<straight line {statements} {seed}>")


def _defined(source: str, filename: str) -> FunctionType:
    """The function that a source defines, with its lines where tools look for them."""
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace = {"math": math, "__name__": __name__}
    exec(compile(source, filename, "exec"), namespace)
    function = namespace["f"]
    assert isinstance(function, FunctionType)
    return function
