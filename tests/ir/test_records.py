"""Records whose class does more than store what it is given."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest

import s2sad
from s2sad.ir.records import keeps_what_it_is_given


@dataclass
class Plain:
    w: Any
    s: float = 1.0
    unit: ClassVar[float] = 3.0


@dataclass
class Shares:
    w: Any
    s: float

    def __post_init__(self) -> None:
        self.w = self.w / np.sum(self.w)


@dataclass(frozen=True, slots=True)
class Doubled:
    a: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", 2.0 * self.a)


@dataclass
class Checked:
    a: float

    def __post_init__(self) -> None:
        if self.a > 1.5:
            raise ValueError


@dataclass
class Derived:
    a: float
    b: float = field(init=False)

    def __post_init__(self) -> None:
        self.b = 3.0 * self.a


@dataclass
class Scaled:
    a: float
    by: InitVar[float]

    def __post_init__(self, by: float) -> None:
        self.a *= by


@dataclass(init=False)
class Squared:
    a: float

    def __init__(self, root: float) -> None:
        self.a = root * root


def test_classes() -> None:
    assert keeps_what_it_is_given(Plain) and keeps_what_it_is_given(namedtuple("pair", "x y"))
    assert not any(map(keeps_what_it_is_given, (Shares, Doubled, Checked, Derived, Scaled, Squared)))


GRADIENTS = [
    (lambda p: p.a * p.b, Derived(2.0), {"a": 6.0, "b": 2.0}),
    (lambda p: p.a**2, Doubled(1.0), {"a": 4.0}),
    (lambda p: p.a**2, Checked(1.0), {"a": 2.0}),
    (lambda p: p.a**2, Scaled(2.0, 3.0), {"a": 12.0}),
    (lambda p: p.a**2, Squared(2.0), {"a": 8.0}),
    (lambda p: 2.0 * p.s + np.sum(p.w), Shares(np.array([1.0, 3.0]), 5.0), {"w": np.ones(2), "s": 2.0}),
]


@pytest.mark.parametrize(
    ("backend", "f", "record", "expected"), [*(("python", *g) for g in GRADIENTS), ("numba", *GRADIENTS[0])]
)
def test_a_gradient_is_not_made_by_the_constructor(backend: Any, f: Any, record: Any, expected: Any) -> None:
    gradient = s2sad.grad(f, backend=backend)(record)
    of_a_list = s2sad.grad(lambda records: 3.0 * f(records[1]), backend=backend)([record, record])[1]
    for made, factor in ((gradient, 1.0), (of_a_list, 3.0)):
        assert type(made) is type(record)
        for name, value in expected.items():
            np.testing.assert_allclose(getattr(made, name), factor * value)
    s2sad.check_grads(f)(record)


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("make", [lambda x: Doubled(x), lambda x: Scaled(x, 5.0), lambda x: Squared(x)])
def test_a_result_is_not_made_twice(make: Any, backend: Any) -> None:
    value, pullback = s2sad.vjp(make, 0.7, backend=backend)
    assert value == make(0.7)
    (ct,) = pullback(value)
    slopes = {n: (getattr(make(0.8), n) - getattr(make(0.6), n)) / 0.2 for n in ("a", "b") if hasattr(value, n)}
    assert ct == pytest.approx(sum(slope * getattr(value, n) for n, slope in slopes.items()))
    y, dy = s2sad.jvp(make, (0.7,), (1.0,), backend=backend)
    assert y == make(0.7) and dy.a == pytest.approx(slopes["a"])


def test_items_of_lists_may_have_class_variables() -> None:
    def total(records: list[Plain]) -> float:
        value = 0.0
        for r in records:
            value += np.sum(r.w) * r.s * r.unit
        return value

    records = [Plain(np.array([1.0, 2.0])), Plain(np.array([3.0, 5.0]), 2.0)]
    gradient = s2sad.grad(total)(records)
    assert [g.s for g in gradient] == [9.0, 24.0]
    np.testing.assert_array_equal(gradient[1].w, [6.0, 6.0])
