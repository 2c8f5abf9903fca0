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
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Kind, Numeric, Other, Scalar, Tuple, is_integer, rank_of
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.runtime import helpers

__all__ = ["Dim", "Shape", "Shapes", "is_elementwise"]

Dim = Hashable
Shape = tuple[Dim, ...]  #: of a value of unknown rank: a single ("whole", variable)


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
        self.tokens: dict[Dim, Dim] = {}  #: what the dimensions of tokens are
        self.scoped = scoped  #: whether to learn from operations in nested blocks
        self.by_token = by_token  #: whether to believe that arrays of one token have one shape
        self.by_product = by_product  #: whether to believe what products need: they are pure, and may be moved or go
        self.numbers: dict[tuple[int, int], int] = {}  #: lengths that are numbers, by token and axis, if not
        self.lists: Mapping[Var, Op] = {}  #: what made lists that nothing changes, for who asks for it
        self.least: dict[Dim, int] = {}  #: how long dimensions are at least, throughout
        self.depth = 0
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
        match _kind(a):
            case Scalar():
                return ()
            case Array(rank=rank, shape=token) if rank is not None:
                if token is not None and not self.by_token:
                    return tuple(self.numbers.get((token, k), ("axis", a, k)) for k in range(rank))
                name = a if token is None else ("token", token)
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
            del self.same[self.facts.pop()]

    def state(self) -> tuple[dict[Dim, Dim], dict[tuple[int, int], int]]:
        """What is known of tokens, to come back to."""
        return dict(self.tokens), dict(self.numbers)

    def restore(self, state: tuple[dict[Dim, Dim], dict[tuple[int, int], int]]) -> None:
        """Know of tokens what was known then."""
        self.tokens, self.numbers = dict(state[0]), dict(state[1])

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
        if self.depth <= 1 or (fn in _DESCRIBE | _COUNTS and all(map(self.is_fixed, op.args))):
            self.fixed.add(target)
            self.lasting_tokens |= _tokens((target,))
        kind = target.kind
        if not isinstance(kind, Array | Numeric):
            if fn is np.dot or fn is operator.matmul or fn is np.matmul:
                self.contract(op)
            return
        try:
            rule = _RULES.get(fn)  # type: ignore[arg-type]
        except TypeError:
            return
        shape = self.ufunc(op) if rule is None and isinstance(fn, np.ufunc) else rule and rule(self, op)
        if shape is not None:
            self.learn(target, shape)

    def learn(self, target: Var, shape: Shape) -> None:
        """A variable has this shape."""
        kind, rank = target.kind, rank_of(target.kind)
        if rank is not None and (len(shape) != rank or _is_whole(shape)):
            return
        if isinstance(kind, Array) and kind.shape is not None and self.by_token:
            if rank is not None:
                self.explain(self.by_kind(target), shape)
        else:
            self.known[target] = shape
            if isinstance(kind, Array) and kind.shape is not None and len(self.facts) == self.lasting:
                self.numbers |= {(kind.shape, k): d for k, d in enumerate(shape) if isinstance(d, int)}

    def checked(self, op: Op) -> None:
        """A check has passed."""
        match op:
            case Op(fn=helpers.same_axes, args=(a, b)):
                self.equate(a, b)
            case Op(fn=helpers.same_length, args=(a, b)):
                self.unify(self.dim_of(a), self.dim_of(b))
            case Op(fn=helpers.at_least, args=(a, Const(int(n)))) if self.depth <= 1:
                dim = self.dim_of(a)
                self.least[dim] = max(n, self.least.get(dim, 0))

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
        """The last axes of ``a`` are those of ``b``: here, or, where nothing is learnt from nested blocks, all over."""
        shape, ends = self.of(a), self.of(b)
        for x, y in zip(shape[len(shape) - len(ends) :], ends, strict=True):
            x, y = self.find(x), self.find(y)
            if self.scoped or self.depth <= 1:
                self.unify(x, y)
                continue
            if isinstance(x, int) or (self.is_lasting(x) and not self.is_lasting(y)):
                x, y = y, x
            if x != y and not isinstance(x, int) and not _mentions(y, x):
                self.tokens[x] = y

    def explain(self, token: Shape, shape: Shape) -> None:
        """What the dimensions of a token are, as far as they are the same wherever it occurs."""
        for a, b in zip(token, shape, strict=True):
            if not isinstance(b, int) and (len(self.facts) != self.lasting or not self.is_fixed(b)):
                continue
            a, b = self.find(a), self.find(b)
            if a != b and _is_token_axis(a) and not _mentions(b, a):
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

    def ufunc(self, op: Op) -> Shape | None:
        """The broadcast of the operands."""
        fn = op.fn
        assert isinstance(fn, np.ufunc)
        return self.elementwise(op) if fn.signature is None and not op.kwargs else None

    def elementwise(self, op: Op) -> Shape | None:
        """The broadcast of the operands."""
        return self.broadcast([self.of(a) for a in op.args])

    def broadcast(self, shapes: Iterable[Shape]) -> Shape | None:
        """The shape of an element-wise operation."""
        distinct = list(dict.fromkeys(self.canonical(s) for s in shapes if s != ()))
        if len(distinct) <= 1:
            return distinct[0] if distinct else ()
        if any(_is_whole(s) for s in distinct):
            return (("whole", frozenset(distinct)),)
        rank = max(map(len, distinct))
        padded = [(1,) * (rank - len(s)) + s for s in distinct]
        return tuple(self.broadcast_dims({self.find(s[k]) for s in padded}) for k in range(rank))

    def broadcast_dims(self, dims: set[Dim]) -> Dim:
        """One axis of a broadcast."""
        dims.discard(1)
        if not dims:
            return 1
        sizes = [d for d in dims if isinstance(d, int)]
        if sizes:
            return sizes[0]
        return dims.pop() if len(dims) == 1 else ("broadcast", frozenset(dims))

    def contract(self, op: Op) -> Shape | None:
        """``a @ b`` and ``np.dot(a, b)`` of vectors and matrices: the inner axes agree."""
        if len(op.args) != 2 or op.kwargs:
            return None
        a, b = (self.of(x) for x in op.args)
        if _is_whole(a) or _is_whole(b) or not 1 <= len(a) <= 2 or not 1 <= len(b) <= 2:
            return None
        if self.by_product:
            self.unify(a[-1], b[0])
        return a[:-1] + b[1:]

    def written_down(self, op: Op) -> Shape | None:
        """``np.array([x, y])``, of rows too."""
        return self.listed(op.args[0]) if len(op.args) == 1 else None

    def listed(self, a: Atom) -> Shape | None:
        """The shape of an array of the items of a list."""
        if isinstance(_kind(a), Scalar):
            return ()
        made = self.lists.get(a) if isinstance(a, Var) else None
        if made is None or made.fn is not prims.make_list or not made.args:
            return self.of(a) if isinstance(_kind(a), Array) and not _is_whole(self.of(a)) else None
        parts = set(map(self.listed, made.args))
        first = parts.pop()
        return None if first is None or parts else (len(made.args), *first)

    def joined(self, op: Op) -> Shape | None:
        """``np.concatenate(parts, axis)``: lengths add up along the axis."""
        maker = self.makers.get(op.args[0]) if op.args and isinstance(op.args[0], Var) else None
        axis = op.args[1] if len(op.args) > 1 else dict(op.kwargs).get("axis", Const(0))
        if maker is None or maker.fn is not prims.make_tuple or not maker.args or not isinstance(axis, Const):
            return None
        parts = [self.canonical(self.of(a)) for a in maker.args]
        rank = len(parts[0])
        if any(_is_whole(s) or len(s) != rank for s in parts) or type(axis.value) is not int or not rank:
            return None
        k = axis.value % rank
        return (*parts[0][:k], self.added([s[k] for s in parts]), *parts[0][k + 1 :])

    def added(self, dims: list[Dim]) -> Dim:
        """The sum of dimensions."""
        number = sum(d for d in dims if isinstance(d, int))
        rest = [d for d in dims if not isinstance(d, int)]
        match rest:
            case []:
                return number
            case [("less", whole, int(cut))] if number <= cut <= self.shortest(whole):
                return ("less", whole, cut - number) if number < cut else whole
            case [dim] if not number:
                return dim
        return ("sum", number, *rest)

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
                if not _is_whole(dims) and type(k) is int and -len(dims) <= k < len(dims):
                    return dims[k]
        if maker is not None and maker.fn is len:
            dims = self.of(maker.args[0])
            if dims and not _is_whole(dims):
                return dims[0]
        return ("int", a)

    def filled(self, op: Op) -> Shape | None:
        """``np.zeros(shape)``: of an int, a tuple made in sight, or the shape of another array."""
        shape = op.args[0] if op.args else None
        if shape is None:
            return None
        if isinstance(_kind(shape), Scalar):
            return (self.dim_of(shape),)
        return self.described(shape)

    def diagonal(self, op: Op) -> Shape | None:
        """``np.eye(n)``, ``np.eye(n, m)`` and ``np.identity(n)``, where ``n`` and ``m`` are not negative."""
        sizes = op.args[:2] if op.fn is np.eye else op.args[:1]
        dims = tuple(self.dim_of(a) for a in sizes if a != Const(None))
        if not dims or any(map(_may_be_negative, dims)) or not {k for k, _ in op.kwargs} <= {"dtype", "k"}:
            return None
        return dims[0], dims[-1]

    def described(self, shape: Atom) -> Shape | None:
        """The shape that a tuple says."""
        if isinstance(shape, Const):
            items = shape.value if isinstance(shape.value, tuple) else ()
            return items if items and all(type(n) is int for n in items) else None
        maker = self.makers.get(shape) if isinstance(shape, Var) else None
        if maker is not None and maker.fn is np.shape:
            return self.of(maker.args[0])
        if maker is not None and maker.fn is prims.make_tuple:
            return tuple(map(self.dim_of, maker.args))
        return None

    def reshaped(self, op: Op) -> Shape | None:
        """``np.reshape(a, shape)``: a number that is not known to be a length may be -1, whatever is left."""
        dims = self.described(op.args[1]) if len(op.args) == 2 else None
        if dims is None or _is_whole(dims):
            return dims
        return tuple(("axis", op.target, k) if _may_be_negative(d) else d for k, d in enumerate(dims))

    def subscript(self, op: Op) -> Shape | None:
        """Integers drop an axis, slices keep one, None adds one."""
        obj, index = op.args
        dims = self.of(obj)
        if _is_whole(dims) or not isinstance(_kind(obj), Array):
            return None
        maker = self.makers.get(index) if isinstance(index, Var) else None
        parts = maker.args if maker is not None and maker.fn is prims.make_tuple else (index,)
        if isinstance(_kind(index), Tuple) and maker is None:
            return None
        out: list[Dim] = []
        taken = sum(not _is_new_axis(p) and p != Const(Ellipsis) for p in parts)
        rest = list(dims)
        alone = sum(isinstance(_kind(p), Scalar | Array) for p in parts) == 1
        for p in parts:
            if p == Const(Ellipsis):
                n = len(dims) - taken
                out += rest[:n]
                rest = rest[n:]
            elif _is_new_axis(p):
                out.append(1)
            elif not rest:
                return None
            elif isinstance(_kind(p), Scalar) and _kind(p).dtype != "bool":  # type: ignore[attr-defined]
                rest.pop(0)
            elif alone and _is_integers(_kind(p)) and not _is_whole(self.of(p)):
                rest.pop(0)
                out += self.of(p)
            else:
                part = self.sliced(rest.pop(0), p)
                if part is None:
                    return None
                out.append(part)
        return tuple(out + rest)

    def sliced(self, dim: Dim, part: Atom) -> Dim | None:
        """One axis under a slice."""
        if isinstance(part, Const):
            return None
        maker = self.makers.get(part) if isinstance(part, Var) else None
        if maker is None or maker.fn is not prims.make_slice:
            return ("slice", self.find(dim), part) if _kind(part) == Other(slice) else None
        start, stop, step = maker.args
        if step in (Const(None), Const(1)) and (ends := _ends(start, stop)) is not None:
            first, last = ends
            if isinstance(dim := self.find(dim), int) or self.shortest(dim) >= last:
                return max(0, (min(last, dim) if isinstance(dim, int) else last) - first)
        cut = _cut(start, stop) if step in (Const(None), Const(1)) else None
        return ("slice", self.find(dim), *maker.args) if cut is None else _shortened(self.find(dim), cut)

    def reduced(self, op: Op) -> Shape | None:
        """A sum over given axes."""
        given = dict(op.kwargs)
        axis = op.args[1] if len(op.args) > 1 else given.get("axis", Const(None))
        keep = given.get("keepdims", Const(False))
        dims = self.of(op.args[0])
        if not isinstance(axis, Const) or not isinstance(keep, Const) or _is_whole(dims) or len(op.args) > 2:
            return None
        axes = range(len(dims)) if axis.value is None else [axis.value]
        if not all(type(k) is int and -len(dims) <= k < len(dims) for k in axes):
            return None
        gone = {k % len(dims) for k in axes}
        return tuple(1 if k in gone else d for k, d in enumerate(dims) if keep.value or k not in gone)

    def expanded(self, op: Op) -> Shape | None:
        """``np.expand_dims(a, axis)``."""
        dims = self.of(op.args[0])
        axis = op.args[1] if len(op.args) == 2 else dict(op.kwargs).get("axis")
        if _is_whole(dims) or not isinstance(axis, Const) or type(axis.value) is not int:
            return None
        k = axis.value % (len(dims) + 1)
        return (*dims[:k], 1, *dims[k:])

    def outer(self, op: Op) -> Shape | None:
        """``np.outer(a, b)`` of vectors."""
        a, b = (self.of(x) for x in op.args[:2])
        return (*a, *b) if len(a) == len(b) == 1 and not (_is_whole(a) or _is_whole(b)) else None

    def transposed(self, op: Op) -> Shape | None:
        """``a.T``"""
        dims = self.of(op.args[0])
        return None if _is_whole(dims) or len(op.args) > 1 or op.kwargs else dims[::-1]


def _kind(a: Atom) -> Kind:
    if isinstance(a, Const):
        value = a.value
        return Scalar(type(value).__name__) if isinstance(value, bool | int | float) else Other(type(value))
    return a.kind


def is_elementwise(fn: Any) -> bool:
    """Whether an operation gives one element from one of each operand, broadcast together."""
    try:
        return fn in _ELEMENTWISE or (isinstance(fn, np.ufunc) and fn.signature is None)
    except TypeError:
        return False


def _may_be_negative(dim: Dim) -> bool:
    """Whether a number given as a length may be something else."""
    return dim < 0 if isinstance(dim, int) else isinstance(dim, tuple) and dim[0] == "int"


def _tokens(variables: Iterable[Var]) -> set[int]:
    """The names of the shapes of variables."""
    return {v.kind.shape for v in variables if isinstance(v.kind, Array) and v.kind.shape is not None}


def _is_token_axis(dim: Dim) -> bool:
    return isinstance(dim, tuple) and dim[0] == "axis" and isinstance(dim[1], tuple)


def _mentions(dim: Dim, other: Dim) -> bool:
    return dim == other or (isinstance(dim, tuple | frozenset) and any(_mentions(d, other) for d in dim))


def _ends(start: Atom, stop: Atom) -> tuple[int, int] | None:
    """The ends of a slice, where both are numbers counted from the beginning."""
    first = Const(0) if start == Const(None) else start
    match first, stop:
        case Const(int(a)), Const(int(b)) if type(a) is type(b) is int and a >= 0 and b >= 0:
            return a, b
    return None


def _cut(start: Atom, stop: Atom) -> int | None:
    """How many items a slice leaves out at the ends, where it counts them from there: ``1:-1`` leaves out 2."""
    first = 0 if start == Const(None) else start.value if isinstance(start, Const) else None
    last = 0 if stop == Const(None) else stop.value if isinstance(stop, Const) else None
    if type(first) is not int or type(last) is not int or first < 0:
        return None
    return first - last if last < 0 or stop == Const(None) else None


def _shortened(dim: Dim, cut: int) -> Dim:
    """A dimension with so many items less, none at the least."""
    if isinstance(dim, int):
        return max(0, dim - cut)
    if isinstance(dim, tuple) and dim[0] == "less":
        return ("less", dim[1], dim[2] + cut)
    return ("less", dim, cut) if cut else dim


def _is_whole(shape: Shape) -> bool:
    return len(shape) == 1 and isinstance(shape[0], tuple) and shape[0][0] == "whole"


def _is_integers(kind: Kind) -> bool:
    """Whether this is an array of places, not of truth values."""
    return isinstance(kind, Array) and is_integer(kind) and kind.dtype != "bool"


def _is_new_axis(a: Atom) -> bool:
    return a == Const(None)


def _of_operand(position: int, name: str = "") -> Callable[[Shapes, Op], Shape | None]:
    """The shape of an operand, by position or by name."""

    def rule(s: Shapes, op: Op) -> Shape | None:
        if position < len(op.args):
            return s.of(op.args[position])
        found = dict(op.kwargs).get(name)
        return None if found is None else s.of(found)

    return rule


def _with_like() -> dict[Callable[..., Any], Callable[[Shapes, Op], Shape | None]]:
    """The helpers whose result has the shape of their parameter ``like``."""
    out = {}
    for f in vars(helpers).values():
        code = getattr(f, "__code__", None)
        if code is not None and f.__module__ == helpers.__name__ and f.__name__ not in ("cast", "pack", "unpack"):
            names = code.co_varnames[: code.co_argcount]
            if "like" in names:
                out[f] = _of_operand(names.index("like"), "like")
    return out


def _named(names: str) -> list[Callable[..., Any]]:
    return [getattr(np, n) for n in names.split() if hasattr(np, n)]


#: Operations that describe shapes and indices.
_DESCRIBE: set[Any] = {np.shape, len, prims.make_tuple, prims.make_slice, operator.getitem}

#: Arithmetic on lengths.
_COUNTS: set[Any] = {operator.add, operator.sub, operator.mul, operator.floordiv, max, min}

_ELEMENTWISE: list[Callable[..., Any]] = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.neg, operator.pos),
    *(operator.floordiv, operator.mod, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    *(abs, np.where, helpers.times, helpers.quotient),
]

_RULES: dict[Callable[..., Any], Callable[[Shapes, Op], Shape | None]] = {
    **_with_like(),
    **dict.fromkeys(_ELEMENTWISE, Shapes.elementwise),
    **dict.fromkeys(
        _named(
            "copy zeros_like ones_like full_like empty_like flip fliplr flipud roll tril triu real around nan_to_num "
            "ascontiguousarray asfortranarray"
        ),
        _of_operand(0, "a"),
    ),
    **dict.fromkeys(_named("zeros ones empty full"), Shapes.filled),
    **dict.fromkeys(_named("sum mean max min amax amin prod var std any all"), Shapes.reduced),
    **dict.fromkeys(_named("eye identity"), Shapes.diagonal),
    np.reshape: Shapes.reshaped,
    np.array: Shapes.written_down,
    np.concatenate: Shapes.joined,
    np.expand_dims: Shapes.expanded,
    np.transpose: Shapes.transposed,
    np.matmul: Shapes.contract,
    np.dot: Shapes.contract,
    np.outer: Shapes.outer,
    operator.matmul: Shapes.contract,
    operator.getitem: Shapes.subscript,
    helpers.as_result: _of_operand(1, "x"),
    helpers.cast: _of_operand(0),
    helpers.zero_leaf: _of_operand(0),
    helpers.zeros_like: _of_operand(0),
    helpers.ones_like: _of_operand(0),
    helpers.astype: _of_operand(0),
}
