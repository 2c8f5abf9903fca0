"""The class that errors with values in their text are raised as: put into modules that raise such."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["Raised"]


class Raised(Exception):
    """Calling it gives an error of the class asked for: the text with the values put in, or the values themselves.

    >>> Raised(ValueError, "{:.1f} of {!r}", 0.25, "x"), Raised("builtins:KeyError", None, 3)
    (ValueError("0.2 of 'x'"), KeyError(3))

    Machine code hands over what it is called with, and Python calls it: so the text is Python's. A class of the user's
    is looked up by name then.
    """

    def __new__(cls, kind: Any, text: str | None, *values: Any) -> Any:
        if isinstance(kind, str):
            module, _, names = kind.partition(":")
            kind = importlib.import_module(module)
            for name in names.split("."):
                kind = getattr(kind, name)
        return kind(*values) if text is None else kind(text.format(*values))
