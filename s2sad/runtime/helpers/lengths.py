"""The lengths of axes in loops over elements, and checks of what such loops and the transforms take for granted."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "at_least",
    "grown",
    "joint",
    "need_all_places",
    "need_apart",
    "need_array",
    "need_filled",
    "need_fractions",
    "need_items",
    "need_more_values",
    "need_places",
    "need_positive",
    "need_real",
    "need_regular",
    "need_rounds",
    "need_rows",
    "need_several",
    "need_values",
    "plus",
    "same_axes",
    "same_length",
    "stretch",
    "widened",
    "within",
]


def need_fractions(low: float, high: float) -> None:
    """ValueError where quantiles are asked for, from low to high, that are none."""
    if not (low >= 0.0 and high <= 1.0):
        raise ValueError("Quantiles must be in the range [0, 1]")


def need_real(x: Any) -> None:
    """Refuse a number that a power of Python's floats made complex, or an array or a list of such."""
    if isinstance(x, complex) or (not isinstance(x, float) and np.iscomplexobj(x)):
        raise NotImplementedError("a power of a negative number is complex")


def within(i: int, n: int) -> int:
    """Where i, an end of a slice, falls in an axis of length n."""
    return max(min(i + n if i < 0 else i, n), 0)


def joint(n: int, m: int) -> int:
    """The length of two axes broadcast together."""
    if n != m and n != 1 and m != 1:
        raise ValueError("operands could not be broadcast together")
    return m if n == 1 else n


def stretch(n: int, m: int) -> int:
    """The step along an axis of length n that is broadcast to length m: 0 where it is stretched."""
    if n != m and n != 1:
        raise ValueError("could not broadcast input array")
    return int(n == m)


def plus(total: float, x: float) -> float:
    """total + x, in a sum that compiled code adds up in any order."""
    return total + x


def same_length(n: int, m: int) -> None:
    """ValueError where two axes that are taken to be as long as each other are not."""
    if n != m:
        raise ValueError("lengths that were taken to be equal differ")


def at_least(n: int, m: int) -> None:
    """ValueError where an axis of length n is not as long as it is taken to be."""
    if n < m:
        raise ValueError("lengths that were taken to be equal differ")


def same_axes(x: Any, y: Any) -> None:
    """ValueError where the last axes of an array, as many as another has, are not as long as those of that."""
    if x.shape[x.ndim - y.ndim :] != y.shape:
        raise ValueError("lengths that were taken to be equal differ")


def need_array(x: Any) -> None:
    """TypeError for a number where the adjoint of an array travels, to be added to in place."""
    if not isinstance(x, np.ndarray):
        raise TypeError("a number is under a name for an array that changes in place")


def need_apart(x: Any, y: Any) -> None:
    """ValueError where two arrays, or lists of numbers, share memory that a function stores into."""
    arrays = isinstance(x, np.ndarray) and isinstance(y, np.ndarray)
    if np.shares_memory(x, y) if arrays else x is y and isinstance(x, list):
        raise ValueError("arguments share memory that the function stores into: pass a copy of one")


def need_rows(x: Any) -> None:
    """ValueError where an array that compiled code takes to be laid out by rows, without gaps, is not."""
    if not x.flags.c_contiguous:
        raise ValueError("an array is not laid out by rows, and its layout tells what a store comes to")


def need_items(n: int) -> None:
    """ValueError where an axis that an extremum is taken over has no items."""
    if n == 0:
        raise ValueError("zero-size array to reduction operation which has no identity")


def need_places(first: int, last: int, n: int) -> None:
    """IndexError where an axis of n items has not all places from the first to the last."""
    if first <= last and (first < -n or last >= n):
        raise IndexError("index out of range")


def need_all_places(places: Any, n: int) -> None:
    """IndexError where an axis of n items has not all these places."""
    for k in places:
        if k < -n or k >= n:
            raise IndexError("index out of range")


def need_regular(pivot: float) -> None:
    """LinAlgError where elimination comes upon a zero: the matrix has no inverse."""
    if pivot == 0.0:
        raise np.linalg.LinAlgError("Singular matrix")


def need_positive(pivot: float) -> None:
    """LinAlgError where a Cholesky factor would have the root of what is not positive."""
    if pivot <= 0.0:
        raise np.linalg.LinAlgError("Matrix is not positive definite")


def need_rounds(n: int) -> None:
    """ValueError where a loop that makes an array of a number has no iterations, and would leave the number."""
    if n < 1:
        raise ValueError("a loop that would have made an array of a number has no iterations")


def need_several(n: int) -> None:
    """ValueError where an axis of length n has the one item with which ``np.squeeze`` would drop it."""
    if n == 1:
        raise ValueError("np.squeeze is to drop an axis that has one item only at times")


def need_filled(xs: Any) -> None:
    """TypeError where a list that is meant as an array holds None, or a list in it does."""
    for x in xs:
        if x is None:
            raise TypeError("a list that is taken for numbers holds None")
        if isinstance(x, list | tuple):
            need_filled(x)


def need_values(n: int, m: int) -> None:
    """ValueError where n values are unpacked into m names."""
    if n > m:
        raise ValueError(f"too many values to unpack (expected {m})")
    if n < m:
        raise ValueError(f"not enough values to unpack (expected {m}, got {n})")


def need_more_values(n: int, m: int) -> None:
    """ValueError where n values are unpacked into m names and one with a star."""
    if n < m:
        raise ValueError(f"not enough values to unpack (expected at least {m}, got {n})")


def widened(n: int, more: int) -> int:
    """n + more, of an axis that is not empty."""
    return n + more if n > 0 else 0


def grown(a: Any, n: int) -> Any:
    """a with room for n rows, and for twice as many as it has."""
    out = np.empty((max(n, 2 * len(a)),) + a.shape[1:], a.dtype)  # noqa: RUF005 (Numba)
    for k in np.ndindex(a.shape):  # compiles in a twentieth of the time that a slice takes
        out[k] = a[k]
    return out
