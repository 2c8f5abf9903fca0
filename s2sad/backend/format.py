"""Format: emitted text as black would have it. Only for text that somebody asked to see."""

from __future__ import annotations

__all__ = ["format_source"]


def format_source(text: str) -> str:
    """The text in black's style."""
    import black  # slow to import, and never needed to run a derivative

    return black.format_str(text, mode=black.Mode())
