"""Specifications of arguments: what a derivative is compiled for.

A spec says of one argument what the compiler relies on: its structure and the kinds of
its leaves.  Specs are hashable; two arguments with one spec run the same compiled variant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from s2sad.ir.kinds import Kind

__all__ = ["Callee", "Leaf", "ListOf", "Spec", "Struct"]


@dataclass(frozen=True, slots=True)
class Spec:
    """Base of all specs."""


@dataclass(frozen=True, slots=True)
class Leaf(Spec):
    """A number, an array, or a value without derivative (``Other``)."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Struct(Spec):
    """A value of known structure: tuple, named tuple, dataclass, dict with string keys, or another object.

    ``keys`` are positions (tuples), keys (dicts) or attribute names, in order, with ``items`` to match.
    """

    cls: type
    keys: tuple[Any, ...]
    items: tuple[Spec, ...]


@dataclass(frozen=True, slots=True)
class ListOf(Spec):
    """A list (or a dict with other keys, ``cls`` dict) whose items share one spec."""

    item: Spec
    cls: type = list


@dataclass(frozen=True, slots=True)
class Callee(Spec):
    """A function passed as an argument: compiled for this very function."""

    function: Any
