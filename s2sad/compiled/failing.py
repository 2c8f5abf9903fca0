"""When an operation raises, as conditions on its operands.

``math.log(x)`` raises ``ValueError`` where ``x <= 0.0``, and ``a[i]`` of three items ``IndexError`` where ``i`` is not
between -3 and 2. Compiled code asks that before it computes what the body of a ``try`` does. What is not listed here
may raise anything; of functions of NumPy it is known what they never raise.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from s2sad.compiled.expand import Builder, kind_of, rank_of
from s2sad.errors import qualified_name
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Store

__all__ = [
    "Failure",
    "Failures",
    "Unsure",
    "asked",
    "failures",
    "is_empty",
    "length",
    "of_numbers",
    "rule",
    "stretched",
]


class Unsure(Exception):
    """It cannot be told when an operation raises; its text says which."""


@dataclass(frozen=True)
class Failure:
    """An exception that an operation raises under a condition, which is put down when it is asked for.

    ``message`` is None where the text has values in it.
    """

    kind: type[BaseException]
    message: str | None
    when: Callable[[], Atom]


Catches: TypeAlias = Callable[[type], bool]
Failures: TypeAlias = Iterable[Failure]
Rule: TypeAlias = "Callable[[Builder, Op], Failures]"

_WEAK = ("bool", "int", "float")
#: What functions of NumPy may raise, or what takes numbers and arrays.
_OF_ARRAYS = (ValueError, IndexError)
_RULES: dict[Any, Rule] = {}


def failures(b: Builder, s: Op | Store, catches: Catches) -> Iterator[Failure]:
    """What of the caught exceptions a statement raises, in order; raises :class:`Unsure`."""
    for found in _store(b, s, catches) if isinstance(s, Store) else _operation(b, s, catches):
        if catches(found.kind):
            yield found


def _operation(b: Builder, op: Op, catches: Catches) -> Failures:
    possible = _possible(op)
    if possible is not None and not any(map(catches, possible)):
        return ()
    found = _rule_of(op)
    if found is None:
        raise Unsure(f"whether `{qualified_name(op.fn)}` raises here")
    return found(b, op)


def _rule_of(op: Op) -> Rule | None:
    fn = op.fn
    if isinstance(fn, type) and issubclass(fn, BaseException):
        return _never
    if isinstance(fn, np.ufunc) and fn not in _RULES and fn.signature is None:
        return _power if fn in (np.power, np.float_power) else stretched
    if getattr(fn, "__module__", None) == "statistics":
        return _of_statistics if getattr(fn, "__name__", "") in ("mean", "fmean") else None
    return _RULES.get(fn)


def _possible(op: Op) -> tuple[type[BaseException], ...] | None:
    """All that a function of NumPy or of Python may raise for operands of the kinds it takes; None of others."""
    module = getattr(op.fn, "__module__", None) or ""
    narrow = any(_is_narrow(kind_of(a)) for a in op.args)
    of_arrays = (*_OF_ARRAYS, *([OverflowError] if narrow else []))
    if isinstance(op.fn, np.ufunc) or module == "numpy":
        return of_arrays
    if module == "numpy.linalg":
        return (*of_arrays, np.linalg.LinAlgError)
    if module == math.__name__ or op.fn in (int, float, round):
        return ValueError, OverflowError
    if op.fn is operator.getitem:
        return _of_places(op.args[0])
    if op.fn in _OPERATORS:
        return of_arrays if any(isinstance(kind_of(a), K.Array) for a in op.args) else _of_scalars(op)
    return None


def _of_scalars(op: Op) -> tuple[type[BaseException], ...] | None:
    return (ZeroDivisionError, OverflowError) if of_numbers(op) else None


def _of_places(base: Atom) -> tuple[type[BaseException], ...] | None:
    """What may be raised where an item, or its place, is not there."""
    match kind_of(base):
        case K.Array() | K.List() | K.Tuple():
            return (IndexError,)
        case K.Dict():
            return (KeyError,)
    return None


def _is_narrow(kind: K.Kind) -> bool:
    """Whether Python's integers may be too large for an array, or a number, of this kind."""
    return K.is_integer(kind) and K.dtype_of(kind) not in ("bool", "int", "int64")


def rule(*fns: Any) -> Callable[[Rule], Rule]:
    def declare(rule: Rule) -> Rule:
        _RULES.update(dict.fromkeys(fns, rule))
        return rule

    return declare


# ---------------------------------------------------------------- conditions


def asked(b: Builder, fn: Any, *args: Any) -> Atom:
    return b.emit(fn, *args, kind=K.BOOL)


def _any(b: Builder, *conds: Atom) -> Atom:
    """Whether one of these holds; all are asked."""
    found, *others = conds
    for cond in others:
        found = asked(b, operator.or_, found, cond)
    return found


def _all(b: Builder, *conds: Atom) -> Atom:
    found, *others = conds
    for cond in others:
        found = asked(b, operator.and_, found, cond)
    return found


def length(b: Builder, a: Atom, axis: int = 0) -> Atom:
    """How many items something has along an axis."""
    if axis == 0 and not isinstance(kind_of(a), K.Array):
        return b.emit(len, a, kind=K.INT)
    rank = rank_of(a)
    if rank is None:
        raise Unsure("what the length of an array is")
    shape = b.emit(np.shape, a, kind=K.Tuple((K.INT,) * rank))
    return b.emit(operator.getitem, shape, axis % rank, kind=K.INT)


# ---------------------------------------------------------------- what never raises


def _never(b: Builder, op: Op) -> Failures:
    return ()


_RULES.update(
    dict.fromkeys(
        (
            *(prims.make_tuple, prims.make_list, prims.make_dict, prims.make_slice, prims.identity, prims.getattr_),
            *(prims.list_append, prims.list_extend, prims.list_insert, prims.list_copy, prims.list_repeat),
            *(prims.list_reverse, prims.list_count, prims.dict_items, prims.contains, prims.total, prims.join_str),
            *(prims.format_value, operator.is_, operator.is_not, isinstance, len, list),
            *(np.errstate, np.shape, np.ndim, np.size, str, repr),
            *(math.atan, math.atan2, math.copysign, math.fabs, math.erf, math.erfc, math.degrees, math.radians),
            *(math.isnan, math.isinf, math.isfinite, math.asinh, math.tanh, math.cbrt),
            *(np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.copy, np.outer, np.ravel, np.tril, np.triu),
        ),
        _never,
    )
)


@rule(range)
def _range(b: Builder, op: Op) -> Failures:
    if len(op.args) == 3 and (not isinstance(op.args[2], Const) or op.args[2].value == 0):
        raise Unsure("whether the step of this range is zero")
    return ()


@rule(prims.call_method)
def _method(b: Builder, op: Op) -> Failures:
    if op.args[1] != Const("format"):
        raise Unsure("whether this method raises")
    return ()


def of_numbers(op: Op) -> bool:
    return all(isinstance(kind_of(a), K.Scalar) for a in op.args)


@rule(bool, float, complex, abs, round, operator.not_, operator.truth)
def _conversion(b: Builder, op: Op) -> Failures:
    """Of numbers to others, but integers."""
    if not of_numbers(op):
        raise Unsure("whether a conversion raises here")
    if op.fn is round and len(op.args) == 1:
        return _integer(b, op)
    return ()


@rule(int, math.floor, math.ceil, math.trunc)
def _integer(b: Builder, op: Op) -> Failures:
    if not of_numbers(op) or len(op.args) != 1:
        raise Unsure("whether a conversion raises here")
    (x,) = op.args
    if K.is_integer(kind_of(x)):
        return ()
    return (
        Failure(ValueError, "cannot convert float NaN to integer", lambda: asked(b, math.isnan, x)),
        Failure(OverflowError, "cannot convert float infinity to integer", lambda: asked(b, math.isinf, x)),
    )


# ---------------------------------------------------------------- arithmetic

_PLAIN: tuple[Any, ...] = (
    *(operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.invert),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    *(operator.and_, operator.or_, operator.xor),
)
_OPERATORS: tuple[Any, ...] = (
    *_PLAIN,
    *(operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.matmul),
)


@rule(*_PLAIN)
def stretched(b: Builder, op: Op) -> Failures:
    """An operation on numbers never raises, one on arrays where they cannot be stretched to one shape."""
    if all(isinstance(kind_of(a), K.List) for a in op.args) and op.fn is operator.add:
        return ()
    arrays = dict.fromkeys(a for a in op.args if not isinstance(kind_of(a), K.Scalar))
    if op.kwargs or any(not isinstance(kind_of(a), K.Array) or rank_of(a) is None for a in arrays):
        raise Unsure("whether these operands have shapes that go together")
    message = "operands could not be broadcast together"
    return [Failure(ValueError, message, partial(_do_not_meet, b, *two)) for two in combinations(arrays, 2)]


def _do_not_meet(b: Builder, x: Atom, y: Atom) -> Atom:
    """Whether two arrays cannot be stretched to one shape."""
    n, m = rank_of(x), rank_of(y)
    assert n is not None and m is not None
    found: list[Atom] = [Const(False)]
    for k in range(1, min(n, m) + 1):
        p, q = length(b, x, -k), length(b, y, -k)
        differ = asked(b, operator.ne, p, q)
        found.append(_all(b, differ, asked(b, operator.ne, p, 1), asked(b, operator.ne, q, 1)))
    return _any(b, *found) if len(found) == 1 else _any(b, *found[1:])


@rule(operator.truediv, operator.floordiv, operator.mod)
def _division(b: Builder, op: Op) -> Failures:
    """Numbers of Python's are not divided by zero; those of NumPy are."""
    x, y = op.args
    if not of_numbers(op):
        return stretched(b, op)
    dtypes = [K.dtype_of(kind_of(a)) for a in op.args]
    if all(d in _WEAK for d in dtypes):
        if isinstance(y, Const) and y.value != 0:
            return ()
        message = _said(op.fn, 1.0 if "float" in dtypes else 1, 0)
        return (Failure(ZeroDivisionError, message, lambda: asked(b, operator.eq, y, 0)),)
    if any(_is_of_numpy(b, a) for a in (x, y)):
        return ()
    raise Unsure("whether this divides numbers of Python or of NumPy, which do not raise,")


def _is_of_numpy(b: Builder, a: Atom) -> bool:
    """Whether a number is surely one of NumPy's: what is joined of both kinds is taken for one."""
    made = b.definition(a)
    if made is None:
        return False
    if made.fn is operator.getitem:
        return isinstance(kind_of(made.args[0]), K.Array)
    if made.fn in _OPERATORS:
        return any(_is_of_numpy(b, x) for x in made.args)
    return isinstance(made.fn, np.ufunc) or made.fn is np.sum


@rule(operator.pow, pow)
def _power(b: Builder, op: Op) -> Failures:
    x, y = op.args
    if not of_numbers(op):
        if any(K.is_integer(kind_of(a)) for a in op.args[:1]):
            raise Unsure("whether this power raises")
        return stretched(b, op)
    dtypes = [K.dtype_of(kind_of(a)) for a in op.args]
    if any(_is_of_numpy(b, a) for a in op.args):
        return ()
    counted = isinstance(y, Const) and isinstance(y.value, int) and y.value >= 0
    if dtypes[0] in ("int", "bool") and counted:
        return ()
    if dtypes[0] != "float" or dtypes[1] not in _WEAK or op.target is None or op.target.kind != K.FLOAT:
        raise Unsure("whether this power raises")
    return _of_floats(b, x, y, counted or (isinstance(y, Const) and y.value >= 0))


def _of_floats(b: Builder, x: Atom, y: Atom, never_negative: bool) -> Iterator[Failure]:
    """What a power of one of Python's floats raises."""

    def by_zero() -> Atom:
        return _all(b, asked(b, operator.eq, x, 0.0), asked(b, operator.lt, y, 0))

    if not never_negative:
        yield Failure(ZeroDivisionError, _said(operator.pow, 0.0, -1.0), by_zero)
    yield Failure(OverflowError, "(34, 'Numerical result out of range')", partial(_too_large, b, operator.pow, x, y))


def _too_large(b: Builder, fn: Any, *args: Atom) -> Atom:
    """Whether a function gives an infinite result of finite operands."""
    infinite = asked(b, math.isinf, b.emit(fn, *args, kind=K.FLOAT))
    return _all(b, infinite, *(asked(b, math.isfinite, b.emit(float, a, kind=K.FLOAT)) for a in args))


def _said(fn: Any, *args: Any) -> str:
    """What this version of Python says where these raise."""
    try:
        fn(*args)
    except Exception as error:
        return str(error)
    raise AssertionError(fn)


# ---------------------------------------------------------------- functions of numbers

Test: TypeAlias = "tuple[tuple[Any, float], ...]"

#: Where functions of a number are not defined: one of these comparisons holds.
_UNDEFINED: dict[Any, Test] = {
    **dict.fromkeys((math.log, math.log2, math.log10), ((operator.le, 0.0),)),
    math.log1p: ((operator.le, -1.0),),
    math.sqrt: ((operator.lt, 0.0),),
    **dict.fromkeys((math.acos, math.asin), ((operator.lt, -1.0), (operator.gt, 1.0))),
    math.acosh: ((operator.lt, 1.0),),
    math.atanh: ((operator.le, -1.0), (operator.ge, 1.0)),
    **dict.fromkeys((math.sin, math.cos, math.tan), ((operator.eq, -math.inf), (operator.eq, math.inf))),
}
#: The largest number of which they are not too large.
_LARGEST: dict[Any, float] = {
    **dict.fromkeys((math.exp, math.expm1), 709.782712893384),
    **dict.fromkeys((math.cosh, math.sinh), 710.4758600739439),
}


@rule(*_UNDEFINED)
def _undefined(b: Builder, op: Op) -> Failures:
    x, *others = op.args
    if others or not of_numbers(op):
        raise Unsure(f"whether `{qualified_name(op.fn)}` of these raises")
    outside = _UNDEFINED[op.fn]
    message = _said(op.fn, next(v for v in (-math.inf, -2.0, 2.0) if any(c(v, end) for c, end in outside)))
    return (Failure(ValueError, message, lambda: _any(b, *(asked(b, c, x, end) for c, end in outside))),)


@rule(*_LARGEST)
def _overflow(b: Builder, op: Op) -> Failures:
    (x,) = op.args

    def when() -> Atom:
        largest = _LARGEST[op.fn]
        size = x if op.fn in (math.exp, math.expm1) else b.emit(abs, x, kind=kind_of(x))
        return _all(b, asked(b, operator.gt, size, largest), asked(b, operator.lt, size, math.inf))

    if not of_numbers(op):
        raise Unsure(f"whether `{qualified_name(op.fn)}` of these raises")
    return (Failure(OverflowError, _said(op.fn, 1e3), when),)


@rule(math.hypot)
def _hypotenuse(b: Builder, op: Op) -> Failures:
    return (Failure(OverflowError, "math range error", partial(_too_large, b, op.fn, *op.args)),)


# ---------------------------------------------------------------- items


@rule(operator.getitem)
def _item(b: Builder, op: Op) -> Failures:
    return _place(b, *op.args)


def _place(b: Builder, base: Atom, index: Atom) -> Failures:
    """What an item, or the place of one, that is not there raises."""
    match kind_of(base):
        case K.Tuple() if isinstance(index, Const):
            return ()
        case K.Dict():
            missing = partial(asked, b, operator.not_)
            return (Failure(KeyError, None, lambda: missing(asked(b, prims.contains, index, base))),)
        case K.List() if kind_of(index) == K.SLICE:
            return ()
        case K.List() if isinstance(kind_of(index), K.Scalar):
            outside = partial(_outside, b, index, partial(length, b, base))
            return (Failure(IndexError, "list index out of range", outside),)
        case K.Array(rank=int()):
            return _places(b, base, index)
    raise Unsure("whether there is such an item")


def _places(b: Builder, base: Atom, index: Atom) -> Iterator[Failure]:
    """The same of an array, which has an index for each of its axes."""
    made = b.definition(index)
    items = made.args if made is not None and made.fn is prims.make_tuple else (index,)
    axis = 0
    for item in items:
        match kind_of(item):
            case K.Other(type=t) if t is slice:
                axis += 1
            case K.Scalar("bool"):
                raise Unsure("whether there is such an item")
            case K.Scalar():
                outside = partial(_outside, b, item, partial(length, b, base, axis))
                yield Failure(IndexError, f"index is out of bounds for axis {axis}", outside)
                axis += 1
            case _ if item != Const(None):
                raise Unsure("whether there is such an item")


def _outside(b: Builder, index: Atom, length: Callable[[], Atom]) -> Atom:
    """Whether an index is of no item."""
    n = length()
    if isinstance(index, Const) and index.value >= 0:
        return asked(b, operator.le, n, index)
    below = asked(b, operator.lt, index, b.emit(operator.neg, n, kind=K.INT))
    return below if isinstance(index, Const) else _any(b, below, asked(b, operator.ge, index, n))


def _store(b: Builder, s: Store, catches: Catches) -> Iterator[Failure]:
    """A store of a number into a place that is there raises nothing."""
    kind = kind_of(s.obj)
    if catches(ValueError) and isinstance(kind, K.Array):
        cut = K.is_integer(kind) and not K.is_integer(kind_of(s.value))
        if cut or not isinstance(kind_of(s.value), K.Scalar):
            raise Unsure("whether this value fits into its place")
    by_number = any(map(catches, (ZeroDivisionError, OverflowError))) and not isinstance(kind, K.Array)
    if by_number and s.aug not in (None, "+", "-", "*"):
        raise Unsure("whether this update raises")
    if s.index == Const(Ellipsis) or (isinstance(kind, K.Dict) and s.aug is None):
        return
    possible = _of_places(s.obj)
    if possible is None or any(map(catches, possible)):
        yield from _place(b, s.obj, s.index)


@rule(prims.list_pop)
def _popped(b: Builder, op: Op) -> Failures:
    xs, *index = op.args
    if index and index[0] not in (Const(0), Const(-1)):
        raise Unsure("whether there is such an item")
    return (Failure(IndexError, "pop from empty list", partial(is_empty, b, xs)),)


@rule(prims.list_index)
def _found(b: Builder, op: Op) -> Failures:
    xs, x, *bounds = op.args
    if bounds:
        raise Unsure("whether there is such an item")
    missing = partial(asked, b, operator.not_)
    return (Failure(ValueError, "list.index(x): x not in list", lambda: missing(asked(b, prims.contains, x, xs))),)


def is_empty(b: Builder, a: Atom) -> Atom:
    return asked(b, operator.eq, length(b, a), 0)


@rule(builtins.min, builtins.max)
def _extreme(b: Builder, op: Op) -> Failures:
    if len(op.args) > 1 and of_numbers(op):
        return ()
    if len(op.args) == 1 and not op.kwargs and isinstance(kind_of(op.args[0]), K.List):
        message = _said(op.fn, [])
        return (Failure(ValueError, message, partial(is_empty, b, op.args[0])),)
    raise Unsure(f"whether `{qualified_name(op.fn)}` of these raises")


def _of_statistics(b: Builder, op: Op) -> Failures:
    import statistics

    if op.kwargs or len(op.args) != 1 or not isinstance(kind_of(op.args[0]), K.List):
        raise Unsure(f"whether `{qualified_name(op.fn)}` of these raises")
    message = _said(op.fn, [])
    return (Failure(statistics.StatisticsError, message, partial(is_empty, b, op.args[0])),)
