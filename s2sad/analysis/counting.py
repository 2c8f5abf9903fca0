"""Whole numbers that count: what of the arguments an index, a bound of ``range``, a shape or an axis is made of.

Such a number has no derivative, and none but whole ones could take its place: among what is differentiated by it stays
the integer that it is, where other integers are taken for the floats they equal.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from s2sad.frontend.specs import ANYWHERE, Place
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import (
    Atom,
    Block,
    Callee,
    Closure,
    Const,
    For,
    Function,
    If,
    Op,
    Stmt,
    Store,
    Var,
    While,
    With,
    kind_of,
)
from s2sad.ir.rewrite import walk

__all__ = ["counting"]

#: Parameters of NumPy's functions that take integers, or tuples of such, only.
_PARAMETERS = frozenset(
    (
        *("axis", "axes", "axis1", "axis2", "source", "destination", "start_axis", "shape", "newshape", "new_shape"),
        *("reps", "repeats", "shift", "indices", "indices_or_sections", "pad_width", "num", "deg", "kth"),
        *("N", "M", "n", "k"),
    )
)
_BITS = (operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor, operator.invert)
#: What takes nothing but integers.
_ONLY_INTEGERS: tuple[Any, ...] = (
    *_BITS,
    *(range, operator.index, math.factorial, math.comb, math.perm, math.gcd, math.lcm, math.isqrt),
)
#: What gives integers of integers, and of nothing else.
_KEEPS_INTEGERS: tuple[Any, ...] = (
    *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.pow),
    *(operator.neg, operator.pos, operator.abs, abs, max, min, sum, prims.list_repeat, *_BITS),
    *(np.arange, np.add, np.subtract, np.multiply, np.floor_divide, np.mod, np.abs, np.maximum, np.minimum),
)
_CONTAINERS: tuple[Any, ...] = (prims.make_tuple, prims.make_list, prims.make_slice)
_SAME: tuple[Any, ...] = (prims.list_copy, prims.identity)
#: Where the integers stand that say which item is meant, or how often all of them.
_PLACES: dict[Any, int] = {prims.list_pop: 1, prims.list_insert: 1, prims.list_repeat: 1, operator.getitem: 1}
#: What is put into lists.
_PUTS: dict[Any, int] = {prims.list_append: 1, prims.list_insert: 2, prims.list_extend: 1}


@lru_cache(16)
def counting(function: Function) -> frozenset[Place]:
    """The places in the arguments of what an index, a bound, a shape or an axis depends on as the integer it is."""
    found = _Search(function)
    done: set[tuple[Var, Place]] = set()
    positions = {p: k for k, p in enumerate(function.params)}
    places: set[Place] = set()
    todo = [(a, ()) for a in found.asked]
    while todo:
        a, keys = todo.pop()
        if not isinstance(a, Var) or (a, keys) in done or not _may_hold_integers(a.kind):
            continue
        done.add((a, keys))
        if a in positions:
            places.add((positions[a], *keys))
        todo += found.parts_of(a, keys)
    return frozenset(places)


def _may_hold_integers(kind: K.Kind) -> bool:
    return not K.is_numeric(kind) or K.is_integer(kind) or K.dtype_of(kind) == "any"


class _Search:
    """What takes integers only, and what values are made of."""

    def __init__(self, function: Function) -> None:
        self.asked: list[Atom] = []
        self.made: dict[Var, Op] = {}
        self.taken: dict[Var, list[Atom]] = defaultdict(list)  # what a variable may stand for
        self.put: dict[Var, list[Atom]] = defaultdict(list)  # what is put into lists
        self._seen: set[int] = set()
        self.function(function)

    def function(self, function: Function) -> None:
        """Look at the statements of a function, once."""
        if id(function) not in self._seen:
            self._seen.add(id(function))
            for s in walk(function):
                self.statement(s)

    def statement(self, s: Stmt) -> None:
        """Note what a statement asks for, and what its variables stand for."""
        match s:
            case Op():
                self.operation(s)
            case Store(obj, index, value):
                self.asked.append(index)
                self.give(obj, value)
            case If(then=then, orelse=orelse, results=results):
                self.join(results, then.outs, orelse.outs)
            case For(params=params, inits=inits, body=body, results=results):
                self.asked += (s.start, s.stop, s.step)
                self.loop(params, inits, body, results)
            case While(params=params, inits=inits, body=body, results=results):
                self.loop(params, inits, body, results)
            case With(body=body, results=results):
                self.join(results, body.outs)
            case Closure(function=function):
                self._seen.add(id(function))

    def operation(self, op: Op) -> None:
        """Note what an operation asks for and gives."""
        fn: Any = op.fn
        called = fn.function if isinstance(fn, Callee) else fn
        if isinstance(called, Function):
            self.join(called.params, op.args)
            if op.target is not None:
                self.taken[op.target].append(called.result)
            self.function(called)
            return
        if op.target is not None:
            self.made[op.target] = op
        if fn in _PUTS:
            self.give(op.args[0], op.args[_PUTS[fn]])
        if fn in _PLACES:
            self.asked += op.args[_PLACES[fn] : _PLACES[fn] + 1]
        elif fn in _ONLY_INTEGERS:
            self.asked += op.args
        elif fn is operator.mul and any(_is_sequence(a) for a in op.args):
            self.asked += [a for a in op.args if not _is_sequence(a)]
        else:
            self.asked += _integers_among(op)

    def give(self, obj: Atom, value: Atom) -> None:
        """Note what is put into a list."""
        if isinstance(obj, Var) and not K.is_numeric(obj.kind):
            self.put[obj].append(value)

    def join(self, variables: tuple[Var, ...], *atoms: tuple[Atom, ...]) -> None:
        """Note what variables stand for, one way or another."""
        for each in atoms:
            for v, a in zip(variables, each, strict=False):
                self.taken[v].append(a)

    def loop(self, params: tuple[Var, ...], inits: tuple[Atom, ...], body: Block, results: tuple[Var, ...]) -> None:
        """Note what a loop carries."""
        self.join(params, inits, body.outs)
        self.join(results, inits, body.outs)

    def parts_of(self, v: Var, keys: Place) -> Iterator[tuple[Atom, Place]]:
        """What there is at these keys of a variable, as parts of others.

        Where a list is put together it is known of all its items only what they are.
        """
        yield from ((a, keys) for a in self.taken.get(v, ()))
        every = not keys or keys[0] is ANYWHERE
        if every:
            yield from ((a, keys[1:]) for a in self.put.get(v, ()))
        if (op := self.made.get(v)) is None:
            return
        fn: Any = op.fn
        if fn in _CONTAINERS:
            yield from ((a, keys[1:]) for k, a in enumerate(op.args) if every or keys[0] == k)
        elif fn is operator.getitem:
            whole, index = op.args
            if kind_of(index) != K.SLICE:
                yield whole, (index.value if isinstance(index, Const) else ANYWHERE, *keys)
            elif every:
                yield whole, keys
        elif fn is prims.getattr_ and isinstance(op.args[1], Const):
            yield op.args[0], (op.args[1].value, *keys)
        elif fn in _SAME or (fn in _KEEPS_INTEGERS and every):
            yield from ((a, keys) for a in op.args)


def _is_sequence(a: Atom) -> bool:
    kind = kind_of(a)
    return isinstance(kind, K.List | K.Tuple) or kind in (K.STR, K.Other(tuple), K.Other(list), K.Other(bytes))


def _integers_among(op: Op) -> Iterator[Atom]:
    """What an operation takes for parameters that are integers."""
    names = _names(op.fn)
    yield from (a for name, a in zip(names, op.args, strict=False) if name in _PARAMETERS)
    if names:
        yield from (a for name, a in op.kwargs if name in _PARAMETERS)


@lru_cache(512)
def _names(fn: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the parameters of a function of NumPy's, or of one that stands for such."""
    home = str(getattr(fn, "__module__", None)).split(".")[0]
    if home not in ("numpy", "s2sad"):
        return ()
    try:
        return tuple(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return ()
