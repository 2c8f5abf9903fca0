"""Specifications of arguments: what a derivative is compiled for.

A spec says of one argument what the compiler relies on: its structure and the kinds of
its leaves.  Specs are hashable; two arguments with one spec run the same compiled variant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from s2sad.ir.kinds import Kind

__all__ = ["ANYWHERE", "Callee", "Fixed", "Items", "Leaf", "ListOf", "Place", "Spec", "Struct", "positions_of"]

#: The keys that lead to a part of an argument, the first of them the position of that among the arguments.
Place: TypeAlias = tuple[Any, ...]


class _Anywhere:
    """A key that stands for every one."""

    def __repr__(self) -> str:
        return "ANYWHERE"


ANYWHERE: Any = _Anywhere()


@dataclass(frozen=True, slots=True)
class Spec:
    """Base of all specs."""


@dataclass(frozen=True, slots=True)
class Leaf(Spec):
    """A number, an array, or a value without derivative (``Other``).

    ``numpys`` says of a truth value that it is NumPy's, which has the kind of Python's and is another object of
    another class.
    """

    kind: Kind
    numpys: bool = False


@dataclass(frozen=True, slots=True)
class Fixed(Leaf):
    """A truth value or text that tells what the function does: compiled for this very one."""

    value: bool | str = False


@dataclass(frozen=True, slots=True)
class Struct(Spec):
    """A value of known structure: tuple, named tuple, dataclass, dict with string keys, or another object.

    A list whose items are of several kinds is one, too. ``keys`` are positions (tuples, lists), keys (dicts) or
    attribute names, in order, with ``items`` to match. ``own`` are the attributes of a dict of the user's class, None
    where these are its items.
    """

    cls: type
    keys: tuple[Any, ...]
    items: tuple[Spec, ...]
    own: frozenset[str] | None = frozenset()


@dataclass(frozen=True, slots=True)
class ListOf(Spec):
    """A list (or a dict with other keys, ``cls`` dict) whose items share one spec."""

    item: Spec
    cls: type = list


@dataclass(frozen=True, slots=True)
class Callee(Spec):
    """A function passed as an argument, or a module of such: compiled for this very one."""

    function: Any


class Items(NamedTuple):
    """The items of a packed ``*args`` or ``**kwargs``, at a position among the parameters, to differentiate by."""

    position: int
    keys: tuple[Any, ...]


def positions_of(wrt: Iterable[int | Items]) -> tuple[int, ...]:
    """The parameters that are differentiated by, or hold what is."""
    return tuple(w.position if isinstance(w, Items) else w for w in wrt)
