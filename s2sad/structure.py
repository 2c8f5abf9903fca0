"""Structures of arguments and results: described, walked, converted and compared.

A structure is a nest of tuples, named tuples, lists, dicts and dataclasses; everything
else is a leaf.  :func:`describe` says of any value what the compiler may rely on, as a
:class:`~s2sad.frontend.specs.Spec`; the other functions walk values themselves.

>>> describe((2.0, "x"))
Struct(cls=<class 'tuple'>, keys=(0, 1), items=(Leaf(kind=Scalar(dtype='float')), Leaf(kind=Other(type=<class 'str'>))))
>>> leaves({"n": 3, "a": [1.0, 2.0]})
[3, 1.0, 2.0]
"""

from __future__ import annotations

import copy
import enum
import inspect
import itertools
import sys
import types
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property, lru_cache
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from s2sad.frontend.frozen import distribution_in_stats, is_distribution, is_frozen
from s2sad.frontend.own_items import gives_items_its_own_way, own_attributes
from s2sad.frontend.signatures import vectorized
from s2sad.frontend.specs import Callee, Leaf, ListOf, Spec, Struct
from s2sad.ir import kinds
from s2sad.ir.kinds import Array, Other, Scalar
from s2sad.runtime.helpers import laid_out

__all__ = [
    "attributes_of",
    "canonical",
    "copied",
    "describe",
    "detached",
    "has_floats",
    "holds_integers",
    "is_plain_object",
    "leaves",
    "map_leaves",
    "parts",
    "paths",
    "rebuilt",
    "replaced",
    "uniform",
]

_MAX_DEPTH = 24  # of any structure; deeper values are not described
_MAX_NEST = 6  # of lists whose items are looked at all at once
_MAX_ITEMS = 1 << 24  # of such: a list that holds itself has no end of them
_MOST_FIELDS = 16  # items of lists that are described one by one
_MAX_OBJECTS = 4  # objects within objects that are described by their attributes

_LEAVES: dict[type, Spec] = {
    float: Leaf(kinds.FLOAT),
    int: Leaf(kinds.INT),
    bool: Leaf(kinds.BOOL),
    complex: Leaf(Scalar("complex")),
    str: Leaf(kinds.STR),
    type(None): Leaf(kinds.NONE),
    slice: Leaf(kinds.SLICE),
    range: Leaf(Other(range)),
    bytes: Leaf(Other(bytes)),
    type(...): Leaf(Other(type(...))),
}
_UNKNOWN_LIST: Spec = Leaf(Other(list))
_UNKNOWN_DICT: Spec = Leaf(Other(dict))
_UNKNOWN: Spec = Leaf(kinds.ANY)  # a list or a dict of no known items, but of floats among them


# ---- describing


def describe(value: Any) -> Spec:
    """What the compiler may rely on about ``value``.

    A container that holds itself is described down to the repetition, and an object of
    another class by its attributes.
    """
    spec = _LEAVES.get(type(value))
    return spec if spec is not None else _describe(value, (), 0)


def _describe(value: Any, parents: tuple[int, ...], objects: int) -> Spec:
    cls = type(value)
    if (spec := _LEAVES.get(cls)) is not None:
        return spec
    if cls is np.ndarray:
        return _array(value.dtype, value.ndim)
    if isinstance(value, np.generic):
        return _numpy_scalar(value)
    if id(value) in parents or len(parents) >= _MAX_DEPTH:
        return Leaf(Other(cls))
    within = (*parents, id(value))
    match value:
        case list() | tuple() | dict() if gives_items_its_own_way(cls):
            return Leaf(Other(cls))
        case tuple():
            keys: tuple[Any, ...] = getattr(cls, "_fields", None) or tuple(range(len(value)))
            return Struct(
                cls if _is_named_tuple(cls) else tuple,
                keys,
                tuple([_describe(v, within, objects) for v in value]),
            )
        case list():
            return _described_list(value, within, objects) if cls is list else Leaf(Other(cls))
        case dict():
            return _describe_dict(value, within, objects)
    if is_dataclass(value) and not isinstance(value, type):
        keys = tuple(f.name for f in fields(value))
        return Struct(cls, keys, tuple([_describe(getattr(value, k), within, objects) for k in keys]))
    if isinstance(value, types.ModuleType):
        return Callee(value)
    if _is_function(value):
        function: Any = canonical(value)
        return Callee(function) if isinstance(function, Hashable) else Leaf(Other(cls))
    if objects < _MAX_OBJECTS and is_plain_object(value):
        attributes = attributes_of(value)
        return Struct(cls, tuple(attributes), tuple([_describe(v, within, objects + 1) for v in attributes.values()]))
    return Leaf(Other(cls))


@lru_cache(maxsize=256)
def _array(dtype: np.dtype[Any], rank: int) -> Spec:
    return Leaf(Array(dtype.name, rank))


def _numpy_scalar(value: np.generic) -> Spec:
    spec = Leaf(Scalar(value.dtype.name), value.dtype.kind == "b")
    if value.dtype.kind in "biufc":
        _LEAVES[type(value)] = spec
    return spec


def _described_list(values: list[Any], within: tuple[int, ...], objects: int) -> Spec:
    """The spec of a list: of the items one by one, where there are few and they are of several kinds."""
    joined = _joined(values, within, objects)
    if joined is None:
        mixed = _holds_floats(values, 0) or any(map(_is_called_or_asked, values))
    else:
        mixed = isinstance(joined, ListOf) and _is_mixed(joined.item)
    if mixed and len(values) <= _MOST_FIELDS:
        return Struct(list, tuple(range(len(values))), tuple([_describe(v, within, objects) for v in values]))
    return _unknown(values) if joined is None else joined


def _is_called_or_asked(value: Any) -> bool:
    """Whether it is a function, or an object or a module that has some."""
    return callable(value) or isinstance(value, types.ModuleType) or is_plain_object(value)


def _is_mixed(item: Spec) -> bool:
    """Whether this is the spec of numbers beside arrays, or of arrays of several ranks."""
    return isinstance(item, Leaf) and kinds.is_numeric(item.kind) and kinds.rank_of(item.kind) is None


def _joined(values: Iterable[Any], parents: tuple[int, ...], objects: int) -> Spec | None:
    """The spec of a list with these items; None where they have too little in common."""
    depth, only = uniform(values)
    if only in _LEAVES:
        leaf: Spec = _LEAVES[only]
        for _ in range(depth):
            leaf = ListOf(leaf)
        return leaf
    plain = dict.fromkeys(map(type, values))  # of mixed numbers their types will do
    specs = map(_LEAVES.__getitem__, plain) if plain.keys() <= _LEAVES.keys() else None
    item: Spec = Leaf(kinds.BOTTOM)
    for each in specs if specs is not None else dict.fromkeys(_describe(v, parents, objects) for v in values):
        joined = _join(item, each)
        if joined is None:
            return None
        item = joined
    return None if isinstance(item, Callee) else ListOf(item)


def uniform(values: Iterable[Any]) -> tuple[int, type]:
    """How deep a nest of lists is, and the type that all have that is in it; list if they differ, or for lack of any.

    >>> uniform([[1.0, 2.0], [], [3.0]]), uniform([[1.0], 2.0])
    ((2, <class 'float'>), (0, <class 'list'>))
    """
    for depth in range(1, _MAX_NEST):
        types_ = set(map(type, values))
        if len(types_) != 1:
            break
        if list not in types_:
            return depth, types_.pop()
        lists = list(values)
        if sum(map(len, lists)) > _MAX_ITEMS:
            break
        values = list(itertools.chain.from_iterable(lists))
    return 0, list


def _join(a: Spec | None, b: Spec | None) -> Spec | None:
    match a, b:
        case _ if a == b:
            return a
        case (Struct(cls), ListOf()) | (ListOf(), Struct(cls)) if cls is list:
            return _join(_as_list(a), _as_list(b))
        case Struct(c, keys), Struct(d, other) if c is d is list and keys != other:
            return _join(_as_list(a), _as_list(b))
        case Leaf(kinds.Bottom()), _:
            return b
        case _, Leaf(kinds.Bottom()):
            return a
        case Leaf(k), Leaf(m):
            joined = kinds.join_items(k, m) if kinds.is_numeric(k) and kinds.is_numeric(m) else None
            return Leaf(joined) if joined is not None else None
        case Struct(c, keys, xs), Struct(d, other, ys) if c is d and keys == other:
            items = [_join(x, y) for x, y in zip(xs, ys, strict=True)]
            known = [i for i in items if i is not None]
            return Struct(c, keys, tuple(known)) if len(known) == len(items) else None
        case ListOf(x, c), ListOf(y, d) if c is d:
            item = _join(x, y)
            return ListOf(item, c) if item is not None else None
    return None


def _as_list(spec: Spec | None) -> Spec | None:
    """The spec of a list by what is common to its items."""
    if not isinstance(spec, Struct):
        return spec
    item: Spec | None = Leaf(kinds.BOTTOM)
    for each in spec.items:
        item = None if item is None else _join(item, each)
    return None if item is None else ListOf(item)


def _describe_dict(value: dict[Any, Any], within: tuple[int, ...], objects: int) -> Spec:
    if all(type(k) is str for k in value):
        items = tuple([_describe(v, within, objects) for v in value.values()])
        return Struct(type(value), tuple(value), items, own_attributes(value))
    match _joined(value.values(), within, objects):
        case ListOf(item):
            return ListOf(item, dict)
    return _unknown(value)


def _unknown(value: list[Any] | dict[Any, Any]) -> Spec:
    """The spec of a container whose items have too little in common: only its use may be refused."""
    if _holds_floats(value, 0):
        return _UNKNOWN
    return _UNKNOWN_LIST if isinstance(value, list) else _UNKNOWN_DICT


def _holds_floats(value: Any, depth: int) -> bool:
    found = parts(value) if depth < _MAX_DEPTH else None
    if found is not None:
        return any(_holds_floats(item, depth + 1) for item in found[1])
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def _is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields") and hasattr(cls, "_make")


def _is_function(value: Any) -> bool:
    """Whether it is called for what it is, not an object of some class that happens to be callable."""
    if not callable(value):
        return False
    if isinstance(value, type | types.FunctionType | types.MethodType | types.BuiltinFunctionType):
        return True
    return (
        getattr(type(value), "_s2sad_derivative", False)
        or hasattr(value, "py_func")
        or vectorized(value) is not None
        or distribution_in_stats(value) is not None
        or not isinstance(type(value).__call__, types.FunctionType)
    )


def is_plain_object(value: Any) -> bool:
    """Whether it is an object of a user's class, to be described by its attributes."""
    cls = type(value)
    if not hasattr(value, "__dict__") or isinstance(value, type | enum.Enum | BaseException):
        return False
    home = cls.__module__.partition(".")[0]
    foreign = home in sys.stdlib_module_names or home in ("numpy", "scipy") or hasattr(cls, "__array__")
    return not foreign or cls is types.SimpleNamespace or is_frozen(cls)


def attributes_of(value: Any) -> dict[str, Any]:
    """What an object of a user's class holds, by name: in slots of the classes that it comes of, and in its dict."""
    return {**{name: getattr(value, name) for name in _slots(value.__class__) if hasattr(value, name)}, **vars(value)}


@lru_cache(maxsize=256)
def _slots(cls: Any) -> tuple[str, ...]:
    """The names in the ``__slots__`` of a class and those that it comes of, unless a class says otherwise."""
    slots = {n: v for base in reversed(cls.__mro__) if "__slots__" in vars(base) for n, v in vars(base).items()}
    found = [n for n, v in slots.items() if isinstance(v, types.MemberDescriptorType)]
    return tuple(n for n in found if inspect.getattr_static(cls, n) is slots[n])


_CANONICAL: WeakValueDictionary[tuple[int, ...], Callable[..., Any]] = WeakValueDictionary()


def canonical(function: Callable[..., Any]) -> Callable[..., Any]:
    """One function object for all that are the same function: same code, same cells, same globals.

    A ``lambda`` in a loop is a new object in each iteration, and need not be compiled anew. Nor need what computes with
    another copy of a distribution.
    """
    if is_distribution(type(function)):
        return distribution_in_stats(function) or function
    if not isinstance(function, types.FunctionType) or function.__kwdefaults__ or function.__defaults__:
        return function
    key = (id(function.__code__), id(function.__globals__), *map(id, function.__closure__ or ()))
    return _CANONICAL.setdefault(key, function)


# ---- questions about specs


def has_floats(spec: Spec) -> bool:
    """Whether a value of this spec has a float leaf to differentiate by.

    Objects of other classes than the containers of a structure are constants.
    """
    match spec:
        case Leaf(kind):
            return kind == kinds.ANY or kinds.is_float(kind)
        case Struct(cls, _, items):
            known = issubclass(cls, tuple | dict | list) or is_dataclass(cls)
            return known and any(map(has_floats, items))
        case ListOf(item):
            return has_floats(item)
    return False


def holds_integers(spec: Spec) -> bool:
    """Whether a value of this spec is a structure with an integer among its leaves."""
    match spec:
        case Struct(items=items):
            return any(_is_integer(i) or holds_integers(i) for i in items)
        case ListOf(item):
            return _is_integer(item) or holds_integers(item)
    return False


def _is_integer(spec: Spec) -> bool:
    return isinstance(spec, Leaf) and isinstance(spec.kind, Scalar) and kinds.is_integer(spec.kind)


# ---- walking values


def parts(value: Any) -> tuple[Sequence[Any], Sequence[Any]] | None:
    """The keys and items of a container; None for a leaf."""
    if isinstance(value, tuple | list):
        return range(len(value)), value
    if isinstance(value, dict):
        return tuple(value), tuple(value.values())
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        names = tuple(f.name for f in fields(value))
        return names, tuple(getattr(value, n) for n in names)
    return None


def rebuilt(value: Any, items: Iterable[Any]) -> Any:
    """A container like ``value`` with other items, in the order of :func:`parts`."""
    match value:
        case tuple():
            return type(value)._make(items) if _is_named_tuple(type(value)) else tuple(items)  # type: ignore[attr-defined]
        case list():
            return list(items)
        case dict():
            cls = OrderedDict if type(value) is OrderedDict else dict
            return cls(zip(value, items, strict=True))
    new = copy.copy(value)
    for field, item in zip(fields(value), items, strict=True):
        object.__setattr__(new, field.name, item)
    for name in _computed_once(value.__class__):
        getattr(new, "__dict__", {}).pop(name, None)
    return new


@lru_cache(maxsize=256)
def _computed_once(cls: Any) -> tuple[str, ...]:
    """The cached properties of a class: what an instance holds of them was computed of its fields."""
    return tuple(n for base in cls.__mro__ for n, v in vars(base).items() if isinstance(v, cached_property))


def map_leaves(function: Callable[[Any], Any], value: Any) -> Any:
    """The structure of ``value`` with ``function`` applied to each leaf."""
    found = parts(value)
    if found is None:
        return function(value)
    return rebuilt(value, [map_leaves(function, v) for v in found[1]])


def leaves(value: Any) -> list[Any]:
    """The leaves of a structure, in order."""
    found = parts(value)
    return [value] if found is None else [leaf for item in found[1] for leaf in leaves(item)]


def paths(value: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Each leaf with the keys that lead to it."""
    found = parts(value)
    if found is None:
        return [((), value)]
    return [((key, *path), leaf) for key, item in zip(*found, strict=True) for path, leaf in paths(item)]


def replaced(value: Any, path: tuple[Any, ...], leaf: Any) -> Any:
    """``value`` with another leaf at the end of a path."""
    if not path:
        return leaf
    found = parts(value)
    assert found is not None
    pairs = zip(*found, strict=True)
    return rebuilt(value, [replaced(item, path[1:], leaf) if key == path[0] else item for key, item in pairs])


# ---- memory of results


def copied(value: Any) -> Any:
    """A structure like ``value`` whose arrays, in their layouts, and containers are copies."""
    found = parts(value)
    if found is None:
        return laid_out(value, value) if isinstance(value, np.ndarray) else value
    return rebuilt(value, map(copied, found[1]))


def detached(result: Any, arguments: tuple[Any, ...]) -> Any:
    """``result`` with every array copied that shares memory with the arguments or an earlier part of it."""
    taken: set[int] = set()
    _take(arguments, taken)
    return _detached(result, taken)


def _take(value: Any, taken: set[int]) -> None:
    """Note the memory that the arrays of a structure use."""
    cls = type(value)
    if cls is np.ndarray:
        taken.add(id(value) if value.base is None else id(_owner(value)))
    elif cls is tuple or cls is list:
        for item in value:
            _take(item, taken)
    elif cls is not float and (found := parts(value)) is not None:
        for item in found[1]:
            _take(item, taken)


def _detached(result: Any, taken: set[int]) -> Any:
    if type(result) is np.ndarray:
        owner = id(result) if result.base is None else id(_owner(result))
        if owner in taken:
            return result.copy()
        taken.add(owner)
        return result
    found = parts(result)
    if found is None:
        return result
    items = [_detached(item, taken) for item in found[1]]
    changed = any(new is not old for new, old in zip(items, found[1], strict=True))
    return rebuilt(result, items) if changed else result


def _owner(array: Any) -> Any:
    """The object whose memory an array uses."""
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array
