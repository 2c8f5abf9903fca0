"""Text that is known while compiling: the keys of parameters, mostly."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from s2sad.ir.nodes import Atom, Const

__all__ = ["text_of_call", "text_of_method"]


def text_of_call(fn: Callable[..., Any], args: Iterable[Atom], named: Sequence[tuple[str, Atom]] = ()) -> Const | None:
    """The text that a function gives for text and integers, all known; None where there is none, or it would raise.

    >>> text_of_call(format, (Const(7), Const("03d"))), text_of_call(format, (Const(7), Const("s")))
    (Const(value='007'), None)
    """
    args = tuple(args)
    given = [a.value for a in (*args, *(a for _, a in named)) if isinstance(a, Const) and type(a.value) in (int, str)]
    if len(given) < len(args) + len(named):
        return None
    with contextlib.suppress(ValueError, TypeError, LookupError):  # to be raised when the function runs
        names = (name for name, _ in named)
        found = fn(*given[: len(args)], **dict(zip(names, given[len(args) :], strict=True)))
        return Const(found) if type(found) is str else None
    return None


def text_of_method(text: Atom, name: str, args: Sequence[Atom], named: Sequence[tuple[str, Atom]] = ()) -> Const | None:
    """The same of a method of text.

    >>> text_of_method(Const("W{}"), "format", [Const(3)])
    Const(value='W3')
    """
    if not isinstance(text, Const) or type(text.value) is not str or not hasattr(str, name):
        return None
    return text_of_call(getattr(text.value, name), args, named)
