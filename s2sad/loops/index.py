"""Index arithmetic: lengths and offsets, each computed once and as far outside as it can be."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad.ir.kinds import INT, Kind, Tuple, rank_of
from s2sad.ir.nodes import Atom, Const, Op, Ref, Var
from s2sad.loops.model import Dim, Item, Plain

__all__ = ["Lin", "Scope", "Scopes"]

_FOLDS: dict[Any, Callable[..., Any]] = {
    operator.add: operator.add, operator.sub: operator.sub, operator.mul: operator.mul, max: max, min: min,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lin:
    """``root + const``: an offset."""

    root: Var | None = None
    const: int = 0


@dataclass
class Scope:
    """An open block: its items so far, and what has been computed in it."""

    items: list[Item] = field(default_factory=list)
    memo: dict[Hashable, Var] = field(default_factory=dict)
    sizes: dict[Hashable, Atom] = field(default_factory=dict)
    optional: bool = False  #: a branch, or the body of a closure: it may not run


class Scopes:
    """The open blocks, from the body of the function inwards, and where each variable was defined."""

    def __init__(self) -> None:
        self.stack: list[Scope] = []
        self.level: dict[Var, int] = {}
        self.makers: dict[Var, Op] = {}
        self.least: dict[Var, int] = {}  #: lower bounds of integers
        self.find: Callable[[Hashable], Hashable] = lambda key: key
        self.shortest: Callable[[Hashable], int] = lambda key: 0  #: how long an axis is known to be at least
        self.fragile: set[Var] = set()  #: may be unbound outside the blocks that use them

    @property
    def here(self) -> Scope:
        """The innermost open block."""
        return self.stack[-1]

    def define(self, *vs: Var) -> None:
        """Variables of the innermost block."""
        for v in vs:
            self.level[v] = len(self.stack) - 1

    def depth(self, *atoms: Atom) -> int:
        """The outermost block in which all of these are in sight."""
        here = len(self.stack) - 1
        if any(a in self.fragile for a in atoms if isinstance(a, Var)):
            return here
        return max((min(self.level.get(a, here), here) for a in atoms if isinstance(a, Var)), default=0)

    # ------------------------------------------------------------ keys

    def canonical(self, key: Hashable, within: tuple[Hashable, ...] = ()) -> Hashable:
        """The representative of what is known to be as long.

        A check that fails may say that a part is as long as the whole: ``within`` are the keys that this is part of.
        """
        key = self.find(key)
        match key:
            case ("less", whole, cut) if key not in within:
                return ("less", self.canonical(whole, (*within, key)), cut)
        return key

    def same(self, a: Dim, b: Dim) -> bool:
        """Whether two axes are known to be as long as each other."""
        return a.key == b.key or self.canonical(a.key) == self.canonical(b.key)

    def check(self, fn: Any, *args: Atom) -> None:
        """Something that raises, outside of the loops that it can be outside of, once."""
        floor = max((k for k, scope in enumerate(self.stack) if scope.optional), default=0)
        depth = max(self.depth(*args), floor)
        key = (fn, args)
        if all(key not in scope.memo for scope in self.stack[: depth + 1]):
            self.stack[depth].memo[key] = Var("", INT)
            self.stack[depth].items.append(Plain(Op(None, fn, args)))

    # ------------------------------------------------------------ operations

    def op(
        self, fn: Any, *args: Atom, kind: Kind = INT, hint: str = "", kwargs: tuple[tuple[str, Atom], ...] = ()
    ) -> Atom:
        """The value of a pure operation on numbers and shapes, folded where it is constant."""
        if (fold := _FOLDS.get(fn)) and all(isinstance(a, Const) for a in args):
            return Const(fold(*(a.value for a in args if isinstance(a, Const))))
        match fn, args:
            case (operator.add | operator.sub, (a, Const(0))) | (operator.mul, (a, Const(1))):
                return a
            case (operator.add, (Const(0), a)) | (operator.mul, (Const(1), a)):
                return a
        depth = self.depth(*args)
        key = (fn, args)
        for scope in self.stack[: depth + 1]:
            if key in scope.memo:
                return scope.memo[key]
        target = Var(hint, kind)
        scope = self.stack[depth]
        scope.memo[key] = target
        scope.items.append(Plain(op := Op(target, fn, args)))
        self.level[target] = depth
        self.makers[target] = op
        return target

    def add(self, a: Atom, b: Atom) -> Atom:
        """``a + b``, with constants gathered at the end."""
        x, y = self.linear(a), self.linear(b)
        return self.atom(self.sum(x, y))

    def sum(self, x: Lin, y: Lin) -> Lin:
        """The sum of two offsets."""
        if x.root is None or y.root is None:
            return Lin(x.root or y.root, x.const + y.const)
        root = self.op(operator.add, x.root, y.root)
        assert isinstance(root, Var)
        return Lin(root, x.const + y.const)

    def linear(self, a: Atom) -> Lin:
        """An integer as a root and a constant."""
        const = 0
        while True:
            if isinstance(a, Const):
                return Lin(None, const + int(a.value))
            if isinstance(a, Ref):
                raise TypeError("an index read from outside")
            maker = self.makers.get(a)
            match maker:
                case Op(fn=operator.add, args=(b, Const(int(c)))) | Op(fn=operator.add, args=(Const(int(c)), b)):
                    const, a = const + c, b
                case Op(fn=operator.sub, args=(b, Const(int(c)))):
                    const, a = const - c, b
                case _:
                    return Lin(a, const)

    def atom(self, x: Lin) -> Atom:
        """An offset as an operand."""
        if x.root is None:
            return Const(x.const)
        return self.shifted(x.root, x.const)

    def moved(self, a: Atom, n: int) -> Atom:
        """``a + n``, with constants added up."""
        x = self.linear(a)
        return self.atom(Lin(x.root, x.const + n))

    def shifted(self, a: Atom, n: int) -> Atom:
        """``a + n``"""
        return self.op(operator.add, a, Const(n)) if n >= 0 else self.op(operator.sub, a, Const(-n))

    # ------------------------------------------------------------ lengths

    def length(self, array: Var, axis: int, key: Hashable) -> Dim:
        """An axis of an array."""
        if isinstance(key, int):
            return Dim(key, Const(key))
        match key:
            case ("less", whole, int(cut)):
                for scope in self.stack:
                    if whole in scope.sizes:
                        return Dim(key, self.shifted(scope.sizes[whole], -cut), self.may_be_short(key))
        return self.sized(key, lambda: self.shape_item(array, axis))

    def may_be_short(self, key: Hashable) -> bool:
        """Whether a slice may leave out more than there is, so that its length comes out negative."""
        match key:
            case ("less", whole, int(cut)):
                return self.shortest(whole) < cut
        return True

    def sized(self, key: Hashable, make: Callable[[], Atom]) -> Dim:
        """The axis with this key; its length is made if none is in sight.

        It is remembered in this block only, for what is known of keys may be true here only.
        """
        for scope in self.stack:
            if key in scope.sizes:
                return Dim(key, scope.sizes[key])
        self.here.sizes[key] = size = make()
        return Dim(key, size)

    def shape_item(self, array: Var, axis: int) -> Atom:
        """``array.shape[axis]``"""
        rank = rank_of(array.kind) or 0
        shape = self.op(np.shape, array, kind=Tuple((INT,) * rank), hint="shape")
        size = self.op(operator.getitem, shape, Const(axis))
        if isinstance(size, Var):
            self.least[size] = 0
        return size

    def count(self, dim: Dim) -> Atom:
        """The length of an axis, where a negative one will not do."""
        return self.op(max, dim.size, Const(0)) if dim.signed else dim.size

    def bound(self, a: Atom) -> int | None:
        """A number that an integer is not less than."""
        if isinstance(a, Const):
            return int(a.value)
        if not isinstance(a, Var):
            return None
        x = self.linear(a)
        least = None if x.root is None else self.least.get(x.root)
        return None if least is None else least + x.const
