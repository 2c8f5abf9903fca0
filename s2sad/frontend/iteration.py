"""Iteration: over what, how often, and what the item is."""

from __future__ import annotations

import enum
import functools
import itertools
import operator
import sys
from functools import partial
from typing import Any

import gast
import numpy as np

from s2sad.frontend.computed_names import are_names
from s2sad.frontend.early import changes_others, read_by
from s2sad.frontend.object_lists import HELD, ObjectList
from s2sad.frontend.operator_methods import method_of
from s2sad.frontend.protocols import items_of_steps
from s2sad.frontend.ranges import Ranges
from s2sad.frontend.tables import DRAWS
from s2sad.frontend.values import (
    MOST_SPELT_OUT,
    AVal,
    BoundV,
    DictV,
    FuncV,
    GeneratorV,
    IterV,
    MethodV,
    ObjectV,
    PyFunc,
    RangeV,
    Reader,
    TupleV,
    is_atom,
    is_flat,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Var

__all__ = ["Iteration"]


def _itself(value: AVal) -> AVal:
    return value


class Iteration(Ranges):
    """The part of the lowerer that takes sequences apart."""

    def looped_over(self, node: Any) -> AVal:
        """The value of an expression that a loop goes over.

        Where a dict of lists gives an empty tuple in place of one, an empty list is as good there.
        """
        match node:
            case gast.Call(
                func=gast.Attribute(value=gast.Name() as name, attr="get"),
                args=[key, gast.Tuple(elts=[]) as nothing],
                keywords=[],
            ):
                held = self.expr(name)
                kind = runtime_kind(held)
                if is_atom(held) and isinstance(kind, K.Dict) and isinstance(kind.item, K.List | K.Bottom):
                    return self.call(MethodV(held, "get"), [self.expr(key), self.new_list([], "", nothing)], {})
        return self.expr(node)

    def iteration(self, iterable: AVal) -> Any:
        """How to loop over a value: readers of its items, a stream, or (start, stop, step, item of index)."""
        iterable = self.iterator_of(iterable)
        static = self.static_readers(iterable)
        if static is not None:
            return static
        stream = self.stream_of(iterable)
        return self.iteration_by_place(iterable) if stream is None else stream

    def iteration_by_place(self, iterable: AVal) -> Any:
        """The same as (start, stop, step, item of index), whatever is known of the items."""
        if isinstance(iterable, RangeV):
            return iterable.start, iterable.stop, iterable.step, None
        if isinstance(iterable, IterV) and iterable.form == "reversed" and isinstance(iterable.parts[0], RangeV):
            r = self.reversed_range(iterable.parts[0])
            return r.start, r.stop, r.step, None
        length, item = self.indexable(iterable)
        return Const(0), length, Const(1), item

    def turns(self, source: AVal) -> Any:
        """How to loop over a value: not once over a list that nothing is put into.

        Where something is, lowering starts anew.
        """
        return [] if is_atom(source) and kind_of(source) == K.List(K.BOTTOM) else self.iteration(source)

    def iterator_of(self, value: AVal) -> AVal:
        """``iter(value)`` of an object with a method for it; other values as they are.

        What such a method gives, or an object without, may give its items step by step.
        """
        value = self.unboxed(value)
        own = method_of(value, "__iter__")
        if own is not None:
            value = self.call(BoundV(own, value), [], {})
        elif isinstance(value, ObjectV) and hasattr(value.cls, "__iter__"):
            return self.call(self.attribute(value, "__iter__"), [], {})
        steps = items_of_steps(self, value)
        if steps is not None:
            return steps
        if own is None:
            self.need_tuple(value, "iterable")
        return value

    def need_tuple(self, value: AVal, what: str) -> None:
        """Raise what Python raises of an object at run time, whose fields are the items of a tuple only here."""
        kind = runtime_kind(value)
        cls = kind.cls if isinstance(kind, K.Tuple) else None
        if cls is not None and not issubclass(cls, tuple):
            raise self.fails(TypeError, f"an object of class {cls.__name__} is not {what}.")

    def length_of(self, iterable: AVal) -> Atom:
        """How many items an iterable has."""
        readers = self.static_readers(iterable)
        return self.indexable(iterable)[0] if readers is None else Const(len(readers))

    def static_items(self, iterable: AVal) -> list[AVal] | None:
        """The items of a sequence of known length, or None."""
        readers = self.static_readers(iterable)
        return None if readers is None else [read() for read in readers]

    def static_readers(self, iterable: AVal) -> list[Reader] | None:
        """What gives each item of a sequence of known length when its turn comes, or None.

        A loop may change what it iterates over: the values of a dict, say. The letters of text are keys, mostly.
        """
        if is_atom(iterable) and kind_of(iterable) == K.STR:
            iterable = self.known_value(iterable)
        match iterable:
            case TupleV() if method_of(iterable, "__iter__") is not None:
                raise self.unsupported(
                    "this way to read a tuple that says itself what its items are is not handled.",
                    "Loop over it, or read its fields.",
                )
            case Var(kind=K.List() | K.Dict()) | IterV(form="items" | "values", parts=(Var(kind=K.Dict()),)):
                return self.readers_of_fields(iterable)
            case TupleV(items):
                return [partial(_itself, i) for i in items]
            case DictV():
                return [partial(_itself, Const(k)) for k in self.dict_keys(iterable)]
            case PyFunc(fn=enum.EnumMeta() as members):
                return [partial(self.attribute, iterable, m.name) for m in members]  # type: ignore[var-annotated]
            case ObjectV(cls=cls) if cls is ObjectList:
                return [partial(self.held_at, iterable, k) for k in range(len(self.held_by(iterable).items))]
            case Var(kind=K.Tuple(kinds)) if 1 < len(set(map(K.without_shape, kinds))) <= len(kinds) <= MOST_SPELT_OUT:
                return [partial(self.load, iterable, Const(k)) for k in range(len(kinds))]
            case Const(value=str() as text) if len(text) <= MOST_SPELT_OUT:
                return [partial(_itself, Const(letter)) for letter in text]
            case IterV(form="items", parts=(DictV() as d,)):
                return [
                    partial(self.row, (partial(_itself, Const(k)), partial(self.current, d, k)))
                    for k in self.dict_keys(d)
                ]
            case IterV(form="values", parts=(DictV() as d,)):
                return [partial(self.current, d, k) for k in self.dict_keys(d)]
            case IterV(form="reversed", parts=(part,)):
                known = self.static_readers(part)
                return None if known is None else known[::-1]
            case IterV(form="enumerate", parts=(part, Const(value=int(start)))):
                known = self.static_readers(part)
                if known is None:
                    return None
                return [partial(self.row, (partial(_itself, Const(k)), read)) for k, read in enumerate(known, start)]
            case IterV(form="zip", parts=parts):
                rows = self.static_rows(parts)
                return None if rows is None else [partial(self.row, row) for row in rows]
            case IterV(form="map", parts=(function, *parts)):
                rows = self.static_rows(tuple(parts))
                return None if rows is None else [partial(self.applied, function, row) for row in rows]
        return self.static_itertools(iterable)

    def readers_of_fields(self, iterable: AVal) -> list[Reader] | None:
        """The readers of the keys or items of a dict or list at run time, where it is known what is at each place."""
        d = iterable.parts[0] if isinstance(iterable, IterV) else iterable
        apart = self.fields_apart(d)
        if apart is d or (isinstance(apart, DictV) and len(self.dict_keys(apart)) > MOST_SPELT_OUT):
            return None
        return self.static_readers(IterV(iterable.form, (apart,)) if isinstance(iterable, IterV) else apart)

    def held_by(self, changing: ObjectV) -> TupleV:
        """What a list of functions or objects that changes holds now."""
        held = self.value_at((changing, HELD))
        if not isinstance(held, TupleV):
            self.try_rows(held)
            raise self.unsupported(
                "a list of functions or objects has different lengths on different paths.",
                "Put as many into it on each.",
            )
        return held

    def held_at(self, changing: ObjectV, place: int) -> AVal:
        """What is at a place of a list of functions or objects that changes now."""
        items = self.held_by(changing).items
        if place >= len(items):
            raise self.changed_within_loop()
        return items[place]

    def changed_within_loop(self) -> Exception:
        """The refusal of a list that a loop goes over and makes longer or shorter."""
        return self.unsupported("a list that changes while a loop goes over it is not handled.", "Copy it first.")

    def static_itertools(self, iterable: AVal) -> list[Reader] | None:
        """The readers of what a function of ``itertools`` gives for sequences of known length."""
        match iterable:
            case IterV(form="starmap", parts=(function, rows)):
                known = self.static_readers(rows)
                return None if known is None else [partial(self.spread_over, function, read) for read in known]
            case IterV(form="chain", parts=parts):
                columns = self.static_columns(parts)
                return None if columns is None else [read for column in columns for read in column]
            case IterV(form="product", parts=parts):
                columns = self.static_columns(parts)
                return None if columns is None else [partial(self.row, row) for row in itertools.product(*columns)]
            case IterV(form="islice", parts=(part, Const(start), Const(stop), Const(step))):
                known = self.static_readers(part)
                return None if known is None else known[start:stop:step]
            case IterV(form="pairwise", parts=(part,)):
                known = self.static_readers(part)
                if known is None:
                    return None
                once: list[Reader] = [functools.cache(read) for read in known]  # the second of a pair is the next first
                return [partial(self.row, pair) for pair in itertools.pairwise(once)]
            case IterV(form="zip_longest", parts=(fill, *rest)):
                columns = self.static_columns(tuple(rest))
                missing: Reader = partial(_itself, fill)
                if columns is None:
                    return None
                return [partial(self.row, row) for row in itertools.zip_longest(*columns, fillvalue=missing)]
        return None

    def static_columns(self, parts: tuple[AVal, ...]) -> list[list[Reader]] | None:
        """The readers of several sequences, where the lengths of all are known."""
        columns = [self.static_readers(p) for p in parts]
        known = [c for c in columns if c is not None]
        return known if len(known) == len(columns) else None

    def spread_over(self, function: AVal, read: Reader) -> AVal:
        """``function(*row)``"""
        return self.call(function, self.all_items(read()), {})

    def row(self, readers: tuple[Reader, ...]) -> AVal:
        """The tuple of what readers give now."""
        return TupleV(tuple(read() for read in readers))

    def applied(self, function: AVal, row: tuple[Reader, ...]) -> AVal:
        """A function of what readers give now."""
        return self.call(function, [read() for read in row], {})

    def current(self, d: DictV, key: Any) -> AVal:
        """The value of a tracked dict at a key, as it is now."""
        value = self.value_at((d, key))
        assert value is not None
        return value

    def static_rows(self, parts: tuple[AVal, ...]) -> list[tuple[Reader, ...]] | None:
        """The readers of the rows of a ``zip`` of sequences of known length.

        One of them may have a length of its own where another holds what exists only while compiling.
        """
        columns = [self.static_readers(p) for p in parts]
        known = [c for c in columns if c is not None]
        if len(known) == len(columns):
            return list(zip(*known, strict=False))
        if not any(c is not None and self.is_unrolled(p) for c, p in zip(columns, parts, strict=True)):
            return None
        length = min(len(c) for c in known)
        each = [self.readers_of(p, length) if c is None else c for c, p in zip(columns, parts, strict=True)]
        return list(zip(*each, strict=False))

    def is_unrolled(self, part: AVal) -> bool:
        """Whether a sequence of known length may hold what exists only while compiling."""
        if isinstance(part, IterV):
            return part.form != "values" or self.is_unrolled(TupleV(tuple(self.static_items(part) or ())))
        if isinstance(part, ObjectV) and part.cls is ObjectList:
            part = self.held_by(part)
        if not isinstance(part, TupleV):
            return False
        made_here = any(isinstance(i, FuncV | ObjectV | TupleV | DictV) for i in part.items)
        return made_here or (self.names_apart and are_names(part.items))

    def readers_of(self, part: AVal, length: int) -> list[Reader]:
        """The readers of the first items of a sequence whose length is not known; so many it must have."""
        n, item = self.indexable(part)
        self.effect(
            prims.assert_,
            self.emit(operator.ge, n, Const(length), kind=K.BOOL),
            Const(f"a sequence beside one of {length} items must have as many here"),
        )
        return [partial(item, Const(k)) for k in range(length)]

    def indexable(self, iterable: AVal) -> tuple[Atom, Any]:
        """The length of an iterable, and a function from an index to its item."""
        length: Atom
        match iterable:
            case RangeV(start, stop, step):
                if start == Const(0) and step == Const(1):
                    return stop, lambda k: k
                length = self.emit(len, self.as_atom(iterable), kind=K.INT)
                return length, lambda k: self.affine(start, step, k)
            case IterV(form="enumerate", parts=(part, start)):
                length, item = self.indexable(part)
                return length, lambda k: TupleV((self.shifted(k, start), item(k)))
            case IterV(form="zip", parts=parts):
                columns = [self.indexable(p) for p in parts]
                length = self.shortest([n for n, _ in columns])
                return length, lambda k: TupleV(tuple(item(k) for _, item in columns))
            case IterV(form="reversed", parts=(part,)):
                length, item = self.indexable(part)
                last = self.emit(operator.sub, length, Const(1), kind=K.INT)
                return length, lambda k: item(self.emit(operator.sub, last, k, kind=K.INT))
            case IterV(form="map", parts=(function, *parts)):
                length, item = self.indexable(IterV("zip", tuple(parts)))
                return length, lambda k: self.call(function, list(item(k).items), {})
            case IterV(form="columns", parts=(rows,)):
                length = self.emit(len, self.as_atom(self.load(self.as_atom(rows), Const(0))), kind=K.INT)
                return length, lambda k: self.column(rows, k)
            case IterV(form="indexed", parts=(array, index)):
                length, item = self.indexable(index)
                return length, lambda k: self.indexed(array, item(k))
            case IterV(form="items", parts=(d,)):
                keys = self.keys_of(self.as_atom(d))
                length = self.emit(len, keys, kind=K.INT)
                return length, lambda k: self.dict_pair(d, self.load(keys, k))
            case IterV(form="values", parts=(d,)):
                keys = self.keys_of(self.as_atom(d))
                length = self.emit(len, keys, kind=K.INT)
                return length, lambda k: self.load(self.as_atom(d), self.load(keys, k))
            case TupleV():
                atom = self.as_atom(iterable)
                return Const(len(iterable.items)), lambda k: self.load(atom, k)
            case MethodV(obj=array) if is_flat(iterable):
                flat = self.emit(np.ravel, self.as_atom(array))
                length = self.emit(np.size, self.as_atom(array), kind=K.INT)
                self.note_read(length, self.as_atom(array))
                return length, lambda k: self.load(flat, k)
            case IterV(form=form) if form in DRAWS or isinstance(iterable, GeneratorV):
                return self.indexable(self.drawn(iterable))
            case IterV():
                return self.indexable_itertools(iterable)
        atom = self.as_atom(iterable)
        kind = kind_of(atom)
        if isinstance(kind, K.Dict):
            atom = self.keys_of(atom)
        elif isinstance(kind, K.Other):
            items = K.List(K.INT if kind.type is range else kind if kind.type is str else K.ANY)
            atom = self.emit(prims.list_copy, atom, kind=items)
        elif isinstance(kind, K.Scalar):
            raise self.fails(TypeError, "a number cannot be iterated over.")
        length = self.emit(len, atom, kind=K.INT)
        return length, lambda k: self.load(atom, k)

    def indexable_itertools(self, iterable: IterV) -> tuple[Atom, Any]:
        """The length of what a function of ``itertools`` gives, and a function from an index to its item."""
        match iterable:
            case IterV(form="repeat", parts=(value, times)):
                return self.as_atom(times), lambda k: value
            case IterV(form="starmap", parts=(function, rows)):
                length, item = self.indexable(rows)
                return length, lambda k: self.spread_over(function, lambda: item(k))
            case IterV(form="islice", parts=(part, Const(start), stop, Const(step))):
                length, item = self.indexable(part)
                ends = length if stop == Const(None) else self.shortest([self.as_atom(stop), length])
                taken = self.emit(len, self.as_atom(RangeV(Const(start), ends, Const(step))), kind=K.INT)
                return taken, lambda k: item(self.affine(Const(start), Const(step), k))
            case IterV(form="choices", parts=(pool, rows, Const(r))):
                item = self.indexable(pool)[1]
                length = self.emit(len, self.as_atom(rows), kind=K.INT)
                return length, lambda k: TupleV(
                    tuple(item(self.as_atom(self.load(self.as_atom(rows), TupleV((k, Const(i)))))) for i in range(r))
                )
            case IterV(form="pairwise", parts=(part,)):
                return self.pairs(part)
            case IterV(form="cycle", parts=(part,)):
                return self.cycled(part)
            case IterV(form="zip_longest", parts=(fill, *parts)):
                columns = [self.indexable(p) for p in parts]
                return self.longest([n for n, _ in columns]), lambda k: TupleV(
                    tuple(self.item_or(column, k, fill) for column in columns)
                )
        columns = [self.indexable(p) for p in iterable.parts]
        if iterable.form == "chain":
            return self.total_of(operator.add, [n for n, _ in columns]), partial(self.chained, columns)
        return self.total_of(operator.mul, [n for n, _ in columns]), partial(self.combined, columns)

    # -- what Python reads bit by bit --

    def drawn(self, iterator: AVal) -> Atom:
        """The list of all that a lazy iterator gives, made of what there is before the first item is asked for."""
        start = len(self.stmts)
        self.drawing += 1
        try:
            out = self.as_list(iterator)
        finally:
            self.drawing -= 1
        self.note_early(out, start)
        return out

    def note_early(self, out: Atom, start: int) -> None:
        """Note that what was lowered from ``start`` on, for ``out``, Python does one by one in the loop over it."""
        if not isinstance(out, Var) or not isinstance(out.kind, K.List):
            return
        if changes_others(self.stmts[start:], out):
            raise self.unsupported(
                "this is evaluated bit by bit, and changes what was there before.",
                "Make a list of it: `list(...)`, or `[...]` for a generator.",
            )
        self.early[out] = read_by(self.stmts[start:])

    def note_read(self, count: Atom, source: AVal) -> None:
        """Note that a loop of so many iterations reads a sequence at other times than Python does."""
        if isinstance(count, Var) and is_atom(source):
            self.early[count] = (source,)

    def held(self, part: AVal) -> Atom:
        """A sequence that is read by place: what is none is made a list."""
        if isinstance(part, RangeV | IterV) or not isinstance(runtime_kind(part), K.List | K.Array):
            return self.drawn(part)
        return self.as_atom(part)

    def pairs(self, part: AVal) -> tuple[Atom, Any]:
        """``itertools.pairwise``, which keeps the first of a pair from when it was the second of the one before."""
        source = part if isinstance(part, RangeV) else self.held(part)
        length, item = self.indexable(source)
        last = self.minus_one(length)
        count: Atom = (
            Const(max(last.value, 0)) if isinstance(last, Const) else self.emit(max, last, Const(0), kind=K.INT)
        )
        self.note_read(count, source)
        return count, lambda k: TupleV((item(k), item(self.shifted(k, Const(1)))))

    def cycled(self, part: AVal) -> tuple[Atom, Any]:
        """``itertools.cycle``, which keeps the items from the first round; without any it ends at once."""
        source = part if isinstance(part, TupleV | RangeV) else self.held(part)
        length, item = self.indexable(source)
        some = self.truth(length)
        ends: Atom = Const(sys.maxsize if some else 0)
        if not isinstance(some, bool):
            ends = self.as_atom(self.choose(some, lambda: Const(sys.maxsize), lambda: Const(0)))
            self.note_read(ends, source)
        return ends, lambda k: item(self.emit(operator.mod, k, length, kind=K.INT))

    def longest(self, lengths: list[Atom]) -> Atom:
        distinct = list(dict.fromkeys(lengths))
        return distinct[0] if len(distinct) == 1 else self.emit(max, *distinct, kind=K.INT)

    def item_or(self, column: tuple[Atom, Any], k: Atom, fill: AVal) -> AVal:
        """The item of a sequence at ``k``, or what stands for it where the sequence has ended."""
        length, item = column
        there = self.emit(operator.lt, k, length, kind=K.BOOL)
        return self.choose(there, lambda: item(k), lambda: fill)

    def total_of(self, op: Any, lengths: list[Atom]) -> Atom:
        """The sum or the product of lengths."""
        total: AVal = Const(0 if op is operator.add else 1)
        for n in lengths:
            total = self.binary(op, total, n)
        return self.as_atom(total)

    def chained(self, columns: list[tuple[Atom, Any]], k: Atom) -> AVal:
        """The item at ``k`` of sequences one after the other."""
        (length, item), *others = columns
        if not others:
            value: AVal = item(k)
            return value
        here = self.emit(operator.lt, k, length, kind=K.BOOL)
        after = partial(self.emit, operator.sub, k, length, kind=K.INT)
        return self.choose(here, lambda: item(k), lambda: self.chained(others, after()))

    def combined(self, columns: list[tuple[Atom, Any]], k: Atom) -> AVal:
        """The row at ``k`` of ``itertools.product``, whose last column changes fastest."""
        items: list[AVal] = []
        for length, item in reversed(columns):
            items.append(item(self.emit(operator.mod, k, length, kind=K.INT)))
            k = self.emit(operator.floordiv, k, length, kind=K.INT)
        return TupleV(tuple(reversed(items)))

    def column(self, rows: AVal, k: Atom) -> AVal:
        """The tuple of the items at ``k`` of each row."""
        out = self.new_list([], "", (self.place, "column"))
        self.each(rows, lambda row: self.append(out, self.load(self.as_atom(row), k)))
        self.containers.as_tuple(out)
        return out

    def columns_of(self, rows: AVal) -> AVal:
        """``zip(*rows)``"""
        items = self.static_items(rows)
        if items is not None:
            return IterV("zip", tuple(items))
        atom, kind = self.as_atom(rows), runtime_kind(rows)
        if isinstance(kind, K.Tuple):
            return IterV("zip", tuple(self.load(atom, Const(k)) for k in range(len(kind.items))))
        return IterV("columns", (atom,))

    def indexed(self, array: AVal, index: AVal) -> AVal:
        """An index and the item there, as ``np.ndenumerate`` gives them."""
        return TupleV((index, self.load(self.as_atom(array), index)))

    def dict_pair(self, d: AVal, key: AVal) -> AVal:
        return TupleV((key, self.load(self.as_atom(d), key)))
