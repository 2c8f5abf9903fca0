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


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (suppressing_by_name, "made in the `with` itself"),
        (taken_by_an_object, "`__exit__` of `Taking` may take"),
        (by_a_branch, "`branching` makes a context by a `yield` within a branch"),
        (taken_by_a_generator, "`excepting` makes a context"),
        (ended_before, "`ending` makes a context"),
        (gone_over, "`ending` makes a context"),
    ],
)
def test_is_refused(f: Callable[[float], float], why: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=why):
        s2sad.grad(f)(0.7)
