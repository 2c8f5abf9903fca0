"""Questions before what may be None is used, in a function and in those that it calls.

What a recursive function is given, and what it gives, may be None in one call and not in another: it is asked where it
is of some call. So the functions are gone through until nothing is new of what passes between them.

Requires: the three-address form of a function, before it is differentiated; its callees are not yet either.
Ensures: as :mod:`s2sad.transform.absent`, of all of them; callees are given their new bodies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from s2sad.analysis.effects import is_pure
from s2sad.ir.nodes import Callee, Function, Op, Var
from s2sad.ir.rewrite import walk
from s2sad.transform.absent import Asked, ask
from s2sad.transform.callees import named_by

__all__ = ["ask_for_none", "called", "given_as_none", "note_what_raises"]


def ask_for_none(function: Function, derived: Set[Var] = frozenset()) -> Function:
    """The function with questions before what may be None is used; ``derived`` are variables of derivatives."""
    asked, found = _asked(function, derived)
    for callee, one in found.items():
        callee.function = one.function
    note_what_raises(found.keys())
    return asked.function


def given_as_none(function: Function, derived: Set[Var] = frozenset()) -> frozenset[int | None]:
    """The places of the result, a tuple, that may be None where a run gets there; None is the result itself."""
    return _asked(function, derived)[0].gives


def _asked(function: Function, derived: Set[Var]) -> tuple[Asked, Mapping[Callee, Asked]]:
    """The function with its questions, and those that it calls."""
    callees = {callee: callee.function for callee in called(function) if callee.function is not None}
    given: dict[Callee, frozenset[int]] = dict.fromkeys(callees, frozenset())
    gives: dict[Callee, frozenset[int | None]] = dict.fromkeys(callees, frozenset())
    while True:
        asked = ask(function, derived, frozenset(), gives)
        found = {
            callee: ask(body, derived, frozenset(body.params[k] for k in given[callee]), gives)
            for callee, body in callees.items()
        }
        new = {callee: _of_all_calls(callee, [asked, *found.values()]) | given[callee] for callee in callees}
        results = {callee: gives[callee] | one.gives for callee, one in found.items()}
        if (new, results) == (given, gives):
            return asked, found
        given, gives = new, results


def called(function: Function) -> Iterator[Callee]:
    """The functions that a function calls, and those that these call, each once."""
    seen: set[Callee] = set()
    todo = [function]
    while todo:
        for s in walk(todo.pop()):
            for callee in named_by(s) if isinstance(s, Op) else ():
                if callee not in seen and callee.function is not None:
                    seen.add(callee)
                    todo.append(callee.function)
                    yield callee


def _of_all_calls(callee: Callee, functions: list[Asked]) -> frozenset[int]:
    """The places of arguments that may be None in a call of a function."""
    return frozenset().union(*(one.given.get(callee, frozenset()) for one in functions))


def note_what_raises(callees: Iterable[Callee]) -> None:
    """Note which calls do more than to give a value, now that there are questions in them, or none any more."""
    telling = {callee for callee in callees if not callee.catches}
    pure = set(telling)
    while impure := {callee for callee in pure if not all(map(_is_pure_if(pure, telling), _operations(callee)))}:
        pure -= impure
    for callee in telling:
        callee.pure = callee in pure


def _operations(callee: Callee) -> list[Op]:
    assert callee.function is not None
    return [s for s in walk(callee.function) if isinstance(s, Op)]


def _is_pure_if(pure: Set[Callee], among: Set[Callee]):  # type: ignore[no-untyped-def]
    """Whether an operation does nothing but give a value, where these functions do, of those among which they are."""
    return lambda s: s.fn in pure if s.fn in among else is_pure(s.fn)
