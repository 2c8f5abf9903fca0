"""Equal shapes said in the kinds.

Before::

    def f(u: float64[1]#1, c: float):
        s = make_slice(1, -1, None)
        for i in range(0, 3):
            v: float64[1] = u[s]
            w: float64[1] = c * v
            u[s] = w
        return u

After::

    def f(u: float64[1]#1, c: float):
        s: slice = make_slice(1, -1, None)
        for i: int in range(0, 3):
            v: float64[1]#2 = u[s]
            w: float64[1]#2 = c * v
            u[s] = w
        return u

Arrays that are known to have one shape get one token. What is derived from such a
function inherits them, so that an adjoint needs no ``unbroadcast`` to the shape of a value, and no
record of that value for the sake of its shape. Only shapes that are the same in every iteration are
named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from s2sad.ir.kinds import Array, fresh_shape
from s2sad.ir.nodes import Atom, Function, Var
from s2sad.ir.rewrite import map_atoms
from s2sad.optimise.flow import Flow
from s2sad.optimise.shapes import Shape

__all__ = ["name_shapes"]


def name_shapes(function: Function) -> tuple[Function, dict[Var, Atom]]:
    """The function where arrays of one shape share a token, and its new variables by the old ones.

    Parameters, and variables that get no token, stay as they are.
    """
    return _Namer(function).renamed()


class _Namer(Flow):
    """Walks a function with the symbolic shapes, and gives tokens to those that do not depend on an iteration."""

    def start(self) -> None:
        """Begin without names."""
        self.tokens: dict[Shape, int] = {}
        self.named: dict[Var, int] = {}
        self.ranks: dict[int, int] = {}  # of tokens that were there before: of a vector none is that of a matrix
        super().start()

    def renamed(self) -> tuple[Function, dict[Var, Atom]]:
        """The function with tokens, and the table of what was replaced."""
        self.run()
        last: dict[Shape, int] = {}  # of shapes that came to be known to be the same after arrays had got their tokens
        one = {token: last.setdefault(self.shapes.canonical(shape), token) for shape, token in self.tokens.items()}
        table: dict[Var, Atom] = {}

        def define(v: Var) -> Var:
            kind = v.kind
            if not isinstance(kind, Array) or v not in self.named or v in params:
                return v
            token = self.named[v]
            table[v] = new = Var(v.hint, Array(kind.dtype, kind.rank, one.get(token, token)))
            return new

        params = set(self.function.params)
        return map_atoms(self.function, lambda a: table.get(a, a) if type(a) is Var else a, define), table

    def met(self, variables: Iterable[Var]) -> None:
        """Give tokens, where shapes are the same each time; an array with one of its own gets that of its shape."""
        for v in variables:
            if isinstance(v.kind, Array) and v.kind.rank is not None:
                if v.kind.shape is not None:
                    self.ranks.setdefault(v.kind.shape, v.kind.rank)
                self.name(v, v.kind.rank)

    def unmet(self, variables: Sequence[Var]) -> None:
        """Take tokens back."""
        super().unmet(variables)
        for v in variables:
            self.named.pop(v, None)

    def name(self, v: Var, rank: int) -> None:
        """Give a token to an array."""
        shape = self.shapes.canonical(self.shapes.of(v))
        if len(shape) != rank or not self.shapes.is_fixed(shape):
            return
        first = shape[0] if shape else None
        if isinstance(first, tuple) and first[0] == "axis" and isinstance(first[1], tuple):
            token = first[1][1]
            if self.ranks.get(token) == rank and shape == tuple(("axis", first[1], k) for k in range(len(shape))):
                self.named[v] = token
                return
        if shape not in self.tokens:
            self.tokens[shape] = fresh_shape()
        self.named[v] = self.tokens[shape]
