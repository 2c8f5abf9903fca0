"""Unpacking: a value taken apart into names, into a list, or into the arguments of a call."""

from __future__ import annotations

import functools
import itertools
import operator
from typing import Any

import gast

from s2sad.frontend.callees import looks_names_up, positional_parameters
from s2sad.frontend.displays import spread_out
from s2sad.frontend.interface import Lowering
from s2sad.frontend.known_lengths import written_down
from s2sad.frontend.literals import site_key
from s2sad.frontend.tables import DRAWS
from s2sad.frontend.values import (
    MOST_SPELT_OUT,
    AVal,
    IterV,
    ObjectV,
    PyFunc,
    RangeV,
    SliceV,
    TupleV,
    is_atom,
    is_flat,
    kind_of,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Const
from s2sad.runtime import helpers

__all__ = ["Unpacking"]

#: What is raised, by which check, and where, if a sequence is unpacked: without a star, and with one.
_UNPACKING: dict[bool, tuple[str, Any, Any]] = {
    False: ("other than {} values to unpack", helpers.need_values, operator.ne),
    True: ("not enough values to unpack (expected at least {})", helpers.need_more_values, operator.lt),
}


class Unpacking(Lowering):
    """The part of the lowerer that unpacks."""

    def known_items(self, value: AVal) -> list[AVal] | None:
        """Every item of a sequence of known length, or None."""
        items = self.static_items(value)
        if items is None and is_atom(value) and isinstance(kind_of(value), K.Tuple | K.Bottom):
            return self.items_of(value, None, None, [])
        match value:
            case RangeV(Const(int(first)), Const(int(stop)), Const(int(step))) if step:
                integers = range(first, stop, step)
                return list(map(Const, integers)) if len(integers) <= MOST_SPELT_OUT else None
        return items

    def all_items(self, value: AVal) -> list[AVal]:
        """Every item of a sequence whose length must be known."""
        items = self.known_items(value)
        if items is None:
            self.measured = self.measured or written_down(self, value) is not None
            raise self.unsupported(
                "a star needs a sequence whose length is known while compiling.", "Index the sequence instead."
            )
        return items

    def items_of(self, value: AVal, n: int | None, star: int | None, hints: list[str]) -> list[AVal]:
        """The items of a value unpacked into ``n`` targets, the one at ``star`` taking the rest."""
        if is_flat(value):
            value = self.as_atom(value)
        value = self.iterator_of(value)
        items = self.static_items(value)
        if items is None and is_atom(value):
            kind = kind_of(value)
            if isinstance(kind, K.Bottom):
                return [UNDEF] * (n or 0)
            if isinstance(kind, K.Tuple):
                items = [self.load(value, Const(k), hints[k] if k < len(hints) else "") for k in range(len(kind.items))]
        if items is None and isinstance(value, IterV | RangeV):
            value = self.as_list(value)
        if items is not None:
            return self.static_unpack(items, n, star)
        if n is None:
            raise self.unsupported("a star needs a sequence whose length is known while compiling.")
        atom = self.in_order(value)
        self.need_items(atom, n, star is not None)
        return self.picked(atom, n, star, hints)

    def in_order(self, value: AVal) -> Atom:
        """What has the items of a value at 0, 1 and so on: of a dict its keys."""
        atom = self.as_atom(value)
        return self.keys_of(atom) if isinstance(kind_of(atom), K.Dict) else atom

    def need_items(self, sequence: Atom, n: int, starred: bool) -> None:
        """Raise what Python raises where a sequence of other than ``n`` items is unpacked."""
        length = self.emit(len, sequence, kind=K.INT)
        needed, check, fails = _UNPACKING[starred]
        least = Const(n - starred)
        if self.tried:  # which takes apart what is raised by the program itself
            self.raise_where(self.emit(fails, length, least, kind=K.BOOL), ValueError, needed.format(least.value))
        else:
            self.effect(check, length, least)

    def picked(self, atom: Atom, n: int, star: int | None, hints: list[str]) -> list[AVal]:
        """The items of a sequence that has as many as are asked for."""
        if star is None:
            return [self.load(atom, Const(k), hints[k]) for k in range(n)]
        after = n - star - 1
        head = [self.load(atom, Const(k), hints[k]) for k in range(star)]
        middle = self.load(atom, SliceV((Const(star), Const(-after if after else None), Const(None))))
        if isinstance(kind_of(atom), K.Array):
            middle = self.as_list(middle)
        return [*head, middle, *(self.load(atom, Const(k - after)) for k in range(after))]

    def static_unpack(self, items: list[AVal], n: int | None, star: int | None) -> list[AVal]:
        if n is None:
            return items
        if star is None:
            if len(items) != n:
                raise self.fails(ValueError, f"{len(items)} values are unpacked into {n} names.")
            return items
        after = n - star - 1
        if len(items) < n - 1:
            raise self.fails(ValueError, f"{len(items)} values are unpacked into at least {n - 1} names.")
        middle = items[star : len(items) - after]
        rest = items[len(items) - after :] if after else []
        site = ("rest", site_key(self.place), star)
        at_run_time = site in self.runtime_sites
        made = (
            self.new_list([self.as_atom(i) for i in middle], "", site) if at_run_time else self.make_apart(middle, site)
        )
        return [*items[:star], made, *rest]

    def arguments(self, node: Any, function: AVal) -> tuple[list[AVal], AVal | None]:
        """The positional arguments, and what follows of which the number is known at run time only.

        A star is unpacked to as many as the function has parameters left. That many it must have: Python raises
        TypeError otherwise, and here the items are asked for. A function with source that may take more, or fewer,
        looks itself.
        """
        given = spread_out(node.args)
        if not any(isinstance(n, gast.Starred) for n in given):
            return self.elements(given), None
        values = [
            (True, self.starred(n.value)) if isinstance(n, gast.Starred) else (False, self.expr(n)) for n in given
        ]
        items = [self.known_items(value) if star else [value] for star, value in values]
        if None not in items:
            return list(itertools.chain.from_iterable(items)), None  # type: ignore[arg-type]
        at = items.index(None)
        before = list(itertools.chain.from_iterable(items[:at]))  # type: ignore[arg-type]
        if isinstance(function, ObjectV):
            function = self.attribute(function, "__call__")
        if function in (PyFunc.of(max), PyFunc.of(min)):
            return [self.sized(self.tuple_of(values), 2, operator.ge)], None
        names = positional_parameters(function) if None not in items[at + 1 :] else None
        if names is None and looks_names_up(function):
            return before, self.tuple_of(values[at:])
        if names is None:
            self.measured = self.measured or any(written_down(self, v) is not None for star, v in values if star)
            raise self.unsupported(
                "a star needs a sequence whose length is known while compiling, or a function of Python's own source.",
                "Index the sequence instead.",
            )
        after = list(itertools.chain.from_iterable(items[at + 1 :]))  # type: ignore[arg-type]
        left = len([n for n in names if n not in {k.arg for k in node.keywords}]) - len(before) - len(after)
        return [*before, *self.picked(self.sized(values[at][1], left), left, None, [""] * left), *after], None

    def sized(self, value: AVal, n: int, compare: Any = operator.eq) -> Atom:
        """A sequence, which must have ``n`` items when the call is made, or at least as many."""
        atom = self.in_order(value)
        length = self.emit(len, atom, kind=K.INT)
        self.effect(
            prims.assert_,
            self.emit(compare, length, Const(n), kind=K.BOOL),
            Const(f"the starred sequence must have as many items as the function takes: {n}"),
        )
        return atom

    def tuple_of(self, parts: list[tuple[bool, AVal]]) -> AVal:
        """A tuple of what is given, in turn, by one item or, after a star, by all items of a sequence of any length."""
        if len(parts) == 1:
            whole = parts[0][1]
        else:
            whole = self.new_list([], "", (self.place, "star"))
            for star, value in parts:
                self.each(value if star else TupleV((value,)), functools.partial(self.append, whole))
        return self.call(PyFunc.of(tuple), [whole], {})

    def as_list(self, value: AVal) -> Atom:
        """``list(value)``"""
        items = self.static_items(value)
        if items is not None:
            return self.as_atom(self.make_list(items, "", self.place))
        if isinstance(value, IterV) and value.form in DRAWS:
            return self.as_atom(DRAWS[value.form](self, *value.parts))
        out = self.new_list([], "", self.place)
        self.each(value, lambda item: self.append(out, item))
        return out
