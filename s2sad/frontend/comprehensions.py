"""Lowering of comprehensions, and of loops that builtins stand for."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import gast

from s2sad.frontend.interface import Lowering
from s2sad.frontend.scope import assigned_names, walrus_names
from s2sad.frontend.values import (
    AVal,
    DictV,
    Frame,
    RangeV,
    SliceV,
    TupleV,
)
from s2sad.ir.nodes import Atom, Const, Var

__all__ = ["Comprehensions"]


#: What is summed up by an operator, and what it begins with.
_FOLDS: dict[Any, tuple[Any, int]] = {sum: (operator.add, 0), math.prod: (operator.mul, 1)}
_TOTAL = "$total"  #: no name of a program


class Comprehensions(Lowering):
    """The part of the lowerer that deals with comprehensions."""

    def expr_ListComp(self, node: Any, hint: str) -> AVal:
        return self.comprehension(node, hint)

    def expr_SetComp(self, node: Any, hint: str) -> AVal:
        return self.make_set(self.constant_comprehension(node))

    def constant_comprehension(self, node: Any) -> list[AVal] | None:
        """The items of a comprehension over a sequence known while compiling, by tests known too; or None."""
        if len(node.generators) != 1:
            return None
        (g,) = node.generators
        source = self.expr(g.iter)
        known = self.static_readers(source)
        match source:
            case RangeV(Const(start), Const(stop), Const(step)):
                known = [partial(Const, k) for k in range(start, stop, step)]
        results: list[AVal] = []
        with self.comprehension_frame([g]):
            for read in known or ():
                self.assign(g.target, read())
                tests = [self.condition(test) for test in g.ifs]
                if all(test is True for test in tests):
                    results.append(self.expr(node.elt))
                elif not any(test is False for test in tests):
                    return None
        return None if known is None else results

    def expr_GeneratorExp(self, node: Any, hint: str) -> AVal:
        if id(node) not in self.at_once:
            raise self.unsupported(
                "this generator is kept: it is evaluated only where its items are asked for.",
                "Write a list, `[... for ...]`, or pass the generator on at once.",
            )
        return self.comprehension(node, hint)

    def comprehension(self, node: Any, hint: str) -> AVal:
        """A list comprehension: a loop that appends; a tuple where every item is known apart."""
        static = self.static_comprehension(node)
        if static is not None:
            return self.make_list(static, hint, node)
        out = self.new_list([], hint, node)
        self.generators(node.generators, lambda: self.append(out, self.expr(node.elt)), walrus_names(node))
        return out

    def generators(self, generators: list[Any], innermost: Any, outer: list[str]) -> None:
        """Run ``innermost`` for all that the generators give; ``outer`` are the names that it binds around them."""
        if not generators:
            innermost()
            return
        g = generators[0]
        items = self.iteration(self.expr(g.iter))  # in the scope around: its names may be those of the targets
        with self.comprehension_frame([g]):
            self.for_each(
                g,
                items,
                g.target,
                lambda: self.guarded(g.ifs, lambda: self.generators(generators[1:], innermost, outer)),
                [*assigned_names([g.target]), *outer],
                [],
            )

    def guarded(self, tests: list[Any], then: Any) -> None:
        if not tests:
            then()
            return
        cond = self.condition(tests[0])
        if isinstance(cond, bool):
            if cond:
                self.guarded(tests[1:], then)
            return
        self.branch(cond, lambda: self.guarded(tests[1:], then), lambda: None)

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

    def static_comprehension(self, node: Any) -> list[AVal] | None:
        """The items of a comprehension over a compile-time sequence without conditions, or None."""
        if len(node.generators) != 1 or node.generators[0].ifs:
            return None
        g = node.generators[0]
        if not isinstance(g.iter, gast.Tuple | gast.Name | gast.Call | gast.Attribute):
            return None
        if not self.is_static_iterable(g.iter):
            return None
        items = self.iteration(self.expr(g.iter))
        if not isinstance(items, list):
            return None
        results: list[AVal] = []
        with self.comprehension_frame([g]):
            for read in items:
                self.assign(g.target, read())
                results.append(self.expr(node.elt))
        return results

    def is_static_iterable(self, node: Any) -> bool:
        """Whether iterating this expression is unrolled: judged without evaluating it twice."""
        match node:
            case gast.Name(id=name):
                return isinstance(self.lookup(name), TupleV | DictV)
            case gast.Tuple():
                return True
            case gast.Call(func=gast.Name(id="zip" | "enumerate" | "reversed"), args=args):
                return any(self.is_static_iterable(a) for a in args)
            case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr="items" | "keys" | "values")):
                return isinstance(self.lookup(name), DictV)
        return False

    def expr_DictComp(self, node: Any, hint: str) -> AVal:
        g = node.generators[0]
        if len(node.generators) == 1 and not g.ifs and self.is_static_iterable(g.iter):
            items = self.iteration(self.expr(g.iter))
            if isinstance(items, list):
                pairs: list[tuple[AVal, AVal]] = []
                with self.comprehension_frame([g]):
                    for read in items:
                        self.assign(g.target, read())
                        pairs.append((self.expr(node.key), self.expr(node.value)))
                return self.fresh_dict(pairs, hint, node)
        out = self.runtime_dict([], hint, node)
        put = partial(self.comprehended_item, out, node)
        self.generators(node.generators, put, walrus_names(node))
        return out

    def comprehended_item(self, out: Var, node: Any) -> None:
        self.put_item(out, self.expr(node.key), self.expr(node.value))

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

    def fold_of_comprehension(self, fn: Any, node: Any) -> AVal | None:
        """The sum or the product of what a comprehension gives, which makes no list; None of any other call."""
        match node:
            case gast.Call(args=[gast.GeneratorExp() | gast.ListComp() as items, *rest], keywords=named) if (
                fn in _FOLDS and len(rest) + len(named) < 2 and all(k.arg == "start" for k in named)
            ):
                combine, first = _FOLDS[fn]
                given = [*rest, *(k.value for k in named)]
                if any(isinstance(a, gast.Starred) for a in given):
                    return None
            case _:
                return None
        known = self.static_comprehension(items)
        start: AVal = self.expr(given[0]) if given else Const(first)
        if known is not None:
            for item in known:
                start = self.binary(combine, start, item)
            return start
        name = gast.Name(id=_TOTAL, ctx=gast.Store(), annotation=None, type_comment=None)
        with self.comprehension_frame([gast.comprehension(target=name, iter=None, ifs=[], is_async=0)]):
            place = (self.frame, _TOTAL)
            self.write(place, start)

            def step() -> None:
                item = self.expr(items.elt)  # it may bind names, and comes first
                self.write(place, self.binary(combine, self.value_at(place), item))

            self.generators(items.generators, step, [_TOTAL, *walrus_names(items)])
            return self.value_at(place)

    def extremum_of_list(self, compare: Any, atom: Atom) -> AVal:
        """``min(xs)`` or ``max(xs)``: the first of the best."""
        first = self.load(atom, Const(0))
        rest = self.load(atom, SliceV((Const(1), Const(None), Const(None))))

        def step(best: AVal, item: AVal) -> AVal:
            better = self.emit(compare, self.as_atom(item), self.as_atom(best))
            return self.choose(better, lambda: item, lambda: best)

        return self.fold(rest, first, step, "best")
