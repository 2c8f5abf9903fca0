"""Parameters of a compiled function that may share memory.

Before::

    def f_pullback_compiled(by: float64[1], b_tape: list[float64[1]]):
        ...

After, where what the tape holds may be ``by``::

    def f_pullback_compiled(by, b_tape):
        together(by, b_tape)
        ...

Whatever is cut out of a derivative to be compiled gets its surroundings as parameters, and passes take it that what is
passed under two names is two things. The statement says otherwise: for analyses it is a call of which nothing is known.
What compiled code returns has lost what it shares, too, and gets it back (:func:`rejoined`): a pullback copies what it
is going to change, and what shares memory with that.

Requires: an analysis of the derivative before it was parted.
Ensures: the statement is gone when :func:`forget` has run.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from typing import Any

from s2sad.analysis.memory import Class, Memory
from s2sad.compiled.crossing import one_memory
from s2sad.ir.kinds import Tuple
from s2sad.ir.nodes import Const, Function, Op, Stmt, Var
from s2sad.ir.prims import make_tuple
from s2sad.ir.rewrite import map_stmts, with_body

__all__ = ["forget", "rejoined", "sharing", "together"]


def together(*objects: Any) -> None:
    """Says that objects may share memory; it does nothing."""


def sharing(memory: Memory, captured: Iterable[Var], changed: Set[Class]) -> Iterator[tuple[Var, ...]]:
    """The variables among these that may lead to one object, where that is among what is changed."""
    groups: list[tuple[set[Any], list[Var]]] = []
    for v in captured:
        classes, members = set(memory.reachable(v)), [v]
        if not classes:
            continue
        for group in [g for g in groups if not g[0].isdisjoint(classes)]:
            groups.remove(group)
            classes |= group[0]
            members = [*group[1], *members]
        groups.append((classes, members))
    for classes, members in groups:
        if len(members) > 1 and not classes.isdisjoint(changed):
            yield tuple(members)


def rejoined(calls: list[Stmt], groups: Iterable[tuple[Var, ...]]) -> list[Stmt]:
    """Statements that receive results, those that may share memory made to share it for all to see."""
    for group in groups:
        raw: dict[Var, Var] = {v: Var(v.hint, v.kind) for v in group}
        kind = Tuple(tuple(v.kind for v in group))
        given, shared = Var("", kind), Var("", kind)
        calls = [replace(s, target=raw.get(s.target, s.target)) if isinstance(s, Op) and s.target else s for s in calls]
        calls += [Op(given, make_tuple, tuple(raw.values())), Op(shared, one_memory, (given,))]
        calls += [Op(v, operator.getitem, (shared, Const(k))) for k, v in enumerate(group)]
    return calls


def forget(function: Function) -> Function:
    """The function without statements of this kind."""
    body = map_stmts(function.body, lambda s: [] if isinstance(s, Op) and s.fn is together else s)
    return with_body(function, body)
