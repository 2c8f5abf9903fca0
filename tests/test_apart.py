"""Arguments and outside objects that share memory that a function stores into are refused, others are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numba
import numpy as np
import pytest

from s2sad import UnsupportedSyntax, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from s2sad.apart import Watch


def stored(x, y):
    x[0] = y[1] ** 2
    return np.sum(y * x)


def items_changed(layers, x):
    layers[0] = layers[0] * x
    return np.sum(layers[0] * layers[1])


def items_updated(layers, x):
    layers[0][0] = x[1] ** 2
    return np.sum(layers[0] * layers[1])


BASE = np.array([1.0, 2.0, 3.0])
OPERATORS: list[Callable[..., Any]] = [
    lambda f, *a: grad(f)(*a),
    lambda f, *a: value_and_grad(f)(*a),
    lambda f, *a: jacobian(f)(*a),
    lambda f, *a: jvp(f, a, a),
    lambda f, *a: vjp(f, *a),
    lambda f, *a: grad(f, backend="numba")(*a),
]


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("other", [BASE, BASE[:], BASE[::-1], BASE.reshape(3)])
def test_arguments_that_share_memory(operator: Callable[..., Any], other: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"`x` and `y` share memory that the function stores into: pass a copy of one"):
        operator(stored, BASE, other)


def test_each_call_is_looked_at() -> None:
    derivative = grad(stored)
    assert derivative(BASE, BASE.copy()).tolist() == [0.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="share memory"):
        derivative(BASE, BASE)
    assert derivative(BASE, BASE.copy()).tolist() == [0.0, 2.0, 3.0]


def test_arrays_with_memory_of_their_own_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Any] = []
    monkeypatch.setattr(Watch, "__call__", lambda self, args: looks.append(args))
    derivative = grad(stored)
    derivative(BASE, BASE.copy())
    looks.clear()
    derivative(BASE.copy(), BASE)
    assert not looks
    derivative(BASE[:], BASE)
    derivative(BASE, BASE)
    assert len(looks) == 2


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_views_are_told_apart_at_each_call(backend: str) -> None:
    derivative = grad(stored, backend=backend)
    whole = np.arange(6.0)
    for _ in range(2):
        assert derivative(whole[:3], whole[3:]).tolist() == [0.0, 4.0, 5.0]
        assert derivative(np.ones(3), whole[3:].copy()).tolist() == [0.0, 4.0, 5.0]
        with pytest.raises(ValueError, match="share memory"):
            derivative(whole[:3], whole[2:5])


def test_parts_of_one_array_that_do_not_overlap() -> None:
    whole = np.arange(6.0)
    even, odd = whole[::2], whole[1::2]
    assert grad(stored)(even, odd).tolist() == grad(stored)(even.copy(), odd.copy()).tolist()
    assert grad(stored)(whole[:3], whole[3:]).tolist() == [0.0, 4.0, 5.0]


def test_what_is_only_read_may_be_shared() -> None:
    def read(x, y):
        return np.sum(x * y)

    assert grad(read)(BASE, BASE).tolist() == BASE.tolist()


def test_a_copy_may_be_stored_into() -> None:
    def copied(x, y):
        x = x.copy()
        x[0] = y[1]
        return np.sum(x * y)

    assert grad(copied)(BASE, BASE).tolist() == [0.0, 2.0, 3.0]


def test_items_of_a_list() -> None:
    tied = [BASE, BASE]
    assert grad(items_changed, wrt=1)(tied, BASE).tolist() == (BASE * BASE).tolist()
    with pytest.raises(ValueError, match="parts of `layers` share memory"):
        grad(items_updated, wrt=1)(tied, BASE)
    with pytest.raises(ValueError, match="parts of `rows` share memory"):
        grad(rows_changed, wrt=1)([[1.0, 2.0]] * 2, 3.0)


def rows_changed(rows, x):
    rows[0][1] = x
    return rows[0][1] * rows[1][1]


@dataclass
class State:
    position: np.ndarray
    velocity: np.ndarray


def moved(state, rate):
    state.position[:] = state.position + rate * state.velocity
    return np.sum(state.position * state.velocity)


def test_fields_of_a_dataclass() -> None:
    with pytest.raises(ValueError, match="parts of `state` share memory"):
        grad(moved, wrt=1)(State(BASE, BASE), 0.1)
    assert grad(moved, wrt=1)(State(BASE, BASE.copy()), 0.1) == pytest.approx(14.0)


# ---- outside


TABLE = np.array([1.0, 2.0, 3.0])
ROWS = [TABLE, TABLE]


def storing(table: np.ndarray) -> Callable[[np.ndarray], Any]:
    def store(x):
        table[1] = x[0] * x[2]
        return np.sum(table * x)

    return store


STORE = storing(TABLE)
BOUND = partial(stored, TABLE)


def through_two_cells(x):
    return STORE(x) * np.sum(TABLE * x)


def through_an_argument_bound(x):
    return BOUND(x) * TABLE[1]


def through_a_list(x):
    ROWS[0][1] = x[0]
    return np.sum(ROWS[1] * x)


def through_a_default(x, table=TABLE):
    table[1] = x[0]
    return np.sum(TABLE * x)


@pytest.mark.parametrize("f", [through_two_cells, through_an_argument_bound, through_a_list])
@pytest.mark.parametrize("backend", ["python", "numba"])
def test_objects_outside(f: Callable[..., Any], backend: str) -> None:
    with pytest.raises(UnsupportedSyntax, match="share memory that the function stores into") as caught:
        grad(f, backend=backend)(BASE)
    assert caught.value.lineno == f.__code__.co_firstlineno
    assert TABLE.tolist() == [1.0, 2.0, 3.0]


def test_an_argument_and_what_is_outside() -> None:
    with pytest.raises(ValueError, match="`table` and `TABLE` share memory"):
        grad(through_a_default)(BASE)
    assert grad(through_a_default)(BASE, TABLE.copy()).tolist() == [1.0, 2.0, 3.0]


def test_objects_that_come_to_share() -> None:
    holder = {"a": np.ones(3), "b": np.full(3, 2.0)}

    def f(x):
        holder["a"][0] = x[1]
        return np.sum(holder["b"] * x)

    derivative = grad(f)
    assert derivative(BASE).tolist() == [2.0, 2.0, 2.0]
    holder["b"] = holder["a"]
    with pytest.raises(UnsupportedSyntax, match="parts of `holder` share memory"):
        derivative(BASE)


def test_second_derivatives_look_too() -> None:
    for second in (hvp(stored), hvp(stored, backend="numba")):
        assert second(BASE, BASE.copy(), BASE).tolist() == hvp(stored)(BASE, BASE + 0.0, BASE).tolist()
        with pytest.raises(ValueError, match="`x` and `y` share memory"):
            second(BASE, BASE, BASE)
    with pytest.raises(ValueError, match="`x` and `y` share memory"):
        hessian(stored)(BASE, BASE[::-1])
    with pytest.raises(ValueError, match="`x` and `y` share memory"):
        grad(lambda x, y: np.sum(jvp(stored, (x, y), (x, y))[1]))(BASE, BASE)


INNER: list[Callable[..., Any]] = [
    lambda x, y: np.sum(grad(stored)(x, y)),
    lambda x, y: np.sum(grad(lambda a: grad(stored)(a, y)[2])(x)),
    lambda x, y: value_and_grad(stored)(x, y)[0],
    lambda x, y: jvp(stored, (x, y), (y, x))[1],
    lambda x, y: vjp(stored, x, y)[0],
]


@pytest.mark.parametrize("f", INNER)
def test_derivatives_inside_look_too(f: Callable[..., Any]) -> None:
    assert np.all(np.isfinite(grad(f)(BASE, BASE + 1.0)))
    with pytest.raises(ValueError, match="`x` and `y` share memory"):
        grad(f)(BASE, BASE)


def test_arguments_of_a_derivative_inside_that_are_one() -> None:
    with pytest.raises(UnsupportedSyntax, match="`x` is passed twice to a function that stores into it"):
        grad(lambda x: np.sum(grad(stored)(x, x)))(BASE)
    assert grad(lambda x: np.sum(grad(stored)(x, x.copy())))(BASE).tolist() == [0.0, 1.0, 1.0]


def test_parts_of_arrays_are_looked_at_where_they_are_taken() -> None:
    def f(A, k):
        return np.sum(grad(stored)(A[0], A[k]))

    derivative = grad(f)
    A = np.arange(6.0).reshape(2, 3)
    assert derivative(A, 1).tolist() == [[0.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    with pytest.raises(ValueError, match="arguments share memory that the function stores into") as caught:
        derivative(A, 0)
    assert any(__file__ in note for note in caught.value.__notes__)
    assert "_need_apart(" in derivative.source_for(A, 1)


def test_what_is_looked_at_is_not_made_one() -> None:
    def f(x):
        y = x * 1.0

        def inner(z):
            y[0] = y[0] * z[1]
            return np.sum(z * y)

        return np.sum(grad(inner)(x) ** 2) + y[0]

    x = np.array([0.5, 2.0, 3.0])  # (x0 x1)² + (x0² + x1)² + x2² + x0
    for derivative in (grad(f), jacobian(f, mode="forward")):
        assert derivative(x).tolist() == [9.5, 5.5, 6.0]


def test_derivatives_in_compiled_code_look_too() -> None:
    slope = grad(stored, backend="numba")

    @numba.njit
    def f(x, y):
        return slope(x, y).sum()

    whole = np.arange(6.0)
    assert f(BASE, BASE + 1.0) == grad(stored)(BASE, BASE + 1.0).sum()
    assert f(whole[:3], whole[3:]) == f(whole[2::-1], whole[3:]) == 9.0
    for other in (BASE, BASE[::-1]):
        with pytest.raises(ValueError, match="arguments overlap in memory that the function stores into"):
            f(BASE, other)


class Rate:
    def __init__(self, value: float) -> None:
        self.value = value


class Rates:
    def __init__(self, first: Rate, second: Rate) -> None:
        self.first = first
        self.second = second
        self.calls = 0.0


@dataclass
class Level:
    value: float


def of_a_dict(a, b, x):
    a["value"] = x * x
    return b["value"] * x


def of_an_object(a, b, x):
    a.value = x * x
    return b.value * x


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize(
    ("f", "make"),
    [(of_a_dict, lambda: {"value": 0.5}), (of_an_object, lambda: Rate(0.5)), (of_an_object, lambda: Level(0.5))],
)
def test_what_is_tracked_and_passed_twice(f: Callable[..., Any], make: Callable[[], Any], backend: str) -> None:
    derivative = grad(f, wrt="x", backend=backend)
    assert derivative(make(), make(), 0.7) == 0.5
    with pytest.raises(ValueError, match="`a` and `b` share memory that the function stores into"):
        derivative(*[make()] * 2, 0.7)


def within_an_object(pair, x):
    pair.calls = 1.0
    pair.first.value = x * x
    return pair.second.value * x


def of_another_class(pair, x):
    pair.calls = x
    return pair.first.value * pair.second.value * x * pair.calls


def test_objects_within_an_object() -> None:
    rate = Rate(0.5)
    assert grad(within_an_object, wrt="x")(Rates(rate, Rate(0.25)), 0.7) == 0.25
    assert grad(of_another_class, wrt="x")(Rates(rate, rate), 0.5) == 0.25  # these are only read
    with pytest.raises(ValueError, match="parts of `pair` share memory"):
        grad(within_an_object, wrt="x")(Rates(rate, rate), 0.7)


SETTINGS = {"rate": 0.5, "link": np.sin}
SAME_SETTINGS = SETTINGS
LISTED = [SETTINGS, {"rate": 0.5, "link": np.cos}]


def by_another_name(x):
    SETTINGS["rate"] = x * x
    return SAME_SETTINGS["rate"] * x


def by_its_place_in_a_list(x):
    SETTINGS["rate"] = x * x
    return LISTED[0]["rate"] * LISTED[1]["link"](x)


def by_its_own_name(x):
    LISTED[0]["rate"] = x * x
    return SETTINGS["rate"] * x


@pytest.mark.parametrize("f", [by_another_name, by_its_place_in_a_list, by_its_own_name])
def test_dicts_outside_that_go_by_two_names(f: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedSyntax, match="share memory that the function stores into"):
        grad(f)(0.7)
    assert SETTINGS["rate"] == 0.5
