"""What a rule may ask about its arguments while it is being compiled.

The frontend folds these to constants where the kinds of the arguments tell, so an
``if`` on one costs nothing in the output; as plain functions they answer at run time.
``lib`` stands for the module the primitive belongs to: ``math`` or ``numpy``.
"""

from __future__ import annotations

from typing import Any

import numpy
import numpy as lib

__all__ = [
    "a_number",
    "each_of",
    "handed",
    "is_array",
    "is_complex",
    "is_literal",
    "is_none",
    "is_scalar",
    "is_still",
    "known_rank",
    "lib",
    "moved",
    "pulled",
    "rank",
    "same_shape",
]


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


def is_still(x: Any) -> bool:
    """Whether a tangent is known to be zero."""
    return isinstance(x, float) and x == 0.0


def a_number(x: Any) -> Any:
    """x, which must be a real number: what a solver is given of a function."""
    return x


def each_of(xs: tuple[Any, ...], part: Any) -> tuple[Any, ...]:
    """What a function gives of each position in a tuple."""
    return tuple(part(k) for k in range(len(xs)))


def handed(helper: Any, function: Any, like: tuple[Any, ...], given: tuple[Any, ...], **options: Any) -> Any:
    """What a helper gives of a function, which it calls with values like these, and of what else it is given.

    In a derivative the function is one of its own: the helper passes on to it what it captures.
    """
    return helper(function, *given, (), **options)


def moved(function: Any, still: tuple[Any, ...], xs: tuple[Any, ...], dxs: tuple[Any, ...]) -> Any:
    """The tangent of what a function handed to a helper gives of ``(*still, *xs)``, along ``dxs``."""
    raise NotImplementedError("a derivative is there only when compiled")


def pulled(function: Any, still: tuple[Any, ...], xs: tuple[Any, ...], ks: tuple[int, ...], ct: Any) -> Any:
    """What a cotangent of that contributes to some of ``xs``, by position."""
    raise NotImplementedError("a derivative is there only when compiled")


def known_rank(x: Any) -> int | None:
    """The number of axes of x where the compiler knows it, else None: no code is made for the question."""
    return numpy.ndim(x)
