"""What means all of an array: indices such as ``:``, and views by them."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from s2sad.ir import prims
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Atom, Const, Op, Stmt, Var

__all__ = ["Whole"]


class Whole:
    """The indices among some statements that pick all of an array, and views by them.

    >>> every = Var("every")
    >>> whole = Whole([Op(every, prims.make_slice, (Const(None),) * 3)])
    >>> whole.is_index(every), whole.is_index(Const(...)), whole.is_index(Const(0))
    (True, True, False)
    """

    def __init__(self, stmts: Iterable[Stmt]) -> None:
        self.indices: set[Var] = set()
        self.views: dict[Var, Atom] = {}
        for s in stmts:
            match s:
                case Op(target=Var() as target, fn=prims.make_slice, args=args) if all(a == Const(None) for a in args):
                    self.indices.add(target)
                case Op(target=Var() as target, fn=prims.make_tuple, args=args) if args and all(
                    self.is_index(a) for a in args
                ):
                    self.indices.add(target)
                case Op(target=Var(kind=Array()) as target, fn=operator.getitem, args=(obj, index)) if self.is_index(
                    index
                ):
                    self.views[target] = obj

    def is_index(self, index: Atom) -> bool:
        """Whether an index picks all of an array, in its shape."""
        return index.value is Ellipsis if isinstance(index, Const) else index in self.indices

    def of(self, a: Atom) -> Atom:
        """The array that a variable shows all of; itself if it is no such view."""
        while isinstance(a, Var) and a in self.views:
            a = self.views[a]
        return a
