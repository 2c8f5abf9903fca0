"""Operators of classes as Python asks for them: reflected ones, those of derived classes, and NotImplemented."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import s2sad


class Length:
    def __init__(self, v: Any) -> None:
        self.v = v

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Length):
            return NotImplemented
        return self.v == other.v

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Any) -> Any:
        return self.v < other.v if isinstance(other, Length) else NotImplemented

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Length):
            return NotImplemented
        return Length(self.v + other.v)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int | float):
            return Length(self.v * other)
        return NotImplemented

    __rmul__ = __mul__

    def __iadd__(self, other: Any) -> Any:
        return NotImplemented


class Scaled(Length):
    """One that says more of sums: asked first on either side."""

    def __add__(self, other: Any) -> Any:
        return Length(self.v * other.v * 10.0)

    def __radd__(self, other: Any) -> Any:
        return Length(self.v * other.v * 100.0)

    def __gt__(self, other: Any) -> Any:
        return True


class Factor:
    def __init__(self, v: Any) -> None:
        self.v = v

    def __rmul__(self, other: Any) -> Any:
        return Length(other.v * self.v * 3.0)

    def __radd__(self, other: Any) -> Any:
        return Length(other.v + self.v * 5.0)

    def __gt__(self, other: Any) -> Any:
        return other.v < 2.0


def reflected(x: float) -> Any:
    return (Length(x) * Factor(2.0 * x)).v + (Length(x) + Factor(x * x)).v


def number_on_the_left(x: float) -> Any:
    return (x * Length(x * x)).v


def in_place(x: float) -> Any:
    a = Length(x)
    a += Length(x * x)
    return a.v


def derived_first(x: float) -> Any:
    return (Length(x) + Scaled(2.0 * x)).v + (Scaled(x) + Length(2.0)).v


def equal_to_a_number(x: float) -> Any:
    return x * x if Length(x) == 0.7 or Length(x) == None or 0.7 == Length(x) else 3.0 * x  # noqa: E711


def unequal(x: float) -> Any:
    both = Length(x) != Length(x) or not Length(x) != Length(2.0)
    return 3.0 * x if both or not Length(x) != 0.7 else x * x


def compared_by_the_other(x: float) -> Any:
    return x * x if Length(x) < Factor(1.0) and Length(3.0) < Scaled(x) else 3.0 * x


def raises(x: float) -> Any:
    try:
        return (Length(x) + 2.0).v
    except TypeError:
        return x * x


@pytest.mark.parametrize(
    "f",
    [reflected, number_on_the_left, in_place, derived_first, equal_to_a_number, unequal, compared_by_the_other, raises],
)
def test_operators_ask_as_python_does(f: Callable[[float], float]) -> None:
    quotient = (f(0.7 + 1e-5) - f(0.7 - 1e-5)) / 2e-5
    value, tangent = s2sad.jvp(f, (0.7,), (1.0,))
    assert value == f(0.7)
    assert tangent == pytest.approx(quotient, rel=1e-8)
    assert s2sad.grad(f)(0.7) == pytest.approx(quotient, rel=1e-8)


def test_what_no_class_takes_is_refused_with_its_place() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="NotImplemented") as caught:
        s2sad.grad(lambda x: (Length(x) + 2.0).v)(0.7)
    assert caught.value.lineno is not None


class Tenfold(type):
    def __call__(cls, v: Any) -> Any:
        made = super().__call__(v)
        made.v = 10.0 * made.v
        return made


class Changed(metaclass=Tenfold):
    def __init__(self, v: Any) -> None:
        self.v = v


class Begun:
    v = 1.0

    def __new__(cls, v: Any) -> Any:
        made = super().__new__(cls)
        made.v = 3.0 * v
        return made

    def __init__(self, v: Any) -> None:
        self.w = self.v * v


@pytest.mark.parametrize("f", [lambda x: Changed(x).v, lambda x: Begun(x).w], ids=["metaclass", "new"])
def test_what_makes_objects_in_another_way_is_refused(f: Callable[[float], float]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="of its own, or the `__call__` of its metaclass"):
        s2sad.grad(f)(0.7)
