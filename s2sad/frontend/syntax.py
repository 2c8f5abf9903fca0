"""Syntax that no differentiated function may use, found before it is lowered."""

from __future__ import annotations

from typing import Any

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
    found += [n for n in nodes if isinstance(n, gast.Global) and _assigned(source.node, n.names)]
    if not found:
        return
    node = min(found, key=lambda n: (n.lineno, n.col_offset))
    if isinstance(node, gast.Global):
        raise UnsupportedSyntax(
            f"`{node.names[0]}` is global and the function assigns it.",
            help="Return the value instead: a gradient call has no side effects.",
            origin=source.origin(node),
        )
    raise UnsupportedSyntax(
        f"`{REFUSED[type(node).__name__]}` is not handled in differentiated code.",
        help="Move it out of the function, or call a helper that does it on values without derivative.",
        origin=source.origin(node),
    )


def _assigned(node: Any, names: list[str]) -> bool:
    """Whether one of these names is stored into."""
    return any(
        isinstance(n, gast.Name) and n.id in names and isinstance(n.ctx, gast.Store | gast.Del) for n in gast.walk(node)
    )
