"""Whether a Jacobian has fewer columns or fewer rows, where the shapes say it for any arguments.

::

    f: float64[n] -> float64[n]      columns: there are as many
    f: float64[n], float64[3] -> (float64, float64)      rows: two, and the columns are three at least

Then one loop is all that there is to compile, and nothing is asked at each call. How many rows there are is a sum of
products of lengths, and so is how many columns; what both have in common does not tell, and lengths are not negative.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from s2sad.analysis.memory import Memory
from s2sad.ir.nodes import Atom, Function
from s2sad.optimise.dims import is_whole
from s2sad.optimise.flow import Flow
from s2sad.optimise.shapes import Dim, Shapes

__all__ = ["lengths_for_certain", "sweep_for_certain"]

#: A sum of products: how often each product of lengths is in it, the lengths in some order of their own.
_Sum: TypeAlias = Counter[frozenset[tuple[Dim, int]]]


def sweep_for_certain(function: Function, results: Iterable[Atom], params: Iterable[Atom]) -> str | None:
    """The loop over "columns" if these results have at least as many numbers as these parameters, "rows" if fewer.

    None if that depends on the arguments.
    """
    shapes = _shapes(function)
    rows, columns = (_numbers(shapes, atoms) for atoms in (results, params))
    if rows is None or columns is None:
        return None
    rows.subtract(columns)
    if _least(shapes, rows, 1) >= 0:
        return "columns"
    return "rows" if _least(shapes, rows, -1) > 0 else None


def lengths_for_certain(function: Function, atoms: Iterable[Atom]) -> list[tuple[int, ...] | None]:
    """The shapes of numbers and arrays, each None where it depends on the arguments."""
    shapes = _shapes(function)
    found = [shapes.canonical(shapes.of(a)) for a in atoms]
    numbers = [tuple(d for d in shape if isinstance(d, int)) for shape in found]
    return [n if len(n) == len(shape) else None for n, shape in zip(numbers, found, strict=True)]


def _shapes(function: Function) -> Shapes:
    """What is known of shapes at the end of a function."""
    flow = Flow(function, by_token=False, scoped=True, by_product=False, memory=Memory(function))
    flow.run()
    return flow.shapes


def _numbers(shapes: Shapes, atoms: Iterable[Atom]) -> _Sum | None:
    """How many numbers there are in arrays; None where the axes of one are not known."""
    total: _Sum = Counter()
    for a in atoms:
        shape = shapes.canonical(shapes.of(a))
        if is_whole(shape):
            return None
        known = math.prod(d for d in shape if isinstance(d, int))
        total[frozenset(Counter(d for d in shape if not isinstance(d, int)).items())] += known
    return total


def _least(shapes: Shapes, numbers: _Sum, sign: int) -> float:
    """What a sum is at least, or its negative."""
    total = 0.0
    for product, count in numbers.items():
        if product and sign * count < 0:
            return -math.inf
        total += sign * count * math.prod(shapes.shortest(d) ** n for d, n in product)
    return total
