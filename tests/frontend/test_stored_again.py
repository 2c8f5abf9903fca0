"""``obj.a += b`` and ``obj[k] += b`` of an array change it and then store it: the class may have a say in that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from s2sad import UnsupportedSyntax, check_grads, grad, value_and_grad

X = np.array([0.3, -0.7, 1.2])


class Told:
    """Counts what is stored, and stores something else."""

    def __init__(self, values: Any) -> None:
        self.values = values
        self.items = [values[0]]
        self.count = 1

    @property
    def top(self) -> Any:
        return self.values

    @top.setter
    def top(self, values: Any) -> None:
        self.values = values * 1.5
        self.count += 1

    @property
    def kept(self) -> Any:
        return self.items

    @kept.setter
    def kept(self, items: Any) -> None:
        self.items = [2.0 * item for item in items]

    @property
    def fixed(self) -> Any:
        return self.values

    def __getitem__(self, k: int) -> Any:
        return self.values[k:]

    def __setitem__(self, k: int, values: Any) -> None:
        self.values[k:] = values * 2.0
        self.count += 1


class Twice:
    def __init__(self, values: Any) -> None:
        self.__dict__["values"] = values

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value * 2.0


@dataclass(frozen=True)
class Frozen:
    values: Any


class Pair(NamedTuple):
    values: Any


def by_setter(x: Any) -> Any:
    told = Told(x)
    told.top *= 2.0
    return np.sum(told.values**2) * told.count


def by_setter_of_a_list(x: Any) -> Any:
    told = Told(x)
    told.kept += [x[1]]
    return sum(told.items) * told.items[1]


def by_setter_of_one_of_many(x: Any) -> Any:
    total = 0.0
    for told in [Told(x * k) for k in range(3)]:
        told.top *= 2.0
        total += np.sum(told.values**2) * told.count
    return total


def by_setitem(x: Any) -> Any:
    told = Told(x)
    told[1] += x[0]
    told[0] *= told.count
    return np.sum(told.values**2) * told.count


def place_once(x: Any) -> Any:
    told, asked = Told(x), 0

    def place() -> int:
        nonlocal asked
        asked += 1
        return asked

    told[place()] += x[0]
    return np.sum(told.values**2) * told.count * asked


@pytest.mark.parametrize("f", [by_setter, by_setter_of_a_list, by_setter_of_one_of_many, by_setitem, place_once])
def test_what_the_class_does(f: Callable[..., Any]) -> None:
    assert value_and_grad(f)(X.copy())[0] == pytest.approx(f(X.copy()), rel=1e-12)
    check_grads(f)(X.copy())


def test_compiled() -> None:
    pytest.importorskip("numba")
    check_grads(by_setter, backend="numba")(X.copy())


@pytest.mark.parametrize("cls", [Frozen, Pair, Twice])
def test_what_cannot_be_stored_is_refused(cls: type) -> None:
    def f(x: Any) -> Any:
        held = cls(x.copy())
        held.values *= 2.0
        return np.sum(held.values)

    with pytest.raises(UnsupportedSyntax):
        grad(f)(X)


def test_a_property_without_a_setter_is_refused() -> None:
    def f(x: Any) -> Any:
        told = Told(x.copy())
        told.fixed *= 2.0
        return np.sum(told.values)

    with pytest.raises(UnsupportedSyntax, match="fixed"):
        grad(f)(X)
