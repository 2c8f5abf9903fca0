"""Truth values of Python's and of NumPy's: of one kind, but of two classes, and ``np.True_`` is not ``True``."""

from __future__ import annotations

import math
import operator
from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Op, Ref, Var, kind_of

__all__ = ["classes_of_truth", "may_be_of_numpys"]

#: What gives truth values of Python's, whatever it is of.
_PYTHONS = (
    bool, isinstance, issubclass, callable, hasattr, any, all, operator.not_, operator.truth, operator.is_,
    operator.is_not, operator.contains, math.isnan, math.isfinite, math.isinf, math.isclose,
)  # fmt: skip
#: What gives numbers and truth values of NumPy's, whatever it is of, besides its ufuncs.
_NUMPYS = (np.bool_, np.any, np.all, np.sum, np.prod, np.mean, np.max, np.min)
#: What gives one of NumPy's if it is of one.
_COMPUTES = (
    operator.lt, operator.le, operator.eq, operator.ne, operator.ge, operator.gt, operator.and_, operator.or_,
    operator.xor, operator.invert, operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, abs,
    operator.floordiv, operator.mod, operator.pow, operator.pos, operator.lshift, operator.rshift, pow, max, min,
)  # fmt: skip


def classes_of_truth(value: Atom, definitions: Mapping[Var, Op]) -> tuple[type, ...]:
    """The classes that a truth value may be of, by the operations that give variables, as far as they are known.

    >>> m, t = Var("m", K.Array("bool", 1)), Var("t", K.BOOL)
    >>> classes_of_truth(t, {t: Op(t, operator.not_, (m,), (), None)})
    (<class 'bool'>,)
    >>> classes_of_truth(t, {t: Op(t, operator.getitem, (m, Const(0)), (), None)}) == (np.bool_,)
    True
    """
    if isinstance(value, Const | Ref):
        return (type(value.value),)
    made = definitions.get(value)
    if made is not None and made.fn in _PYTHONS:
        return (bool,)
    return (np.bool_,) if _is_numpys(value, definitions) else (bool, np.bool_)


def may_be_of_numpys(
    value: Atom, definitions: Mapping[Var, Op], merges: Mapping[Var, tuple[Atom, ...]], pythons: Container[Any]
) -> bool:
    """Whether a number may be computed of NumPy's truth values, which gives NumPy's where the kind is Python's.

    ``merges`` has what branches give for a variable, ``pythons`` are truth values known to be Python's.

    >>> m, t, n = Var("m", K.Array("bool", 1)), Var("t", K.BOOL), Var("n", K.INT)
    >>> ops = Op(t, operator.getitem, (m, Const(0)), (), None), Op(n, operator.add, (t, Const(1)), (), None)
    >>> may_be_of_numpys(n, {op.target: op for op in ops}, {}, ())
    True
    """
    seen: set[Any] = set()
    todo: list[Any] = [value]
    while todo:
        a = todo.pop()
        if a in seen or a in pythons:
            continue
        seen.add(a)
        kind = kind_of(a)
        if kind == K.BOOL and np.bool_ in classes_of_truth(a, definitions):
            return True
        made = definitions.get(a) if isinstance(a, Var) else None
        if a in merges:
            todo += merges[a]
        elif made is not None and made.fn in _COMPUTES:
            todo += [b for b in made.args if isinstance(kind_of(b), K.Scalar)]
    return False


def _is_numpys(value: Any, definitions: Mapping[Var, Op]) -> bool:
    """Whether a number or a truth value is NumPy's for certain."""
    made = definitions.get(value) if isinstance(value, Var) else None
    if made is None:
        return False
    if made.fn in _NUMPYS or isinstance(made.fn, np.ufunc):
        return True
    if made.fn is operator.getitem:
        return isinstance(kind_of(made.args[0]), K.Array)
    return made.fn in _COMPUTES and any(_is_numpys(a, definitions) for a in made.args)
