"""Unpacking: a value taken apart into names, or into a list."""

from __future__ import annotations

from s2sad.frontend.interface import Lowering
from s2sad.frontend.literals import site_key
from s2sad.frontend.tables import DRAWS
from s2sad.frontend.values import MOST_SPELT_OUT, AVal, IterV, RangeV, SliceV, is_atom, is_flat, kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import UNDEF, Atom, Const

__all__ = ["Unpacking"]


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
        atom = self.as_atom(value)
        if self.tried:
            self.need_items(atom, n, star is not None)
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

    def as_list(self, value: AVal) -> Atom:
        """``list(value)``"""
        items = self.static_items(value)
        if items is not None:
            return self.as_atom(self.make_list(items, "", self.place))
        if isinstance(value, IterV) and value.form in DRAWS:
            made: Atom = DRAWS[value.form](self, *value.parts)
            return made
        out = self.new_list([], "", self.place)
        self.each(value, lambda item: self.append(out, item))
        return out
