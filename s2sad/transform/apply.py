"""Application of rules: a rule's source lowered in place, with actual arguments.

Requires: an operation whose primitive has a rule.
Ensures: statements appended to the lowerer that compute partials, contributions or tangents.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import sys
import types
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from s2sad.analysis.effects import metadata_positions
from s2sad.analysis.turned import Maker, each_others_transpose
from s2sad.errors import MissingRule, qualified_name
from s2sad.frontend import derivatives
from s2sad.frontend.builder import Restart
from s2sad.frontend.lower import Lowerer, frame_of
from s2sad.frontend.parse import parse_function
from s2sad.frontend.values import AVal, TupleV, is_atom, kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Const, Function, Op, Ref, Var
from s2sad.ir.rewrite import free_vars, substitute
from s2sad.rules.lookup import takes_complex, takes_foreign
from s2sad.rules.table import Rule, rule_for
from s2sad.runtime import helpers
from s2sad.transform.learnt import as_learnt
from s2sad.transform.operations import zero_like

__all__ = ["apply_function", "bound_arguments", "contributions", "missing"]


_MOST_PASSES = 20
_ANY_FUNCTION = "a function that is known at run time only"
_BY_ITSELF = "Pass it as an argument of its own, or call one of several that are written down in branches."
_OF_FOREIGN = "Make an array of it: np.asarray(a), a.filled() of what is masked, a.toarray() of what is sparse."


def missing(op: Op, mode: Literal["forward", "reverse"], help: str = "") -> MissingRule:
    """The error that an operation has no rule in a mode."""
    fn = op.fn.name if isinstance(op.fn, Function) else op.fn
    if fn is prims.call_value and isinstance(op.args[0], Ref):
        fn = op.args[0].value
    elif fn is prims.call_value:
        return MissingRule(_ANY_FUNCTION, mode, _BY_ITSELF, origin=op.origin)
    if (foreign := takes_foreign(op)) is not None and callable(fn) and rule_for(fn) is not None:
        return MissingRule(fn, mode, _OF_FOREIGN, qualified_name(foreign), origin=op.origin)
    return MissingRule(fn, mode, help, "complex numbers" if takes_complex(op) else "", origin=op.origin)


def bound_arguments(rule: Rule, op: Op, mode: Literal["forward", "reverse"] = "reverse") -> dict[str, Any]:
    """The operation's arguments by parameter name; varargs as a tuple of atoms.

    Raises :class:`~s2sad.errors.MissingRule` where the rule does not know an argument.
    """
    try:
        return rule.bind(op.args, dict(op.kwargs))
    except TypeError:
        unknown = [f"`{name}`" for name, _ in op.kwargs if name not in rule.signature.parameters]
        without = f"leave out {' and '.join(unknown)}, which its rule does not take." if unknown else ""
        raise missing(op, mode, without) from None


def check_arguments(
    rule: Rule, op: Op, mode: Literal["forward", "reverse"], is_active: Callable[[Any], bool]
) -> dict[str, Any]:
    """The arguments by name, once every active one is known to be one the rule differentiates by."""
    bound = bound_arguments(rule, op, mode)
    light = metadata_positions(op.fn)
    for position, (name, value) in enumerate(bound.items()):
        if name in rule.wrt or position in light or name == "like":
            continue
        for v in value if isinstance(value, tuple) else value.values() if isinstance(value, dict) else (value,):
            if is_active(v):
                raise missing(op, mode)
    return bound


@functools.cache
def _rule_globals(function: Callable[..., Any], module: Any) -> dict[str, Any]:
    return {**function.__globals__, "lib": module}


def library_of(op: Op) -> Any:
    """The module a rule speaks through: math for scalars, NumPy otherwise; of a method, its object."""
    if isinstance(op.fn, types.MethodType):
        return op.fn.__self__
    module = getattr(op.fn, "__module__", None)
    if module in ("math", "cmath"):
        return sys.modules[module]
    if module in ("_operator", "operator", "builtins") and all(isinstance(kind_of(a), K.Scalar) for a in op.args):
        return math
    return np


def apply_function(
    lo: Lowerer, function: Callable[..., Any], args: list[AVal], kwargs: dict[str, AVal], module: Any
) -> AVal:
    """Lower a rule's body for these arguments; again where its lists turn out to hold more than was known of them."""
    source = parse_function(function)
    defaults = [functools.partial(lo.default_value, v) for v in source.defaults]
    kwdefaults = {k: functools.partial(lo.default_value, v) for k, v in source.kwdefaults.items()}
    start = len(lo.stmts)
    lo.empty_known = False
    for _ in range(_MOST_PASSES):
        lo.empty_used = lo.learnt = False
        frame = frame_of(source)
        frame.globals = _rule_globals(function, module)
        frame.returned = ""  # the name that it gets is that of the adjoint
        try:
            value = lo.inline(frame, source.node, args, kwargs, defaults, kwdefaults)
        except Restart:
            lo.is_final()
        except Exception:  # what fails for kinds that were not final may yet be handled
            if lo.is_final() and not lo.keep_uneven():
                raise
        else:
            if lo.is_final():
                lo.refuse_failure(start)
                return value
        del lo.stmts[start:]
        lo.settled = lo.guesses()
    raise lo.unsupported("the kinds of the items in the lists of a rule do not settle.", "Put items of one kind in.")


@functools.cache
def _keyword_parameters(function: Callable[..., Any]) -> frozenset[str]:
    parameters = inspect.signature(function).parameters.values()
    return frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def call_rule(lo: Lowerer, function: Callable[..., Any], op: Op, extra: dict[str, AVal]) -> AVal:
    """Apply one of a rule's functions to an operation, with those of ``extra`` that it asks for."""
    wanted = _keyword_parameters(function)
    given = {k: v for k, v in extra.items() if k in wanted}
    lo.call_sites.append(op.origin)
    try:
        return apply_function(lo, function, list(op.args), {**dict(op.kwargs), **given}, library_of(op))
    finally:
        lo.call_sites.pop()


def contributions(
    lo: Lowerer,
    rule: Rule,
    op: Op,
    result: Atom,
    ct: Atom,
    may_be_pole: Callable[[Op, Atom], bool] | None = None,
    is_active: Callable[[Any], bool] = lambda a: True,
    maker: Maker = lambda a: None,
) -> list[tuple[str, AVal]]:
    """What an operation's cotangent adds to each differentiable parameter, in the order of ``wrt``.

    ``may_be_pole`` is given where the cotangent may be zero, as behind ``np.where``, and says which values may be
    infinite there: such a product is zero. A rule may ask which of the arguments that a star takes carry a derivative,
    and which of two matrices is the other one ``turned``, as ``maker`` tells of the operations that gave them.
    """
    if rule.form == "elementwise" and rule.adjoint_rule is None:
        return _scaled_partials(lo, rule, op, result, ct, may_be_pole)
    function = rule.adjoint_rule or rule.function
    if function is None:
        return transposed(lo, rule, op, result, ct)
    extra: dict[str, AVal] = {"ct": ct, "result": result}
    if "active" in _keyword_parameters(function):
        extra["active"] = TupleV(tuple(Const(is_active(a)) for a in starred(rule, op)))
    if "turned" in _keyword_parameters(function):
        extra["turned"] = Const(turned_operand(rule, op, maker))
    value = call_rule(lo, function, op, extra)
    if len(rule.wrt) == 1:
        return [(rule.wrt[0], value)]
    assert isinstance(value, TupleV), rule
    return list(zip(rule.wrt, value.items, strict=True))


def turned_operand(rule: Rule, op: Op, maker: Maker) -> str:
    """The one of two operands by which an operation is differentiated that is the transpose of the other, a matrix.

    It is the one that was made by transposing, where only one was; empty where neither is, or it is not known.
    """
    bound, (first, second) = bound_arguments(rule, op), rule.wrt
    found = each_others_transpose(bound.get(first), bound.get(second), maker)
    return "" if found is None else first if found[1] else second


def starred(rule: Rule, op: Op) -> tuple[Atom, ...]:
    """The arguments of an operation that its rule takes with a star."""
    values = bound_arguments(rule, op).values()
    return next((v for v in values if isinstance(v, tuple)), ())


def transposed(lo: Lowerer, rule: Rule, op: Op, result: Atom, ct: Atom) -> list[tuple[str, AVal]]:
    """The adjoint of a tangent rule: the tangent is a linear program, and is differentiated in reverse.

    Its values are not needed, so the arguments stand in for the tangents (Griewank & Walther, section 3.2).
    """
    if rule.tangent_rule is None:
        raise missing(op, "reverse")
    bound = bound_arguments(rule, op)
    names = [n for n in rule.wrt if isinstance(bound.get(n), Var) and K.is_float(bound[n].kind)]
    directions = {n: Var(f"d{n}", bound[n].kind) for n in names}
    with lo.block() as stmts:
        extra: dict[str, AVal] = {"result": result}
        for n in rule.wrt:
            if n in directions:
                extra[f"d{n}"] = directions[n]
            elif is_atom(still := bound.get(n)) and still != UNDEF:
                zeros, extra[f"d{n}"] = zero_like(still, kind_of(still))
                stmts += zeros
        value = lo.as_atom(TupleV((lo.as_atom(call_rule(lo, rule.tangent_rule, op, extra)),)))
    body = Block(tuple(stmts), (value,))
    own = tuple(directions.values())
    captured = {v: Var(v.hint, v.kind) for v in free_vars(body) if v not in own}
    body = substitute(body, captured)
    function = Function("tangent", (*own, *captured.values()), body, origin=op.origin)
    pulled = derivatives.differentiator(function, "pullback", list(own), lo.derived)
    parts = derivatives.splice(lo, pulled, [*(bound[n] for n in names), *captured, ct])
    given = {n: lo.load(parts, Const(k)) for k, n in enumerate(names)}
    return [(n, given.get(n, Const(None))) for n in rule.wrt]


def partials(lo: Lowerer, rule: Rule, op: Op, result: Atom) -> list[AVal]:
    """The partial derivatives of an element-wise operation."""
    assert rule.function is not None
    lowered = functools.partial(call_rule, lo, rule.function, op, {"result": result})
    return as_learnt(lo, rule.function, library_of(op), op, result, lowered)


def _scaled_partials(
    lo: Lowerer, rule: Rule, op: Op, result: Atom, ct: Atom, may_be_pole: Callable[[Op, Atom], bool] | None
) -> list[tuple[str, AVal]]:
    """The cotangent times each of the partials, so that zero times a pole is zero where there may be one."""
    asked = may_be_pole if isinstance(kind_of(result), K.Array | K.Numeric) else None
    found: list[tuple[str, AVal]] = []
    for name, partial in zip(_positions(rule, op), partials(lo, rule, op, result), strict=False):
        p = lo.as_atom(partial)
        strong = asked is not None and not isinstance(p, Const) and asked(op, p)
        found.append((name, lo.emit(helpers.times, ct, p) if strong else scaled(lo, ct, p)))
    return found


def _positions(rule: Rule, op: Op) -> list[str]:
    """Parameter names as often as partials come: varargs give one each."""
    bound = bound_arguments(rule, op)
    names: list[str] = []
    for name in rule.wrt:
        value = bound.get(name)
        names += [name] * (len(value) if isinstance(value, tuple) else 1)
    return names


def scaled(lo: Lowerer, x: Atom, partial: Atom) -> Atom:
    """``x * partial``, without multiplying by one."""
    match partial:
        case Const(value=float() | int() as v) if v == 1 and not isinstance(v, bool):
            return x
        case Const(value=float() | int() as v) if v == -1:
            return Const(-x.value) if isinstance(x, Const) else lo.emit(operator.neg, x)
    if isinstance(x, Const) and x.value == 1.0 and K.is_float(kind_of(partial)):
        return partial
    return lo.emit(operator.mul, x, partial)
