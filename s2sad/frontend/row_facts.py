"""What lowering finds of objects that are rows of lists, and keeps when it starts anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from s2sad.frontend.families import Family
from s2sad.frontend.values import FuncV

__all__ = ["RowFacts"]


@dataclass
class RowFacts:
    """The classes whose objects are rows; their fields, in order; the functions that are in a field."""

    classes: set[type] = field(default_factory=set)
    is_new: bool = False  # whether one was just found: kinds found before name its objects otherwise
    fields: dict[type, list[str]] = field(default_factory=dict)
    met: set[type] = field(default_factory=set)  # classes that may be such, where something was refused so far
    put: dict[Any, set[type]] = field(default_factory=dict)  # into lists, by where these are made
    late: set[tuple[type, str]] = field(default_factory=set)  # fields that the constructor does not set, or not always
    families: dict[type, type[Family]] = field(default_factory=dict)  # of classes that meet others
    functions: dict[tuple[type, str], list[FuncV]] = field(default_factory=dict)
