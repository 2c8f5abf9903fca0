"""Numbers as vectors of one item, where NumPy takes them for such.

Before::

    def f(x: float):
        y: float64[1] = np.cumsum(x)
        z: float64 = np.max(x, axis=None, keepdims=True)
        return z

After::

    def f(x):
        t = np.atleast_1d(x)
        y = np.cumsum(t)
        t_1 = np.atleast_1d(x)
        z = np.max(t_1)
        return z

Forms, and loops over elements, are of arrays with axes.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; none of these functions of a number, or of an array without axes, is left, unless a dtype or
the like is asked for, or it is of other numbers than integers and floats.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import map_stmts, with_body
from s2sad.runtime import helpers

__all__ = ["numbers_as_vectors", "tell_numbers"]

#: The functions, and with how many arguments besides the number they are as of a vector.
_OF_VECTORS: dict[Any, int] = {
    **dict.fromkeys((np.prod, np.max, np.min, np.amax, np.amin, np.nanmax, np.nanmin, np.ptp), 0),
    **dict.fromkeys((np.argmax, np.argmin, np.count_nonzero, np.nanmean, np.nanprod, np.cumsum, np.cumprod), 0),
    **dict.fromkeys((np.median, np.nanmedian, np.linalg.norm), 0),
    helpers.flatten_axes: 0,
    **dict.fromkeys((np.take, np.repeat, np.quantile, np.percentile), 1),
}
_DTYPES = ("float", "float64", "float32", "int", "int64")
_NONE, _KEPT = Const(None), (Const(True), Const(False))


def tell_numbers(lowered: Lowered) -> Lowered:
    """:func:`numbers_as_vectors` of a function with its templates."""
    return replace(lowered, function=numbers_as_vectors(lowered.function))


def numbers_as_vectors(function: Function) -> Function:
    """The function with vectors of one item for such numbers."""
    return with_body(function, map_stmts(function.body, _told))


def _told(s: Stmt) -> Stmt | list[Stmt]:
    """A statement, of a vector where it was of a number."""
    if not isinstance(s, Op) or s.fn not in _OF_VECTORS or not s.args or not _is_number(kind_of(s.args[0])):
        return s
    number, *args = s.args
    more = {name: value for name, value in s.kwargs if not _says_nothing(name, value)}
    args = args[: max((k + 1 for k, a in enumerate(args) if a != _NONE), default=0)]
    if len(args) + len(more) != _OF_VECTORS[s.fn] or not isinstance(s.target, Var):
        return s
    vector = Var("", K.Array(K.strong(K.dtype_of(kind_of(number))), 1))
    made = Op(vector, np.atleast_1d, (number,), (), s.origin)
    return [made, replace(s, args=(vector, *args), kwargs=tuple(more.items()))]


def _is_number(kind: K.Kind) -> bool:
    """Whether a value is one number of those that a vector can be made of."""
    return K.rank_of(kind) == 0 and isinstance(kind, K.Scalar | K.Array) and K.dtype_of(kind) in _DTYPES


def _says_nothing(name: str, value: Any) -> bool:
    """Whether an argument makes no difference to a number: an axis that is not named, and whether axes are kept."""
    return value == _NONE or (name == "keepdims" and value in _KEPT)
