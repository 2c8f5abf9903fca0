"""Containers outside a function, and whether they are still of the kinds that a variant was made for.

To describe a table takes longer than many derivatives do. So what was in it is remembered: where all that is in it is
the same as when it was last described, so is what that gave.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Watched"]

_NEVER_CHANGE = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    range,
    slice,
    np.number,
    np.bool_,
    FunctionType,
    np.ufunc,
)


class _Seen(NamedTuple):
    """What was in a container, of which only arrays and containers may change themselves."""

    cls: type
    keys: tuple[Any, ...]  #: of a dict
    items: tuple[Any, ...]
    arrays: tuple[tuple[np.ndarray, np.dtype[Any], int], ...]
    containers: tuple[tuple[Any, _Seen], ...]


class Watched:
    """A test of a container by what ``describe`` gives of it, which is asked again only where something changed.

    >>> asked = []
    >>> is_alike = Watched(lambda table: asked.append(table) or len(table), 2)
    >>> table = {"a": 1.0, "b": [2.0]}
    >>> is_alike(table), is_alike(table), len(asked)
    (True, True, 1)
    >>> table["b"].append(3.0)
    >>> is_alike(table), len(asked)
    (True, 2)
    """

    def __init__(self, describe: Callable[[Any], Any], known: Any) -> None:
        self.describe = describe
        self.known = known
        self.seen: _Seen | None = None

    def __call__(self, value: Any) -> bool:
        seen = self.seen
        if seen is not None and _is_as_seen(value, seen):
            return True
        same = bool(self.describe(value) == self.known)
        self.seen = _seen(value) if same else None
        return same


def _items(value: Any) -> tuple[Any, ...]:
    return tuple(value.values() if isinstance(value, dict) else value)


def _keys(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, dict) else ()


def _seen(value: Any) -> _Seen | None:
    """What is in a container now; None where something else may change by itself, an object for example."""
    items = _items(value)
    arrays, containers = [], []
    for item in items:
        if isinstance(item, _NEVER_CHANGE):
            continue
        if type(item) is np.ndarray:
            arrays.append((item, item.dtype, item.ndim))
        elif type(item) in (tuple, list, dict):
            within = _seen(item)
            if within is None:
                return None
            if type(item) is not tuple or within.arrays or within.containers:
                containers.append((item, within))
        else:
            return None
    return _Seen(type(value), _keys(value), items, tuple(arrays), tuple(containers))


def _is_as_seen(value: Any, seen: _Seen) -> bool:
    """Whether all that is in a container is what was in it."""
    if type(value) is not seen.cls:
        return False
    items = _items(value)
    return (
        len(items) == len(seen.items)
        and all(map(operator.is_, items, seen.items))
        and all(map(operator.is_, _keys(value), seen.keys))
        and all(a.dtype is dtype and a.ndim == rank for a, dtype, rank in seen.arrays)
        and all(_is_as_seen(item, within) for item, within in seen.containers)
    )
