"""Objects that must share no memory: found by :mod:`s2sad.analysis.apart`, looked at by calls of derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from s2sad.ir.nodes import Origin

__all__ = ["Apart", "Held", "class_name"]


def class_name(cls: type) -> str:
    """What a class goes by in what is kept in files."""
    return f"{cls.__module__}.{cls.__qualname__}"


@dataclass(frozen=True)
class Held:
    """An object that a function is given, or finds outside: whether it stores into its arrays, and into its containers.

    ``position`` counts the parameters, or the references that the lowering relied on. ``has_items`` says
    whether it may hold more than numbers: parts that can share memory with each other. ``classes`` are those of the
    dicts and objects within it that it stores into where these are tracked, by their names.
    """

    name: str
    position: int
    is_argument: bool
    arrays: bool
    containers: bool
    has_items: bool
    is_array: bool
    classes: Sequence[str] = ()

    @property
    def is_written(self) -> bool:
        """Whether the function stores into anything of it."""
        return self.arrays or self.containers or bool(self.classes)


@dataclass(frozen=True)
class Apart:
    """Objects that must share no memory with each other, nor within one, and where the function is that needs it."""

    held: tuple[Held, ...] = ()
    origin: Origin | None = None
