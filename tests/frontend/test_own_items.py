"""Lists, tuples and dicts outside the function, and among its arguments, whose classes say what their items are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import s2sad


class Scaled(dict[str, float]):
    def __getitem__(self, key: str) -> float:
        return 10.0 * super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default

    def values(self) -> Any:
        return [self[key] for key in self]

    def items(self) -> Any:
        return [(key, self[key]) for key in self]


class Cyclic(list[float]):
    def __getitem__(self, k: Any) -> Any:
        return super().__getitem__(k % len(self))

    def __iter__(self) -> Any:
        return iter([self[k] for k in range(2 * len(self))])


class FromOne(tuple[float, ...]):
    def __getitem__(self, k: Any) -> Any:
        return super().__getitem__(k - 1)


class _Pair(NamedTuple):
    a: float
    b: float


class Pair(_Pair):
    def __iter__(self) -> Any:
        return iter((self.a, self.b, self.a * self.b))


def item(x: float, d: Any) -> float:
    return x**2 * d["a"] + d.get("b")  # type: ignore[no-any-return]


def sums(x: float, d: Any) -> float:
    return x**2 * sum(d.values()) + x * sum([v for _, v in d.items()])


def beyond_the_end(x: float, xs: Any) -> float:
    return x**2 * xs[3] + x * sum(xs)  # type: ignore[no-any-return]


def largest(x: float, xs: Any) -> float:
    return x**2 * max(xs) + x * len(xs)  # type: ignore[no-any-return]


PROGRAMS: list[tuple[Callable[..., float], Any]] = [
    (item, Scaled(a=2.0, b=3.0)),
    (sums, Scaled(a=2.0, b=3.0)),
    (beyond_the_end, Cyclic([2.0, 3.0])),
    (beyond_the_end, FromOne((2.0, 3.0, 5.0))),
    (largest, Pair(2.0, 3.0)),
]


@pytest.mark.parametrize(("f", "held"), PROGRAMS, ids=lambda p: getattr(p, "__name__", type(p).__name__))
@pytest.mark.parametrize("place", ["argument", "cell", "item"])
def test_the_class_is_asked(f: Callable[..., float], held: Any, place: str) -> None:
    pair = (1.5, held)

    def of_cell(x: float) -> float:
        return f(x, held)

    def of_item(x: float) -> float:
        return pair[0] * f(x, pair[1])

    g, more = {"argument": (f, (held,)), "cell": (of_cell, ()), "item": (of_item, ())}[place]
    quotient = (g(0.7 + 1e-4, *more) - g(0.7 - 1e-4, *more)) / 2e-4  # of a polynomial of degree two: exact
    value, slope = s2sad.value_and_grad(g)(0.7, *more)
    assert value == pytest.approx(g(0.7, *more), rel=1e-14)
    assert slope == pytest.approx(quotient, rel=1e-9)
    tangent = s2sad.jvp(g, (0.7, *more), (1.0, *(None for _ in more)))[1]
    assert tangent == pytest.approx(quotient, rel=1e-9)


def test_a_loop_over_one_asks_the_class() -> None:
    xs = Cyclic([2.0, 3.0])

    def f(x: float) -> float:
        total = 0.0
        for v in xs:
            total += v * x
        return total

    assert s2sad.grad(f)(0.7) == 10.0


class Backwards(NamedTuple):
    a: float
    b: float

    def __iter__(self):  # type: ignore[override]
        yield self[1] * 10.0
        yield self[0]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: max(Backwards(x, 2.0 * x)),
        lambda x: min(Backwards(x, 2.0 * x)),
        lambda x: x * sorted(Backwards(x, 2.0 * x))[-1],
        lambda x: x * list(Backwards(x, 2.0 * x))[-1],
        lambda x: x * tuple(Backwards(x, 2.0 * x))[-1],
        lambda x: [*Backwards(x, 2.0 * x)][-1],
        lambda x: sum(reversed(Backwards(x, 2.0 * x))),
    ],
)
def test_a_tuple_made_here_that_says_what_its_items_are_is_refused(f: Any) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="says itself what its items are"):
        s2sad.grad(f)(0.7)


def test_it_is_looped_over() -> None:
    assert s2sad.grad(lambda x: sum(v * x for v in Backwards(x, 2.0 * x)))(0.5) == 21.0
