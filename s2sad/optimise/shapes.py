"""Shapes in symbols: when two arrays are known to have the same one.

Each array of known rank has a tuple of dimensions. A dimension is an int, a symbol (axis k
of some variable), a slice of a dimension, or a broadcast of several. The shape of an
array never changes, so nothing here depends on memory. What an operation needs to
succeed is a fact after it: ``A @ b`` says that the last axis of ``A`` is as long as ``b``.
Facts hold in the block where they were found.

Values of loops are those of one iteration: two of one iteration may be compared, and
that is all that a pass over straight code does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Numeric, Scalar, rank_of
from s2sad.ir.nodes import Atom, Const, Op, Var, kind_of
from s2sad.optimise.dims import Dim, Shape, is_rows, is_small, is_token, is_whole, mentions
from s2sad.optimise.shape_rules import RULES, contract, ufunc
from s2sad.runtime import helpers

__all__ = ["Dim", "Shape", "Shapes"]


class Shapes:
    """The shapes of variables, filled in as a pass meets the operations that make them."""

    def __init__(
        self, params: Iterable[Var], scoped: bool = True, by_token: bool = True, by_product: bool = True
    ) -> None:
        self.known: dict[Var, Shape] = {}
        self.makers: dict[Var, Op] = {}
        self.same: dict[Dim, Dim] = {}
        self.facts: list[Dim] = []  #: in order of discovery
        self.lasting = 0  #: how many of them hold to the end of the function
        self.settled: dict[Dim, Dim] = {}  #: what those say
        self.tokens: dict[Dim, Dim] = {}  #: what the dimensions of tokens are
        self.scoped = scoped  #: whether to learn from operations in nested blocks
        self.by_token = by_token  #: whether to believe that arrays of one token have one shape
        self.by_product = by_product  #: whether to believe what products need: they are pure, and may be moved or go
        self.lists: Mapping[Var, Op] = {}  #: what made lists that nothing changes, for who asks for it
        self.least: dict[Dim, int] = {}  #: how long dimensions are at least, throughout
        self.depth = 0
        #: whether only the block of the walk speaks of a dimension, and whether that is a part of the run which may
        #: be left out
        self.is_local: Callable[[Dim], bool] = lambda _: False
        self.optional = True
        self.is_thin: Callable[[Dim], bool] = lambda _: False  #: whether a dimension is there to be stretched
        self.thin: set[Dim] = set()  #: axes of tokens that are
        self.fixed = set(params)  #: variables that have one value in a run
        self.lasting_tokens = _tokens(self.fixed)  #: of shapes that there are one of in a run

    # ------------------------------------------------------------ questions

    def equal(self, a: Atom, b: Atom) -> bool:
        """Whether two operands are known to have the same shape."""
        return self.canonical(self.of(a)) == self.canonical(self.of(b))

    def of(self, a: Atom) -> Shape:
        """The shape of an operand."""
        if isinstance(a, Const):
            return () if isinstance(a.value, bool | int | float | complex) else (("whole", a),)
        if isinstance(a, Var) and (shape := self.known.get(a)) is not None:
            return shape
        return self.by_kind(a)

    def by_kind(self, a: Atom) -> Shape:
        """The shape that a kind tells, or symbols of its own."""
        match kind_of(a):
            case Scalar():
                return ()
            case Array(rank=rank, shape=token) if rank is not None:
                name = a if token is None or not self.by_token else ("token", token)
                return tuple(("axis", name, k) for k in range(rank))
            case Array(shape=token) if token is not None and self.by_token:
                return (("whole", ("token", token)),)
        return (("whole", a),)

    # ------------------------------------------------------------ facts

    def mark(self) -> int:
        """A point to come back to: the beginning of a block."""
        self.depth += 1
        return len(self.facts)

    def forget(self, mark: int) -> None:
        """Drop the facts found since then: the end of the block."""
        self.depth -= 1
        while len(self.facts) > mark:
            fact = self.facts.pop()
            del self.same[fact]
            self.settled.pop(fact, None)

    def state(self) -> dict[Dim, Dim]:
        """What is known of tokens, to come back to."""
        return dict(self.tokens)

    def restore(self, state: dict[Dim, Dim]) -> None:
        """Know of tokens what was known then."""
        self.tokens = dict(state)

    def unify(self, a: Dim, b: Dim) -> None:
        """Two dimensions are equal."""
        a, b = self.find(a), self.find(b)
        if a == b or (self.depth > 1 and not self.scoped):
            return
        if isinstance(a, int) or (self.is_lasting(a) and not self.is_lasting(b)):
            a, b = b, a
        if not isinstance(a, int):
            self.same[a] = b
            self.facts.append(a)
            if self.depth <= 1:
                self.lasting = len(self.facts)
                self.settled[a] = b

    def find(self, d: Dim) -> Dim:
        """The representative of a dimension."""
        while True:
            if d in self.same:
                d = self.same[d]
            elif d in self.tokens:
                d = self.tokens[d]
            else:
                return d

    def canonical(self, shape: Shape) -> Shape:
        """A shape in representatives."""
        return tuple(map(self.find, shape)) if self.same or self.tokens else shape

    # ------------------------------------------------------------ operations

    def note(self, op: Op) -> None:
        """An operation has run."""
        target, fn = op.target, op.fn
        if target is None:
            self.checked(op)
            return
        if fn in _DESCRIBE:
            self.makers[target] = op
        kind = target.kind
        if self.depth <= 1 or ((fn in _DESCRIBE or fn in _COUNTS) and all(map(self.is_fixed, op.args))):
            self.fixed.add(target)
            if type(kind) is Array and kind.shape is not None:
                self.lasting_tokens.add(kind.shape)
        if not isinstance(kind, Array | Numeric):
            if fn is np.dot or fn is operator.matmul or fn is np.matmul:
                contract(self, op)
            return
        try:
            rule = RULES.get(fn)  # type: ignore[arg-type]
        except TypeError:
            return
        shape = ufunc(self, op) if rule is None and isinstance(fn, np.ufunc) else rule and rule(self, op)
        if shape is not None:
            self.learn(target, shape)

    def learn(self, target: Var, shape: Shape) -> None:
        """A variable has this shape."""
        kind, rank = target.kind, rank_of(target.kind)
        if rank is not None and (len(shape) != rank or is_whole(shape)):
            return
        if isinstance(kind, Array) and kind.shape is not None and self.by_token:
            if rank is not None or is_rows(shape):
                self.explain(self.by_kind(target), shape)
        else:
            self.known[target] = tuple(d if is_small(d) else ("axis", target, k) for k, d in enumerate(shape))

    def checked(self, op: Op) -> None:
        """A check has passed."""
        match op:
            case Op(fn=helpers.same_axes, args=(a, b)):
                self.equate(a, b)
            case Op(fn=helpers.same_length | helpers.need_values, args=(a, b)):
                self.unify(self.dim_of(a), self.dim_of(b))
            case Op(fn=helpers.at_least | helpers.need_more_values, args=(a, Const(int(n)))) if self.depth <= 1:
                dim = self.dim_of(a)
                self.least[dim] = max(n, self.least.get(dim, 0))

    def tells(self, op: Op) -> bool:
        """Whether a check surely passes."""
        match op:
            case Op(fn=helpers.need_values, args=(a, b)):
                return self.find(self.dim_of(a)) == self.find(self.dim_of(b))
            case Op(fn=helpers.need_more_values, args=(a, Const(int(n)))):
                return self.shortest(self.dim_of(a)) >= n
        return False

    def shortest(self, dim: Dim, within: tuple[Dim, ...] = ()) -> int:
        """How long a dimension is known to be at least.

        A check that fails may say that a part is as long as the whole: ``within`` are those that this is part of.
        """
        dim = self.find(dim)
        match dim:
            case int():
                return dim
            case ("less", whole, int(cut)) if dim not in within:
                return max(0, self.shortest(whole, (*within, dim)) - cut)
        return max((n for d, n in self.least.items() if self.find(d) == dim), default=0)

    def equate(self, a: Atom, b: Atom) -> None:
        """The last axes of ``a`` are those of ``b``: here, or, where nothing is learnt from nested blocks, all over.

        Not all over where arrays of both are elsewhere too, and the check may be left out: in a branch, say. What is
        the same throughout a run is taken to be so even if loops around the check have no iterations.
        """
        shape, ends = self.of(a), self.of(b)
        for x, y in zip(shape[len(shape) - len(ends) :], ends, strict=True):
            x, y = self.find(x), self.find(y)
            if self.scoped or self.depth <= 1:
                self.unify(x, y)
                continue
            if isinstance(x, int) or (self.is_lasting(x) and not self.is_lasting(y)):
                x, y = y, x
            if self.is_local(y) and not self.is_local(x):
                x, y = y, x
            everywhere = self.is_local(x) or (not self.optional and self.is_lasting(x) and self.is_lasting(y))
            if x != y and everywhere and not isinstance(x, int) and not mentions(y, x):
                self.tokens[x] = y

    def explain(self, token: Shape, shape: Shape) -> None:
        """What the dimensions of a token are, as far as they are the same wherever it occurs."""
        for a, b in zip(token, shape, strict=True):
            if self.is_thin(b):
                self.thin.add(a)
            while b in self.settled:
                b = self.settled[b]
            if not isinstance(b, int) and (len(self.facts) != self.lasting or not is_small(b) or not self.is_fixed(b)):
                continue
            a, b = self.find(a), self.find(b)
            if a != b and is_token(a) and not mentions(b, a):
                self.tokens[a] = b

    def is_fixed(self, part: Dim) -> bool:
        """Whether a shape or dimension is the same throughout a run."""
        if isinstance(part, tuple | frozenset):
            return all(map(self.is_fixed, part))
        return not isinstance(part, Var) or part in self.fixed

    def is_lasting(self, part: Dim) -> bool:
        """Whether a shape or dimension is the same throughout a run, and not only in one iteration."""
        match part:
            case ("token", int(token)):
                return token in self.lasting_tokens
            case tuple() | frozenset():
                return all(map(self.is_lasting, part))
        return self.is_fixed(part)

    def dim_of(self, a: Atom) -> Dim:
        """The dimension that an int gives."""
        if isinstance(a, Const):
            return a.value if type(a.value) is int else ("int", a)
        maker = self.makers.get(a) if isinstance(a, Var) else None
        if maker is not None and maker.fn is operator.getitem and isinstance(maker.args[1], Const):
            shape = self.makers.get(maker.args[0]) if isinstance(maker.args[0], Var) else None
            if shape is not None and shape.fn is np.shape:
                dims = self.of(shape.args[0])
                k = maker.args[1].value
                if not is_whole(dims) and type(k) is int and -len(dims) <= k < len(dims):
                    return dims[k]
        if maker is not None and maker.fn is len:
            dims = self.of(maker.args[0])
            if dims and not is_whole(dims):
                return dims[0]
        return ("int", a)


def _tokens(variables: Iterable[Var]) -> set[int]:
    """The names of the shapes of variables."""
    return {v.kind.shape for v in variables if isinstance(v.kind, Array) and v.kind.shape is not None}


#: Operations that describe shapes and indices.
_DESCRIBE: set[Any] = {np.shape, len, prims.make_tuple, prims.make_slice, operator.getitem}

#: Arithmetic on lengths.
_COUNTS: set[Any] = {operator.add, operator.sub, operator.mul, operator.floordiv, max, min}
