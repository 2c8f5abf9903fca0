"""Classes of lists, tuples and dicts that say themselves what their items are."""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

__all__ = ["gives_items_its_own_way", "own_attributes"]

#: What a list, a tuple or a dict is asked for its items, or changed by.
_PROTOCOL = frozenset(
    (
        *("__getitem__", "__missing__", "__iter__", "__reversed__", "__len__", "__bool__", "__contains__"),
        *("__setitem__", "__delitem__", "__iadd__", "__ior__", "get", "keys", "values", "items", "index", "count"),
        *("append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "sort", "reverse"),
    )
)


def gives_items_its_own_way(cls: Any) -> bool:
    """Whether a class of lists, tuples or dicts has methods of its own for what its items are, or how they change.

    >>> gives_items_its_own_way(dict), gives_items_its_own_way(type("Upper", (dict,), {"get": lambda self, key: key}))
    (False, True)
    """
    return cls not in (list, tuple, dict) and _has_methods_for_items(cls)


@functools.lru_cache(maxsize=256)
def _has_methods_for_items(cls: Any) -> bool:
    if not issubclass(cls, list | tuple | dict) or cls.__module__.partition(".")[0] in sys.stdlib_module_names:
        return False
    own = (name for base in cls.__mro__ for name, raw in vars(base).items() if isinstance(raw, types.FunctionType))
    return not _PROTOCOL.isdisjoint(own)


def own_attributes(value: dict[Any, Any]) -> frozenset[str] | None:
    """The names of the attributes that a dict of the user's class has itself; None where they are its items."""
    own = getattr(value, "__dict__", None)
    return None if own is value else frozenset(own or ())
