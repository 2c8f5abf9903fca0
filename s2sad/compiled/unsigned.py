"""Which integers of a function, in Numba's IR, are never negative: as an index they count from the beginning.

An index that may be negative may count from the end, which is asked at each access. LLVM finds of many by itself that
they are not, but not of the places of slices that move with a loop: ``x[i:] * y[i:]`` is a loop over ``x[i + j]``, and
it asked for each item (the gradient of a matrix of covariances, row by row, took three times as long).

Here are numbers of ranges, lengths, ends of slices, the larger of two numbers, and sums and products of such. A
variable that loops carry is one if all that is put into it is, provided that all others are which that relies on: the
greatest fixpoint. A sum that does not fit into 64 bits is no index of anything.

>>> from s2sad.compiled.sites import Sites
>>> from numba import float64, int64, njit
>>> def f(x, k):
...     total = 0.0
...     for i in range(3, -1, -1):
...         for j in range(i):
...             at = i + j
...             back = i - j
...             total += x[at] * x[back] * x[k]
...     return total
...
>>> compiled = njit(f)
>>> _ = compiled.compile((float64[::1], int64))
>>> ir = compiled.overloads[float64[::1], int64].type_annotation
>>> sites = Sites(ir.blocks, ir.typemap, ir.calltypes)
>>> found = unsigned(sites.definitions, ir.typemap)
>>> [name in found for name in ("i", "j", "at", "back", "k")]
[True, True, True, False, False]
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any

from numba.core import ir, types

from s2sad.runtime import helpers

__all__ = ["unsigned"]

#: Operators that give no negative number of numbers that are not.
_KEEPING = frozenset({operator.add, operator.mul, operator.iadd, operator.imul})
Definitions = Mapping[str, Sequence[Any]]


def unsigned(definitions: Definitions, typemap: Mapping[str, Any]) -> frozenset[str]:
    """The variables that hold integers which are not negative."""
    found = {name for name in definitions if isinstance(typemap.get(name), types.Integer)}
    while dropped := [n for n in found if not all(_is_so(value, definitions, found) for value in definitions[n])]:
        found.difference_update(dropped)
    return frozenset(found)


def _is_so(value: Any, definitions: Definitions, found: set[str]) -> bool:
    """Whether what defines a variable is not negative, if these variables are not."""
    match value:
        case ir.Var():
            return value.name in found
        case ir.Const():
            return bool(value.value >= 0)
        case ir.Expr(op="cast"):
            return value.value.name in found
        case ir.Expr(op="binop" | "inplace_binop"):
            return value.fn in _KEEPING and value.lhs.name in found and value.rhs.name in found
        case ir.Expr(op="static_getitem"):
            return _is_shape(value.value, definitions)
        case ir.Expr(op="pair_first"):
            return _counts_up(value.value, definitions, found)
        case ir.Expr(op="call") if not (value.kws or value.vararg):
            return _gives(_function(value.func, definitions), value.args, found)
    return False


def _is_shape(var: ir.Var, definitions: Definitions) -> bool:
    """Whether a variable is the shape of an array, perhaps taken apart."""
    made = _made(var, definitions)
    if isinstance(made, ir.Expr) and made.op == "exhaust_iter":
        made = _made(made.value, definitions)
    return isinstance(made, ir.Expr) and made.op == "getattr" and made.attr == "shape"


def _counts_up(pair: ir.Var, definitions: Definitions, found: set[str]) -> bool:
    """Whether what an iterator gives next is a number of a range in which there are no negative ones."""
    made = _made(pair, definitions)
    for op in ("iternext", "getiter"):
        if not (isinstance(made, ir.Expr) and made.op == op):
            return False
        made = _made(made.value, definitions)
    if not (isinstance(made, ir.Expr) and made.op == "call") or _function(made.func, definitions) is not range:
        return False
    match [a.name for a in made.args]:
        case [_]:
            return True
        case [start, _]:
            return start in found
        case [start, stop, step]:
            by, least = (_constant(name, definitions) for name in (step, stop))
            if by is None or by == 0:
                return False
            return start in found if by > 0 else least is not None and least >= -1
    return False


def _gives(function: Any, args: Sequence[ir.Var], found: set[str]) -> bool:
    """Whether a function gives no negative number of these arguments."""
    known = [a.name in found for a in args]
    if function in (max, min):
        return len(known) > 1 and (any(known) if function is max else all(known))
    code = getattr(getattr(function, "py_func", None), "__code__", None)
    return function is len or (code is not None and _reads(code) == _reads(helpers.within.__code__))


def _reads(code: CodeType) -> tuple[Any, ...]:
    """What tells functions apart, but for their names and docstrings."""
    return code.co_code, code.co_names, code.co_varnames, code.co_consts[1:]


def _made(var: ir.Var, definitions: Definitions) -> Any:
    """What alone defines a variable, by way of others that are the same; else None."""
    match definitions.get(var.name):
        case [ir.Var() as other]:
            return _made(other, definitions)
        case [value]:
            return value
    return None


def _function(var: ir.Var, definitions: Definitions) -> Any:
    """The object outside that a variable is."""
    made = _made(var, definitions)
    return made.value if isinstance(made, (ir.Global, ir.FreeVar)) else None


def _constant(name: str, definitions: Definitions) -> int | None:
    """The integer that a variable is."""
    match definitions.get(name):
        case [ir.Const(value=int() as number)]:
            return number
    return None
