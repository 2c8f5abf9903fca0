"""Lists that are written down where NumPy wants a shape, or arrays to choose from.

``np.zeros([n, m])`` is ``np.zeros((n, m))``: nobody else can refer to that list. A tuple is known while compiling, and
so is the rank of what is made; what a list holds is known at run time. So is ``np.hstack([0.0, x])``, where what a list
holds would be of one kind, ``np.hstack((0.0, x))``; and ``sum([x, y])`` is ``0 + x + y``, with no loop.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import gast
import numpy as np

from s2sad.frontend.values import AVal, MethodV, PyFunc
from s2sad.rules.table import rule_for

__all__ = ["shape_among", "shapes_as_tuples", "spread_out", "stars_in", "taken_apart"]

#: Where functions take a shape or an order of axes: by position, or by one of these names.
_SHAPES: dict[Any, tuple[int, frozenset[str]]] = {
    **dict.fromkeys((np.zeros, np.ones, np.empty, np.full, np.ndarray), (0, frozenset({"shape"}))),
    np.broadcast_to: (1, frozenset({"shape"})),
    np.reshape: (1, frozenset({"shape", "newshape"})),
    np.tile: (1, frozenset({"reps"})),
    np.pad: (1, frozenset({"pad_width"})),
    np.transpose: (1, frozenset({"axes"})),
    np.tensordot: (2, frozenset({"axes"})),
}
#: Where they take arrays, of any ranks, to choose from.
_CHOICES: dict[Any, frozenset[int]] = {np.select: frozenset({0, 1}), np.choose: frozenset({1})}
#: What adds up, or compares, the items of its first argument.
_FOLDS: frozenset[Any] = frozenset({sum, math.prod, max, min, any, all})
#: The same as shapes, of methods of arrays.
_METHODS: dict[str, tuple[int, frozenset[str]]] = {"reshape": (0, frozenset()), "transpose": (0, frozenset())}
#: What goes through the items of all its arguments.
_GOING_THROUGH: frozenset[Any] = frozenset({map, filter, zip, enumerate, reversed})
#: What joins the items of a sequence, its first argument: numbers, lists and arrays beside each other.
_JOINING = (np.concatenate, np.hstack, np.vstack, np.dstack, np.column_stack, np.stack, np.linalg.multi_dot)
#: What makes an array of a sequence.
_MAKING = (np.array, np.asarray)


def spread_out(nodes: list[Any]) -> list[Any]:
    """Items and arguments, with those of lists and tuples that are written down after a star in their place."""
    found = []
    for n in nodes:
        match n:
            case gast.Starred(value=gast.List(elts=inner) | gast.Tuple(elts=inner)):
                found += spread_out(inner)
            case _:
                found.append(n)
    return found


def stars_in(nodes: list[Any]) -> set[int]:
    """The identities of what comes after stars: of that only the items are seen."""
    return {id(n.value) for n in nodes if isinstance(n, gast.Starred)}


def taken_apart(fn: Any, args: list[Any]) -> set[int]:
    """The identities of arguments of which ``fn`` only sees the items: that of ``tuple``, lists that are joined."""
    if isinstance(fn, Hashable) and fn in _GOING_THROUGH:
        return {id(a) for a in args if isinstance(a, gast.List)}
    joins = any(fn is f for f in _JOINING)
    makes = any(fn is f for f in _MAKING)
    return {
        id(a)
        for a in args[:1]
        if fn is tuple or (isinstance(a, gast.List) and (joins or (makes and _has_rows_beside(a.elts))))
    }


def _has_rows_beside(nodes: list[Any]) -> bool:
    """Whether lists are written down beside what may be arrays, ``[x, [1.0, 2.0]]``: of both, a list has no kind."""
    return len({isinstance(n, gast.List | gast.Tuple) for n in nodes}) > 1


def shapes_as_tuples(call: Any, function: AVal) -> Any:
    """The node of a call of ``function``, the list written down for a shape as a tuple."""
    match function:
        case PyFunc(fn=fn) if isinstance(fn, Hashable):
            rule = rule_for(fn)
            if places := _CHOICES.get(fn) or (rule.apart if rule is not None else None):
                args = [_as_tuple(a) if k in places else a for k, a in enumerate(call.args)]
                return gast.copy_location(gast.Call(call.func, args, [_keyword(k) for k in call.keywords]), call)
            if call.args and (fn is sum or (fn in _FOLDS and len(call.args) == 1)):
                args = [_items_as_tuple(call.args[0]), *call.args[1:]]
                return gast.copy_location(gast.Call(call.func, args, call.keywords), call)
            place = _SHAPES.get(fn)
        case MethodV(name=name):
            place = _METHODS.get(name)
        case _:
            place = None
    if place is None:
        return call
    position, names = place
    args = [_as_tuple(a) if k == position else a for k, a in enumerate(call.args)]
    keywords = [_keyword(k) if k.arg in names else k for k in call.keywords]
    return gast.copy_location(gast.Call(call.func, args, keywords), call)


def shape_among(fn: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """The shape or the order of axes among the arguments of a function."""
    place, names = _SHAPES.get(fn, (0, frozenset())) if isinstance(fn, Hashable) else (0, frozenset())
    return [*(args[place : place + 1] if names else ()), *(a for name, a in kwargs.items() if name in names)]


def _keyword(node: Any) -> Any:
    return gast.copy_location(gast.keyword(node.arg, _as_tuple(node.value)), node)


def _items_as_tuple(node: Any) -> Any:
    """A list of which each item is written down, as a tuple."""
    if not isinstance(node, gast.List) or stars_in(node.elts):
        return node
    return gast.copy_location(gast.Tuple(node.elts, node.ctx), node)


def _as_tuple(node: Any) -> Any:
    """A list that is written down as a tuple, and those in a list or a tuple that is."""
    if not isinstance(node, gast.List | gast.Tuple):
        return node
    return gast.copy_location(gast.Tuple([_as_tuple(e) for e in node.elts], node.ctx), node)
