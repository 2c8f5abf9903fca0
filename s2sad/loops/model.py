"""What the pass works on: loop nests whose leaves load, compute and put single elements.

A block of the IR becomes a list of items. Statements that are not lowered are items as they
are; the others are loops. Subscripts stay symbolic until the loops are final, so that two accesses
can be compared.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TypeAlias

from s2sad.ir.nodes import Atom, Const, Op, Stmt, Var

__all__ = [
    "ONE",
    "Alloc",
    "Choose",
    "Compute",
    "Dim",
    "Get",
    "Guard",
    "Item",
    "Load",
    "Loop",
    "Plain",
    "Put",
    "Set",
    "Sub",
    "Subs",
]


@dataclass(frozen=True, slots=True)
class Dim:
    """An axis of an iteration space. Equal keys are equal lengths; ``size`` is the length.

    ``signed``: a negative ``size`` stands for an axis without items, as a ``range`` takes it.
    """

    key: Hashable
    size: Atom
    signed: bool = False


ONE = Dim(1, Const(1))


@dataclass(frozen=True, slots=True)
class Sub:
    """A subscript: ``index * stride * scale + root + const``.

    ``scale`` is 0 or 1 at run time: 0 where an axis of length one is stretched. A subscript that
    was ``gathered`` from an index array may be any number, and repeat.
    """

    index: Var | None = None
    stride: int = 1
    scale: Atom | None = None
    root: Var | None = None
    const: int = 0
    gathered: bool = False


Subs: TypeAlias = tuple[Sub, ...]


@dataclass(frozen=True, slots=True)
class Load:
    """``target = base[subs]``"""

    target: Var
    base: Var
    subs: Subs


@dataclass(frozen=True, slots=True)
class Put:
    """``base[subs] = value``, or an update of it: ``aug`` as in a store."""

    base: Var
    subs: Subs
    value: Atom
    aug: str | None = None


@dataclass(frozen=True, slots=True)
class Compute:
    """An operation on numbers."""

    op: Op


@dataclass(frozen=True, slots=True)
class Choose:
    """``target = then if cond else orelse``"""

    target: Var
    cond: Atom
    then: Atom
    orelse: Atom


@dataclass(frozen=True, slots=True)
class Guard:
    """``if cond: body``"""

    cond: Atom
    body: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Set:
    """``cell = value``: a number that changes, such as a running sum. ``cell`` is its name only."""

    cell: Var
    value: Atom


@dataclass(frozen=True, slots=True)
class Get:
    """``target = cell``, as it is now."""

    target: Var
    cell: Var


@dataclass(frozen=True, slots=True)
class Loop:
    """``for index in range(dim.size): body``"""

    dim: Dim
    index: Var
    body: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Alloc:
    """``target = np.empty(...)``, an array of the function's own that the loops fill.

    ``original`` gives the same array with what the loops would fill it with, if that is better after all.
    ``zero``: the elements that no loop fills are zeros.
    """

    target: Var
    dims: tuple[Dim, ...]
    dtype: str
    original: Op | None = field(default=None)
    zero: bool = False


@dataclass(frozen=True, slots=True)
class Plain:
    """A statement that stays as it is."""

    stmt: Stmt


Item: TypeAlias = Load | Put | Compute | Choose | Guard | Set | Get | Loop | Alloc | Plain
