"""Objects that lists take and that change under their names: the list sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import s2sad


@dataclass
class Point:
    x: float
    y: float


def changed_afterwards(xs):
    p = Point(xs[0], 2.0)
    held = []
    for _ in xs:
        held.append(p)
    p.x = 3.0 * xs[1]
    return held[0].x * held[1].y


def changed_in_the_next_iteration(xs):
    p = Point(xs[0], 2.0)
    held = []
    for x in xs:
        p.x += x
        held.append(p)
    return held[0].x


def repeated(xs):
    p = Point(xs[0], 2.0)
    held = [p] * len(xs)
    p.x *= 2.0
    return held[0].x


def changed_where_another_may_have_been_bound(xs):
    p = Point(xs[0], 2.0)
    held = []
    for x in xs:
        held.append(p)
        if x > 0.0:
            p = Point(x, 1.0)
        p.x *= 2.0
    return sum(q.x * q.y for q in held)


def put_in_a_tuple(xs):
    p = Point(xs[0], 2.0)
    held = []
    for x in xs:
        held.append((x, p))
        p.y += x
    return sum(x * q.y for x, q in held)


def picked_at_run_time(xs):
    both = [Point(0.0, 1.0), Point(1.0, 2.0)]
    p = both[len(xs) % 2]
    both[0].x += xs[0]
    both[1].x += xs[1]
    return p.x**2


@pytest.mark.parametrize(
    "function",
    [
        changed_afterwards,
        changed_in_the_next_iteration,
        repeated,
        changed_where_another_may_have_been_bound,
        put_in_a_tuple,
        picked_at_run_time,
    ],
    ids=lambda function: function.__name__,
)
def test_a_list_sees_what_changes_under_a_name(function: Any) -> None:
    xs = [0.3, -0.7, 1.1]
    assert s2sad.value_and_grad(function)(xs)[0] == pytest.approx(function(xs), rel=1e-13)
    s2sad.check_grads(function)(xs)


def test_a_change_before_it_is_put_there_is_handled() -> None:
    def made_anew(xs: Any) -> Any:
        held = []
        for x in xs:
            p = Point(x, 1.0)
            p.y *= x
            held.append(p)
        return sum(p.x * p.y for p in held)

    assert s2sad.grad(made_anew)([1.5, -2.0]) == [3.0, -4.0]


def test_which_dict_an_item_is() -> None:
    def f(xs: Any) -> Any:
        d = {"a": xs[0]}
        held = []
        for x in xs:
            held.append({"a": x})
        held.append(d)
        total = sum(h["a"] * (5.0 if h is d else 1.0) for h in held)
        return total if d is d and d is not held[0] else 0.0

    assert s2sad.grad(f)([0.3, -0.7, 1.1]) == [6.0, 1.0, 1.0]
