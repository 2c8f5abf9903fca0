"""The passes in order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from s2sad.ir.nodes import Function, Var
from s2sad.ir.verify import verify
from s2sad.analysis import effects
from s2sad.optimise.cse import merge_common
from s2sad.optimise.dead import dead_code
from s2sad.optimise.simplify import simplify
from s2sad.optimise.stores import tidy_stores
from s2sad.optimise.unread import drop_unread

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
    passes: tuple[tuple[str, Callable[[Function], Function]], ...] = (
        ("dead", lambda f: dead_code(f, has_effect=has_effect, observed=observed)),
        ("simplify", simplify),
        ("cse", merge_common),
        ("stores", tidy_stores),
        ("unread", lambda f: drop_unread(f, observed=observed)),
    )
    quiet = 0  # how many passes in a row have changed nothing
    for _ in range(ROUNDS):
        for name, run in passes:
            new = run(function)
            if new is function:
                quiet += 1
                if quiet >= len(passes):
                    return
                continue
            quiet = 0
            function = new
            yield name, function
    new = dead_code(function, has_effect=has_effect, observed=observed)
    if new is not function:
        yield "dead", new
