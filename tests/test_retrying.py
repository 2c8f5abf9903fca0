"""Derivatives for axes of any lengths, in place of those that take lengths to be equal."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from s2sad.retrying import retrying
from s2sad.runtime import helpers


def test_once_lengths_differ_they_are_not_taken_to_be_equal_again() -> None:
    calls: list[str] = []

    def native(x: float) -> float:
        calls.append("native")
        if x < 0.0:
            raise ValueError(helpers.LENGTHS_DIFFER)
        return x

    def general(x: float) -> float:
        calls.append("general")
        return x

    run = retrying(native, general)
    assert [run(x) for x in (1.0, -1.0, -2.0, 3.0)] == [1.0, -1.0, -2.0, 3.0]
    assert calls == ["native", "native", "general", "general", "general"]


def test_arguments_that_do_not_fit_change_nothing() -> None:
    def native(x: float) -> float:
        if x < 0.0:
            raise ValueError(helpers.LENGTHS_DIFFER)
        return x

    def general(x: float) -> float:
        raise ValueError("operands could not be broadcast together")

    run = retrying(native, general)
    with pytest.raises(ValueError, match="broadcast"):
        run(-1.0)
    assert run(2.0) == 2.0


def test_other_errors_stay() -> None:
    def native() -> None:
        raise ValueError("of the user")

    with pytest.raises(ValueError, match="of the user"):
        retrying(native, lambda: None)()


def test_what_is_special_to_the_first_arguments_is_tried_first() -> None:
    calls: list[str] = []

    def taking(name: str, most: float) -> Callable[[float], float]:
        def run(x: float) -> float:
            calls.append(name)
            if x > most:
                raise ValueError(helpers.LENGTHS_DIFFER)
            return x

        return run

    special = taking("special", 1.0)
    run = retrying(taking("native", 2.0), taking("general", 9.0), lambda x: special)
    assert [run(x) for x in (1.0, 0.5, 2.0, 1.0, 3.0, 1.0)] == [1.0, 0.5, 2.0, 1.0, 3.0, 1.0]
    assert calls == ["special", "special", "special", "native", "native", "native", "general", "general"]
