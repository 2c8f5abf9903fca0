"""The reverse sweep of functions that call themselves: compiled code keeps records in the place of pullbacks."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, hvp, jacobian, value_and_grad, vjp
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


def test_refused() -> None:
    with pytest.raises(CompileError, match="restores arrays that may share memory") as caught:
        grad(restored, backend="numba")(np.array([0.3, 0.8, 0.5]), 14)
    assert caught.value.lineno is not None
    assert caught.value.lineno >= restored.__code__.co_firstlineno
