"""Names of attributes that are computed, as ``getattr(self, name)`` has in a loop over names.

An attribute is tracked by its name, so that must be known while compiling. It is where what the loop goes over exists
only there: a list of text is made at run time, and is taken apart once a name is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad.frontend.builder import Restart
from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import MOST_SPELT_OUT, AVal, runtime_kind
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const

__all__ = ["are_names", "holds_names", "name_of"]


def name_of(lo: Lowering, value: AVal) -> str | None:
    """The name that a value is, if that is known; else lowering starts anew, with lists of text taken apart."""
    match lo.known_value(value):
        case Const(str(name)):
            return name
    if not lo.names_apart and runtime_kind(value) == K.STR:
        lo.names_apart = True
        raise Restart
    return None


def are_names(items: Iterable[AVal]) -> bool:
    """Whether the items of a list are text that is known while compiling."""
    return holds_names([i.value if isinstance(i, Const) else None for i in items])


def holds_names(value: Any) -> bool:
    """Whether this is a short list of text."""
    return type(value) is list and 0 < len(value) <= MOST_SPELT_OUT and all(type(i) is str for i in value)
