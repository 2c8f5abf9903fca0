"""Attributes that an object may lack: slots that are empty, and what is only asked for on a path not taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import s2sad


class Spring:
    __slots__ = ("rate", "rest")

    def __init__(self, rate: float, rest: float | None = None) -> None:
        self.rate = rate
        if rest is not None:
            self.rest = rest

    def energy(self, x: float) -> float:
        return 0.5 * self.rate * (x - self.rest if hasattr(self, "rest") else x) ** 2


class Named(Spring):
    """One with a dict beside the slots of its base."""


class Turned:
    def __init__(self) -> None:
        self.aligned = True

    def height(self, x: float) -> float:
        if not self.aligned:
            return x * self.turn  # type: ignore[attr-defined, no-any-return]
        return x

    def always(self, x: float) -> float:
        return x * self.turn  # type: ignore[attr-defined, no-any-return]


def asked(x: float, spring: Spring) -> float:
    return x**2 * (spring.rest if hasattr(spring, "rest") else spring.rate)


def caught(x: float, spring: Spring) -> float:
    square = x**2
    try:
        return square * spring.rest
    except AttributeError:
        return square * spring.rate


@pytest.mark.parametrize("f", [asked, caught])
@pytest.mark.parametrize("cls", [Spring, Named])
def test_a_slot_is_asked_for_when_it_is_needed(f: Callable[..., float], cls: type[Spring]) -> None:
    derivative = s2sad.grad(f)
    for spring, factor in ((cls(3.0), 3.0), (cls(3.0, 0.5), 0.5), (cls(2.0), 2.0)):
        assert derivative(0.7, spring) == pytest.approx(2 * 0.7 * factor)
        assert s2sad.jvp(f, (0.7, spring), (1.0, None))[1] == pytest.approx(2 * 0.7 * factor)


@pytest.mark.parametrize("cls", [Spring, Named])
def test_a_slot_of_self_may_be_filled_later(cls: type[Spring]) -> None:
    spring = cls(3.0)
    slope = s2sad.grad(spring.energy)
    assert slope(0.7) == pytest.approx(3.0 * 0.7)
    spring.rest = 0.5
    assert slope(0.7) == pytest.approx(3.0 * 0.2)
    del spring.rest
    assert slope(0.7) == pytest.approx(3.0 * 0.7)


TURNED: Any = Turned()


def of_one_outside(x: float) -> float:
    return TURNED.height(x) * x  # type: ignore[no-any-return]


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_an_attribute_may_be_absent_where_nothing_asks_for_it(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    turned: Any = Turned()
    of_self = s2sad.grad(turned.height, backend=backend)
    of_outside = s2sad.grad(of_one_outside, backend=backend)
    assert (of_self(0.7), of_outside(0.7)) == (1.0, 1.4)
    turned.aligned = False
    monkeypatch.setattr(TURNED, "aligned", False)
    for slope in (of_self, of_outside):
        with pytest.raises(AttributeError, match="'Turned' object has no attribute 'turn'"):
            slope(0.7)
    turned.turn = 2.0
    monkeypatch.setattr(TURNED, "turn", 2.0, raising=False)
    assert (of_self(0.7), of_outside(0.7)) == (2.0, 2.8)


def test_one_that_each_call_asks_for_is_refused_with_its_place() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="'Turned' object has no attribute 'turn'") as caught:
        s2sad.grad(Turned().always)(0.7)
    assert caught.value.lineno == Turned.always.__code__.co_firstlineno + 1
