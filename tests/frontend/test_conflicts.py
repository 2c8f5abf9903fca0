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


def records_before_a_loop(x: float, n: int, ask: Callable[[Any], Any]) -> Any:
    states: Any = ({"x": x}, {"x": 2.0 * x})
    for k in range(n):
        states = [{"x": s["x"] * x + k} for s in states]
    return ask(states)


def records_on_two_paths(x: float, n: int, ask: Callable[[Any], Any]) -> Any:
    states: Any = ({"x": x}, {"x": 2.0 * x})
    if n > 1:
        states = [{"x": x * x}, {"x": x}]
    return ask(states)


ASKED: list[Callable[[Any], Any]] = [
    lambda s: s[0]["x"] * (1.0 if isinstance(s, tuple) else 2.0),
    lambda s: s[0]["x"] * (1.0 if type(s) is list else 2.0),
    lambda s: s[0]["x"] * (1.0 if s == ({"x": 1.0}, {"x": 2.0}) else 2.0),
    lambda s: (s + ({"x": 1.0},))[2]["x"] * s[0]["x"],
]


@pytest.mark.parametrize("f", [records_before_a_loop, records_on_two_paths])
def test_a_tuple_here_and_a_list_there_is_read_and_not_asked_which(f: Callable[..., Any]) -> None:
    for n in (0, 1, 3):
        slope = s2sad.grad(lambda x, n: f(x, n, lambda s: s[0]["x"] * s[-1]["x"] * len(s)))(0.7, n)
        up, down = (f(0.7 + e, n, lambda s: s[0]["x"] * s[-1]["x"] * len(s)) for e in (1e-6, -1e-6))
        assert slope == pytest.approx((up - down) / 2e-6, rel=1e-6)
    for ask in ASKED:
        with pytest.raises(s2sad.UnsupportedSyntax, match="a tuple on one path and a list on another") as caught:
            s2sad.grad(lambda x, n, ask=ask: f(x, n, ask))(0.7, 1)
        assert "test_conflicts.py" in str(caught.value)
    with pytest.raises(s2sad.UnsupportedSyntax, match="a tuple on one path and a list on another"):
        s2sad.vjp(lambda x, n: f(x, n, lambda s: s), 0.7, 1)
