"""Statements of :mod:`.kernel_texts` on the values of a :class:`~.live.Live` body, alone and in loops that count."""

from __future__ import annotations

from .kernel_texts import KERNELS, LOOPS
from .live import Live
from .live_corners import texts
from .live_statements import Lines, Producer, add, change_array, change_list, statement
from .live_values import condition, operand

__all__ = ["kernel"]


def _indented(text: str) -> list[str]:
    return ["    " + line for line in text.split("\n") if line]


def _counting(s: Live) -> Lines:
    """A loop with integers that go along"""
    before, header, first, last = (text.replace("{test}", condition(s)) for text in s.pick(LOOPS))
    counters = {name: "1" for name in ("n_", "m_", "i_") if name in before + header}
    with s.inside(**counters) as lines:
        for _ in range(s.pick((1, 2, 2, 3))):
            add(s, _INSIDE)
    body = [line for text in lines for line in _indented(text)]
    made = [before, header, *_indented(first), *(body or ["    pass"]), *_indented(last)]
    if not s.chance(0.5):
        return made, ("n_",)
    name = s.fresh()
    return [*made, f"{name} = {operand(s, 1)} * n_"], (name, "n_")


_INSIDE: list[tuple[float, Producer]] = [(2, texts(KERNELS)), (2, change_array), (1, change_list)]
_KERNELS: list[tuple[float, Producer]] = [(4, texts(KERNELS)), (2, _counting)]


def kernel(s: Live) -> bool:
    """Write one statement that runs."""
    return add(s, _KERNELS) if s.chance(0.85) else statement(s)
