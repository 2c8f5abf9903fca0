"""Numbers that may be None, and that a container holds.

::

    scale = None if i % 2 else 2.0 * x     # may be None
    pairs.append((x, scale))               # and is held

The kind of such a value is what it is otherwise; only a test in the program can tell. Its adjoint comes out of the
shadow of what holds it, and is None where the value is: what is added to it has to mind that.

Requires: nothing of the IR but that each value has one definition.
Ensures: an answer that is on the safe side.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from s2sad.analysis.memory import Class, Memory
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, For, Function, If, Op, Stmt, Store, Var, While, With
from s2sad.ir.rewrite import walk
from s2sad.runtime import helpers

__all__ = ["held_beside_none", "values_that_may_be_none"]

_NONE = Const(None)
_MAKERS = {prims.make_tuple, prims.make_instance, prims.make_list, prims.make_dict}
_PUTS = {prims.list_append, prims.list_insert}
#: Helpers that give something made of numbers, whatever they are given.
_OF_NUMBERS = {helpers.need_number, helpers.unit_seed, helpers.ones_like}


def held_beside_none(function: Function, memory: Memory) -> frozenset[Var]:
    """The values that may be None, and that a container holds."""
    stmts = list(walk(function))
    found = _found(stmts, memory)
    held = {a for s in stmts if isinstance(s, Op | Store) for a in _put(s)}
    return frozenset(a for a in held if isinstance(a, Var) and found.holds(a))


def values_that_may_be_none(
    function: Function, seeds: Set[Var] = frozenset(), memory: Memory | None = None
) -> frozenset[Var]:
    """The values that may be None, or hold it; ``seeds`` are known to be such."""
    stmts = list(walk(function))
    return frozenset(_found(stmts, memory or Memory(function), seeds).values)


def _found(stmts: list[Stmt], memory: Memory, seeds: Set[Var] = frozenset()) -> _Absent:
    found = _Absent(memory)
    for v in seeds:
        found.mark(v)
    if seeds or any(_NONE in _given(s) for s in stmts):
        while sum(map(found.note, stmts)):
            pass
    return found


class _Absent:
    """Values that may be None, or that hold what may be."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.values: set[Var] = set()
        self.classes: set[Class | None] = set()

    def holds(self, a: Atom) -> bool:
        """Whether this may be None or hold it."""
        return isinstance(a, Var) and (a in self.values or (_is_list(a) and self.memory.of(a) in self.classes))

    def mark(self, v: Var) -> bool:
        """Note that this may be None or hold it; whether that was news."""
        if self.holds(v):
            return False
        self.values.add(v)
        if _is_list(v):
            self.classes.add(self.memory.of(v))
        return True

    def note(self, s: Stmt) -> bool:
        """Follow a statement; whether anything was news."""
        news = [self.mark(v) for v, sources in _flows(s) if any(a == _NONE or self.holds(a) for a in sources)]
        return any(news)


def _is_list(v: Var) -> bool:
    return isinstance(v.kind, K.List | K.Dict)


def _given(s: Stmt) -> list[Atom]:
    """All that a statement puts or hands on."""
    return [a for _, sources in _flows(s) for a in sources]


def _put(s: Op | Store) -> tuple[Atom, ...]:
    """What a statement puts into a container."""
    if isinstance(s, Store):
        return (s.value,)
    if s.fn in _MAKERS:
        return s.args
    return s.args[-1:] if s.fn in _PUTS else ()


def _flows(s: Stmt) -> Iterator[tuple[Var, tuple[Atom, ...]]]:
    """What may be None if one of some values is, with these."""
    match s:
        case If(then=then, orelse=orelse, results=results):
            for r, a, b in zip(results, then.outs, orelse.outs, strict=True):
                yield r, (a, b)
        case For() | While():
            for p, r, a, b in zip(s.params, s.results, s.inits, s.body.outs, strict=False):
                yield p, (a, b)
                yield r, (a, b)
        case With(body=body, results=results):
            for r, a in zip(results, body.outs, strict=True):
                yield r, (a,)
        case Store(obj=Var() as obj) if _is_list(obj):
            yield obj, (s.value,)
        case Op(fn=fn, args=(Var() as xs, *_)) if fn in prims.WRITES and fn is not prims.list_pop:
            yield xs, s.args[-1:] if fn in _PUTS else tuple(a for a in s.args[1:] if a != _NONE)
        case Op(target=Var() as v) if s.fn in _MAKERS:
            yield v, s.args
        case Op(target=Var() as v) if _hands_on(s):
            yield v, tuple(a for a in s.args if a != _NONE)


def _hands_on(op: Op) -> bool:
    """Whether what an operation gives may be, or hold, what it was given."""
    module = getattr(op.fn, "__module__", None) or ""
    helper = module.startswith(helpers.__name__) and op.fn not in _OF_NUMBERS
    return helper or any(isinstance(a, Var) and isinstance(a.kind, K.List | K.Dict | K.Tuple) for a in op.args)
