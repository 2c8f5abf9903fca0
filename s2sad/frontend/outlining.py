"""Functions that lowering makes: their parameters, and which of them are one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const, Function, Origin, Ref, Var
from s2sad.names import candidates

__all__ = ["as_parameters", "form_of"]


def as_parameters(captured: Iterable[Var], leaves: Iterable[Var]) -> dict[Var, Var]:
    """A parameter for each variable that a function reads, named apart from those that it has."""
    taken = {v.hint for v in leaves}
    made = {}
    for v in captured:
        name = next(n for n in candidates(v.hint or "t") if n not in taken)
        taken.add(name)
        made[v] = Var(name, v.kind)
    return made


def form_of(function: Function) -> Any:
    """What is equal for two functions that do the same by the same operations, wherever they stand in the source.

    >>> from s2sad.ir.nodes import Block
    >>> made = [Function("f", (v,), Block((), (v,))) for v in (Var("x", K.FLOAT), Var("y", K.FLOAT))]
    >>> made[0] == made[1], form_of(made[0]) == form_of(made[1])
    (False, True)
    """
    return _form(function, {})


def _form(node: Any, numbers: dict[Var, int]) -> Any:
    match node:
        case Var(kind=kind):
            return "var", numbers.setdefault(node, len(numbers)), K.without_shape(kind)
        case Origin():
            return None
        case Const() | Ref():
            return node
        case tuple():
            return tuple(_form(part, numbers) for part in node)
    if callable(node) and not isinstance(node, Function):
        return "fn", id(node)
    fields = getattr(type(node), "__dataclass_fields__", None)
    return node if fields is None else (type(node), *(_form(getattr(node, name), numbers) for name in fields))
