"""Parts of a piece of memory: what modules carry in the place of ``np.empty`` (:mod:`s2sad.compiled.together`).

It is a name to be bound by the loader (:mod:`s2sad.compiled.loading`), so it does not run uncompiled.
"""

from __future__ import annotations

from typing import Any

__all__ = ["external", "part"]


def part(room: Any, start: Any, shape: Any) -> Any:
    """The numbers of room from start on, as an array; one of its own where there is no room."""
    raise NotImplementedError


def external(_: Any) -> Any:
    """The function as Numba calls it."""
    from s2sad.compiled.room_parts import part_of_room

    return part_of_room
