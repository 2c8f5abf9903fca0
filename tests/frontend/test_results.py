"""Lists among results: they come back as the lists that the function gives, whatever they hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from s2sad import jvp, vjp


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Weighed:
    value: Any
    weight: float = 1.0


def in_a_dict(x: Any) -> Any:
    return {"all": [Weighed(x), Weighed(3.0 * x)], "pair": Pair([x], [Weighed(x)])}


def in_lists(x: Any) -> Any:
    return [[Weighed(x), Weighed(3.0 * x)], [Weighed(x * x)]]


def beside_numbers(x: Any) -> Any:
    return [Weighed(x * x), x], [Pair((x,), 2.0 * x), Weighed([x])]


def of_dicts(x: Any) -> Any:
    return [{"a": [x, Weighed(x)]}, {"b": 2.0 * x}]


def in_fields(x: Any) -> Any:
    return Weighed([Weighed(x), Weighed(x * x)], 2.0)


def grown(x: Any) -> Any:
    held = [Weighed(x)]
    held.append(Weighed(2.0 * x))
    held[0].value = held[0].value * x
    return {"held": held, "first": (held[0],)}


def joined(x: Any) -> Any:
    return [Weighed(x)] + [Weighed(x * x)], [Weighed(2.0 * x)] * 2


RESULTS = [in_a_dict, in_lists, beside_numbers, of_dicts, in_fields, grown, joined]
COMPILED = [in_lists, in_fields, joined]


def numbers_in(x: Any) -> list[float]:
    match x:
        case dict():
            return [n for v in x.values() for n in numbers_in(v)]
        case list() | tuple():
            return [n for v in x for n in numbers_in(v)]
        case Weighed():
            return [*numbers_in(x.value), x.weight]
    return [x]


def slope(f: Callable[..., Any], x: float, h: float = 1e-6) -> list[float]:
    above, below = numbers_in(f(x + h)), numbers_in(f(x - h))
    return [(a - b) / (2.0 * h) for a, b in zip(above, below, strict=True)]


@pytest.mark.parametrize(("f", "backend"), [*((f, "python") for f in RESULTS), *((f, "numba") for f in COMPILED)])
def test_lists_come_back_as_lists(f: Callable[..., Any], backend: Any) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    value, tangent = jvp(f, (1.5,), (1.0,), backend=backend)
    assert value == f(1.5)
    assert numbers_in(tangent) == pytest.approx(slope(f, 1.5))
    value, pullback = vjp(f, 1.5, backend=backend)
    assert value == f(1.5)
    [found] = pullback(value)
    assert found == pytest.approx(sum(a * b for a, b in zip(numbers_in(value), slope(f, 1.5), strict=True)))
