"""What keeps the result of an earlier call, and gives it again, is refused: its derivative would be zero there."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad


class Keeps:
    def __init__(self) -> None:
        self.rate = 2.0
        self.x: Any = 0.0
        self.text = ""
        self.value = 0.0
        self.calls = 0
        self.best = math.inf

    def if_another(self, x: float) -> float:
        if x != self.x:
            self.x, self.value = x, self.rate * math.sin(x)
        return self.value

    def returns_early(self, x: float) -> float:
        if self.calls and self.x == x:
            return self.value * x
        self.x, self.value = x, self.rate * math.sin(x)
        self.calls += 1
        return self.value * x

    def by_text(self, x: float) -> float:
        key = hashlib.md5(np.array([x, 1.0])).hexdigest()
        if key != self.text:
            self.text, self.value = key, self.rate * math.sin(x)
        return self.value

    def of_an_array(self, x: Any) -> float:
        if self.x is None or not np.array_equal(x, self.x):
            self.x = x.copy()
            self.value = self.rate * np.sum(np.sin(x))
        return self.value

    def counts(self, x: float) -> float:
        if x != self.x:
            self.calls, self.x = self.calls + 1, x
        return self.rate * math.sin(x)

    def records(self, x: float) -> float:
        value = self.rate * math.sin(x)
        if value < self.best:
            self.best = value
        return value

    def limit(self, x: float) -> float:
        if x == self.x:
            return self.rate
        return self.rate * math.sin(x - self.x) / (x - self.x)  # type: ignore[no-any-return]

    def by_order(self, x: float, order: int = 3) -> float:
        if order != self.calls:
            self.calls, self.value = order, self.rate * order
        return self.value * x


LAST, VALUE = np.zeros(2), np.zeros(1)
MEMO = {"x": 0.0, "value": 0.0}
KEPT = Keeps()


def in_arrays(x: Any) -> float:
    if not np.array_equal(LAST, x):
        LAST[:] = x
        VALUE[0] = np.sum(np.sin(x))
    return VALUE[0]  # type: ignore[no-any-return]


def in_a_dict(x: float) -> float:
    if MEMO["x"] != x:
        MEMO["x"] = x
        MEMO["value"] = math.sin(x)
    return MEMO["value"]


def in_an_object(x: float) -> float:
    if KEPT.x != x:
        KEPT.x = x
        KEPT.value = math.sin(x)
    return KEPT.value


ARRAY = np.array([0.3, 0.7])


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize(
    ("f", "x"),
    [
        (Keeps().if_another, 0.7),
        (Keeps().returns_early, 0.7),
        (Keeps().by_text, 0.7),
        (Keeps().of_an_array, ARRAY),
        (in_arrays, ARRAY),
        (in_a_dict, 0.7),
        (in_an_object, 0.7),
    ],
    ids=lambda a: getattr(a, "__name__", ""),
)
def test_a_result_that_was_kept_is_refused(f: Callable[[Any], float], x: Any, backend: str) -> None:
    f(x)
    for derivative in (s2sad.grad(f, backend=backend), lambda x: s2sad.jvp(f, (x,), (x,), backend=backend)):
        with pytest.raises(s2sad.NotDifferentiable, match="a result is kept here") as caught:
            derivative(x)
        assert caught.value.lineno is not None and "if " in caught.value.line


@pytest.mark.parametrize("name", ["counts", "records", "limit", "by_order"])
def test_other_uses_of_what_is_kept_are_no_fault(name: str) -> None:
    def quotient(at: float) -> float:
        return (getattr(Keeps(), name)(at + 1e-6) - getattr(Keeps(), name)(at - 1e-6)) / 2e-6  # type: ignore[no-any-return]

    f = getattr(Keeps(), name)
    f(0.4)
    assert s2sad.grad(f)(0.7) == pytest.approx(quotient(0.7), rel=1e-6)
