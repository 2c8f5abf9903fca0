"""Tuples that a name has or has not, as rows of lists.

A tuple exists while compiling only, item by item. One that meets None (``best = None``, then ``best = (f, x)``) is put
in lists as an object is (:mod:`s2sad.frontend.rows`), and its items are taken from there where they are asked for.
"""

from __future__ import annotations

import functools
from typing import Any, ClassVar

from s2sad.frontend.values import TupleV, fields_of

__all__ = ["Boxed", "box_of"]


class Boxed:
    """The base of classes that stand for tuples of some length, or named tuples: not equal by place."""

    fields: ClassVar[tuple[str, ...]]
    form: ClassVar[type | None]
    __eq__: Any = tuple.__eq__
    __hash__: Any = None


def box_of(value: TupleV) -> type[Boxed] | None:
    """The class that stands for tuples like this one; None of lists, sets and tuples of nothing."""
    if value.is_list or value.is_set or not value.items or not (value.cls is None or isinstance(value.cls, type)):
        return None
    return _box(len(value.items), value.cls)


@functools.cache
def _box(length: int, form: type | None) -> type[Boxed]:
    names = tuple(f"item{k}" for k in range(length)) if form is None else fields_of(form)
    return type("tuple" if form is None else form.__name__, (Boxed,), {"fields": names, "form": form})
