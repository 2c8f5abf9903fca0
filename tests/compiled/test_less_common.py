"""Operations that Numba lacks or takes in fewer forms: norms along axes, dtypes by Python's names, limits, items."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, jvp, structure, value_and_grad

A = np.array([[0.3, 0.9, -0.4], [1.2, 0.7, 0.5]])


def agree(f: Callable[..., Any], x: Any) -> None:
    """Both tiers agree in both modes."""
    found = value_and_grad(f, backend="numba")(x), jvp(f, (x,), (x,), backend="numba")
    expected = value_and_grad(f)(x), jvp(f, (x,), (x,))
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def norms_along_axes(a):
    rows, columns = np.linalg.norm(a, axis=1), np.linalg.norm(a, 1, axis=0, keepdims=True)
    largest = np.linalg.norm(a, np.inf, -1) - np.linalg.norm(a, ord=-np.inf, axis=1)
    apart = np.linalg.norm(a[:, None, :] - 2.0 * a[None, :, :], axis=-1)
    return np.sum(rows) + np.sum(columns**2) + np.sum(largest) + np.sum(apart) + np.linalg.norm(a, "fro")


def matrices_turned(a):
    stack = np.stack([a, 2.0 * a, a**2])
    turned = stack.mT
    turned = turned * np.arange(2.0)
    turned[0] += np.matrix_transpose(a)
    return np.sum(turned @ stack) + np.sum(a.mT @ a * np.arange(3.0))


def stored_through_what_is_turned(a):
    b = 2.0 * a
    turned = b.mT
    turned[1] = a[:, 0] ** 2
    return np.sum(b * np.arange(6.0).reshape(2, 3))


def sizes_along_axes(a):
    return np.size(a, 0) * np.sum(a**2) / np.size(a, -1)


def floats_by_name(a):
    r = np.array([a[0, 0], 2.0 * a[1, 1], 3], float)
    r += r * a[0]
    return r[0] * r[1] + np.sum(np.array(a, float)[0]) + np.sum(np.array([[1, 2], [3, 4]], dtype=float) * a[:, :2])


def rows_of_arrays(a):
    made = np.array([[a, 2.0 * a], [a**2, np.sin(a)], [a, a + 1.0]])
    return np.sum(made[1] * made[2]) + made[0, 1, 1, 2] * np.array([[a[0], a[1]], [a[1], a[0] ** 2]]).sum()


def taken_by_a_matrix(a):
    places = np.array([[0, 5], [4, 4]])
    row = np.take(a[0], [[0, 1], [2, 2]]) * np.array([[1.0, 2.0], [3.0, 4.0]])
    along = np.take(a, places // 2, axis=1) * np.arange(4.0).reshape(2, 2) + np.take(a, [[1, 1], [0, 1]], 0)[:, :, :1]
    return np.sum(row**2) + np.sum(along**3) + np.sum(a.take(places) ** 2 * places)


def of_two_axes(a):
    b = np.stack([a, a**2, np.sin(a) + 0.3 * a])
    middle = np.median(b, axis=(0, 2)) * np.quantile(b, 0.3, axis=(2, 0)) + np.prod(b, axis=(0, -1))
    parts = np.percentile(b, [20.0, 70.0], axis=(1, 2))[0] * np.prod(b, axis=(1, 2), keepdims=True)[:, 0, 0]
    return np.sum(middle**2) + np.sum(parts) + np.sum(np.median(b, axis=(0, 1), keepdims=True) ** 3)


def norms_of_matrices(a):
    b = np.stack([a, a**2, np.sin(a) + 0.3 * a])
    columns = np.linalg.norm(b, 1, axis=(1, 2)) * np.linalg.norm(b, -1, (1, 2))
    kept = np.linalg.norm(b, -1, axis=(2, 0), keepdims=True) * b
    return np.sum(columns) + np.sum(kept**2) + np.sum(np.linalg.norm(b, "fro", axis=(-1, 0)) ** 3)


def numbers_appended(a):
    kept = np.zeros(0)
    for row in a:
        kept = np.append(kept, row[0] * row[1])
    return np.sum(np.append(kept, a) ** 2) + np.sum(sum([a, a**2]) * a)


def types_of_arrays(a):
    below = np.float64(a < 0.6) * a + np.int64(3.0 * a) * a**2
    return np.sum(below) + np.sum(np.abs(np.complex128(a) * (1.0 + 2.0j)))


def item_of_a_matrix(a):
    return (a[:1] @ a[:1].T).item() + a[0].item(1)


def number_with_axes(a):
    return np.atleast_2d(a[0, 0])[0, 0] * np.atleast_1d(a[1, 1])[0] + np.sum(np.atleast_3d(a[0, 1]) * a[0, 2])


def limits_of_dtypes(a):
    return (
        np.sum(np.log(np.abs(a) + np.finfo(float).eps)) + a[0, 0] * 1e10 * np.finfo(np.float64).eps * np.iinfo(int).bits
    )


def heads_joined(a):
    b = np.ones((2, 4, 6)) * a[:, :1, None]
    q = b.reshape(2, 4, 2, 3).transpose(0, 2, 1, 3)
    scores = q @ q.transpose(0, 1, 3, 2)
    return np.sum(scores.transpose(0, 2, 1, 3).reshape(2, 4, -1) ** 2) + np.sum(
        q.transpose(2, 0, 1, 3).reshape(4, 2, 3, 2)
    )


def picked_from_a_tuple(a):
    total = 0.0
    for k, v in zip(range(3), (a[0, 0], a[0, 1] * a[1, 1], 2.0)):
        total += k * v
    return total


def parts_taken_in_branches(a):
    pairs = [(a[0, 0] * k, a[1, 1] + k) for k in range(1, 5)]
    total = 0.0
    while len(pairs) > 0:
        pair = pairs.pop()
        if pair[0] > 0.7:
            pair = (pair[0] / 2.0, pair[1])
        total += pair[0] * pair[1]
    return total


def all_items_joined(a):
    return np.sum(np.concatenate((a, a[0] ** 2), axis=None) * np.arange(9.0))


def vectors_above_matrices(a):
    return np.sum(np.vstack((a[0] * a[1], a, a[1])) ** 2 * np.arange(12.0).reshape(4, 3))


def full_of_rows(a):
    return np.sum(np.full((2, 3), a[0]) * a) + np.sum(np.full(3, a[:1, 2]) ** 2)


@pytest.mark.parametrize(
    "f",
    [
        all_items_joined,
        vectors_above_matrices,
        full_of_rows,
        norms_along_axes,
        sizes_along_axes,
        matrices_turned,
        stored_through_what_is_turned,
        floats_by_name,
        rows_of_arrays,
        taken_by_a_matrix,
        of_two_axes,
        norms_of_matrices,
        numbers_appended,
        types_of_arrays,
        item_of_a_matrix,
        number_with_axes,
        limits_of_dtypes,
        heads_joined,
        picked_from_a_tuple,
        parts_taken_in_branches,
    ],
)
def test_both_tiers_agree(f):
    agree(f, A)


def test_a_list_of_floats_becomes_an_array():
    def f(start):
        r = np.array(start, float)
        return r[0] * r[1]

    assert grad(f, backend="numba")([1.5, 2.0]) == [2.0, 1.5]


def test_only_an_array_of_one_item_has_an_item():
    def f(a):
        return (a * 2.0).item()

    with pytest.raises(ValueError, match="size 1"):
        jvp(f, (A,), (A,), backend="numba")


def test_a_sequence_beside_functions_is_as_long():
    def f(xs):
        total = 0.0
        for g, x in zip((np.sin, np.exp, np.tanh), xs):
            total += g(x)
        return total

    x = np.array([0.3, 0.5, 0.7])
    for backend in ("python", "numba"):
        np.testing.assert_allclose(grad(f, backend=backend)(x), [np.cos(0.3), np.exp(0.5), 1.0 - np.tanh(0.7) ** 2])
        with pytest.raises(AssertionError, match="as many here"):
            grad(f, backend=backend)(x[:2])


def test_logarithms_of_sums_of_lists_that_grow():
    def f(x):
        state = [x[0], x[1]]
        for k in range(2, len(x)):
            candidates = [state[-1] + x[k]]
            if k % 2:
                candidates.append(state[-2])
            state.append(np.logaddexp.reduce(candidates))
        return state[-1] * state[-2]

    agree(f, np.array([0.3, 0.5, 0.7, -0.4, 0.9]))


def of_two_precisions(x, y):
    """Functions of C of which Numba takes one for both precisions."""
    powers = np.sum(np.exp2(x) * x) + np.sum(np.exp2(y) * y)
    return powers + np.sum(np.log2(x) ** 2) + np.sum(np.log2(y) ** 2) + np.sum(np.copysign(x, -y) + np.copysign(y, -y))


def single(a):
    numbers = np.max(a) + np.prod(a) + np.median(a) + np.cumprod(a)[0]
    return numbers * a


def test_precisions_meet():
    x, y = A[1], A[1].astype(np.float32)
    found, expected = grad(of_two_precisions, wrt=(0, 1), backend="numba"), grad(of_two_precisions, wrt=(0, 1))
    for a, b in zip(found(x, y), expected(x, y), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_a_number_of_single_precision():
    x = np.array(0.7, np.float32)
    found = grad(single, backend="numba")(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, grad(single)(x), rtol=1e-5)


def traces(x, k):
    return np.trace(x, offset=k) ** 2


def test_a_trace_of_single_precision():
    for k in (-1, 0, 1):
        found, expected = grad(traces, backend="numba")(A.astype(np.float32), k), grad(traces)(A.astype(np.float32), k)
        assert found.dtype == expected.dtype == np.float32
        np.testing.assert_allclose(found, expected)


class Axis(enum.IntEnum):
    FIRST = 0
    SECOND = 1


def numbers_with_names(x):
    total = x[Axis.SECOND] ** 2 * float(Axis.SECOND) + x[0] * Axis.SECOND + np.sum(x ** (Axis.SECOND + 1))
    for axis in Axis:
        total += x[axis] ** 2 * axis
    return total * int(Axis.SECOND)


def places_of_the_largest(x):
    i, j = np.unravel_index(np.argsort(x)[:3], (2, 2))
    return np.sum(x.reshape(2, 2)[i, j] ** 2 * (i + 2 * j))


def in_order_by_several(x):
    first = np.lexsort((x, x > 1.0))
    second = np.lexsort((-x, np.array([1, 0, 1, 0]), np.array([0.0, 1.0, 0.0, 1.0])))
    return np.sum(x[first] * np.arange(4) + x[second] * np.arange(4) ** 2)


def arrays_repeated(x):
    same = sum(np.sum(a * k) for k, a in enumerate([x.reshape(2, 2)] * 3))
    turns = sum(np.sum(a**2) * k for k, a in enumerate([x[:2], x[1:]] * 2))
    return same + turns + np.sum(np.linalg.multi_dot([x.reshape(2, 2)] * 3))


@pytest.mark.parametrize("f", [numbers_with_names, places_of_the_largest, in_order_by_several, arrays_repeated])
def test_places_orders_and_repetitions(f: Callable[..., Any]) -> None:
    agree(f, np.array([0.5, 1.2, 2.7, 0.9]))


def test_places_that_an_array_has_not_are_refused():
    def f(x, k):
        i, j = np.unravel_index(k, (2, 2))
        return np.sum(x.reshape(2, 2)[i, j])

    for k in (9, -1, np.array([0, 4])):
        with pytest.raises(ValueError, match="out of bounds"):
            grad(f, backend="numba")(np.array([0.5, 1.2, 2.7, 0.9]), k)


def padded_by_pairs(a):
    weights = np.arange(30.0).reshape(5, 6)
    each = np.pad(a, ((1, 2), (1, 2)), constant_values=((1.0, 2.0), (a[0, 0], a[1, 1] ** 2)))
    return np.sum(each**2 * weights) + np.sum(np.pad(a[0], (1, 2), constant_values=(1.0, a[0, 1])) ** 3 * weights[0])


def put_in(a):
    weights, total = np.arange(20.0).reshape(4, 5), 0.0
    total += np.sum(np.insert(a, 1, 5.0, axis=1) ** 2 * weights[:2, :4])
    total += np.sum(np.insert(a, -1, a[0] * a[1], axis=0) ** 2 * weights[:3, :3])
    total += np.sum(np.insert(a, [1, 3], a[:, :2], axis=1) ** 2 * weights[:2])
    total += np.sum(np.insert(a, 1, a[:, :2].T, axis=1) ** 2 * weights[:2]) + np.sum(np.insert(a, (2, 2), 0, axis=1))
    for k in range(-3, 4):
        total += np.sum(np.insert(a[0], k, a[1, 0] ** 2) * weights[0, :4])
    return total + np.sum(np.insert(a[0], [2, 0, 2], [1.0, a[1, 1], 3.0]) ** 2 * np.arange(6.0))


def points_between(a):
    weights = np.arange(5.0)
    rows = np.linspace(a[0], a[1], 5) ** 2 + np.linspace(a[0], 1.0, 5, endpoint=False) ** 3
    few = np.sum(np.linspace(a, a**2, len(a)) ** 2) + np.sum(np.linspace(a[0], a[1], 1))
    return np.sum(rows * weights[:, None]) + few + np.sum(np.linspace(a[0, 0], a[1, 0], 5, endpoint=False) * weights)


def made_by_arrays_of_lengths(a):
    lengths = np.array(a.shape)
    wide = np.zeros(lengths + 1)
    wide[1:, 1:] = a
    return np.sum(wide**2 * np.ones(lengths + 1)) + np.sum(np.full(lengths, a[0, 0]) * a)


@pytest.mark.parametrize("f", [padded_by_pairs, put_in, points_between, made_by_arrays_of_lengths])
def test_both_tiers_agree_on_what_is_put_around_and_between(f: Callable[..., Any]) -> None:
    agree(f, A)


def test_a_place_that_nothing_can_be_put_before() -> None:
    g = grad(lambda x, k: np.sum(np.insert(x, k, 2.0, axis=1)), backend="numba")
    with pytest.raises(IndexError, match="out of bounds"):
        g(A, 4)


def test_a_number_that_is_read_from_text_is_refused_where_it_is() -> None:
    def f(x: Any) -> Any:
        total = 0.0
        words = ["0", "1"]
        while words:
            total += x[int(words.pop())] ** 2
        return total

    assert grad(f)(A[0]).tolist() == pytest.approx([0.6, 1.8, 0.0])
    with pytest.raises(CompileError, match="a number that is read from text") as refused:
        grad(f, backend="numba")(A[0])
    assert "int(words.pop())" in str(refused.value)
