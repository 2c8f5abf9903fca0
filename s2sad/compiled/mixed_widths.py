"""Numbers of single precision and Python's in one place: of what precision that is, only the run tells.

::

    xs.append(np.float32(x) if k == 0 else 2.0)  # in arithmetic both are of single precision
    y = np.array(xs)                             # and of double precision here, where one of Python's is among them

    v = np.float32(x) if n else x * 2.0          # a variable has one type in machine code

A sum that begins with a number that every precision holds (``s = 0.0``) is of single precision from there on.

Requires: the kinds that lowering gave. Ensures: no array is made of such a list, and there is no such variable.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from s2sad.analysis.widths import NARROW, holds_narrow
from s2sad.compiled.nothing import Merged
from s2sad.errors import CompileError
from s2sad.frontend.builder import is_numpy
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import inner_targets_of, targets_of, walk

__all__ = ["refuse_mixed_widths"]

#: Python's numbers.
_WEAK = ("bool", "int", "float", "complex")


def refuse_mixed_widths(function: Function) -> None:
    """Raise :class:`~s2sad.errors.CompileError` where a variable may be either, or an item of a list that becomes an
    array."""
    if not holds_narrow(function):
        return
    merged = Merged(function)
    _refuse_numbers(function, merged)
    arrays = [s for s in walk(function) if isinstance(s, Op) and is_numpy(s.fn) and any(map(_is_narrow_list, s.args))]
    if arrays:
        _refuse_lists(function, merged, arrays)


def _refuse_numbers(function: Function, merged: Merged) -> None:
    for s in walk(function):
        for v in (*targets_of(s), *inner_targets_of(s)):
            if (
                v in merged.sources
                and _has_dtype(v, NARROW)
                and any(_has_own_width(a, merged) for a in _sources(v, merged))
            ):
                raise CompileError(
                    "this gives a number of single precision at times, and one of Python's at others.",
                    "Convert them alike: np.float32(x).",
                    origin=getattr(s, "origin", None),
                )


def _has_own_width(a: Atom, merged: Merged) -> bool:
    """Whether it is a number of Python's which single precision may not hold as it is."""
    if not _has_dtype(a, _WEAK) or a in merged.sources:
        return False
    return not isinstance(a, Const) or not _is_in_single(a.value)


def _is_in_single(value: complex) -> bool:
    """Whether single precision has a number.

    >>> _is_in_single(0.0), _is_in_single(float("inf")), _is_in_single(0.1), _is_in_single(10**400)
    (True, True, False, False)
    """
    try:
        with np.errstate(over="ignore"):
            return bool(np.array_equal(np.complex64(value), complex(value), equal_nan=True))
    except OverflowError:
        return False


def _refuse_lists(function: Function, merged: Merged, arrays: list[Op]) -> None:
    for s in walk(function):
        for item in _put(s):
            if isinstance(item, Var) and any(_has_dtype(a, _WEAK) for a in _sources(item, merged)):
                raise CompileError(
                    "numbers of single precision and Python's are in one list that an array is made of.",
                    "Convert them alike: np.float32(2.0).",
                    origin=arrays[0].origin,
                )


def _put(s: Stmt) -> Iterator[Atom]:
    """The numbers of few bits that a statement puts into a list."""
    match s:
        case Op(fn=prims.list_append | prims.list_insert | prims.make_list, args=args):
            yield from (a for a in args if _has_dtype(a, NARROW))
        case Store(obj=obj, value=value) if _is_narrow_list(obj) and _has_dtype(value, NARROW):
            yield value


def _sources(v: Var, merged: Merged) -> Iterator[Atom]:
    """All that a variable may be, by branches, loops and copies."""
    yield from (a for r in merged.reached([v]) for a in merged.sources.get(r, ()))


def _is_narrow_list(a: Atom) -> bool:
    kind = kind_of(a)
    return isinstance(kind, K.List) and K.dtype_of(kind.item) in NARROW


def _has_dtype(a: Atom, dtypes: tuple[str, ...]) -> bool:
    kind = kind_of(a)
    return isinstance(kind, K.Scalar) and kind.dtype in dtypes
