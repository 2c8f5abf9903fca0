"""Values that are one of several things: which one, only a run tells.

Of functions, and of members of enumerations, an integer tells which it is
(:class:`~s2sad.frontend.values.UnionV`). Of others nothing does (:class:`~s2sad.frontend.values.Conflict`): they may
be handed on, but whatever depends on what they are is refused.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable

import gast

from s2sad.frontend.interface import Lowering
from s2sad.frontend.options import joined, lasting_options, renumbered
from s2sad.frontend.values import AVal, FuncV, ObjectV, TupleV, UnionV, is_option, is_same_option
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const

__all__ = ["is_among", "of_each_option", "same_function"]


def of_each_option(lo: Lowering, union: UnionV, do: Callable[[FuncV | ObjectV], AVal]) -> AVal:
    """What is done with one of several functions or members, for each of them in a branch of its own."""

    def pick(k: int) -> AVal:
        if k == len(union.options) - 1:
            return do(union.options[k])
        chosen = lo.emit(operator.eq, union.selector, Const(k), kind=K.BOOL)
        return lo.choose(chosen, lambda: do(union.options[k]), lambda: pick(k + 1))

    return pick(0)


def is_among(lo: Lowering, item: AVal, container: AVal) -> AVal | None:
    """``item in container``, where the item is one of several functions or members, and a tuple or list holds such."""
    if not isinstance(item, UnionV) or not isinstance(container, TupleV) or not all(map(is_option, container.items)):
        return None
    found = [_is_chosen(lo, item, other) for other in container.items]
    if True in found:
        return Const(True)
    tests = [test for test in found if not isinstance(test, bool)]
    return functools.reduce(lambda x, y: lo.emit(operator.or_, x, y, kind=K.BOOL), tests) if tests else Const(False)


def same_function(lo: Lowering, op: object, a: AVal, b: AVal) -> AVal | None:
    """``a is b``, ``a == b`` and their negations, where one is one of several functions or members; None of others."""
    if isinstance(b, UnionV):
        a, b = b, a
    if not isinstance(a, UnionV) or not isinstance(op, gast.Is | gast.IsNot | gast.Eq | gast.NotEq):
        return None
    same = _is_chosen(lo, a, b)
    if isinstance(op, gast.Is | gast.Eq):
        return Const(same) if isinstance(same, bool) else same
    return Const(not same) if isinstance(same, bool) else lo.emit(operator.not_, same, kind=K.BOOL)


def _is_chosen(lo: Lowering, one: UnionV, other: AVal) -> Atom | bool:
    """Whether one of several functions is another function, or the same one of as many."""
    for option in (*one.options, other):
        if isinstance(option, ObjectV) and option.live is not None:
            lo.rely_on(option.live)
    if isinstance(other, UnionV):
        if lasting_options(one) and lasting_options(other):
            everything = joined(one.options, other.options)
            other = renumbered(lo, other, everything, lo.stmts)
            return lo.emit(operator.eq, one.selector, other.selector, kind=K.BOOL)
        if not _are_same(one, other) or len(set(one.options)) < len(one.options):
            raise lo.unsupported(
                "whether two names stand for one function is not known here.", "Compare what they were chosen by."
            )
        return lo.emit(operator.eq, one.selector, other.selector, kind=K.BOOL)
    if not is_option(other):
        return False
    places = [k for k, option in enumerate(one.options) if is_same_option(option, other)]
    if len(places) in (0, len(one.options)):
        return bool(places)
    tests = [lo.emit(operator.eq, one.selector, Const(k), kind=K.BOOL) for k in places]
    return functools.reduce(lambda x, y: lo.emit(operator.or_, x, y, kind=K.BOOL), tests)


def _are_same(one: UnionV, other: UnionV) -> bool:
    """Whether two are each one of the same, in the same order."""
    return len(one.options) == len(other.options) and all(map(is_same_option, one.options, other.options))
