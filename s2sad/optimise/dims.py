"""Dimensions: an int, a symbol, or what is made of others.

``("axis", v, k)`` is axis ``k`` of a variable, or of ``("token", n)``, a shape that arrays have in their kinds.
``("int", n)`` is what an operand says, ``("less", d, n)`` is ``n`` less than another, but not less than 0, ``("sum", n,
d, ...)`` a sum, ``("slice", d, start, stop, step)`` a slice, ``("broadcast", {d, ...})`` what several become.
"""

from __future__ import annotations

from collections.abc import Hashable

__all__ = ["Dim", "Shape", "is_token_axis", "is_whole", "may_be_negative", "mentions"]

Dim = Hashable
Shape = tuple[Dim, ...]  #: of a value of unknown rank: a single ("whole", variable)


def may_be_negative(dim: Dim) -> bool:
    """Whether a number given as a length may be something else."""
    return dim < 0 if isinstance(dim, int) else isinstance(dim, tuple) and dim[0] == "int"


def is_token_axis(dim: Dim) -> bool:
    """Whether this is an axis of a token."""
    return isinstance(dim, tuple) and dim[0] == "axis" and isinstance(dim[1], tuple)


def mentions(dim: Dim, other: Dim) -> bool:
    """Whether a dimension is another, or made of it."""
    return dim == other or (isinstance(dim, tuple | frozenset) and any(mentions(d, other) for d in dim))


def is_whole(shape: Shape) -> bool:
    """Whether this is the shape of a value of unknown rank."""
    return len(shape) == 1 and isinstance(shape[0], tuple) and shape[0][0] == "whole"
