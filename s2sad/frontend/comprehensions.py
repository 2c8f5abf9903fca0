"""Lowering of comprehensions, and of loops that builtins stand for."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import gast

from s2sad.frontend.builder import Restart
from s2sad.frontend.interface import Lowering
from s2sad.frontend.literals import site_key
from s2sad.frontend.scope import assigned_names, walrus_names
from s2sad.frontend.texts import has_few, spelt_out, with_known_bounds
from s2sad.frontend.values import (
    MOST_SPELT_OUT,
    AVal,
    Frame,
    GeneratorV,
    RangeV,
    SliceV,
    TupleV,
    is_atom,
    is_made_here,
)
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Var

__all__ = ["Comprehensions", "Gathered"]


#: What is summed up by an operator, and what it begins with.
_FOLDS: dict[Any, tuple[Any, int]] = {sum: (operator.add, 0), math.prod: (operator.mul, 1)}
_TOTAL = "$total"  #: no name of a program


@dataclass
class Gathered:
    """What a comprehension has given so far: items known apart, until a test or a loop is known only at run time.

    From then on they are put into a container, which ``make`` makes of those known before, by ``put``. A sum is there
    from the beginning. ``names`` are those that this binds.
    """

    put: Callable[[Any, Any], None]
    make: Callable[[list[Any]], Any] = list
    names: tuple[str, ...] = ()
    known: list[Any] = field(default_factory=list)
    out: Any = None

    def at_run_time(self) -> None:
        """Go on in a container: what follows is not done once, here and now."""
        if self.out is None:
            self.out = self.make(self.known)

    def add(self, item: Any) -> None:
        """Take the next item."""
        if self.out is None:
            self.known.append(item)
        else:
            self.put(self.out, item)


class Comprehensions(Lowering):
    """The part of the lowerer that deals with comprehensions."""

    def expr_ListComp(self, node: Any, hint: str) -> AVal:
        return self.comprehension(node, hint)

    def expr_SetComp(self, node: Any, hint: str) -> AVal:
        def at_run_time(items: list[AVal]) -> Var:
            self.make_set(None)
            raise AssertionError("a set that is not known is refused")

        return self.make_set(self.gathered(node, [node.elt], Gathered(self.append, at_run_time)).known)

    def expr_GeneratorExp(self, node: Any, hint: str) -> AVal:
        source = self.source_of(node, node.generators[0].iter)  # at once, in Python too
        if id(node) not in self.at_once:
            return GeneratorV("generated", (source,), node=node, frame=self.frame)
        start = len(self.stmts)
        out = self.comprehension(node, hint, source)
        if is_atom(out):
            self.note_early(out, start)
        return out

    def comprehension(self, node: Any, hint: str, source: AVal | None = None) -> AVal:
        """A list comprehension: a loop that appends, or a list as written down where every item is known apart."""

        def make(items: list[AVal]) -> Var:
            return self.new_list([self.as_atom(i) for i in items], hint, node)

        def put(out: Var, item: AVal) -> None:
            self.spell_out_next_time(node, item)
            self.append(out, item)

        source = self.source_of(node, node.generators[0].iter) if source is None else source
        found = self.gathered(node, [node.elt], Gathered(put, make), source)
        if found.out is not None and isinstance(source, Var):
            self.copied_from[found.out] = (source,)
        if found.out is None and id(node) in self.items_only:
            return TupleV(tuple(found.known))
        return self.make_list(found.known, hint, node) if found.out is None else found.out

    def expr_DictComp(self, node: Any, hint: str) -> AVal:
        def make(pairs: list[tuple[AVal, AVal]]) -> Var:
            return self.runtime_dict(pairs, hint, node)

        def put(out: Var, pair: tuple[AVal, AVal]) -> None:
            self.spell_out_next_time(node, pair[1])
            self.put_item(out, *pair)

        found = self.gathered(node, [node.key, node.value], Gathered(put, make))
        return self.fresh_dict(found.known, hint, node) if found.out is None else found.out

    def spell_out_next_time(self, node: Any, item: AVal) -> None:
        """Start anew where a comprehension gives functions or objects: a list made at run time cannot hold them."""
        if is_made_here(item) and id(node) not in self.spelt_out:
            self.spelt_out.add(id(node))
            raise Restart

    def gathered(self, node: Any, parts: list[Any], found: Gathered, source: AVal | None = None) -> Gathered:
        """Evaluate the ``parts`` of each item of a comprehension, which ``found`` takes.

        ``source`` is what the first generator goes over, if that has been evaluated.
        """

        def innermost() -> None:
            values = tuple(self.expr(part) for part in parts)
            found.add(values if len(parts) > 1 else values[0])

        first = self.source_of(node, node.generators[0].iter) if source is None else source
        self.generators(node, parts, node.generators, first, innermost, found)
        return found

    def generators(
        self, node: Any, parts: list[Any], generators: list[Any], source: AVal, innermost: Any, found: Gathered
    ) -> None:
        """Run ``innermost`` for all that the generators give, the first of which goes over ``source``.

        That is evaluated in the scope around: its names may be those of the targets.
        """
        g, *inner = generators

        def each() -> None:
            if inner:
                self.generators(node, parts, inner, self.source_of(node, inner[0].iter), innermost, found)
            else:
                innermost()

        body = [*parts, *g.ifs, *inner]
        makes_list = isinstance(node, gast.ListComp) and id(node) not in self.items_only
        turns = self.turns(source) if makes_list else self.iteration(source)
        items = with_known_bounds(self, turns, g.target, body)
        if has_few(items):
            self.few.add(id(g))
        whatever = isinstance(node, gast.SetComp) or not self.spelt_out.isdisjoint((id(node), id(g)))
        items = spelt_out(items, g.target, body, whatever)
        if not isinstance(items, list):
            found.at_run_time()
        with self.comprehension_frame([g]):
            self.for_each(
                g,
                items,
                g.target,
                lambda: self.guarded(g.ifs, each, found),
                [*assigned_names([g.target]), *walrus_names(node), *found.names],
                [],
            )

    def source_of(self, node: Any, source: Any) -> AVal:
        """What a comprehension goes over: a tuple where only items are seen, and few of them or a tuple's."""
        seen_by_item = id(node) in self.items_only or site_key(node) in self.shape_sites
        if not seen_by_item or len(node.generators) > 1:
            return self.looped_over(source)
        if isinstance(source, gast.List) and not any(isinstance(e, gast.Starred) for e in source.elts):
            return TupleV(tuple(self.elements(source.elts)))
        value = self.looped_over(source)
        match value:
            case RangeV(Const(int(start)), Const(int(stop)), Const(int(step))):
                indices = range(start, stop, step)
                return TupleV(tuple(map(Const, indices))) if len(indices) <= MOST_SPELT_OUT else value
            case Var(kind=K.Tuple()) if (items := self.known_items(value)) is not None:
                return TupleV(tuple(items))
        return value

    def guarded(self, tests: list[Any], then: Any, found: Gathered) -> None:
        if not tests:
            then()
            return
        cond = self.condition(tests[0])
        if isinstance(cond, bool):
            if cond:
                self.guarded(tests[1:], then, found)
            return
        found.at_run_time()
        self.branch(cond, lambda: self.guarded(tests[1:], then, found), lambda: None)

    @contextmanager
    def comprehension_frame(self, generators: list[Any]) -> Iterator[None]:
        """A scope of its own for the targets of a comprehension."""
        names = frozenset(assigned_names([g.target for g in generators]))
        outer = self.frame
        frame = Frame("<comprehension>", outer.source, outer.globals, {}, outer, names, owner=outer.owner)
        for name in ("$exit", "$ret"):
            self.write((frame, name), Const(False))
        self.frames.append(frame)
        try:
            yield
        finally:
            self.frames.pop()

    # -- loops of builtins --

    def each(self, source: AVal, do: Any) -> None:
        """Run ``do`` on every item of an iterable, in a loop or unrolled."""
        items = self.iteration(source)
        if isinstance(items, list):
            for read in items:
                do(read())
            return
        target = gast.Name(id="$item", ctx=gast.Store(), annotation=None, type_comment=None)
        with self.comprehension_frame([gast.comprehension(target=target, iter=None, ifs=[], is_async=0)]):
            self.for_each(self.origin, items, target, lambda: do(self.lookup("$item")), [], [], fixed=True)

    def fold(self, source: AVal, start: AVal, step: Any, hint: str) -> AVal:
        """``functools.reduce(step, source, start)``"""
        items = self.iteration(source)
        if isinstance(items, list):
            acc = start
            for read in items:
                acc = step(acc, read())
            return acc
        names = [gast.Name(id=n, ctx=gast.Store(), annotation=None, type_comment=None) for n in ("$item", hint)]
        generators = [gast.comprehension(target=n, iter=None, ifs=[], is_async=0) for n in names]
        with self.comprehension_frame(generators):
            place = (self.frame, hint)
            self.write(place, start)
            self.for_each(
                self.origin,
                items,
                names[0],
                lambda: self.write(place, step(self.read(place), self.lookup("$item"))),
                [hint],
                [],
            )
            return self.value_at(place)

    def joined_tuples(self, fn: Any, node: Any) -> AVal | None:
        """``sum(tuples, ())``, of tuples that are given one by one there; None of any other call."""
        match node:
            case gast.Call(args=[items, gast.Tuple() as start], keywords=[]) if fn is sum:
                pass
            case gast.Call(args=[items], keywords=[gast.keyword(arg="start", value=gast.Tuple() as start)]) if (
                fn is sum
            ):
                pass
            case _:
                return None
        self.items_only.add(id(items))
        match items:
            case gast.List(elts=elts) if not any(isinstance(e, gast.Starred) for e in elts):
                source: AVal = TupleV(tuple(self.elements(elts)))
            case gast.GeneratorExp() | gast.ListComp():
                source = self.comprehension(items, "")
            case _:
                source = self.expr(items)
        found = self.static_items(source)
        if found is None:
            raise self.unsupported(
                "`sum` of tuples is handled where it is known when compiled how many there are.",
                "Join lists instead: `sum(lists, [])`.",
            )
        total = self.expr(start)
        for item in found:
            total = self.binary(operator.add, total, item)
        return total

    def fold_of_comprehension(self, fn: Any, node: Any) -> AVal | None:
        """The sum or the product of what a generator gives, added up item by item; None of any other call.

        The items of a list are all there before the first is added: they may be one array, changed by each of them.
        """
        match node:
            case gast.Call(args=[gast.GeneratorExp() as items, *rest], keywords=named) if (
                fn in _FOLDS and len(rest) + len(named) < 2 and all(k.arg == "start" for k in named)
            ):
                combine, first = _FOLDS[fn]
                given = [*rest, *(k.value for k in named)]
                if any(isinstance(a, gast.Starred) for a in given):
                    return None
            case _:
                return None
        source = self.source_of(items, items.generators[0].iter)
        start: AVal = self.expr(given[0]) if given else Const(first)
        name = gast.Name(id=_TOTAL, ctx=gast.Store(), annotation=None, type_comment=None)
        with self.comprehension_frame([gast.comprehension(target=name, iter=None, ifs=[], is_async=0)]):
            place = (self.frame, _TOTAL)
            self.write(place, start)

            def add(place: Any, item: AVal) -> None:
                self.write(place, self.binary(combine, self.value_at(place), item))

            self.gathered(items, [items.elt], Gathered(put=add, names=(_TOTAL,), out=place), source)
            return self.value_at(place)

    def extremum_of_list(self, compare: Any, atom: Atom) -> AVal:
        """``min(xs)`` or ``max(xs)``: the first of the best."""
        first = self.load(atom, Const(0))
        rest = self.load(atom, SliceV((Const(1), Const(None), Const(None))))

        def step(best: AVal, item: AVal) -> AVal:
            better = self.emit(compare, self.as_atom(item), self.as_atom(best))
            return self.choose(better, lambda: item, lambda: best)

        return self.fold(rest, first, step, "best")
