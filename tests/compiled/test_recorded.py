"""The reverse sweep of functions that call themselves: compiled code keeps records in the place of pullbacks."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, NotDifferentiable, grad, hvp, jacobian, value_and_grad, vjp
from tests.compiled.corpus import compare

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


LEFT, RIGHT = np.array([1, 3, -1, -1, -1]), np.array([2, 4, -1, -1, -1])


def power(x, n):
    return x if n == 0 else 1.1 * x * power(x, n - 1)


def tree(w, i):
    """Of nodes by their numbers, both of whose children are visited."""
    if i < 0:
        return 1.0
    a, b = tree(w, LEFT[i]), tree(w, RIGHT[i])
    return math.sin(w[i]) * a + w[i] * b


def vectors(x, n):
    if n == 0:
        return x * x
    y = vectors(np.sin(x) * 1.5, n - 1)
    return y * x + vectors(x * 0.5, n - 2 if n > 2 else 0)


def sum_of_vectors(x, n):
    return np.sum(vectors(x, n))


def halves(x):
    """Of parts in one piece, and of parts that are not."""
    if len(x) == 1:
        return x[0] * x[0]
    m = len(x) // 2
    return halves(x[:m]) * halves(x[m:]) + x[0]


def doubled_for_nobody(y, n):
    """It calls itself for an array of its own, which nobody reads."""
    if n > 0:
        y += y[::-1] * 0.3
        y = y * 2.0
        doubled_for_nobody(y, n - 1)


def updated_once(x, n):
    y = x * 1.0
    doubled_for_nobody(y, n)
    return np.sum(y * y)


def every_other(x):
    if len(x) == 1:
        return x[0] * x[0]
    return every_other(x[::2]) * every_other(x[1::2]) + x[0]


def in_loops(x, n):
    s = x
    for k in range(n):
        s = s + math.sin(in_loops(x * 0.5, k))
    return s * x


def in_branches_of_loops(x, n):
    s, k = 0.0, 0
    while k < n:
        if k % 2:
            s += in_branches_of_loops(x * 0.7, k) * x
        else:
            s *= x
        s += x
        k += 1
    return s + x * x


def even(x, n):
    return x if n == 0 else odd(x * 1.1, n - 1) * x


def odd(x, n):
    return x * x if n == 0 else even(math.sin(x), n - 1) + x


def pair(x, n):
    if n == 0:
        return x, x * x
    a, b = pair(x * 0.9, n - 1)
    return a * b, a + x


def product_of_pair(x, n):
    a, b = pair(x, n)
    return a * b


def changed_in_place(x, n):
    a = np.zeros(3)
    for i in range(3):
        a[i] = x * i
        a[i] *= a[i]
    return a[2] if n == 0 else a[1] * changed_in_place(x * 0.9, n - 1)


def after_a_loop(x, n):
    y = x
    while abs(y * y - x) > 1e-10:
        y = 0.5 * (y + x / y)
    return y if n == 0 else after_a_loop(y + 1.0, n - 1) * y


def nested(x, m, n):
    """Ackermann's: of what it gives itself."""
    if m == 0:
        return x * (n + 1)
    if n == 0:
        return nested(x * 1.01, m - 1, 1)
    return nested(x * 1.02, m - 1, 1) + nested(x, m, n - 1)


def catching(x, n):
    if n == 0:
        return x
    try:
        y = math.log(x - n)
    except ValueError:
        y = x * x
    return y * catching(x * 0.9, n - 1)


def of_a_pair(p, n):
    return p[0] * p[1] if n == 0 else of_a_pair(p, n - 1) + p[0] ** 2


def of_pairs(x, n):
    return of_a_pair((x, 2.0 * x), n)


CASES = [
    (power, (1.1, 14)),
    (tree, (np.arange(1.0, 6.0), 0)),
    (sum_of_vectors, (np.array([0.5, 0.2]), 14)),
    (halves, (np.linspace(0.5, 1.5, 37),)),
    (updated_once, (np.array([0.7, 0.4, -0.3]), 3)),
    (every_other, (np.linspace(0.5, 1.5, 37),)),
    (in_loops, (0.8, 13)),
    (in_branches_of_loops, (0.8, 13)),
    (even, (0.8, 15)),
    (product_of_pair, (0.8, 14)),
    (changed_in_place, (1.3, 14)),
    (after_a_loop, (2.0, 13)),
    (nested, (1.5, 2, 3)),
    (catching, (3.0, 14)),
    (of_pairs, (1.2, 14)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_gradients(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    value, slope = value_and_grad(f, backend="numba")(*args)
    expected = value_and_grad(f)(*args)
    np.testing.assert_allclose(value, expected[0], rtol=1e-12)
    np.testing.assert_allclose(slope, expected[1], rtol=1e-12)
    h = 1e-6
    difference = (f(args[0] + h, *args[1:]) - f(args[0] - h, *args[1:])) / (2 * h)
    np.testing.assert_allclose(np.sum(slope), difference, rtol=1e-5)


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_pullbacks_many_times(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    value, pullback = vjp(f, *args, backend="numba")
    expected = value_and_grad(f)(*args)
    np.testing.assert_allclose(value, expected[0], rtol=1e-12)
    for ct in (1.0, -0.5, 1.0):
        np.testing.assert_allclose(pullback(ct)[0], ct * expected[1], rtol=1e-12)


@pytest.mark.parametrize(("f", "args"), CASES[::4], ids=[f.__name__ for f, _ in CASES[::4]])
def test_jacobians_and_second_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    v = np.ones_like(args[0]) if isinstance(args[0], np.ndarray) else 1.0
    found, expected = (hvp(f, backend=b)(*args, v) for b in ("numba", "python"))
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    found, expected = (jacobian(f, mode="reverse", backend=b)(*args) for b in ("numba", "python"))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_vectors_as_results() -> None:
    x = np.array([0.5, 0.2])
    y, pullback = vjp(vectors, x, 14, backend="numba")
    np.testing.assert_allclose(y, vectors(x, 14))
    np.testing.assert_allclose(pullback(np.ones(2))[0], grad(sum_of_vectors)(x, 14))


@pytest.mark.parametrize(
    "name", ["factorial_like", "small_rec_if", "mutual_recursion", "recursive_transform", "integral"]
)
@pytest.mark.parametrize("mode", ["reverse", "pullback"])
def test_programs(name: str, mode: str) -> None:
    outcome = compare(name, mode)
    assert outcome.what == "agreed", outcome.message


def restored(u, n):
    """The reverse sweep restores an array and a view of it."""
    u = u * 2.0
    v = u[1:]
    for _ in range(3):
        s = np.sin(u)
        u[:-1] = s[1:] * u[:-1]
        v *= s[:-1]
    return np.sum(u) if n == 0 else np.sum(u * v[0]) + restored(u * 0.9, n - 1)


def restored_backwards(u, n):
    """Views with gaps, from the end and of other axes."""
    u = u * 1.1
    v, w, middle = u.T, u[:, ::-2], u[::-1, 1]
    for _ in range(2):
        v *= np.cos(v)
        w += v.T[:, :2] ** 2
        u[0] = np.sin(u[1])
        middle *= w[:, 0]
    return np.sum(v.T * u) if n == 0 else restored_backwards(u * 0.5, n - 1) + w[0, 0] * v[1, 1]


def merge_sort(x):
    n = len(x)
    if n < 2:
        return x
    left, right, merged = merge_sort(x[: n // 2]), merge_sort(x[n // 2 :]), np.empty(n)
    i = j = 0
    for k in range(n):
        if j >= len(right) or (i < len(left) and left[i] <= right[j]):
            merged[k] = left[i]
            i += 1
        else:
            merged[k] = right[j]
            j += 1
    return merged


def sorted_by_halves(x):
    return np.sum(merge_sort(x) * np.arange(len(x)))


def over_coarser_grids(u, f):
    n = u.shape[0]
    u = u.copy()
    if n <= 3:
        u[1] = 0.5 * f[1] * np.cos(u[0])
        return u
    for _ in range(2):
        u[1:-1] = 0.5 * (u[:-2] + u[2:] + f[1:-1] * np.cos(u[1:-1]))
    r = np.zeros_like(u)
    r[1:-1] = f[1:-1] - (2 * u[1:-1] - u[:-2] - u[2:])
    coarse = r[::2].copy() * 4
    e = over_coarser_grids(np.zeros_like(coarse), coarse)
    fine = np.zeros_like(u)
    fine[::2] = e
    fine[1::2] = 0.5 * (e[:-1] + e[1:])
    return u + fine


def solved_over_grids(u):
    return np.sum(over_coarser_grids(u, np.cos(np.arange(len(u)))) ** 2)


SHARING = [
    (restored, (np.array([0.3, 0.8, 0.5]), 14)),
    (restored_backwards, (np.arange(6.0).reshape(2, 3) / 5.0, 13)),
    (sorted_by_halves, (np.array([0.4, -1.0, 2.5, 0.3, 0.9, 0.1, 0.7]),)),
    (solved_over_grids, (np.sin(np.arange(17.0)),)),
]


@pytest.mark.parametrize(("f", "args"), SHARING, ids=[f.__name__ for f, _ in SHARING])
def test_arrays_that_share_memory_are_restored(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    def of_both(x: Any, *others: Any) -> Any:
        return f(x, *others)

    for x in (args[0], args[0][::-1]):
        found, expected = (value_and_grad(of_both, backend=b)(x, *args[1:]) for b in ("numba", "python"))
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-11, atol=1e-13)


def test_pullbacks_of_what_is_restored_many_times() -> None:
    x = np.array([0.4, -1.0, 2.5, 0.3, 0.9, 0.1, 0.7])
    _, pullback = vjp(sorted_by_halves, x, backend="numba")
    for ct in (1.0, -0.5, 1.0):
        np.testing.assert_allclose(pullback(ct)[0], ct * grad(sorted_by_halves)(x), rtol=1e-14)


def test_views_with_gaps_are_not_handed_to_a_pullback() -> None:
    def f(x: Any) -> Any:
        return restored_backwards(x, 13)

    with pytest.raises(NotDifferentiable, match="with gaps in them"):
        vjp(f, np.ones((2, 3)), backend="numba")[1](1.0)


def lists_restored(u, n):
    """The reverse sweep restores arrays in a list."""
    us = [u * 2.0, u * 3.0]
    for _ in range(3):
        us[0] *= np.sin(us[1])
        us[1][1:] += us[0][:-1] ** 2
    return np.sum(us[0]) if n == 0 else np.sum(us[0] * us[1]) + lists_restored(us[0] * 0.1, n - 1)


def test_refused() -> None:
    with pytest.raises(CompileError, match="restores lists that may share memory") as caught:
        grad(lambda u: lists_restored(u, 14), backend="numba")(np.array([0.3, 0.8, 0.5]))
    assert caught.value.lineno is not None
    assert caught.value.lineno >= lists_restored.__code__.co_firstlineno


def transformed(x):
    """The Fourier transform by halves, of every other number."""
    n = len(x)
    if n == 1:
        return x
    even, odd = transformed(x[::2]), transformed(x[1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + turned, even - turned])


def power_of_frequencies(x):
    return np.sum(np.abs(transformed(x.astype(complex))) ** 2 * np.arange(len(x)))


def columns_in_turn(a, n):
    """Of a matrix, of its transpose, and of parts of both."""
    if n == 0:
        return np.sum(a**3)
    return columns_in_turn(a.T * 1.1, n - 1) + np.sum(a) * columns_in_turn(a[:, ::2], n - 1)


def test_arrays_that_are_asked_for_their_lengths_only_are_not_recorded():
    x = np.linspace(-1.0, 2.0, 8)
    slope = grad(power_of_frequencies, backend="numba")
    power = np.fft.fft(x) * np.arange(8)
    np.testing.assert_allclose(slope(x), 2.0 * np.real(np.fft.fft(np.conj(power))), rtol=1e-11, atol=1e-11)
    forward = slope.source_for(x).split("def transformed_vjp")[1].split("\ndef ")[0]
    assert forward.count("_in_one_piece(") == 1, "of all arrays, only the roots of unity are read by the pullback"


def test_a_function_is_compiled_for_arrays_of_one_layout():
    from numba.core import event

    x = np.linspace(-1.0, 2.0, 8)
    with event.install_recorder("numba:compile") as found:
        product = hvp(power_of_frequencies, backend="numba")(x, x)
    np.testing.assert_allclose(product, hvp(power_of_frequencies)(x, x), rtol=1e-11)
    names = [e.data["dispatcher"].py_func.__name__ for _, e in found.buffer if e.is_start]
    own = [name for name in names if name.startswith("transformed_")]
    assert own and len(own) == len(set(own)), own


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("make", [np.array, np.asfortranarray, lambda a: np.repeat(a, 2, axis=1)[:, ::2]])
def test_parts_and_wholes_are_passed_to_one_function(make, n):
    a = make(np.sin(np.arange(12.0)).reshape(3, 4))
    value, slope = value_and_grad(columns_in_turn, backend="numba")(a, n)
    expected, by_python = value_and_grad(columns_in_turn)(a, n)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(slope, by_python, rtol=1e-12)
    direction = np.cos(np.arange(12.0)).reshape(3, 4)
    along = (columns_in_turn(a + 1e-6 * direction, n) - columns_in_turn(a - 1e-6 * direction, n)) / 2e-6
    assert np.sum(slope * direction) == pytest.approx(along, rel=1e-6)


def by_cofactors(a):
    """Of parts of a matrix on both sides of a column, which the reverse sweep is asked to cut again."""
    if a.shape[0] == 1:
        return a[0, 0]
    total = 0.0
    for j in range(a.shape[1]):
        rest = np.concatenate((a[1:, :j], a[1:, j + 1 :]), axis=1)
        total += (1 if j % 2 == 0 else -1) * a[0, j] * by_cofactors(rest)
    return total


@pytest.mark.parametrize("n", [1, 3, 4])
def test_views_are_recorded_by_loops(n):
    a = np.sin(np.arange(float(n * n))).reshape(n, n) + np.eye(n)
    value, slope = value_and_grad(by_cofactors, backend="numba")(a)
    assert value == pytest.approx(np.linalg.det(a), rel=1e-12)
    np.testing.assert_allclose(slope, np.linalg.det(a) * np.linalg.inv(a).T, rtol=1e-10)
