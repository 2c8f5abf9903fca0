"""Lists that a function makes to spread them over the parameters of a call.

``args = list(args); args[0] = x; f(*args)`` changes one argument of several. Nothing else sees that list, so while
compiling it is a tuple, whose items may be of any kinds, and the name stands for another one after each store.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from typing import Any

import gast

from s2sad.frontend.scope import declared_names

__all__ = ["packed_names"]

_SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)
#: Within these a name may stand for what an earlier round, or an interrupted one, has stored.
_REPEATED = (gast.For, gast.While, gast.Try)
#: Calls that only see the items of a list.
_LOOKERS = frozenset({"list", "tuple", "len"})


@functools.lru_cache(maxsize=4096)
def packed_names(function: Any) -> frozenset[str]:
    """The names of lists of a function that are stored into, spread over a call, and seen by nothing else.

    >>> text = "def f(*args):\\n    args = list(args)\\n    args[0] = 2.0\\n    return g(*args)"
    >>> sorted(packed_names(gast.parse(text).body[0]))
    ['args']
    >>> sorted(packed_names(gast.parse(text + ", args").body[0]))
    []
    """
    if isinstance(function, gast.Lambda):
        return frozenset()
    roles: dict[str, set[str]] = defaultdict(set)
    for node in function.body:
        _look(node, False, roles)
    nonlocals, globals_ = declared_names(function)
    found = {n for n, seen in roles.items() if {"made", "stored", "spread"} <= seen and "other" not in seen}
    return frozenset(found - nonlocals - globals_)


def _look(node: Any, repeated: bool, roles: dict[str, set[str]]) -> None:
    """Note what the names of a node are used for; ``repeated`` within loops and ``try``."""
    match node:
        case gast.Assign(targets=[gast.Name(id=name)], value=value) if not repeated and _makes_list(value):
            roles[name].add("made")
            _look(value, repeated, roles)
        case gast.Subscript(value=gast.Name(id=name), slice=index, ctx=gast.Load() | gast.Store() as ctx) if not (
            isinstance(index, gast.Slice | gast.Tuple)
        ):
            stores = isinstance(ctx, gast.Store)
            roles[name].add("other" if stores and repeated else "stored" if stores else "read")
            _look(index, repeated, roles)
        case gast.Starred(value=gast.Name(id=name), ctx=gast.Load()):
            roles[name].add("spread")
        case gast.Call(func=gast.Name(id=looker), args=[gast.Name(id=name)], keywords=[]) if looker in _LOOKERS:
            roles[name].add("read")
        case gast.Name(id=name):
            roles[name].add("other")
        case _:
            if isinstance(node, _SCOPES):
                for n in gast.walk(node):
                    if isinstance(n, gast.Name):
                        roles[n.id].add("other")
                return
            for child in gast.iter_child_nodes(node):
                _look(child, repeated or isinstance(node, _REPEATED), roles)


def _makes_list(value: Any) -> bool:
    match value:
        case gast.List() | gast.Call(func=gast.Name(id="list"), args=[_], keywords=[]):
            return True
    return False
