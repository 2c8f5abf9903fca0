"""Tests whether two names are one object, refused where Numba answers otherwise than Python.

Numba compares where the items of arrays are, not objects: ``y[:] is y`` holds there, and does not in Python. Tuples,
which records are as well, it compares by their items, and of two dicts it says that they are two. What a comparison of
NumPy's numbers gives is not ``True`` itself, and to Numba it is.

Requires: the IR of a derivative, before loops are lowered and views folded.
Ensures: the function as it is. :class:`~s2sad.errors.CompileError` where a test is of arrays that may be views, of
tuples, of dicts or of truth values that may be NumPy's.
"""

from __future__ import annotations

import math
import operator

from s2sad.analysis.memory import Memory
from s2sad.compiled.errors import HELP
from s2sad.errors import CompileError
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, For, Function, If, Op, Var, While
from s2sad.ir.rewrite import walk
from s2sad.transform.operations import view_base

__all__ = ["refuse_identities_of_views"]

#: What gives truth values of Python's.
_PYTHONS = (
    bool, isinstance, issubclass, callable, hasattr, any, all, operator.not_, operator.truth, operator.is_,
    operator.is_not, operator.contains, math.isnan, math.isfinite, math.isinf, math.isclose,
)  # fmt: skip
_ITSELF = (
    "whether a truth value is `True` or `False` itself cannot be compiled where it may be one of NumPy's, which is not."
)
_ONE = "whether two names are one tuple, record or dict cannot be compiled."


def refuse_identities_of_views(function: Function) -> None:
    """Refuse tests that would not be those of Python."""
    tests = [s for s in walk(function) if isinstance(s, Op) and s.fn in (operator.is_, operator.is_not)]
    for s in tests:
        if s.args[0] is not s.args[1] and all(isinstance(getattr(a, "kind", None), K.Tuple | K.Dict) for a in s.args):
            raise CompileError(_ONE, HELP, origin=s.origin)
    refuse_identities_of_truths(function, tests)
    asked = [s for s in tests if all(isinstance(a, Var) and isinstance(a.kind, K.Array | K.Numeric) for a in s.args)]
    if not asked:
        return
    memory = Memory(function)
    views = {memory.of(s.target) for s in walk(function) if isinstance(s, Op) and s.target is not None and _is_view(s)}
    for s in asked:
        one, other = map(memory.of, s.args)
        if s.args[0] is not s.args[1] and one == other and one in views:
            raise CompileError("whether a view of an array is that array cannot be compiled.", HELP, origin=s.origin)


def refuse_identities_of_truths(function: Function, tests: list[Op]) -> None:
    """Refuse to ask whether a truth value is ``True`` itself, or another, where it may be one of NumPy's."""
    asked = [s for s in tests if any(_is_truth(a) for a in s.args) and not any(a == Const(None) for a in s.args)]
    if not asked:
        return
    sources = _sources(function)
    for s in asked:
        if any(_may_be_numpys(a, sources, set()) for a in s.args):
            raise CompileError(_ITSELF, "Leave out `is True`, or ask `bool(...)` of it.", origin=s.origin)


def _is_truth(a: Atom) -> bool:
    return isinstance(a.value, bool) if isinstance(a, Const) else getattr(a, "kind", None) == K.BOOL


def _sources(function: Function) -> dict[Var, tuple[Op | Atom, ...]]:
    """What gives a variable: an operation, or what branches and loops hand on."""
    found: dict[Var, tuple[Op | Atom, ...]] = {}
    for s in walk(function):
        match s:
            case Op(target=Var() as target):
                found[target] = (s,)
            case If(then=then, orelse=orelse, results=results):
                found.update(zip(results, zip(then.outs, orelse.outs, strict=True), strict=True))
            case For() | While():
                for v, result, one, other in zip(s.params, s.results, s.inits, s.body.outs, strict=False):
                    found[v] = found[result] = (one, other)
    return found


def _may_be_numpys(a: Atom, sources: dict[Var, tuple[Op | Atom, ...]], seen: set[Var]) -> bool:
    if not isinstance(a, Var) or a in seen or a.kind in (K.NONE, K.BOTTOM):
        return False
    seen.add(a)
    for source in sources.get(a, ()):
        if source.fn not in _PYTHONS if isinstance(source, Op) else _may_be_numpys(source, sources, seen):
            return True
    return False


def _is_view(s: Op) -> bool:
    """Whether an array is made that shares its memory with another."""
    return s.fn is not prims.identity and view_base(s) is not None
