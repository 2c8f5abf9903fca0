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

from s2sad.ir.kinds import Array, fresh_shape
from s2sad.ir.nodes import Atom, Block, Closure, For, Function, If, Op, Stmt, Var, While, With
from s2sad.ir.rewrite import all_vars, blocks_of, map_atoms, targets_of
from s2sad.optimise.shapes import Shape, Shapes

__all__ = ["name_shapes"]


def name_shapes(function: Function) -> tuple[Function, dict[Var, Atom]]:
    """The function where arrays of one shape share a token, and its new variables by the old ones.

    Parameters, and variables that get no token, stay as they are.
    """
    return _Namer(function).run()


class _Namer:
    """Walks a function with the symbolic shapes, and gives tokens to those that do not depend on an iteration."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.shapes = Shapes(function.params, scoped=False)
        self.tokens: dict[Shape, int] = {}
        self.named: dict[Var, int] = {}

    def run(self) -> tuple[Function, dict[Var, Atom]]:
        """The function with tokens, and the table of what was replaced."""
        for v in self.function.params:
            self.name(v)
        self.shapes.mark()
        self.block(self.function.body)
        table: dict[Var, Atom] = {}

        def define(v: Var) -> Var:
            kind = v.kind
            if not isinstance(kind, Array) or v not in self.named or v in params:
                return v
            table[v] = new = Var(v.hint, Array(kind.dtype, kind.rank, self.named[v]))
            return new

        params = set(self.function.params)
        return map_atoms(self.function, lambda a: table.get(a, a) if type(a) is Var else a, define), table

    # ------------------------------------------------------------ walking

    def block(self, block: Block) -> None:
        """A block."""
        for stmt in block.stmts:
            if type(stmt) is Op:
                self.shapes.note(stmt)
            else:
                self.stmt(stmt)
            for v in targets_of(stmt):
                self.name(v)

    def inside(self, block: Block) -> list[Shape]:
        """A nested block: the shapes of its outs."""
        mark = self.shapes.mark()
        self.block(block)
        outs = [self.shapes.canonical(self.shapes.of(a)) for a in block.outs]
        self.shapes.forget(mark)
        return outs

    def stmt(self, stmt: Stmt) -> None:
        """A statement with blocks."""
        match stmt:
            case If(then=then, orelse=orelse, results=results):
                pairs = zip(results, self.inside(then), self.inside(orelse), strict=True)
                for r, a, b in pairs:
                    self.learn(r, a, b)
            case With(body=body, results=results):
                for r, a in zip(results, self.inside(body), strict=True):
                    self.learn(r, a, a)
            case For() | While():
                self.loop(stmt)
            case Closure(function=function):
                self.inside(function.body)

    def loop(self, loop: For | While) -> None:
        """A loop: what it carries keeps the shape it starts with, as long as the body agrees."""
        starts = {p: self.shapes.of(a) for p, a in zip(loop.params, loop.inits, strict=True) if self.nameable(p)}
        starts = {p: s for p, s in starts.items() if self.shapes.is_fixed(s)}
        explained = dict(self.shapes.tokens)
        while True:
            self.shapes.known.update(starts)
            for p in loop.params:
                self.name(p)
            ends: list[Shape] = []
            for b in blocks_of(loop):
                ends = self.inside(b)
            wrong = [p for p, end in zip(loop.params, ends, strict=False) if p in starts and starts[p] != end]
            if not wrong:
                break
            for p in wrong:  # walk again without these, and without what was concluded from them
                del starts[p], self.shapes.known[p]
            self.shapes.tokens = dict(explained)
            for p in (*loop.params, *(v for b in blocks_of(loop) for v in all_vars(b))):
                self.named.pop(p, None)
        for r, p in zip(loop.results, loop.params, strict=True):
            if p in starts:
                self.shapes.known[r] = starts[p]

    def learn(self, v: Var, a: Shape, b: Shape) -> None:
        """The shape of a result that comes from two places."""
        if a == b and self.nameable(v) and self.shapes.is_fixed(a):
            self.shapes.known[v] = a

    # ------------------------------------------------------------ naming

    def nameable(self, v: Var) -> bool:
        """Whether a variable is an array of known rank without a token: its shape may be learnt."""
        return isinstance(v.kind, Array) and v.kind.rank is not None and v.kind.shape is None

    def name(self, v: Var) -> None:
        """Give a token, if the shape is the same each time; an array with one of its own gets that of its shape."""
        if not isinstance(v.kind, Array) or v.kind.rank is None:
            return
        shape = self.shapes.canonical(self.shapes.of(v))
        if len(shape) != v.kind.rank or not self.shapes.is_fixed(shape):
            return
        first = shape[0] if shape else None
        if isinstance(first, tuple) and first[0] == "axis" and isinstance(first[1], tuple):
            token = first[1][1]
            if shape == tuple(("axis", first[1], k) for k in range(len(shape))):
                self.named[v] = token
                return
        if shape not in self.tokens:
            self.tokens[shape] = fresh_shape()
        self.named[v] = self.tokens[shape]
