"""Names that nothing reads any more once a statement is done, or a round of a loop.

``new = {}`` in a loop that ends with ``params = new`` leaves two names for one dict, and the next round binds ``new``
before it reads it: no change of the dict can be seen under that name.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import gast

from s2sad.frontend.scope import bound_names, declared_names

__all__ = ["LastReads", "last_reads"]

_Names = frozenset[str]
_NONE: _Names = frozenset()
#: What is in these may be evaluated at any time later.
_LATE = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda, gast.GeneratorExp)
#: Functions that may read any name.
_READ_ALL = frozenset({"locals", "vars", "eval", "exec", "dir"})


@dataclass(frozen=True)
class LastReads:
    """By the identity of a statement: the names that nothing reads after it, or from the next round of it on."""

    after: dict[int, _Names] = field(default_factory=dict)
    between_rounds: dict[int, _Names] = field(default_factory=dict)


@functools.lru_cache(maxsize=1024)
def last_reads(function: Any) -> LastReads:
    """Where a function reads its names for the last time.

    >>> text = "def f(p):\\n    for _ in p:\\n        new = dict(p)\\n        p = new\\n    return p"
    >>> loop = gast.parse(text).body[0].body[0]
    >>> sorted(last_reads(gast.parse(text).body[0]).between_rounds.popitem()[1])
    ['_', 'new']
    """
    found = LastReads()
    if isinstance(function, gast.Lambda):
        return found
    late = {name for n in gast.walk(function) if isinstance(n, _LATE) and n is not function for name in _names(n)}
    nonlocals, globals_ = declared_names(function)
    own = frozenset(bound_names(function) - late - nonlocals - globals_)
    if not _READ_ALL & _names(function):
        _Walk(own, found).block(function.body, _NONE, _Around())
    return found


@dataclass(frozen=True)
class _Around:
    """What is read where the loop around is left, where its next round begins, and after any loop around."""

    left: _Names = _NONE
    again: _Names = _NONE
    all: _Names = _NONE


@dataclass(frozen=True)
class _Walk:
    """A walk backwards through a function that binds these names; ``try`` and ``with`` are taken as a whole."""

    own: _Names
    found: LastReads

    def block(self, body: list[Any], after: _Names, around: _Around) -> _Names:
        """The names that are read from the beginning of a block on, before they are bound."""
        for s in reversed(body):
            self.found.after[id(s)] = self.own - after - around.all
            after = self.statement(s, after, around)
        return after

    def statement(self, s: Any, after: _Names, around: _Around) -> _Names:
        match s:
            case gast.Assign(targets=targets, value=value):
                bound = frozenset(name for t in targets for name in _plain(t))
                return (after - bound) | _names(value) | {n for t in targets for n in _names(t) - _plain(t)}
            case gast.AnnAssign(target=gast.Name(id=name), value=value) if value is not None:
                return (after - {name}) | _names(value)
            case gast.If(test=test, body=then, orelse=orelse):
                return _names(test) | self.block(then, after, around) | self.block(orelse, after, around)
            case gast.For(target=target, iter=source, body=body, orelse=orelse):
                end = self.block(orelse, after, around)
                first = self.rounds(s, body, end, after, around, _names(target) - _plain(target), _plain(target))
                return first | _names(source)
            case gast.While(test=test, body=body, orelse=orelse):
                end = self.block(orelse, after, around)
                return self.rounds(s, body, end, after, around, _names(test), _NONE)
            case gast.Break():
                return around.left
            case gast.Continue():
                return around.again
            case gast.Return(value=value):
                return _NONE if value is None else _names(value)
        return after | _names(s)

    def rounds(
        self, s: Any, body: list[Any], end: _Names, after: _Names, around: _Around, reads: _Names, binds: _Names
    ) -> _Names:
        """What is read from before a round of a loop on, which reads and binds these names before its body."""
        again = end | reads
        while True:
            within = _Around(after, again, around.all | again | after)
            wider = again | (self.block(body, again, within) - binds)
            if wider == again:
                break
            again = wider
        self.found.between_rounds[id(s)] = self.own - again - after - around.all
        return again


def _names(node: Any) -> _Names:
    """The names that are mentioned in a node."""
    return frozenset(n.id for n in gast.walk(node) if isinstance(n, gast.Name))


def _plain(target: Any) -> _Names:
    """The names that a target binds, whatever happens."""
    match target:
        case gast.Name(id=name):
            return frozenset({name})
        case gast.Tuple(elts=elts) | gast.List(elts=elts):
            return frozenset(name for t in elts for name in _plain(t))
        case gast.Starred(value=value):
            return _plain(value)
    return _NONE
