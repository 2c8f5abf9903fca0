"""Objects that change, and are held by tuples next to numbers in lists: before they are held they may."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import NotDifferentiable, grad, vjp


def built_first(x: Any, n: int) -> Any:
    layers = []
    for k in range(n):
        row = []
        for i in range(k + 1):
            row.append(x * i + 1.0)
        bias = np.zeros(2)
        bias[1] = x * k
        layers.append((row, bias, x))
    total = 0.0
    for row, bias, scale in layers:
        total += row[0] * bias[1] * scale + sum(row)
    return total


def changed_afterwards(x: Any, n: int) -> Any:
    rows = []
    for k in range(n):
        row = [x, x]
        rows.append((row, x))
        row[0] = x * k
    return sum(row[0] * scale for row, scale in rows)


def changed_in_the_next_iteration(x: Any, n: int) -> Any:
    rows, row = [], [x, x]
    for k in range(n):
        row[0] = x * k
        rows.append((row, x))
    return sum(row[0] * scale for row, scale in rows)


def changed_under_another_name(x: Any, n: int) -> Any:
    rows = []
    for k in range(n):
        row = np.zeros(3)
        part = row[1:]
        rows.append((row, x))
        part[0] = x * k
    return sum(row[1] * scale for row, scale in rows)


def handed_out(x: Any, n: int) -> Any:
    rows = []
    for k in range(n):
        row = [x, x]
        rows.append((row, x))
        row[0] = x * k
    return rows


def test_what_is_built_before_it_is_held() -> None:
    h = 1e-6
    expected = (built_first(0.7 + h, 3) - built_first(0.7 - h, 3)) / (2.0 * h)
    assert grad(built_first)(0.7, 3) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(
    "f", [changed_afterwards, changed_in_the_next_iteration, changed_under_another_name, handed_out]
)
def test_what_changes_while_it_is_held_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(NotDifferentiable, match="changed in place is held by a tuple next to numbers"):
        vjp(f, 0.7, 3)
