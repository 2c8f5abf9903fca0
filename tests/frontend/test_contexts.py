"""Contexts that may take exceptions without a ``try`` in sight are refused."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator

import pytest

import s2sad


class Taking:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> bool:
        return True


def suppressing_by_name(x: float) -> float:
    quiet = contextlib.suppress(ValueError)
    with quiet:
        x = math.log(-x)
    return x


def taken_by_an_object(x: float) -> float:
    with Taking():
        x = math.log(-x)
    return x


@contextlib.contextmanager
def branching(x: float) -> Iterator[float]:
    if x > 0.0:
        yield x
    else:
        yield -x


@contextlib.contextmanager
def excepting(x: float) -> Iterator[float]:
    try:
        yield x
    except ValueError:
        print("no value")


@contextlib.contextmanager
def ending(x: float) -> Iterator[float]:
    if x > 9.0:
        return
    yield x


def by_a_branch(x: float) -> float:
    with branching(x) as y:
        return y * x


def taken_by_a_generator(x: float) -> float:
    with excepting(x) as y:
        return math.log(y)


def ended_before(x: float) -> float:
    with ending(x) as y:
        return y * x


def gone_over(x: float) -> float:
    return sum(y * x for y in ending(x))  # type: ignore[attr-defined]


@contextlib.contextmanager
def doubling(x: float) -> Iterator[float]:
    yield 2.0 * x


def entered_again(x: float) -> float:
    context = doubling(x)
    with context as y:
        x = x * y
    with context as y:
        return x * y


def entered_in_a_loop(x: float) -> float:
    context = doubling(x)
    for _ in range(20):
        with context as y:
            x = x * y
    return x


def entered_by_name(x: float) -> float:
    context = doubling(x)
    with context as y:
        return y * x


def test_a_context_by_name_is_entered_once() -> None:
    assert s2sad.grad(entered_by_name)(0.7) == 4.0 * 0.7


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (suppressing_by_name, "made in the `with` itself"),
        (taken_by_an_object, "`__exit__` of `Taking` may take"),
        (by_a_branch, "`branching` makes a context by a `yield` within a branch"),
        (taken_by_a_generator, "`excepting` makes a context"),
        (ended_before, "`ending` makes a context"),
        (gone_over, "`ending` makes a context"),
        (entered_again, "can be entered once"),
        (entered_in_a_loop, "can be entered once"),
    ],
)
def test_is_refused(f: Callable[[float], float], why: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=why):
        s2sad.grad(f)(0.7)
