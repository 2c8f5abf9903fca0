"""A list that changes its length while it is iterated over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad


def grows(x: float) -> float:
    xs = [x, x * x]
    total = 0.0
    for v in xs:
        if len(xs) < 5:
            xs.append(v * x)
        total += v
    return total


def shrinks_by_another_name(x: float) -> float:
    xs = [x, x * x, 2.0]
    ys = xs
    total = 0.0
    for k, v in enumerate(xs):
        if k > 0:
            ys.pop()
        total += v
    return total


def comes_to_be_one_list(x: float, n: int = 2) -> float:
    old, new = [x, x * x], [1.0]
    for _ in range(n):
        for v in old:
            if len(new) < 5:
                new.append(v * x)
        old = new
    return sum(old)


@pytest.mark.parametrize("f", [grows, shrinks_by_another_name, comes_to_be_one_list])
def test_is_refused_where_it_changes(f: Callable[..., float]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="changes its length here") as caught:
        s2sad.grad(f)(0.7)
    assert ".append(" in str(caught.value) or ".pop(" in str(caught.value)


def layers(x: float) -> float:
    old = [x, x * x]
    for _ in range(3):
        new = []
        for v in old:
            new.append(v * x)
        new += new
        old = new
    return sum(old)


def test_another_list_may_grow() -> None:
    s2sad.check_grads(layers)(0.7)


def takes_a_number_for_an_array(xs: list[np.ndarray]) -> float:
    tape = xs[:]
    tape[1] = xs[0][0]
    return np.sum(tape[0] * tape[1])


def holds_both(xs: list[Any]) -> float:
    xs[0] = np.array([xs[0], xs[1]])
    return np.sum(xs[0]) * xs[1]


def holds_lists_too(xs: list[float]) -> float:
    bound: list[Any] = []
    for _ in range(0):
        bound.append([*xs])
    for _ in xs:
        bound.append(xs[1])
    bound[1] *= 0.5
    return sum(b for _, b in zip(xs, bound))


@pytest.mark.parametrize(
    ("f", "xs"),
    [
        (holds_lists_too, [1.0, 2.0]),
        (takes_a_number_for_an_array, [np.ones(2), np.ones(2)]),
        (holds_both, [1.0, 2.0]),
    ],
)
def test_lists_keep_to_one_sort(f: Callable[..., float], xs: list[Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="another sort"):
        s2sad.grad(f)(xs)


def scales_what_may_be_an_array(flag: bool, x: float, a: np.ndarray) -> float:
    xs = [x, a]
    if flag:
        xs.append(a)
    for v in xs:
        v *= 2.0
    return np.sum(xs[1]) * xs[0]


def test_items_that_may_be_arrays_are_not_scaled_in_place() -> None:
    with pytest.raises(s2sad.S2sadError, match="cannot be told whether"):
        s2sad.grad(scales_what_may_be_an_array, wrt=1)(True, 2.0, np.ones(2))


def maybe_rows(x: float) -> list[Any]:
    tape: list[Any] = []
    for _ in range(0):
        row = [x]
        row.append(x)
        tape.append(row)
    tape.append(x * x)
    return tape


def copies_what_may_be_lists(x: float) -> float:
    return sum(maybe_rows(x)[:])


def pops_what_may_be_a_list(x: float) -> float:
    copy = maybe_rows(x)[:]
    return copy.pop() * x


@pytest.mark.parametrize("f", [copies_what_may_be_lists, pops_what_may_be_a_list])
def test_items_that_may_be_lists_changed_in_place_are_refused(f: Callable[..., float]) -> None:
    with pytest.raises(s2sad.NotDifferentiable, match="in lists of their own"):
        s2sad.grad(f)(0.7)


def shares_lists_with_a_list_of_arrays(b: float, rows: list[list[float]]) -> float:
    part: list[Any] = []
    for _ in range(0):
        part.append(np.array([b, rows[0][0]]))
    for _ in range(2):
        part = rows[0:1]
        rows = [*rows, *rows]
    return b + sum([v * rows[-3][0] for v in part[-1]])


def test_lists_merged_with_others_are_refused() -> None:
    with pytest.raises(s2sad.NotDifferentiable, match="are not followed"):
        s2sad.grad(shares_lists_with_a_list_of_arrays, wrt=(0, 1))(1.056, [[0.397]])


def test_lists_in_tuples_of_a_list_are_refused_what_they_were_not_seen_to_hold() -> None:
    def logged(pairs, x):
        for log, weight in pairs:
            log.append(x * weight)
        return sum(log[0] for log, _ in pairs)

    with pytest.raises(s2sad.UnsupportedSyntax, match="another sort") as caught:
        s2sad.grad(logged, wrt=1)([([], 1.5), ([], 0.5)], 2.0)
    assert "log.append(x * weight)" in str(caught.value)


def test_derivatives_inside_go_through_lists_that_are_passed_empty() -> None:
    def product(rows, x):
        rows[0].append(x * 2.0)
        return rows[0][-1] * x

    def squared(xs, x):
        xs.append(x * x)
        return xs[-1]

    def slope(x):
        return s2sad.grad(squared, wrt=1)([], x)

    assert s2sad.hessian(product, wrt=1)([[], []], 1.5) == 4.0
    assert s2sad.grad(s2sad.grad(product, wrt=1), wrt=1)([[], []], 1.5) == 4.0
    assert s2sad.grad(slope)(1.5) == 2.0
