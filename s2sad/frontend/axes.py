"""Axes that are named of what has none."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from s2sad.frontend.values import AVal, runtime_kind
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const
from s2sad.rules.forms import as_numeric

__all__ = ["named_of_nothing"]

#: NumPy takes a number, or an array without axes, for a vector of one item here where axis 0 or -1 is named. So it does
#: where none is; elsewhere it raises ``AxisError``, as ``np.mean`` and ``np.sort`` do.
_TAKEN_FOR_VECTORS = {
    *(np.sum, np.prod, np.max, np.min, np.amax, np.amin, np.nanmax, np.nanmin, np.ptp, np.any, np.all),
    *(np.cumsum, np.cumprod, np.take, np.repeat, np.compress, np.argmax, np.argmin, np.count_nonzero),
}


def named_of_nothing(fn: Any, args: list[AVal], kwargs: dict[str, AVal]) -> tuple[list[AVal], dict[str, AVal]]:
    """The arguments of a call, its axis None if it is named of what has no axes and makes no difference there.

    So rules, and what computes the shapes of results, need not tell ``np.sum(x, axis=0)`` of such an ``x`` apart.
    """
    if fn not in _TAKEN_FOR_VECTORS:
        return args, kwargs
    array, axis = _places(fn)
    given = dict(enumerate(args)) | {_names(fn).index(k): v for k, v in kwargs.items() if k in _names(fn)}
    if given.get(axis) not in (Const(0), Const(-1)) or _rank(given.get(array)) != 0:
        return args, kwargs
    if axis < len(args):
        return [*args[:axis], Const(None), *args[axis + 1 :]], kwargs
    return args, {**kwargs, "axis": Const(None)}


def _rank(value: AVal | None) -> int | None:
    """How many axes an argument has, if that is known."""
    kind = None if value is None else runtime_kind(value)
    return K.rank_of(as_numeric(kind)) if isinstance(kind, K.Scalar | K.Array) else None


@functools.cache
def _names(fn: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(fn).parameters)


def _places(fn: Any) -> tuple[int, int]:
    """Where the array and the axis stand among the parameters of a function."""
    return _names(fn).index("a"), _names(fn).index("axis")
