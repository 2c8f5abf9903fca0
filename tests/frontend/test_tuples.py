"""Tuples whose length is known only at run time, where a list does not do instead."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import s2sad
from tests.texts import own_text


def returned(x: Any, n: int) -> Any:
    return tuple(x[i] for i in range(n))


def returned_in_a_tuple(x: Any, n: int) -> Any:
    return x[0], tuple(x[i] for i in range(n))


def returned_in_a_dict(x: Any, n: int) -> Any:
    return {"parts": tuple(x[i] for i in range(n))}


def returned_in_a_list(x: Any, n: int) -> Any:
    rows = []
    for _ in range(n):
        rows.append(tuple(x[i] for i in range(n)))
    return rows


@pytest.mark.parametrize("f", [returned, returned_in_a_tuple, returned_in_a_dict, returned_in_a_list])
def test_a_result_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="length of a tuple that is returned") as caught:
        s2sad.vjp(f, np.array([0.5, 1.5]), 2)
    assert "test_tuples.py" in str(caught.value)


def list_or_tuple(x: Any, n: int) -> Any:
    index = [i for i in range(n)]
    if n > 1:
        index = tuple(i for i in range(n))
    return np.sum(x[index])


def tuple_from_the_second_iteration(x: Any, n: int) -> Any:
    index, total = [i for i in range(n)], 0.0
    for _ in range(n):
        total = total + np.sum(x[index])
        index = tuple(i for i in range(n))
    return total


@pytest.mark.parametrize("f", [list_or_tuple, tuple_from_the_second_iteration])
def test_a_list_on_one_path_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="a list or a tuple") as caught:
        s2sad.vjp(f, np.ones((3, 3)), 2)
    assert "test_tuples.py" in str(caught.value)


VERSION = sys.version_info
EPOCH = time.gmtime(0)


class Pair(tuple):
    """A tuple of a class that is no named tuple."""

    def length(self) -> float:
        return (self[0] ** 2 + self[1] ** 2) ** 0.5


class Ranked(NamedTuple):
    rank: float
    weight: float


LEGS = Pair((3.0, 4.0))


def by_version(x: Any) -> Any:
    return 2.0 * x if (3, 8) <= sys.version_info < (99, 0) else x


def by_part_of_version(x: Any) -> Any:
    return 2.0 * x if VERSION.major >= 3 and VERSION[0] < 99 else x


def by_field_of_a_record(x: Any) -> Any:
    return x * EPOCH.tm_mday * 2.0 + EPOCH[0]


def by_order_of_pairs(x: Any) -> Any:
    return 2.0 * x if LEGS < (3.0, 5.0) and LEGS.length() == 5.0 else x


def by_order_of_named_tuples(x: Any) -> Any:
    return 2.0 * x if Ranked(x, 1.0) < (x, 2.0) else x


@pytest.mark.parametrize(
    "f", [by_version, by_part_of_version, by_field_of_a_record, by_order_of_pairs, by_order_of_named_tuples]
)
def test_tuples_of_classes_are_compared_and_read(f: Callable[..., Any]) -> None:
    assert s2sad.grad(f)(1.5) == 2.0


def record_returned(x: Any) -> Any:
    return 2.0 * x, EPOCH


def pair_in_a_list(x: Any) -> Any:
    pairs = [LEGS, LEGS]
    return x * pairs[0][1]


@pytest.mark.parametrize("f", [record_returned, pair_in_a_list])
def test_a_tuple_of_a_class_without_named_fields_is_not_made_anew(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="a tuple of class") as caught:
        s2sad.vjp(f, 1.5)
    assert "test_tuples.py" in str(caught.value)


def sum_of_squares(params):
    if isinstance(params, list | tuple):
        return sum(map(sum_of_squares, params))
    return np.sum(params * params)


def penalised(params, x):
    for w, b in params:
        x = np.tanh(x @ w + b)
    return (
        np.sum(x) + 0.1 * sum_of_squares(params) + sum(part.ndim * np.sum(part) for layer in params for part in layer)
    )


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_items_of_several_kinds_are_gone_through_one_by_one(backend: str) -> None:
    params = [(np.cos(np.ones((2, 3))), np.ones(3)), (np.sin(np.ones((3, 2))), np.zeros(2))]
    x = np.array([0.4, -0.3])
    got = s2sad.grad(penalised, backend=backend)(params, x)
    h = 1e-6
    for (k, j), place in {(0, 0): (1, 2), (0, 1): (1,), (1, 0): (2, 0), (1, 1): (1,)}.items():

        def moved(step: float, k: int = k, j: int = j, place: tuple[int, ...] = place) -> float:
            copied = [[part.copy() for part in layer] for layer in params]
            copied[k][j][place] += step
            return penalised([tuple(layer) for layer in copied], x)

        assert got[k][j][place] == pytest.approx((moved(h) - moved(-h)) / (2 * h), rel=1e-6)


def array_beside_a_number(x: Any, n: int) -> Any:
    a, b = x * 1.0, x**2
    pairs = ((a, x[0]), (b, x[1]))
    for i in range(n):
        pair = pairs[i]
        pair[0][1] *= pair[1]
    return np.sum(a * b)


def test_an_array_changed_beside_a_number_that_is_picked_is_refused() -> None:
    with pytest.raises(s2sad.NotDifferentiable, match="held by a tuple next to numbers") as caught:
        s2sad.grad(array_beside_a_number)(np.array([0.5, 1.5]), 2)
    assert "pair[0][1] *= pair[1]" in str(caught.value)


def test_an_array_changed_beside_a_number_that_is_handed_out_in_a_list_is_refused() -> None:
    def f(x: Any) -> Any:
        y = x * 2.0
        pairs = [(y, 1.0)]
        y[0] *= x[1]
        return pairs

    with pytest.raises(s2sad.NotDifferentiable, match="held by a tuple next to numbers"):
        s2sad.vjp(f, np.array([0.5, 1.5]))


def test_tuples_of_equal_constants_are_equal_whatever_their_types() -> None:
    def f(x: float) -> float:
        shape, other = (1, 2), (1.0, 2.0)
        total = x if shape == other else 0.0
        total += 2.0 * x if shape != (True, 2) else 0.0
        total += 4.0 * x if (0.0,) == (-0.0,) else 0.0
        return total + (8.0 * x if shape == (1, 2, 3) or shape != other else 0.0)

    assert s2sad.grad(f)(1.5) == 5.0


def test_lists_that_are_tuples_while_compiling_compare_as_lists() -> None:
    def f(x: float) -> float:
        names = sorted({"b": 1, "a": 2})
        total = x if names == ["a", "b"] else 0.0
        total += 2.0 * x if names == ("a", "b") else 0.0
        total += 4.0 * x if names[:1] == ["a"] and names * 2 == ["a", "b", "a", "b"] else 0.0
        held = [{"x": x}, {"x": 2.0 * x}]
        return total + (8.0 * x if isinstance(held, list) and held != ({"x": x}, {"x": 2.0 * x}) else 0.0)

    assert f(1.5) == 1.5 * s2sad.grad(f)(1.5) == 1.5 * 13.0


def test_sets_are_compared_and_joined_when_the_program_runs() -> None:
    def f(x: float) -> float:
        same = x if {8, 0} == {0, 8} else 0.0
        return same + 2.0 * x * len({1, 2} | {2, 3}) + (x if {1} < {1, 2} else 5.0 * x)

    assert f(1.5) == 1.5 * s2sad.grad(f)(1.5) == 1.5 * 8.0


def test_sets_of_what_carries_derivatives_are_refused() -> None:
    def f(x: float) -> float:
        return sum({x, 2.0 * x})

    with pytest.raises(s2sad.UnsupportedSyntax, match="a set of values that may carry derivatives") as caught:
        s2sad.grad(f)(1.5)
    assert "{x, 2.0 * x}" in str(caught.value)


def rolled(x: Any, axes: Any = (0, 1)) -> Any:
    return np.sum(np.roll(x, 1, axes[1]) * np.sum(x, axis=axes[0]))


def rolled_by_default(x: Any) -> Any:
    return rolled(x**2)


def test_a_default_that_cannot_change_is_written_down() -> None:
    x = np.arange(6.0).reshape(2, 3)
    text = own_text(s2sad.grad(rolled_by_default).source_for(x), "rolled_by_default_grad")
    assert "bound" not in text
    s2sad.check_grads(rolled_by_default)(x)


def over_all_axes(x: Any) -> Any:
    axes = tuple(range(x.ndim))
    return np.sum(np.sum(np.transpose(x, axes[::-1]) ** 2, axis=(*range(1, 2),)) ** 2)


def test_a_tuple_of_a_short_range_is_known() -> None:
    x = np.arange(6.0).reshape(2, 3)
    text = own_text(s2sad.grad(over_all_axes).source_for(x), "over_all_axes_grad")
    assert "range(" not in "".join(line for line in text.splitlines() if "#" not in line)
    s2sad.check_grads(over_all_axes)(x)


class Grid:
    def __init__(self, axes: int) -> None:
        self.axes = axes

    def total(self, x: Any, axes: Any = None) -> Any:
        if x.ndim > self.axes:
            axes = tuple(range(x.ndim - self.axes, x.ndim))
        if axes is None:
            x = 2.0 * x
        return np.sum(np.sum(x, axis=axes) ** 2)


@pytest.mark.parametrize("axes", [1, 2])
def test_a_tuple_of_any_length_or_none(axes: int) -> None:
    x = np.arange(6.0).reshape(2, 3)
    s2sad.check_grads(Grid(axes).total)(x, None)
    assert s2sad.value_and_grad(Grid(axes).total)(x)[0] == Grid(axes).total(x)
