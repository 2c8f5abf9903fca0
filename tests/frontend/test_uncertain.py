"""Names of which only the run tells whether they hold a number or an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad

NEVER = 90.0


def number_or_array(x: float, p: Any) -> Any:
    y = np.max(p)
    if x > NEVER:
        y = p
    p[:] = p * p
    return y


def number_or_row(x: float, p: Any) -> Any:
    y = p[0, 1]
    for _ in range(0):
        y = p[0]
    p[0] *= x
    return y * x


@pytest.mark.parametrize("f", [number_or_array, number_or_row])
def test_a_number_beside_an_array_that_changes_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.NotDifferentiable, match="names of their own") as caught:
        s2sad.grad(f, wrt=1)(0.5, np.array([[1.2, -0.4], [0.3, 0.8]]))
    assert "test_uncertain.py" in str(caught.value)


def updates_an_argument(x: Any) -> Any:
    y = x
    for _ in range(0):
        y = 0.5
    y *= 0.5
    return np.sum(x)


def updates_a_result(x: Any) -> Any:
    a = x * 2.0
    y = a
    if a[0, 0] > NEVER:
        y = 0.5
    y *= 0.5
    return np.sum(a)


def updates_what_went_on(x: Any) -> Any:
    total, last = 0.0, 0.0
    for row in x:
        total += row * 2.0
        last = total
        total *= 0.5
    return np.sum(last)


def updates_what_a_list_holds(x: Any) -> Any:
    total, kept = 0.0, [x[0]]
    for row in x:
        total += row
        kept.append(total)
    return np.sum(kept[1])


class Place:
    def __init__(self, at: Any) -> None:
        self.at = at

    def move(self, step: Any) -> None:
        self.at += step


def updates_an_argument_by_an_attribute(x: Any) -> Any:
    place = Place(x)
    for _ in range(2):
        place.move(1.0)
        place = Place(np.sum(place.at))
    return np.sum(x)


def updates_a_result_by_an_attribute(x: Any) -> Any:
    a = x * 2.0
    place = Place(a)
    if a[0, 0] > NEVER:
        place.at = 0.5
    place.at *= 0.5
    return np.sum(a)


def updates_an_argument_by_a_key(x: Any) -> Any:
    places = {"at": x}
    if x[0, 0] > NEVER:
        places["at"] = 0.5
    places["at"] *= 0.5
    return np.sum(x)


UPDATES = [
    *(updates_an_argument, updates_a_result, updates_what_went_on, updates_what_a_list_holds),
    *(updates_an_argument_by_an_attribute, updates_a_result_by_an_attribute, updates_an_argument_by_a_key),
]


@pytest.mark.parametrize("f", UPDATES)
def test_an_update_that_may_be_seen_elsewhere_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="another name") as caught:
        s2sad.grad(f)(np.array([[1.2, -0.4], [0.3, 0.8]]))
    assert "test_uncertain.py" in str(caught.value)


def accumulates(x: Any) -> Any:
    total = 0.0
    for row in x:
        total += row
        total *= 0.5
    return np.sum(total * total)


def accumulates_products(x: Any) -> Any:
    y = x[0] * 2.0
    for k in range(3):
        if y[0] > NEVER:
            y = 0.5
        y *= x[k % 2]
    return np.sum(y)


def accumulates_in_an_attribute(x: Any) -> Any:
    place = Place(0.0)
    for row in x:
        place.move(row)
        place.at *= 0.5
    return np.sum(place.at * place.at)


@pytest.mark.parametrize("f", [accumulates, accumulates_products, accumulates_in_an_attribute])
def test_an_accumulator_is_not(f: Callable[..., Any]) -> None:
    x, h = np.array([[1.2, -0.4], [0.3, 0.8]]), 1e-6
    units = [e.reshape(2, 2) for e in np.eye(4)]
    expected = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in units]
    assert s2sad.grad(f)(x).ravel() == pytest.approx(expected, rel=1e-6)


def copied(x: Any, n: int) -> Any:
    y = x
    if n > 3:
        y = 1.0
    return np.sum(np.array(y) ** 2)


def test_a_copy_is_differentiated_again() -> None:
    x = np.array([0.3, 0.4])
    assert "s2sad" not in s2sad.grad(copied).source_for(x, 2)
    np.testing.assert_allclose(s2sad.hessian(copied)(x, 2), 2.0 * np.eye(2))
    np.testing.assert_allclose(s2sad.hessian(copied)(x, 4), np.zeros((2, 2)))


def indexed(x: Any) -> Any:
    return np.sum(x)[0]


def test_an_item_of_a_number_raises() -> None:
    with pytest.raises(IndexError):
        s2sad.grad(indexed)(np.array([0.3, 0.4]))


def of_what_is_not_looked_into(x: Any) -> Any:
    places = np.mgrid[[slice(0.0, 2.0), slice(0.0, 3.0)]]
    for along in places:
        along -= 0.5
    return np.sum(x) * np.sum(places**3)


def test_an_update_of_what_may_be_anything_is_refused() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="updated in place, that goes by another name") as caught:
        s2sad.grad(of_what_is_not_looked_into)(np.array([0.3, 0.4]))
    assert "along -= 0.5" in str(caught.value)
