"""Objects that must share no memory: found by :mod:`s2sad.analysis.apart`, looked at by calls of derivatives."""

from __future__ import annotations

from dataclasses import dataclass

from s2sad.ir.nodes import Origin

__all__ = ["Apart", "Held"]


@dataclass(frozen=True)
class Held:
    """An object that a function is given, or finds outside: whether it stores into its arrays, and into its containers.

    ``position`` counts the parameters, or the references that the lowering relied on. ``has_items`` says
    whether it may hold more than numbers: parts that can share memory with each other.
    """

    name: str
    position: int
    is_argument: bool
    arrays: bool
    containers: bool
    has_items: bool
    is_array: bool


@dataclass(frozen=True)
class Apart:
    """Objects that must share no memory with each other, nor within one, and where the function is that needs it."""

    held: tuple[Held, ...] = ()
    origin: Origin | None = None
