"""Arrays as sets of numbers: what they hold, each number once, in order.

Of equal items it is the first that is kept, as a stable sort has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.rules.static import is_array, is_none, rank
from s2sad.rules.table import adjoint, composite, tangent
from s2sad.runtime.helpers import unpack, untake

# ---------------------------------------------------------------- one array


def first_places(x: Any) -> Any:
    """Where in a vector each of the numbers that it holds comes first, by size of the numbers; NaN counts as one."""
    order = np.argsort(x, kind="stable")
    rising = x[order]
    later, before = rising[1:], rising[:-1]
    differs = (later != before) & ((later == later) | (before == before))
    return order[np.concatenate((np.ones(np.shape(rising[:1]), dtype=bool), differs))]


@tangent(np.unique)
def unique(ar: Any, *, dar: Any) -> Any:
    return np.ravel(dar)[first_places(np.ravel(ar))]


@adjoint(np.unique, wrt="ar")
def unique_adjoint(ar: Any, *, ct: Any) -> Any:
    given = untake(ct, first_places(np.ravel(ar)), np.asarray(ar))
    return given if is_array(ar) else unpack(given, ar)


@composite(np.unique, given=("return_index", "return_inverse", "return_counts", "axis", "equal_nan"))
def unique_with_places(
    ar: Any,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    *,
    equal_nan: Any = True,
) -> Any:
    if not is_none(axis) or not equal_nan:
        raise NotImplementedError("np.unique is differentiated without axis, and where NaN counts as one number")
    items = np.ravel(ar)
    first = first_places(items)
    values = items[first]
    places = np.searchsorted(values, items)
    if not (return_index or return_inverse or return_counts):
        return values
    index = (first,) if return_index else ()
    inverse = (np.reshape(places, np.shape(ar)),) if return_inverse else ()
    counts = (np.bincount(places, minlength=len(values)),) if return_counts else ()
    return (values, *index, *inverse, *counts)


# ---------------------------------------------------------------- two arrays


@composite(np.union1d)
def union(ar1: Any, ar2: Any) -> Any:
    return np.unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


@composite(np.setdiff1d)
def difference(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    items = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return items[np.isin(items, ar2, invert=True)]


@composite(np.intersect1d)
def intersection(ar1: Any, ar2: Any, assume_unique: Any = False, return_indices: Any = False) -> Any:
    """What both hold is taken from the first."""
    if return_indices:
        raise NotImplementedError("np.intersect1d is differentiated without return_indices")
    items = np.unique(ar1)
    return items[np.isin(items, ar2)]


# ---------------------------------------------------------------- ends


def ends_of_trimmed(x: Any, trim: Any) -> Any:
    """The first and one past the last place of what is left of a vector without the zeros at its ends."""
    held = np.flatnonzero(x)
    if len(held) == 0:
        return 0, 0
    low = held[0] if "f" in trim else 0
    high = held[-1] + 1 if "b" in trim else len(x)
    return low, high


@composite(np.trim_zeros)
def trim_zeros(filt: Any, trim: Any = "fb") -> Any:
    if rank(filt) != 1:
        raise NotImplementedError("np.trim_zeros is differentiated of vectors")
    low, high = ends_of_trimmed(filt, trim)
    return filt[low:high]
