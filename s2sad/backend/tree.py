"""The tree between IR and Python: statements with folded expressions and explicit jumps.

Expressions are already Python :mod:`ast` nodes, whose names are the shared placeholders
of :mod:`s2sad.backend.symbols`; what is still open is which variables share a name, and so
which of the values that a :class:`Jump` hands over need an assignment.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from s2sad.ir.nodes import Origin, Var

__all__ = [
    "EFFECT",
    "PURE",
    "READS",
    "Assign",
    "Branch",
    "Context",
    "Def",
    "Expr",
    "FunctionTree",
    "Jump",
    "Loop",
    "Note",
    "Simple",
    "Tree",
    "TreeStmt",
    "Unpack",
]

#: What moving an expression may not cross: nothing, writes to memory, or any statement at all.
PURE, READS, EFFECT = 0, 1, 2


@dataclass(slots=True)
class Expr:
    """A Python expression, the variables it reads, and how freely it may be moved.

    ``atom`` is the variable itself where the expression is nothing but its name; ``origin``
    is that of its outermost operation.
    """

    node: ast.expr
    uses: tuple[Var, ...] = ()
    order: int = PURE
    width: int = 1
    atom: Var | None = None
    origin: Origin | None = None


@dataclass(slots=True)
class Jump:
    """The end of a block: ``targets`` take ``values`` at once, then control goes on by ``kind``.

    A value of None is not assigned (the variable is unbound on this path). With a ``flag``, a
    jump of kind ``fall`` at the end of a loop body breaks where the flag is true; nobody reads ``unread`` then.
    """

    kind: Literal["fall", "break", "return"]
    targets: tuple[Var, ...] = ()
    values: tuple[Expr | None, ...] = ()
    flag: Expr | None = None
    unread: frozenset[Var] = frozenset()

    def without(self, unread: frozenset[Var]) -> Jump:
        """A jump that gives these variables no value, unless what gives it has an effect."""
        pairs = zip(self.targets, self.values, strict=True)
        values = tuple(v if t not in unread or (v is not None and v.order == EFFECT) else None for t, v in pairs)
        return replace(self, values=values, unread=unread)


@dataclass(slots=True)
class Tree:
    """A block: its statements, and its end unless its last statement carries it."""

    stmts: list[TreeStmt]
    end: Jump | None = None


@dataclass(slots=True)
class Simple:
    """Any statement that binds no variable; ``ends`` where control never passes it."""

    node: ast.stmt
    uses: tuple[Var, ...]
    origin: Origin | None = None
    ends: bool = False


@dataclass(slots=True)
class Assign:
    """``target = value``."""

    target: Var
    value: Expr
    origin: Origin | None = None


@dataclass(slots=True)
class Unpack:
    """``a, b = value``."""

    targets: tuple[Var, ...]
    value: Expr
    origin: Origin | None = None


@dataclass(slots=True)
class Branch:
    """``if``: the jumps that end the branches assign ``results``."""

    cond: Expr
    then: Tree
    orelse: Tree
    results: tuple[Var, ...]
    origin: Origin | None = None


@dataclass(slots=True)
class Loop:
    """``for index in range(*bounds)``, or ``while`` with the block ``test`` ending in a return of the condition.

    With ``items`` it is ``for items in reversed(*bounds)``.
    """

    entry: Jump
    params: tuple[Var, ...]
    body: Tree
    index: Var | None = None
    bounds: tuple[Expr, ...] = ()
    test: Tree | None = None
    origin: Origin | None = None
    items: tuple[Var, ...] = ()


@dataclass(slots=True)
class Context:
    """``with context as target``."""

    context: Expr
    target: Var | None
    body: Tree
    results: tuple[Var, ...]
    origin: Origin | None = None


@dataclass(slots=True)
class Def:
    """A nested function. ``rebound`` are those of its free variables that a loop assigns anew."""

    target: Var
    function: FunctionTree
    origin: Origin | None = None
    captured: tuple[Var, ...] = ()
    rebound: tuple[Var, ...] = ()


@dataclass(slots=True)
class Note:
    """A comment."""

    text: str


TreeStmt: TypeAlias = Simple | Assign | Unpack | Branch | Loop | Context | Def | Note


@dataclass(slots=True)
class FunctionTree:
    """A function: parameters and body.

    ``undefined`` may be unbound where they are read, of which ``moved`` are put in an object.
    ``names`` suggests names for temporaries, and ``recorded`` tells what others take again. Exceptions of the classes
    that it ``catches`` are what it returns.
    """

    name: str
    params: tuple[Var, ...]
    body: Tree
    doc: str = ""
    origin: Origin | None = None
    undefined: set[Var] = field(default_factory=set)
    moved: set[Var] = field(default_factory=set)
    names: dict[Var, str] = field(default_factory=dict)
    catches: tuple[Expr, ...] = ()
    recorded: dict[Var, Var] = field(default_factory=dict)
