"""Numbers that are said to be of single precision and may be Python's own, of double, in a run.

::

    if n > 0:
        v = np.float32(x)
    else:
        v = x * 2.0
    w = v * 3.0              # as v
    return np.array([v, w])  # of double precision where n is 0

Beside one of few bits a number of Python's has no width of its own, so the kind of both is that of few bits, as it is
for what arithmetic makes of them. What is made of them otherwise (an array, a list, a result) has the width of the run.

Requires: nothing of the IR but that each value has one definition.
Ensures: what is not among them has the width that its kind names, if the parameters have.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, For, Function, If, Op, Stmt, Var, While, With, kind_of
from s2sad.ir.rewrite import all_vars, uses_of, walk
from s2sad.runtime import helpers

__all__ = ["NARROW", "holds_narrow", "of_unsure_width"]

#: The dtypes of less than double width.
NARROW = ("float16", "float32", "complex64")

#: What gives the width that it is told, whatever it is given.
_TELLS: set[Any] = {np.float16, np.float32, np.complex64, helpers.astype}


def holds_narrow(function: Function) -> bool:
    """Whether there are numbers or arrays of less than double width in a function."""
    return any(K.dtype_of(v.kind) in NARROW for v in all_vars(function))


def of_unsure_width(function: Function) -> frozenset[Var]:
    """What may be wider in a run than its kind says."""
    if not holds_narrow(function):
        return frozenset()
    sources = {v: found for s in walk(function) for v, found in _sources(s) if _is_narrow(v.kind)}
    unsure = {v for v, found in sources.items() if any(k in _OF_PYTHON for k in found.one_of)}
    before = -1
    while before < len(unsure):
        before = len(unsure)
        unsure |= {v for v, found in sources.items() if not unsure.isdisjoint(found.made_of)}
    return frozenset(unsure)


@dataclass(frozen=True, slots=True)
class _Sources:
    """What a value is made of, and the kinds of those that it is one of."""

    made_of: frozenset[Atom]
    one_of: tuple[K.Kind, ...] = ()


def _sources(s: Stmt) -> Iterator[tuple[Var, _Sources]]:
    match s:
        case If(results=results):
            for v, *outs in zip(results, s.then.outs, s.orelse.outs, strict=True):
                yield v, _one_of(*outs)
        case For() | While():
            for param, init, out, result in zip(s.params, s.inits, s.body.outs, s.results, strict=False):
                yield param, _one_of(init, out)
                yield result, _one_of(init, out)
        case With(results=results):
            for v, out in zip(results, s.body.outs, strict=True):
                yield v, _one_of(out)
        case Op(target=Var() as v, fn=fn) if fn not in _TELLS:
            yield v, _Sources(frozenset(uses_of(s)), tuple(_handed_on(s)))


def _one_of(*atoms: Atom) -> _Sources:
    return _Sources(frozenset(atoms), tuple(map(kind_of, atoms)))


def _handed_on(op: Op) -> Iterator[K.Kind]:
    """The kinds of what the result of an operation may be one of."""
    if op.fn not in _PICK:
        return
    for kind in map(kind_of, op.args):
        match kind:
            case K.Tuple(items):
                yield from items
            case K.List(item) | K.Dict(item):
                yield item
            case _:
                yield kind


def _is_narrow(kind: K.Kind) -> bool:
    match kind:
        case K.Tuple(items):
            return any(map(_is_narrow, items))
        case K.List(item) | K.Dict(item):
            return _is_narrow(item)
    return K.dtype_of(kind) in NARROW


#: The kinds of numbers that take the width of what they meet.
_OF_PYTHON = (K.BOOL, K.INT, K.FLOAT, K.Scalar("complex"))

#: Operations that give one of their arguments, or of what these hold.
_PICK: set[Any] = {max, min, operator.getitem}
