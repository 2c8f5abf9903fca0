"""Lowered functions, kept for a while: the derivatives of a function in several modes are made from one lowering.

What a kept lowering relied on is looked at before it is used again: the kinds of what it read outside, as entries of
variants do, the functions whose source it read, and the rules there were.
"""

from __future__ import annotations

import operator
import types
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from s2sad.analysis.counting import counting
from s2sad.errors import NeedsRows, S2sadError
from s2sad.frontend.lower import Lowered, lower
from s2sad.frontend.parse import note_parsed, watched
from s2sad.frontend.places import HeldItems
from s2sad.frontend.specs import Place, Spec
from s2sad.guards import outside_reads, still_fit
from s2sad.inlining import Read
from s2sad.rules.table import COMPLEX, RULES, Rule
from s2sad.transform.assemble import settled

__all__ = ["counting_places", "lowered", "with_rows"]

_T = TypeVar("_T")

_MAX_KEPT = 16  # each holds the IR of a function, and what the function refers to


@dataclass(frozen=True)
class _Kept:
    """A lowering of ``fn``, and what it relied on."""

    fn: Any  # held, so that nothing else has its identity
    lowered: Lowered | None  # None for one that was refused
    reads: tuple[Read, ...]
    parsed: dict[types.FunctionType, tuple[Any, ...]]
    rules: tuple[dict[Any, Rule], ...]

    def is_current(self) -> bool:
        """Whether the function would be lowered to the same again."""
        return (
            still_fit(self.reads)
            and all(_is_as_it_was(function, then) for function, then in self.parsed.items())
            and self.rules == (RULES, COMPLEX)
        )


_known: OrderedDict[tuple[Any, ...], _Kept] = OrderedDict()


def lowered(fn: Any, specs: tuple[Spec | None, ...] | None, rows: frozenset[type] = frozenset()) -> Lowered:
    """``fn`` lowered for arguments of these specs, perhaps before, in the form that all derivatives begin with.

    Objects of the classes ``rows`` are rows of lists from the start (:mod:`s2sad.frontend.rows`). Lowered functions are
    frozen, and passes change nothing that they are given. Raises :class:`~s2sad.errors.UnsupportedSyntax` where the
    function uses what s2sad does not handle.
    """
    found = _kept((id(fn), specs, rows), fn, lambda: settled(lower(fn, specs, rows=rows)))
    assert found is not None
    return found


def with_rows(derive: Callable[[frozenset[type]], _T], rows: frozenset[type] = frozenset()) -> _T:
    """What ``derive`` gives of a function, with objects of those classes as rows that are refused as records."""
    try:
        return derive(rows)
    except NeedsRows as refused:
        if refused.classes <= rows:
            raise
        try:
            return with_rows(derive, rows | refused.classes)
        except S2sadError:
            raise refused from None


def counting_places(fn: Any, specs: tuple[Spec, ...]) -> frozenset[Place]:
    """Where there are integers in arguments of these specs that count (:mod:`s2sad.analysis.counting`).

    A function that is refused for integers is left to be tried with floats.
    """

    def make() -> Lowered | None:
        try:
            return lower(fn, specs)
        except S2sadError:
            return None

    found = _kept((id(fn), "counting", specs), fn, make)
    return frozenset() if found is None else counting(found.function)


def _kept(key: tuple[Any, ...], fn: Any, make: Callable[[], Lowered | None]) -> Lowered | None:
    """What ``make`` gives, or gave before."""
    kept = _known.pop(key, None)
    if kept is None or not kept.is_current():
        kept = _lower(fn, make)
    else:
        note_parsed(kept.parsed)
    _known[key] = kept
    while len(_known) > _MAX_KEPT:
        _known.popitem(last=False)
    return kept.lowered


def _lower(fn: Any, make: Callable[[], Lowered | None]) -> _Kept:
    with watched() as parsed:
        found = make()
    reads = () if found is None else outside_reads(found.refs)
    return _Kept(fn, found, reads, {f: _definition(f) for f in parsed}, (dict(RULES), dict(COMPLEX)))


def _definition(function: types.FunctionType) -> tuple[Any, ...]:
    """What may be assigned to a function: its code and its defaults."""
    return function.__code__, function.__defaults__, HeldItems(function.__kwdefaults__ or {})


def _is_as_it_was(function: types.FunctionType, then: tuple[Any, ...]) -> bool:
    *now, held = _definition(function)
    return held == then[-1] and all(map(operator.is_, now, then))
