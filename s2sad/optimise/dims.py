"""Dimensions: an int, a symbol, or what is made of others.

``("axis", v, k)`` is axis ``k`` of a variable, or of ``("token", n)``, a shape that arrays have in their kinds.
``("int", n)`` is what an operand says, ``("less", d, n)`` is ``n`` less than another, but not less than 0, ``("sum", n,
d, ...)`` a sum, ``("slice", d, start, stop, step)`` a slice, ``("broadcast", {d, ...})`` what several become.
"""

from __future__ import annotations

from collections.abc import Hashable

__all__ = ["Dim", "Shape", "is_rows", "is_small", "is_token", "is_whole", "may_be_negative", "mentions"]

Dim = Hashable
_MOST_PARTS = 200  #: of a dimension that is followed
#: Of a value of unknown rank a single ("whole", variable); of some of its rows ("whole", ("rows", whole, number)),
#: where the first axis of a whole is ("first", whole).
Shape = tuple[Dim, ...]


def may_be_negative(dim: Dim) -> bool:
    """Whether a number given as a length may be something else."""
    return dim < 0 if isinstance(dim, int) else isinstance(dim, tuple) and dim[0] == "int"


def is_token(dim: Dim) -> bool:
    """Whether this is an axis of a token, or all of one of unknown rank."""
    return isinstance(dim, tuple) and dim[0] in ("axis", "whole") and isinstance(dim[1], tuple) and dim[1][0] == "token"


def is_small(dim: Dim) -> bool:
    """Whether a dimension is made of few parts.

    One that is made of itself twice, again and again, has as many parts as a tree of that depth, and what is asked of
    dimensions looks at all of them.

    >>> d = ("axis", "v", 0)
    >>> for _ in range(8):
    ...     d = ("sum", 0, d, d)
    >>> is_small(("sum", 0, ("axis", "v", 0), ("axis", "w", 0))), is_small(d)
    (True, False)
    """
    rest, parts = [dim], 0
    while rest and parts <= _MOST_PARTS:
        part = rest.pop()
        parts += 1
        if isinstance(part, tuple | frozenset):
            rest += part
    return not rest


def mentions(dim: Dim, other: Dim) -> bool:
    """Whether a dimension is another, or made of it."""
    return dim == other or (isinstance(dim, tuple | frozenset) and any(mentions(d, other) for d in dim))


def is_whole(shape: Shape) -> bool:
    """Whether this is the shape of a value of unknown rank."""
    return len(shape) == 1 and isinstance(shape[0], tuple) and shape[0][0] == "whole"


def is_rows(shape: Shape) -> bool:
    """Whether this is the shape of rows of an array of unknown rank, which has one axis at least."""
    return is_whole(shape) and isinstance(shape[0][1], tuple) and shape[0][1][0] == "rows"  # type: ignore[index]
