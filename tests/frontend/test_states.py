"""Records that loops hand on in lists and tuples: what goes by two names, and changes, is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from s2sad import UnsupportedSyntax, check_grads, grad, value_and_grad


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


def a_dict_by_what_a_list_holds(x: Any, n: int) -> Any:
    best = {"p": 2.0 * x, "a": np.ones(2)}
    tried = []
    for k in range(n):
        one = {"p": x * k, "a": np.ones(2)}
        if k == 1:
            best = one
        tried.append(one)
        tried[k]["p"] = tried[k]["p"] * x
    return best["p"]


@pytest.mark.parametrize(
    "f",
    [
        by_a_name_from_before,
        by_a_name_of_the_iteration,
        twice_in_one_list,
        asked_whether_they_are_one,
    ],
)
@pytest.mark.parametrize("n", range(4))
def test_two_names_of_one_record(f: Callable[..., Any], n: int) -> None:
    assert value_and_grad(f)(0.7, n)[0] == pytest.approx(f(0.7, n), rel=1e-13)
    check_grads(f)(0.7, n)


def test_two_names_of_one_dict() -> None:
    with pytest.raises(UnsupportedSyntax, match="another name too"):
        grad(a_dict_by_what_a_list_holds)(0.7, 3)


@dataclass(eq=False)
class Named:
    place: Any


def looked_for(x: Any, n: int) -> Any:
    first = Named(x)
    bodies = [first]
    for k in range(n):
        if k > 1:
            bodies = [Named(bodies[0].place * x)]
    return bodies[0].place * (2.0 if first in bodies else 3.0)


def its_place(x: Any, n: int) -> Any:
    first = Named(x)
    bodies = [Named(x * n), first]
    return bodies[1].place * bodies.index(first)


def as_a_key(x: Any, n: int) -> Any:
    first = Named(x)
    weights = {first: 2.0, Named(x * n): 3.0}
    return first.place * weights[first]


@pytest.mark.parametrize("f", [looked_for, its_place, as_a_key])
def test_objects_that_are_equal_to_themselves_only_are_not_looked_for(f: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedSyntax, match="equal to itself only"):
        grad(f)(0.7, 3)


def by_its_identity(x: Any, n: int) -> Any:
    first, other = Body(x), Body(x * n)
    return first.place * (2.0 if id(first) == id(other) else 3.0)


def test_identities_are_not_known_at_run_time() -> None:
    with pytest.raises(UnsupportedSyntax, match="identity"):
        grad(by_its_identity)(0.7, 3)
