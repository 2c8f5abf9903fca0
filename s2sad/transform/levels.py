"""The blocks of a reverse sweep under construction, and how adjoints are kept in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Stmt, Var
from s2sad.ir.rewrite import targets_of

__all__ = ["Buffer", "Carried", "Key", "Level", "defined_in", "repeats"]

Key = Any  # a Var, or (Key, position) for an item of a tuple


_numbers = count()


@dataclass
class Level:
    """One block of the reverse sweep under construction, with a number that no other has (an address may recur)."""

    stmts: list[Stmt]
    is_loop: bool
    adjoints: dict[Key, Any] = field(default_factory=dict)
    number: int = field(default_factory=_numbers.__next__)


@dataclass(frozen=True)
class Buffer:
    """An adjoint array of our own, accumulated into in place."""

    var: Var


@dataclass(eq=False)
class Carried:
    """One adjoint that a reversed loop carries."""

    key: Key
    param: Var
    init: Atom
    source: Atom | None
    out: Atom | None
    captured: bool


def defined_in(block: Block) -> list[Var]:
    """The variables that the statements of a block define in it."""
    return [v for s in block.stmts for v in targets_of(s)]


def repeats(index: Atom) -> bool:
    """Whether an index may name an element twice."""
    match kind_of(index):
        case K.Array(dtype):
            return dtype != "bool"
        case K.List():
            return True
        case K.Tuple(items):
            return any(_repeats_within(k) for k in items)
        case K.Numeric():
            return True
        case K.Other(t):  # a tuple of a length that a run tells may hold arrays
            return t in (None, tuple)
    return False


def _repeats_within(part: K.Kind) -> bool:
    """Whether a part of a subscript may name an element twice."""
    match part:
        case K.Array(dtype):
            return dtype != "bool"
        case K.Other(t):  # what is not known may be a list
            return t in (None, tuple)
    return isinstance(part, K.List | K.Tuple | K.Numeric)
