"""Derivative operators inside differentiated code: ``grad(inner)(x)``, ``jvp``, ``vjp``.

The function is lowered apart for the arguments at hand, differentiated, and the statements of its
derivative put in place of the call; they are then differentiated like any others.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.errors import NotScalar
from s2sad.frontend.apart import keep_apart
from s2sad.frontend.builder import Restart
from s2sad.frontend.interface import Lowering
from s2sad.frontend.mixed import refuse_mixed
from s2sad.frontend.real_parts import check_real_parts
from s2sad.frontend.row_places import without_rows
from s2sad.frontend.signatures import vector_name
from s2sad.frontend.surely import refuse_perhaps_complex
from s2sad.frontend.tables import BUILTINS
from s2sad.frontend.values import (
    AVal,
    DictV,
    FuncV,
    ObjectV,
    OperatorV,
    PyFunc,
    TupleV,
    fields_of,
    is_atom,
    kind_of,
    runtime_kind,
)
from s2sad.frontend.wanted import (
    OWN,
    Arguments,
    Place,
    Wanted,
    as_call,
    as_given,
    find_wanted,
    parameters_of,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Const, Function, Op, Var
from s2sad.ir.rewrite import definitions, free_vars, inline, substitute
from s2sad.rules.lookup import holds_complex, is_complex_atom
from s2sad.runtime import helpers

if TYPE_CHECKING:
    pass

__all__ = ["Inner", "apply_operator", "call_derivative_object", "register_operators"]


#: Differentiates an inner function by some of its leaves; the transforms, which build on the frontend, set it.
differentiator: Callable[[Function, str, list[Var], Set[Var]], Function]


def differentiate_inner(lo: Lowering, inner: Inner, mode: str, wanted: list[Var]) -> Function:
    """The derivative of an inner function by some of its leaves; leaf by leaf in a tuple.

    Only of one whose kinds are final: what lists hold is known after the first pass over them.
    """
    if not lo.is_final():
        raise Restart
    refuse_mixed(inner.function.body)
    inner.function = without_rows(inner.function, lo.origin)
    if mode not in ("value", "jvp"):
        for v in wanted:
            refuse_perhaps_complex(lo, inner.leaves[v])
    if mode != "pullback":  # which is of copies
        keep_apart(lo, inner.function, inner.leaves)
    return differentiator(inner.function, mode, wanted, lo.derived)  # noqa: F821  (assigned by the transforms)


@dataclass(eq=False)
class Inner:
    """A call lowered apart: a function of fresh leaves (and of what it captures), with its result."""

    function: Function
    leaves: dict[Var, Atom]
    arguments: Arguments
    value: AVal
    result_leaves: list[Atom]


def call_derivative_object(lo: Lowering, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """Call a derivative object made outside: ``g = grad(f)``, then ``g(x)`` here."""
    primal = lo.outside_callable(fn.primal)
    derivative = OperatorV(fn.mode, primal, fn.wrt, OWN if fn.by_own_parameters else None)
    return apply_operator(lo, derivative, args, kwargs, hint)


def apply_operator(lo: Lowering, op: OperatorV, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """The result of a derivative of a function for these arguments."""
    match op.mode:
        case "grad" | "value_and_grad":
            return gradient_call(lo, op, args, kwargs)
        case "hvp":
            return hessian_product(lo, op, args, kwargs)
        case "pullback":
            return pullback_call(lo, op, args[0])
        case "jacobian" | "hessian":
            return matrix_call(lo, op, args, kwargs)
        case "factory":
            return OperatorV(op.extra, args[0], op.wrt)
        case "check_grads":
            return Const(None)
    raise lo.unsupported(f"`{op.mode}` inside differentiated code is not handled.")


# -- lowering apart ---------------------------------------------------------------------


def lower_apart(lo: Lowering, function: AVal, arguments: Arguments) -> Inner:
    """Lower a call with fresh variables for the leaves of its arguments."""
    leaves: dict[Var, Atom] = {}
    given = {place: fresh_copy(lo, a, leaves) for place, a in arguments.items()}
    lo.leaves.update(leaves)
    with lo.overlay(), lo.own_fields() as made, lo.block() as stmts:
        value = lo.call(function, *as_call(given))
        result_leaves = leaves_of_value(lo, value)
        result = lo.as_atom(TupleV(tuple(result_leaves)))
        value = lo.snapshot(value, lo.read)
    value = lo.thaw(value)  # a record that the call made
    powers = lo.definitions.may_turn_complex
    body = check_real_parts(Block((*made, *stmts), (result,)), leaves, powers)
    inner = Function("inner", tuple(leaves), body, origin=lo.origin)
    captured = {v: Var(v.hint, v.kind) for v in free_vars(inner)}
    block = substitute(body, captured)
    assert isinstance(block, Block)
    leaves.update({fresh: outer for outer, fresh in captured.items()})
    return Inner(Function("inner", tuple(leaves), block, origin=lo.origin), leaves, given, value, result_leaves)


def fresh_copy(lo: Lowering, value: AVal, leaves: dict[Var, Atom]) -> AVal:
    """The value with a fresh variable for each leaf that may carry a derivative.

    Nothing is differentiated by objects of other classes than dataclasses: they stay what they are.
    """
    match value:
        case Const(value=bool() | str() | None):
            return value
        case TupleV(items):
            return value.of(fresh_copy(lo, i, leaves) for i in items)
        case DictV():
            pairs = [(k, fresh_copy(lo, lo.value_at((value, k)), leaves)) for k in lo.dict_keys(value)]
            return lo.dict_like(value, pairs, value.site)
        case ObjectV(cls=cls, live=None) if fields_of(cls):
            twin = ObjectV(cls)
            for name in fields_of(cls):
                lo.write((twin, name), fresh_copy(lo, lo.attribute(value, name), leaves))
            return twin
    if is_atom(value) and value != UNDEF:
        kind = kind_of(value)
        if K.is_numeric(kind) or K.is_container(kind) or kind == K.ANY:
            if kind == K.INT and isinstance(value, Const):
                return value
            leaf = Var(getattr(value, "hint", "") or "", kind)
            leaves[leaf] = value
            if isinstance(kind, K.List | K.Dict):
                lo.containers.union(leaf, value)  # what is put into it, is put into a copy of that
            if lo.is_certain(value):
                lo.take_for_certain(leaf)
            if lo.may_be_none(value):
                lo.nullable.add(leaf)
            return leaf
    return value


def leaves_of_value(lo: Lowering, value: AVal) -> list[Atom]:
    """The run-time leaves of a value, in order."""
    match value:
        case TupleV(items):
            return [leaf for i in items for leaf in leaves_of_value(lo, i)]
        case DictV():
            return [leaf for k in lo.dict_keys(value) for leaf in leaves_of_value(lo, lo.value_at((value, k)))]
        case ObjectV(cls=cls, live=None):
            return [leaf for n in fields_of(cls) for leaf in leaves_of_value(lo, lo.attribute(value, n))]
        case FuncV():
            return []
    return [lo.as_atom(value)]


def beside(lo: Lowering, value: AVal, other: AVal) -> list[tuple[Atom, Atom]]:
    """The leaves of a value, each with what a tangent or cotangent has in its place; None in the place of many."""
    other = known_none(other)
    match value, other:
        case (FuncV(), _):
            return []
        case (TupleV() | DictV() | ObjectV(live=None), Const(value=None)):
            return [(leaf, Const(None)) for leaf in leaves_of_value(lo, value)]
        case (TupleV(xs), TupleV(ys)) if len(xs) == len(ys):
            parts = list(zip(xs, ys, strict=True))
        case (TupleV(xs), Var(kind=K.Tuple(kinds))) if len(xs) == len(kinds):
            parts = [(x, lo.load(other, Const(k))) for k, x in enumerate(xs)]
        case (TupleV(xs, listed=True), Var(kind=K.List())):
            same = lo.emit(operator.eq, lo.emit(len, other, kind=K.INT), Const(len(xs)), kind=K.BOOL)
            lo.effect(prims.assert_, same, Const("a tangent or cotangent has other lists than what it belongs to"))
            parts = [(x, lo.load(other, Const(k))) for k, x in enumerate(xs)]
        case (DictV(), DictV()) if set(lo.dict_keys(value)) == set(lo.dict_keys(other)):
            parts = [(lo.value_at((value, k)), lo.value_at((other, k))) for k in lo.dict_keys(value)]
        case (DictV(), Var(kind=K.Dict())):
            parts = [(lo.value_at((value, k)), lo.load(other, Const(k))) for k in lo.dict_keys(value)]
        case (ObjectV(cls=cls, live=None), ObjectV()) if cls is other.cls:
            parts = [(lo.attribute(value, n), lo.attribute(other, n)) for n in fields_of(cls)]
        case (TupleV() | DictV() | ObjectV(live=None), _):
            raise lo.unsupported("a tangent or cotangent has another structure than what it belongs to.")
        case _:
            return [(lo.as_atom(value), lo.as_atom(other))]
    return [pair for x, y in parts for pair in beside(lo, x, y)]


def known_none(value: AVal) -> AVal:
    """The value; None itself where it is an item of a container from outside that is None."""
    return Const(None) if isinstance(value, Var) and value.kind == K.NONE else value


def rebuilt(lo: Lowering, value: AVal, leaf: Callable[[Atom], AVal]) -> AVal:
    """A value of the same structure, each leaf replaced."""
    match value:
        case TupleV(items):
            return value.of(rebuilt(lo, i, leaf) for i in items)
        case DictV():
            return lo.copied_dict(value, "", lambda item: rebuilt(lo, item, leaf))
        case ObjectV(cls=cls, live=None) if fields_of(cls):
            twin = ObjectV(cls)
            for name in fields_of(cls):
                lo.write((twin, name), rebuilt(lo, lo.attribute(value, name), leaf))
            return twin
    if is_atom(value):
        return leaf(value)
    return Const(None)


def splice(lo: Lowering, derivative: Function, args: list[Atom]) -> Atom:
    """Put a derivative's statements here, for these arguments; its result."""
    position = len(lo.stmts)
    result = put_in(lo, derivative, args)
    lo.derived |= definitions(Block(tuple(lo.stmts[position:]))).keys()
    return result


def put_in(lo: Lowering, function: Function, args: list[Atom]) -> Atom:
    """Put a function's statements here, for these arguments; its result."""
    stmts, result = inline(function, args)
    lo.stmts += stmts
    for s in stmts:
        if isinstance(s, Op) and s.target is not None:
            lo.definitions.add(s)
    return result


def is_undefined(args: list[AVal]) -> bool:
    """Whether an argument is not bound yet: a first pass over a loop."""
    return any(isinstance(runtime_kind(a), K.Bottom) for a in args)


# -- operators --------------------------------------------------------------------------


def gradient_call(lo: Lowering, op: OperatorV, args: list[AVal], kwargs: dict[str, AVal]) -> AVal:
    """``grad(f)(*args)`` and ``value_and_grad(f)(*args)``."""
    if is_undefined([*args, *kwargs.values()]):
        return UNDEF
    arguments, asked, single = find_wanted(lo, op, as_given(args, kwargs))
    inner = lower_apart(lo, op.function, with_floats(lo, arguments, asked))
    if len(inner.result_leaves) != 1 or isinstance(inner.value, TupleV):
        raise NotScalar("grad needs a function with a scalar result; use vjp or jacobian.")
    wanted = [v for w in asked for v in leaves_in(lo, gathered(lo, w, inner.arguments), inner)]
    derived = differentiate_inner(lo, inner, op.mode, wanted)
    result = splice(lo, derived, list(inner.leaves.values()))
    table: dict[Any, AVal] = {}
    offset = 0
    if op.mode == "value_and_grad":
        value = lo.load(result, Const(0))
        offset = 1
    for k, v in enumerate(wanted):
        table[v] = lo.load(result, Const(k + offset))
    gradients = [
        rebuilt(lo, gathered(lo, w, inner.arguments), lambda leaf: table.get(leaf, Const(None))) for w in asked
    ]
    answer: AVal = gradients[0] if single else TupleV(tuple(gradients))
    return TupleV((value, answer)) if op.mode == "value_and_grad" else answer


def gathered(lo: Lowering, wanted: Wanted, arguments: Arguments) -> AVal:
    """What is differentiated by, as the function has it: what a starred parameter gathers is one value."""
    match wanted:
        case tuple():
            return TupleV(tuple(arguments[place] for place in wanted))
        case dict():
            return lo.new_dict([(k, arguments[place]) for k, place in wanted.items()])
    return arguments[wanted]


def places_of(wanted: Wanted) -> Iterable[Place]:
    """The places of the arguments that something asked for consists of."""
    match wanted:
        case tuple():
            return wanted
        case dict():
            return wanted.values()
    return (wanted,)


def with_floats(lo: Lowering, arguments: Arguments, asked: list[Wanted]) -> Arguments:
    """The arguments, integers among those differentiated by being floats."""
    active = {place for w in asked for place in places_of(w)}
    return {place: as_float(lo, a) if place in active else a for place, a in arguments.items()}


def as_float(lo: Lowering, value: AVal) -> AVal:
    """A Python integer in a differentiated argument counts as the float it equals."""
    match value:
        case Const(value=bool()):
            return value
        case Const(value=int() as v):
            return Const(float(v))
        case Var(kind=K.Scalar("int")):
            return lo.emit(float, value, kind=K.FLOAT)
    return value


def leaves_in(lo: Lowering, value: AVal, inner: Inner) -> list[Var]:
    """The fresh leaves of an argument."""
    return [v for v in leaves_of_value(lo, value) if isinstance(v, Var) and v in inner.leaves]


def jvp_call(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """``jvp(f, primals, tangents)``"""
    function, primals, tangents = (args + [kwargs[k] for k in ("primals", "tangents") if k in kwargs])[:3]
    xs, dxs = lo.all_items(primals), [known_none(dx) for dx in lo.all_items(tangents)]
    if is_undefined([*xs, *dxs]):
        return TupleV((UNDEF, UNDEF))
    moved = [x if _is_still(dx) else as_float(lo, x) for x, dx in zip(xs, dxs, strict=True)]
    return tangent_call(lo, function, as_given(moved, {}), as_given(dxs, {}))


def _is_still(direction: AVal) -> bool:
    """Whether a tangent says that its argument is a constant."""
    return isinstance(direction, Const) and not direction.value


def tangent_call(lo: Lowering, function: AVal, xs: Arguments, dxs: Arguments) -> AVal:
    """The value and the tangent of a call along directions for some of its arguments."""
    inner = lower_apart(lo, function, xs)
    wanted: list[Var] = []
    directions: list[Atom] = []
    for place, dx in dxs.items():
        x = inner.arguments[place]
        if _is_still(dx) and not leaves_in(lo, x, inner):
            continue
        for leaf, direction in beside(lo, x, dx):
            if isinstance(leaf, Var) and leaf in inner.leaves and direction != Const(None):
                refuse_other_sort(lo, direction, leaf)
                wanted.append(leaf)
                directions.append(direction)
    derived = differentiate_inner(lo, inner, "jvp", wanted)
    result = splice(lo, derived, [*inner.leaves.values(), *directions])
    values, tangents = lo.load(result, Const(0)), lo.load(result, Const(1))
    table = {leaf: k for k, leaf in enumerate(inner.result_leaves)}
    y = rebuilt(lo, inner.value, lambda leaf: lo.load(lo.as_atom(values), Const(table[leaf])))
    dy = rebuilt(lo, inner.value, lambda leaf: lo.load(lo.as_atom(tangents), Const(table[leaf])))
    return TupleV((y, dy))


def refuse_other_sort(lo: Lowering, direction: Atom, primal: Atom) -> None:
    """Refuse a complex tangent or cotangent of what is real."""
    if is_complex_atom(direction) and not is_complex_atom(primal):
        raise lo.unsupported("a tangent or cotangent of real numbers is complex.", "Take its real part.")


def vjp_call(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """``vjp(f, *primals)``: the value, and a pullback that is applied where it is called.

    The pullback is that at these primals, whatever is stored into them later; the call itself changes none.
    """
    function, *primals = args
    if is_undefined(primals):
        return TupleV((UNDEF, UNDEF))
    inner = lower_apart(lo, function, as_given(primals, {}))
    values = splice(lo, differentiate_inner(lo, inner, "value", []), list(inner.leaves.values()))
    table = {leaf: k for k, leaf in enumerate(inner.result_leaves)}
    y = rebuilt(lo, inner.value, lambda leaf: lo.load(values, Const(table[leaf])))
    inner.leaves = {v: kept(lo, a) for v, a in inner.leaves.items()}
    return TupleV((y, OperatorV("pullback", function, None, inner)))


def kept(lo: Lowering, a: Atom) -> Atom:
    """A value as it is now."""
    match kind_of(a):
        case K.Scalar():
            return a
        case K.Array():
            return lo.emit(np.copy, a, hint=getattr(a, "hint", ""))
    return lo.emit(helpers.copy_tree, a, kind=kind_of(a), hint=getattr(a, "hint", ""))


def pullback_call(lo: Lowering, op: OperatorV, ct: AVal) -> AVal:
    inner: Inner = op.extra
    if is_undefined([ct]):
        return TupleV((UNDEF,) * len(inner.arguments))
    wanted = [v for a in inner.arguments.values() for v in leaves_in(lo, a, inner)]
    derived = differentiate_inner(lo, inner, "pullback", wanted)
    given = list(beside(lo, inner.value, ct))
    for value, cotangent in given:
        refuse_other_sort(lo, cotangent, value)
    cotangents = [c for _, c in given]
    if Const(None) in cotangents:
        raise lo.unsupported("a cotangent is None where the value has none.", "Give zeros.")
    result = splice(lo, derived, [*inner.leaves.values(), *cotangents])
    table = {v: lo.load(result, Const(k)) for k, v in enumerate(wanted)}

    def leaf(v: Atom) -> AVal:
        return table[v] if isinstance(v, Var) and v in table else Const(None)

    return TupleV(tuple(rebuilt(lo, a, leaf) for a in inner.arguments.values()))


def hessian_product(lo: Lowering, op: OperatorV, args: list[AVal], kwargs: dict[str, AVal]) -> AVal:
    """``hvp(f)(*args, v)``: the tangent of the gradient."""
    if is_undefined([*args, *kwargs.values()]):
        return UNDEF
    vector = vector_name([p.name for p in parameters_of(lo, op) or ()])
    named = {k: a for k, a in kwargs.items() if k != vector}
    *primals, v = [*args, kwargs[vector]] if vector in kwargs else args
    arguments, asked, single = find_wanted(lo, op, as_given(primals, named))
    directions: Arguments = {}
    for wanted, d in zip(asked, [v] if single else lo.all_items(v), strict=True):
        directions |= spread(lo, wanted, d)
    function = OperatorV("grad", op.function, op.wrt, op.extra)
    result = tangent_call(lo, function, with_floats(lo, arguments, asked), directions)
    assert isinstance(result, TupleV)
    return result.items[1]


def spread(lo: Lowering, wanted: Wanted, direction: AVal) -> Arguments:
    """A direction for something asked for, by the places that it consists of."""
    match wanted:
        case tuple():
            return dict(zip(wanted, lo.all_items(direction), strict=True))
        case dict() if isinstance(direction, DictV):
            return {place: lo.value_at((direction, k)) for k, place in wanted.items()}
        case dict():
            raise lo.unsupported("a direction for `**` parameters is handled where its keys are known here.")
    return {wanted: direction}


def matrix_call(lo: Lowering, op: OperatorV, args: list[AVal], kwargs: dict[str, AVal]) -> AVal:
    """``jacobian(f)(*args)`` and ``hessian(f)(*args)`` with respect to one number or vector."""
    if is_undefined([*args, *kwargs.values()]):
        return UNDEF
    arguments, asked, single = find_wanted(lo, op, as_given(args, kwargs))
    function = OperatorV("grad", op.function, op.wrt, op.extra) if op.mode == "hessian" else op.function
    arguments = with_floats(lo, arguments, asked)
    place = asked[0]
    kind = K.ANY if not single or isinstance(place, tuple | dict) else runtime_kind(arguments[place])
    if isinstance(place, tuple | dict) or not isinstance(kind, K.Scalar | K.Array) or K.rank_of(kind) not in (0, 1):
        raise lo.unsupported(
            f"`{op.mode}` inside differentiated code is handled with respect to one number or vector.",
            "Differentiate by one argument at a time.",
        )

    if holds_complex(kind):
        raise lo.unsupported(
            f"`{op.mode}` by complex numbers: there is no matrix of derivatives in general.", "Use jvp or vjp."
        )

    def column(direction: AVal) -> AVal:
        result = tangent_call(lo, function, arguments, {place: direction})
        assert isinstance(result, TupleV)
        return result.items[1]

    if isinstance(kind, K.Scalar):
        return column(Const(1.0))
    x = lo.as_atom(arguments[place])
    if kind.rank == 0:
        return lo.emit(np.asarray, _of_one_array(lo, column(lo.emit(np.ones_like, x))))
    basis = lo.emit(np.eye, lo.emit(np.size, x), kwargs=_precision(kind))
    columns = lo.new_list([], "columns", lo.place)
    lo.each(basis, lambda e: lo.append(columns, _of_one_array(lo, column(e))))
    return lo.emit(np.stack, columns, kwargs=(("axis", Const(-1)),), kind=stacked_kind(columns))


def _of_one_array(lo: Lowering, column: AVal) -> Atom:
    """A column of a matrix of derivatives, refused where it is of several things: those have a matrix each."""
    if is_atom(column) and not isinstance(runtime_kind(column), K.List | K.Tuple | K.Dict):
        return column
    raise lo.unsupported(
        "`jacobian` inside differentiated code is handled of functions that give one number or array.",
        "Take the jacobian of one result at a time.",
    )


#: Precisions of arrays, other than the one that NumPy takes.
_NARROW: dict[str, Any] = {"float16": np.float16, "float32": np.float32}


def _precision(kind: K.Kind) -> tuple[tuple[str, Atom], ...]:
    """The dtype of directions for values of a kind, where it is not that of NumPy's floats."""
    dtype = _NARROW.get(K.dtype_of(kind))
    return () if dtype is None else (("dtype", Const(dtype)),)


def stacked_kind(columns: Var) -> K.Kind:
    """The kind of stacked columns: one rank more than theirs."""
    item = columns.kind.item if isinstance(columns.kind, K.List) else K.ANY
    rank, dtype = K.rank_of(item), "complex128" if holds_complex(item) else K.strong(K.dtype_of(item))
    dtype = dtype if dtype in ("complex128", *_NARROW) else "float64"
    return K.BOTTOM if isinstance(item, K.Bottom) else K.Array(dtype, None if rank is None else rank + 1)


def _operator(mode: str) -> Any:
    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        wrt = static_value(lo, kwargs.get("wrt", Const(0)))
        if not args:
            return OperatorV("factory", PyFunc.of(handler), wrt, mode)
        return OperatorV(mode, args[0], wrt)

    return handler


def constant_call(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """``stop_gradient(x)``: each leaf of a structure as a value without derivative."""
    if isinstance(args[0], FuncV):
        return args[0]
    return rebuilt(lo, args[0], lambda a: a if isinstance(a, Const) else lo.emit(helpers.constant, a, hint=hint))


def static_value(lo: Lowering, value: AVal) -> Any:
    """The Python value of a constant or tuple of constants."""
    match value:
        case Const(value=v):
            return v
        case TupleV(items):
            return tuple(static_value(lo, i) for i in items)
    raise lo.unsupported("`wrt` must be known while compiling.")


def register_operators(api: Any) -> None:
    """Teach the frontend the public operators; called once by the API."""
    for mode in ("grad", "value_and_grad", "jacobian", "hessian", "hvp"):
        BUILTINS[getattr(api, mode)] = _operator(mode)
    BUILTINS[api.jvp] = jvp_call
    BUILTINS[api.vjp] = vjp_call
    BUILTINS[api.stop_gradient] = constant_call
