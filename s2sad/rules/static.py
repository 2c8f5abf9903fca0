"""What a rule may ask about its arguments while it is being compiled.

The frontend folds these to constants where the kinds of the arguments tell, so an
``if`` on one costs nothing in the output; as plain functions they answer at run time.
``lib`` stands for the module the primitive belongs to: ``math`` or ``numpy``.
"""

from __future__ import annotations

from typing import Any

import numpy
import numpy as lib

from s2sad.rules.foreign import is_foreign

_COMPILED = "a derivative is there only when compiled"

__all__ = [
    "a_number",
    "along_axes",
    "at_positions",
    "each_of",
    "handed",
    "has_own_arithmetic",
    "held_by",
    "is_array",
    "is_complex",
    "is_literal",
    "is_none",
    "is_scalar",
    "is_still",
    "is_unread",
    "known",
    "known_rank",
    "lib",
    "moved",
    "picked",
    "positions",
    "pullback",
    "pulled",
    "rank",
    "real_vector",
    "same_shape",
    "stands_in",
    "swept",
]


def is_scalar(x: Any) -> bool:
    """Whether x is a number or NumPy scalar (not a 0-d array)."""
    return not isinstance(x, numpy.ndarray)


def is_array(x: Any) -> bool:
    """Whether x is an ndarray (0-d ones included)."""
    return isinstance(x, numpy.ndarray)


def has_own_arithmetic(x: Any) -> bool:
    """Whether x is known to be a sparse matrix, or another array that goes by rules of its own."""
    return is_foreign(type(x))


def stands_in(x: Any) -> bool:
    """Whether x is an object that a rule made in place of one of a library: there are such only while compiling."""
    return hasattr(type(x), "__s2sad_own__")


def held_by(name: str, x: Any) -> Any:
    """x, which an object of this name holds from now on: a function that changes it later is refused."""
    return x


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


def is_unread(ct: Any) -> bool:
    """Whether nothing reads a part of a result, so that its cotangent is zero."""
    return isinstance(ct, float) and ct == 0.0


def a_number(x: Any) -> Any:
    """x, which must be a real number: what a solver is given of a function."""
    return x


def real_vector(x: Any) -> Any:
    """x, a vector of real numbers, or a number or a list of them, as an array of floats."""
    return numpy.atleast_1d(numpy.asarray(x, dtype=float))


def each_of(xs: tuple[Any, ...], part: Any) -> tuple[Any, ...]:
    """What a function gives of each position in a tuple."""
    return tuple(part(k) for k in range(len(xs)))


def along_axes(x: Any, step: Any) -> Any:
    """x after a step for each of its axes in turn."""
    for k in range(numpy.ndim(x)):
        x = step(x, k)
    return x


def handed(
    helper: Any, function: Any, like: tuple[Any, ...], given: tuple[Any, ...], more_axes: int | None = 0, **options: Any
) -> Any:
    """What a helper gives of a function, which it calls with values like these, and of what else it is given.

    That has so many axes more than what the function gives; None where it is something else.
    In a derivative the function is one of its own: the helper passes on to it what it captures.
    """
    return helper(function, *given, (), **options)


def moved(function: Any, still: tuple[Any, ...], xs: tuple[Any, ...], dxs: tuple[Any, ...]) -> Any:
    """The tangent of what a function handed to a helper gives of ``(*still, *xs)``, along ``dxs``."""
    raise NotImplementedError(_COMPILED)


def pulled(function: Any, still: tuple[Any, ...], xs: tuple[Any, ...], k: int, ct: Any, here: bool = False) -> Any:
    """What a cotangent of that contributes to one of ``xs``, by position.

    It may jump at a place that moves only if the derivative is asked for ``here``, at one point.
    """
    raise NotImplementedError(_COMPILED)


def swept(
    helper: Any, function: Any, given: tuple[Any, ...], others: Any, args: tuple[Any, ...], wanted: Any, **options: Any
) -> Any:
    """What a helper gives of a function of a time and a state, and of its pullback to the state and ``wanted`` args."""
    raise NotImplementedError(_COMPILED)


def pullback(function: Any, *xs: Any) -> Any:
    """What a function gives, and its pullback."""
    raise NotImplementedError(_COMPILED)


def positions(flags: tuple[bool, ...]) -> tuple[int, ...]:
    """Where flags are set."""
    return tuple(k for k, flag in enumerate(flags) if flag)


def picked(xs: tuple[Any, ...], wanted: tuple[int, ...]) -> tuple[Any, ...]:
    """The items of a tuple at those positions."""
    return tuple(xs[k] for k in wanted)


def at_positions(xs: tuple[Any, ...], wanted: tuple[int, ...], n: int, other: Any) -> tuple[Any, ...]:
    """A tuple of ``n`` items: ``xs`` at those positions, another value elsewhere."""
    return tuple(xs[wanted.index(k)] if k in wanted else other for k in range(n))


def known_rank(x: Any) -> int | None:
    """The number of axes of x where the compiler knows it, else None: no code is made for the question."""
    return numpy.ndim(x)


def known(x: Any) -> Any:
    """x; the compiler takes for known what text and integers outside the function are, also those in a tuple."""
    return x
