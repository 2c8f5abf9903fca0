"""The run-time values that a compile-time value is made of."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

from s2sad.frontend.values import (
    AVal,
    DictV,
    ObjectV,
    RangeV,
    TupleV,
    UnionV,
    fields_of,
    is_atom,
    kind_of,
)
from s2sad.ir import kinds as K
from s2sad.ir.nodes import UNDEF, Atom, Const, Ref, Var

__all__ = [
    "RecordShape",
    "SomeDict",
    "are_alike",
    "common_class",
    "hint_of",
    "is_record",
    "is_tracked",
    "join_atoms",
    "leaves",
    "may_be_held",
    "name_for",
    "record_shape",
    "replace_leaves",
    "shaped",
    "tracked_of",
    "undefined_like",
]


@dataclass(frozen=True)
class RecordShape:
    """The class and field names of a snapshot of a record; ``own`` as of a :class:`~s2sad.frontend.values.DictV`."""

    form: type
    keys: tuple[Any, ...]
    own: frozenset[str] | None = frozenset()


@functools.lru_cache(maxsize=1024)
def record_shape(form: type, keys: tuple[Any, ...], own: frozenset[str] | None = frozenset()) -> RecordShape:
    """The one shape of a class with these fields."""
    return RecordShape(form, keys, own)


class SomeDict(dict[Any, Any]):
    """The class of a dict that is of one class on one path and of another on another."""


def are_alike(a: Any, b: Any) -> bool:
    """Whether tuples of classes, or shapes, a and b may be merged: those of one, and dicts with the same keys."""
    return a is b or (_is_of_dict(a) and _is_of_dict(b) and a.keys == b.keys)


def common_class(a: Any, b: Any) -> Any:
    """The class, or shape, of what two such tuples are merged to."""
    return a if a is b else record_shape(SomeDict, a.keys)


def _is_of_dict(shape: Any) -> bool:
    return isinstance(shape, RecordShape) and issubclass(shape.form, dict)


def is_record(v: Any) -> bool:
    """Whether a value is a tracked dict or object of the function's own."""
    return isinstance(v, DictV) or (isinstance(v, ObjectV) and v.live is None and bool(fields_of(v.cls)))


def is_tracked(v: Any) -> bool:
    """Whether a value is such a record, or an object of the function's own whose class does not say what it has."""
    return is_record(v) or (isinstance(v, ObjectV) and v.live is None and not v.cls.__module__.startswith("s2sad."))


def tracked_of(v: AVal | None) -> list[DictV | ObjectV]:
    """The records and objects that a value is, or that a tuple holds."""
    if isinstance(v, TupleV):
        return [record for item in v.items for record in tracked_of(item)]
    return [v] if is_tracked(v) else []  # type: ignore[list-item]


def records_of(v: AVal | None) -> list[DictV | ObjectV]:
    """The tracked records that a value is, or that a tuple holds, or a list that is one while compiling."""
    if isinstance(v, TupleV):
        return [record for item in v.items for record in records_of(item)]
    return [v] if is_record(v) else []  # type: ignore[list-item]


def may_be_held(v: AVal) -> bool:
    """Whether a list that exists at run time can take a value: a record, or what exists then."""
    return is_record(v) or is_atom(v)


def hint_of(v: AVal) -> str:
    """The name a value goes by."""
    return v.hint if isinstance(v, Var) else ""


def name_for(place: tuple[Any, Any]) -> str:
    """What is at a place is called: its name, unless that is none, as the keys of dicts may be."""
    name = place[1]
    return name if isinstance(name, str) and name.isidentifier() else ""


def join_atoms(a: Atom, b: Atom) -> K.Kind:
    """The kind of a variable that is one or the other; None joins as "may be None"."""
    x, y = kind_of(a), kind_of(b)
    if x == K.NONE and y != K.NONE:
        return y
    if y == K.NONE and x != K.NONE:
        return x
    return K.join(x, y)


def shaped(kind: K.Kind) -> K.Kind:
    """The kind of one value: an array of unknown shape still has a shape of its own."""
    return replace(kind, shape=K.fresh_shape()) if isinstance(kind, K.Array) and kind.shape is None else kind


def undefined_like(v: AVal) -> AVal:
    """A value of the same structure with unbound leaves."""
    match v:
        case TupleV(items):
            return v.of(map(undefined_like, items))
        case RangeV():
            return RangeV(UNDEF, UNDEF, UNDEF)
        case Var() | Const() | Ref():
            return UNDEF
    return v


def leaves(v: AVal) -> list[Var]:
    """The variables a value is made of."""
    match v:
        case Var():
            return [v]
        case TupleV(items):
            return [leaf for i in items for leaf in leaves(i)]
        case RangeV(a, b, c):
            return [x for x in (a, b, c) if isinstance(x, Var)]
        case UnionV(selector):
            return leaves(selector)
    return []


def replace_leaves(v: AVal, table: dict[Any, Any]) -> AVal:
    """The value with variables replaced."""
    match v:
        case Var():
            return table.get(v, v)  # type: ignore[no-any-return]
        case TupleV(items):
            return v.of(replace_leaves(i, table) for i in items)
        case RangeV(a, b, c):
            return RangeV(*(replace_leaves(x, table) for x in (a, b, c)))  # type: ignore[arg-type]
        case UnionV(s, options):
            return UnionV(replace_leaves(s, table), options)  # type: ignore[arg-type]
    return v
