"""Which ``while`` loops become loops over ranges, and that the counter is right behind them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp, value_and_grad, vjp
from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.counting import count_loops
from tests.compiled.corpus import PROGRAMS
from tests.ir.reader import opaque, read

COUNTED = (
    *("counted_up", "counted_down", "counted_to_the_last", "counted_to_a_length", "counted_from_both_ends"),
    *("counted_without_end", "counted_with_skips", "counted_in_both_branches", "counted_into_an_array"),
    *("counted_arrays", "every_second", "in_loops_that_do_not_run"),
)
LEFT = (
    *("left_in_the_middle", "stepped_at_times", "counted_to_what_comes_down", "counted_in_floats"),
    *("counted_as_it_is_tested", "counted_to_another", "stepped_by_what_changes"),
)


def source(name: str) -> str:
    p = PROGRAMS[name]
    return grad(p.function, wrt=p.wrt).source_for(*p.args)


@pytest.mark.parametrize("name", COUNTED)
def test_loops_that_count_are_loops_over_ranges(name: str) -> None:
    assert "while" not in source(name)


@pytest.mark.parametrize("name", LEFT)
def test_others_are_left(name: str) -> None:
    assert "while" in source(name)


#: The test of a loop and the body, after a few names for what they may use.
IR = """
def f(x: float64[1]#1, xs: list[float], n: int, m: int, w: float, big: int64):
    c = n - 1
    while carrying (total: float = w, i: int = {init}, j: int = n):
        {test}
        test t
    do:
        {body}
        next total_1, i_1, j_1
    -> s, k, l
    a = s * k
    y = a + l
    return y
"""
BODY = "u = x[i]\ntotal_1: float = total + u\ni_1 = i + 1\nj_1 = j - 1"


def counted(test: str, body: str = BODY, init: str = "0") -> str:
    parts = (text.replace("\n", "\n        ") for text in (test, body))
    text = IR.format(test=next(parts), body=next(parts), init=init)
    function, _ = count_loops(read(text, opaque=opaque))
    return show(verify(function))


@pytest.mark.parametrize(
    ("test", "body", "bounds"),
    [
        ("t = i < n", BODY, "0, n"),
        ("t = n > i", BODY, "0, n"),
        ("t = i <= 7", BODY, "0, 8"),
        ("p = i >= n\nt = not p", BODY, "0, n"),
        ("b = len(xs)\nt = i < b", BODY, "0, b"),
        ("b = len(x)\np = b - 1\nt = i < p", BODY, "0, p"),
        ("b = n // m\nt = i < b", BODY, "0, b"),
        ("p = i + m\nt = p < n", BODY, "0, t"),
        ("p = m + i\nq = p - c\nt = q <= n", BODY, "0, t_2"),
        ("t = i < big", BODY, "0, t"),
        ("t = i < n", BODY.replace("i + 1", "i + 4"), "0, n, 4"),
        ("t = i < n", BODY.replace("i_1 = i + 1", "i_0 = 1 + i\ni_1 = i_0 - -2"), "0, n, 3"),
        ("t = i > n", BODY.replace("i + 1", "i - 2"), "0, n, -2"),
        ("t = i >= n", BODY.replace("i + 1", "i - 1"), "0, t, -1"),
        ("t = j > 2", BODY, "n, 2, -1"),
        ("t = i < j", BODY, "0, t_3"),
        ("t = i < n", BODY + "\nprint(u)", "0, n"),
        ("b = len(xs)\nt = i < b", BODY + "\nxs[i] = u", "0, b"),
    ],
)
def test_ranges(test: str, body: str, bounds: str) -> None:
    assert f"in range({bounds}) carrying" in counted(test, body)


@pytest.mark.parametrize(
    ("test", "body"),
    [
        ("t = i < n", BODY.replace("i + 1", "i - 1")),
        ("t = i < n", BODY.replace("i + 1", "i + m")),
        ("t = i < n", BODY.replace("i + 1", "i * 2")),
        ("t = i < n", BODY.replace("i + 1", "j + 1")),
        ("t = i != n", BODY),
        ("t = i < w", BODY),
        ("t = n < m", BODY),
        ("t = i < j", BODY.replace("j - 1", "j + 1")),
        ("p = i * i\nt = p < n", BODY),
        ("p = n // i\nt = i < n", BODY),
        ("v = x[i]\nt = i < n", BODY),
        ("b: int = opaque(n)\nt = i < b", BODY),
        ("b = len(xs)\nt = i < b", BODY + "\nlist_append(xs, u)"),
        ("b = len(xs)\nt = i < b", BODY + "\nopaque(xs)"),
        ("b = len(xs)\nt = i < b", BODY + "\nopaque(w)"),
        ("p = i < n\nif p:\n    q = w < 3.0\n    give q\nelse:\n    give p\n-> t", BODY),
        ("t = i < n", BODY.replace("i_1 = i + 1", "if m:\n    a = i + 1\n    give a\nelse:\n    give i\n-> i_1")),
    ],
)
def test_no_ranges(test: str, body: str) -> None:
    assert "while" in counted(test, body)


def test_a_counter_that_begins_as_something_else_is_left() -> None:
    assert "while" in counted("t = i < n", init="False")
    assert "while" in counted("t = i < n", init="0.0")


BUFFERED = """
def f(n: int, w: float):
    while carrying (total: float = 0.0, i: int = 0):
        test True
    do:
        {first}
        t = i >= n
        if t:
            give total, i, True
        else:
            {more}
            v = total + u
            j = i + 1
            give v, j, False
        -> total_1: float, i_1: int, leave: bool
        next total_1, i_1
        exit leave
    -> s, k
    return s
"""


@pytest.mark.parametrize(
    ("first", "more", "counts"),
    [
        ("c = n + 1", "u = w + c", True),
        ("buffer: float64[1] = np.zeros(n)", "buffer[0] += w\n            u = buffer[0]", False),
    ],
)
def test_what_each_iteration_makes_stays_in_it(first: str, more: str, counts: bool) -> None:
    function, _ = count_loops(read(BUFFERED.format(first=first, more=more)))
    assert ("for i in range(0, n)" in show(verify(function))) is counts


def both(n: int, w: float) -> Any:
    i, j, k = 0, n, 5
    while i < n:
        w = np.sin(w) + i
        i += 2
    while j > -2:
        w *= 1.0 + 0.1 * j
        j -= 1
    while k < 4:
        k += 1
    return w * (i + 10 * j + 100 * k)


@pytest.mark.parametrize("n", range(-4, 7))
def test_counters_are_right_behind_their_loops(n: int) -> None:
    value, slope = value_and_grad(both, wrt=1)(n, 0.3)
    h = 1e-6
    assert value == both(n, 0.3)
    assert slope == pytest.approx((both(n, 0.3 + h) - both(n, 0.3 - h)) / (2 * h), rel=1e-7)
    assert jvp(both, (n, 0.3), (None, 1.0)) == pytest.approx((value, slope), rel=1e-12)


LIMIT = 4


def to_a_global(w: float) -> float:
    i = 0
    while i < LIMIT:
        w = w * w + 0.1 * i
        i += 1
    return w


def test_a_bound_from_outside_is_that_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = grad(to_a_global)(0.3)
    _, pullback = vjp(to_a_global, 0.3)
    monkeypatch.setitem(globals(), "LIMIT", 2)
    assert pullback(1.0)[0] == expected
    assert grad(to_a_global)(0.3) != expected


def test_derivatives_within_differentiated_code() -> None:
    def power(w: float, n: int) -> float:
        y, i = 1.0, 0
        while i < n:
            y *= w
            i += 1
        return y

    def slope(w: float) -> Any:
        return grad(power)(w, 4)

    assert "while" not in grad(slope).source_for(0.5)
    assert grad(slope)(0.5) == pytest.approx(12 * 0.5**2)


def test_recursive_functions_count_too() -> None:
    p = PROGRAMS["counted_by_recursion"]
    assert "while" not in grad(p.function).source_for(*p.args)
