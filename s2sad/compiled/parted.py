"""Partitions as sorts.

Before::

    def f(x: float64[1], k: int):
        y: float64[1] = np.partition(x, k)
        i: int64[1] = np.argpartition(x, k, axis=0)
        z: float64[1] = x[i]
        return y, z

After::

    def f(x, k):
        y = np.sort(x)
        i = np.argsort(x, axis=0)
        z = x[i]
        return y, z

What is sorted is parted as well. NumPy leaves open in which order items are within the parts, and Numba has another
order than NumPy; of partitions along axes it knows none.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values but for the order of items in the parts; no partition is left.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.compiled.forms_adjoint import named
from s2sad.frontend.lower import Lowered
from s2sad.ir.nodes import Const, Function, Op, Stmt
from s2sad.ir.rewrite import map_stmts, walk, with_body

__all__ = ["partitions_as_sorts", "tell_parted"]

_SORTS: dict[Any, Any] = {np.partition: np.sort, np.argpartition: np.argsort}


def tell_parted(lowered: Lowered) -> Lowered:
    """:func:`partitions_as_sorts` of a function with its templates."""
    return replace(lowered, function=partitions_as_sorts(lowered.function))


def partitions_as_sorts(function: Function) -> Function:
    """The function with sorts for partitions."""
    if not any(isinstance(s, Op) and _parts(s) for s in walk(function)):
        return function
    return with_body(function, map_stmts(function.body, _sorted))


def _parts(op: Op) -> bool:
    """Whether an operation is a partition, of what is no record."""
    return any(op.fn is fn for fn in _SORTS) and "order" not in dict(op.kwargs) and len(op.args) < 5


def _sorted(s: Stmt) -> Stmt:
    if not isinstance(s, Op) or not _parts(s):
        return s
    a, _, axis, _ = named(op := s, "a", "kth", "axis", "kind")
    given = len(op.args) > 2 or "axis" in dict(op.kwargs)
    return Op(op.target, _SORTS[op.fn], (a,), (("axis", axis),) if given and axis != Const(-1) else (), op.origin)
