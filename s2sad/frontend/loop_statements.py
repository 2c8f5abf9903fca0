"""Lowering of ``for`` and ``while``, and of what leaves them."""

from __future__ import annotations

import sys
from typing import Any

import gast

from s2sad.frontend.builder import FALSE, TRUE, Place, Restart
from s2sad.frontend.counted import are_many, as_counted
from s2sad.frontend.displays import stars_in
from s2sad.frontend.interface import Lowering
from s2sad.frontend.last_reads import last_reads
from s2sad.frontend.object_lists import object_lists
from s2sad.frontend.scope import loop_names
from s2sad.frontend.texts import has_few, nodes_in, spelt_out, with_known_bounds
from s2sad.frontend.values import MOST_SPELT_OUT, AVal, Frame, Reader, TupleV
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Const, For, Stmt, Var, While

__all__ = ["Leave", "LoopStatements"]


def _leaves(body: list[Any]) -> bool:
    """Whether a loop may be left before its end."""
    return any(isinstance(n, gast.Break | gast.Continue | gast.Return) for n in nodes_in(body, ()))


class LoopStatements(Lowering):
    """The part of the lowerer that deals with loops."""

    # -- exits --

    def stmt_Return(self, node: Any) -> None:
        frame = self.frame
        value = Const(None) if node.value is None else self.expr(node.value, frame.returned)
        self.write((frame, "$value"), value)
        self.write((frame, "$ret"), TRUE)
        self.write((frame, "$exit"), TRUE)
        for loop in frame.loops:
            self.write((loop, "$break"), TRUE)

    def stmt_Break(self, node: Any) -> None:
        self.write((self.frame.loops[-1], "$break"), TRUE)
        self.write((self.frame, "$exit"), TRUE)

    def stmt_Continue(self, node: Any) -> None:
        self.write((self.frame, "$exit"), TRUE)

    def stmt_Leave(self, node: Any) -> None:
        """The end of a loop by its test: unlike ``break`` it lets ``else`` run."""
        self.write((self.frame.loops[-1], "$break"), TRUE)
        self.write((self.frame.loops[-1], "$left"), TRUE)
        self.write((self.frame, "$exit"), TRUE)

    # -- for --

    def stmt_For(self, node: Any) -> None:
        source = self.loop_source(node)
        items = with_known_bounds(self, self.turns_of(node, source), node.target, node.body)
        if has_few(items):
            self.few.add(id(node))
        if not _leaves(node.body) or id(node) in self.spelt_out:
            items = spelt_out(items, node.target, node.body, id(node) in self.spelt_out)
        held = [(xs, len(self.held_by(xs).items)) for xs in object_lists(source)]
        self.for_each(
            node,
            items,
            node.target,
            lambda: self.body_of(node, source, items),
            loop_names(node),
            node.orelse,
        )
        if any(len(self.held_by(xs).items) != length for xs, length in held):
            raise self.changed_within_loop()

    def loop_source(self, node: Any) -> AVal:
        """What a loop goes over: a short list that is written there as a tuple, where the loop is to be spelt out."""
        match node.iter:
            case gast.List(elts=elts) if len(elts) <= MOST_SPELT_OUT and not stars_in(elts):
                self.few.add(id(node))
                if id(node) in self.spelt_out:
                    return TupleV(tuple(self.elements(elts)))
        return self.looped_over(node.iter)

    def turns_of(self, node: Any, source: AVal) -> Any:
        """How to loop over a value, in a loop that was found to be better not spelt out."""
        counted = as_counted(source) if id(node) in self.not_spelt_out - self.spelt_out else None
        if counted is None:
            return self.turns(source)
        self.few.add(id(node))
        return self.iteration_by_place(counted)

    def body_of(self, node: Any, source: AVal, items: Any) -> None:
        """Lower an iteration; start anew with the loop as it is, where spelling it out comes to much."""
        start = len(self.stmts)
        self.statements(node.body)
        if not isinstance(items, list) or id(node) in self.spelt_out or as_counted(source) is None:
            return
        if are_many(self.stmts[start:], len(items)):
            self.not_spelt_out.add(id(node))
            raise Restart

    def for_each(
        self, node: Any, items: Any, target: Any, body: Any, names: list[str], orelse: list[Any], fixed: bool = False
    ) -> None:
        """Lower a loop over what :meth:`iteration` describes; ``fixed`` for as many items as there are before it."""
        frame = self.frame
        loop = object()
        self.write((loop, "$break"), FALSE)
        frame.loops.append(loop)
        origin = self.origin
        if isinstance(items, list):
            self.unrolled(frame, loop, items, target, body)
        elif callable(items):
            self.seeds(names)
            self.streamed(frame, loop, items, target, body)
        else:
            start, stop, step, item = items
            if self.drawing and stop == Const(sys.maxsize):
                raise self.unsupported("this has no end, and all of it is asked for here.", "Loop over it by itself.")
            index = Var(target.id if isinstance(target, gast.Name) and item is None else "k", K.INT)

            def one() -> Atom:
                self.write((loop, "$break"), FALSE)
                self.assign(target, index if item is None else item(index))
                body()
                return self.end_of_iteration(frame, loop)

            def make(params: Any, inits: Any, block: Block, results: Any, has_exit: bool) -> Stmt:
                return For(index, start, stop, step, params, inits, block, results, has_exit, origin)

            self.loop(make, one, self.seeds(names), node, gone=self.gone_between_rounds(node))
            if item is not None and not fixed:
                self.iterations.add(index)
        self.finish_loop(frame, loop, orelse)

    def seeds(self, names: list[str]) -> list[Any]:
        """Places that a loop which assigns these names may carry."""
        places = [self.place_of(n) for n in names]
        self.watched.update(places)
        return places

    def gone_between_rounds(self, node: Any) -> frozenset[Place]:
        """The places of names that nothing reads once a round of a loop is done."""
        source = self.frame.source
        names = frozenset() if source is None else last_reads(source.node).between_rounds.get(id(node), frozenset())
        return frozenset((self.frame, name) for name in names)

    def unrolled(self, frame: Frame, loop: Any, items: list[Reader], target: Any, body: Any) -> None:
        """Lower a loop over a compile-time sequence, one item after the other."""
        for k, read in enumerate(items, 1):
            self.assign(target, read())
            body()
            flag = self.end_of_iteration(frame, loop)
            if flag == TRUE:
                return
            if flag != FALSE:
                rest = items[k:]
                self.branch(flag, lambda: None, lambda: self.unrolled(frame, loop, rest, target, body))  # noqa: B023
                return

    def end_of_iteration(self, frame: Frame, loop: Any) -> Atom:
        """The exit flag of the loop after its body; the frame goes on."""
        self.write((frame, "$exit"), FALSE)
        flag = self.read((loop, "$break"))
        return flag  # type: ignore[return-value]

    def finish_loop(self, frame: Frame, loop: Any, orelse: list[Any]) -> None:
        """What follows a loop: its ``else`` where it was not broken out of; a return where there was one."""
        frame.loops.pop()
        broken = self.read((loop, "$break"))
        self.write((frame, "$exit"), self.read((frame, "$ret")))  # type: ignore[arg-type]
        left = self.read((loop, "$left"))
        if left is not None and orelse:
            # the loop ends by its test or by a break: the flag tells which
            self.branch(left, lambda: self.statements(orelse), lambda: None)  # type: ignore[arg-type]
            return
        if not orelse or broken == TRUE:
            return
        if broken == FALSE:
            self.statements(orelse)
        else:
            self.branch(broken, lambda: None, lambda: self.statements(orelse))  # type: ignore[arg-type]

    # -- while --

    def stmt_While(self, node: Any) -> None:
        gone = self.gone_between_rounds(node)
        if any(isinstance(n, gast.NamedExpr | gast.Call) for n in gast.walk(node.test)):
            node = self.with_test_inside(node)
        frame = self.frame
        loop = object()
        self.write((loop, "$break"), FALSE)
        if isinstance(node.body[0], gast.If) and node.body[0].orelse and isinstance(node.body[0].orelse[0], Leave):
            self.write((loop, "$left"), FALSE)
        frame.loops.append(loop)
        origin = self.origin
        self.tested.add(id(node))
        if id(node) in self.spelt_out:
            self.unrolled_while(frame, loop, node, MOST_SPELT_OUT)
            self.finish_loop(frame, loop, node.orelse)
            return
        test: list[Any] = []

        def before() -> None:
            self.write((loop, "$break"), FALSE)
            with self.block() as stmts:
                self.origin = self.here(node.test)
                cond = self.condition(node.test)
            test[:] = [Block(tuple(stmts), (Const(cond) if isinstance(cond, bool) else cond,))]

        def one() -> Atom:
            self.statements(node.body)
            return self.end_of_iteration(frame, loop)

        def make(params: Any, inits: Any, block: Block, results: Any, has_exit: bool) -> Stmt:
            return While(params, inits, test[0], block, results, has_exit, origin)

        self.loop(make, one, self.seeds(loop_names(node)), node, before, gone)
        self.finish_loop(frame, loop, node.orelse)

    def unrolled_while(self, frame: Frame, loop: Any, node: Any, most: int) -> None:
        """Lower a loop one iteration after the other, as long as its test is known, and holds."""
        cond = self.condition(node.test)
        if cond is False:
            return
        if cond is not True or not most:
            self.try_rows_of_all()
            raise self.unsupported(
                "this loop goes from object to object, and how often it runs is not known here.",
                f"Loop over a tuple, or a range of up to {MOST_SPELT_OUT} that is known while compiling.",
            )
        self.statements(node.body)
        flag = self.end_of_iteration(frame, loop)
        if flag == FALSE:
            self.unrolled_while(frame, loop, node, most - 1)
        elif flag != TRUE:
            self.branch(flag, lambda: None, lambda: self.unrolled_while(frame, loop, node, most - 1))

    def with_test_inside(self, node: Any) -> Any:
        """``while test: body`` as ``while True: if test: body, else: leave``; the test may bind and call.

        Made once per loop, for what is known of a loop is kept under its node.
        """
        made = self.rewritten.get(id(node))
        if made is None:
            leave = gast.copy_location(Leave(), node.test)
            body = gast.If(test=node.test, body=node.body, orelse=[leave])
            gast.copy_location(body, node)
            true = gast.copy_location(gast.Constant(value=True, kind=None), node.test)
            made = gast.While(test=true, body=[body], orelse=node.orelse)
            gast.copy_location(made, node)
            self.rewritten[id(node)] = made
        return made


class Leave(gast.AST):  # type: ignore[misc]
    """Leaving a loop because its test failed."""

    _fields = ()
    _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")
