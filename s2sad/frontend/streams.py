"""Generators: their bodies are lowered in place of the loop over them, with the loop's body at each ``yield``.

That is the order in which Python does things. So a generator may have no end, change what it likes, and see what the
loop changes; what leaves the loop leaves the generator's own loops, as ``return`` in its body would.

A stream is a function that lowers all of that for what takes an item: :data:`Consume` lowers what is done with it, and
gives a flag, whether to leave.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import gast

from s2sad.frontend.builder import FALSE, TRUE
from s2sad.frontend.comprehensions import Gathered
from s2sad.frontend.interface import Lowering
from s2sad.frontend.scope import own_nodes
from s2sad.frontend.values import SERIALS, AVal, Frame, GeneratorV, IterV, TupleV
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Const

__all__ = ["Streams"]

Consume: TypeAlias = Callable[[AVal], Atom]
Stream: TypeAlias = Callable[[Consume], None]


class Streams(Lowering):
    """The part of the lowerer that goes through generators."""

    def stream_of(self, iterable: AVal) -> Stream | None:
        """How to go through what takes its items from a generator one by one; None of other iterables."""
        match iterable:
            case GeneratorV(node=gast.GeneratorExp()):
                return partial(self.run_expression, iterable)
            case GeneratorV(form="context"):
                raise self.unsupported("a context is entered by `with`, and only there handled.")
            case GeneratorV():
                return partial(self.run_generator, iterable)
            case IterV(form="zip", parts=parts):
                return self.zipped(parts)
            case IterV(form="islice", parts=(part, Const() as start, stop, Const() as step)):
                inner = self.stream_of(part)
                return inner and partial(self.sliced, inner, start, stop, step)
            case IterV(form="enumerate", parts=(part, start)):
                inner = self.stream_of(part)
                return inner and partial(
                    self.counted, inner, None, None, lambda k, item: TupleV((self.shifted(k, start), item))
                )
        return self.mapped(iterable) if isinstance(iterable, IterV) else None

    def mapped(self, iterable: IterV) -> Stream | None:
        """The streams of what does something with each item."""
        function, *parts = iterable.parts or (None,)
        inner = self.stream_of(parts[0]) if len(parts) == 1 else None
        if inner is None:
            return None

        def each(item: AVal, consume: Consume) -> Atom:
            match iterable.form:
                case "map":
                    return consume(self.call(function, [item], {}))  # type: ignore[arg-type]
                case "starmap":
                    return consume(self.spread_over(function, lambda: item))  # type: ignore[arg-type]
            passes = item if function == Const(None) else self.call(function, [item], {})  # type: ignore[arg-type]
            left = TRUE if iterable.form == "takewhile" else FALSE
            return self.flag_where(self.truth(passes), lambda: consume(item), left)

        if iterable.form not in ("map", "starmap", "filter", "takewhile"):
            return None
        return lambda consume: inner(partial(each, consume=consume))

    def flag_where(self, cond: Atom | bool, then: Callable[[], Atom], otherwise: Atom) -> Atom:
        """The flag that ``then`` gives if a condition holds."""
        if isinstance(cond, bool):
            return then() if cond else otherwise
        return self.as_atom(self.choose(cond, then, lambda: otherwise))

    def zipped(self, parts: tuple[AVal, ...]) -> Stream | None:
        """``zip`` with a generator among its arguments; others are read by place, a second generator as a list."""
        streams = [self.stream_of(p) for p in parts]
        found = [(k, s) for k, s in enumerate(streams) if s is not None]
        if not found:
            return None
        at, inner = found[0]

        def run(consume: Consume) -> None:
            columns = [None if k == at else self.indexable(p) for k, p in enumerate(parts)]
            before, after = ([c[0] for c in side if c is not None] for side in (columns[:at], columns[at:]))

            def row(k: Atom, item: AVal) -> AVal:
                return TupleV(tuple(item if c is None else c[1](k) for c in columns))

            first, then = (self.shortest(lengths) if lengths else None for lengths in (before, after))
            self.counted(inner, first, then, row, consume)

        return run

    def sliced(self, inner: Stream, start: Const, stop: AVal, step: Const, consume: Consume) -> None:
        """``islice`` of a stream: items are asked for up to ``stop``, and those between are dropped."""

        def each(pair: AVal) -> Atom:
            assert isinstance(pair, TupleV)
            k, item = pair.items

            def begun() -> Atom:
                after = self.binary(operator.mod, self.binary(operator.sub, k, start), step)
                meant = step.value == 1 or self.truth(self.binary(operator.eq, after, Const(0)))
                return self.flag_where(meant, lambda: consume(item), FALSE)

            return self.flag_where(start.value == 0 or self.truth(self.binary(operator.ge, k, start)), begun, FALSE)

        ends = None if stop == Const(None) else self.as_atom(stop)
        if ends is not None and start.value > 0:
            ends = self.emit(max, ends, start, kind=K.INT)
        self.counted(inner, ends, None, lambda k, item: TupleV((k, item)), each)

    def counted(self, inner: Stream, first: Atom | None, then: Atom | None, row: Any, consume: Consume) -> None:
        """Go through a stream with a count: ``row`` makes of it and an item what is consumed.

        Python asks for an item while the count is below ``first``, and leaves if it is not below ``then`` by then.
        """
        count = (object(), "count")
        self.write(count, Const(0))

        def below(limit: Atom | None) -> Atom | bool:
            known = True if limit is None else self.truth(self.binary(operator.lt, self.value_at(count), limit))
            return known if isinstance(known, bool) else self.as_atom(known)

        def each(item: AVal) -> Atom:
            def taken() -> Atom:
                k = self.as_atom(self.value_at(count))
                flag = consume(row(k, item))
                self.write(count, self.shifted(k, Const(1)))
                return flag if flag == TRUE else self.either(flag, below(first))

            return self.flag_where(below(then), taken, TRUE)

        start = below(first)
        if isinstance(start, bool):
            if start:
                inner(each)
        else:
            self.branch(start, lambda: inner(each), lambda: None)

    def either(self, flag: Atom, goes_on: Atom | bool) -> Atom:
        """Whether to leave: by a flag, or as it does not go on."""
        if goes_on is True:
            return flag
        ends: Atom = TRUE if goes_on is False else self.emit(operator.not_, goes_on, kind=K.BOOL)
        return ends if flag == FALSE else self.as_atom(self.choose(flag, lambda: TRUE, lambda: ends))

    # -- what is run --

    def run_generator(self, generator: IterV, consume: Consume) -> None:
        """Lower the body of a generator function, for a consumer of what it yields."""
        assert isinstance(generator, GeneratorV) and generator.frame is not None
        node = generator.node
        self.check_generator(node)
        frame = dataclasses.replace(generator.frame, loops=[], serial=next(SERIALS))
        for name, value in generator.given:
            self.write((frame, name), value)
        for name in ("$exit", "$ret"):
            self.write((frame, name), FALSE)
        self.write((frame, "$value"), UNDEF)
        origin = self.origin
        self.consumers[frame] = consume
        self.active_calls.append(node)
        self.frames.append(frame)
        try:
            self.statements(node.body)
        finally:
            self.frames.pop()
            self.active_calls.pop()
            self.origin = origin

    def check_generator(self, node: Any) -> None:
        """Refuse generators that call themselves, or are left in the middle of what does something at its end."""
        if any(n is node for n in self.active_calls):
            raise self.unsupported("a generator that calls itself is not handled.", "Make a list of what it yields.")
        if self.drawing and any(isinstance(n, gast.While) for n in own_nodes(node)):
            raise self.unsupported(
                f"`{node.name}` may have no end, and here all that it yields is asked for at once.",
                "Loop over it by itself, or make a list of what it yields.",
            )

    def run_expression(self, generator: IterV, consume: Consume) -> None:
        """Lower the loops of a generator expression, for a consumer of what it gives."""
        assert isinstance(generator, GeneratorV) and generator.frame is not None
        node, base = generator.node, len(self.frames) + 1

        def give(out: Any, item: AVal) -> None:
            inner = self.frames[base:]
            self.leave(inner, consume(item))

        self.frames.append(generator.frame)
        try:
            self.gathered(node, [node.elt], Gathered(give, out=generator), generator.parts[0])
        finally:
            self.frames.pop()

    def leave(self, frames: list[Frame], flag: Atom) -> None:
        """Leave the loops of some frames where a flag says so."""
        if flag == FALSE:
            return
        for frame in frames:
            for name in ("$ret", "$exit"):
                self.write((frame, name), flag)
            for loop in frame.loops:
                self.write((loop, "$break"), flag)

    def yielded(self, node: Any) -> None:
        """``yield item`` and ``yield from items``, where nothing is made of their values."""
        frame = self.frame

        def give(item: AVal) -> None:
            origin = self.origin
            own = self.active_calls.pop()  # what consumes it may go through the same generator
            try:
                self.leave([frame], self.consumers[frame](item))
            finally:
                self.active_calls.append(own)
                self.origin = origin

        if isinstance(node, gast.Yield):
            give(Const(None) if node.value is None else self.expr(node.value))
            return
        name = gast.Name(id="$yielded", ctx=gast.Store(), annotation=None, type_comment=None)
        items = self.iteration(self.expr(node.value))
        self.for_each(node, items, name, lambda: give(self.value_at((frame, name.id))), [], [])

    def streamed(self, frame: Frame, loop: Any, stream: Stream, target: Any, body: Any) -> None:
        """Lower a loop over a stream."""

        def consume(item: AVal) -> Atom:
            self.frames.append(frame)
            try:
                self.write((loop, "$break"), FALSE)
                self.assign(target, item)
                body()
                return self.end_of_iteration(frame, loop)
            finally:
                self.frames.pop()

        stream(consume)

    # -- next --

    def first_of(self, source: AVal, default: AVal | None) -> AVal:
        """``next(source, default)`` of an iterator that nothing else is asked of."""
        item, found = (object(), "first"), (object(), "found")
        self.write(item, UNDEF)
        self.write(found, FALSE)
        name = gast.Name(id="$first", ctx=gast.Store(), annotation=None, type_comment=None)
        with self.comprehension_frame([gast.comprehension(target=name, iter=None, ifs=[], is_async=0)]):
            frame = self.frame

            def take() -> None:
                self.write(item, self.value_at((frame, name.id)))
                self.write(found, TRUE)
                self.leave([frame], TRUE)

            self.for_each(self.origin, self.iteration(source), name, take, [], [])
        value, there = self.value_at(item), self.truth(self.value_at(found))
        if there is True:
            return value
        if default is not None:
            return default if there is False else self.choose(there, lambda: value, lambda: default)

        def complain() -> None:
            self.effect(prims.raise_, self.emit(StopIteration, kind=K.Other(StopIteration)))

        if there is False:
            complain()
        else:
            self.branch(there, lambda: None, complain)
        return value
