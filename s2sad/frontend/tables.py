"""Tables of what the compiler knows how to call: filled by the modules that say how."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import (
    AVal,
)

__all__ = [
    "BUILTINS",
    "DEQUE_METHODS",
    "DRAWS",
    "METHODS",
    "UFUNC_METHODS",
    "Handler",
    "Method",
    "anything",
    "builtin",
    "method",
]


Handler = Callable[["Lowering", list[AVal], dict[str, AVal], str], AVal]
BUILTINS: dict[Any, Handler] = {}
H = TypeVar("H", bound=Callable[..., AVal])


def anything(*args: Any, **kwargs: Any) -> None:
    """What handlers take that pass all their arguments on."""


def builtin(*fns: Any, takes: Callable[..., Any]) -> Callable[[Handler], Handler]:
    """Register how a callable is lowered, and which arguments the handler looks at."""

    def register(handler: Handler) -> Handler:
        for fn in fns:
            BUILTINS[fn] = taking(takes, getattr(fn, "__name__", "this"), handler)
        return handler

    return register


def taking(takes: Callable[..., Any], name: str, handler: H) -> H:
    """A handler behind a signature: it gets what that binds, by position where it can, and no other call gets to it.

    An argument that a handler does not know of would be dropped, and the function be another one.
    """
    if takes is anything:
        return handler
    signature = inspect.signature(takes)

    def checked(lo: Lowering, *rest: Any) -> AVal:
        *obj, args, kwargs, hint = rest
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise lo.unsupported(f"`{name}` is not handled with these arguments: {error}.") from None
        return handler(lo, *obj, list(bound.args), dict(bound.kwargs), hint)

    return checked  # type: ignore[return-value]


#: By form of an iterator: what makes the list of all that it gives, of its parts.
DRAWS: dict[str, Callable[..., Any]] = {}

Method = Callable[["Lowering", Any, list[AVal], dict[str, AVal], str], AVal]
#: Methods of ufuncs, as ``(ufunc, name)``.
UFUNC_METHODS: dict[tuple[Any, str], Handler] = {}
#: Tables of methods, by compile-time class or kind.
METHODS: list[tuple[Any, dict[str, Method]]] = []
#: Methods of deques, where they are not those of lists.
DEQUE_METHODS: dict[str, Method] = {}


def method(table: dict[str, Method], name: str, takes: Callable[..., Any]) -> Callable[[Method], Method]:
    """Register how a method is lowered, and which arguments the handler looks at."""

    def register(handler: Method) -> Method:
        table[name] = taking(takes, name, handler)
        return handler

    return register
