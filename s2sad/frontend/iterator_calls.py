"""How calls of ``itertools`` are lowered."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np

from s2sad.frontend.interface import Lowering
from s2sad.frontend.numpy_calls import literal_items
from s2sad.frontend.tables import Handler, anything, builtin
from s2sad.frontend.values import (
    AVal,
    IterV,
    PyFunc,
    RangeV,
    TupleV,
    is_atom,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const
from s2sad.runtime import helpers

__all__: list[str] = []


@builtin(itertools.count, takes=lambda start=0, step=1: ...)
def _count(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    start = args[0] if args else kwargs.get("start", Const(0))
    step = args[1] if len(args) > 1 else kwargs.get("step", Const(1))
    if runtime_kind(start) != K.INT or step != Const(1):
        raise lo.unsupported("`itertools.count` is handled with whole numbers and in steps of one.")
    return RangeV(lo.as_atom(start), Const(sys.maxsize), Const(1))


@builtin(itertools.repeat, takes=lambda object, times=None: ...)
def _repeat(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return IterV("repeat", (args[0], lo.as_atom(args[1]) if len(args) > 1 else Const(sys.maxsize)))


@builtin(itertools.starmap, takes=lambda function, iterable, /: ...)
def _starmap(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return IterV("starmap", tuple(args))


@builtin(itertools.chain, takes=lambda *iterables: ...)
def _chain(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return IterV("chain", tuple(args))


@builtin(itertools.chain.from_iterable, takes=lambda iterables, /: ...)
def _from_iterable(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    parts = literal_items(lo, args[0])
    if parts is None:
        raise lo.unsupported("`chain.from_iterable` is handled of sequences that are written down.", "Write two loops.")
    return IterV("chain", tuple(parts))


@builtin(itertools.islice, takes=lambda iterable, start, stop=None, step=1, /: ...)
def _islice(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    source, *bounds = args
    start, stop, step = [Const(0), *bounds, Const(1)] if len(bounds) == 1 else [*bounds, Const(1)][:3]
    steps = Const(1) if step == Const(None) else step
    if not isinstance(steps, Const) or not isinstance(start, Const):
        raise lo.unsupported("the start and step of `islice` must be known while compiling.", "Index the sequence.")
    return IterV("islice", (source, Const(start.value or 0), stop, steps))


def _pool(lo: Lowering, source: AVal) -> AVal:
    """The items of an iterable as they are now: what is stored into it later is not seen."""
    if isinstance(source, TupleV | RangeV) or (is_atom(source) and isinstance(kind_of(source), K.Tuple)):
        return source
    if is_atom(source) and isinstance(kind_of(source), K.Array):
        return source if K.rank_of(kind_of(source)) != 1 else lo.emit(np.copy, source)
    return lo.call(PyFunc.of(list), [source], {})


@builtin(itertools.product, takes=lambda *iterables, repeat=1: ...)
def _product(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    repeat = kwargs.get("repeat", Const(1))
    if not isinstance(repeat, Const):
        raise lo.unsupported("`repeat` of `itertools.product` must be known while compiling.")
    return IterV("product", tuple(_pool(lo, a) for a in args) * repeat.value)


def _choices(choose: Any, places: Any) -> Handler:
    """``itertools.combinations`` and ``permutations``: each choice is a row of an array of places."""

    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        pool, r = _pool(lo, args[0]), args[1] if len(args) > 1 else Const(None)
        if r == Const(None):
            r = lo.length_of(pool)
        if not isinstance(r, Const):
            raise lo.unsupported(
                f"how many items `itertools.{choose.__name__}` chooses must be known while compiling.", "Write loops."
            )
        readers = lo.static_readers(pool)
        if readers is not None:
            rows = choose(readers, r.value)
            return IterV("zip", tuple(map(TupleV, zip(*[[read() for read in row] for row in rows], strict=True))))
        rows = lo.emit(places, lo.length_of(pool), r, kind=K.Array("int64", 2), hint="places")
        return IterV("choices", (pool, rows, r))

    return handler


builtin(itertools.combinations, takes=lambda iterable, r: ...)(
    _choices(itertools.combinations, helpers.combination_places)
)
builtin(itertools.permutations, takes=lambda iterable, r=None: ...)(
    _choices(itertools.permutations, helpers.permutation_places)
)


@builtin(itertools.cycle, takes=anything)
def _cycle(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    raise lo.unsupported("`itertools.cycle` is not handled.", "Index the sequence by `k % len(...)`.")
