"""Which loops go over a list from its end, and that they find there what was put there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp, value_and_grad, vjp
from s2sad.backend.emit import emit
from s2sad.backend.load import load
from tests.ir.reader import read

#: A list that a loop fills, and one that takes as many items as it has, with what comes before and after that.
IR = """
def f(x: float, n: int):
    xs: list[float] = []
    for i in range(0, n) carrying (y: float = x):
        list_append(xs, y)
        z = y * y
        next z
    -> w
    {before}
    t = len(xs)
    for k in range(0, t) carrying (b: float = w):
        v: float = list_pop(xs, -1)
        u = v * b
        next u
    -> c
    {after}
    return c
"""


def text(before: str = "", after: str = "") -> str:
    lines = IR.format(before=before, after=after).splitlines()
    return emit([read("\n".join(line for line in lines if line.strip()))]).text


def test_a_list_that_is_emptied_is_gone_over() -> None:
    assert "    for v in reversed(xs):\n        b *= v\n" in text()
    f = load(emit([read("\n".join(line for line in IR.format(before="", after="").splitlines() if line.strip()))]))
    assert f(1.5, 3) == (1.5**8) * 1.5 * 1.5**2 * 1.5**4


@pytest.mark.parametrize(
    ("before", "after"),
    [("", "l = len(xs)"), ("", "list_append(xs, c)"), ("m: float = xs[0]", ""), ("s: list[float] = list_copy(xs)", "")],
)
def test_others_take_its_items_one_by_one(before: str, after: str) -> None:
    assert "xs.pop()" in text(before, after) and "reversed" not in text(before, after)


def test_numba_is_given_no_such_loop() -> None:
    lines = IR.format(before="", after="").splitlines()
    function = read("\n".join(line for line in lines if line.strip()))
    assert "xs.pop()" in emit([function], python=False).text


def nested(x: float, n: int) -> float:
    total = 0.0
    for i in range(n):
        y = x + i
        while abs(y * y - x) > 1e-9:
            y = 0.5 * (y + x / y)
        total = np.sin(total) + y * (i + 1)
    return total


def two_at_once(x: float, n: int) -> float:
    y = x
    for _ in range(n):
        if y > 1.0:
            y = np.sin(y)
        else:
            y = y * y + x
    return y


def by_its_index(x: np.ndarray) -> float:
    y = 1.0
    for k in range(len(x)):
        y = np.sin(y * x[k])
    return y


def stacks(x: float, n: int) -> float:
    held = []
    for k in range(n):
        held.append(x * k)
    total = 0.0
    for _ in range(len(held)):
        total = total * x + held.pop()
    return total + len(held)


@pytest.mark.parametrize(
    ("f", "args"),
    [(nested, (2.3, 3)), (two_at_once, (0.8, 6)), (by_its_index, (np.array([0.4, 0.7, 1.2]),)), (stacks, (0.6, 4))],
)
def test_gradients_agree_with_differences(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    x, *rest = args
    h = 1e-6
    slope = (f(x + h, *rest) - f(x - h, *rest)) / (2 * h)
    np.testing.assert_allclose(np.sum(grad(f)(*args)), slope, rtol=1e-7)
    y, pullback = vjp(f, *args)
    for _ in range(2):  # the lists are as they were
        np.testing.assert_allclose(np.sum(pullback(1.0)[0]), slope, rtol=1e-7)
    assert y == f(*args)


def of_a_copy(x: float, n: int) -> float:
    xs = []
    for k in range(n):
        xs.append(x * (k + 1))
    ys = list(xs)
    xs.append(x * 10)
    total = 0.0
    for _ in range(len(ys)):
        total = total * x + ys.pop()
    return total + xs[-1]


def of_a_copy_while_it_grows(x: float, n: int) -> float:
    xs = []
    for k in range(n):
        xs.append(x * (k + 1))
    ys = list(xs)
    total = 0.0
    for _ in range(len(ys)):
        v = ys.pop()
        total = total * x + v
        if len(xs) < 20:
            xs.append(v * x)
    return total * len(xs)


def of_a_copy_of_what_changes(x: float, n: int) -> float:
    xs = []
    for k in range(n):
        xs.append(x * (k + 1))
    ys = list(xs)
    xs[0] = x * 7.0
    total = 0.0
    for _ in range(len(ys)):
        total = total * x + ys.pop()
    return total + xs[0] * x


@pytest.mark.parametrize("f", [of_a_copy, of_a_copy_while_it_grows, of_a_copy_of_what_changes])
def test_a_copy_keeps_what_its_list_held(f: Callable[..., Any]) -> None:
    h = 1e-6
    slope = (f(0.7 + h, 3) - f(0.7 - h, 3)) / (2 * h)
    for found in (value_and_grad(f)(0.7, 3), jvp(f, (0.7, 3), (1.0, None))):
        np.testing.assert_allclose(found, (f(0.7, 3), slope), rtol=1e-7)


def test_a_list_that_outer_iterations_share_is_emptied() -> None:
    source = grad(nested).source_for(2.3, 3)
    assert "pop()" in source and "for y in reversed" not in source


def test_no_copy_is_made_to_be_emptied() -> None:
    assert "list(" not in grad(two_at_once).source_for(0.8, 6) and ".pop()" not in grad(two_at_once).source_for(0.8, 6)


def in_temporaries(x: float, n: int) -> float:
    for k in range(n):
        x = np.sin(x * x) * np.exp(0.1 * x) + np.cos(x) / (1.0 + k)
    return x


def test_what_is_taken_again_goes_by_the_same_names() -> None:
    source = grad(in_temporaries).source_for(0.7, 3)
    put = re.search(r"tape\.append\(\((.*)\)\)", source)
    taken = re.search(r"(?:for (.*) in reversed\(tape\)|        (.*) = tape\.pop\(\))", source)
    assert put and taken and put[1] == (taken[1] or taken[2]) and "," in put[1]
