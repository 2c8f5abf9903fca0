"""Forward and reverse derivatives at one point: ``jvp`` and ``vjp``."""

from __future__ import annotations

import threading
import types
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from inspect import Parameter
from typing import Any

import numpy as np

from s2sad import structure
from s2sad.backends import PYTHON, backend_of
from s2sad.dispatch import Binder, counting_among, guarded, variants_of
from s2sad.frontend.specs import Spec
from s2sad.tangents import floated, like, naming, within, zero
from s2sad.targets import call_of_primitive, target_of

__all__ = ["jvp", "vjp"]

Places = list[tuple[int, Any]]
_MAX_CALLERS = 128
_callers: OrderedDict[Any, Caller] = OrderedDict()
_lock = threading.RLock()


def jvp(
    f: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    backend: str = PYTHON,
    fastmath: bool = False,
) -> tuple[Any, Any]:
    """The value of ``f`` at ``primals`` and its derivative along ``tangents``: ``(y, dy)``.

    Each tangent is like its primal, or None for one without float leaves. ``backend`` as for :func:`s2sad.grad`.

    >>> jvp(lambda x, y: x * y, (3.0, 2.0), (1.0, 0.0))
    (6.0, 2.0)
    """
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            raise TypeError(f"{name} must be a tuple with one item per argument, not {naming(given)}")
    if len(primals) != len(tangents):
        raise ValueError(f"there are {len(primals)} primals but {len(tangents)} tangents")
    caller, values, directions = _caller(f).for_call(tuple(primals), tuple(tangents))
    point = _Point(caller, values, directions, caller.places(len(primals)))
    variants = variants_of(caller.fn, "jvp", backend_of(backend, fastmath, f))
    function = variants.fitting(point.positions, point.specs, point.arguments)[1].function
    result = guarded(function, *point.arguments, *point.tangents)
    y, dy = structure.detached(result, (point.arguments, point.tangents))
    return y, dy


def vjp(
    f: Callable[..., Any], *primals: Any, backend: str = PYTHON, fastmath: bool = False
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of ``f`` and its pullback: ``(y, pullback)``.

    ``pullback(ct)`` takes a cotangent like ``y`` and returns a tuple of cotangents, one for each
    of ``primals``, None for those without float leaves.  It may be called any number of times, and
    is that at these primals, whatever is stored into them later.
    ``backend`` as for :func:`s2sad.grad`.

    >>> y, pullback = vjp(lambda x, y: x * y, 3.0, 2.0)
    >>> y, pullback(1.0)
    (6.0, (2.0, 3.0))
    """
    caller, values, _ = _caller(f).for_call(primals, None)
    places = caller.places(len(primals))
    point = _Point(caller, values, None, places)
    variants = variants_of(caller.fn, "vjp", backend_of(backend, fastmath, f))
    _, variant = variants.fitting(point.positions, point.specs, point.arguments)
    variant.watch(point.arguments)
    y, reverse = guarded(variant.function, *map(structure.copied, point.arguments))
    y = structure.detached(y, point.arguments)

    def pullback(ct: Any) -> tuple[Any, ...]:
        """The cotangents of the arguments, for a cotangent of the result."""
        ct = like(y, ct, "the cotangent")
        contributions = dict(zip(point.positions, guarded(reverse, ct), strict=True))
        given = tuple(point.pick(contributions, *place) for place in places)
        separate: tuple[Any, ...] = structure.detached(given, (point.arguments, ct))
        return separate

    return y, pullback


class Caller:
    """A function as ``jvp`` and ``vjp`` call it: with all arguments by position."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f = f
        self.target = target_of(f)
        self.name = str(getattr(f, "__name__", None) or getattr(self.target.fn, "__name__", "f"))

    @property
    def fn(self) -> Callable[..., Any]:
        """The function that is compiled."""
        return self.target.fn

    @cached_property
    def binder(self) -> Binder:
        """Binds arguments, and tangents alike."""
        return Binder(self.target, self.name, str(getattr(self.f, "__qualname__", self.name)))

    def for_call(
        self, primals: tuple[Any, ...], tangents: tuple[Any, ...] | None
    ) -> tuple[Caller, tuple[Any, ...], tuple[Any, ...] | None]:
        """Values and tangents of the parameters of ``fn``; of a primitive, of one made for the call."""
        caller: Caller = self
        if self.target.primitive is not None:
            active = [i for i, t in enumerate(tangents or ()) if t is not None]
            call = call_of_primitive(self.target, primals, {}, active)
            kept = [key for key, name in call.names.items() if name is not None]
            caller = _PrimitiveCaller(call.function, tuple(kept))
            along: dict[Any, Any] = dict(enumerate(tangents or ()))
            primals, tangents = call.values, tangents and tuple(map(along.get, kept))
        values = caller.binder.values(*primals)
        return caller, values, None if tangents is None else caller.binder.tangents(*tangents)

    def places(self, count: int) -> Places:
        """For each of so many arguments the parameter of ``fn`` that it is, and the key within that."""
        own = [p.name for p in self.target.parameters]
        seen = list(self.target.signature.parameters.values())
        starred = next((i for i, p in enumerate(seen) if p.kind is Parameter.VAR_POSITIONAL), len(seen))
        ahead = len(self.target.leading)
        if self.target.spread:
            return [(0, ahead + i) for i in range(count)]
        named: Places = [(own.index(p.name), None) for p in seen[: min(count, starred)]]
        if count > starred:
            rest = own.index(seen[starred].name)
            named += [(rest, ahead + i) for i in range(count - starred)]
        return named


class _PrimitiveCaller(Caller):
    """A call of a primitive, some of whose arguments (all but ``kept``) are part of the function."""

    def __init__(self, function: Callable[..., Any], kept: tuple[int | str, ...]) -> None:
        super().__init__(function)
        self.kept = kept

    def places(self, count: int) -> Places:
        return [(self.kept.index(i) if i in self.kept else -1, None) for i in range(count)]


class _Point:
    """Arguments at which to differentiate: by all given that have float leaves, the others constant.

    A Python integer counts as a float where it comes with a tangent (other than zero) or among floats.
    """

    def __init__(
        self, caller: Caller, values: tuple[Any, ...], directions: tuple[Any, ...] | None, places: Places
    ) -> None:
        self.forward = directions is not None
        self.given = set(places)
        self.constants: set[tuple[int, Any]] = set()
        raw = tuple(map(structure.describe, values))
        self.counting = counting_among(caller.fn, raw, (i for i, s in enumerate(raw) if structure.has_floats(s)))
        done = []
        for i, p in enumerate(caller.target.parameters):
            where = f"argument {p.name!r} of {caller.name}"
            packed = p.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
            take = self._packed if packed else self._taken
            done.append(take((i, None), values[i], directions[i] if directions is not None else None, where))
        self.arguments = tuple(value for value, _ in done)
        self.specs: tuple[Spec, ...] = tuple(
            s if a is v else structure.describe(a) for a, v, s in zip(self.arguments, values, raw, strict=True)
        )
        given = {i for i, _ in self.given}
        self.positions = tuple(i for i, s in enumerate(self.specs) if i in given and structure.has_floats(s))
        self.tangents = tuple(done[i][1] for i in self.positions)
        if not self.positions:
            raise TypeError(f"no argument of {caller.name} has a float to differentiate by")

    def _packed(self, place: tuple[int, None], value: Any, direction: Any, where: str) -> tuple[Any, Any]:
        """The items of ``*args`` or ``**kwargs``, each by itself."""
        found = structure.parts(value)
        assert found is not None
        keys, items = found
        given = direction.values() if isinstance(direction, dict) else direction or [None] * len(items)
        done = [
            self._taken((place[0], key), item, d, f"{where}[{key!r}]")
            for key, item, d in zip(keys, items, given, strict=True)
        ]
        return structure.rebuilt(value, [v for v, _ in done]), structure.rebuilt(value, [d for _, d in done])

    def _taken(self, place: tuple[int, Any], value: Any, direction: Any, where: str) -> tuple[Any, Any]:
        """An argument and its tangent, checked and converted."""
        floats = structure.has_floats(structure.describe(value))
        if place not in self.given or not (floats or _moves(direction)):
            self.constants.add(place)
            return value, structure.map_leaves(zero, value) if self.forward and floats else None
        counting = within(self.counting, place[0])
        value = floated(value, where, counting if place[1] is None else within(counting, place[1]))
        return value, like(value, direction, f"the tangent of {where}") if self.forward else None

    def pick(self, contributions: dict[int, Any], position: int, key: Any) -> Any:
        """The cotangent of one of the arguments."""
        if position not in contributions or (position, key) in self.constants:
            return None
        whole = contributions[position]
        return whole if key is None else whole[key]


def _moves(direction: Any) -> bool:
    """Whether a tangent is anything but zero."""
    return any(leaf is not None and bool(np.any(leaf)) for leaf in structure.leaves(direction))


def _caller(f: Callable[..., Any]) -> Caller:
    """The caller of a function, kept for the next time."""
    key: Any = id(structure.canonical(f))
    if isinstance(f, types.MethodType):
        key = id(f.__func__), id(f.__self__)
    with _lock:
        caller = _callers.get(key)
        if caller is None:
            caller = _callers[key] = Caller(structure.canonical(f))
            while len(_callers) > _MAX_CALLERS:
                _callers.popitem(last=False)
        else:
            _callers.move_to_end(key)
    return caller
