"""Jacobians in one compiled call: the loop over columns, or rows, is part of the machine code.

Before, the tangent of ``f`` along ``dx``::

    def f_jvp(x, dx):
        t = np.cos(x)
        y = np.sin(x)
        dy = t * dx
        return y, dy

After::

    def f_jacobian(x):
        t = np.cos(x)
        y = np.sin(x)
        dx = np.zeros_like(x)
        J = np.empty((y.shape[0], x.shape[0]))
        for k in range(x.shape[0]):
            dx[k] = 1.0
            J[:, k] = t * dx
            dx[k] = 0.0
        return J

What does not depend on the tangent is computed once, before the loop (:func:`parted`). Of what cannot be
parted from it, a loop that computes values and tangents say, a copy without the tangents comes before it, which
tells the shape of the result. Rows are made likewise, of a function and its pullback.

Requires: the linked IR of a ``jvp`` or ``vjp``.
Ensures: a function of the parameters of the function differentiated, and of nothing else; :class:`NotWhole` where
arguments or results are neither floats nor arrays of floats, or tuples of these as results.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad.analysis.effects import KEEPS_NOTHING, is_pure, writes_of
from s2sad.analysis.memory import Memory
from s2sad.compiled.errors import NotWhole
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Function, If, Op, Ref, Stmt, Store, Var
from s2sad.ir.rewrite import all_vars, clone_block, free_vars, map_stmts, substitute, walk, with_body
from s2sad.optimise.dead import dead_code
from s2sad.runtime.helpers import copy_state

__all__ = ["swept"]


def swept(function: Function, sweep: str, wrt: Sequence[int]) -> Function:
    """The Jacobian by these parameters, of a ``jvp`` or ``vjp``.

    Of "either", the result is a pair: whether there is a Jacobian, and this.
    """
    if any(isinstance(s, Op) and not _is_harmless(s) for s in walk(function)):
        raise NotWhole
    if sweep == "rows":
        stmts, outs = _by_rows(function, wrt)
        params = function.params
    else:
        params = function.params[: len(function.params) - len(wrt)]
        stmts, outs = _by_columns(function, params, wrt, sweep == "either")
    name = function.name.rpartition("_")[0] + "_jacobian"
    return dead_code(Function(name, params, Block(tuple(stmts), (outs,)), function.doc, function.origin))


def _is_harmless(op: Op) -> bool:
    """Whether an operation does nothing that must not be done twice."""
    return isinstance(op.fn, Function) or is_pure(op.fn) or (op.fn in KEEPS_NOTHING and op.fn is not print)


# ---------------------------------------------------------------- inputs and outputs


@dataclass
class _Writer:
    """Puts statements down."""

    stmts: list[Stmt] = field(default_factory=list)

    def emit(self, fn: Any, *args: Any, kind: K.Kind = K.INT, hint: str = "") -> Var:
        """The result of an operation."""
        target = Var(hint, kind)
        self.stmts.append(Op(target, fn, tuple(a if isinstance(a, Var | Ref | Const) else Const(a) for a in args)))
        return target

    def tuple_of(self, *items: Atom) -> Var:
        """A tuple."""
        return self.emit(prims.make_tuple, *items, kind=K.Tuple(tuple(map(kind_of, items))))


_ZERO, _ONE = Const(0), Const(1)


@dataclass
class _Leaf:
    """A number or an array of the arguments or the result, and where it is among all their numbers."""

    value: Atom
    sizes: tuple[Atom, ...] = ()
    start: Atom = _ZERO
    count: Atom = _ONE
    place: Var | None = None  #: where in it the number of this iteration is
    inside: Var | None = None  #: whether it is in it; None: it is, always

    @property
    def rank(self) -> int:
        """The number of axes."""
        return K.rank_of(kind_of(self.value)) or 0


Tree = Any  #: a leaf, or a tuple of trees


def _leaves(tree: Tree) -> Iterator[Any]:
    if isinstance(tree, tuple):
        for part in tree:
            yield from _leaves(part)
    else:
        yield tree


def _taken_apart(a: Atom, made: dict[Var, Op]) -> Tree:
    """A result as the numbers and arrays that it is put together of."""
    kind = kind_of(a)
    op = made.get(a) if isinstance(a, Var) else None
    if isinstance(kind, K.Tuple) and kind.cls is None and op is not None and op.fn is prims.make_tuple:
        return tuple(_taken_apart(x, made) for x in op.args)
    _require(kind)
    return a


def _require(kind: K.Kind) -> None:
    """Refuse what is neither a float nor an array of floats with axes."""
    match kind:
        case K.Scalar("float" | "float64"):
            return
        case K.Array("float64" | "float32", int(rank)) if rank:
            return
    raise NotWhole


def _like(a: Tree, b: Tree) -> bool:
    """Whether two results have the same structure."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        same = isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b)
        return same and all(map(_like, a, b))
    return K.rank_of(kind_of(a)) == K.rank_of(kind_of(b))


def _made(function: Function | Block) -> dict[Var, Op]:
    return {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}


def _pair(function: Function, made: dict[Var, Op]) -> tuple[Atom, Atom]:
    """The two parts of the result."""
    op = made.get(function.result) if isinstance(function.result, Var) else None
    if op is None or op.fn is not prims.make_tuple or len(op.args) != 2:
        raise NotWhole
    return op.args[0], op.args[1]


def _measured(w: _Writer, value: Atom) -> _Leaf:
    """A leaf with the lengths of its axes."""
    leaf = _Leaf(value)
    if leaf.rank:
        shape = w.emit(np.shape, value, kind=K.Tuple((K.INT,) * leaf.rank))
        leaf.sizes = tuple(w.emit(operator.getitem, shape, k) for k in range(leaf.rank))
        leaf.count = leaf.sizes[0]
        for size in leaf.sizes[1:]:
            leaf.count = w.emit(operator.mul, leaf.count, size)
    return leaf


def _lined_up(w: _Writer, leaves: Sequence[_Leaf]) -> Atom:
    """Put leaves one after the other; how many numbers they are."""
    total: Atom = Const(0)
    for k, leaf in enumerate(leaves):
        leaf.start = total
        total = leaf.count if k == 0 else w.emit(operator.add, total, leaf.count)
    return total


# ---------------------------------------------------------------- the loop


def _located(w: _Writer, leaves: Sequence[_Leaf], index: Var) -> None:
    """Find the leaf in which the number of this iteration is."""
    for k, leaf in enumerate(leaves):
        leaf.place = index if k == 0 else w.emit(operator.sub, index, leaf.start)
        if len(leaves) > 1:
            after = w.emit(operator.ge, leaf.place, 0, kind=K.BOOL)
            before = w.emit(operator.lt, leaf.place, leaf.count, kind=K.BOOL)
            leaf.inside = w.emit(operator.and_, after, before, kind=K.BOOL)


def _where(w: _Writer, leaf: _Leaf) -> tuple[Atom, ...]:
    """The index, in a leaf, of the number of this iteration."""
    assert leaf.place is not None
    if leaf.rank < 2:
        return (leaf.place,) if leaf.rank else ()
    rest, found = leaf.place, []
    for size in reversed(leaf.sizes[1:]):
        found.append(w.emit(operator.mod, rest, size))
        rest = w.emit(operator.floordiv, rest, size)
    return (rest, *reversed(found))


def _guarded(w: _Writer, leaf: _Leaf, act: Callable[[_Writer], None]) -> None:
    """Statements for iterations that are about a leaf."""
    inner = _Writer() if leaf.inside is not None else w
    act(inner)
    if leaf.inside is not None:
        w.stmts.append(If(leaf.inside, Block(tuple(inner.stmts)), Block()))


def _store(w: _Writer, array: Atom, index: Sequence[Atom], value: Atom) -> None:
    w.stmts.append(Store(array, index[0] if len(index) == 1 else w.tuple_of(*index), value))


def _pushed(w: _Writer, leaf: _Leaf, seed: Atom) -> Atom:
    """The direction of this iteration, of a leaf: one at its place, zero everywhere else."""
    if leaf.rank:
        _guarded(w, leaf, lambda inner: _store(inner, seed, _where(inner, leaf), Const(1.0)))
        return seed
    if leaf.inside is None:
        return Const(1.0)
    direction = Var("d", K.FLOAT)
    w.stmts.append(If(leaf.inside, Block((), (Const(1.0),)), Block((), (Const(0.0),)), (direction,)))
    return direction


def _taken_back(w: _Writer, leaf: _Leaf, seed: Atom) -> None:
    if leaf.rank:
        _guarded(w, leaf, lambda inner: _store(inner, seed, _where(inner, leaf), Const(0.0)))


@dataclass
class _Blocks:
    """The blocks of a Jacobian: one for each leaf of the result and each of the arguments."""

    targets: Sequence[_Leaf]
    sources: Sequence[_Leaf]
    arrays: dict[tuple[int, int], Var] = field(default_factory=dict)

    def make(self, w: _Writer) -> None:
        """Room for them. That of a number by a number is an array with one item."""
        for t, target in enumerate(self.targets):
            kind = kind_of(target.value)
            dtype = K.dtype_of(kind) if isinstance(kind, K.Array) else "float64"
            made = Ref(("np", dtype), np, getattr(np, dtype), K.Other(type))
            for s, source in enumerate(self.sources):
                sizes = (*target.sizes, *source.sizes) or (Const(1),)
                self.arrays[t, s] = block = Var("J", K.Array(dtype, len(sizes)))
                shape = w.tuple_of(*sizes)
                w.stmts.append(Op(block, np.empty, (shape,), (("dtype", made),)))

    def set_column(self, w: _Writer, source: _Leaf, tangents: Sequence[Atom]) -> None:
        """Store the tangents of the result along one number of an argument."""
        s = next(k for k, leaf in enumerate(self.sources) if leaf is source)
        where = _where(w, source)
        for t, (target, tangent) in enumerate(zip(self.targets, tangents, strict=True)):
            _store(w, self.arrays[t, s], (*_whole(w, target.rank), *where) or (Const(0),), tangent)

    def set_row(self, w: _Writer, target: _Leaf, cotangents: Sequence[Atom]) -> None:
        """Store the cotangents of the arguments for one number of the result."""
        t = next(k for k, leaf in enumerate(self.targets) if leaf is target)
        where = _where(w, target)
        for s, (source, cotangent) in enumerate(zip(self.sources, cotangents, strict=True)):
            _store(w, self.arrays[t, s], (*where, *_whole(w, source.rank)) or (Const(0),), cotangent)

    def result(self, w: _Writer, tree: Tree) -> Atom:
        """The Jacobian: blocks by arguments, within the structure of the result."""
        numbers = iter(range(len(self.targets)))

        def of(part: Tree) -> Atom:
            if isinstance(part, tuple):
                return w.tuple_of(*map(of, part))
            t = next(numbers)
            found = [self._block(w, t, s) for s in range(len(self.sources))]
            return found[0] if len(found) == 1 else w.tuple_of(*found)

        return of(tree)

    def _block(self, w: _Writer, t: int, s: int) -> Atom:
        if self.targets[t].rank or self.sources[s].rank:
            return self.arrays[t, s]
        return w.emit(operator.getitem, self.arrays[t, s], 0, kind=K.FLOAT)


def _whole(w: _Writer, rank: int) -> list[Atom]:
    return [w.emit(prims.make_slice, None, None, None, kind=K.SLICE) for _ in range(rank)]


# ---------------------------------------------------------------- columns


def _by_columns(function: Function, params: Sequence[Var], wrt: Sequence[int], asked: bool) -> tuple[list[Stmt], Atom]:
    """The statements of a Jacobian by columns, and its result."""
    made = _made(function)
    y, dy = (_taken_apart(a, made) for a in _pair(function, made))
    if not _like(y, dy):
        raise NotWhole
    directions = function.params[len(params) :]
    for v in (*directions, *(params[k] for k in wrt)):
        _require(v.kind)
    once, each = parted(function, directions)
    w = _Writer(once)
    values = dict(zip(_leaves(y), _primal(w, each, list(_leaves(y)), directions), strict=True))
    targets = [_measured(w, values[a]) for a in _leaves(y)]
    sources = [_measured(w, params[k]) for k in wrt]
    total = _lined_up(w, sources)
    if asked:
        outputs = _lined_up(w, targets)
        enough = w.emit(operator.ge, outputs, total, kind=K.BOOL)
        columns = Var("", K.INT)
        w.stmts.append(If(enough, Block((), (total,)), Block((), (Const(0),)), (columns,)))
        total = columns
    blocks = _Blocks(targets, sources)
    blocks.make(w)
    for leaf, d in zip(sources, directions, strict=True):
        if leaf.rank:
            w.stmts.append(Op(d, np.zeros_like, (leaf.value,)))
    index = Var("k", K.INT)
    inner = _Writer()
    _located(inner, sources, index)
    seeds = {d: _pushed(inner, leaf, d) for leaf, d in zip(sources, directions, strict=True)}
    body = substitute(Block(tuple(each)), {d: a for d, a in seeds.items() if a is not d})
    inner.stmts += body.stmts
    tangents = [seeds.get(a, a) if isinstance(a, Var) else a for a in _leaves(dy)]
    for leaf, d in zip(sources, directions, strict=True):
        _guarded(inner, leaf, lambda g, leaf=leaf: blocks.set_column(g, leaf, tangents))  # type: ignore[misc]
        _taken_back(inner, leaf, d)
    w.stmts.append(_loop(index, total, inner))
    result = blocks.result(w, y)
    return w.stmts, w.tuple_of(enough, result) if asked else result


def _loop(index: Var, total: Atom, body: _Writer) -> For:
    return For(index, Const(0), total, Const(1), (), (), Block(tuple(body.stmts)), ())


def _primal(w: _Writer, each: Sequence[Stmt], values: list[Atom], directions: Sequence[Var]) -> list[Atom]:
    """Values that statements of the loop compute, computed before the loop."""
    inside = set(all_vars(Block(tuple(each))))
    if not any(a in inside for a in values if isinstance(a, Var)):
        return values
    body = Block(tuple(each), tuple(values))
    alone = clone_block(dead_code(Function("", free_vars(body), body)).body)
    if not set(directions).isdisjoint(free_vars(alone)):
        raise NotWhole
    w.stmts += alone.stmts
    return list(alone.outs)


# ---------------------------------------------------------------- rows


def _by_rows(function: Function, wrt: Sequence[int]) -> tuple[list[Stmt], Atom]:
    """The statements of a Jacobian by rows, and its result."""
    made = _made(function)
    y, back = _pair(function, made)
    closure = next((s for s in function.body.stmts if isinstance(s, Closure) and s.target is back), None)
    if closure is None or len(closure.function.params) != 1:
        raise NotWhole
    w = _Writer([s for s in function.body.stmts if s is not closure and getattr(s, "target", s) != function.result])
    if any(isinstance(s, Closure) for s in walk(Block(tuple(w.stmts)))):
        raise NotWhole
    tree = _taken_apart(y, made)
    pullback = _with_plain_copies(closure.function, Memory(function))
    cotangents = _cotangents(pullback, [function.params[k] for k in wrt])
    targets = [_measured(w, a) for a in _leaves(tree)]
    sources = [_measured(w, function.params[k]) for k in wrt]
    total = _lined_up(w, targets)
    blocks = _Blocks(targets, sources)
    blocks.make(w)
    buffers = [_buffer(w, leaf) for leaf in targets]
    index = Var("k", K.INT)
    inner = _Writer()
    _located(inner, targets, index)
    seeds = iter([_pushed(inner, leaf, b) for leaf, b in zip(targets, buffers, strict=True)])

    def of(part: Tree) -> Atom:
        return inner.tuple_of(*map(of, part)) if isinstance(part, tuple) else next(seeds)

    body = substitute(pullback.body, {pullback.params[0]: of(tree)})
    inner.stmts += body.stmts
    for leaf, b in zip(targets, buffers, strict=True):
        _guarded(inner, leaf, lambda g, leaf=leaf: blocks.set_row(g, leaf, cotangents))  # type: ignore[misc]
        _taken_back(inner, leaf, b)
    w.stmts.append(_loop(index, total, inner))
    return w.stmts, blocks.result(w, tree)


def _with_plain_copies(pullback: Function, memory: Memory) -> Function:
    """The pullback with a copy of each thing that it changes, where none is a view of another."""
    made = _made(pullback)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if isinstance(s, Op) and s.fn is prims.list_copy and s.target is not None:
            return _sliced(s.args[0], s.target)
        if not isinstance(s, Op) or s.fn is not copy_state:
            return s
        whole = made.get(s.args[0]) if isinstance(s.args[0], Var) else None
        if whole is None or whole.fn is not prims.make_tuple or s.target is None:
            raise NotWhole
        classes = [memory.of(a) for a in whole.args]
        if None in classes or len(set(classes)) < len(classes):
            raise NotWhole
        copies: list[Var] = []
        made_here: list[Stmt] = []
        for a in whole.args:
            copies.append(copy := Var("", kind_of(a)))
            copier = _copier(a, memory)
            made_here += _sliced(a, copy) if copier is prims.list_copy else [Op(copy, copier, (a,))]
        return [*made_here, Op(s.target, prims.make_tuple, tuple(copies))]

    return with_body(pullback, map_stmts(pullback.body, change))


def _sliced(a: Atom, target: Var) -> list[Stmt]:
    """A copy of a tape, which is read once for each row: as a slice, for it is not to be taken for a tape itself."""
    everything = Var("", K.SLICE)
    nothing = Const(None)
    made = Op(everything, prims.make_slice, (nothing, nothing, nothing))
    return [made, Op(target, operator.getitem, (a, everything))]


def _copier(a: Atom, memory: Memory) -> Any:
    """What copies a value as deep as it is changed."""
    match kind_of(a):
        case K.Array():
            return np.copy
        case K.List() if not any(c in memory.written for c in memory.reachable(a) if c != memory.of(a)):
            return prims.list_copy
    raise NotWhole


def _cotangents(pullback: Function, params: Sequence[Var]) -> list[Atom]:
    """What a pullback returns, for each of the parameters differentiated by."""
    op = _made(pullback).get(pullback.result) if isinstance(pullback.result, Var) else None
    if op is None or op.fn is not prims.make_tuple or len(op.args) != len(params):
        raise NotWhole
    for a, p in zip(op.args, params, strict=True):
        _require(kind_of(a))
        _require(p.kind)
        if K.rank_of(kind_of(a)) != K.rank_of(p.kind):
            raise NotWhole
    return list(op.args)


def _buffer(w: _Writer, leaf: _Leaf) -> Atom:
    """Zeros like a leaf."""
    kind = kind_of(leaf.value)
    return w.emit(np.zeros_like, leaf.value, kind=kind, hint="by") if leaf.rank else Const(0.0)


# ---------------------------------------------------------------- what needs no direction


def parted(function: Function, directions: Sequence[Var]) -> tuple[list[Stmt], list[Stmt]]:
    """The statements that are the same for all directions and may go before the loop, and the others.

    What the others write to is theirs alone, with all that reads it; and nothing that they read is written to after
    they have read it.
    """
    stmts = [s for s in function.body.stmts if getattr(s, "target", s) != function.result]
    memory = Memory(function)
    parts = [_Part(s, memory) for s in stmts]
    each: set[int] = set()
    varied: set[Any] = set(directions)
    written: set[Any] = set()
    while True:
        before = len(each)
        touched: set[Any] = set()
        for k, part in enumerate(parts):
            late = not touched.isdisjoint(part.writes)
            if late or not varied.isdisjoint(part.reads) or not written.isdisjoint(part.touches):
                each.add(k)
            if k in each:
                varied |= part.makes
                written |= part.writes
                touched |= part.touches
        if len(each) == before:
            break
    return [s for k, s in enumerate(stmts) if k not in each], [s for k, s in enumerate(stmts) if k in each]


class _Part:
    """A statement, with what it reads, makes, touches and writes."""

    def __init__(self, stmt: Stmt, memory: Memory) -> None:
        block = Block((stmt,))
        self.makes = set(all_vars(block))
        self.reads = set(free_vars(block))
        self.touches = {c for v in self.makes | self.reads for c in memory.reachable(v)}
        written: list[Atom] = [a for s in walk(block) if isinstance(s, Op | Store) for a in writes_of(s)]
        written += [a for s in walk(block) if isinstance(s, Op) and isinstance(s.fn, Function) for a in s.args]
        self.writes = {c for a in written for c in memory.reachable(a)}
