"""Tables of what the compiler knows how to call: filled by the modules that say how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import (
    AVal,
)

__all__ = ["BUILTINS", "METHODS", "UFUNC_METHODS", "Handler", "Method", "builtin"]


Handler = Callable[["Lowering", list[AVal], dict[str, AVal], str], AVal]
BUILTINS: dict[Any, Handler] = {}


def builtin(*fns: Any) -> Callable[[Handler], Handler]:
    """Register how a callable is lowered."""

    def register(handler: Handler) -> Handler:
        for fn in fns:
            BUILTINS[fn] = handler
        return handler

    return register


Method = Callable[["Lowering", Any, list[AVal], dict[str, AVal], str], AVal]
#: Methods of ufuncs, as ``(ufunc, name)``.
UFUNC_METHODS: dict[tuple[Any, str], Handler] = {}
#: Tables of methods, by compile-time class or kind.
METHODS: list[tuple[Any, dict[str, Method]]] = []
