"""Arithmetic on names that may be None: derivatives raise TypeError as Python does, or know that there is a value."""

from __future__ import annotations

import inspect
import re
import textwrap

import numpy as np
import pytest

import s2sad
from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.transform import absent
from s2sad.transform.asking import ask_for_none
from tests.ir.reader import read

TIERS = ("python", "numba")


def example(word: str) -> str:
    m = re.search(rf"^{word}::\n\n((?:    .*\n|\n)+)", inspect.getdoc(absent) or "", re.MULTILINE)
    assert m
    return textwrap.dedent(m[1]).strip()


def test_the_example_in_the_docstring() -> None:
    assert show(verify(ask_for_none(read(example("Before"))))) == example("After")


def steps(x, n, first):
    last = None
    history = []
    for k in range(n):
        if k >= first:
            history.append((x - last) ** 2)
        last = x
        x = 0.5 * (x + 2.0 / x)
    return x + sum(history)


def steps_of_arrays(x, n, first):
    last, total, history = None, None, []
    for k in range(n):
        v = x * (k + 1.0)
        if k >= first:
            history.append((v - last) @ (v + last))
            total = total + history[-1]
        else:
            total = 0.0
        last = v
    return total + sum(history)


def chosen(x, n, first):
    y = None
    if n > first:
        y = 2.0 * x
    return 3.0 * x + y


def from_a_loop(x, n, first):
    y = None
    for k in range(first, n):
        y = x * k
    return np.sin(y) * x


def negated(x, n, first):
    y = None
    while n > first:
        y = x * n
        n -= 1
    return x - (-y)


def two_together(x, n, first):
    last, slope = None, None
    for k in range(n):
        new = x * x - 2.0
        if first > 0 and last is None:
            step = 0.1 * new
        else:
            step = new * (x - last) / (new - slope)
        last, slope = x, new
        x = x - step
    return x


FOUND = [(steps, 1.5), (steps_of_arrays, np.array([1.5, 0.5])), (chosen, 1.5), (from_a_loop, 1.5), (negated, 1.5)]
FOUND += [(two_together, 1.5)]
NONE = {
    steps: (3, 0),
    steps_of_arrays: (3, 0),
    chosen: (1, 2),
    from_a_loop: (1, 2),
    negated: (1, 1),
    two_together: (2, 0),
}


@pytest.mark.parametrize("backend", TIERS)
@pytest.mark.parametrize(("f", "x"), FOUND, ids=lambda v: getattr(v, "__name__", ""))
def test_where_there_is_a_value_there_is_a_derivative(f, x, backend: str) -> None:
    s2sad.check_grads(f, backend=backend)(x, 4, 1)
    assert s2sad.value_and_grad(f, backend=backend)(x, 4, 1)[0] == pytest.approx(f(x, 4, 1), rel=1e-14)


@pytest.mark.parametrize("backend", TIERS)
@pytest.mark.parametrize(("f", "x"), FOUND, ids=lambda v: getattr(v, "__name__", ""))
def test_where_there_is_none_python_raises_and_so_do_derivatives(f, x, backend: str) -> None:
    with pytest.raises(TypeError):
        f(x, *NONE[f])
    for derivative in (s2sad.grad(f, backend=backend), s2sad.value_and_grad(f, backend=backend)):
        with pytest.raises(TypeError, match="None"):
            derivative(x, *NONE[f])


def test_so_does_the_forward_mode() -> None:
    for f, x in FOUND:
        with pytest.raises(TypeError, match="None"):
            s2sad.jvp(f, (x, *NONE[f]), (x, None, None))


def always_none(x, flag):
    nothing = None
    return x * nothing if flag else x * x


@pytest.mark.parametrize("backend", TIERS)
def test_arithmetic_on_none_itself(backend: str) -> None:
    derivative = s2sad.grad(always_none, backend=backend)
    assert derivative(3.0, False) == 6.0
    with pytest.raises(TypeError, match="None"):
        derivative(3.0, True)


def least(xs):
    best, last = None, None
    for x in xs:
        v = x * x - x
        if best is None or v < best:
            best = v
        if last is not None and best < last:
            best = best + 0.1 * last
        last = best
    return best if best is not None else 0.0


def secant(x):
    last, slope, step = None, None, None
    for _ in range(4):
        new = x * x - 2.0
        if last is not None:
            step = new * (x - last) / (new - slope)
        elif step is None:
            step = 0.1 * new
        last, slope = x, new
        x = x - step
    return x * last


@pytest.mark.parametrize(
    ("f", "x"), [(least, np.array([1.0, 0.3, 2.0])), (secant, 1.5), (lambda x: steps(x, 4, 1), 1.5)]
)
def test_what_tests_tell_is_not_asked_again(f, x) -> None:
    assert "unsupported operand" not in s2sad.grad(f).source_for(x)
    s2sad.check_grads(f)(x)


def with_a_hole(x, n):
    h = [None] * 3
    h[0] = x * x
    h[2] = x
    if n > 2:
        h[1] = x * n
    return h[0] + h[1] + h[2]


def with_a_hole_written_down(x, n):
    h = [x, None]
    if n > 2:
        h[-1] = x * n
    return h[0] + h[1]


def filled_by_a_short_loop(x, n):
    h = [None] * 4
    for i in range(n + 1):
        h[i] = x * i * x
    return h[0] + h[1] * h[3]


def emptied_again(x, n):
    h = [None] * 3
    for i in range(3):
        h[i] = x * (i + 1)
    if n < 3:
        h[1] = None
    return h[0] * x + h[1]


def each_from_the_last(x, n):
    h = [None] * (n + 1)
    h[n // 3] = x
    for i in range(n):
        h[i + 1] = h[i] * x + (h[i - 1] if i else 0.0) * 1.5
    return h[n] * x


ITEMS = [with_a_hole, with_a_hole_written_down, filled_by_a_short_loop, emptied_again]


@pytest.mark.parametrize("backend", TIERS)
@pytest.mark.parametrize("f", ITEMS)
def test_items_that_may_be_none(f, backend) -> None:
    gradient, eps = s2sad.grad(f, backend=backend), 1e-6
    wanted = (f(0.7 + eps, 3) - f(0.7 - eps, 3)) / (2.0 * eps)
    np.testing.assert_allclose(gradient(0.7, 3), wanted, rtol=1e-7)
    for derivative in (gradient, lambda x, n: s2sad.jvp(f, (x, n), (1.0, 0))):
        with pytest.raises(TypeError, match="unsupported operand"):
            derivative(0.7, 2)
    with pytest.raises(TypeError):
        f(0.7, 2)


def squares_of_all(x, n):
    h = [None] * n
    for i in range(len(h)):
        h[i] = x * i * x
    total = 0.0
    for i in range(n):
        total += h[i] * h[i]
    return total


def all_but_the_first(x, n):
    h = [None] * 5
    h[0] = x * n
    for i in range(4):
        h[i + 1] = x * i
    return h[0] * h[1] + h[4] * h[2]


@pytest.mark.parametrize(("f", "args"), [(squares_of_all, (0.7, 3)), (all_but_the_first, (0.7, 3))])
def test_items_of_lists_that_are_filled_are_not_asked(f, args) -> None:
    assert "unsupported operand" not in s2sad.grad(f).source_for(*args)
    s2sad.check_grads(f)(*args)


@pytest.mark.parametrize("backend", TIERS)
def test_items_that_others_are_made_from(backend: str) -> None:
    s2sad.check_grads(each_from_the_last, backend=backend)(0.7, 2)
