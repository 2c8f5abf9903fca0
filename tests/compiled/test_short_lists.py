"""Short lists of numbers as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, value_and_grad
from s2sad.compiled.short_lists import lists_apart
from s2sad.ir.printer import show
from tests.ir.reader import read

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def slopes(y, a):
    return [a * y[0] - y[0] * y[1], y[0] * y[1] - math.sin(y[1])]


def runge_kutta(a, b, n):
    """A state by zip, and by an index."""
    y = [a, b]
    for _ in range(n):
        k = slopes(y, a)
        m = slopes([u + 0.05 * v for u, v in zip(y, k, strict=True)], a)
        y = [y[i] + 0.05 * (k[i] + m[i]) for i in range(len(y))]
    return y[0] * y[1]


def until(a, b, n):
    """A loop that asks for an item whether to go on, and is left early."""
    y = [a, b, 0.0]
    while y[2] < 0.1 * n:
        if y[0] > 3.0:
            break
        y = [y[0] * 1.1, y[1] + y[0] * 0.1, y[2] + 0.1]
    return y[0] * y[1] + sum(y)


def branches(a, b, n):
    """Branches that hand out lists."""
    y = [a, b]
    for k in range(n):
        z = [y[1], y[0] * a] if k % 2 == 0 else [y[0] * b, 1]
        if z[0] > 0.5:
            y = [0.7 * z[0], 0.3 * z[1]]
        else:
            y = z
    return y[0] + y[1] ** 2


def filled(a, b, n):
    """Lists that are repeated, copied, extended and filled."""
    total = 0.0
    y = [a] + [b] * 2
    for _ in range(n):
        d = [0.0] * 3
        for i in range(3):
            for j in range(3):
                d[i] += (y[j] - y[i]) * 0.1 * y[i]
        z = list(y)
        z[1] = z[0] * z[2]
        z[-1] = d[-3]
        y = [y[i] + d[i] for i in range(3)]
        total += z[0] + z[1] * z[2]
    return total + y[2]


def arrays_of(a, b, n):
    """Lists that arrays are made of."""
    y = [a, b]
    for _ in range(n):
        v = np.array(y)
        w = np.tanh(v) * np.array([y[1], 2.0])
        y = [w[0] + y[0] * 0.1, w[1]]
    return np.sum(np.array(y) ** 2)


def one_name_for_two(a, b, n):
    """A list that goes by two names changes under both."""
    y = [a, b]
    z = y
    z[0] = a * b
    return y[0] * (n + y[1])


NUMBERS: tuple[Callable[..., Any], ...] = (runge_kutta, until, branches, filled, arrays_of, one_name_for_two)


@pytest.mark.parametrize("n", [0, 1, 7])
@pytest.mark.parametrize("function", NUMBERS, ids=lambda f: f.__name__)
def test_numbers(function: Callable[..., Any], n: int) -> None:
    compared(function, 0.9, 0.4, n)


@pytest.mark.parametrize("function", NUMBERS, ids=lambda f: f.__name__)
def test_no_list_is_left(function: Callable[..., Any]) -> None:
    text = value_and_grad(function, wrt=(0, 1), backend="numba").source_for(0.9, 0.4, 7)
    assert not any("= [" in line for line in text.splitlines() if "#" not in line and "_tape = []" not in line)


def compared(function: Callable[..., Any], *args: Any) -> None:
    """Both tiers agree, and the derivative is that of the function."""
    compiled = value_and_grad(function, wrt=(0, 1), backend="numba")(*args)
    expected = value_and_grad(function, wrt=(0, 1))(*args)
    np.testing.assert_allclose(compiled[0], expected[0], rtol=1e-13)
    np.testing.assert_allclose(compiled[1], expected[1], rtol=1e-12, atol=1e-14)
    check_grads(function, wrt=(0, 1), backend="numba")(*args)


def in_place(a, b, n):
    """A state that each iteration changes."""
    y = [a, b]
    for _ in range(n):
        k = [y[1], -math.sin(y[0])]
        for i in range(2):
            y[i] += 0.1 * k[i]
    return y[0] * y[1]


def place_at_run_time(a, b, n):
    y = [a, b, a * b]
    total = 0.0
    for k in range(n):
        total += y[k % 3] * y[-1]
    return total


def of_two_lengths(a, b, n):
    y = [a, b] if n > 2 else [a, b, a * b]
    total = 0.0
    for u in y:
        total += u * u
    return total


def grown(a, b, n):
    y = [a]
    for _ in range(n):
        y = [*y, y[-1] * b]
    return sum(y)


def changed_under_another_name(a, b, n):
    y = [a, b]
    w = [b, a]
    z = y if n > 1 else w
    z[0] = a * b
    return y[0] * 3.0 + w[0] + z[1]


def handed_on_and_changed(a, b, n):
    y = [a, b]
    z = [b, b]
    for _ in range(n):
        y[0] = y[0] * 0.5 + z[1]
        z = y
    return y[0] + z[0] * 2.0


def which_one_it_is(a, b, n):
    y = [a, b]
    z = y
    w = [a, b]
    total = 0.0
    for _ in range(n):
        if y is z:
            total += y[0]
        if y is not w:
            total += 2.0 * y[1]
        if y == w:
            total += a * b
    return total


def in_another(a, b, n):
    y = [a, b]
    kept = [y]
    for _ in range(n):
        kept.append([kept[-1][0] * b, a])
    kept[0][1] = b * b
    return y[1] + kept[-1][0]


LISTS: tuple[Callable[..., Any], ...] = (
    *(in_place, place_at_run_time, of_two_lengths, grown),
    *(changed_under_another_name, handed_on_and_changed, which_one_it_is, in_another),
)


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("function", LISTS, ids=lambda f: f.__name__)
def test_lists_that_stay(function: Callable[..., Any], n: int) -> None:
    compared(function, 0.9, 0.4, n)


def test_an_index_that_is_out_of_range() -> None:
    def far(a, n):
        y = [a, a * a]
        for _ in range(n):
            y = [y[1], y[2]]
        return y[0]

    df = value_and_grad(far, backend="numba")
    with pytest.raises(IndexError):
        df(0.5, 1)
    assert df(0.5, 0) == (0.5, 1.0)


def test_results_are_lists() -> None:
    def pair(a, n):
        y = [a, a]
        for _ in range(n):
            y = [y[1], y[0] * a]
        return y[0]

    value, slope = value_and_grad(pair, backend="numba")(0.5, 3)
    assert (value, slope) == (0.25, 1.0)


BODY = """
def f(x: float, n: int):
    y: list[float] = [x, 2.0]
    a: float = y[0]
    {0}
    return a
"""


@pytest.mark.parametrize(
    "more",
    [
        "list_append(y, a)\n    y[n] = a",  # a place known at run time only
        "z = [y]\n    b: list[float] = z[0]\n    b[0] = 3.0",
        "for i in range(0, n):\n        list_append(y, a)",
        "if n:\n        y[0] = a",
        "u: float = y[2]",
    ],
)
def test_statements_that_keep_a_list(more: str) -> None:
    function = read(BODY.format(more))
    assert lists_apart(function)[0] is function


def test_statements_that_do_not() -> None:
    text = show(lists_apart(read(BODY.format("y[1] = a\n    u: float = y[-1]\n    s = np.sum(y)")))[0])
    assert "y = [x, x]" in text and "y[" not in text
