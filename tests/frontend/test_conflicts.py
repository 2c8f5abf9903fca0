"""What is one of two things that are not treated as one: refused wherever it is used, and never taken for either."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import s2sad


class Momentum:
    def __init__(self) -> None:
        self.last: Any = None

    def step(self, x: float) -> float:
        y = x if self.last is None else x - 0.5 * self.last["x"] * x
        self.last = {"x": x}
        return y


def kept_in_an_attribute(x: float, n: int) -> float:
    rule = Momentum()
    for _ in range(n):
        x = rule.step(x)
    return x


def kept_in_a_dict(x: float, n: int) -> float:
    state: dict[str, Any] = {"last": None}
    for _ in range(n):
        x = 3.0 * x if state["last"] else x * x
        state["last"] = {"x": x}
    return x


def kept_in_a_tuple(x: float, n: int) -> float:
    state: Any = (None, x)
    for _ in range(n):
        x = 3.0 * x if state[0] is not None else x * x
        state = (lambda t: t + x, x)
    return x


def found(x: float, n: int) -> Any:
    return {"x": x} if n > 1 else None


def function(n: int) -> Any:
    return (lambda t: 3.0 * t) if n > 1 else None


def asked_of_what_is_returned(x: float, n: int) -> float:
    return x * x if found(x, n) is None else 3.0 * x


def truth_of_what_is_returned(x: float, n: int) -> float:
    return 3.0 * x if function(n) else x * x


def class_of_what_is_returned(x: float, n: int) -> float:
    return 3.0 * x if isinstance(found(x, n), dict) else x * x


def called_with_what_is_returned(x: float, n: int) -> float:
    return x * x if (lambda f: f is None)(function(n)) else 3.0 * x


def matched(x: float, n: int) -> float:
    match found(x, n):
        case None:
            return x * x
        case _:
            return 3.0 * x


def joined_with_a_function(x: float, n: int) -> float:
    f = found(x, n)
    if n > 2:
        f = function(n)
    return x * x if f is None else 3.0 * x


USES: list[Callable[[float, int], float]] = [
    *(kept_in_a_tuple, truth_of_what_is_returned),
    *(called_with_what_is_returned, joined_with_a_function),
]
OF_DICTS: list[Callable[[float, int], float]] = [
    *(kept_in_an_attribute, kept_in_a_dict, asked_of_what_is_returned),
    *(class_of_what_is_returned, matched),
]


@pytest.mark.parametrize("f", USES)
def test_one_of_two_things_is_refused(f: Callable[[float, int], float]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="is one of two things here"):
        s2sad.value_and_grad(f)(0.7, 3)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("f", OF_DICTS)
def test_a_dict_or_none_is_told_at_run_time(f: Callable[[float, int], float], n: int) -> None:
    value, slope = s2sad.value_and_grad(f)(0.7, n)
    h = 1e-6
    assert value == pytest.approx(f(0.7, n), rel=1e-14)
    assert slope == pytest.approx((f(0.7 + h, n) - f(0.7 - h, n)) / (2 * h), rel=1e-8)


def kept_for_a_few_rounds(x: float) -> float:
    rule = Momentum()
    for _ in range(3):
        x = rule.step(x)
    return x


def test_a_short_loop_that_begins_with_none_is_spelt_out() -> None:
    value, slope = s2sad.value_and_grad(kept_for_a_few_rounds)(0.7)
    h = 1e-6
    assert value == pytest.approx(kept_for_a_few_rounds(0.7), rel=1e-14)
    difference = (kept_for_a_few_rounds(0.7 + h) - kept_for_a_few_rounds(0.7 - h)) / (2 * h)
    assert slope == pytest.approx(difference, rel=1e-8)
