"""Objects of several classes in one list, or under one name: one integer says of which class, and which of them.

Objects are rows of lists, one for each field of their class (:mod:`s2sad.frontend.rows`). Where those of several
classes meet, what stands for one is its place among its like, times how many classes there are, plus the number of its
class:

.. code-block:: python

    layers = [Dense(w1), ReLU(0.1), Dense(w2)]
    for layer in layers:
        x = layer.forward(x)

.. code-block:: python

    layers = [0, 1, 2]
    for layer in layers:
        if layer % 2 == 0:
            x = x @ dense_w[layer // 2]
        else:
            x = np.where(x > 0, x, relu_slope[layer // 2] * x)

What an attribute means, each class says in a branch of its own; within a method the class of ``self`` is known. Which
classes meet, lowering finds where their kinds are joined, and starts anew.
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Iterable
from typing import Any, ClassVar

from s2sad.ir import prims

__all__ = ["BY_NUMBER", "Family", "family_of", "members_of", "union_of_meetings"]


class Family:
    """The base of classes that stand for several ones: their objects are of one of these."""

    members: ClassVar[tuple[type, ...]]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__call__(*args, **kwargs)  # looked up in the class that the object is of


#: Methods that Python looks up by itself, and that objects of several classes may have: where all is lowered, what
#: would call them, of what stands for such an object, is refused.
_MAY_HAVE = {
    *("__init__", "__post_init__", "__init_subclass__", "__call__", "__repr__", "__str__", "__hash__", "__replace__"),
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"),
    *(f"__{side}{name}__" for name in ("add", "sub", "mul", "truediv", "matmul", "pow") for side in ("", "r", "i")),
    *("__neg__", "__pos__", "__abs__", "__float__", "__getitem__", "__setitem__", "__enter__", "__exit__"),
}


def family_of(members: tuple[type, ...]) -> type[Family] | None:
    """The class that stands for several; None where Python would ask one of them for what it means by an operator."""
    own = {name for cls in members for base in cls.__mro__[:-1] for name, raw in vars(base).items() if _is_special(raw)}
    return None if own - _MAY_HAVE else _family(members)


def members_of(cls: type) -> frozenset[type]:
    """The classes for which one stands: several, or itself."""
    return frozenset(cls.members if issubclass(cls, Family) else (cls,))


def _is_special(raw: Any) -> bool:
    name = getattr(raw, "__name__", "")
    if not isinstance(raw, types.FunctionType) or raw.__code__.co_filename == "<string>":  # that a dataclass makes
        return False
    return name.startswith("__") and name.endswith("__")


def _equal_by_identity(cls: Any) -> bool:
    return cls.__eq__ is object.__eq__


@functools.cache
def _family(members: tuple[type, ...]) -> type[Family]:
    own: dict[str, Any] = {} if all(map(_equal_by_identity, members)) else {"__eq__": tuple.__eq__, "__hash__": None}
    return type(" or ".join(cls.__name__ for cls in members), (Family,), {"members": members, **own})


def union_of_meetings(
    meetings: Iterable[frozenset[type]], families: dict[type, type[Family]], order: list[type]
) -> dict[type, type[Family]]:
    """The families that there are where these classes meet as well, in this order of classes."""
    groups = [set(meeting) for meeting in meetings] + [set(f.members) for f in families.values()]
    found: dict[type, type[Family]] = {}
    for cls in order:
        members = {cls}
        while more := set().union(*(g for g in groups if g & members)) - members:
            members |= more
        if len(members) > 1 and members <= {*order}:
            family = family_of(tuple(sorted(members, key=order.index)))
            if family is not None:
                found[cls] = family
    return found


#: What makes and asks an object of one of several classes, and what makes its number and asks that.
BY_NUMBER: dict[Any, Any] = {
    prims.number_of_class: operator.mod,
    prims.place_in_class: operator.floordiv,
    prims.row_of_class: operator.add,
}
