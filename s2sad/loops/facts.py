"""Which lengths are known to be equal, and from where on.

Facts hold after the check that teaches them::

    for i in range(n): t[i] = u[i]          # n and m may differ here: these loops must not become one
    for i in range(m): w[i] = v[i]
    same_length(n, m)
    for i in range(n): x[i] = t[i] + w[i]   # here they are one length

Whoever goes over the items of a block again, when all facts of the block are known, goes :meth:`Facts.in_order`: the
questions that are asked meanwhile are answered by what is known at that item.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from s2sad.ir.nodes import Atom, Op
from s2sad.loops.model import Item, Plain
from s2sad.optimise.shapes import Shapes
from s2sad.runtime import helpers

__all__ = ["Facts"]


class Facts:
    """What is known of lengths, and which checks taught it."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.taught: dict[tuple[Atom, ...], int] = {}  #: by what a check compares: how many facts there were before it
        self.later: frozenset[Hashable] = frozenset()  #: facts not known yet

    def find(self, key: Hashable) -> Hashable:
        """What stands for all that is known to be as long."""
        if not self.later:
            return self.shapes.find(key)
        same, tokens = self.shapes.same, self.shapes.tokens
        while (key in same and key not in self.later) or key in tokens:
            key = same[key] if key in same and key not in self.later else tokens[key]
        return key

    def unify(self, a: Hashable, b: Hashable, check: Op | None) -> None:
        """Two lengths are equal after a check, or, with None, from the beginning."""
        known = len(self.shapes.facts)
        self.shapes.unify(a, b)
        if check is not None and len(self.shapes.facts) > known:
            self.taught[check.args] = min(known, self.taught.get(check.args, known))

    def in_order(self, items: Sequence[Item]) -> Iterator[Item]:
        """The items of a block, each with what is known there."""
        facts = self.shapes.facts
        limits = [len(facts)]
        for item in reversed(items):
            match item:
                case Plain(Op(fn=helpers.same_length | helpers.need_values, args=args)):
                    limits.append(min(limits[-1], self.taught.get(args, limits[-1])))
                case _:
                    limits.append(limits[-1])
        for item, limit in zip(items, reversed(limits[1:]), strict=True):
            if len(self.later) != len(facts) - limit:
                self.later = frozenset(facts[limit:])
            yield item
        self.later = frozenset()
