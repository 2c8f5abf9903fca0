"""What a rule tells of its primitive's arguments."""

from __future__ import annotations

from typing import Any

import pytest

from s2sad.rules.table import RULES, Rule


def outcome(bind: Any) -> list[tuple[str, Any]] | str:
    """The arguments in order, or that they do not fit."""
    try:
        return list(bind().items())
    except TypeError:
        return "do not fit"


SIGNED = [r for r in RULES.values() if r.function or r.tangent_rule or r.adjoint_rule]


@pytest.mark.parametrize("count", range(8))
def test_arguments_by_position_are_those_that_binding_gives(count: int) -> None:
    def differs(rule: Rule) -> bool:
        args = tuple(range(count))
        return outcome(lambda: rule.bind(args, {})) != outcome(lambda: rule.signature.bind(*args).arguments)

    assert SIGNED and not [rule.primitive for rule in SIGNED if differs(rule)]
