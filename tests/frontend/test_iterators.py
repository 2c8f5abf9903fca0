"""Iterators and generators that are kept give their items once, and late."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest

import s2sad


def used_twice(x: float, l: list[float]) -> float:
    pairs = zip(l, l)
    return sum(p * q for p, q in pairs) * x + sum(p * q for p, q in pairs)


def used_in_a_loop(x: float, l: list[float]) -> float:
    items, total = enumerate(l), 0.0
    for _ in range(2):
        for k, v in items:
            total += k * v * x
    return total


def used_in_a_comprehension(x: float, l: list[float]) -> float:
    back = reversed(l)
    return sum([v * x for _ in range(2) for v in back])


def taken_one_by_one_in_a_loop(x: float, l: list[float]) -> float:
    items = iter(l)
    for _ in range(int(l[0])):
        x = x * next(items)
    return x


def taken_in_a_branch(x: float, l: list[float]) -> float:
    items = iter(l)
    if x > 1.0:
        x = x * next(items)
    return x + sum(items)


def taken_under_two_names(x: float, l: list[float]) -> float:
    items = iter(l)
    x = x * next(items)
    others = items
    return next(others) * x + sum(items)


def reduced_of_one_array(x: float, l: list[float]) -> float:
    held = np.zeros(2)

    def added(k: float) -> np.ndarray:
        held[0] += k * x
        return held

    return functools.reduce(lambda a, b: a + b[0], (added(k) for k in l), 0.0)


def in_groups(x: float, l: list[float]) -> float:
    return sum(sum(group) * x for _, group in itertools.groupby(l))


def summed_twice(x: float, l: list[float]) -> float:
    sums = itertools.accumulate(l)
    return sum(sums) * x + sum(sums)


def choices_used_twice(x: float, l: list[float]) -> float:
    pairs = itertools.combinations(l, 2)
    return sum(p * q for p, q in pairs) * x + sum(p for p, _ in pairs)


def powers(x: float) -> Iterator[float]:
    y = 1.0
    while True:
        y *= x
        yield y


def generator_used_twice(x: float, l: list[float]) -> float:
    scaled = (x * v for v in l)
    return sum(scaled) * x + sum(scaled)


def two_without_end(x: float, l: list[float]) -> float:
    return sum(itertools.islice((p * q for p, q in zip(powers(x), powers(x))), 2))


def halves(x: float) -> Iterator[float]:
    if x > 0.1:
        yield x
        yield from halves(x / 2.0)


def calls_itself(x: float, l: list[float]) -> float:
    return sum(halves(x))


def yields_in_a_context(x: float, l: list[float]) -> float:
    def quiet() -> Iterator[float]:
        with np.errstate(all="ignore"):
            yield x

    return sum(quiet())


def two_that_change_a_list(x: float, l: list[float]) -> float:
    log = [x]

    def more(k: int) -> Iterator[float]:
        for _ in range(k):
            log.append(log[-1] * x)
            yield log[-1]

    return sum([p * q for p, q in zip(more(2), more(2))])


def sent_something(x: float, l: list[float]) -> float:
    def echo() -> Iterator[float]:
        got = yield x
        yield 1.0 if got is None else got

    return sum(echo())


def twice(items: Iterable[float]) -> float:
    return sum(items) + sum(items)


def used_twice_by_a_callee(x: float, l: list[float]) -> float:
    return twice(map(lambda v: v * x, l))


def used_by_a_callee_twice(x: float, l: list[float]) -> float:
    pairs = zip(l, l)

    def products() -> float:
        return sum(p * q for p, q in pairs) * x

    return products() + products()


def used_out_of_a_tuple(x: float, l: list[float]) -> float:
    kept = (zip(l, l), x)
    return sum(p * q for p, q in kept[0]) * x + sum(p for p, _ in kept[0])


def perhaps_used_before(x: float, l: list[float]) -> float:
    items, total = reversed(l), 0.0
    if x > 0.0:
        total += sum(items)
    return total * x + sum(items)


def extended_by_its_last_item(x: float, l: list[float]) -> float:
    items = [*l]
    items.extend(items[-1] * x for _ in range(2))
    return sum(items)


@contextlib.contextmanager
def doubled(x: float) -> Iterator[float]:
    yield 2.0 * x


@doubled(1.0)
def squared(x: float) -> float:
    return x * x


def in_a_context_of_its_own(x: float, l: list[float]) -> float:
    return squared(x) * x


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (extended_by_its_last_item, "is read, bit by bit"),
        (in_a_context_of_its_own, "`squared` was decorated by a function of `contextlib`"),
        (used_twice_by_a_callee, "may be used up"),
        (used_by_a_callee_twice, "may be used up"),
        (used_out_of_a_tuple, "may be used up"),
        (perhaps_used_before, "may be used up"),
        (in_groups, "`itertools`"),
        (summed_twice, "may be used up"),
        (choices_used_twice, "may be used up"),
        (used_twice, "may be used up"),
        (used_in_a_loop, "may be used up"),
        (used_in_a_comprehension, "may be used up"),
        (taken_one_by_one_in_a_loop, "may be used up"),
        (taken_in_a_branch, "may be used up"),
        (taken_under_two_names, "may be used up"),
        (generator_used_twice, "may be used up"),
        (two_without_end, "may have no end"),
        (calls_itself, "calls itself"),
        (yields_in_a_context, "within `try` or `with`"),
        (two_that_change_a_list, "changes what was there before"),
        (sent_something, "the value of its `yield`"),
        (reduced_of_one_array, "changes what was there before"),
    ],
)
def test_is_refused(f: Callable[..., float], why: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=why):
        s2sad.grad(f)(0.7, [0.3, 0.9])


def used_once(x: float, l: list[float]) -> float:
    pairs, back = zip(l, l), reversed(l)
    total = sum(p * q for p, q in pairs) * x
    for k, v in enumerate(back):
        doubled = map(lambda u: u * x, l)
        total += k * v * sum(doubled)
    squares = map(lambda u: u * u, l)
    return total + added(squares) * x


def added(items: Iterable[float]) -> float:
    total = 0.0
    for v in items:
        total += v
    return total


def test_is_handled_once() -> None:
    s2sad.check_grads(used_once, wrt=(0, 1))(0.7, [0.3, 0.9])


def changes_what_a_generator_reads(l: list[float]) -> float:
    l, total = [*l], 0.0
    for k, v in enumerate(2.0 * u for u in l):
        l[k % 2 - 1] = v * v
        total += v
    return total


def changes_what_is_accumulated(l: list[float]) -> float:
    y, total = np.array(l), 0.0
    for k, v in enumerate(itertools.accumulate(y)):
        y[1:][k % 1] = v * v
        total += v
    return total


def changes_what_is_filtered(l: list[float]) -> float:
    l, total = [*l], 0.0
    for v, w in zip(l, filter(lambda u: u > 0.5, l)):
        l[1] = v + w
        total += v
    return total


def changes_the_row_that_is_kept(l: list[float]) -> float:
    rows, total = np.outer(l, l), 0.0
    for before, after in itertools.pairwise(rows):
        after[:] = before * 2.0
        total += np.sum(after)
    return total


def changes_what_was_there_in_the_first_round(l: list[float]) -> float:
    l, total = [*l], 0.0
    for k, v in zip(range(5), itertools.cycle(l)):
        l[k % 2] = 2.0 * v
        total += v
    return total


@pytest.mark.parametrize(
    "f",
    [
        changes_what_a_generator_reads,
        changes_what_is_accumulated,
        changes_what_is_filtered,
        changes_the_row_that_is_kept,
        changes_what_was_there_in_the_first_round,
    ],
)
def test_what_is_read_late_must_not_change(f: Callable[..., float]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="bit by bit") as caught:
        s2sad.grad(f)([0.3, 0.9])
    assert "test_iterators.py" in str(caught.value)


CODES = {"end": 0, "begin": 1, 0: 0, 1: 1}


def code_or_codes(when: object) -> object:
    try:
        return CODES[when]
    except (KeyError, TypeError):
        return [CODES[w] for w in when]  # type: ignore[attr-defined]


def future_value(rate: float, n: float, payment: float, when: object) -> float:
    when = code_or_codes(when)
    rate, n, payment, when = map(np.asarray, [rate, n, payment, when])
    growth = (1.0 + rate) ** n
    return np.sum(np.where(rate == 0.0, n, (1.0 + rate * when) * (growth - 1.0) / rate) * payment)


@pytest.mark.parametrize("when", ["begin", 1, [0, 1]])
def test_lists_that_are_gone_through_where_they_are_written_hold_things_of_any_sort(when: object) -> None:
    s2sad.check_grads(future_value, wrt=(0, 1, 2))(0.05, 12.0, -3.0, when)


def items_or_a_number(x: float, k: object) -> float:
    try:
        return sum(v * x for v in k)  # type: ignore[attr-defined]
    except TypeError:
        return x * x


def test_going_through_a_number_raises_where_it_is_reached() -> None:
    slope = s2sad.grad(items_or_a_number)
    assert slope(3.0, 2.0) == 6.0
    assert slope(3.0, [2.0, 5.0]) == 7.0
    with pytest.raises(s2sad.UnsupportedSyntax, match="a number cannot be iterated over"):
        s2sad.grad(lambda x: sum(v for v in x) * x)(2.0)
