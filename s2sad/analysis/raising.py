"""Which operations may raise."""

from __future__ import annotations

import operator
from typing import Any

from s2sad.ir import prims
from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Atom, Const, Op, kind_of

__all__ = ["may_raise"]

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


def may_raise(op: Op) -> bool:
    """Whether an operation may raise, whatever the reason.

    >>> from s2sad.ir.nodes import Const
    >>> numbers = Const(2.0), Const(0.0)
    >>> may_raise(Op(None, operator.mul, numbers)), may_raise(Op(None, operator.truediv, numbers))
    (False, True)
    >>> [may_raise(Op(None, operator.mul, (Const(2.0), Const(n)))) for n in (3, 10**400)]
    [False, True]
    """
    if any(op.fn is fn for fn in _NEVER):
        return False
    dtypes = {_dtype(a) for a in op.args if not _is_small(a)}
    return not (op.fn in _OF_NUMBERS and (dtypes <= {"float"} or dtypes <= set(_EXACT)))


def _is_small(a: Atom) -> bool:
    """Whether this is an integer that is written down, and has a float like it: others may be too large for one."""
    return isinstance(a, Const) and type(a.value) is int and abs(a.value) < 2**1000


def _dtype(a: Atom) -> str:
    """The type of a number of Python's own; NumPy's may be told to raise (``np.errstate``)."""
    kind = kind_of(a)
    return kind.dtype if isinstance(kind, Scalar) else ""
