"""Kinds of the results of operators, of the math module, and of Python's own functions."""

from __future__ import annotations

import builtins
import cmath
import math
import operator
from dataclasses import fields, is_dataclass
from typing import Any

from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.rules.forms import Arg, Form, as_numeric, broadcast_kind, elementwise_dtype, returns
from s2sad.rules.standins import UNKNOWN, item_of, join_all

__all__ = ["SCALAR_FORMS"]

# ---------------------------------------------------------------- operators


_SET = K.Other(set)


def operator_form(fn: Any) -> Form:
    """Arithmetic by an operator; lists, tuples and strings have some of it too."""

    def form(*args: Arg) -> K.Kind:
        operands = [k for k, _ in args]
        if all(map(K.is_numeric, operands)):
            return broadcast_kind(elementwise_dtype(fn, operands), operands)
        if fn is operator.mod and operands[0] == K.STR:  # text with numbers put in
            return K.STR
        if any(isinstance(k, K.Array) for k in operands):
            operands = [as_numeric(k) for k in operands]
            return (
                broadcast_kind(elementwise_dtype(fn, operands), operands)
                if all(map(K.is_numeric, operands))
                else K.NUMERIC
            )
        if any(K.is_float(k) for k in operands):
            return K.NUMERIC
        return _sequence_arithmetic(fn, operands)

    return form


def _sequence_arithmetic(fn: Any, operands: list[K.Kind]) -> K.Kind:
    match fn, operands:
        case (operator.sub | operator.and_ | operator.or_ | operator.xor), [a, b] if a == b == _SET:
            return _SET
        case operator.add, [K.List(a), K.List(b)]:
            return K.List(K.join_items(a, b))
        case operator.add, [K.Tuple(a), K.Tuple(b)]:
            return K.Tuple(a + b)
        case operator.mul, [K.List() as k, K.Scalar()] | [K.Scalar(), K.List() as k]:
            return k
        case operator.add, [K.Other(t), _] if t is str:
            return K.STR
        case operator.mul, [K.Other(t), K.Scalar()] if t is str:
            return K.STR
    return K.ANY


def compare_form(*args: Arg) -> K.Kind:
    """``<`` and its like: a bool, or an array of them."""
    operands = [k for k, _ in args]
    if any(isinstance(k, K.Array | K.Numeric) for k in operands):
        operands = [as_numeric(k) for k in operands]
        return broadcast_kind("bool", operands) if all(map(K.is_numeric, operands)) else K.Numeric("bool")
    return K.ANY if any(k == K.ANY for k in operands) else K.BOOL


def power_form(base: Arg, exponent: Arg, mod: Arg | None = None) -> K.Kind:
    """``**``: of Python's integers, a float where the exponent is negative."""
    if base[0] == K.INT and exponent[0] == K.INT:
        match exponent[1]:
            case int(n):
                return K.INT if n >= 0 else K.FLOAT
        return K.Scalar("any")
    return operator_form(operator.pow)(base, exponent)


# ---------------------------------------------------------------- Python's own


def min_max(*args: Arg, key: Arg | None = None, default: Arg | None = None) -> K.Kind:
    """``max(a, b)`` or ``max(xs)``: one of them."""
    kinds = [k for k, _ in args]
    if len(kinds) == 1:
        match kinds[0]:
            case K.List(item):
                kinds = [item]
            case K.Tuple(items):
                kinds = list(items)
            case K.Array(dtype, 1):
                kinds = [K.Scalar(dtype)]
            case _:
                return K.ANY
    if default is not None:
        kinds.append(default[0])
    return join_all(kinds)


def sum_(xs: Arg, start: Arg = (K.INT, 0)) -> K.Kind:
    """``sum(xs)``"""
    match xs[0]:
        case K.List(item):
            kinds = [start[0], item]
        case K.Tuple(items):
            kinds = [start[0], *items]
        case K.Array(dtype, int(rank)):
            kinds = [start[0], K.Scalar(dtype) if rank == 1 else K.Array(dtype, rank - 1)]
        case K.Array(dtype):
            return K.Numeric(dtype)
        case _:
            return K.ANY
    total = kinds[0]
    for kind in kinds[1:]:
        total = operator_form(operator.add)((total, UNKNOWN), (kind, UNKNOWN)) if kind != K.BOTTOM else total
    return total if len(kinds) > 2 or isinstance(xs[0], K.Tuple) else K.join(total, start[0])


def round_(x: Arg, ndigits: Arg | None = None) -> K.Kind:
    """``round(x)``: an int, unless digits are asked for or x is an array."""
    if isinstance(x[0], K.Scalar):
        return K.INT if ndigits is None or ndigits[1] is None else x[0]
    return x[0]


def getattr_form(obj: Arg, name: Arg) -> K.Kind:
    """``obj.name``: a field of a named tuple or dataclass."""
    match obj[0]:
        case K.Tuple(items, cls) if cls is not None:
            names = [f.name for f in fields(cls)] if is_dataclass(cls) else list(getattr(cls, "_fields", ()))
            return items[names.index(name[1])]
    return K.ANY


_EMPTY: Arg = (K.List(K.BOTTOM), UNKNOWN)


def list_form(xs: Arg = _EMPTY) -> K.Kind:
    """``list(xs)``: a fresh list of the items."""
    match xs[0]:
        case K.List() as k:
            return k
        case K.Tuple(items):
            return K.List(item_of(items))
        case K.Array(dtype, int(rank)):
            return K.List(K.Scalar(dtype) if rank == 1 else K.Array(dtype, rank - 1))
        case K.Other(t) if t is range:
            return K.List(K.INT)
    return K.List(K.ANY)


def item_form(xs: Arg, *_: Arg) -> K.Kind:
    """An item of a list or dict."""
    return xs[0].item if isinstance(xs[0], K.List | K.Dict) else K.ANY


def tuple_form(*items: Arg) -> K.Kind:
    """``(a, b, ...)``"""
    return K.Tuple(tuple(k for k, _ in items))


def instance_form(cls: Arg, names: Arg, *values: Arg) -> K.Kind:
    """``cls(name=value, ...)``"""
    return K.Tuple(tuple(k for k, _ in values), cls[1] if isinstance(cls[1], type) else None)


def number_form(x: Arg = (K.INT, 0), dtype: str = "float") -> K.Kind:
    """``float(x)``"""
    return K.Scalar(dtype)


def math_prod(xs: Arg, *, start: Arg = (K.INT, 1)) -> K.Kind:
    """``math.prod(xs)``"""
    return min_max(xs, default=start)


#: What the cmath module has that gives a complex number.
_COMPLEX = (
    *("exp", "log", "log10", "sqrt", "rect", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
)
SCALAR_FORMS: dict[Any, Form] = {
    **{getattr(math, n): returns(K.FLOAT) for n in dir(math) if callable(getattr(math, n)) and n[0] != "_"},
    **{
        getattr(math, n): returns(K.INT)
        for n in ("ceil", "floor", "trunc", "gcd", "lcm", "comb", "perm", "factorial", "isqrt")
    },
    **{getattr(math, n): returns(K.BOOL) for n in ("isnan", "isinf", "isfinite", "isclose")},
    math.frexp: returns(K.Tuple((K.FLOAT, K.INT))),
    math.modf: returns(K.Tuple((K.FLOAT, K.FLOAT))),
    math.prod: math_prod,
    **{
        fn: operator_form(fn)
        for fn in (
            *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod),
            *(operator.neg, operator.pos, operator.abs, operator.invert, operator.and_, operator.or_, operator.xor),
            *(operator.lshift, operator.rshift, abs),
        )
    },
    **dict.fromkeys((operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne), compare_form),
    **{fn: returns(K.BOOL) for fn in (operator.is_, operator.is_not, operator.not_, operator.contains)},
    **{fn: returns(K.BOOL) for fn in (prims.contains, bool, isinstance, issubclass, callable, hasattr, operator.truth)},
    **{
        fn: returns(K.INT)
        for fn in (len, prims.list_index, prims.list_count, int, id, hash, ord, operator.index, operator.length_hint)
    },
    **{fn: returns(K.STR) for fn in (str, repr, chr, bin, oct, hex, format, prims.format_value, prims.join_str)},
    **{fn: returns(K.NONE) for fn in (print, prims.show, prims.list_append, prims.list_extend, prims.list_insert)},
    **{fn: returns(K.NONE) for fn in (prims.list_reverse, prims.raise_, prims.need_there, prims.assert_)},
    operator.pow: power_form,
    builtins.pow: power_form,
    float: returns(K.FLOAT),
    complex: returns(K.Scalar("complex")),
    **{getattr(cmath, name): returns(K.Scalar("complex")) for name in _COMPLEX},
    cmath.phase: returns(K.FLOAT),
    cmath.polar: returns(K.Tuple((K.FLOAT, K.FLOAT))),
    range: returns(K.Other(range)),
    set: returns(_SET),
    any: returns(K.BOOL),
    all: returns(K.BOOL),
    min: min_max,
    max: min_max,
    sum: sum_,
    round: round_,
    divmod: lambda a, b: K.Tuple((operator_form(operator.floordiv)(a, b), operator_form(operator.mod)(a, b))),
    slice: returns(K.SLICE),
    list: list_form,
    sorted: lambda xs, **_: list_form(xs),
    prims.make_slice: returns(K.SLICE),
    prims.make_tuple: tuple_form,
    prims.make_list: lambda *items: K.List(item_of(k for k, _ in items)),
    prims.make_dict: lambda *items: K.Dict(item_of(k for k, _ in items[1::2])),
    prims.make_instance: instance_form,
    prims.getattr_: getattr_form,
    prims.dict_items: lambda d: K.List(K.ANY),
    prims.list_copy: list_form,
    prims.list_pop: item_form,
}
