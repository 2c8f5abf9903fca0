"""Arguments that choose what a function does: ``full_output=False``, ``method="simpson"``.

A variant is compiled for the kinds of its arguments, and a branch by a truth value has both sides. Where the function
is refused so, as one that gives a number on one side and a pair on the other, it is compiled for the truth values and
the text at hand, and a branch by these has the one side that is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from s2sad import structure
from s2sad.frontend.specs import Fixed, Leaf, Spec, Struct
from s2sad.ir import kinds

__all__ = ["fixed_specs"]


def fixed_specs(specs: Iterable[Spec], values: Iterable[Any]) -> tuple[Spec, ...]:
    """The specs with the truth values and the text of Python's among ``values`` as they are; not those in lists."""
    return tuple(_fixed(spec, value) for spec, value in zip(specs, values, strict=True))


def _fixed(spec: Spec, value: Any) -> Spec:
    match spec:
        case Leaf(kind) if kind in (kinds.BOOL, kinds.STR) and type(value) in (bool, str):
            return Fixed(kind, value=value)
        case Struct(cls, keys, items) if cls is not list:
            found = structure.parts(value)
            held = structure.attributes_of(value) if found is None else dict(zip(*found, strict=True))
            inner = held.values() if issubclass(cls, tuple) else [held[k] for k in keys]
            return replace(spec, items=fixed_specs(items, inner))
    return spec
