"""How calls of ``itertools`` are lowered."""

from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from s2sad.frontend.comprehensions import Gathered
from s2sad.frontend.interface import Lowering
from s2sad.frontend.numpy_calls import literal_items
from s2sad.frontend.tables import DRAWS, Handler, anything, builtin
from s2sad.frontend.values import (
    AVal,
    IterV,
    PyFunc,
    RangeV,
    SliceV,
    TupleV,
    is_atom,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const
from s2sad.runtime import helpers

__all__ = ["chained"]


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
    return chained(lo, args[0])


def chained(lo: Lowering, rows: AVal) -> AVal:
    """The items of all rows: apart where the rows are written down."""
    parts = literal_items(lo, rows)
    return IterV("chained", (rows,)) if parts is None else IterV("chain", tuple(parts))


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


@builtin(itertools.pairwise, takes=lambda iterable, /: ...)
def _pairwise(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return IterV("pairwise", tuple(args))


def _batches(iterable: Iterable[Any], n: int, strict: bool = False) -> Iterator[Any]:
    batch: list[Any] = []
    for item in iterable:
        batch.append(item)
        if len(batch) == n:
            yield tuple(batch)
            batch = []
    if len(batch) > 0:
        if strict:
            raise ValueError("batched(): incomplete batch")
        yield tuple(batch)


if sys.version_info >= (3, 12):

    @builtin(itertools.batched, takes=lambda iterable, n, *, strict=False: ...)
    def _batched(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        return lo.call(PyFunc.of(_batches), args, kwargs, hint)


@builtin(itertools.cycle, takes=lambda iterable, /: ...)
def _cycle(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return IterV("cycle", tuple(args))


@builtin(itertools.zip_longest, takes=lambda *iterables, fillvalue=None: ...)
def _zip_longest(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return IterV("zip_longest", (kwargs.get("fillvalue", Const(None)), *args))


def _places_by(helper: Any) -> Callable[[Lowering, Atom, Atom], Atom]:
    return lambda lo, n, r: lo.emit(helper, n, r, kind=K.Array("int64", 2), hint="places")


def _repeated_places(lo: Lowering, n: Atom, r: Atom) -> Atom:
    """Those of ``combinations_with_replacement``: of distinct places among ``n + r - 1``, each less those before it."""
    spread = lo.binary(operator.add, n, Const(r.value - 1))  # type: ignore[union-attr]
    apart = _places_by(helpers.combination_places)(lo, lo.as_atom(spread), r)
    return lo.emit(operator.sub, apart, lo.emit(np.arange, r), hint="places")


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
        rows = places(lo, lo.length_of(pool), r)
        return IterV("choices", (pool, rows, r))

    return handler


builtin(itertools.combinations, takes=lambda iterable, r: ...)(
    _choices(itertools.combinations, _places_by(helpers.combination_places))
)
builtin(itertools.combinations_with_replacement, takes=lambda iterable, r: ...)(
    _choices(itertools.combinations_with_replacement, _repeated_places)
)
builtin(itertools.permutations, takes=lambda iterable, r=None: ...)(
    _choices(itertools.permutations, _places_by(helpers.permutation_places))
)


# -- what is computed of all items at once --


@builtin(itertools.accumulate, takes=lambda iterable, func=None, *, initial=None: ...)
def _accumulate(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    function = args[1] if args[1:] not in ([], [Const(None)]) else PyFunc.of(operator.add)
    return IterV("accumulate", (args[0], function, kwargs.get("initial", Const(None))))


def _accumulated(lo: Lowering, source: AVal, function: AVal, initial: AVal) -> Atom:
    out = lo.new_list([], "", lo.place)

    def step(acc: AVal, item: AVal) -> AVal:
        value = lo.call(function, [acc, item], {})
        lo.append(out, value)
        return value

    def begin(first: AVal, rest: AVal) -> None:
        lo.append(out, first)
        lo.fold(rest, first, step, "acc")

    if initial != Const(None):
        begin(initial, source)
        return out
    atom = lo.as_atom(source) if is_atom(source) else lo.as_list(source)
    filled = lo.emit(operator.gt, lo.emit(len, atom, kind=K.INT), Const(0), kind=K.BOOL)
    rest = SliceV((Const(1), Const(None), Const(None)))
    lo.branch(filled, lambda: begin(lo.load(atom, Const(0)), lo.load(atom, rest)), lambda: None)
    return out


def _where(lo: Lowering, test: AVal, do: Callable[[], None]) -> None:
    """Do something if a value is true."""
    known = lo.truth(test)
    if known is True:
        do()
    elif known is not False:
        lo.branch(known, do, lambda: None)


def _filtered(lo: Lowering, function: AVal, source: AVal) -> AVal:
    def tested(item: AVal) -> tuple[AVal, AVal]:
        return item, item if function == Const(None) else lo.call(function, [item], {})

    return _kept(lo, source, tested)


def _compressed(lo: Lowering, source: AVal, selectors: AVal) -> AVal:
    def tested(pair: AVal) -> tuple[AVal, AVal]:
        item, test = lo.items_of(pair, 2, None, ["", ""])
        return item, test

    return _kept(lo, IterV("zip", (source, selectors)), tested)


def _kept(lo: Lowering, source: AVal, tested: Callable[[AVal], tuple[AVal, AVal]]) -> AVal:
    """The items whose test is true: a list as written down where all tests are known, of items known apart."""
    site = lo.place
    found = Gathered(lo.append, lambda known: lo.new_list([lo.as_atom(i) for i in known], "", site))

    def keep(turn: AVal) -> None:
        item, test = tested(turn)
        known = lo.truth(test)
        if known is True:
            found.add(item)
        elif known is not False:
            found.at_run_time()
            lo.branch(known, lambda: found.add(item), lambda: None)

    if lo.static_readers(lo.iterator_of(source)) is None:
        found.at_run_time()
    lo.each(source, keep)
    return lo.make_list(found.known, "", site) if found.out is None else found.out


def _as_bool(lo: Lowering, test: AVal, item: AVal) -> AVal:
    """``bool(test(item))``"""
    known = lo.truth(lo.call(test, [item], {}))
    if isinstance(known, bool) or kind_of(known) == K.BOOL:
        return Const(known) if isinstance(known, bool) else known
    return lo.emit(bool, known, kind=K.BOOL)


def _while(taken: bool) -> Callable[[Lowering, AVal, AVal], Atom]:
    """``itertools.takewhile`` and ``dropwhile``: the items before, or from, the first that fails a test."""

    def draw(lo: Lowering, function: AVal, source: AVal) -> Atom:
        out = lo.new_list([], "", lo.place)

        def step(passes: AVal, item: AVal) -> AVal:
            now = lo.truth(passes)
            if now is not False:  # the test is asked for up to the first item that fails it
                test = partial(_as_bool, lo, function, item)
                passes = test() if now is True else lo.choose(now, test, lambda: Const(False))
            kept = passes if taken else lo.emit(operator.not_, lo.as_atom(passes), kind=K.BOOL)
            _where(lo, kept, lambda: lo.append(out, item))
            return passes

        lo.fold(source, Const(True), step, "passes")
        return out

    return draw


def _rows(lo: Lowering, rows: AVal) -> Atom:
    """``itertools.chain.from_iterable`` of rows that are known at run time only."""
    out = lo.new_list([], "", lo.place)
    lo.each(rows, lambda row: lo.each(row, lambda item: lo.append(out, item)))
    return out


DRAWS.update(
    accumulate=_accumulated,
    filter=_filtered,
    compress=_compressed,
    takewhile=_while(True),
    dropwhile=_while(False),
    chained=_rows,
)


@builtin(itertools.compress, takes=lambda data, selectors: ...)
def _compress(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return IterV("compress", tuple(args))


@builtin(itertools.takewhile, takes=lambda predicate, iterable, /: ...)
def _takewhile(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return IterV("takewhile", tuple(args))


@builtin(itertools.dropwhile, takes=lambda predicate, iterable, /: ...)
def _dropwhile(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return IterV("dropwhile", tuple(args))


@builtin(itertools.groupby, itertools.tee, itertools.filterfalse, takes=anything)
def _refused(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    raise lo.unsupported("this function of `itertools` is not handled.", "Write the loop, or make lists.")
