"""Values that are one of several things: which one, only a run tells.

Of functions, an integer tells which it is (:class:`~s2sad.frontend.values.UnionV`). Of others nothing does
(:class:`~s2sad.frontend.values.Conflict`): they may be handed on, but whatever depends on what they are is refused.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable

import gast

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, FuncV, UnionV
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const

__all__ = ["of_each_option", "same_function"]


def of_each_option(lo: Lowering, union: UnionV, do: Callable[[FuncV], AVal]) -> AVal:
    """What is done with one of several functions, for each of them in a branch of its own."""

    def pick(k: int) -> AVal:
        if k == len(union.options) - 1:
            return do(union.options[k])
        chosen = lo.emit(operator.eq, union.selector, Const(k), kind=K.BOOL)
        return lo.choose(chosen, lambda: do(union.options[k]), lambda: pick(k + 1))

    return pick(0)


def same_function(lo: Lowering, op: object, a: AVal, b: AVal) -> AVal | None:
    """``a is b``, ``a == b`` and their negations, where one is one of several functions; None of other values."""
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
    if isinstance(other, UnionV):
        if other.options != one.options or len(set(one.options)) < len(one.options):
            raise lo.unsupported(
                "whether two names stand for one function is not known here.", "Compare what they were chosen by."
            )
        return lo.emit(operator.eq, one.selector, other.selector, kind=K.BOOL)
    if not isinstance(other, FuncV):
        return False
    places = [k for k, option in enumerate(one.options) if option == other]
    if len(places) in (0, len(one.options)):
        return bool(places)
    tests = [lo.emit(operator.eq, one.selector, Const(k), kind=K.BOOL) for k in places]
    return functools.reduce(lambda x, y: lo.emit(operator.or_, x, y, kind=K.BOOL), tests)
