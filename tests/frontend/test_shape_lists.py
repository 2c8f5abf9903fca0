"""Lists that say how many axes an array has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad

X = np.random.default_rng(3).random((5, 4, 3))


def padded(x):
    shape = list(x.shape)
    shape[2] += 2
    out = np.zeros(shape, x.dtype)
    out[:, :, 1:-1] = x
    return np.sum(out**2)


def padded_by_tuple(x):
    shape = list(x.shape)
    shape[0] = shape[0] + 1
    out = np.zeros(tuple(shape))
    out[1:] = x
    return np.sum(out**3)


def written_down(x):
    shape = [x.shape[0], x.shape[1] * x.shape[2]]
    return np.sum(x.reshape(shape)[1] ** 2)


def without_an_axis(x):
    shape = list(x.shape)
    n = shape.pop(1)
    return np.sum(np.sum(x, axis=1) * np.ones(shape) * n)


def with_an_axis(x):
    shape = list(x.shape)
    shape.insert(1, 1)
    return np.sum(x.reshape(shape) * x[:, None])


def differences(x):
    total = 0.0
    for axis in range(x.ndim):
        after, before = [slice(None)] * x.ndim, [slice(None)] * x.ndim
        after[axis] = slice(1, None)
        before[axis] = slice(None, -1)
        total = total + np.sum((x[tuple(after)] - x[tuple(before)]) ** 2)
    return total


def stored_by_list(x):
    y = np.zeros(x.shape)
    index = [slice(None)] * 3
    index[1] = slice(1, None)
    y[tuple(index)] = x[:, :-1] * 2.0
    index[1] = 0
    y[tuple(index)] += x[:, 0] ** 2
    return np.sum(y * y)


def along_an_axis(x):
    shape = [1] * x.ndim
    shape[1] = x.shape[1]
    return np.sum(x * np.arange(1.0, x.shape[1] + 1.0).reshape(shape))


def appended(x):
    shape = []
    for k in range(x.ndim):
        shape.append(x.shape[k] + 1)
    out = np.zeros(shape)
    out[1:, 1:, 1:] = x
    return np.sum(out * out)


def comprehended(x):
    out = np.zeros([n + 1 for n in x.shape])
    out[1:, 1:, 1:] = x
    return np.sum(out * out)


def joined(x):
    shape = list(x.shape[:-1]) + [3]
    shape = [2, *shape]
    out = np.ones(shape)
    out[0] = x
    return np.sum(out[0] * out[1] * x)


def permuted(x):
    order = list(range(x.ndim))
    order[0], order[-1] = order[-1], order[0]
    return np.sum(np.transpose(x, order)[0] ** 2 * x.transpose(order)[1])


def by_two_names(x):
    shape = list(x.shape)
    same = shape
    same[0] = 2
    out = np.zeros(shape)
    out += x[:2]
    return np.sum(out * x[1:3])


def changed_by_a_function(x):
    def lengthen(shape, axis):
        shape[axis] += 1

    shape = list(x.shape)
    for axis in range(3):
        lengthen(shape, axis)
    out = np.zeros(shape)
    out[1:, 1:, 1:] = x
    return np.sum(out**2) * len(shape)


def on_one_path(x):
    shape = list(x.shape)
    if shape[0] > 2:
        shape[0] = 2
    out = np.zeros(shape)
    out += x[:2]
    return np.sum(out * out)


def where_a_run_tells(x):
    shape = list(x.shape)
    k = int(np.argmax(x[0, 0]))
    shape[k] = shape[k] + 1
    out = np.zeros(shape)
    out[: x.shape[0], : x.shape[1], : x.shape[2]] = x
    return np.sum(out * out)


def looked_at(x):
    shape = list(x.shape)
    shape[1] = 2
    n = 1
    for m in shape:
        n = n * m
    out = np.zeros(shape) + x[:, :2]
    return np.sum(out**2) * n * max(shape) * (2.0 if shape[0] == 5 else 1.0) + np.prod(shape)


def padded_along_one_axis(x):
    widths = [(0, 0)] * x.ndim
    widths[1] = (1, 2)
    return np.sum(np.pad(x, widths, mode="edge") ** 2)


def without_one_axis(x):
    axes = [k for k in range(x.ndim) if k != 0]
    return np.sum(np.mean(x, axis=tuple(axes)) ** 2)


def corner(x):
    size = [n // 2 for n in x.shape]
    return np.sum(x[tuple(slice(0, m) for m in size)] ** 2)


def each_in_turn(x):
    index = [slice(None)] * x.ndim
    total = 0.0
    for i in range(x.shape[1]):
        index[1] = i
        total = total + np.sum(x[tuple(index)]) ** 2 * (i + 1)
    return total


def each_after_the_other(x):
    y = np.zeros_like(x)
    index = [slice(None)] * 3
    for i in range(x.shape[1] - 1):
        index[1] = i
        before = tuple(index)
        index[1] = i + 1
        y[tuple(index)] = y[before] * 0.5 + x[tuple(index)] ** 2
    return np.sum(y * y)


def item_by_item(x):
    index = [0, 0, 0]
    total = 0.0
    for i in range(x.shape[0]):
        index[0] = i
        for j in range(x.shape[1]):
            index[1] = j
            total = total + x[tuple(index)] ** 2 * (i + 2 * j)
    return total


def smaller_and_smaller(x):
    shape = list(x.shape)
    total = 0.0
    while shape[0] > 2:
        shape[0] = shape[0] - 1
        y = np.zeros(shape)
        y += x[: shape[0]]
        total = total + np.sum(y * y)
    return total


def moved_by_a_function(x):
    def put(index, i):
        index[2] = slice(i, i + 2)
        return index

    index = [slice(None)] * 3
    total = 0.0
    for i in range(x.shape[2] - 1):
        total = total + np.sum(x[tuple(put(index, i))] ** 2) * (i + 1)
    return total


def read_before_it_is_a_number(x):
    index = [slice(None)] * 3
    same = index
    total = 0.0
    for i in range(x.shape[1]):
        total = total + np.sum(x[tuple(index)]) ** 2
        if i > 1:
            same[1] = i
    return total + np.sum(x[tuple(same)] ** 2)


KNOWN = [
    *(padded, padded_by_tuple, written_down, without_an_axis, with_an_axis, differences, stored_by_list),
    *(along_an_axis, appended, comprehended, joined, permuted, by_two_names, changed_by_a_function, on_one_path),
    looked_at,
    *(padded_along_one_axis, without_one_axis, corner, each_in_turn, each_after_the_other, item_by_item),
    *(smaller_and_smaller, moved_by_a_function),
]


@pytest.mark.parametrize("function", [*KNOWN, where_a_run_tells, read_before_it_is_a_number])
def test_gradients_agree_with_differences(function: Callable[..., Any]) -> None:
    tangent, step = np.random.default_rng(4).standard_normal(X.shape), 1e-6
    expected = (function(X + step * tangent) - function(X - step * tangent)) / (2 * step)
    value, slope = s2sad.value_and_grad(function)(X)
    assert value == pytest.approx(function(X), rel=1e-14)
    assert np.vdot(slope, tangent) == pytest.approx(expected, rel=1e-7)
    assert s2sad.jvp(function, (X,), (tangent,))[1] == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("function", KNOWN)
def test_they_are_compiled(function: Callable[..., Any]) -> None:
    pytest.importorskip("numba")
    np.testing.assert_allclose(s2sad.grad(function, backend="numba")(X), s2sad.grad(function)(X), rtol=1e-13)


def test_indices_are_written_as_an_expert_would() -> None:
    text = s2sad.grad(differences).source_for(X)
    assert "bx[1:, :, :] += " in text and "bx[:, :, :-1] -= " in text


def test_an_item_that_moves_is_written_as_one() -> None:
    assert "bx[:, i, :] += " in s2sad.grad(each_in_turn).source_for(X)


def test_the_caller_s_list_is_let_be() -> None:
    def f(x, shape):
        shape = list(shape)
        shape[0] = 1
        return np.sum(np.ones(shape) * x[:1] ** 2)

    given = [5, 4, 3]
    np.testing.assert_allclose(s2sad.grad(f)(X, given)[0], 2 * X[0])
    assert given == [5, 4, 3]
