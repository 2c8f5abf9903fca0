"""Objects outside whose methods are not followed: what was put into one is not taken out again."""

from __future__ import annotations

import array
import collections
import queue
from collections.abc import Callable

import pytest

from s2sad import NotDifferentiable, grad, jvp

QUEUE: queue.SimpleQueue[float] = queue.SimpleQueue()
LAST: collections.deque[float] = collections.deque([1.0], maxlen=4)
NUMBERS = array.array("d", [0.0])
LEVELS = collections.ChainMap({"rate": 2.0})


def through_a_queue(x: float) -> float:
    QUEUE.put(x * x)
    return QUEUE.get() * 2.0


def through_a_deque(x: float) -> float:
    LAST.append(x)
    return LAST[-1] * LAST[0]


def stored_in_a_deque(x: float) -> float:
    LAST[0] = x
    return LAST[0] * 2.0


def stored_in_an_array(x: float) -> float:
    NUMBERS[0] = x
    return NUMBERS[0] * 2.0


def under_a_name(x: float) -> float:
    LEVELS["x"] = x
    return LEVELS["x"] * 2.0


def before_it_is_put_there(x: float) -> float:
    total = 0.0
    for _ in range(3):
        total += LAST[-1]
        LAST.append(total * x)
    return total


@pytest.mark.parametrize(
    "f",
    [
        *(through_a_queue, through_a_deque, stored_in_a_deque, stored_in_an_array, under_a_name),
        before_it_is_put_there,
    ],
)
def test_a_number_that_comes_back_is_refused(f: Callable[[float], float]) -> None:
    with pytest.raises(NotDifferentiable, match="comes out of an object of class") as caught:
        grad(f)(1.3)
    assert caught.value.lineno is not None
    with pytest.raises(NotDifferentiable, match="comes out of an object of class"):
        jvp(f, (1.3,), (1.0,))


def only_put(x: float) -> float:
    LAST.append(x)
    return x * x


def only_taken(x: float) -> float:
    LAST.append(2.0)
    return LAST[-1] * LEVELS["rate"] * x


def only_asked(x: float) -> float:
    LAST.append(x)
    return x * x if len(LAST) > 0 and LAST[-1] > 0.0 else x


def test_what_is_put_there_and_what_is_taken_from_there_may_be() -> None:
    assert grad(only_put)(1.3) == 2.6
    assert grad(only_taken)(1.3) == 4.0
    assert grad(only_asked)(1.3) == 2.6
