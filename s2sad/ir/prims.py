"""Structural primitives: the operations of Python itself, as callables the IR can name.

Each is an ordinary function that does what it says, so that any IR can be
interpreted as it stands; the emitter prints most of them as syntax.
Arithmetic, comparison and subscripts are those of the ``operator`` module:
``operator.add``, ``operator.lt``, ``operator.getitem``, ``operator.not_`` ...
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from s2sad.ir.records import keeps_what_it_is_given
from s2sad.runtime.helpers.adjoints import record_of

__all__ = [
    "ALLOCATES",
    "COPIES",
    "READS_METADATA",
    "RESIZES",
    "WRITES",
    "assert_",
    "call_method",
    "call_value",
    "contains",
    "dict_items",
    "format_value",
    "getattr_",
    "identity",
    "join_str",
    "leave",
    "library_value",
    "list_append",
    "list_copy",
    "list_count",
    "list_extend",
    "list_index",
    "list_insert",
    "list_pop",
    "list_repeat",
    "list_reverse",
    "make_dict",
    "make_instance",
    "make_list",
    "make_slice",
    "make_tuple",
    "need_there",
    "number_of_class",
    "place_in_class",
    "pull_back",
    "raise_",
    "row_of_class",
    "show",
    "total",
]


def total(a: Any) -> Any:
    """``a.sum()`` of an array: what ``np.sum(a)`` gives, sooner."""
    return a.sum()


def library_value(name: str, *args: Any) -> Any:
    """``scipy.special.name(*args)``, element by element: of machine code, to which the library gives a way."""
    from scipy import special

    return getattr(special, name)(*args)


def make_tuple(*items: Any) -> tuple[Any, ...]:
    """``(a, b, ...)``"""
    return items


def make_list(*items: Any) -> list[Any]:
    """``[a, b, ...]``: a fresh list."""
    return list(items)


def make_dict(*keys_values: Any) -> dict[Any, Any]:
    """``{k: v, ...}`` from alternating keys and values: a fresh dict."""
    return dict(zip(keys_values[::2], keys_values[1::2], strict=True))


def make_slice(start: Any, stop: Any, step: Any) -> slice:
    """``start:stop:step``"""
    return slice(start, stop, step)


def make_instance(cls: type, names: tuple[str, ...], *values: Any) -> Any:
    """``cls(name=value, ...)``: a named tuple or dataclass."""
    fields = dict(zip(names, values, strict=True))
    return cls(**fields) if keeps_what_it_is_given(cls) else record_of(cls, **fields)


def getattr_(obj: Any, name: str) -> Any:
    """``obj.name``"""
    return getattr(obj, name)


def list_append(xs: list[Any], x: Any) -> None:
    """``xs.append(x)``"""
    xs.append(x)


def list_extend(xs: list[Any], ys: Any) -> None:
    """``xs.extend(ys)``"""
    xs.extend(ys)


def list_insert(xs: list[Any], i: int, x: Any) -> None:
    """``xs.insert(i, x)``"""
    xs.insert(i, x)


def list_pop(xs: list[Any], i: int = -1) -> Any:
    """``xs.pop(i)``"""
    return xs.pop(i)


def list_reverse(xs: list[Any]) -> None:
    """``xs.reverse()``"""
    xs.reverse()


def list_repeat(xs: list[Any], n: int) -> list[Any]:
    """``xs * n``: a fresh list."""
    return xs * n


def list_index(xs: list[Any], x: Any, *bounds: int) -> int:
    """``xs.index(x)``"""
    return xs.index(x, *bounds)


def list_count(xs: list[Any], x: Any) -> int:
    """``xs.count(x)``"""
    return xs.count(x)


def row_of_class(first: int, number: int) -> int:
    """The object of a class that has this number, at this place times how many classes there are. Of lowering only."""
    return first + number


def number_of_class(row: int, count: int) -> int:
    """Of which of so many classes an object is. Of lowering only."""
    return row % count


def place_in_class(row: int, count: int) -> int:
    """Which one of its class an object is, where there are so many classes. Of lowering only."""
    return row // count


def identity(x: Any) -> Any:
    """``x`` itself, under a name of its own: how an outside value is read once, at entry."""
    return x


def call_value(f: Any, *args: Any, **kwargs: Any) -> Any:
    """``f(*args, **kwargs)`` for a callable that is only known at run time."""
    return f(*args, **kwargs)


def show(f: Any, *args: Any, **kwargs: Any) -> None:
    """``f(*args, **kwargs)`` for what puts its arguments into text and gives nothing, as ``print`` does: a logger's."""
    f(*args, **kwargs)


def pull_back(pullback: Any, ct: Any) -> Any:
    """``pullback(ct)``: the reverse sweep of a called function; gives fresh cotangents."""
    return pullback(ct)


def call_method(obj: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """``obj.name(*args, **kwargs)`` for a value whose methods carry no derivative."""
    return getattr(obj, name)(*args, **kwargs)


def list_copy(xs: Any) -> list[Any]:
    """``list(xs)``: a fresh list with the same items."""
    return list(xs)


def dict_items(d: dict[Any, Any]) -> list[Any]:
    """``list(d)``: the keys, in order, as they are now."""
    return list(d)


def contains(x: Any, xs: Any) -> bool:
    """``x in xs``"""
    return x in xs


def format_value(value: Any, conversion: str, spec: str) -> str:
    """One replacement field of an f-string."""
    converted = {"": value, "r": repr(value), "s": str(value), "a": ascii(value)}[conversion]
    return format(converted, spec)


def join_str(*parts: str) -> str:
    """An f-string, from its parts."""
    return "".join(parts)


def raise_(error: Any, cause: Any = None) -> None:
    """``raise error`` or ``raise error from cause``."""
    if cause is None:
        raise error
    raise error from cause


def need_there(x: Any, error: type[BaseException], message: str) -> None:
    """``raise error(message)`` where ``x`` is None. Of lowering only."""
    if x is None:
        raise error(message)


def leave(value: Any) -> None:
    """``return value``: the function ends here. Of compiled code only."""
    raise NotImplementedError(value)


def assert_(condition: Any, message: Any = None) -> None:
    """``assert condition, message``"""
    if not condition:
        raise AssertionError(message) if message is not None else AssertionError


#: Effects on an object: the position of the argument each primitive changes.
WRITES: dict[Callable[..., Any], int] = {
    list_append: 0,
    list_extend: 0,
    list_insert: 0,
    list_pop: 0,
    list_reverse: 0,
}

#: Operations that change the length of the list they are given first.
RESIZES: set[Callable[..., Any]] = {list_append, list_extend, list_insert, list_pop}

#: Operations that make a fresh object each time: never merged with an equal one.
ALLOCATES: set[Callable[..., Any]] = {make_list, make_dict, list_copy, list_repeat, dict_items}

#: Fresh objects that hold references to the items of their argument.
COPIES: set[Callable[..., Any]] = {list_copy, list_repeat}

#: Operations that read an object's shape, dtype or length but none of its contents.
READS_METADATA: set[Callable[..., Any]] = {len}

#: How the emitter prints an operator: symbol and precedence class.
BINARY: dict[Callable[..., Any], str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
    operator.matmul: "@",
    operator.lshift: "<<",
    operator.rshift: ">>",
    operator.and_: "&",
    operator.or_: "|",
    operator.xor: "^",
}
UNARY: dict[Callable[..., Any], str] = {
    operator.neg: "-",
    operator.pos: "+",
    operator.invert: "~",
    operator.not_: "not",
}
COMPARE: dict[Callable[..., Any], str] = {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
    operator.is_: "is",
    operator.is_not: "is not",
    contains: "in",
}
