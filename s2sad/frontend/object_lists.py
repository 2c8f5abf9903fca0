"""Lists of functions or objects that change: what they are while compiling.

Such a list exists while compiling only.  One that never changes is a tuple there.  One that does, as in
``self.layers.append(layer)``, is an object, for it may go by several names: that of :class:`ObjectList`, whose one
field is the tuple of what it holds, and whose methods are lowered as those of the user's classes are. So is a list
of arrays of several ranks whose items are replaced, and one that says how many axes an array has, as in
``shape = list(x.shape)``, ``shape[0] = 1``, ``np.zeros(shape)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad.frontend.values import AVal, IterV, ObjectV

__all__ = ["CHANGES", "HELD", "ObjectList", "object_lists"]

#: The field of an :class:`ObjectList` that has what it holds.
HELD = "_held"


class ObjectList:
    """A list that functions or objects are put into, by the methods of lists."""

    _held: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self._held)

    def __eq__(self, other: Any) -> Any:
        return isinstance(other, list) and self._held == (*other,)

    def __ne__(self, other: Any) -> Any:
        return not (isinstance(other, list) and self._held == (*other,))

    def __add__(self, other: Any) -> Any:
        return [*self._held, *other]

    def __radd__(self, other: Any) -> Any:
        return [*other, *self._held]

    def __mul__(self, times: int) -> Any:
        return [*(self._held * times)]

    def __rmul__(self, times: int) -> Any:
        return [*(self._held * times)]

    def __iadd__(self, items: Any) -> Any:
        self._held = (*self._held, *items)
        return self

    def __setitem__(self, place: int, item: Any) -> None:
        at = place if place >= 0 else place + len(self._held)
        if at < 0 or at >= len(self._held):
            raise IndexError("list assignment index out of range")
        self._held = (*self._held[:at], item, *self._held[at + 1 :])

    def append(self, item: Any) -> None:
        self._held = (*self._held, item)

    def extend(self, items: Iterable[Any]) -> None:
        self._held = (*self._held, *items)

    def insert(self, place: int, item: Any) -> None:
        self._held = (*self._held[:place], item, *self._held[place:])

    def pop(self, place: int = -1) -> Any:
        at = place if place >= 0 else place + len(self._held)
        if at < 0 or at >= len(self._held):
            raise IndexError("pop index out of range")
        item = self._held[at]
        self._held = (*self._held[:at], *self._held[at + 1 :])
        return item

    def reverse(self) -> None:
        self._held = self._held[::-1]

    def clear(self) -> None:
        self._held = ()

    def copy(self) -> list[Any]:
        return [*self._held]


#: The methods that change one.
CHANGES = frozenset(("__iadd__", "__setitem__", "append", "extend", "insert", "pop", "reverse", "clear"))


def object_lists(iterable: AVal) -> list[ObjectV]:
    """The lists of functions or objects that change, of those that a loop goes over."""
    match iterable:
        case ObjectV(cls=cls) if cls is ObjectList:
            return [iterable]
        case IterV(parts=parts):
            return [found for part in parts for found in object_lists(part)]
    return []
