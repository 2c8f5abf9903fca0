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

What does not depend on the tangent is computed once, before the loop (:mod:`s2sad.compiled.parting`). Of what cannot be
parted from it, a loop that computes values and tangents say, a copy without the tangents comes before it, which
tells the shape of the result. Rows are made likewise, of a function and its pullback.

Requires: the linked IR of a ``jvp`` or ``vjp``.
Ensures: a function of the parameters of the function differentiated, and of nothing else; :class:`NotWhole` where
arguments or results are neither floats nor arrays of floats, or tuples of these as results.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.effects import KEEPS_NOTHING, SHOWS, is_pure
from s2sad.analysis.memory import Memory
from s2sad.compiled.errors import IF_FEWER, NotWhole
from s2sad.compiled.expand import kind_of
from s2sad.compiled.fewer import lengths_for_certain, sweep_for_certain
from s2sad.compiled.lane_loops import FEW
from s2sad.compiled.leaves import (
    Blocks,
    Leaf,
    Tree,
    Writer,
    guarded,
    leaves,
    lined_up,
    located,
    measured,
    pushed,
    taken_back,
)
from s2sad.compiled.parting import parted
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Function, If, Op, Stmt, Var
from s2sad.ir.rewrite import all_vars, clone_block, free_vars, map_stmts, resolve, substitute, walk, with_body
from s2sad.optimise.dead import dead_code
from s2sad.runtime.helpers import copy_state

__all__ = ["chosen", "swept"]


def chosen(function: Function, sweep: str, wrt: Sequence[int]) -> str:
    """The loop for a ``jvp``, of "either" that one which is shorter whatever the arguments, if one is."""
    if sweep != "either":
        return sweep
    made = _made(function)
    results = leaves(_taken_apart(_pair(function, made)[0], made))
    return sweep_for_certain(function, results, [function.params[k] for k in wrt]) or sweep


def swept(function: Function, sweep: str, wrt: Sequence[int]) -> Function:
    """The Jacobian by these parameters, of a ``jvp`` or ``vjp``.

    Of "either", the result is a pair: whether there is a Jacobian, and this. The name says so.
    """
    if any(isinstance(s, Op) and not _is_harmless(s) for s in walk(function)):
        raise NotWhole
    if sweep == "rows":
        stmts, outs = _by_rows(function, wrt)
        params = function.params
    else:
        params = function.params[: len(function.params) - len(wrt)]
        stmts, outs = _by_columns(function, params, wrt, sweep == "either")
    name = function.name.rpartition("_")[0] + "_jacobian" + (IF_FEWER if sweep == "either" else "")
    return dead_code(Function(name, params, Block(tuple(stmts), (outs,)), function.doc, function.origin))


def _is_harmless(op: Op) -> bool:
    """Whether an operation does nothing that must not be done twice."""
    return isinstance(op.fn, Function) or is_pure(op.fn) or (op.fn in KEEPS_NOTHING and op.fn not in SHOWS)


# ---------------------------------------------------------------- arguments and results


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
    w = Writer(once)
    values = dict(zip(leaves(y), _primal(w, each, list(leaves(y)), directions), strict=True))
    targets = [measured(w, values[a]) for a in leaves(y)]
    sources = [measured(w, params[k]) for k in wrt]
    total = lined_up(w, sources)
    if asked:
        enough = w.emit(operator.ge, lined_up(w, targets), total, kind=K.BOOL)
        columns = Var("", K.INT)
        w.stmts.append(If(enough, Block((), (total,)), Block((), (Const(0),)), (columns,)))
        total = columns
    blocks = Blocks(targets, sources)
    blocks.make(w)
    for leaf, d in zip(sources, directions, strict=True):
        if leaf.rank:
            w.stmts.append(Op(d, np.zeros_like, (leaf.value,)))
    index = Var("k", K.INT)
    inner = Writer()
    located(inner, sources, index)
    seeds = {d: pushed(inner, leaf, d) for leaf, d in zip(sources, directions, strict=True)}
    body = substitute(Block(tuple(each)), {d: a for d, a in seeds.items() if a is not d})
    inner.stmts += body.stmts
    tangents = [seeds.get(a, a) if isinstance(a, Var) else a for a in leaves(dy)]
    for leaf, d in zip(sources, directions, strict=True):
        guarded(inner, leaf, lambda g, leaf=leaf: blocks.set_column(g, leaf, tangents))  # type: ignore[misc]
        taken_back(inner, leaf, d)
    w.stmts.append(_loop(index, total, inner))
    result = blocks.result(w, y)
    return w.stmts, w.tuple_of(enough, result) if asked else result


def _loop(index: Var, total: Atom, body: Writer) -> For:
    return For(index, Const(0), total, Const(1), (), (), Block(tuple(body.stmts)), (), independent="directions")


def _primal(w: Writer, each: Sequence[Stmt], values: list[Atom], directions: Sequence[Var]) -> list[Atom]:
    """Values that statements of the loop compute, computed before the loop."""
    inside = set(all_vars(Block(tuple(each))))
    if not any(a in inside for a in values if isinstance(a, Var)):
        return values
    together = Writer(list(each))
    result = together.tuple_of(*values)
    body = Block(tuple(together.stmts), (result,))
    *stmts, last = clone_block(dead_code(Function("", free_vars(body), body)).body).stmts
    if not set(directions).isdisjoint(free_vars(Block((*stmts, last)))):
        raise NotWhole
    w.stmts += stmts
    assert isinstance(last, Op)
    return list(last.args)


# ---------------------------------------------------------------- rows


def _by_rows(function: Function, wrt: Sequence[int]) -> tuple[list[Stmt], Atom]:
    """The statements of a Jacobian by rows, and its result."""
    made = _made(function)
    y, back = _pair(function, made)
    closure = next((s for s in function.body.stmts if isinstance(s, Closure) and s.target is back), None)
    if closure is None or len(closure.function.params) != 1:
        raise NotWhole
    w = Writer([s for s in function.body.stmts if s is not closure and getattr(s, "target", s) != function.result])
    if any(isinstance(s, Closure) for s in walk(Block(tuple(w.stmts)))):
        raise NotWhole
    tree = _taken_apart(y, made)
    pullback = _with_plain_copies(closure.function, Memory(function))
    cotangents: list[Atom | None] = [*_cotangents(pullback, [function.params[k] for k in wrt])]
    targets = [measured(w, a) for a in leaves(tree)]
    sources = [measured(w, function.params[k]) for k in wrt]
    total = lined_up(w, targets)
    blocks = Blocks(targets, sources)
    blocks.make(w)
    if few := _few(function, targets):
        for leaf, shape in zip(targets, few, strict=True):
            leaf.known = None if 0 in shape else shape
    buffers = [_buffer(w, leaf) for leaf in targets]
    index = Var("k", K.INT)
    inner = Writer()
    located(inner, targets, index)
    seeds = iter([pushed(inner, leaf, b) for leaf, b in zip(targets, buffers, strict=True)])

    def of(part: Tree) -> Atom:
        return inner.tuple_of(*map(of, part)) if isinstance(part, tuple) else next(seeds)

    body = substitute(pullback.body, {pullback.params[0]: of(tree)})
    if few:
        body, cotangents = _in_place(body, blocks, cotangents)
    inner.stmts += _items_themselves(Block((*inner.stmts, *body.stmts))).stmts[len(inner.stmts) :]
    for leaf, b in zip(targets, buffers, strict=True):
        guarded(inner, leaf, lambda g, leaf=leaf: blocks.set_row(g, leaf, cotangents))  # type: ignore[misc]
        taken_back(inner, leaf, b)
    w.stmts.append(_loop(index, total, inner))
    return w.stmts, blocks.result(w, tree)


def _few(function: Function, targets: Sequence[Leaf]) -> list[tuple[int, ...]]:
    """The shapes of results of so few numbers that rows stay one after the other; none if there may be more."""
    known = [s for s in lengths_for_certain(function, [leaf.value for leaf in targets]) if s is not None]
    is_double = all(K.dtype_of(kind_of(leaf.value)) != "float32" for leaf in targets)
    return known if len(known) == len(targets) and sum(map(math.prod, known)) < FEW and is_double else []


def _in_place(body: Block, blocks: Blocks, cotangents: list[Atom | None]) -> tuple[Block, list[Atom | None]]:
    """A pullback that adds to rows of the Jacobian itself, where it would make zeros for it; the cotangents left."""
    if len(blocks.targets) > 1 or not blocks.targets[0].rank:
        return body, list(cotangents)
    rows = {a: k for k, a in enumerate(cotangents) if isinstance(a, Var)}
    stmts: list[Stmt] = []
    left: list[Atom | None] = list(cotangents)
    for s in body.stmts:
        match s:
            case Op(fn=np.zeros_like, args=(x,), target=Var() as v) if (k := rows.get(v)) is not None and (
                x is blocks.sources[k].value and K.dtype_of(v.kind) == "float64"
            ):
                blocks.row(w := Writer(), k, v)
                stmts += w.stmts
                left[k] = None
            case _:
                stmts.append(s)
    return replace(body, stmts=tuple(stmts)), left


def _items_themselves(block: Block) -> Block:
    """A block in which what is taken out of a tuple that it makes is the item itself."""
    made = _made(block)
    items: dict[Var, Atom] = {}
    for v, op in made.items():
        if op.fn is operator.getitem and isinstance(op.args[1], Const):
            maker = made.get(items.get(op.args[0], op.args[0]))  # type: ignore[arg-type]
            if maker is not None and maker.fn is prims.make_tuple:
                items[v] = maker.args[op.args[1].value]
    return substitute(block, resolve(items))


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


def _buffer(w: Writer, leaf: Leaf) -> Atom:
    """Zeros like a leaf."""
    kind = kind_of(leaf.value)
    return w.emit(np.zeros_like, leaf.value, kind=kind, hint="by") if leaf.rank else Const(0.0)
