"""Places outside the function, and what is there now."""

from __future__ import annotations

import builtins
import operator
import sys
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

__all__ = [
    "DEFINITION",
    "HELD",
    "METHOD",
    "PRESENT",
    "PRIMITIVES",
    "HeldItems",
    "Namespace",
    "holds_complex_numbers",
    "holds_objects",
    "is_data",
    "may_be_builtin",
    "module_of",
    "value_at",
]

METHOD = "__func__"
PRESENT = "is there"  #: behind a name, for whether there is an attribute of that name
HELD = "what it holds"  #: behind a dict of defaults, of what a partial binds, say, for the very objects that are in it

#: The name of the module of functions written by this package that call a primitive or a derivative.
PRIMITIVES = "s2sad.primitives"

#: What may be assigned to a function, and is the very object that a derivative relies on.
DEFINITION = ("__code__", "__defaults__", "__kwdefaults__")


_DATA = (bool, int, float, complex, np.generic, np.ndarray, str, tuple, list, dict)


def is_data(value: Any) -> bool:
    """Whether a value in a container may be read from it each time, for all that matters of it is its kind."""
    return value is None or isinstance(value, _DATA)


def holds_objects(value: Any) -> bool:
    """Whether the items of a container, or of those within it, are to be told apart.

    There is anything else than data among them, functions, slices, objects, or complex numbers among other things.

    >>> holds_objects([{"scale": 2.0}]), holds_objects([{"scale": 2.0, "link": abs}]), holds_objects([1.0, 2j])
    (False, True, True)
    """
    match value:
        case list() if _PLAIN.issuperset(map(type, value)):
            return False
        case list():
            return any(map(holds_objects, value)) or _are_beside_complex(value, lambda x: isinstance(x, _COMPLEX))
        case tuple():
            return any(map(holds_objects, value))
        case dict():
            return any(map(holds_objects, value.values())) or _are_beside_complex(value.values(), lambda x: False)
    return not is_data(value)


_COMPLEX = (complex, np.complexfloating)
_PLAIN = frozenset((bool, int, float, str, np.float64))  # of which most long lists are


def _are_beside_complex(items: Collection[Any], more: Callable[[Any], bool]) -> bool:
    """Whether things are of several sorts, or by what else is asked of them, and complex numbers among them."""
    sorts = {(isinstance(x, int | float | complex | np.number) or type(x), more(x)) for x in items}
    return len(sorts) > 1 and any(map(holds_complex_numbers, items))


def holds_complex_numbers(value: Any) -> bool:
    """Whether a value is a complex number or an array of them, or a container that holds some."""
    match value:
        case list() | tuple():
            return any(map(holds_complex_numbers, value))
        case dict():
            return any(map(holds_complex_numbers, value.values()))
    return isinstance(value, _COMPLEX) or (isinstance(value, np.ndarray) and value.dtype.kind == "c")


class HeldItems:
    """What is in a dict under which names: equal where the names are equal and the objects are the same.

    >>> rate = 0.1
    >>> HeldItems({"rate": rate}) == HeldItems({"rate": rate})
    True
    >>> HeldItems({"rate": rate}) == HeldItems({"rate": 0.1 + rate})
    False
    """

    def __init__(self, held: Mapping[Any, Any]) -> None:
        self.items = dict(held)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, HeldItems)
            and [*self.items] == [*other.items]
            and all(map(operator.is_, self.items.values(), other.items.values()))
        )

    def __hash__(self) -> int:
        return hash((*self.items,))


class Namespace:
    """A dict of globals seen as a module: for functions whose module cannot be found by name."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.__dict__ = namespace


#: One stand-in for each dict of globals in use, so that two looks at one name are seen to be of one place.
_STAND_INS: WeakValueDictionary[int, Namespace] = WeakValueDictionary()


def value_at(root: Any, path: Sequence[str]) -> Any:
    """What the path of a reference leads to now.

    A builtin, where a module has no global of the name; None for the function of a method that is none.
    """
    if path[-1] == PRESENT:
        return hasattr(value_at(root, path[:-2]), path[-2])
    if path[-1] == HELD:
        return HeldItems(value_at(root, path[:-1]) or {})
    value = root
    for name in path[1:]:
        if name == METHOD:
            value = getattr(value, name, None)
        elif value is root and may_be_builtin(root, name):
            value = getattr(value, name, getattr(builtins, name))
        else:
            value = getattr(value, name)
    return value


def may_be_builtin(root: Any, name: str) -> bool:
    """Whether a name that is no global of a module means a builtin to its functions."""
    return isinstance(root, types.ModuleType | Namespace) and hasattr(builtins, name)


def module_of(namespace: dict[str, Any]) -> Any:
    """The module a dict of globals belongs to, or a stand-in that reads it live."""
    module = sys.modules.get(namespace.get("__name__", ""))
    if module is not None and module.__dict__ is namespace:
        return module
    stand_in = _STAND_INS.get(id(namespace))
    if stand_in is None:
        stand_in = _STAND_INS[id(namespace)] = Namespace(namespace)
    return stand_in
