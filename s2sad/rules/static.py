"""What a rule may ask about its arguments while it is being compiled.

The frontend folds these to constants where the kinds of the arguments tell, so an
``if`` on one costs nothing in the output; as plain functions they answer at run time.
``lib`` stands for the module the primitive belongs to: ``math`` or ``numpy``.
"""

from __future__ import annotations

from typing import Any

import numpy
import numpy as lib

__all__ = ["is_array", "is_complex", "is_literal", "is_none", "is_scalar", "known_rank", "lib", "rank", "same_shape"]


def is_scalar(x: Any) -> bool:
    """Whether x is a number or NumPy scalar (not a 0-d array)."""
    return not isinstance(x, numpy.ndarray)


def is_array(x: Any) -> bool:
    """Whether x is an ndarray (0-d ones included)."""
    return isinstance(x, numpy.ndarray)


def is_complex(x: Any) -> bool:
    """Whether x may be a complex number or an array of such."""
    return numpy.iscomplexobj(x)


def is_none(x: Any) -> bool:
    """Whether x is None."""
    return x is None


def rank(x: Any) -> int:
    """The number of axes of x."""
    return numpy.ndim(x)


def same_shape(x: Any, y: Any) -> bool:
    """Whether x and y have one shape."""
    return bool(numpy.shape(x) == numpy.shape(y))


def is_literal(x: Any) -> bool:
    """Whether x is a number written in the source, or folded to one: its value is known."""
    return isinstance(x, int | float | complex)


def known_rank(x: Any) -> int | None:
    """The number of axes of x where the compiler knows it, else None: no code is made for the question."""
    return numpy.ndim(x)
