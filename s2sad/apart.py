"""Arguments and objects outside that share memory, refused where a function stores into one of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.analysis.held import Apart, Held, class_name
from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.places import value_at
from s2sad.structure import attributes_of, is_plain_object

if TYPE_CHECKING:
    from s2sad.ir.nodes import Origin, Ref

__all__ = ["Watch", "kept_apart"]


class Watch:
    """Looks whether what a function is called with, and what it finds outside, share memory that it stores into.

    Raises ValueError where one that does is an argument, else (when made, too)
    :class:`~s2sad.errors.UnsupportedSyntax`.
    """

    def __init__(self, apart: Apart, refs: Sequence[Ref]) -> None:
        self.apart = apart
        self.refs = refs
        outside = [h for h in apart.held if not h.is_argument]
        _refuse(_sharing((h, _found(refs[h.position])) for h in outside), apart.origin)
        self.needed = any(h.has_items for h in apart.held) or len(apart.held) > 1

    @property
    def arrays(self) -> tuple[int, ...] | None:
        """The positions of the arguments it looks at, if all that it looks at are arguments that are arrays.

        They share no memory if they are different objects, each with memory of its own.
        """
        if not all(h.is_argument and h.is_array for h in self.apart.held):
            return None
        return tuple(h.position for h in self.apart.held)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The positions of arguments that must share no memory, two and two."""
        arguments = [h for h in self.apart.held if h.is_argument]
        return [(a.position, b.position) for a, b in combinations(arguments, 2) if a.arrays or b.arrays]

    def __call__(self, args: Sequence[Any]) -> None:
        """Look at these arguments."""
        if self.needed:
            held = self.apart.held
            values = ((h, args[h.position] if h.is_argument else _found(self.refs[h.position])) for h in held)
            _refuse(_sharing(values), self.apart.origin)


def kept_apart(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    """``function``, which first looks at its arguments; as an attribute, ``watch`` does."""
    if not watch.needed:
        return function

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        watch(args)
        return function(*args)

    run.watch = watch  # type: ignore[attr-defined]
    return run


def _found(ref: Ref) -> Any:
    return value_at(ref.root, ref.path)


def _refuse(pair: tuple[Held, Held] | None, origin: Origin | None) -> None:
    if pair is None:
        return
    first, second = pair
    which = f"parts of `{first.name}` share" if first is second else f"`{first.name}` and `{second.name}` share"
    cause = f"{which} memory that the function stores into"
    if first.is_argument or second.is_argument:
        raise ValueError(f"{cause}: pass a copy of one")
    raise UnsupportedSyntax(f"{cause}.", "Let it be known by one name, or copy one of them.", origin=origin)


def _sharing(values: Iterator[tuple[Held, Any]]) -> tuple[Held, Held] | None:
    """Two objects that share what is stored into; one twice, where two of its parts do."""
    seen: dict[int, Held] = {}
    arrays: list[tuple[int, int, Any, Held]] = []
    for h, value in values:
        for part in _parts(value, h.has_items):
            if isinstance(part, np.ndarray):
                if part.size:
                    arrays.append((*np.lib.array_utils.byte_bounds(part), part, h))
                continue
            first = seen.get(id(part))
            if first is not None and _may_change(part, first, h):
                return first, h
            seen[id(part)] = h
    return _overlap(arrays)


def _may_change(part: Any, *held: Held) -> bool:
    """Whether the function may store into a list, a dict or an object that these hold: by its class, or into any."""
    name = class_name(type(part))
    known_by_class = is_plain_object(part) and not is_dataclass(part)
    return any(name in h.classes or (h.containers and not known_by_class) for h in held)


def _parts(value: Any, has_items: bool) -> Iterator[Any]:
    """The arrays, lists, dicts and objects that a value is or holds, each as often as it does.

    Objects of classes that are no dataclasses are looked into once.
    """
    work, seen = [value], set()
    while work:
        part = work.pop()
        match part:
            case np.ndarray():
                yield part
                continue
            case tuple():
                items: Any = part
            case list():
                yield part
                items = part if has_items else ()
            case dict():
                yield part
                items = part.values()
            case _ if is_dataclass(part) and not isinstance(part, type):
                yield part
                items = [getattr(part, f.name) for f in fields(part)]
            case _ if is_plain_object(part):
                yield part
                items = () if id(part) in seen else attributes_of(part).values()
                seen.add(id(part))
            case _:
                continue
        work.extend(reversed([*items]))


def _overlap(arrays: list[tuple[int, int, Any, Held]]) -> tuple[Held, Held] | None:
    """Two that overlap, one of them stored into, of arrays with the bounds of their memory."""
    arrays.sort(key=lambda a: a[:2])
    for k, (_, end, a, first) in enumerate(arrays):
        for start, _, b, second in arrays[k + 1 :]:
            if start >= end:
                break
            if (first.arrays or second.arrays) and np.shares_memory(a, b):
                return first, second
    return None
