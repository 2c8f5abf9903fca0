"""Lists of numbers of single precision and of Python's, of which an array is made.

::

    xs.append(np.float32(x) if k == 0 else 2.0)  # in arithmetic both are of single precision
    y = np.array(xs)                             # and of double precision here, where one of Python's is among them

Of what precision the array is only the run tells, and derivatives would be cut to that of its kind.

Requires: the kinds that lowering gave. Ensures: no such list is made an array of.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.compiled.nothing import Merged
from s2sad.errors import CompileError
from s2sad.frontend.builder import is_numpy
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Function, Op, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import walk

__all__ = ["refuse_mixed_lists"]

_NARROW = ("float16", "float32", "complex64")
#: Python's numbers.
_WEAK = ("bool", "int", "float", "complex")


def refuse_mixed_lists(function: Function) -> None:
    """Raise :class:`~s2sad.errors.CompileError` where an array is made of a list whose items may be either."""
    arrays = [s for s in walk(function) if isinstance(s, Op) and is_numpy(s.fn) and any(map(_is_narrow_list, s.args))]
    if not arrays:
        return
    merged = Merged(function)
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
            yield from (a for a in args if _has_dtype(a, _NARROW))
        case Store(obj=obj, value=value) if _is_narrow_list(obj) and _has_dtype(value, _NARROW):
            yield value


def _sources(v: Var, merged: Merged) -> Iterator[Atom]:
    """All that a variable may be, by branches, loops and copies."""
    yield from (a for r in merged.reached([v]) for a in merged.sources.get(r, ()))


def _is_narrow_list(a: Atom) -> bool:
    kind = kind_of(a)
    return isinstance(kind, K.List) and K.dtype_of(kind.item) in _NARROW


def _has_dtype(a: Atom, dtypes: tuple[str, ...]) -> bool:
    kind = kind_of(a)
    return isinstance(kind, K.Scalar) and kind.dtype in dtypes
