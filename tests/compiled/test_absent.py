"""Items of lists that are None at times: flags in compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

pytest.importorskip("numba")

import s2sad
from tests.compiled.corpus import MODES, PROGRAMS, compare

NAMES = [name for name, p in PROGRAMS.items() if p.function.__module__ == "cases_absent"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", MODES)
def test_tiers_agree(name: str, mode: str) -> None:
    outcome = compare(name, mode)
    assert outcome.what == "agreed", outcome.message


def test_what_is_only_left_by_a_return_gives_what_is_returned():
    def f(x):
        while True:
            x = x * 1.5
            if x > 3.0:
                return x * x

    value, slope = s2sad.value_and_grad(f, backend="numba")(0.3)
    assert value == pytest.approx(f(0.3)) and slope == pytest.approx(2.0 * value / 0.3)


class Hit(NamedTuple):
    at: np.ndarray
    time: float


def tuples_that_are_there(x, n):
    pairs = [None] * 4
    for k in range(n):
        pairs[k] = (x * k, x[:2] * x[k])
    total = 0.0
    for pair in pairs:
        total = total + (np.sum(pair[0]) * np.sum(pair[1]) if pair is not None else x[0])
    return total


def first_hit(x, n):
    hits = [None] * 4
    first = None
    for k in range(n):
        if x[k] > 0.6:
            hits[k] = Hit(x * x[k], x[k])
    for hit in hits:
        if hit is not None and (first is None or hit.time < first.time):
            first = hit
    return np.sum(first.at) * first.time


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("f", [tuples_that_are_there, first_hit])
def test_tangents_of_tuples_with_arrays_in_lists_with_none(f, n):
    x, dx = np.array([0.5, 1.2, 0.7, 0.3]), np.array([1.0, -0.3, 0.4, 2.0])
    compiled = s2sad.jvp(f, (x, n), (dx, None), backend="numba")
    np.testing.assert_allclose(compiled, s2sad.jvp(f, (x, n), (dx, None)), rtol=1e-13)


def test_what_no_loop_has_found_raises():
    with pytest.raises(AttributeError, match="None"):
        s2sad.jvp(first_hit, (np.array([0.5, 1.2, 0.7, 0.3]), 1), (np.ones(4), None), backend="numba")


def at_most_ten(x):
    if x.shape[0] > 10:
        raise ValueError("too many")
    return x * np.sin(x)


def of_one_way_or_another(x):
    if x.shape[0] == 2:
        y = x * x
    elif x.shape[0] == 3:
        y = np.sin(x) * x
    else:
        raise ValueError("too many")
    return y


@pytest.mark.parametrize("function", [at_most_ten, of_one_way_or_another])
def test_what_raises_gives_no_none(function):
    x, seed = np.array([0.3, 0.7, 0.9]), np.array([1.0, -2.0, 0.5])
    value, pullback = s2sad.vjp(function, x, backend="numba")
    expected, of_python = s2sad.vjp(function, x)
    np.testing.assert_allclose(value, expected, rtol=1e-14)
    np.testing.assert_allclose(pullback(seed)[0], of_python(seed)[0], rtol=1e-13)
    with pytest.raises(ValueError, match="too many"):
        s2sad.vjp(function, np.ones(11), backend="numba")
