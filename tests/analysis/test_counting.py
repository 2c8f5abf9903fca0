"""Integers among what is differentiated by that count: they stay integers, and their derivative is zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from s2sad import check_grads, grad, hessian, jacobian, jvp, vjp
from s2sad.frontend.specs import ANYWHERE
from s2sad.lowerings import counting_places
from s2sad.structure import describe

X = np.array([0.7, -1.2, 0.4, 1.1])


class Named(NamedTuple):
    n: Any
    x: Any


@dataclass
class Held:
    n: Any
    x: Any


def of_a_range(p):
    s = 0.0
    for i in range(p["n"] // 2):
        s = s + p["x"][i] ** 3
    return s / p["n"]


def of_an_axis(p):
    return np.sum(np.sum(p["x"].reshape(2, 2) ** 2, axis=p["n"])[0])


def of_a_shape(p):
    z = np.zeros((p["n"], 2))
    z[0, 1] = p["x"][1] ** 2
    return np.sum(z) + np.sum(p["x"].reshape(p["n"], -1) ** 2)


def of_an_index(p):
    return p["x"][-p["n"]] ** 2 + p["x"][: p["n"]] @ p["x"][1 : p["n"] + 1]


def of_indices(p):
    return np.sum(p["x"][np.arange(p["n"]) + 1] ** 3) + np.sum(np.repeat(p["x"], p["n"]) ** 2)


def of_a_branch(p):
    k = p["n"] if p["x"][0] > 0.0 else 0
    return p["x"][k] ** 2


def of_attributes(p):
    return sum([p.x[i] ** 2 for i in range(p.n)]) * p.n


def of_widths(p):
    s, start = 0.0, 0
    for n in p["n"]:
        s = s + np.sin(p["x"][start : start + n]).sum() * n
        start = start + n
    return s


def of_pairs(p):
    s = 0.0
    for n, x in p:
        s = s + x[n] ** 2 * n
    return s


def of_keys(p):
    return p["x"][0] ** 2 * {1: 2.0, 2: 3.0}[p["n"]]


PROGRAMS = [
    (of_a_range, {"n": 4, "x": X}, {("n",)}),
    (of_an_index, {"n": 2, "x": X}, {("n",)}),
    (of_an_index, {"n": np.int64(2), "x": X}, {("n",)}),
    (of_a_shape, {"n": 2, "x": X}, {("n",)}),
    (of_indices, {"n": 2, "x": X}, {("n",)}),
    (of_a_branch, {"n": 2, "x": X}, {("n",)}),
    (of_attributes, Named(3, X), {("n",)}),
    (of_attributes, Held(3, X), {("n",)}),
    (of_widths, {"n": [1, 3], "x": X}, {("n", ANYWHERE)}),
    (of_pairs, [(0, X), (2, X * 2.0)], {(ANYWHERE, 0)}),
    (of_keys, {"n": 2, "x": X}, {("n",)}),
]
ONLY_PYTHON = [(of_an_axis, {"n": 1, "x": X}, {("n",)})]
CASES = [(*p, b) for b in ("python", "numba") for p in PROGRAMS] + [(*p, "python") for p in ONLY_PYTHON]


@pytest.mark.parametrize("f, p, places, backend", CASES)
def test_what_counts_stays_an_integer(f: Callable[..., Any], p: Any, places: Any, backend: str) -> None:
    assert counting_places(f, (describe(p),)) == {(0, *place) for place in places}
    check_grads(f, backend=backend)(p)
    for gradient in (grad(f, backend=backend)(p), vjp(f, p, backend=backend)[1](1.0)[0]):
        for n in _counts(gradient):
            assert isinstance(n, float) and n == 0.0
    assert _counts(jacobian(f, backend=backend)(p)) == [0.0] * len(_counts(p))


def _counts(p: Any) -> list[Any]:
    """The integers of an argument, or what stands for them."""
    if isinstance(p, list):
        return [n for n, _ in p]
    n = p["n"] if isinstance(p, dict) else p.n
    return n if isinstance(n, list) else [n]


def test_tangents_of_counts_may_be_none() -> None:
    p = {"n": 4, "x": X}
    y, dy = jvp(of_a_range, (p,), ({"n": None, "x": np.ones(4)},))
    assert y == of_a_range(p) and np.isclose(dy, 3.0 * (X[0] ** 2 + X[1] ** 2) / 4)


def test_second_derivatives_by_counts_are_zero() -> None:
    blocks = hessian(of_a_range)({"n": 4, "x": X})
    assert blocks["n"]["n"] == 0.0 and not blocks["x"]["n"].any() and not blocks["n"]["x"].any()
    assert np.allclose(blocks["x"]["x"], np.diag([1.5 * X[0], 1.5 * X[1], 0.0, 0.0]))


def test_other_integers_count_as_floats() -> None:
    def f(p):
        return p["x"][p["n"]] * p["c"] ** p["k"] + p["sizes"][0] * p["sizes"][1]

    p = {"n": 1, "x": X, "c": 3, "k": 2, "sizes": [2, 5]}
    found = grad(f)(p)
    assert found["n"] == 0.0 and np.isclose(found["c"], 6.0 * X[1]) and found["sizes"] == [5.0, 2.0]
    assert np.isclose(found["k"], 9.0 * np.log(3.0) * X[1])


def test_one_of_the_packed_counts() -> None:
    def f(*args, **kwargs):
        return args[0][args[1]] ** 2 * kwargs["c"] * np.sum(args[0][: kwargs["n"]])

    got = grad(f, wrt=(0, "c"))(X, 1, c=2, n=2)
    assert np.isclose(got[1], X[1] ** 2 * (X[0] + X[1]))
    with pytest.raises(TypeError, match="is an int, with no float to differentiate by"):
        grad(f, wrt=(0, "n"))(X, 1, c=2, n=2)


def test_nothing_but_counts_is_refused() -> None:
    with pytest.raises(TypeError, match="is a dict, with no float to differentiate by"):
        grad(lambda p: 1.0 * sum(range(p["n"])))({"n": 3})
