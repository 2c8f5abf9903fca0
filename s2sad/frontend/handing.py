"""Functions that are handed to a helper, which calls them at numbers of its own choice: an integrand, say.

Such a function is lowered apart, as one of its own, for the kinds of what the helper calls it with. What it
captures become further parameters, which the helper passes on: the numbers and arrays that may carry a derivative, and
``others``. Rules are given it as a constant, which they may call and differentiate.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.analysis.effects import ONLY_RAISES, is_pure
from s2sad.analysis.jumps import refuse_jumps
from s2sad.analysis.memory import Memory
from s2sad.frontend import derivatives
from s2sad.frontend.interface import Lowering
from s2sad.frontend.outlining import as_parameters
from s2sad.frontend.recursion import own_results
from s2sad.frontend.tables import builtin
from s2sad.frontend.values import SERIALS, AVal, DictV, Frame, ObjectV, PyFunc, TupleV, kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Callee, Const, Function, Op, Var
from s2sad.ir.rewrite import clone, free_vars, substitute, walk
from s2sad.rules import static
from s2sad.rules.lookup import holds_complex
from s2sad.runtime import helpers

__all__: list[str] = []


@builtin(static.handed, takes=lambda helper, function, like, given, more_axes=0, **options: ...)
def _handed(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    helper, function, like, given, *_ = args
    more = next(iter(args[4:]), kwargs.pop("more_axes", Const(0)))
    assert isinstance(helper, PyFunc) and isinstance(like, TupleV) and isinstance(given, TupleV)
    atoms = [lo.as_atom(a) for a in given.items]
    if any(isinstance(kind_of(a), K.Bottom) for a in atoms):
        return UNDEF
    callee, captured = outlined(lo, function, [lo.as_atom(a) for a in like.items])
    if callee is None:
        return UNDEF
    leaves = [v for v in captured if is_leaf(v)]
    others = lo.as_atom(TupleV(tuple(v for v in captured if not is_leaf(v))))
    named = tuple((k, lo.as_atom(v)) for k, v in kwargs.items() if v != default_of(helper.fn, k))
    assert callee.function is not None
    assert isinstance(more, Const)
    kind = K.ANY if more.value is None else given_kind(kind_of(callee.function.result), more.value)
    return lo.emit(helper.fn, Const(callee), *atoms, others, *leaves, kwargs=named, kind=kind, hint=hint)


def given_kind(kind: K.Kind, more: int = 0) -> K.Kind:
    """The kind of what a helper gives, with so many axes more, of a function that gives such."""
    rank = K.rank_of(kind)
    match kind:
        case K.Scalar() | K.Array() if rank is not None:
            return K.Array("float64", rank + more) if isinstance(kind, K.Array) and rank + more else K.FLOAT
    return K.NUMERIC


@builtin(static.a_number, takes=static.a_number)
def _a_number(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atom = lo.as_atom(args[0])
    match kind_of(atom):
        case K.Bottom():
            return UNDEF
        case K.Scalar(dtype) | K.Numeric(dtype) if not dtype.startswith("complex"):
            return atom
        case K.Array(dtype, 0) if not dtype.startswith("complex"):
            return lo.load(atom, TupleV(()))
    raise lo.unsupported("the function handed to a solver here gives no real number.", "Let it give a float.")


@builtin(static.real_vector, takes=static.real_vector)
def _real_vector(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    array = lo.as_atom(lo.call(PyFunc.of(np.asarray), args, {}))
    kind = kind_of(array)
    if isinstance(kind, K.Bottom):
        return UNDEF
    rank = K.rank_of(kind)
    if holds_complex(kind) or rank is None or rank > 1:
        raise lo.unsupported(
            "it is not known that this solver is given vectors of real numbers.", "Let states and slopes be vectors."
        )
    if K.dtype_of(kind) != "float64":
        array = lo.as_atom(lo.call(PyFunc.of(np.asarray), [array], {"dtype": PyFunc.of(float)}))
    return array if rank else lo.emit(np.atleast_1d, array)


def is_leaf(v: Var) -> bool:
    """Whether what a function captures is a number or an array that may carry a derivative."""
    return isinstance(v.kind, K.Scalar | K.Array | K.Numeric) and K.is_float(v.kind)


def default_of(helper: Callable[..., Any], name: str) -> Const | None:
    """An option of a helper where it is not given."""
    default = inspect.signature(helper).parameters[name].default
    return None if default is inspect.Parameter.empty else Const(default)


def outlined(lo: Lowering, function: AVal, like: list[Atom]) -> tuple[Callee | None, tuple[Var, ...]]:
    """A function as one of its own, and what it captures, in the order of its parameters."""
    name = getattr(function, "name", "") or getattr(getattr(function, "fn", None), "__name__", "")
    callee = Callee(name if name.isidentifier() else "function", varies=len(like))
    own = tuple(Var(hint, K.without_shape(kind_of(a))) for hint, a in zip(("t", "y", "u"), like, strict=False))
    serial, origin = next(SERIALS), lo.origin
    with lo.overlay() as writes, lo.block() as stmts:
        result = lo.as_atom(lo.call(function, list(own), {}))
    lo.origin = origin
    if isinstance(kind_of(result), K.Bottom):
        return None, ()
    refuse_changes(lo, callee, writes, serial)
    body = Block(tuple(stmts), (result,))
    captured = tuple(sorted((v for v in free_vars(body) if v not in own), key=is_leaf))
    if any(map(lo.may_be_none, captured)):
        raise lo.unsupported(
            "the function handed to a solver here reads a name that may be None.", "Test for it before the call."
        )
    params = as_parameters(captured, own)
    block = substitute(body, params)
    assert isinstance(block, Block)
    whole = Function(callee.name, (*own, *params.values()), block, origin=origin)
    refuse_effects(lo, callee, whole)
    callee.function = own_results(whole)
    return callee, captured


def refuse_changes(lo: Lowering, callee: Callee, writes: Any, serial: int) -> None:
    """Refuse a function that assigns names of another, or changes an object that there was before it."""
    for owner, name in writes:
        if isinstance(owner, Frame | DictV | ObjectV) and lo.was_before(owner, serial):
            raise lo.unsupported(
                f"the function handed to a solver here changes `{name}`, which there was before it.",
                "Return what is computed instead.",
            )


def refuse_effects(lo: Lowering, callee: Callee, function: Function) -> None:
    """Refuse a function that does more than compute: how often it is called is not the program's to say."""
    if not all(is_pure(s.fn) or s.fn in ONLY_RAISES for s in walk(function) if isinstance(s, Op)):
        raise lo.unsupported(
            "the function handed to a solver here calls what may have an effect.", "Let it only compute."
        )
    memory = Memory(function)
    if any(c in memory.foreign for p in function.params for c in memory.reachable(p)):
        raise lo.unsupported("the function handed to a solver here updates an array in place that it did not make.")


# -- what rules do with such a function ----------------------------------------------------


def alone(callee: AVal) -> Function:
    """A function handed to a helper, to be differentiated: it gives a tuple of one."""
    assert isinstance(callee, Const) and isinstance(callee.value, Callee) and callee.value.function is not None
    made = clone(callee.value.function)
    result = Var("", K.Tuple((kind_of(made.result),)))
    stmts = (*made.body.stmts, Op(result, prims.make_tuple, (made.result,)))
    return Function("inner", made.params, Block(stmts, (result,)), origin=made.origin)


def is_still(lo: Lowering, d: AVal) -> bool:
    """Whether a tangent is known to be zero: made so for a value that carries no derivative."""
    if isinstance(d, Const):
        return d.value is None or d.value == 0.0
    made = lo.definitions.get(d) if isinstance(d, Var) else None
    return made is not None and made.fn in (np.zeros_like, helpers.zeros_like)


@builtin(static.is_still, takes=static.is_still)
def _is_still(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return Const(is_still(lo, args[0]))


@builtin(static.each_of, takes=static.each_of)
def _each_of(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    xs, part = args
    return TupleV(tuple(lo.call(part, [Const(k)], {}) for k in range(len(lo.all_items(xs)))))


@builtin(static.along_axes, takes=static.along_axes)
def _along_axes(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    x, step = args
    rank = K.rank_of(kind_of(lo.as_atom(x)))
    if rank is None:
        raise lo.unsupported("this is handled for arrays whose ranks are known here.", "Reshape the array to its rank.")
    for k in range(rank):
        x = lo.call(step, [x, Const(k)], {})
    return x


@builtin(static.moved, takes=static.moved)
def _moved(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    callee, *given = args
    still, xs, dxs = (lo.all_items(g) for g in given)
    function = alone(callee)
    moving = {p: lo.as_atom(d) for p, d in zip(function.params[len(still) :], dxs, strict=True) if not is_still(lo, d)}
    refuse_jumps(function, callee.value.varies, moving)  # type: ignore[union-attr]
    derived = derivatives.differentiator(function, "jvp", list(moving), lo.derived)
    both = derivatives.splice(lo, derived, [*map(lo.as_atom, (*still, *xs)), *moving.values()])
    return lo.load(lo.as_atom(lo.load(both, Const(1))), Const(0))


@builtin(static.pulled, takes=static.pulled)
def _pulled(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    callee, *given, k, ct = args[:5]
    still, xs = (lo.all_items(g) for g in given)
    derived = contributions_of(lo, callee, [len(still) + k.value], Const(True) in args[5:])  # type: ignore[union-attr]
    parts = derivatives.splice(lo, derived, [*map(lo.as_atom, (*still, *xs)), lo.as_atom(ct)])
    return lo.load(parts, Const(0))


def contributions_of(lo: Lowering, callee: AVal, places: list[int], here: bool = False) -> Function:
    """What a cotangent of a function handed to a helper contributes to some of its parameters, as a function."""
    function = alone(callee)
    wanted = [function.params[k] for k in places]
    if not here:
        refuse_jumps(function, callee.value.varies, wanted)  # type: ignore[union-attr]
    return derivatives.differentiator(function, "pullback", wanted, lo.derived)


@builtin(static.swept, takes=lambda helper, function, given, others, args, wanted, **options: ...)
def _swept(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    helper, callee, *rest, wanted = args
    given, others, leaves = ([lo.as_atom(a) for a in lo.all_items(r)] for r in rest)
    assert isinstance(helper, PyFunc) and isinstance(callee, Const) and isinstance(wanted, Const)
    first = 2 + len(others)
    function = contributions_of(lo, callee, [1, *(first + k for k in wanted.value)])
    back = Callee(f"{callee.value.name}_pullback", function, varies=2)
    kinds = K.Tuple(tuple(floating(kind_of(a)) for a in (given[0], *(leaves[k] for k in wanted.value))))
    named = tuple((k, lo.as_atom(v)) for k, v in kwargs.items() if v != default_of(helper.fn, k))
    before = (callee, Const(back), *given, lo.as_atom(TupleV(tuple(others))))
    whole = lo.emit(helper.fn, *before, *leaves, kwargs=(*named, ("wanted", wanted)), kind=kinds, hint=hint)
    return TupleV(tuple(lo.load(whole, Const(k)) for k in range(len(kinds.items))))


def floating(kind: K.Kind) -> K.Kind:
    """The kind of an adjoint: in double precision."""
    return K.FLOAT if isinstance(kind, K.Scalar) else given_kind(kind)


@builtin(static.pullback, takes=lambda function, *xs: ...)
def _pullback(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return derivatives.vjp_call(lo, args, kwargs, hint)


@builtin(static.positions, takes=static.positions)
def _positions(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    flags = lo.all_items(args[0])
    return Const(tuple(k for k, flag in enumerate(flags) if flag == Const(True)))


@builtin(static.picked, takes=static.picked)
def _picked(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    items, wanted = lo.all_items(args[0]), args[1]
    assert isinstance(wanted, Const)
    return TupleV(tuple(items[k] for k in wanted.value))


@builtin(static.at_positions, takes=static.at_positions)
def _at_positions(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    xs, wanted, n, other = args
    assert isinstance(wanted, Const) and isinstance(n, Const)
    items = dict(zip(wanted.value, lo.all_items(xs), strict=True))
    return TupleV(tuple(items.get(k, other) for k in range(n.value)))
