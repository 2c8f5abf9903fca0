"""Which parameters can only be numbers, by what becomes of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad.analysis.numbers import only_numbers
from s2sad.lowerings import lowered


def in_one_branch(x, y, z):
    if z > 0:
        return x * y
    return x + np.sum(y)


def in_both(x, y):
    return x * y if y > 0 else x - y


def carried(x, y, n):
    for _ in range(n):
        x = y * x
    return x


def swapped(x, y, n):
    for _ in range(n):
        x, y = np.sum(y), x
    return x


def until(x, y):
    while x > 1.0:
        x = x / y
    return x


def sized(x, y):
    return abs(x) + np.abs(x) + math.fsum(y)


def helper(x, y):
    return np.exp(x) / y


def helped(x, y):
    return helper(x + 1.0, y)


def chosen(x, y):
    return np.where(x > 0.0, y, np.maximum(y, 2.0))


@pytest.mark.parametrize(
    ("f", "by_result"),
    [
        *((in_one_branch, "x"), (in_both, "xy"), (carried, "xy"), (swapped, ""), (until, "xy"), (sized, "")),
        *((helped, "xy"), (chosen, "y")),
    ],
)
def test_what_a_number_is_made_of_is_numbers(f: Callable[..., Any], by_result: str) -> None:
    assert not told(f, False)
    assert sorted(told(f, True)) == sorted(by_result)


def test_functions_of_the_math_module_take_numbers() -> None:
    def f(x, y, z):
        if z > 0:
            x = math.log(x)
        return np.sum(z) * math.exp(y / 2)

    assert told(f, False) == ["y"]


def told(f: Callable[..., Any], by_result: bool) -> list[str]:
    """The parameters that are numbers, by name."""
    function = lowered(f, None).function
    numbers = only_numbers(function, by_result)
    return [p.hint for p in function.params if p in numbers]
