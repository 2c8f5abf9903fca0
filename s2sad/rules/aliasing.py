"""Whether a primitive's result shares memory with an argument.

``fresh``: never; ``view``: always, as far as it has items; ``maybe``: it depends on the
layout, the dtype or the values of the arguments.

>>> alias_of(np.transpose, (Var("x", Array("float64", 2)),))
('view', 0)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, Literal

import numpy as np

from s2sad.ir.kinds import NONE, Array, Bottom, Dict, Kind, List, Numeric, Other, Scalar, Tuple, rank_of
from s2sad.ir.nodes import Const
from s2sad.rules.forms import as_numeric
from s2sad.rules.infer import arg_of, result_kind
from s2sad.rules.table import RULES
from s2sad.runtime import helpers
from s2sad.runtime.stop import stop_gradient
from s2sad.runtime.tabulated import along

__all__ = ["BY_LAYOUT", "MAYBE", "VIEWS", "Sharing", "alias_of", "index_sharing"]

Sharing = Literal["fresh", "view", "maybe"]

#: The result is a view of the first argument, or a list or tuple of views.
VIEWS: set[Callable[..., Any]] = {
    *(np.transpose, np.matrix_transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.squeeze, np.expand_dims),
    *(np.flip, np.fliplr, np.flipud, np.rot90, np.diagonal, np.broadcast_to, np.real),
    *(np.linalg.diagonal, np.linalg.matrix_transpose, np.lib.stride_tricks.sliding_window_view),
    *(np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, helpers.crop, helpers.unstack),
}

#: The result may be a view of the first argument, or the argument itself.
MAYBE: set[Callable[..., Any]] = {
    *(np.reshape, np.ravel, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.diag),
    np.asarray_chkfinite,
    *(np.atleast_1d, np.atleast_2d, np.atleast_3d, np.broadcast_arrays, np.require, np.imag),
    *(np.real_if_close, np.trim_zeros),
    *(helpers.cast, helpers.unbroadcast, helpers.unpack, helpers.split_like, helpers.undiag, helpers.map_leaves),
    *(helpers.flatten_axes, helpers.unflatten_axes, helpers.spread_items, helpers.accumulate),
    *(helpers.shadow_view, stop_gradient, along),
}


#: Those of them for which the layout tells whether the result is a view.
BY_LAYOUT: set[Callable[..., Any]] = {np.reshape, np.ravel, np.ascontiguousarray, np.asfortranarray, np.require}


def alias_of(fn: Any, args: Iterable[Any], kwargs: Any = ()) -> tuple[Sharing, int | None]:
    """How the result of ``fn(*args)`` shares memory, and with which argument.

    ``("maybe", None)``: nothing is known of the function.
    """
    args = tuple(args)
    given = [arg_of(a)[0] for a in args]
    named = dict(kwargs)
    if fn is operator.getitem:
        return _subscript(given[0], given[1])
    try:
        if fn is np.diag and rank_of(as_numeric(given[0])) == 1:  # a matrix with this diagonal
            return ("fresh", None)
        if fn in VIEWS:
            return _of_array(given, "view")
        if fn in MAYBE:
            return _of_array(given, "maybe")
        if fn is np.einsum:
            return ("maybe", 1) if len(given) == 2 else ("fresh", None)
        if fn is np.diff:  # of order zero, it is its argument
            n = args[1] if len(args) > 1 else named.get("n", Const(1))
            return ("maybe", 0) if not isinstance(n, Const) or n == Const(0) else ("fresh", None)
        if fn is np.meshgrid:
            return ("maybe", None) if "copy" in named else ("fresh", None)
        if fn is np.array and "copy" in named:
            return ("fresh", None) if named["copy"] == Const(True) else ("maybe", 0)
        if isinstance(fn, np.ufunc) or (fn in RULES and not _is_user_function(fn)):
            return "fresh", None
    except TypeError:
        pass
    kind = result_kind(fn, args, kwargs)
    return ("fresh", None) if isinstance(kind, Scalar) or kind == NONE else ("maybe", None)


def _is_user_function(fn: Any) -> bool:
    """Whether a primitive is a Python function from outside the libraries and this package's helpers."""
    return isinstance(fn, FunctionType) and not fn.__module__.startswith(("numpy", "scipy", "s2sad.runtime"))


def _of_array(given: list[Kind], sharing: Sharing) -> tuple[Sharing, int | None]:
    """Sharing with the first argument, where that is something with memory."""
    first = given[0] if given else NONE
    match first:
        case Scalar():
            return "fresh", None
        case List() | Tuple():  # np.asarray(list), np.reshape(list, ...): a new array
            return "fresh", None
    return sharing, 0


def _subscript(obj: Kind, index: Kind) -> tuple[Sharing, int | None]:
    match obj:
        case Array():
            return index_sharing(index.items if isinstance(index, Tuple) else (index,), obj.rank)
        case Numeric():
            sharing, _ = index_sharing(index.items if isinstance(index, Tuple) else (index,), None)
            return ("fresh", None) if sharing == "fresh" else ("maybe", 0)
        case List() | Tuple() | Dict():
            items = obj.items if isinstance(obj, Tuple) else (obj.item,)
            if all(isinstance(i, Scalar) or _plain(i) for i in items) and not _is_slice(index):
                return "fresh", None
            return ("maybe", 0) if _is_slice(index) else ("view", 0)
        case Scalar() | Bottom():
            return "fresh", None
        case Other(t) if t in (str, bytes, range):
            return "fresh", None
    return "maybe", 0  # of what is not known, an item may be an array that it holds


def _plain(kind: Kind) -> bool:
    return isinstance(kind, Other) and kind.type in (str, type(None), slice, range)


def _is_slice(index: Kind) -> bool:
    return isinstance(index, Other) and index.type is slice


def index_sharing(parts: tuple[Kind, ...], rank: int | None) -> tuple[Sharing, int | None]:
    """Of an array subscript: integers and slices view, arrays copy, and so do lists and tuples within it."""
    sharing: Sharing = "view"
    integers = 0
    for part in parts:
        match part:
            case Array() | List() | Tuple() | Scalar("bool"):
                return "fresh", None
            case Scalar():
                integers += 1
            case Other(t) if t in (slice, type(None), type(Ellipsis)):
                pass
            case _:
                sharing = "maybe"
    if sharing == "view" and integers == len(parts):
        if rank is None:
            return "maybe", 0
        if integers == rank:
            return "fresh", None
    return sharing, 0
