"""Arrays, lists and dicts outside the function, in tuples and empty at first, that it changes and reads again.

Each function is made anew where its value is asked for, as calls change what is around it; gradient calls do not.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from s2sad import NotDifferentiable, UnsupportedSyntax, grad, hvp, jvp, vjp


class Doubling:
    def __init__(self, rate: float) -> None:
        self.rate = rate

    def of(self, x: Any) -> Any:
        return x * x * self.rate


class Buffers(NamedTuple):
    """Work space, and how often it is used."""

    space: np.ndarray
    times: int


def array_in_a_tuple() -> Callable[..., Any]:
    buffers = (np.zeros(3), np.ones(3))

    def f(x: Any, n: int) -> Any:
        buffers[0][1] = x
        first, second = buffers
        second *= first[1] * x
        return buffers[0].sum() * buffers[1].sum()

    return f


def list_in_a_tuple() -> Callable[..., Any]:
    kept = ([1.0], 2)

    def f(x: Any, n: int) -> Any:
        for _ in range(n):
            kept[0].append(kept[0][-1] * x)
        return kept[0][-1] * kept[1]

    return f


def within_tuples() -> Callable[..., Any]:
    parts = ((np.zeros(2), 3), ({"w": np.ones(2)}, []))

    def f(x: Any, n: int) -> Any:
        parts[0][0][:] = x
        parts[1][0]["w"] *= parts[0][0]
        parts[1][1].append(x)
        return parts[1][0]["w"].sum() * parts[1][1][0] * parts[0][1]

    return f


def field_of_a_record() -> Callable[..., Any]:
    buffers = Buffers(np.zeros(2), 3)

    def f(x: Any, n: int) -> Any:
        for k in range(buffers.times):
            buffers.space[k % 2] += x ** (k + 1)
        return buffers.space[0] * buffers.space[1]

    return f


def picked_by_a_run() -> Callable[..., Any]:
    buffers = (np.zeros(2), np.ones(2))

    def f(x: Any, n: int) -> Any:
        for k in range(n):
            buffers[k % 2][:] += x * buffers[(k + 1) % 2][0]
        return np.sum(buffers[0]) + np.prod(buffers[1])

    return f


def picked_in_a_branch() -> Callable[..., Any]:
    buffers = (np.ones(2), 1.0)

    def f(x: Any, n: int) -> Any:
        if n > 2:
            buffers[0][0] = x
        return np.sum(buffers[0]) * x

    return f


def object_under_a_name() -> Callable[..., Any]:
    made: dict[str, Any] = {}

    def of(cls: type) -> Any:
        if cls.__name__ not in made:
            made[cls.__name__] = cls(1.5)
        return made[cls.__name__]

    return lambda x, n: of(Doubling).of(x)


def integer_under_a_key() -> Callable[..., Any]:
    made: dict[int, int] = {}

    def f(x: Any, n: int) -> Any:
        for k in range(n):
            if k % 2 not in made:
                made[k % 2] = k + 2
            x = x * made[k % 2]
        return x

    return f


def defaults_of_a_dict() -> Callable[..., Any]:
    weights: dict[int, float] = collections.defaultdict(lambda: 1.5)

    def f(x: Any, n: int) -> Any:
        for k in range(n):
            weights[k % 2] *= x
        return weights[0] * weights[1] + weights[n + 5] * x

    return f


def objects_in_a_tuple() -> Callable[..., Any]:
    kept: tuple[list[Any], int] = ([], 2)

    def f(x: Any, n: int) -> Any:
        for k in range(n):
            kept[0].append(Doubling(k + 1.0))
        return kept[0][n - 1].of(x) * kept[1]

    return f


MAKERS = [
    *(array_in_a_tuple, list_in_a_tuple, within_tuples, field_of_a_record, picked_by_a_run, picked_in_a_branch),
    *(integer_under_a_key, defaults_of_a_dict),
]


def slope(of: Callable[[float], float]) -> float:
    h = 1e-3
    return (of(1.3 - 2 * h) - 8 * of(1.3 - h) + 8 * of(1.3 + h) - of(1.3 + 2 * h)) / (12 * h)


@pytest.mark.parametrize("make", [*MAKERS, object_under_a_name, objects_in_a_tuple])
def test_what_was_stored_is_read(make: Callable[[], Callable[..., Any]]) -> None:
    first = slope(lambda x: make()(x, 3))
    value, pullback = vjp(make(), 1.3, 3)
    assert value == pytest.approx(make()(1.3, 3))
    assert pullback(1.0)[0] == pytest.approx(first, rel=1e-8)
    assert jvp(make(), (1.3, 3), (1.0, None)) == pytest.approx((value, first), rel=1e-8)
    gradient = grad(make())
    assert [gradient(1.3, 3), gradient(1.3, 3)] == pytest.approx([first, first], rel=1e-8)  # nothing is left behind


@pytest.mark.parametrize("make", MAKERS)
def test_what_was_stored_is_read_at_second_order(make: Callable[[], Callable[..., Any]]) -> None:
    assert hvp(make())(1.3, 3, 1.0) == pytest.approx(slope(lambda x: grad(make())(x, 3)), rel=1e-7)


RATES: dict[int, float] = collections.defaultdict(lambda: 3.0)


def by_default(x: float, n: int) -> float:
    return RATES[n] * x


def test_defaults_may_be_made_by_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = grad(by_default)
    assert gradient(1.3, 5) == 3.0
    monkeypatch.setitem(globals(), "RATES", collections.defaultdict(lambda: 4.0))
    assert gradient(1.3, 5) == 4.0
    RATES.default_factory = lambda: 5.0  # type: ignore[attr-defined]
    assert gradient(1.3, 5) == 5.0
    assert not RATES
    monkeypatch.setitem(globals(), "RATES", {5: 2.0})
    assert gradient(1.3, 5) == 2.0


def test_a_list_in_a_dict_with_defaults_is_refused() -> None:
    kept: dict[int, list[float]] = collections.defaultdict(list)

    def f(x: float, n: int) -> float:
        kept[n].append(x)
        return sum(kept[n])

    with pytest.raises(NotDifferentiable, match="a list or an array is put into a dict"):
        grad(f)(1.3, 2)


SPACE = np.zeros(2)
SPACES = (SPACE, 2.0)


def by_two_names(x: float) -> Any:
    SPACES[0][0] = x
    return np.sum(SPACE)


def test_an_array_that_goes_by_another_name_too_is_refused() -> None:
    with pytest.raises(UnsupportedSyntax, match="share memory"):
        grad(by_two_names)(1.3)


PAIRS: list[tuple[list[Any], float]] = [([], 1.0), ([], 2.0)]


def put_into_what_is_empty(x: float, n: int) -> Any:
    items, rate = PAIRS[n]
    items.append(3)
    return items.pop() * x * rate


def extended_where_it_is_empty(x: float, n: int) -> Any:
    items, rate = PAIRS[n]
    items.extend([3] * n)
    return items.pop() * x * rate


@pytest.mark.parametrize("f", [put_into_what_is_empty, extended_where_it_is_empty])
def test_what_is_put_where_nothing_is_known_to_be_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedSyntax, match="holds things of another sort"):
        grad(f)(1.3, 1)
