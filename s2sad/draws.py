"""Random numbers in what is run several times for one result: each run draws the same."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numpy as np

from s2sad import structure
from s2sad.frontend.places import value_at
from s2sad.ir.nodes import Function, Op, Ref

__all__ = ["Draws", "generators_in"]


def generators_in(ir: Function) -> tuple[Any, ...]:
    """The generators outside that a function calls, or where they are: those of modules, as of random.gauss, too."""
    from s2sad.analysis.effects import called
    from s2sad.ir.rewrite import walk

    found: dict[Any, None] = {}
    for s in (s for f in called(ir) for s in walk(f) if isinstance(s, Op)):
        for place in (s.fn, *(a for a in s.args if isinstance(a, Ref))):
            if isinstance(_owner(place.value if isinstance(place, Ref) else place), _GENERATORS):
                found[place] = None
    return tuple(found)


def _owner(value: Any) -> Any:
    """The generator, given it or a method of it."""
    return getattr(value, "__self__", value)


class Draws:
    """The states of the generators that a function is given, or finds outside, as it is first run.

    >>> rng = np.random.default_rng(1)
    >>> draws = Draws([rng], ())
    >>> first = rng.random()
    >>> draws.again()
    >>> rng.random() == first
    True
    """

    def __init__(self, arguments: Iterable[Any], outside: Iterable[Any]) -> None:
        given = (leaf for a in arguments for leaf in structure.leaves(a))
        there = (_owner(value_at(g.root, g.path) if isinstance(g, Ref) else g) for g in outside)
        found = {id(g): g for g in (*given, *there) if isinstance(g, _GENERATORS)}
        self.states = [(g, _state(g)) for g in found.values()]

    def again(self) -> None:
        """Have them give the numbers that they gave in the first run."""
        for generator, state in self.states:
            match generator:
                case np.random.Generator():
                    generator.bit_generator.state = state
                case np.random.RandomState():
                    generator.set_state(state)
                case random.Random():
                    generator.setstate(state)


_GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)


def _state(generator: Any) -> Any:
    match generator:
        case np.random.Generator():
            return generator.bit_generator.state
        case np.random.RandomState():
            return generator.get_state()
    return generator.getstate()
