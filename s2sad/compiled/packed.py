"""Lists of numbers where NumPy takes them for arrays.

Before::

    def f(x: float64[1], a: float):
        xs: list[float] = [a, 2.0]
        y: float64[1] = x * xs
        y[...] = xs
        return y

After::

    def f(x, a):
        xs = [a, 2.0]
        t = np.array(xs)
        y = x * t
        t_1 = np.array(xs)
        y[...] = t_1
        return y

What is active is so already (:mod:`s2sad.transform.arrays`); Numba wants it of all.

Requires: nothing of the IR.
Ensures: no list of numbers among the arrays that NumPy's functions, operators and stores into arrays take, as far as
rules say which these are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import map_stmts, with_body
from s2sad.rules.forms import as_numeric
from s2sad.transform.arrays import lists_as_arrays

__all__ = ["lists_packed"]


def lists_packed(function: Function) -> Function:
    """Make arrays of lists that stand for arrays."""
    changed = lists_as_arrays(function, lambda v: True)
    return with_body(changed, map_stmts(changed.body, _stored))


def _stored(s: Stmt) -> Stmt | list[Stmt]:
    """What is stored into an array."""
    if not isinstance(s, Store) or not isinstance(kind_of(s.obj), K.Array):
        return s
    kind = as_numeric(kind_of(s.value)) if isinstance(kind_of(s.value), K.List | K.Tuple) else None
    if not isinstance(kind, K.Array):
        return s
    packed = Var("", kind)
    return [Op(packed, np.array, (s.value,), (), s.origin), replace(s, value=packed)]
