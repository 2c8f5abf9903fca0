"""None that says something, in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

import s2sad
from s2sad.errors import CompileError

X = np.array([0.0, 1.5, 2.0, 3.0])


def up_to_all(x, k):
    return np.sum(x[: k or None] ** 2)


def from_where_given(x, k):
    start = None
    if k > 0:
        start = k
    return np.sum(x[start:] ** 2)


def backwards_to_all(x, k):
    return np.sum(x[: (k if k > 0 else None) : -1] * np.arange(1.0, x[: (k if k > 0 else None) : -1].shape[0] + 1.0))


def every_so_many(x, k):
    return np.sum(x[:: abs(k) or None] ** 3)


def by_a_slice(x, k):
    part = slice(None, k or None)
    return np.sum(x[part] * x[part])


def neighbours(x, k):
    total = 0.0
    for shift in range(-2, 1):
        total = total + np.sum(x[2 + shift : shift or None] * x[: x.shape[0] - 2]) * (shift + k)
    return total


def stored_up_to_all(x, k):
    y = np.zeros(4)
    for n in range(3):
        y[: -n or None] += x[n:] * x[: -n or None]
    return np.sum(y * y) + k


def end_of_the_iteration_before(x, k):
    end = None
    total = 0.0
    for i in range(4):
        total = total + np.sum(x[:end] ** 2) * (i + 1)
        end = i if i != k else None
    return total


def ends_in_a_list(x, k):
    total = 0.0
    for end in [None, 2, k or None]:
        total = total + np.sum(x[:end] ** 2)
    return total


def left_out(x, k):
    def part(y, end=None):
        if end:
            return y[end:]
        return y[:end] * 2

    return np.sum(part(x, k or None) ** 2)


def asked_by_name(x, k):
    end = k or None
    if end is None:
        return np.sum(x**3)
    return np.sum(x[:end] ** 2)


def equal_to_nought(x, k):
    m = k or None
    return np.sum(x) * (2.0 if m == 0 else 3.0)


def other_than_nought(x, k):
    m = k or None
    return np.sum(x) * (2.0 if m != 0 else 3.0)


def equal_to_a_number(x, k):
    m = x[0] if k else None
    return np.sum(x) * (2.0 if m == 0.0 else 3.0)


def equal_to_none(x, k):
    m = k or None
    return np.sum(x) * (2.0 if m == None else 3.0)  # noqa: E711


def counts_as_false(x, k):
    m = x[1] if k else None
    factor = 2.0 if m else 3.0
    if not m:
        factor = factor * 5.0
    if m is None:
        factor = factor * 7.0
    return np.sum(x) * factor


def compared_where_given(x, k):
    m = k or None
    if m is not None and m == 0:
        return np.sum(x)
    return np.sum(np.round(x, m if m is not None else 1)) + np.sum(x * x)


def weighted(x, k):
    weights = None if k == 0 else x + 1.0
    return np.average(x * x, weights=weights)


TAKEN = [
    *(up_to_all, from_where_given, backwards_to_all, every_so_many, by_a_slice, neighbours, stored_up_to_all),
    *(end_of_the_iteration_before, ends_in_a_list, left_out, asked_by_name),
    *(
        equal_to_nought,
        other_than_nought,
        equal_to_a_number,
        equal_to_none,
        counts_as_false,
        compared_where_given,
        weighted,
    ),
]


@pytest.mark.parametrize("function", TAKEN)
def test_none_is_what_it_is_in_python(function: Callable[..., Any]) -> None:
    compiled = s2sad.value_and_grad(function, backend="numba")
    for k in (0, 1, 2, -1):
        value, slope = compiled(X, k)
        expected, of_python = s2sad.value_and_grad(function)(X, k)
        assert value == pytest.approx(expected, rel=1e-14)
        assert value == pytest.approx(function(X, k), rel=1e-14)
        np.testing.assert_allclose(slope, of_python, rtol=1e-13)


@pytest.mark.parametrize("function", [up_to_all, neighbours, ends_in_a_list, equal_to_nought])
def test_in_the_forward_mode_too(function: Callable[..., Any]) -> None:
    tangent = np.array([1.0, -2.0, 0.5, 3.0])
    for k in (0, 2):
        out = s2sad.jvp(function, (X, k), (tangent, None), backend="numba")
        expected = s2sad.jvp(function, (X, k), (tangent, None))
        np.testing.assert_allclose(out[1], expected[1], rtol=1e-13)


def along_an_axis(x, k):
    return np.sum(np.sum(np.outer(x, x), axis=k or None) ** 2)


def within(x, k):
    return np.sum(np.clip(x, 0.5 if k == 1 else None, 2.0) ** 2)


def written(x, k):
    end = k or None
    return np.sum(x) * len(f"{end}")


def indexed(x, k):
    place = None if k == 0 else 0
    return np.sum(x[place] ** 2)


def among(x, k):
    end = k or None
    return np.sum(x) * (2.0 if end in (0, 1) else 3.0)


def in_a_pair(x, k):
    pair = (k or None, 1)
    return np.sum(x) * (3.0 if pair == (0, 1) else 2.0)


@pytest.mark.parametrize("function", [along_an_axis, within, written, among, in_a_pair])
def test_what_else_takes_none_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(CompileError, match="None at times"):
        s2sad.grad(function, backend="numba")(X, 0)


def test_an_index_that_is_none_raises() -> None:
    compiled = s2sad.grad(indexed, backend="numba")
    np.testing.assert_allclose(compiled(X, 1), s2sad.grad(indexed)(X, 1))
    with pytest.raises(TypeError, match="an index is None"):
        compiled(X, 0)


def least_place(x, n):
    least, place = None, None
    for i in range(n):
        if least is None or x[i] < least:
            least, place = x[i], i
    return x[place] * x[place]


def test_an_index_that_is_a_number_once_it_is_read() -> None:
    np.testing.assert_allclose(s2sad.grad(least_place, backend="numba")(X + 1.0, 4), [2.0, 0.0, 0.0, 0.0])
