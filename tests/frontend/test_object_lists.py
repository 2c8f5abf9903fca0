"""Lists of functions or objects that change."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad


class Gain:
    def __init__(self, w: Any) -> None:
        self.w = w

    def __call__(self, x: Any) -> Any:
        return self.w * x


class Chain:
    def __init__(self) -> None:
        self.parts: list[Any] = []

    def add(self, part: Any) -> Chain:
        self.parts.append(part)
        return self

    def __call__(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x


def through(parts, x):
    for part in parts:
        x = part(x)
    return x


def added_one_by_one(x):
    chain = Chain().add(Gain(x)).add(lambda t: t * t)
    chain.add(Gain(2.0))
    if len(chain.parts) != 3 or not isinstance(chain.parts, list) or hasattr(chain.parts, "items"):
        return 0.0
    return chain(x) + sum(g(x) for g in chain.parts[:-1]) + chain.parts[-1].w


def added_in_loops(x):
    rows, chain = [], Chain()
    for i in range(1, 3):
        row = []
        for j in range(2):
            row.append(Gain(x * i + j))
        rows.append(row)
        chain.add(Gain(x + i))
    return sum(g(x) for row in rows for g in row) * chain(x)


def made_anew_in_each_iteration(x):
    total = 0.0
    for i in range(40):
        parts = []
        parts.append(Gain(x * i))
        parts.append(Gain(x + i))
        total += through(parts, x)
    return total


def by_two_names(x):
    a = [Gain(x)]
    b, before = a, a + [Gain(7.0)]
    a += [Gain(x * x), lambda t: t + x]
    b[0] = Gain(3.0 * x)
    b[-2] = Gain(x + 2.0)
    c = b.copy()
    c.append(Gain(0.1 * x))
    return through(a, x) * len(b) + through(c, x) + through(before, x)


def by_all_methods(x):
    parts = [Gain(x), Gain(2.0 * x)]
    parts.extend([Gain(x + 1.0), Gain(x - 1.0)])
    last = parts.pop()
    parts.insert(-1, last)
    parts.insert(100, parts.pop(0))
    parts.reverse()
    other, part = copy.copy(parts), list(parts)
    other.clear()
    part.append(Gain(5.0))
    first, *rest = parts
    others = [p for p in parts if p is not first and p != last]
    weights = sum(k * p.w for k, p in enumerate(reversed(parts)))
    return (
        through(parts, x) + through(part, x) + weights + through(rest, x) * len(other) + through(others, x) + len(part)
    )


def with_numbers_among_them(x):
    parts = []
    parts.append(Gain(x))
    parts.append(x * 2.0)
    return parts[0](parts[1]) if parts else x


def in_a_dict(x):
    state = {"parts": [], "n": 0}
    for k in range(3):
        state["parts"].append(Gain(x + k))
        state["n"] += 1
    return through(state["parts"], x) * state["n"]


class Body:
    def __init__(self, mass: Any, place: Any) -> None:
        self.mass, self.place, self.speed = mass, place, 0.0

    def pull(self, other: Body) -> None:
        self.speed += other.mass * (other.place - self.place)


def bodies(x):
    found = [Body(x * (k + 1), x + k * k) for k in range(3)]
    for a in found:
        for b in found:
            if a is not b:
                a.pull(b)
    return sum(b.mass * b.speed**2 for b in found)


PROGRAMS = [
    added_one_by_one,
    added_in_loops,
    made_anew_in_each_iteration,
    by_two_names,
    by_all_methods,
    with_numbers_among_them,
    in_a_dict,
    bodies,
]


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_is_python_s(f: Callable[[float], float], backend: str) -> None:
    value, slope = s2sad.value_and_grad(f, backend=backend)(0.7)
    assert value == pytest.approx(f(0.7), rel=1e-13)
    h = 1e-3
    steps = [f(0.7 + k * h) for k in (-2, -1, 1, 2)]
    assert slope == pytest.approx((steps[0] - 8 * steps[1] + 8 * steps[2] - steps[3]) / (12 * h), rel=1e-7)


def in_a_long_loop(x):
    parts = []
    for k in range(int(np.size(x)) + 3):
        parts.append(Gain(x * k))
    return through(parts, x)


def while_it_lasts(x):
    parts = [Gain(x)]
    k = x
    while k < 3:
        parts.append(Gain(x))
        k += 1
    return through(parts, x)


def on_one_path(x):
    parts = [Gain(x)]
    if x > 0.5:
        parts.append(Gain(x))
    return through(parts, x)


def gone_over(x):
    parts = [Gain(x), Gain(x)]
    for k, _ in enumerate(parts):
        if k == 1 and len(parts) < 3:
            parts.append(Gain(x))
    return through(parts, x)


def returned(x):
    parts = []
    parts.append(Gain(x))
    return parts


def tried(x):
    parts = []
    try:
        parts.append(Gain(x))
        y = 1.0 / x
    except ZeroDivisionError:
        y = 0.0
    return through(parts, y)


def at_an_index(x):
    parts = [Gain(x), Gain(2.0 * x)]
    return parts[0 if x > 0.5 else 1].w


@dataclasses.dataclass
class Record:
    k: float


def in_a_record(x):
    parts = [Record(x * i) for i in range(3)]
    for i in range(3):
        parts[i].k = parts[i - 1].k * x
    return parts[0].k


class Places:
    def __init__(self, items):
        self.items = items

    def __getitem__(self, place):
        return self.items[place]


def by_places(x):
    return sum(v * v for v in Places([x, 2.0 * x]))


class Steps:
    def __init__(self, items):
        self.items, self.k = items, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.k >= len(self.items):
            raise StopIteration
        self.k += 1
        return self.items[self.k - 1]


def by_steps(x):
    total = 0.0
    for v in Steps([x, 2.0 * x]):
        total += v * v
    return total


class Picky(Steps):
    def __next__(self):
        while self.k < len(self.items):
            item = self.items[self.k]
            self.k += 1
            if item > 1.0:
                return item
        raise StopIteration


def by_steps_in_a_loop(x):
    return sum(Picky([x, 2.0 * x]))


class Link:
    def __init__(self, value, after):
        self.value, self.after = value, after


def chained(x):
    head = None
    for k in range(int(10.0 * x)):
        head = Link(x * k, head)
    return head.value


@pytest.mark.parametrize("f", [in_a_long_loop, while_it_lasts, at_an_index, in_a_record, chained, by_places, by_steps])
def test_is_of_rows(f: Callable[[float], float]) -> None:
    assert s2sad.value_and_grad(f)(0.75)[0] == pytest.approx(f(0.75), rel=1e-13)
    s2sad.check_grads(f)(0.75)


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (by_steps_in_a_loop, "a `__next__` that returns or ends within a loop"),
        (on_one_path, "different lengths on different paths"),
        (gone_over, "changes while a loop goes over it"),
        (returned, "cannot be returned"),
        (tried, "changes a list, which there was before"),
    ],
)
def test_is_refused(f: Callable[[float], float], why: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=why) as caught:
        s2sad.grad(f)(0.7)
    assert caught.value.filename == __file__
