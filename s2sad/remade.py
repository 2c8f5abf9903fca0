"""Functions that are made again: the derivative of the one before, which reads the cells of the next.

Each time that a ``def`` or a ``lambda`` is evaluated, there is a new function of the same code, with cells of its own::

    def step(w, x, y):
        return w - 0.1 * grad(lambda w: loss(w, x, y))(w)

What a derivative relies on of its cells, it tests each time that it is called, for any cell may hold something else
then. So what is in the cells of the next closure need only pass the tests, too: nothing is derived anew. Functions in
the cells may be made again as well; that counts as the same function, if its cells in turn are read by nothing else.
The defaults of the function itself are arguments, as callers pass them.
"""

from __future__ import annotations

import types
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

from s2sad.analysis.held import Apart
from s2sad.frontend.places import value_at
from s2sad.guards import still_fit
from s2sad.inlining import Read
from s2sad.ir.nodes import Ref

__all__ = ["Loaded", "made_by", "remade_or"]

_MAX_KEPT = 64
_MAX_ALIKE = 4  # variants for functions of one code; each holds what is in the cells of one


@dataclass(frozen=True)
class Loaded:
    """The function of a module that is loaded, the derivative of ``fn``; what it reads outside, and what must be apart.

    >>> Loaded(lambda: 0, len, (), Apart()).for_closure(lambda: 0) is None
    True
    """

    fn: Any
    function: Callable[..., Any]
    reads: tuple[Read, ...]
    apart: Apart

    @property
    def refs(self) -> tuple[Ref, ...]:
        """The places outside that are read."""
        return tuple(ref for ref, _ in self.reads)

    def for_closure(self, fn: Any) -> Loaded | None:
        """The same for a function made by the same code; None where it may have another derivative."""
        counterparts = _counterparts(self.fn, fn)
        if counterparts is None or not _are_apart(self.refs, counterparts):
            return None

        def now(value: Any) -> Any:
            return counterparts.get(id(value), value)

        reads = [(replace(r, root=now(r.root), value=now(r.value)), spec) for r, spec in self.reads]
        calls_itself = any(r.value is fn for r, _ in reads)
        if not still_fit([x for x in reads if calls_itself or x[0].root is not fn or not _is_of_defaults(x[0])]):
            return None
        function = _rebound(self.function, now)
        reads = [(replace(r, value=value_at(r.root, r.path)), spec) for r, spec in reads]
        return None if function is None else Loaded(fn, function, tuple(reads), self.apart)


class _Variant(Protocol):
    def for_closure(self, fn: Any) -> Self | None:
        """The same for a function made by the same code; None where it may have another derivative."""


_V = TypeVar("_V", bound=_Variant)
_closures: OrderedDict[Any, tuple[Any, ...]] = OrderedDict()


def remade_or(fn: Any, key: Any, make: Callable[[], _V]) -> _V:
    """What was made for a function of the same code under the same ``key``, for this one; else what ``make`` gives."""
    if not _may_be_made_again(fn):
        return make()
    key = (made_by(fn), key)
    known = _closures.pop(key, ())
    served = ((before, found) for before in known if (found := before.for_closure(fn)) is not None)
    before, found = next(served, None) or (None, make())
    _closures[key] = (found, *(v for v in known if v is not before))[:_MAX_ALIKE]
    while len(_closures) > _MAX_KEPT:
        _closures.popitem(last=False)
    return found


def made_by(fn: Any) -> Any:
    """What is the same of all functions that one ``def`` or ``lambda`` makes, and of their derivatives."""
    if getattr(type(fn), "_s2sad_derivative", False):
        return type(fn).__mro__[1], repr(fn._options()), made_by(fn.primal)
    return (id(fn.__code__), id(fn.__globals__)) if isinstance(fn, types.FunctionType) else id(fn)


def _may_be_made_again(fn: Any) -> bool:
    if getattr(type(fn), "_s2sad_derivative", False):
        return _may_be_made_again(fn.primal)
    return isinstance(fn, types.FunctionType) and bool(fn.__closure__ or fn.__defaults__ or fn.__kwdefaults__)


def _counterparts(old: Any, new: Any) -> dict[int, Any] | None:
    """What stands now for a closure, the functions made with it and their cells, by the identity of each."""
    found: dict[int, Any] = {}
    while getattr(type(old), "_s2sad_derivative", False):
        found[id(old)] = new
        if made_by(old) != made_by(new):
            return None
        old, new = old.primal, new.primal
    if not _is_of_same_code(old, new):
        return None
    waiting = [(old, new)]
    while waiting:
        pair = waiting.pop()
        if found.setdefault(id(pair[0]), pair[1]) is not pair[1]:
            return None
        for a, b in zip(pair[0].__closure__ or (), pair[1].__closure__ or (), strict=True):
            if id(a) not in found:
                try:
                    before, after = a.cell_contents, b.cell_contents
                except ValueError:  # one is empty
                    return None
                if before is not after and _is_made_again(before, after):
                    waiting.append((before, after))
            if found.setdefault(id(a), b) is not b:
                return None
    return found if len({*map(id, found.values())}) == len(found) else None


def _is_made_again(old: Any, new: Any) -> bool:
    """Whether two are functions made by one ``def`` or ``lambda`` that has no defaults."""
    return _is_of_same_code(old, new) and not any(f.__defaults__ or f.__kwdefaults__ for f in (old, new))


def _is_of_same_code(old: Any, new: Any) -> bool:
    """Whether two are functions made by one ``def`` or ``lambda``, and nothing has been put into either."""
    if not isinstance(old, types.FunctionType) or not isinstance(new, types.FunctionType):
        return False
    same = old.__code__ is new.__code__ and old.__globals__ is new.__globals__
    return same and not old.__dict__ and not new.__dict__


def _is_of_defaults(ref: Ref) -> bool:
    """Whether a place is that of the defaults of a function, or in it."""
    return ref.path[1] in ("__defaults__", "__kwdefaults__")


def _are_apart(refs: tuple[Ref, ...], counterparts: dict[int, Any]) -> bool:
    """Whether no other function that is read has a cell of those that are others now, or are so from now on."""
    moved = {place for old, new in counterparts.items() if old != id(new) for place in (old, id(new))}
    functions = (f for ref in refs for f in (ref.root, ref.value) if isinstance(f, types.FunctionType))
    others = (f for f in functions if id(f) not in counterparts)
    return not any(id(cell) in moved for f in others for cell in f.__closure__ or ())


def _rebound(function: Callable[..., Any], now: Callable[[Any], Any]) -> Callable[..., Any] | None:
    """A function like that of a module, with what else the module defines, all of which refers to what is there now.

    Machine code refers to nothing that may be another.
    """
    if not isinstance(function, types.FunctionType):
        return function
    before = function.__globals__
    module: dict[str, Any] = {}
    for name, value in before.items():
        if isinstance(value, types.FunctionType) and value.__globals__ is before:
            copy = types.FunctionType(value.__code__, module, value.__name__, value.__defaults__, value.__closure__)
            copy.__kwdefaults__ = value.__kwdefaults__
            module[name] = copy
        else:
            module[name] = now(value)
    return module[function.__name__] if before.get(function.__name__) is function else None
