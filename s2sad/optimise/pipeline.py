"""The passes in order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from s2sad.analysis import effects
from s2sad.analysis.facts import Facts
from s2sad.ir.nodes import Function, Var
from s2sad.ir.verify import verify
from s2sad.optimise.at_hand import take_at_hand
from s2sad.optimise.at_once import reverse_at_once
from s2sad.optimise.branches import join_branches
from s2sad.optimise.cse import merge_common
from s2sad.optimise.dead import dead_code
from s2sad.optimise.gathered import know_gathered
from s2sad.optimise.items import assign_items
from s2sad.optimise.simplify import simplify
from s2sad.optimise.stores import tidy_stores
from s2sad.optimise.tapes import merge_tapes
from s2sad.optimise.unread import drop_unread
from s2sad.optimise.zeros import skip_zeros

__all__ = ["optimise", "stages"]

ROUNDS = 4  #: at most; nearly always the second changes nothing


def optimise(
    function: Function,
    *,
    has_effect: Callable[[Any], bool] = effects.has_effect,
    observed: Collection[Var] = (),
    check: bool = False,
) -> Function:
    """Run the passes until nothing changes, a bounded number of rounds.

    ``has_effect`` and ``observed`` as in :func:`s2sad.optimise.dead.dead_code`; ``check``
    verifies the IR after each pass.
    """
    new = function
    for _, new in stages(function, has_effect=has_effect, observed=observed):
        if check:
            verify(new)
    return new


def stages(
    function: Function, *, has_effect: Callable[[Any], bool] = effects.has_effect, observed: Collection[Var] = ()
) -> Iterator[tuple[str, Function]]:
    """Each pass that changed something, by name, with the function after it."""
    new = function
    for name, new in _rounds(function, has_effect, observed):
        yield name, new
    for name, run in (("gathered", know_gathered), ("at_once", reverse_at_once)):
        before, new = new, run(new)
        if new is not before:
            yield name, new
            for name, new in _rounds(new, has_effect, observed):  # noqa: B020
                yield name, new
    for name, run in (("tapes", merge_tapes), ("zeros", skip_zeros)):
        before, new = new, run(new)
        if new is not before:
            yield name, new
    start = new
    for name, run in (("branches", join_branches), ("at_hand", take_at_hand)):
        before, new = new, run(new)
        if new is not before:
            yield name, new
    if new is not start:
        yield from _rounds(new, has_effect, observed)


def _rounds(
    function: Function, has_effect: Callable[[Any], bool], observed: Collection[Var]
) -> Iterator[tuple[str, Function]]:
    """The passes that make each other's work possible."""
    passes: tuple[tuple[str, Callable[[Function, Facts], Function]], ...] = (
        ("dead", lambda f, facts: dead_code(f, has_effect=has_effect, observed=observed, facts=facts)),
        ("simplify", lambda f, facts: simplify(f, facts=facts)),
        ("cse", lambda f, facts: merge_common(f, facts=facts)),
        ("stores", lambda f, facts: tidy_stores(f, facts=facts)),
        ("items", lambda f, facts: assign_items(f, facts=facts)),
        ("unread", lambda f, facts: drop_unread(f, observed=observed, facts=facts)),
    )
    quiet = 0  # how many passes in a row have changed nothing
    facts = Facts(function)
    for name, run in (*passes * ROUNDS, passes[0]):
        new = run(function, facts)
        if new is not function:
            quiet = int(name == "dead")  # it finds nothing more in what it has made
            function, facts = new, Facts(new)
            yield name, function
        elif (quiet := quiet + 1) >= len(passes):
            return
