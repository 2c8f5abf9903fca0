"""Nodes that the lowering of ``try`` puts among those of the syntax tree."""

from __future__ import annotations

import gast

__all__ = ["Asked", "Given", "Guarded", "Handler", "Lose"]

_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")


class Asked(gast.AST):  # type: ignore[misc]
    """A statement that changes something at its very end, of which it is only asked what it raises before that."""

    _fields = ("statement",)
    _attributes = _PLACE


class Given(gast.AST):  # type: ignore[misc]
    """An expression of which the value is known once it is asked for."""

    _fields = ("give",)
    _attributes = _PLACE


class Guarded(gast.AST):  # type: ignore[misc]
    """The body of a ``try``, of which it is known what it raises."""

    _fields = ("body",)
    _attributes = _PLACE


class Handler(gast.AST):  # type: ignore[misc]
    """What a handler does with an exception."""

    _fields = ("name", "body", "error")
    _attributes = _PLACE


class Lose(gast.AST):  # type: ignore[misc]
    """Forgets what places hold."""

    _fields = ("places",)
    _attributes = _PLACE
