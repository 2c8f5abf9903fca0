"""The numbers by which functions and members of enumerations are told apart, where several may go by one name.

A loop carries such a number, and a branch gives one. Which number is which is written down beside it
(:class:`~s2sad.frontend.values.UnionV`), in an order that is found by who meets whom.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from s2sad.errors import qualified_name
from s2sad.frontend.values import AVal, FuncV, ObjectV, PyFunc, TupleV, UnionV, is_member, is_same_option
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Stmt

if TYPE_CHECKING:
    from s2sad.frontend.builder import Builder

__all__ = [
    "Options",
    "has_numbers_of",
    "joined",
    "lasting_options",
    "number_of",
    "place_of",
    "renumbered",
    "with_common_numbers",
]

Option: TypeAlias = FuncV | ObjectV
Options: TypeAlias = tuple[Option, ...]


def lasting_options(value: AVal) -> Options:
    """What a value may be, if these are functions outside or members, which no iteration makes anew; else nothing."""
    options = value.options if isinstance(value, UnionV) else (value,)
    return options if all(isinstance(o, PyFunc) or is_member(o) for o in options) else ()  # type: ignore[return-value]


def place_of(option: Option, options: Iterable[Option]) -> int:
    """The number of one of these."""
    return next(k for k, o in enumerate(options) if is_same_option(o, option))


def joined(first: Iterable[Option], more: Iterable[Option]) -> Options:
    """All of both, the first with the numbers that they have."""
    found = list(first)
    for option in more:
        if not any(is_same_option(option, o) for o in found):
            found.append(option)
    return tuple(found)


def with_common_numbers(builder: Builder, value: AVal, other: AVal, stmts: list[Stmt]) -> AVal:
    """A value by numbers that another, which it meets, has as well; a block looks them up at its end."""
    match value, other:
        case UnionV(), UnionV():
            options = _in_common_order(value, other)
            return renumbered(builder, value, options, stmts) if options else value
        case TupleV(xs), TupleV(ys) if len(xs) == len(ys):
            items = [with_common_numbers(builder, x, y, stmts) for x, y in zip(xs, ys, strict=True)]
            return value if all(map(operator.is_, items, xs)) else value.of(items)
    return value


def _in_common_order(one: UnionV, other: UnionV) -> Options:
    """All of both, in an order that is the same whichever comes first; nothing where names do not tell it."""
    if not lasting_options(one) or not lasting_options(other):
        return ()
    first, second = sorted((one, other), key=lambda v: (-len(v.options), _names(v)))
    if len(first.options) == len(second.options) and _names(first) == _names(second):
        return ()
    return joined(first.options, second.options)


def _names(value: UnionV) -> list[str]:
    """How what a value may be is called: members of enumerations, and functions outside."""
    return [qualified_name(o.fn) if isinstance(o, PyFunc) else str(o.live.value) for o in value.options]  # type: ignore[union-attr]


def has_numbers_of(value: UnionV, options: Options) -> bool:
    """Whether what a value may be has the same numbers among these."""
    return len(value.options) <= len(options) and all(map(is_same_option, value.options, options))


def number_of(value: AVal, options: Options) -> Atom:
    """The number of what a value is among these, which are numbered as it is if it is one of several."""
    if isinstance(value, UnionV):
        assert has_numbers_of(value, options)
        return value.selector
    return Const(place_of(value, options))  # type: ignore[arg-type]


def renumbered(builder: Builder, value: UnionV, options: Options, stmts: list[Stmt]) -> UnionV:
    """The same value by its number among these, looked up at the end of a block."""
    if has_numbers_of(value, options):
        return UnionV(value.selector, options)
    places = [Const(place_of(option, options)) for option in value.options]
    with builder.block() as more:
        table = builder.emit(prims.make_tuple, *places, kind=K.Tuple((K.INT,) * len(places)))
        selector = builder.emit(operator.getitem, table, value.selector, kind=K.INT)
    stmts.extend(more)
    return UnionV(selector, options)
