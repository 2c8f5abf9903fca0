"""Loops that only add, split."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad, structure, value_and_grad
from s2sad.compiled.scatters import scatters_split
from s2sad.ir.printer import show
from tests.ir.reader import read

pytest.importorskip("numba")

LOOP = """
def f(x: float64[1]#1, bx: float64[1]#2, by: float64[1]#3, bz: float64[2]#4, n: int, m: int):
    for i in {0}:
        j = i + 1
        u: float = x[i]
        b: float = u * 2.0
        bx[i] += b
        bx[j] -= b
        {1}
    return bx
"""
BACKWARDS = "range(n, -1, -1)"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize(
    "loop, more, loops",
    [
        (BACKWARDS, "", 2),
        ("range(m, n)", "", 2),
        (BACKWARDS, "k = j + 1\n        bx[k] += 1.0", 3),
        (BACKWARDS, "by[i] += b", 2),
        (BACKWARDS, "k = i + m\n        by[k] += b\n        bx[k] += b", 3),
        (BACKWARDS, "c: float = math.exp(u)\n        bx[j] += c", 2),
        (BACKWARDS, "c: float = math.exp(u)\n        bx[i] += c\n        bx[j] += c", 2),
        (
            BACKWARDS,
            "c: float = math.exp(u)\n        bx[i] += c\n        bx[j] += c\n        by[j] += c\n        by[i] += c",
            2,
        ),
        (
            BACKWARDS,
            "if m:\n            c: float = math.exp(u)\n            give c\n        else:\n            give 0.0\n"
            "        -> e: float\n        bx[i] += e\n        bx[j] += e",
            2,
        ),
        (BACKWARDS, "by[i] = b", 2),
        (BACKWARDS, "c: float = by[i]\n        by[i] = u\n        bx[i] += c", 2),
        (BACKWARDS, "c: float = by[i]\n        by[i] = 0.0\n        bx[i] += c", 2),
        (BACKWARDS, "t = (m, i)\n        bz[t] += b\n        v = (m, j)\n        bz[v] += b", 2),
    ],
)
def test_a_loop_for_each_offset(loop: str, more: str, loops: int) -> None:
    text = show(scatters_split(read(LOOP.format(loop, more))))
    assert text.count("for ") == loops and ", -1, -1)" not in text


@pytest.mark.parametrize(
    "loop, more",
    [
        ("range(0, n, 2)", ""),
        (BACKWARDS, "c: float = bx[i]"),
        (BACKWARDS, "bx[i] *= 2.0"),
        (BACKWARDS, "bx[i] = 0.0"),
        (BACKWARDS, "by[j] = b\n        by[i] = b"),
        (BACKWARDS, "by[i] = b\n        by[j] += b"),
        ("range(n, m, -1)", "by[i] = b"),
        (BACKWARDS, "k = 2 * i\n        bx[k] += b"),
        (BACKWARDS, "t = (i, m)\n        bz[t] += b"),
        (BACKWARDS, "by[i] = 0.0\n        c: float = by[i]\n        bx[i] += c"),
        (BACKWARDS, "c: float = by[j]\n        by[i] = 0.0\n        bx[i] += c"),
        ("range(n, m, -1)", "c: float = by[i]\n        by[i] = 0.0\n        bx[i] += c"),  # i may be negative
        ("range(n, -1, -1)", "k = i - 1\n        c: float = by[k]\n        by[k] = 0.0\n        bx[i] += c"),
        (BACKWARDS, "c: float = np.sum(bx)\n        by[i] += c"),
        (BACKWARDS, "print(b)"),
        ("range(5, -1, -1)", "c: float = math.exp(u)\n        bx[i] += c\n        bx[j] += c"),
    ],
)
def test_loops_that_stay(loop: str, more: str) -> None:
    function = read(LOOP.format(loop, more))
    assert scatters_split(function) is function


def differences(u, a):
    """Squared differences to both neighbours, and products with the one after the next."""
    total = 0.0
    for i in range(len(u) - 2):
        total += (u[i + 1] - u[i]) ** 2 * a + u[i] * u[i + 2]
    return total


def energy(u, a):
    """The energy of a membrane, by rows and by columns."""
    total = 0.0
    n, m = u.shape
    for i in range(n - 1):
        for j in range(m - 1):
            total += a * ((u[i + 1, j] - u[i, j]) ** 2 + (u[i, j + 1] - u[i, j]) ** 2)
    for j in range(m):
        for i in range(1, n):
            total += u[i, j] * u[i - 1, j] ** 2
    return total


def smoothed(u, a):
    """A stencil into an array of its own."""
    v = np.zeros(len(u))
    for i in range(1, len(u) - 1):
        v[i] = u[i - 1] - 2.0 * u[i] + u[i + 1]
    w = np.zeros(len(u))
    for i in range(1, len(u) - 1):
        w[i] = a * v[i + 1] + v[i] * v[i - 1]
    return np.sum(w * u)


def around(u, a):
    """Indices from the end: an item is stored twice."""
    v = np.zeros(len(u))
    for i in range(-3, len(u) - 1):
        v[i] = a * u[i] + u[i + 1]
    return np.sum(v**2)


def waiting(u, a):
    """A recurrence: no iteration may be done before the one behind it."""
    v = u.copy()
    for i in range(1, len(v) - 1):
        v[i] += a * v[i - 1] * u[i + 1]
    return np.sum(np.sin(v))


def scaled(u, a):
    """What is computed for two neighbours takes long."""
    total = 0.0
    for i in range(len(u) - 1):
        total += math.exp(a * u[i] * u[i + 1])
    return total


def stepped(u, a):
    """Time steps whose reversal puts back what was there, along tapes, and adds to two neighbours."""
    v = u.copy()
    flux = np.zeros(len(u) + 1)
    for _ in range(4):
        for i in range(1, len(u)):
            flux[i] = max(a, 0.0) * v[i - 1] ** 2 + min(v[i], 0.0) * v[i]
        for i in range(len(u)):
            v[i] -= 0.1 * (flux[i + 1] - flux[i])
    return np.sum(v**3)


def less(a, b):
    """The lesser of two slopes, or none."""
    if a * b <= 0.0:
        return 0.0
    if abs(a) < abs(b):
        return a
    return b


def limited(u, a):
    """Slopes that branches choose, from three neighbours."""
    v = u.copy()
    flux = np.zeros(len(u) + 1)
    for _ in range(3):
        for i in range(2, len(u) - 1):
            left = v[i - 1] + 0.5 * less(v[i] - v[i - 1], v[i - 1] - v[i - 2])
            flux[i] = 0.5 * left * left
        for i in range(2, len(u) - 2):
            v[i] -= a * 0.2 * (flux[i + 1] - flux[i])
    return np.sum(v**2)


def weighted(u, a):
    """Quotients of sums over neighbours, in several loops of one length and of another."""
    total = 0.0
    v = np.zeros(len(u))
    for k in range(3):
        for i in range(k, len(u) - 2):
            weight = 1.0 / (1.0 + (u[i] - u[i + 1]) ** 2)
            other = 1.0 / (1.0 + (u[i + 1] - a * u[i + 2]) ** 2) ** 2
            v[i] = (weight * u[i] + other * u[i + 2]) / (weight + other)
        for i in range(len(v) - 1):
            total += math.exp(-v[i] * v[i + 1]) * u[i] * (k + 1)
    return total


def packed(u, a):
    """A counter that goes through a triangle."""
    total = 0.0
    for r in range(3):
        k = r
        for i in range(len(u)):
            for j in range(i + 1, len(u)):
                total += math.sin(u[i] * a) * u[k % len(u)] * u[j - 1] * u[j]
                k += 1
    return total


def from_the_end(u, a):
    """Counters that go up to zero, and down from it: they count from the end, and are numbers too."""
    total = 0.0
    for _ in range(2):
        k, m = -len(u), 0
        for i in range(len(u) - 1):
            total += math.exp(a * u[i] * u[i + 1]) * u[k] * (k + 1)
            k += 1
        for i in range(len(u) - 2, -1, -1):
            m -= 1
            total += math.exp(a * u[i + 1] * u[i]) * u[m] * m
    return total


def one_place_at_a_time(u, a):
    """A counter, and nothing that moves with the index."""
    total, k = 0.0, 0
    for _ in range(len(u)):
        k -= 1
        total += u[k] * a * k
    return total


ONE: tuple[Callable[..., Any], ...] = (
    *(differences, smoothed, around, waiting, scaled),
    *(stepped, limited, weighted, packed, from_the_end, one_place_at_a_time),
)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n", [3, 4, 9, 40])
@pytest.mark.parametrize("function", ONE, ids=lambda f: f.__name__)
def test_programs(function: Callable[..., Any], n: int, dtype: str) -> None:
    compared(function, np.random.default_rng(n).normal(size=n).astype(dtype))


@pytest.mark.parametrize("shape", [(1, 1), (2, 5), (6, 3), (0, 0)])
@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_programs_of_matrices(shape: tuple[int, int], layout: str) -> None:
    u = np.random.default_rng(0).normal(size=shape)
    compared(energy, np.repeat(u, 2, axis=1)[:, ::2] if layout == "strided" else np.array(u, order=layout))  # type: ignore[call-overload]


def compared(function: Callable[..., Any], u: np.ndarray) -> None:
    """Both tiers agree."""
    compiled = value_and_grad(function, wrt=(0, 1), backend="numba")(u, 0.7)
    expected = value_and_grad(function, wrt=(0, 1))(u, 0.7)
    tolerance = 1e-13 if u.dtype == np.float64 else 1e-5
    for a, b in zip(*map(structure.leaves, (compiled, expected)), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


CARRYING = """
def f(x: float64[1]#1, bx: float64[1]#2, by: float64[1]#3, n: int):
    for i in range(n, -1, -1) carrying (total: float = 0.0):
        u: float = x[i]
        total_1: float = plus(total, u)
        {0}
        next total_1
    -> total_2
    return total_2
"""


def test_a_loop_that_carries_a_sum_goes_forward() -> None:
    text = show(scatters_split(read(CARRYING.format("bx[i] += u"))))
    assert text.count("for ") == 1 and "range(0, stop) carrying (total = 0.0)" in text


def test_the_first_of_several_loops_carries_the_sum() -> None:
    text = show(scatters_split(read(CARRYING.format("bx[i] += u\n        j = i + 1\n        bx[j] += u"))))
    assert text.count("for ") == 2 and text.count("carrying") == text.count("plus(") == 1


COUNTING = """
def f(tape: float64[1]#1, bx: float64[1]#2, n: int, m: int):
    for i in {0} carrying (k: int = m):
        {1}
        u: float = tape[k_1]
        bx[i] += u
        j = i + 1
        bx[j] += u
        next k_1
    -> k_2: int
    return k_2
"""


@pytest.mark.parametrize("loop, count", [(BACKWARDS, "k_1 = k - 1"), ("range(2, n)", "k_1 = k + 1")])
def test_counters_follow_from_the_index(loop: str, count: str) -> None:
    text = show(scatters_split(read(COUNTING.format(loop, count))))
    assert text.count("for ") == 2 and "carrying" not in text and text.count("trips = max(") == 1


@pytest.mark.parametrize("loop, count", [(BACKWARDS, "k_1 = k + 1"), (BACKWARDS, "k_1 = k - 2")])
def test_other_counters_stay(loop: str, count: str) -> None:
    function = read(COUNTING.format(loop, count))
    assert scatters_split(function) is function


def test_rows_are_made_before_the_loops_around() -> None:
    def repeated(u, steps):
        total = 0.0
        for k in range(steps):
            for i in range(len(u) - 1):
                total += math.exp(k * u[i] * u[i + 1])
        return total

    u = np.linspace(0.5, 2.0, 20)
    df = grad(repeated, backend="numba")
    np.testing.assert_allclose(df(u, 3), grad(repeated)(u, 3), rtol=1e-12)
    text = df.source_for(u, 3)
    assert text.count("    row = np.empty(") == 1 and "        row = np.empty(" not in text


def test_rows_of_another_length_in_each_iteration_are_not_made() -> None:
    def triangle(u):
        total = 0.0
        for i in range(len(u)):
            for j in range(i):
                total += math.exp(u[j] * u[j + 1]) * u[i]
        return total

    u = np.linspace(0.5, 1.0, 9)
    df = grad(triangle, backend="numba")
    np.testing.assert_allclose(df(u), grad(triangle)(u), rtol=1e-13)
    assert "row" not in df.source_for(u)


def test_a_loop_that_carries_something_else_stays() -> None:
    function = read(CARRYING.format("bx[i] += u").replace("plus(total, u)", "u * total"))
    assert scatters_split(function) is function


def test_indices_that_are_computed_in_many_steps() -> None:
    """Each step is looked at once, though the index is the sum of 2**60 of the first."""
    steps = "".join(f"        k{n + 1} = k{n} + k{n}\n" for n in range(60))
    text = LOOP.format(BACKWARDS, "k = i + k60\n        bx[k] += 1.0").replace(
        "        j =", f"        k0 = n + 1\n{steps}        j ="
    )
    assert show(scatters_split(read(text))).count("for ") == 3


def sparse_product(rows, columns, values, x):
    y = np.empty(rows.size - 1, values.dtype)
    for i in range(rows.size - 1):
        places = columns[rows[i] : rows[i + 1]]
        y[i] = values[rows[i] : rows[i + 1]] @ x[places]
    return np.sum(y**2) + np.sum(x[columns][1:] * values[:-1]) + x[columns[2]] * values[rows[1]]


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint32, np.int8, np.uint16, np.uint64])
def test_places_of_few_bits(dtype: type) -> None:
    """As those of SciPy's sparse matrices are."""
    rows, columns = np.array([0, 2, 2, 5, 6], dtype), np.array([3, 0, 2, 2, 1, 0], dtype)
    if np.issubdtype(dtype, np.signedinteger):
        columns[1] = -1
    values, x = np.linspace(0.5, 2.0, 6), np.linspace(-1.0, 1.0, 4)
    df = grad(sparse_product, wrt=(2, 3), backend="numba")
    plain = grad(sparse_product, wrt=(2, 3))(rows, columns, values, x)
    for ours, theirs in zip(df(rows, columns, values, x), plain, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert dtype is np.uint64 or "_add_at" not in df.source_for(rows, columns, values, x)


def of_few_bits(places, x):
    part = places[1:]
    y = x[part + 100] if places[0] > 0 else x[part * 2]  # in eight bits
    return np.sum(y**2) + np.sum(x[1:] * part) + np.sum(x[places[::-1]][part])


def test_arithmetic_of_few_bits_wraps_around() -> None:
    x = np.linspace(-1.0, 1.0, 300)
    places = np.arange(100, 200, 1).astype(np.int8)[:3].repeat(100)[:300]
    df = grad(of_few_bits, wrt="x", backend="numba")
    for first in (0, 1):
        places[0] = first
        np.testing.assert_allclose(df(places, x), grad(of_few_bits, wrt="x")(places, x), rtol=1e-12)


def rows_of_points(x):
    y = np.zeros((3, 3, 3))
    i = np.array([0, 1, 2])
    y[:, i, i] = x  # along the points, not along the axis ahead of them
    y[:, i, i[::-1]] += 2.0 * x
    return np.sum(y * WEIGHTS)


def masked_planes(x):
    y = np.zeros((3, 3, 3))
    y[:, np.eye(3, dtype=bool)] = x
    return np.sum(y**2 * WEIGHTS)


def last_axes(x):
    y = np.zeros((3, 3, 3))
    y[..., np.array([0, 2, 1])] = x[:, None]
    np.add.at(y, (slice(None), np.array([0, 1, 1])), np.outer(x, x))
    return np.sum(y**2 * WEIGHTS)


def planes(x):
    y = np.zeros((3, 3, 3))
    y[:, np.array([0, 2])] = np.outer(x, x)[:2]
    y[:, np.array([0, 2, 1])] += x
    y[:, [1, 0], 2] -= x[:2]
    return np.sum(y**2 * WEIGHTS)


WEIGHTS = np.arange(27.0).reshape(3, 3, 3) ** 2


@pytest.mark.parametrize("f", [rows_of_points, masked_planes, last_axes, planes], ids=lambda f: f.__name__)
def test_values_of_fewer_axes_are_stretched_from_the_right(f):
    x = np.array([0.5, 1.2, 2.7])
    value, slope = value_and_grad(f, backend="numba")(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-13)
    np.testing.assert_allclose(slope, grad(f)(x), rtol=1e-13)


def patches(x):
    """What convolutions by products of matrices gather, and put back."""
    y = np.zeros((1, 2, 5, 3))
    y[0, :, 1:4, 1] = x * x[0]
    k = np.array([[0, 0], [1, 1], [0, 1]])
    i = np.array([[0, 1], [1, 2], [2, 0]])
    columns = y[:, k, i, i.T[:1, :2]]
    z = np.zeros((1, 2, 5, 3))
    z[:, k, i, 1] = columns**2
    np.add.at(z, (slice(None), k, i, k), columns)
    z[:, k, i, 0] += np.array([1.0, 2.0]) * x[1]
    return np.sum(z**2)


def test_patches_by_matrices_of_places():
    x = np.array([0.5, 1.2, 2.7])
    value, slope = value_and_grad(patches, backend="numba")(x)
    np.testing.assert_allclose(value, patches(x), rtol=1e-13)
    np.testing.assert_allclose(slope, grad(patches)(x), rtol=1e-13)
