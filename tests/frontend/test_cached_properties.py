"""Cached properties, and functions that keep what they gave."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import jvp, value_and_grad


class Rectangle:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    @cached_property
    def area(self) -> Any:
        return self.a * self.b

    @cached_property
    def sides(self) -> Any:
        return np.array([self.a, self.b]) * self.area

    @cached_property
    def doubled(self) -> Any:
        return 2.0 * self.a, self.b

    def squared(self) -> Any:
        return self.area**2


def changed_after_it_is_known(a: Any, b: Any) -> Any:
    r = Rectangle(a, b)
    first, (width, _) = r.area, r.doubled
    r.a, r.b = 10.0 * b, 7.0
    return first + 2.0 * r.area + r.squared() * width + r.doubled[0]


def known_on_one_path(a: Any, b: Any) -> Any:
    r = Rectangle(a, b)
    first = r.area if a > 1.0 else 0.0
    r.b = 5.0 * b
    return first + r.area


def in_a_loop(a: Any, b: Any) -> Any:
    r, total = Rectangle(a, b), 0.0
    for k in range(3):
        total = total + k * r.area + np.sum(r.sides)
        r.a = 2.0 * r.a
    return total + r.area * r.a


def one_for_each(a: Any, b: Any) -> Any:
    total = 0.0
    for k in range(3):
        r = Rectangle(a * k, b)
        total += r.area
        r.a = 2.0
        total += r.area
    return total


def of_copies(a: Any, b: Any) -> Any:
    r = Rectangle(a, b)
    first = r.area
    with_it, without = copy.copy(r), Rectangle(a, a)
    with_it.a, without.a = 3.0, 4.0
    return first * with_it.area + without.area


def set_by_hand(a: Any, b: Any) -> Any:
    r = Rectangle(a, b)
    r.area = a
    return r.area * r.squared() * b


PROGRAMS = [changed_after_it_is_known, known_on_one_path, in_a_loop, one_for_each, of_copies, set_by_hand]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("a", [1.3, 0.4])
def test_it_is_computed_once(f: Callable[..., Any], a: float) -> None:
    h = 1e-6
    expected = (f(a + h, 0.7) - f(a - h, 0.7)) / (2 * h), (f(a, 0.7 + h) - f(a, 0.7 - h)) / (2 * h)
    value, slopes = value_and_grad(f, wrt=(0, 1))(a, 0.7)
    assert value == pytest.approx(f(a, 0.7), rel=1e-14)
    assert slopes == pytest.approx(expected, rel=1e-7)
    assert jvp(f, (a, 0.7), (1.0, 2.0))[1] == pytest.approx(slopes[0] + 2.0 * slopes[1], rel=1e-12)


@dataclass(frozen=True)
class Record:
    a: Any
    b: Any

    @cached_property
    def product(self) -> Any:
        return self.a * np.sum(self.b)


def test_of_a_frozen_record() -> None:
    slope = s2sad.grad(lambda r: r.product * r.product)(Record(1.3, np.array([1.0, 2.0])))
    assert slope.a == pytest.approx(2.0 * 1.3 * 9.0)


def one_of_some(x: Any, n: int) -> Any:
    rectangles = [Rectangle(v, v) for v in x]
    return rectangles[n].area


def asked_for_in_a_try(x: Any) -> Any:
    r = Rectangle(x, x)
    try:
        area = r.area / x
    except ZeroDivisionError:
        area = 0.0
    return area


@pytest.mark.parametrize(("f", "args"), [(one_of_some, ([1.3, 0.4], 1)), (asked_for_in_a_try, (1.3,))])
def test_where_it_is_not_followed_it_is_refused(f: Callable[..., Any], args: Any) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="`area`"):
        s2sad.grad(f)(*args)


class Keeping:
    def __init__(self, a: Any) -> None:
        self.a = a

    @functools.cache
    def scaled(self, x: Any) -> Any:
        return self.a * x


def kept_for_each(a: Any) -> Any:
    return sum(Keeping(k * a).scaled(2.0) * Keeping(a).scaled(k) for k in range(1, 4))


def kept_of_a_function(a: Any) -> Any:
    scale = 2.0 * a

    @functools.lru_cache(maxsize=64)
    def series(n: int) -> Any:
        total = scale
        for k in range(n):
            total = total + k
        return total if n < 2 else 0.5 * series(n - 1) + series(n - 2)

    total = 0.0
    for k in range(5):
        total = total + series(k)
    return total


@pytest.mark.parametrize("f", [kept_for_each, kept_of_a_function])
def test_what_is_kept_of_what_does_not_change_is_computed_anew(f: Callable[..., Any]) -> None:
    assert s2sad.grad(f)(1.3) == pytest.approx((f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6, rel=1e-7)


def kept_while_it_changes(a: Any) -> Any:
    keeping = Keeping(a)
    total = 0.0
    for _ in range(3):
        total = total + keeping.scaled(2.0)
        keeping.a = 2.0 * keeping.a
    return total


def kept_while_a_name_changes(a: Any) -> Any:
    scale = 1.0

    @functools.cache
    def scaled(x: Any) -> Any:
        return scale * x

    first = scaled(a)
    scale = 5.0
    return first + scaled(a)


@pytest.mark.parametrize("f", [kept_while_it_changes, kept_while_a_name_changes])
def test_what_is_kept_of_what_changes_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="keeps what it gave"):
        s2sad.grad(f)(1.3)


class Weights:
    def __init__(self, w: Any) -> None:
        self.w = w

    @functools.cache
    def norm(self) -> Any:
        return np.sum(self.w**2)


OUTSIDE = Weights(np.array([1.0, 2.0]))


def changed_after_it_is_kept(x: Any) -> Any:
    weights = Weights(np.array([x, 2.0 * x]))
    first = weights.norm()
    weights.w[0] = 3.0 * x
    return first + weights.norm()


def changed_by_another_name(x: Any) -> Any:
    w = np.array([x, 2.0 * x])
    weights = Weights(w)
    first = weights.norm()
    w[1:] *= x
    return first + weights.norm()


def changed_in_the_next_iteration(x: Any) -> Any:
    weights = Weights(np.array([x, x]))
    total = 0.0
    for _ in range(3):
        weights.w[0] = 2.0 * weights.w[0]
        total = total + weights.norm()
    return total


def changed_outside(x: Any) -> Any:
    first = OUTSIDE.norm()
    OUTSIDE.w[0] = x
    return first + OUTSIDE.norm()


@pytest.mark.parametrize(
    "f", [changed_after_it_is_kept, changed_by_another_name, changed_in_the_next_iteration, changed_outside]
)
def test_arrays_that_change_after_a_method_kept_what_it_made_of_them(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="`norm` keeps what it gave, and what it is of changes after"):
        s2sad.grad(f)(1.5)


def changed_before(x: Any) -> Any:
    weights = Weights(np.zeros(2))
    weights.w[0] = x
    weights.w[1] = 2.0 * x
    return weights.norm() * weights.norm() + OUTSIDE.norm() * x


def test_arrays_that_change_before_only() -> None:
    moved = (changed_before(1.5 + 1e-6) - changed_before(1.5 - 1e-6)) / 2e-6
    assert s2sad.grad(changed_before)(1.5) == pytest.approx(moved, rel=1e-7)


@functools.cache
def squares_outside(k: int) -> Any:
    return np.sum(OUTSIDE.w**2) * k


def function_of_an_array_outside(x: Any) -> Any:
    first = squares_outside(2)
    OUTSIDE.w[0] = x
    return first + squares_outside(2)


def function_of_an_array(x: Any) -> Any:
    a = np.array([x, x])

    @functools.cache
    def squares(k: int) -> Any:
        return np.sum(a**2) * k

    first = squares(2)
    a[0] = 3.0 * x
    return first + squares(2)


def function_of_an_item(x: Any) -> Any:
    settings = {"scale": x}

    @functools.lru_cache
    def scaled(k: int) -> Any:
        return settings["scale"] * k

    first = scaled(2)
    settings["scale"] = 7.0 * x
    return first + scaled(2)


def function_of_an_attribute(x: Any) -> Any:
    def scaled(k: int) -> Any:
        return keeping.a * k

    keeping = Keeping(x)
    doubled = functools.partial(functools.cache(scaled), 2)
    total = 0.0
    for _ in range(3):
        keeping.a = keeping.a * 2.0
        total = total + doubled()
    return total


def function_that_counts(x: Any) -> Any:
    calls = [0]

    @functools.cache
    def scaled(k: int) -> Any:
        calls[0] += 1
        return x * k

    return scaled(2) + scaled(2) + calls[0] * x


def result_that_changes(x: Any) -> Any:
    @functools.cache
    def both(k: int) -> Any:
        return np.ones(2) * x * k

    first = both(2)
    first[0] = 5.0
    return np.sum(both(2))


CHANGED = [
    function_of_an_array_outside,
    function_of_an_array,
    function_of_an_item,
    function_of_an_attribute,
    function_that_counts,
    result_that_changes,
]


@pytest.mark.parametrize("f", CHANGED)
def test_what_a_function_keeps_of_what_changes_later_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=r"keeps what it gave, and (what it is of|that) changes after"):
        s2sad.grad(f)(1.5)


def kept_of_new_arrays(x: Any) -> Any:
    total = 0.0
    for k in range(3):
        w = np.zeros(2)
        w[0] = x * k
        record = Record(x, w)
        total = total + record.product * record.product
    return total


def kept_of_a_table(x: Any) -> Any:
    table = np.zeros(3)
    for k in range(3):
        table[k] = x * k

    @functools.cache
    def entry(i: int, j: int) -> Any:
        return table[i] * table[j]

    return sum(entry(i, j) for i in range(3) for j in range(3))


@pytest.mark.parametrize("f", [kept_of_new_arrays, kept_of_a_table])
def test_arrays_that_change_before_each_call_only(f: Callable[..., Any]) -> None:
    assert s2sad.grad(f)(1.5) == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6, rel=1e-7)
