"""Syntax that no differentiated function may use, found before it is lowered."""

from __future__ import annotations

import gast

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.parse import FunctionSource

__all__ = ["REFUSED", "refuse_unsupported"]

#: Node classes that are refused wherever they stand, by name, with how they are called.
REFUSED: dict[str, str] = {
    "AsyncFor": "async for",
    "AsyncFunctionDef": "async def",
    "AsyncWith": "async with",
    "Await": "await",
    "ClassDef": "class",
    "TryStar": "except*",
    "TypeAlias": "type",
    "TemplateStr": "t-strings",
    "Interpolation": "t-strings",
}


def refuse_unsupported(source: FunctionSource) -> None:
    """Raise :class:`~s2sad.errors.UnsupportedSyntax` at the first node that is not handled."""
    nodes = list(gast.walk(source.node))
    found = [n for n in nodes if type(n).__name__ in REFUSED]
    if not found:
        return
    node = min(found, key=lambda n: (n.lineno, n.col_offset))
    raise UnsupportedSyntax(
        f"`{REFUSED[type(node).__name__]}` is not handled in differentiated code.",
        help="Move it out of the function, or call a helper that does it on values without derivative.",
        origin=source.origin(node),
    )
