"""Parameters of functions that lowering makes."""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.ir.nodes import Var
from s2sad.names import candidates

__all__ = ["as_parameters"]


def as_parameters(captured: Iterable[Var], leaves: Iterable[Var]) -> dict[Var, Var]:
    """A parameter for each variable that a function reads, named apart from those that it has."""
    taken = {v.hint for v in leaves}
    made = {}
    for v in captured:
        name = next(n for n in candidates(v.hint or "t") if n not in taken)
        taken.add(name)
        made[v] = Var(name, v.kind)
    return made
