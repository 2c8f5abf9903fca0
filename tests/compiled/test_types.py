"""Values that have several types in Python and one in compiled code: None, lists, dicts, views in other shapes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import jvp, structure, value_and_grad
from s2sad.analysis.sharing import shared_operands
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const, Op, Var

pytest.importorskip("numba")

from s2sad.compiled.viewing import turned_3, turned_4, viewed_1, viewed_2, viewed_5, viewed_6


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def agree(f: Callable[..., Any], x: Any, *rest: Any) -> None:
    """Both tiers agree in both modes."""
    moved = (x, *(None for _ in rest))
    found = value_and_grad(f, backend="numba")(x, *rest), jvp(f, (x, *rest), moved, backend="numba")
    expected = value_and_grad(f)(x, *rest), jvp(f, (x, *rest), moved)
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


def refused(f: Callable[..., Any], *args: Any) -> str:
    """The message of the error that is raised."""
    with pytest.raises(s2sad.CompileError) as caught:
        value_and_grad(f, backend="numba")(*args)
    assert caught.value.lineno is not None
    return caught.value.message


# ---------------------------------------------------------------- None


def best_of(x, n):
    best, where, row = None, None, None
    for i in range(n):
        v = (x[i] - 0.4) ** 2
        if best is None or v < best:
            best, where, row = v, i, x * v
    if row is None:
        return np.sum(x)
    return best * x[where] * np.sum(row)


def before_last(x, n):
    last, total = None, 0.0
    for i in range(n):
        if last is not None and i % 2 == 0:
            total = total + np.sum(last * x)
            last = None
        else:
            last = x * (i + 1.0)
    return total if last is None else total + np.sum(last**2)


@pytest.mark.parametrize("f", [best_of, before_last])
def test_variables_that_are_none_at_times(f: Callable[..., Any]) -> None:
    for n in (0, 1, 2, 3):
        agree(f, np.array([0.5, 1.2, -0.7]), n)


def test_results_that_are_none_at_times_raise_then() -> None:
    def f(x, n):
        last = None
        for i in range(n):
            last = x * i
        return x * x, last

    assert jvp(f, (0.7, 2), (1.0, None), backend="numba") == jvp(f, (0.7, 2), (1.0, None))
    with pytest.raises(TypeError, match="returned None"):
        jvp(f, (0.7, 0), (1.0, None), backend="numba")


@pytest.mark.parametrize("deep", [False, True])
def test_lists_in_results_that_hold_none_at_times_raise_then(deep) -> None:
    def filled(x, n):
        out = [None] * 3
        for i in range(n):
            out[2 - i] = x * i
        return x * x, out

    def filled_deep(x, n):
        out = [[None] * 3 for _ in range(2)]
        for i in range(n):
            out[0][i] = out[1][2 - i] = x * i
        return x * x, out

    f = filled_deep if deep else filled
    assert jvp(f, (0.7, 3), (1.0, None), backend="numba") == jvp(f, (0.7, 3), (1.0, None))
    with pytest.raises(TypeError, match="holds None"):
        jvp(f, (0.7, 2), (1.0, None), backend="numba")


def test_none_among_the_items_of_a_list_is_told_from_them_by_identity_alone() -> None:
    def asked(a, n):
        out = [None] * 3
        for k in range(n):
            out[k] = a * k
        return sum(v for v in out if v is not None)

    def sorted_out(a, n):
        out = [None] * 3
        for k in range(n):
            out[k] = a * k
        return sum(v for v in out if isinstance(v, float))

    def filled(a, n):
        out = [None] * n
        for k in range(n):
            out[k] = a * k
        return sum(out)

    agree(asked, 0.7, 2)
    assert "None" in refused(sorted_out, 0.7, 2)
    agree(filled, 0.7, 3)


# ---------------------------------------------------------------- lists


def test_lists_that_begin_empty_or_with_integers() -> None:
    def counted(a, n):
        tail = [0, 1, 2][1:]
        tail[0] = a * a
        pairs = [(0, 1), (1, 2)][:]
        pairs[1] = (a, 3)
        both = [1, 2] + tail
        return sum(both) * pairs[0][0] + sum(tail) * pairs[1][0] * pairs[1][1]

    def grouped(a, n):
        groups = [[] for _ in range(2)]
        for k in range(n):
            groups[k % 2].append(a * k)
        window = []
        for g in groups:
            window = [*window, sum(g)][-2:]
        return window[0] * window[-1]

    agree(counted, 0.7, 3)
    agree(grouped, 0.7, 5)


def test_orders_of_lists() -> None:
    def f(xs):
        total, falling = 0.0, sorted(xs, key=lambda v: -v * v, reverse=True)
        for k, (v, i) in enumerate(sorted([(v, i) for i, v in enumerate(xs)])):
            total += v * k * (i + 1) + falling[k] * (k + 1)
        return total + max(xs, key=lambda v: v * v) * min(xs, key=abs)

    for items in ([3.0, 1.0, 2.0], [1.0, 1.0], [2.5], [4.0, 4.0, 0.5, 4.0, -1.0, 0.5, 9.0]):
        agree(f, items)


def test_parts_of_ranges() -> None:
    def f(x, n):
        total = 0.0
        for i in range(n)[1::2][::-1]:
            total = total * 0.5 + x[i] * i
        return total * x[range(2, n)[-1]]

    agree(f, np.arange(6.0), 6)


# ---------------------------------------------------------------- dicts


def test_dicts_of_one_type() -> None:
    def words(x, n):
        counts = {}
        for k in range(n):
            key = f"k{k % 3}"
            counts[key] = counts.get(key, 0.0) + x * (k + 1)
        return sum(counts.values()) * counts["k1"]

    def vectors(x, n):
        rows = {}
        for k in range(n):
            rows[k] = 0 * x
            rows[k] += x * k
        return sum(np.sum(v) * k for k, v in enumerate(rows.values()))

    def whole(x, n):
        d = {}
        for k in range(n):
            d[k] = 0
            if k > 1:
                d[k] = x * k + 0.25
        return d[0] + d[n - 1]

    agree(words, 0.7, 5)
    agree(vectors, np.array([0.5, 2.0]), 3)
    agree(whole, 0.7, 4)


def test_lists_in_dicts() -> None:
    def f(x, n):
        d = {}
        for k in range(n):
            d[k] = [x * k]
        return d[0][0] + d[1][0]

    agree(f, 0.7, 3)


# ---------------------------------------------------------------- arrays


def test_views_in_another_shape_are_views_where_numpy_gives_views() -> None:
    base = np.arange(24.0)
    whole = base.reshape(2, 3, 4)
    shown = [
        base,
        base[::2],
        base[::-1],
        base[:0],
        whole,
        whole.T,
        whole[:, ::-1],
        whole[:, :1],
        whole[:, 1],
        whole[0:1],
    ]
    shown += [whole[..., :2], whole.swapaxes(0, 1), whole[:, :, 1:2].T, np.asfortranarray(whole), whole[:, :0]]
    for a in shown:
        for n in (-1, a.size):
            found, expected = viewed_1(a, n), a.reshape(n)
            assert np.array_equal(found, expected)
            assert np.shares_memory(found, a) == np.shares_memory(expected, a)
        for m in [k for k in range(1, a.size + 1) if a.size % k == 0]:
            for shape in ((m, a.size // m), (m, -1)):
                found, expected = viewed_2(a, *shape), a.reshape(shape)
                assert np.array_equal(found, expected)
                assert np.shares_memory(found, a) == np.shares_memory(expected, a)


def test_stores_through_views_in_another_shape() -> None:
    def f(x):
        y = x * 1.0
        for shown in (y.T, y[:, 1:2], y[:1].T):
            flat = shown.reshape(-1)
            flat += np.sin(flat) * y[0, 0]
        y[0] *= 3.0
        return np.sum(y * y)

    agree(f, np.arange(12.0).reshape(3, 4) / 7.0)


def test_views_of_five_and_six_axes() -> None:
    base = np.arange(96.0).reshape(4, 4, 6)
    for a in (base, base.transpose(2, 0, 1), base[::-1], base[:0], base[:, ::2]):
        five, six = (2, 1, -1, 2, 2), (1, 2, 1, -1, 2, 2)
        for found, expected in (
            (viewed_5(a, *five), a.reshape(five)),
            (viewed_6(a, *six), a.reshape(six)),
        ):
            assert np.array_equal(found, expected)
            assert np.shares_memory(found, a) == np.shares_memory(expected, a)


def test_pools_of_channels_put_first() -> None:
    def f(x, n):
        y = (x * 2.0).reshape(2, n, 4, -1).transpose(0, 3, 1, 2)
        pools = y.reshape(2, 3, n // 2, 2, 2, 2)
        return np.sum(pools.max(axis=(3, 5)) ** 2) + np.sum(y.reshape(2, 3, n // 2, 2, -1) ** 3)

    agree(f, np.sin(np.arange(96.0)).reshape(2, 16, 3), 4)


def test_triangles() -> None:
    def f(x):
        mask = (1 - np.tri(x.shape[0], dtype=x.dtype)) * -1e3
        below = np.tri(len(x), k=-1, dtype=int) * x + np.tri(3, 3, 1, np.float32) * x * x
        return np.sum(np.exp(x + mask)) + np.sum(np.where(np.tri(3, dtype=bool), below, x)) + np.sum(np.tri(3) * x)

    agree(f, np.sin(np.arange(9.0)).reshape(3, 3))


def test_axes_of_sorts() -> None:
    def f(x):
        order = np.argsort(x, axis=0, kind="stable")
        return np.sum(np.sort(x, axis=0)[0] * x[1]) + np.sum(np.take_along_axis(x, order, 0)[1] ** 2) + np.sort(x)[0, 1]

    agree(f, np.sin(np.arange(12.0)).reshape(3, 4))


def test_lists_where_arrays_are_meant() -> None:
    def f(x):
        y = x * 1.0
        y[:] += [1.0, y[1], 2.0]
        return np.sum(np.stack([x, y], axis=-1) ** 2) + np.hstack((x, 1.0, y[0]))[3] * y[0]

    agree(f, np.array([0.5, 2.0, -1.0]))


def test_diagonals() -> None:
    def f(A):
        y = np.diagonal(A, 1) * np.diagonal(A)[:2] + np.diagonal(A, -1)[0]
        A[0, 1] *= y[0]
        return np.sum(y * y) + np.sum(np.diagonal(A, 1))

    agree(f, np.arange(9.0).reshape(3, 3) / 5.0)


@pytest.mark.parametrize(("turned", "shape"), [(turned_3, (2, 3, 4)), (turned_4, (2, 3, 1, 5))])
def test_axes_in_any_order_give_views(turned: Any, shape: tuple[int, ...]) -> None:
    a = np.arange(float(np.prod(shape))).reshape(shape)[::-1]
    for order in itertools.permutations(range(len(shape))):
        found, expected = turned(a, *order), np.transpose(a, order)
        assert found.strides == expected.strides
        assert np.array_equal(found, expected)
        assert np.shares_memory(found, a)
        (operand,) = shared_operands(Op(Var("y", K.ANY), turned, (x := Var("x", K.ANY), *map(Const, order))))
        assert operand is x


def test_an_order_of_axes_that_is_known_is_not_left_to_numba() -> None:
    def f(x: Any, w: Any) -> Any:
        y = np.linalg.norm(np.transpose(x, (-1, 0, 1))[0], 2) + np.linalg.norm(np.swapaxes(x[0], 0, -1), 2)
        return y + np.sum(np.swapaxes(w @ x, -1, -2) @ np.transpose(x, (0, 2, 1)))

    x, w = np.random.default_rng(3).normal(size=(2, 2, 3, 3))
    derivative = s2sad.grad(f, backend="numba")
    assert not re.search(r"^[^#\n]*np\.(swapaxes|transpose\(.*, )", derivative.source_for(x, w), re.MULTILINE)
    np.testing.assert_allclose(derivative(x, w), s2sad.grad(f)(x, w), rtol=1e-13)
