"""What is refused of deques and of dicts with defaults."""

# ruff: noqa: F821, F841 -- what an iteration binds last is read by the next

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

import s2sad


def returned(x: float) -> Any:
    return deque([x])


def returned_within(x: float) -> Any:
    return x, defaultdict(float, {"a": x})


def cut(x: float) -> float:
    q = deque([x, 2.0 * x])
    return sum(q[1:])


def joined(x: float) -> float:
    q = deque([x], maxlen=2)
    return sum(q + q)


def copied(x: float) -> float:
    q = deepcopy(deque([x], maxlen=1))
    q.append(2.0)
    return q[0]


def inserted(x: float) -> float:
    q = deque([x], maxlen=1)
    q.insert(0, x)
    return q[0]


def limited_late(x: float, n: int) -> float:
    for k in range(n):
        q = deque([x * k], maxlen=k + 1)
    q.append(x)
    return q[0]


def limited_before(x: float, n: int) -> float:
    total = 0.0
    for k in range(n):
        if k > 0:
            q.append(x * k)
            total += len(q) * x + q[0]
        q = deque([x * x] * (k + 2), maxlen=k + 2)
    return total


def list_or_deque(x: float, n: int) -> float:
    q: Any = [x]
    for k in range(n):
        q.append(x * k)
        q = deque([x], maxlen=1)
    return sum(q)


def of_two_lengths(x: float, n: int) -> float:
    q = deque([x], maxlen=1)
    if n > 2:
        q = deque([x], maxlen=2)
    q.append(x)
    return q[0]


def made_by_what_is_passed(x: float, n: Any) -> float:
    d = defaultdict(n)
    return d["a"] * x


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (returned, "cannot be returned"),
        (returned_within, "cannot be returned"),
        (cut, "operation on a deque"),
        (joined, "operation on a deque"),
        (copied, "operation on a deque"),
        (inserted, "`insert` of this deque"),
        (limited_late, "`maxlen`"),
        (limited_before, "`maxlen`"),
        (list_or_deque, "cannot be told"),
        (of_two_lengths, "cannot be told"),
        (made_by_what_is_passed, "not known while compiling"),
    ],
)
def test_is_refused(f: Callable[..., Any], why: str) -> None:
    args = (0.7, 3)[: f.__code__.co_argcount]
    with pytest.raises(s2sad.UnsupportedSyntax, match=why) as caught:
        s2sad.jvp(f, args, (1.0, None)[: len(args)])
    assert "test_deques.py" in str(caught.value)


def test_a_key_without_a_default_is_missing() -> None:
    def f(x: float, k: int) -> float:
        d = defaultdict(None, {0: x})
        return d[k]

    assert s2sad.grad(f)(0.7, 0) == 1.0
    with pytest.raises(KeyError):
        s2sad.grad(f)(0.7, 1)


def kept_from_before(x: float, n: int) -> float:
    total = 0.0
    for k in range(n):
        if k > 0:
            q.append(x * k)
            total += len(q) * x + q[0]
        q = deque([x * x] * 2, maxlen=2)
    return total


def tuple_from_before(x: float, n: int) -> float:
    total = 0.0
    for k in range(n):
        if k > 0:
            total += len(xs + xs) * x if isinstance(xs, list) else x * x
        xs = tuple([x * x] * k)
    return total


@pytest.mark.parametrize("f", [kept_from_before, tuple_from_before])
def test_what_an_iteration_leaves_is_the_same_in_the_next(f: Callable[..., Any]) -> None:
    for n in (1, 2, 4):
        slope = (f(0.7 + 1e-6, n) - f(0.7 - 1e-6, n)) / 2e-6
        assert s2sad.value_and_grad(f)(0.7, n) == pytest.approx((f(0.7, n), slope), rel=1e-8)
