"""Integers that loops step forward are stepped back, where that is possible, and recorded elsewhere."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from s2sad import grad
from s2sad.transform import undoing


def every_second(x, n):
    i = 0
    total = 1.0
    while i < n and total < 9.0:
        total = np.sin(total * x[i])
        i += 2
    return total


def of_a_triangle(x, n):
    p = 0
    total = 1.0
    for i in range(n):
        for _ in range(i + 1, n):
            total = np.sin(total * x[p])
            p += 1
    return total


def in_a_branch(x, n):
    i = 0
    total = 1.0
    for _ in range(n):
        total = np.sin(total * x[i])
        if total > 0.5:
            i += 1
    return total


def by_its_own_value(x, n):
    i = 1
    total = 1.0
    for _ in range(n):
        total = np.sin(total * x[i])
        i += i
    return total


def of_floats(x, n):
    time = 0.0
    total = 1.0
    for k in range(n):
        total = np.sin(total * time) + x[k]
        time += 0.1
    return total


def test_doctest() -> None:
    assert doctest.testmod(undoing).failed == 0


@pytest.mark.parametrize(("f", "back"), [(every_second, ["i -= 2"]), (of_a_triangle, ["p_1 -= 1", "p -= max("])])
def test_stepped_back(f, back) -> None:
    source = grad(f).source_for(np.ones(10), 4)
    assert all(line in source for line in back)
    assert "tape.append(total)" in source.replace("total_tape", "tape")  # and nothing else


@pytest.mark.parametrize(
    ("f", "recorded"), [(in_a_branch, "(total, i)"), (by_its_own_value, "(total, i)"), (of_floats, "(time, total)")]
)
def test_recorded(f, recorded) -> None:
    assert f"tape.append({recorded})" in grad(f).source_for(np.ones(10), 4)
