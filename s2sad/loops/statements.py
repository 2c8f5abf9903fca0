"""The operations that are lowered, one rule for each kind."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Kind, Scalar
from s2sad.ir.nodes import Atom, Const, Op, Store, Var
from s2sad.loops.arrays import NARROW, Fill, NotLowered, View, newaxis, whole
from s2sad.loops.common import array, axes_of, dtype_of, literal
from s2sad.loops.complex_elements import BY_ELEMENTS, PARTS, rule_of
from s2sad.loops.dots import product
from s2sad.loops.elements import DTYPES, Elements, operands_of
from s2sad.loops.fills import broadcast, like_another, of_shape, spread, uninitialised
from s2sad.loops.index import Lin
from s2sad.loops.model import ONE, Dim, Item, Plain, Put, Sub
from s2sad.loops.reductions import REDUCTIONS, add_up, reduce
from s2sad.loops.state import Rule, State
from s2sad.loops.stores import add_at, lower_store
from s2sad.loops.views import expanded, getitem, reshaped, squeezed, swapped, transposed
from s2sad.runtime import helpers

__all__ = ["lower_op"]


def lower_op(state: State, op: Op) -> bool:
    """Lower an operation, if its kind is known here."""
    target = op.target
    try:
        rule = RULES.get(op.fn)
    except TypeError:  # unhashable
        return False
    if rule is None or (target is None and op.fn not in _EFFECTS):
        return False
    try:
        if target is not None and isinstance(target.kind, Array):
            if target.kind.rank is None or target.kind.dtype not in DTYPES | _MORE.get(op.fn, frozenset()):
                return False
            if target.kind.rank == 0 and op.fn not in _POINTS:
                return False
        elif op.fn not in _SCALARS and op.fn not in _EFFECTS and not any(map(array, op.args)):
            return False
        rule(state, op)
    except NotLowered:
        return False
    return True


def elementwise(state: State, op: Op) -> None:
    """An operation on each element of operands broadcast together."""
    atoms = operands_of(op)
    found = [Fill(a, ()) if a == Const(None) else state.describe(a) for a in atoms]
    if op.fn is np.copy and copied(state, op, found[0]):
        return
    target = op.target
    assert target is not None
    rule = rule_of(op, atoms, dtype_of(target))
    if op.fn in PARTS and not state.keeps(target):
        raise NotLowered
    space = state.space([f.dims for f in found])

    def value(idx: list[Var], e: Elements) -> Atom:
        args = tuple(state.element(f, space, idx, e) for f in found)
        return rule(e, op, e.as_items(args, atoms), dtype_of(target))

    if isinstance(target.kind, Scalar):
        if space or op.fn is np.copy:
            raise NotLowered
        e = Elements()
        number = value([], e)
        state.point(target, e.items, number)
        return

    state.result(target, space, value, op if op.fn is np.copy else None)


def copied(state: State, op: Op, found: View | Fill) -> bool:
    """A copy of what nobody changes, itself changed by nobody, is the thing itself."""
    target = op.target
    assert target is not None
    if state.keeps(target) and (isinstance(found, Fill) or state.keeps(found.base)):
        state.name(target, found, op)
        return True
    return False


def same_as_operand(state: State, op: Op) -> None:
    """What gives its operand back if the dtype is right already."""
    source = op.args[0]
    assert op.target is not None
    if not isinstance(op.target.kind, Array | Scalar) or (array(op.target) and not array(source)):
        raise NotLowered
    if array(source) and dtype_of(op.target) == dtype_of(source):
        state.name(op.target, state.describe(source), _same(op))
        return
    elementwise(state, op)


def _same(op: Op) -> Op:
    """What gives the first operand back, and is now known to."""
    return Op(op.target, prims.identity, op.args[:1], (), op.origin)


def unbroadcast(state: State, op: Op) -> None:
    """``unbroadcast(x, like)``: the operand itself, or a sum over the axes that were stretched."""
    x, like = op.args
    target = op.target
    assert target is not None
    found = state.describe(x)
    dims = state.describe(like).dims

    def agreed(a: Dim, b: Dim) -> bool:
        return state.scopes.same(a, b) or (1 not in (a.key, b.key) and state.agree(a, b))

    if isinstance(target.kind, Scalar):
        if not dims and array(x):
            add_up(state, op, found, tuple(range(len(found.dims))))
            return
        raise NotLowered
    if array(x) and dtype_of(target) != dtype_of(x):
        raise NotLowered
    if len(dims) == len(found.dims) and all(map(agreed, dims, found.dims)):
        state.name(target, found, _same(op))
        return
    if isinstance(found, Fill) and not found.dims and state.keeps(target):
        state.name(target, Fill(found.value, dims), op)
        return
    extra = len(found.dims) - len(dims)
    if extra >= 0 and dims:
        padded = (ONE,) * extra + dims
        summed = tuple(k for k, (a, b) in enumerate(zip(found.dims, padded, strict=True)) if b.key == 1 != a.key)
        summed = tuple(sorted({*summed, *range(extra)}))
        if all(k in summed or agreed(a, b) for k, (a, b) in enumerate(zip(found.dims, padded, strict=True))):
            add_up(state, op, found, summed, dims)
            return
    space = state.space([found.dims, dims])
    assert isinstance(target.kind, Array)
    memory = whole(target, dims)
    scales = state.fitted(memory, space)

    def body(idx: list[Var], e: Elements) -> None:
        v = state.element(found, space, idx, e)
        e.items.append(Put(target, state.subs(memory, space, idx, scales), v, "+"))

    loops = state.nest(space, body)
    state.result(target, dims, lambda idx, e: Const(0.0))
    state.add(loops)


def outer(state: State, op: Op) -> None:
    """``np.outer(a, b)``"""
    if op.kwargs:
        raise NotLowered
    a, b = (state.describe(x) for x in op.args)
    if len(a.dims) != 1 or len(b.dims) != 1:
        raise NotLowered
    a = newaxis(a, 1)
    space = state.space([a.dims, b.dims])

    def value(idx: list[Var], e: Elements) -> Atom:
        args = e.as_items((state.element(a, space, idx, e), state.element(b, space, idx, e)), op.args)
        args = e.matched(args)
        return e.compute(operator.mul, *args, dtype=dtype_of(op.target))

    assert op.target is not None
    state.result(op.target, space, value)


def concatenated(state: State, op: Op) -> None:
    """``np.concatenate((a, b), axis)``, ``np.hstack``, and ``np.vstack`` of matrices: a loop for each part."""
    target = op.target
    assert target is not None
    maker = state.shapes.lists.get(op.args[0]) if isinstance(op.args[0], Var) else None
    if maker is None or maker.fn not in (prims.make_tuple, prims.make_list) or not maker.args:
        raise NotLowered
    axis = op.args[1] if len(op.args) > 1 else dict(op.kwargs).get("axis", Const(0))
    parts = [state.describe(a) for a in maker.args]
    rank = len(parts[0].dims)
    if op.fn is np.hstack and rank > 1:
        axis = Const(1)
    elif op.fn is np.vstack and rank < 2:
        raise NotLowered
    if (
        not isinstance(axis, Const)
        or type(axis.value) is not int
        or any(len(p.dims) != rank for p in parts)
        or not rank
    ):
        raise NotLowered
    k = axis.value % rank
    for p in parts[1:]:
        if not all(state.agree(d, e) for n, (d, e) in enumerate(zip(p.dims, parts[0].dims, strict=True)) if n != k):
            raise NotLowered
    offsets: list[Atom] = [Const(0)]
    for p in parts:
        offsets.append(state.scopes.add(offsets[-1], state.scopes.count(p.dims[k])))
    total = offsets[-1]
    joined = (
        Dim(total.value, total) if isinstance(total, Const) else state.scopes.sized(state.key(target, k), lambda: total)
    )
    dims = (*parts[0].dims[:k], joined, *parts[0].dims[k + 1 :])
    loops = [piece(state, target, p, k, state.scopes.linear(o)) for p, o in zip(parts, offsets, strict=False)]
    state.fresh(target, dims)
    state.add(*loops)


def piece(state: State, target: Var, part: View | Fill, axis: int, offset: Lin) -> Item:
    """The loops that put one part in its place."""

    def body(idx: list[Var], e: Elements) -> None:
        v = state.element(part, part.dims, idx, e)
        subs = tuple(Sub(i, 1, None, offset.root, offset.const) if k == axis else Sub(i) for k, i in enumerate(idx))
        e.items.append(Put(target, subs, v))

    return state.nest(part.dims, body)


@dataclass(frozen=True)
class _Ties:
    """What the tangent and the adjoint of a maximum begin with: the items that equal it, as flags and as ones."""

    state: State
    given: dict[str, Atom]
    axes: tuple[int, ...]
    rank: int

    @classmethod
    def of(cls, state: State, op: Op) -> _Ties:
        """From the arguments of an operation."""
        given = dict(zip(("x", "a", "extremum", "axis", "keepdims"), op.args, strict=False)) | dict(op.kwargs)
        a = given["a"]
        if not array(a) or not isinstance(a, Var) or op.target is None or dtype_of(a) != dtype_of(op.target):
            raise NotLowered
        rank = len(state.describe(a).dims)
        return cls(state, given, axes_of(literal(state, given.get("axis", Const(None))), rank), rank)

    @property
    def keeps(self) -> bool:
        """Whether the axes are kept."""
        return self.given.get("keepdims", Const(False)) == Const(True)

    @property
    def dtype(self) -> str:
        """The dtype of the items."""
        return dtype_of(self.given["a"])

    def step(self, fn: Any, *args: Atom, dtype: str = "", kind: Kind | None = None, **kwargs: Atom) -> Var:
        """What an operation makes: an array of all axes, or what is said."""
        target = Var("", kind or Array(dtype or self.dtype, self.rank))
        made = Op(target, fn, args, tuple(kwargs.items()))
        self.state.shapes.note(made)
        if not lower_op(self.state, made):
            raise NotLowered
        return target

    def total(self, a: Var) -> Var:
        """The sums over the axes."""
        left = self.rank - len(self.axes)
        if self.keeps:
            return self.step(np.sum, a, axis=Const(self.axes), keepdims=Const(True))
        if left == 0:
            return self.step(np.sum, a, kind=Scalar(self.dtype))
        return self.step(np.sum, a, axis=Const(self.axes), kind=Array(self.dtype, left))

    def whole_rank(self, v: Atom) -> Atom:
        """An array of the other axes with all of them."""
        if not array(v) or self.keeps:
            return v
        for k in self.axes:
            v = self.step(np.expand_dims, v, Const(k), dtype=dtype_of(v))
        return v

    def hits(self) -> tuple[Var, Var]:
        """Which items equal the maximum: as flags, and as ones among zeros."""
        hit = self.step(np.equal, self.given["a"], self.whole_rank(self.given["extremum"]), dtype="bool")
        return hit, self.step(np.where, hit, Const(1.0), Const(0.0))


def tied_share(state: State, op: Op) -> None:
    """``tied_share(x, a, extremum, axis, keepdims)``, the adjoint of a maximum, step by step."""
    ties = _Ties.of(state, op)
    hit, ones = ties.hits()
    number = ties.step(np.sum, ones, axis=Const(ties.axes), keepdims=Const(True))
    share = ties.step(operator.truediv, ties.whole_rank(ties.given["x"]), number, dtype=dtype_of(op.target))
    elementwise(state, Op(op.target, np.where, (hit, share, Const(0.0))))


def tied_mean(state: State, op: Op) -> None:
    """``tied_mean(x, a, extremum, axis, keepdims)``, the tangent of a maximum, step by step."""
    ties = _Ties.of(state, op)
    if op.target is None or ties.dtype not in ("float64", "float32"):
        raise NotLowered
    hit, ones = ties.hits()
    number, total = ties.total(ones), ties.total(ties.step(np.where, hit, ties.given["x"], Const(0.0)))
    if array(op.target):
        some = ties.step(np.maximum, number, Const(1.0), kind=number.kind)
        elementwise(state, Op(op.target, operator.truediv, (total, some)))
        return
    some, one = Var("", number.kind), np.float32(1.0) if ties.dtype == "float32" else 1.0
    state.stmt(Op(some, np.maximum, (number, Const(one))))
    state.stmt(Op(op.target, operator.truediv, (total, some), (), op.origin))


def add_product(state: State, op: Op) -> None:
    """``add_product(target, a, b)``, the terms of each element written out if they are few."""
    target, a, b = op.args
    made = Var("", Array("float64", 2))
    product(state, Op(made, operator.matmul, (a, b), (), op.origin))
    store = Store(target, Const(Ellipsis), made, "+", op.origin)
    if not lower_store(state, store):
        state.stmt(store)


def same_axes(state: State, op: Op) -> None:
    """``same_axes(x, y)``: a check of each length."""
    a, b = (state.describe(x).dims for x in op.args)
    if len(a) < len(b):  # which raises when it runs
        raise NotLowered
    for x, y in zip(a[len(a) - len(b) :], b, strict=True):
        state.checked(x, y)


def same_length(state: State, op: Op) -> None:
    """``same_length(n, m)``: known from here on."""
    a, b = (Dim(state.scopes.canonical(state.shapes.dim_of(n)), n) for n in op.args)
    state.checked(a, b)


def need_values(state: State, op: Op) -> None:
    """``need_values(n, m)``: known from here on; made where the program makes it, for nothing is computed anew."""
    a, b = (state.shapes.dim_of(n) for n in op.args)
    if state.facts.find(a) != state.facts.find(b):
        state.add(Plain(op))
        state.facts.unify(a, b, op)


def at_least(state: State, op: Op) -> None:
    """``at_least(n, m)``: known from here on."""
    state.shapes.checked(op)
    state.add(Plain(op))


def length(state: State, op: Op) -> None:
    """``len(x)`` of an array that loops fill, or a view: for which it need not be made."""
    x = op.args[0]
    if not isinstance(x, Var) or x not in state.known:
        raise NotLowered
    dims = state.describe(x).dims
    if not dims:
        raise NotLowered
    state.add(Plain(Op(op.target, prims.identity, (state.scopes.count(dims[0]),))))


def shape(state: State, op: Op) -> None:
    """``np.shape(x)`` of an array that loops fill, or a view: its lengths, for which it need not be made."""
    x = op.args[0]
    if not isinstance(x, Var) or x not in state.known:
        raise NotLowered
    lengths = tuple(state.scopes.count(d) for d in state.describe(x).dims)
    state.add(Plain(Op(op.target, prims.make_tuple, lengths)))


def size(state: State, op: Op) -> None:
    """``np.size(x)`` of such an array: the product of its lengths."""
    x = op.args[0]
    if not isinstance(x, Var) or x not in state.known or len(op.args) > 1 or op.kwargs:
        raise NotLowered
    items: Atom = Const(1)
    for d in state.describe(x).dims:
        items = state.scopes.op(operator.mul, items, state.scopes.count(d))
    state.add(Plain(Op(op.target, prims.identity, (items,))))


def reduction(state: State, op: Op) -> None:
    """A sum and its like."""
    reduce(state, op, axes_of)


_EFFECTS: set[Any] = {helpers.add_at, helpers.add_product, helpers.same_axes, helpers.same_length, helpers.at_least}
_EFFECTS |= {helpers.need_values, helpers.need_more_values}
_POINTS: set[Any] = {np.squeeze, np.full_like, np.zeros_like, np.ones_like}  #: may give arrays of rank 0
_MORE: dict[Any, frozenset[str]] = {operator.getitem: NARROW}  #: dtypes of arrays that are lowered besides
_PRODUCTS: tuple[Any, ...] = (np.dot, np.matmul, operator.matmul, np.inner)
_SCALARS: set[Any] = {*REDUCTIONS, *_PRODUCTS, helpers.unbroadcast}

RULES: dict[Any, Rule] = {
    **dict.fromkeys(BY_ELEMENTS, elementwise),
    **dict.fromkeys(REDUCTIONS, reduction),
    **dict.fromkeys(_PRODUCTS, product),
    helpers.cast: same_as_operand,
    helpers.unbroadcast: unbroadcast,
    helpers.spread: spread,
    np.broadcast_to: broadcast,
    helpers.add_at: add_at,
    helpers.add_product: add_product,
    np.outer: outer,
    np.zeros_like: like_another(0.0),
    np.ones_like: like_another(1.0),
    np.full_like: like_another(None),
    helpers.zeros_like: like_another(0.0),
    helpers.ones_like: like_another(1.0),
    np.zeros: of_shape(0.0),
    np.ones: of_shape(1.0),
    np.full: of_shape(None),
    np.empty: uninitialised,
    np.empty_like: uninitialised,
    np.transpose: transposed,
    np.swapaxes: swapped,
    np.expand_dims: expanded,
    np.squeeze: squeezed,
    operator.getitem: getitem,
    **dict.fromkeys((np.concatenate, np.hstack, np.vstack), concatenated),
    np.reshape: reshaped,
    helpers.tied_mean: tied_mean,
    helpers.tied_share: tied_share,
    helpers.same_axes: same_axes,
    helpers.same_length: same_length,
    helpers.need_values: need_values,
    helpers.at_least: at_least,
    helpers.need_more_values: at_least,
    len: length,
    np.shape: shape,
    np.size: size,
}
