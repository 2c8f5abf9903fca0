"""Element-wise operations: what computes one element of the result from one of each operand.

The scalar code gives what NumPy gives for arrays, with the same IEEE semantics: a division of two numbers of
Python, which would raise, is spelt as NumPy's.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Scalar, dtype_of
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.loops.arrays import NotLowered
from s2sad.loops.model import Choose, Compute, Item
from s2sad.runtime import helpers

__all__ = [
    "CASTS",
    "DTYPES",
    "ELEMENTWISE",
    "LITERALS",
    "Elements",
    "Rule",
    "comparison",
    "copied",
    "dtype_name",
    "operands_of",
    "times",
    "where",
]

DTYPES = {"float64", "float32", "int64", "bool", "complex128"}  #: of arrays that are lowered
#: What makes a number one of a dtype.
CASTS: dict[str, Any] = {
    "float64": np.float64, "float32": np.float32, "int64": np.int64, "complex128": np.complex128,
}  # fmt: skip
#: What a literal is written as.
LITERALS: dict[str, Any] = {"float64": float, "complex128": complex}
_WEAK = {"float": "float64", "int": "int64", "bool": "bool", "complex": "complex128"}


def dtype_name(a: Atom) -> str:
    """The dtype of a number."""
    if isinstance(a, Const):
        if isinstance(a.value, np.generic):
            return a.value.dtype.name
        if type(a.value) in (bool, int, float, complex):
            return type(a.value).__name__
        raise NotLowered
    return dtype_of(a.kind)


def is_weak(a: Atom) -> bool:
    """Whether it is a number of Python, which takes the dtype of what it meets."""
    return dtype_name(a) in _WEAK and dtype_name(a) != "bool"


def _is_single(a: Atom) -> bool:
    return not isinstance(a, Const) and dtype_name(a) == "float32"


def _fills(number: Atom, operand: Atom) -> bool:
    """Whether a number of Python's stands for the items of an array."""
    if isinstance(operand, Const) or not isinstance(operand.kind, Array) or number == Const(None):
        return False
    return is_weak(number) and dtype_of(operand.kind) in CASTS


class Elements:
    """Appends scalar code to the body of a loop."""

    def __init__(self) -> None:
        self.items: list[Item] = []

    def compute(self, fn: Any, *args: Atom, dtype: str, hint: str = "") -> Var:
        """``fn(*args)``"""
        target = Var(hint, Scalar(dtype))
        self.items.append(Compute(Op(target, fn, args)))
        return target

    def choose(self, cond: Atom, then: Atom, orelse: Atom, dtype: str, hint: str = "") -> Var:
        """``then if cond else orelse``"""
        target = Var(hint, Scalar(dtype))
        then, orelse = (self.settled(a, dtype) for a in (then, orelse))
        self.items.append(Choose(target, cond, then, orelse))
        return target

    def settled(self, a: Atom, dtype: str) -> Atom:
        """A literal as a number of this dtype."""
        if isinstance(a, Const) and dtype in LITERALS:
            return Const(LITERALS[dtype](a.value))
        return self.cast(a, dtype)

    def cast(self, a: Atom, dtype: str) -> Atom:
        """A number as one of this dtype."""
        if dtype_name(a) == dtype:
            return a
        if dtype not in CASTS or (dtype_name(a).startswith("complex") and dtype != "complex128"):
            raise NotLowered
        return self.compute(CASTS[dtype], a, dtype=dtype)

    def as_items(self, args: tuple[Atom, ...], operands: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """Numbers as items of the operands: beside single precision, what fills an array is no number of Python's."""
        if not any(_is_single(a) for a in args):
            return args
        pairs = zip(args, operands, strict=True)
        return tuple(self.cast(a, dtype_of(x.kind)) if _fills(a, x) else a for a, x in pairs)  # type: ignore[union-attr]

    def matched(self, args: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """Operands of one precision: Python's numbers become single where they meet single precision alone."""
        names = {dtype_name(a) for a in args if not is_weak(a)}
        if "float32" not in names:
            return args
        if not names <= {"float32", "float64"}:
            raise NotLowered
        return tuple(self.cast(a, "float64" if "float64" in names else "float32") for a in args)


Rule: TypeAlias = Callable[[Elements, Op, tuple[Atom, ...], str], Atom]


def operands_of(op: Op) -> tuple[Atom, ...]:
    """The operands that are broadcast together."""
    if op.fn is np.clip:
        given = dict(op.kwargs)
        low = op.args[1] if len(op.args) > 1 else given.get("a_min", given.get("min", Const(None)))
        high = op.args[2] if len(op.args) > 2 else given.get("a_max", given.get("max", Const(None)))
        return op.args[0], low, high
    if op.fn in (helpers.astype, helpers.cast):
        return op.args[:1]
    if op.fn is np.array:
        if any(k != "dtype" for k, _ in op.kwargs) or not isinstance(getattr(op.args[0], "kind", None), Array):
            raise NotLowered
        return op.args[:1]
    if op.fn is prims.library_value:
        return op.args[1:]
    if op.kwargs:
        raise NotLowered
    return op.args


# ---------------------------------------------------------------- rules


def same(fn: Any, strict: Any = None) -> Rule:
    """The operation itself; ``strict`` is NumPy's, for numbers of Python that an operator would refuse."""

    def rule(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
        args = e.matched(args)
        if dtype != "bool" and all(dtype_name(a) == "bool" for a in args):
            raise NotLowered
        if dtype == "bool" and fn in _ARITHMETIC:
            raise NotLowered
        used = strict if strict is not None and all(map(is_weak, args)) else fn
        return e.compute(used, *args, dtype=dtype, hint=op.target.hint if op.target else "")

    return rule


def comparison(fn: Any) -> Rule:
    """``<`` and its like."""

    def rule(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
        return e.compute(fn, *e.matched(args), dtype="bool")

    return rule


def logical(fn: Any) -> Rule:
    """And, or, not, of truth values only."""

    def rule(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
        if any(dtype_name(a) != "bool" for a in args):
            raise NotLowered
        return e.compute(fn, *args, dtype="bool")

    return rule


def floating(fn: Any) -> Rule:
    """A function of floats: integers become floats first."""

    def rule(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
        if dtype not in ("float64", "float32"):
            raise NotLowered
        args = tuple(e.cast(a, "float64") if dtype_name(a) in ("int64", "bool") else a for a in e.matched(args))
        return e.compute(fn, *args, dtype=dtype, hint=op.target.hint if op.target else "")

    return rule


def power(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``x ** y``, with the squares and roots that NumPy takes for arrays too."""
    x, y = args
    if dtype.startswith("float") and isinstance(y, Const) and not is_weak(x):
        match float(y.value):
            case 1.0:
                return x
            case 2.0:
                return e.compute(operator.mul, x, x, dtype=dtype)
            case 0.5:
                return e.compute(np.sqrt, x, dtype=dtype)
            case -1.0:
                return e.compute(operator.truediv, *e.matched((Const(1.0), x)), dtype=dtype)
    if not dtype.startswith("float"):
        raise NotLowered
    return same(operator.pow, np.power)(e, op, args, dtype)


def multiplied(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``x * y``; a sum's adjoint is one everywhere."""
    if dtype.startswith("float"):
        for one, other in (args, args[::-1]):
            if one in (Const(1.0), Const(1)) and dtype_name(other) == dtype:
                return other
    return same(operator.mul)(e, op, args, dtype)


def square(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``np.square(x)``"""
    return same(operator.mul)(e, op, args * 2, dtype)


def where(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``np.where(c, x, y)``"""
    if len(args) != 3:
        raise NotLowered
    c, x, y = args
    x, y = e.matched((x, y))
    return e.choose(c, x, y, dtype)


def clip(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``np.clip(x, low, high)``"""
    x, low, high = args
    if dtype not in ("float64", "float32"):
        raise NotLowered
    for bound, fn in ((low, np.maximum), (high, np.minimum)):
        if bound != Const(None):
            x = e.compute(fn, *e.matched((x, bound)), dtype=dtype)
    return x


def cast(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """The same number in another dtype."""
    return e.cast(args[0], dtype)


def copied(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """The number itself."""
    return args[0]


# ---- helpers


def times(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``x * partial``, zero where x is zero."""
    x, partial = e.matched(args)
    product = e.compute(operator.mul, x, partial, dtype=dtype)
    return e.choose(e.compute(operator.ne, x, Const(0.0), dtype="bool"), product, Const(0.0), dtype)


def quotient(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``x / y``, zero where y is zero."""
    x, y = e.matched(args)
    if is_weak(y):
        raise NotLowered
    ratio = e.compute(operator.truediv, x, y, dtype=dtype)
    return e.choose(e.compute(operator.ne, y, Const(0.0), dtype="bool"), ratio, Const(0.0), dtype)


def safe_log(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``log(x)``, zero at zero, NaN below."""
    (x,) = args
    return e.choose(
        e.compute(operator.ne, x, Const(0.0), dtype="bool"), e.compute(np.log, x, dtype=dtype), Const(0.0), dtype
    )


def where_larger(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """value where x > y, half of it where equal, else zero."""
    value, x, y = args
    x, y = e.matched((x, y))
    half = e.compute(operator.mul, *e.matched((Const(0.5), value)), dtype=dtype)
    tied = e.choose(e.compute(operator.eq, x, y, dtype="bool"), half, Const(0.0), dtype)
    return e.choose(e.compute(operator.gt, x, y, dtype="bool"), value, tied, dtype)


def power_slope(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``y * x ** (y - 1)``, zero where y is zero."""
    x, y = args
    if dtype != "float64":
        raise NotLowered
    less = e.compute(operator.sub, y, Const(1.0), dtype=dtype)
    exponent = e.choose(e.compute(operator.eq, y, Const(0.0), dtype="bool"), Const(0.0), less, dtype)
    return e.compute(operator.mul, y, e.compute(np.power, x, exponent, dtype=dtype), dtype=dtype)


def power_term(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``c * x ** y``, zero where c is zero."""
    c, x, y = args
    if dtype != "float64":
        raise NotLowered
    exponent = e.choose(e.compute(operator.eq, c, Const(0.0), dtype="bool"), Const(0.0), y, dtype)
    return e.compute(operator.mul, c, e.compute(np.power, x, exponent, dtype=dtype), dtype=dtype)


def ndtri(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``ndtri(p)``"""
    if dtype != "float64":
        raise NotLowered
    return e.compute(helpers.ndtri, e.cast(args[0], dtype), dtype=dtype)


def polygamma(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """``polygamma(n, x)`` of an order that is written down."""
    n, x = args
    if dtype != "float64" or not isinstance(n, Const):
        raise NotLowered
    return e.compute(helpers.polygamma, n, e.cast(x, dtype), dtype=dtype)


def library_value(e: Elements, op: Op, args: tuple[Atom, ...], dtype: str) -> Atom:
    """A function of the library, of numbers that have its types."""
    if dtype != "float64":
        raise NotLowered
    return e.compute(prims.library_value, op.args[0], *args, dtype=dtype)


_ARITHMETIC = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos, operator.abs, abs,
    operator.floordiv, operator.mod, operator.pow,
}  # fmt: skip

_FUNCTIONS = (
    "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 log log2 log10 log1p sqrt "
    "cbrt floor ceil trunc rint arctan2 hypot maximum minimum fmax fmin copysign deg2rad rad2deg degrees radians "
    "logaddexp logaddexp2 sign fabs"
)

_COMPARISONS: dict[Any, Any] = {
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
    np.equal: operator.eq, np.not_equal: operator.ne,
}  # fmt: skip

ELEMENTWISE: dict[Any, Rule] = {
    **{getattr(np, n): floating(getattr(np, n)) for n in _FUNCTIONS.split()},
    **{fn: comparison(op) for fn, op in _COMPARISONS.items()},
    **{fn: comparison(fn) for fn in _COMPARISONS.values()},
    **dict.fromkeys((operator.add, np.add), same(operator.add)),
    **dict.fromkeys((operator.sub, np.subtract), same(operator.sub)),
    **dict.fromkeys((operator.mul, np.multiply), multiplied),
    **dict.fromkeys((operator.truediv, np.divide), same(operator.truediv, np.divide)),
    **dict.fromkeys((operator.floordiv, np.floor_divide), same(operator.floordiv, np.floor_divide)),
    **dict.fromkeys((operator.mod, np.mod), same(operator.mod, np.mod)),
    **dict.fromkeys((operator.pow, np.power, np.float_power), power),
    **dict.fromkeys((operator.neg, np.negative), same(operator.neg)),
    **dict.fromkeys((operator.pos, np.positive), same(operator.pos)),
    **dict.fromkeys((abs, operator.abs, np.absolute), same(abs)),
    **dict.fromkeys((operator.and_, np.logical_and, np.bitwise_and), logical(operator.and_)),
    **dict.fromkeys((operator.or_, np.logical_or, np.bitwise_or), logical(operator.or_)),
    **dict.fromkeys((operator.xor, np.logical_xor, np.bitwise_xor), logical(operator.xor)),
    **dict.fromkeys((operator.invert, np.logical_not, np.invert), logical(operator.not_)),
    **{fn: comparison(fn) for fn in (np.isnan, np.isinf, np.isfinite)},
    **{fn: floating(fn) for fn in (math.erf, math.erfc, math.gamma, math.lgamma)},
    np.square: square,
    np.where: where,
    np.clip: clip,
    np.copy: copied,
    np.array: cast,
    helpers.astype: cast,
    helpers.cast: cast,
    helpers.times: times,
    helpers.quotient: quotient,
    helpers.safe_log: safe_log,
    helpers.where_larger: where_larger,
    helpers.power_slope: power_slope,
    helpers.power_term: power_term,
    helpers.ndtri: ndtri,
    helpers.polygamma: polygamma,
    helpers.sign: floating(np.sign),
    prims.library_value: library_value,
}
