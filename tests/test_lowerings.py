"""What several derivatives of a function are made from is lowered once, and anew where it would be something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp, lowerings, value_and_grad
from s2sad.frontend.parse import watched
from s2sad.rules.table import RULES
from s2sad.structure import describe

RATE: Any = 2.0


def doubled(x, by=2.0):
    return by * x


def tripled(x, by=3.0):
    return by * x


def length(x, by=2.0):
    return by * len(x)


def helper(x):
    return doubled(x)


def scaled(x):
    return RATE * helper(x)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The functions that are lowered meanwhile, none being known."""
    found: list[Any] = []
    real = lowerings.lower

    def lower(fn: Any, *args: Any, **kwargs: Any) -> Any:
        found.append(fn)
        return real(fn, *args, **kwargs)

    monkeypatch.setattr(lowerings, "lower", lower)
    lowerings._known.clear()
    return found


def lowered() -> Any:
    return lowerings.lowered(scaled, (describe(1.0),))


def test_several_modes_are_made_from_one(counted: list[Any]) -> None:
    def f(x, y):
        return np.sum(np.sin(x) * y)

    x = np.arange(3.0)
    expected = np.sum(np.cos(x) * x)
    assert value_and_grad(f)(x, 1.0)[1] == pytest.approx(np.cos(x))
    assert jvp(f, (x, 1.0), (x, 0.0))[1] == pytest.approx(expected)
    assert grad(f, wrt="y")(x, 1.0) == pytest.approx(np.sum(np.sin(x)))
    assert counted == [f]
    grad(f)(x, x)
    assert counted == [f, f]


def with_other_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "RATE", np.ones(2))


def with_other_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "doubled", tripled)


def with_other_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubled, "__code__", (lambda x, by=2.0: x + by).__code__)


def with_other_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubled, "__defaults__", (5.0,))


def with_another_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(RULES, doubled, raising=False)
    monkeypatch.setitem(RULES, doubled, RULES[np.negative])


CHANGES = [with_other_kind, with_other_helper, with_other_code, with_other_defaults, with_another_rule]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_it_relied_on_has_changed(
    change: Callable[[pytest.MonkeyPatch], None], counted: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = lowered()
    assert lowered() is first
    with monkeypatch.context() as patch:
        change(patch)
        assert lowered() is not first
    assert len(counted) == 2


def test_values_outside_may_change(counted: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    first = lowered()
    monkeypatch.setitem(globals(), "RATE", 3.0)
    assert lowered() is first
    assert grad(scaled)(1.0) == 6.0


def test_a_function_given_other_code(counted: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        return x * x

    assert grad(f)(3.0) == 6.0
    f.__code__ = (lambda x: x * x * x).__code__
    assert jvp(f, (3.0,), (1.0,)) == (27.0, 27.0)


def test_what_was_read_is_told_again(counted: list[Any]) -> None:
    """What a cached derivative depends on does not come short where the lowering was there before."""
    with watched() as first:
        lowered()
    with watched() as again:
        lowered()
    assert len(counted) == 1
    assert again == first == {scaled, helper, doubled}


def test_watchers_of_the_same_functions_are_two() -> None:
    with watched() as outer:
        with watched() as inner:
            lowerings.lowered(helper, (describe(1.0),))
        lowerings.lowered(scaled, (describe(1.0),))
    assert inner == {helper, doubled} and outer == {scaled, helper, doubled}


def test_few_are_kept(counted: list[Any]) -> None:
    for rank in range(2 * lowerings._MAX_KEPT):
        lowerings.lowered(length, (describe(tuple(float(k) for k in range(rank))), None))
    assert len(lowerings._known) == lowerings._MAX_KEPT
