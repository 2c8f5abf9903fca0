"""Derivatives of derivatives of programs that keep what they change in containers."""

from __future__ import annotations

import numpy as np
import pytest
from cases_contexts import shared_out
from cases_structures import arrays_replaced_in_dict
from differences import directional, from_vector, to_vector
from test_programs import PROGRAMS, cotangent, direction, fresh

from s2sad import NotDifferentiable, grad, hessian, hvp, vjp

X = np.array([0.3, 0.7, 1.1])


def test_of_arrays_replaced_in_a_dict() -> None:
    slope, h = grad(arrays_replaced_in_dict), 1e-5
    columns = [(slope(X + h * e) - slope(X - h * e)) / (2 * h) for e in np.eye(3)]
    assert hessian(arrays_replaced_in_dict)(X) == pytest.approx(np.array(columns).T, rel=1e-6, abs=1e-8)
    assert hvp(arrays_replaced_in_dict)(X, X) == pytest.approx(np.array(columns).T @ X, rel=1e-6)


def shifted_again_and_again(x: np.ndarray, n: int) -> float:
    y = x * 1.0
    for _ in range(n):
        y = np.concatenate([y[1:], y[:1] * x[0]])
        y[2] *= y[1] + y[0]
    return y @ y  # type: ignore[no-any-return]


def test_of_an_array_that_is_put_together_and_changed() -> None:
    slope, h = grad(shifted_again_and_again), 1e-5
    columns = [(slope(X + h * e, 3) - slope(X - h * e, 3)) / (2 * h) for e in np.eye(3)]
    back = vjp(slope, X, 3)[1]
    assert np.array([back(e)[0] for e in np.eye(3)]) == pytest.approx(np.array(columns), rel=1e-6, abs=1e-8)


def test_of_what_a_context_gives() -> None:
    x, h = np.array([0.3, 0.7]), 1e-5
    slope = grad(shared_out)
    columns = [(slope(x + h * e) - slope(x - h * e)) / (2 * h) for e in np.eye(2)]
    back = vjp(slope, x)[1]
    assert np.array([back(e)[0] for e in np.eye(2)]) == pytest.approx(np.array(columns), rel=1e-6, abs=1e-8)


#: Programs whose pullbacks hold None beside adjoints, put back items of dicts, or pick a list or an array.
REVERSED_TWICE = [
    *("none_in_pairs", "none_in_two_lists", "none_is_hit", "the_first_that_is_hit", "the_first_mark_that_is_hit"),
    *("constants_replaced", "whole_on_one_path_true", "whole_in_a_list_true", "whole_in_a_list_false"),
    *("dicts_in_a_queue", "dicts_made_by_a_function", "arrays_replaced_by_longer_ones"),
    *("scaled_and_returned", "dict_in_a_list", "gradient_by_a_list", "frames_along_links", "pairs_of_arrays_with_none"),
]


@pytest.mark.parametrize("name", REVERSED_TWICE)
def test_pullback_of_a_pullback(name: str) -> None:
    p = PROGRAMS[name]
    f, weights, wrt = p.function, cotangent(p), p.wrt

    def slopes(*args):  # type: ignore[no-untyped-def]
        cotangents = vjp(f, *args)[1](weights)
        return tuple([cotangents[k] for k in wrt])

    along = direction(p)
    value, back = vjp(slopes, *fresh(p))
    moved = from_vector(p.args, along)
    curved = back(tuple(moved[k] for k in wrt))
    expected = directional(slopes, p.args, along)
    assert to_vector(value) == pytest.approx(to_vector(slopes(*fresh(p))), rel=1e-12)
    assert to_vector(tuple(curved[k] for k in wrt)) == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("name", ["one_array_in_a_list_that_is_summed", "pair_of_numbers"])
def test_what_is_refused_has_a_place(name: str) -> None:
    p = PROGRAMS[name]
    with pytest.raises(NotDifferentiable, match="a number is under a name for an array") as caught:
        vjp(grad(p.function, wrt=p.wrt), *fresh(p))
    assert caught.value.filename == p.function.__code__.co_filename
    assert caught.value.lineno is not None


def numbers_replaced_and_added(x: np.ndarray) -> float:
    d = {"a": x[0]}
    for i in range(3):
        d["a"] = d["a"] * x[i]
        d[f"k{i}"] = d["a"] * x[1]
        if i:
            d[f"k{i - 1}"] = d[f"k{i}"] ** 2
    return d["a"] * d["k0"] + d["k2"] * d["k1"]  # type: ignore[no-any-return]


def arrays_that_grow(x: np.ndarray) -> float:
    d = {}
    for i in range(3):
        d[i] = x * x[i]
        if i:
            d[i - 1] = np.concatenate([d[i - 1], d[i]]) * d[i][0]
    return np.sum(d[0] ** 2) + np.sum(d[1]) * np.sum(d[2])  # type: ignore[no-any-return]


def lists_replaced(x: np.ndarray) -> float:
    d: dict[int, list[float]] = {}
    for i in range(3):
        d.setdefault(i % 2, []).append(x[i] ** 2)
    d[0] = [d[0][0] * d[1][0], d[0][1]]
    d[0][1] = d[0][0] * x[1]
    return d[0][0] * d[0][1] ** 2 + d[1][0]


def arrays_changed_in_a_dict(x: np.ndarray) -> float:
    d = {}
    for i in range(3):
        d[i] = x * x[i]
        d[i][0] *= x[1]
    d[1] = d[0]
    d[1][2] = d[2][0] * d[0][1]
    return np.sum(d[0] ** 2) + np.sum(d[1]) * np.sum(d[2])  # type: ignore[no-any-return]


def remembered(x: np.ndarray) -> float:
    memo: dict[int, float] = {}

    def product(n: int) -> float:
        if n % 4 not in memo:
            memo[n % 4] = x[n % 3] * (1.0 if n < 2 else product(n - 1) * product(n - 2))
        return memo[n % 4]

    return product(3)


@pytest.mark.parametrize(
    "f", [numbers_replaced_and_added, arrays_that_grow, lists_replaced, arrays_changed_in_a_dict, remembered]
)
def test_items_of_dicts_that_are_put_back(f) -> None:  # type: ignore[no-untyped-def]
    def curved(x: np.ndarray) -> np.ndarray:
        return vjp(grad(f), x)[1](np.ones(3))[0]  # type: ignore[no-any-return]

    slope, h = grad(f), 1e-5
    columns = [(slope(X + h * e) - slope(X - h * e)) / (2 * h) for e in np.eye(3)]
    back = vjp(slope, X)[1]
    for _ in range(2):
        assert back(np.ones(3))[0] == pytest.approx(np.sum(columns, axis=0), rel=1e-6, abs=1e-8)
    rows = [(curved(X + h * e) - curved(X - h * e)) / (2 * h) for e in np.eye(3)]
    assert vjp(curved, X)[1](np.ones(3))[0] == pytest.approx(np.sum(rows, axis=1), rel=1e-6, abs=1e-7)
