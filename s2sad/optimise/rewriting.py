"""What the rules of :mod:`s2sad.optimise.simplify` are written with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from s2sad.ir.kinds import INT
from s2sad.ir.nodes import Atom, Const, Function, Op

if TYPE_CHECKING:
    from s2sad.optimise.simplify import Simplifier

__all__ = ["Binary", "Rewrite", "is_int", "is_number", "replaced"]

Rewrite: TypeAlias = "Atom | tuple[Op, ...] | None"
Binary: TypeAlias = Callable[["Simplifier", Op, Atom, Atom], Rewrite]


def is_number(a: Atom, value: float | None = None) -> bool:
    """Whether an atom is a literal int or float (of that value)."""
    return isinstance(a, Const) and type(a.value) in (int, float) and (value is None or a.value == value)


def is_int(a: Atom) -> bool:
    """Whether an atom is known to be a Python int."""
    return type(a.value) is int if isinstance(a, Const) else a.kind == INT


def replaced(op: Op, fn: Callable[..., Any] | Function, *args: Atom) -> tuple[Op]:
    """One operation in place of another."""
    return (Op(op.target, fn, args, (), op.origin),)
