"""Tests whether two names are one object, refused where Numba answers otherwise than Python.

Numba compares where the items of arrays are, not objects: ``y[:] is y`` holds there, and does not in Python. Tuples,
which records are as well, it compares by their items, and of two dicts it says that they are two, as of one list
that is passed twice.

Requires: the IR of a derivative, before loops are lowered and views folded.
Ensures: the function as it is. :class:`~s2sad.errors.CompileError` where a test is of arrays that may be views, of
tuples, of dicts or of lists that callers pass.
"""

from __future__ import annotations

import operator

from s2sad.analysis.memory import Memory
from s2sad.compiled.errors import HELP
from s2sad.errors import CompileError
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Function, Op, Ref, Var, kind_of
from s2sad.ir.rewrite import uses_of, walk
from s2sad.transform.operations import view_base

__all__ = ["refuse_identities_of_views"]

_ONE = "whether two names are one tuple, record or dict cannot be compiled."


def refuse_identities_of_views(function: Function) -> None:
    """Refuse tests that would not be those of Python."""
    tests = [s for s in walk(function) if isinstance(s, Op) and s.fn in (operator.is_, operator.is_not)]
    for s in tests:
        if s.args[0] is not s.args[1] and all(isinstance(getattr(a, "kind", None), K.Tuple | K.Dict) for a in s.args):
            raise CompileError(_ONE, HELP, origin=s.origin)
    _refuse_lists_of_callers(function, [s for s in tests if all(isinstance(kind_of(a), K.List) for a in s.args)])
    asked = [s for s in tests if all(isinstance(a, Var) and isinstance(a.kind, K.Array | K.Numeric) for a in s.args)]
    if not asked:
        return
    memory = Memory(function)
    views = {memory.of(s.target) for s in walk(function) if isinstance(s, Op) and s.target is not None and _is_view(s)}
    for s in asked:
        one, other = map(memory.of, s.args)
        if s.args[0] is not s.args[1] and one == other and one in views:
            raise CompileError("whether a view of an array is that array cannot be compiled.", HELP, origin=s.origin)


def _refuse_lists_of_callers(function: Function, tests: list[Op]) -> None:
    """Refuse to ask whether two lists from outside, or that those hold, are one: each is passed for itself."""
    if not tests:
        return
    memory = Memory(function)
    given: list[Var | Ref] = [*function.params]
    given += [a for s in walk(function) for a in uses_of(s) if isinstance(a, Ref)]
    passed = {c for a in given for c in memory.reachable(a)}
    for s in tests:
        if s.args[0] is not s.args[1] and passed.issuperset(map(memory.of, s.args)):
            raise CompileError("whether two lists that are passed are one cannot be compiled.", HELP, origin=s.origin)


def _is_view(s: Op) -> bool:
    """Whether an array is made that shares its memory with another."""
    return s.fn is not prims.identity and view_base(s) is not None
