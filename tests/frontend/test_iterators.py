"""Iterators and generators that are kept give their items once, and late."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

import s2sad


def used_twice(x: float, l: list[float]) -> float:
    pairs = zip(l, l)
    return sum(p * q for p, q in pairs) * x + sum(p * q for p, q in pairs)


def used_in_a_loop(x: float, l: list[float]) -> float:
    items, total = enumerate(l), 0.0
    for _ in range(2):
        for k, v in items:
            total += k * v * x
    return total


def used_in_a_comprehension(x: float, l: list[float]) -> float:
    back = reversed(l)
    return sum([v * x for _ in range(2) for v in back])


def evaluated_late(x: float, l: list[float]) -> float:
    scaled = (x * v for v in l)
    x = 2.0 * x
    return sum(scaled) + x


def taken_one_by_one(x: float, l: list[float]) -> float:
    items = iter(l)
    return next(items) * x + sum(items)


def without_end(x: float, l: list[float]) -> float:
    return sum(a * b for a, b in zip(l, itertools.cycle([x, 1.0])))


def choices_used_twice(x: float, l: list[float]) -> float:
    pairs = itertools.combinations(l, 2)
    return sum(p * q for p, q in pairs) * x + sum(p for p, _ in pairs)


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (without_end, "`itertools.cycle`"),
        (choices_used_twice, "may be used up"),
        (used_twice, "may be used up"),
        (used_in_a_loop, "may be used up"),
        (used_in_a_comprehension, "may be used up"),
        (evaluated_late, "this generator is kept"),
        (taken_one_by_one, "`iter` and `next`"),
    ],
)
def test_is_refused(f: Callable[..., float], why: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=why):
        s2sad.grad(f)(0.7, [0.3, 0.9])


def used_once(x: float, l: list[float]) -> float:
    pairs, back = zip(l, l), reversed(l)
    total = sum(p * q for p, q in pairs) * x
    for k, v in enumerate(back):
        doubled = map(lambda u: u * x, l)
        total += k * v * sum(doubled)
    return total


def test_is_handled_once() -> None:
    s2sad.check_grads(used_once, wrt=(0, 1))(0.7, [0.3, 0.9])
