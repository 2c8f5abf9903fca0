"""Which operations may raise, and what."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Other, Scalar, is_numeric
from s2sad.ir.nodes import Atom, Const, For, If, Op, Stmt, Store, While, kind_of

__all__ = ["may_raise", "may_raise_one_of"]

#: What only makes or compares references.
_NEVER: tuple[Any, ...] = (
    prims.make_tuple,
    prims.make_slice,
    prims.make_list,
    prims.identity,
    operator.is_,
    operator.is_not,
)
#: What never raises of two truth values or integers of Python, or of two of its floats.
_OF_NUMBERS: tuple[Any, ...] = (
    *(operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.not_, operator.abs, abs),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
)
_EXACT = ("bool", "int")


def may_raise(op: Op, of_none: bool = False) -> bool:
    """Whether an operation may raise, whatever the reason; ``of_none`` where an operand may be None.

    >>> from s2sad.ir.nodes import Const
    >>> numbers = Const(2.0), Const(0.0)
    >>> may_raise(Op(None, operator.mul, numbers)), may_raise(Op(None, operator.truediv, numbers))
    (False, True)
    >>> [may_raise(Op(None, operator.mul, (Const(2.0), Const(n)))) for n in (3, 10**400)]
    [False, True]
    """
    if any(op.fn is fn for fn in _NEVER):
        return False
    if of_none:
        return True
    dtypes = {_dtype(a) for a in op.args if not _is_small(a)}
    return not (op.fn in _OF_NUMBERS and (dtypes <= {"float"} or dtypes <= set(_EXACT)))


def may_raise_one_of(s: Stmt, taken: tuple[type[BaseException], ...]) -> bool:
    """Whether what a statement raises itself, if it does, may be of one of these classes.

    >>> from s2sad.ir.nodes import Const
    >>> quotient = Op(None, operator.truediv, (Const(2.0), Const(0.0)))
    >>> may_raise_one_of(quotient, (ZeroDivisionError,)), may_raise_one_of(quotient, (KeyError, ImportError))
    (True, False)
    """
    if isinstance(s, If):
        return False
    return any(issubclass(c, e) or issubclass(e, c) for c in taken for e in _raised_by(s))


def _raised_by(s: Stmt) -> tuple[type[BaseException], ...]:
    """Classes that what a statement raises is of."""
    match s:
        case Op(fn=prims.raise_, args=(error, *_)):
            cls = kind.type if isinstance(kind := kind_of(error), Other) else None
            return (cls,) if cls is not None and issubclass(cls, BaseException) else (BaseException,)
        case Op(fn=fn) if _computes(fn) and all(map(_is_number, (*s.args, *(a for _, a in s.kwargs)))):
            return _BY_NUMBERS
        case Store(obj=obj, value=value) if isinstance(kind_of(obj), Array) and _is_number(value):
            return (*_BY_NUMBERS, IndexError)
        case Op(fn=operator.getitem, args=(obj, _)) if isinstance(kind_of(obj), Array):
            return (*_BY_NUMBERS, IndexError)
        case For() | While():
            return _BY_NUMBERS
    return (BaseException,)


def _computes(fn: Any) -> bool:
    name = getattr(fn, "__name__", "")
    return isinstance(fn, np.ufunc) or fn in _OF_NUMBERS or fn in _AT_TIMES or getattr(math, name, None) is fn


def _is_number(a: Atom) -> bool:
    return is_numeric(kind_of(a))


_AT_TIMES: tuple[Any, ...] = (
    *(operator.truediv, operator.floordiv, operator.mod, operator.pow),
    *(range, float, int, round),
)

#: What arithmetic raises: of numbers, of shapes that do not fit, of what there is no memory for, of what only warns.
_BY_NUMBERS = (ArithmeticError, ValueError, TypeError, MemoryError, Warning)


def _is_small(a: Atom) -> bool:
    """Whether this is an integer that is written down, and has a float like it: others may be too large for one."""
    return isinstance(a, Const) and type(a.value) is int and abs(a.value) < 2**1000


def _dtype(a: Atom) -> str:
    """The type of a number of Python's own; NumPy's may be told to raise (``np.errstate``)."""
    kind = kind_of(a)
    return kind.dtype if isinstance(kind, Scalar) else ""
