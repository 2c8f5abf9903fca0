"""Elementary functions in loops: the values and derivatives of the Python tier, whatever the loop reads and changes."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp, value_and_grad

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def chain(x):
    y = np.tanh(np.exp(-x * x) + np.sin(x))
    return np.sum(np.log1p(y * y) * np.cos(x))


def in_place(x):
    y = x.copy()
    for i in range(len(y)):
        y[i] = np.exp(y[i])
    return np.sum(y)


def stored_and_taken(x):
    y, z = np.zeros(len(x)), np.zeros(len(x))
    for i in range(len(x)):
        y[i] = 2.0 * x[i]
        z[i] = math.tanh(y[i])
        y[i] = z[i] * z[i]
    return np.sum(y) + np.sum(z)


def one_after_the_other(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += math.tanh(y[i - 1])
    return y[-1]


def one_before_the_other(x):
    y = x.copy()
    for i in range(len(y) - 1):
        y[i] = math.tanh(y[i + 1]) * y[i]
    return np.sum(y)


def everywhere(x):
    y = x.copy()
    for i in range(len(y)):
        y[0] += math.tanh(y[i])
    return np.sum(y)


def backwards(x):
    total = 0.0
    for i in range(len(x) - 1, 1, -1):
        total = 0.5 * total + np.sin(x[i]) * x[i - 2]
    return total


def from_some_place(x):
    total = 0.0
    for k in range(3):
        for i in range(k, len(x) - k):
            total += math.exp(-x[i] * k) / (1.0 + total * total)
    return total


def in_a_nest(x):
    n = len(x)
    total = 0.0
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += np.exp(-((x[i] - x[j]) ** 2)) * np.cos(x[j])
        total += np.log(1.0 + row * row)
    return total


def in_a_triangle(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += math.tanh(x[i] * x[j]) * total * 0.01 + math.exp(x[j])
    return total


def in_a_branch(x):
    total = 0.0
    for i in range(len(x)):
        a = x[i] if x[i] > 0.0 else -x[i]
        if a > 0.5:
            total += math.exp(-a) + math.log(a)
        else:
            total += math.log1p(a) * total * 0.1
    return total


def of_carried(x):
    total = 0.0
    for i in range(len(x)):
        total += math.sin(total + x[i])
    return total


def of_constants(x):
    total = 0.0
    for i in range(len(x)):
        total += math.sin(x[0]) * x[i] + math.exp(0.5)
    return total


def through_places_that_change(x):
    places = np.arange(len(x))
    y, z = x.copy(), x.copy()
    for i in range(len(x)):
        p = places[i]
        y[p] = 3.0 * x[i]
        places[i] = 0
        q = places[i]
        z[i] = math.tanh(y[q])
    return np.sum(z) + np.sum(y)


def by_two_names(x):
    a, b = x.copy(), np.zeros(len(x))
    for _ in range(3):
        for i in range(len(x)):
            b[i] = math.tanh(a[i]) * x[i]
        a, b = b, a
    return np.sum(a * b)


def until(x):
    total = 0.0
    for i in range(len(x)):
        total += math.exp(x[i])
        if total > 5.0:
            break
    return total


def powers(x):
    p = x[0] * x[0] + 0.3
    return np.sum(np.abs(x) ** 1.7) + np.sum((x * x) ** p) + np.sum(np.abs(x) ** x) + np.sum(x**3.0)


def power_in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        total = 0.3 * total + (x[i] * x[i]) ** (x[0] * 0.5 + 1.1)
    return total


def softmax(x):
    y = np.outer(x, x)
    e = np.exp(y - np.max(y, axis=1, keepdims=True))
    return np.sum(e / np.sum(e, axis=1, keepdims=True) * y)


PROGRAMS = (chain, in_place, stored_and_taken, one_after_the_other, one_before_the_other, everywhere, backwards)
PROGRAMS += (from_some_place, in_a_nest, in_a_triangle, in_a_branch, of_carried, of_constants, by_two_names, until)
PROGRAMS += (through_places_that_change, powers, power_in_a_loop, softmax)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_derivatives_are_those_of_the_python_tier(f: Callable[..., Any]) -> None:
    compiled, python = value_and_grad(f, backend="numba"), value_and_grad(f)
    rng = np.random.default_rng(0)
    for n in (2, 3, 8, 21):
        x = rng.normal(size=n)
        (value, slope), (expected, right) = compiled(x), python(x)
        np.testing.assert_allclose(value, expected, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(slope, right, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("f", [chain, in_a_nest], ids=lambda f: f.__name__)
def test_arrays_with_strides(f: Callable[..., Any]) -> None:
    x = np.random.default_rng(4).normal(size=42)[::2]
    np.testing.assert_allclose(grad(f, backend="numba")(x), grad(f)(x), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_tangents_are_those_of_the_python_tier(f: Callable[..., Any]) -> None:
    x, v = np.random.default_rng(1).normal(size=(2, 19))
    found, expected = jvp(f, (x,), (v,), backend="numba"), jvp(f, (x,), (v,))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("f", [in_place, backwards, in_a_nest, softmax, powers], ids=lambda f: f.__name__)
def test_what_is_no_number_is_passed_on(f: Callable[..., Any]) -> None:
    x = np.random.default_rng(2).normal(size=11)
    with np.errstate(all="ignore"):
        for special in (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e9, 800.0):
            x[4] = special
            np.testing.assert_allclose(grad(f, backend="numba")(x), grad(f)(x), rtol=1e-12, atol=1e-13)


def checked(x, places):
    total = 0.0
    for i in range(len(places)):
        if places[i] >= len(x):
            raise ValueError("a place that is not there")
        total = 0.5 * total * total + np.exp(x[places[i]])
    return total


def test_nothing_is_taken_before_a_check() -> None:
    x, derivative = np.linspace(0.0, 1.0, 4), grad(checked, backend="numba")
    places = np.array([3, 0, 0, 1])
    np.testing.assert_allclose(derivative(x, places), grad(checked)(x, places), rtol=1e-13)
    source = derivative.source_for(x, places)
    assert "raise ValueError" in source and "_exp_row" not in source
    with pytest.raises(ValueError, match="not there"):
        derivative(x, np.array([3, 10**15]))


def test_a_power_that_is_infinite() -> None:
    def f(x):
        return np.sum(np.abs(x) ** np.inf)

    x = np.array([0.5, 1.0, 0.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(grad(f, backend="numba")(x), grad(f)(x))


def test_single_precision_stays_so() -> None:
    def f(x, w):
        return w * np.exp(np.sin(x))

    x = np.linspace(-1.0, 1.0, 20, dtype=np.float32)
    found, expected = jvp(f, (x, x), (x, x), backend="numba"), jvp(f, (x, x), (x, x))
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype == np.float32
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_users_who_ask_for_fastmath_have_the_same_functions() -> None:
    x = np.random.default_rng(3).normal(size=40)
    for f in (chain, in_a_nest, powers, softmax):
        np.testing.assert_allclose(grad(f, backend="numba", fastmath=True)(x), grad(f)(x), rtol=1e-10, atol=1e-11)
