"""Short ways to write IR by hand."""

from __future__ import annotations

from typing import Any

from s2sad.ir.kinds import FLOAT, Kind
from s2sad.ir.nodes import Atom, Block, Const, Function, Op, Var


def var(hint: str = "", kind: Kind = FLOAT) -> Var:
    """A variable."""
    return Var(hint, kind)


def atom(value: Any) -> Atom:
    """A variable as it is, anything else as a literal."""
    return value if isinstance(value, Var) else Const(value)


class Code:
    """Collects the statements of a block."""

    def __init__(self) -> None:
        self.stmts: list[Any] = []

    def __call__(self, fn: Any, *args: Any, hint: str = "", kind: Kind = FLOAT, **kwargs: Any) -> Var:
        """Append an operation and return its target."""
        target = Var(hint, kind)
        self.stmts.append(Op(target, fn, tuple(map(atom, args)), tuple((k, atom(v)) for k, v in kwargs.items())))
        return target

    def add(self, stmt: Any) -> None:
        """Append any other statement."""
        self.stmts.append(stmt)

    def block(self, *outs: Any) -> Block:
        """The block."""
        return Block(tuple(self.stmts), tuple(map(atom, outs)))

    def function(self, name: str, params: tuple[Var, ...], result: Any) -> Function:
        """The function that returns ``result``."""
        return Function(name, params, self.block(result))
