"""Records that loops hand on in lists and tuples: what goes by two names, and changes, is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from s2sad import UnsupportedSyntax, grad


@dataclass
class Body:
    place: Any


def by_a_name_from_before(x: Any, n: int) -> Any:
    body = Body(x)
    bodies = [body]
    for _ in range(n):
        bodies = [Body(bodies[0].place * x)]
    body.place = 5.0
    return bodies[0].place + body.place


def by_a_name_of_the_iteration(x: Any, n: int) -> Any:
    bodies = [Body(x)]
    for _ in range(n):
        body = Body(bodies[0].place * x)
        bodies = [body]
        body.place += x
    return bodies[0].place


def twice_in_one_list(x: Any, n: int) -> Any:
    bodies = [Body(x), Body(2.0 * x)]
    for _ in range(n):
        bodies = [bodies[0], bodies[0]]
        bodies[1].place += x
    return bodies[0].place * bodies[1].place


def asked_whether_they_are_one(x: Any, n: int) -> Any:
    first = Body(x)
    body = first
    for k in range(n):
        if k > 1:
            body = Body(body.place * x)
    return body.place * (2.0 if body is first else 3.0)


@pytest.mark.parametrize(
    "f", [by_a_name_from_before, by_a_name_of_the_iteration, twice_in_one_list, asked_whether_they_are_one]
)
def test_two_names_of_one_record(f: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedSyntax, match=r"another name too|holds one record twice"):
        grad(f)(0.7, 3)
