"""Tapes and growing arrays made once before the loop, and lists that iterations make."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from s2sad import grad, value_and_grad

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def chained(layers, points):
    """A sum over points of what lists of several lengths come to, layer by layer."""
    total = 0.0
    for point in points:
        values = point
        for rows in layers:
            values = [math.tanh(sum([w * x for w, x in zip(row, values)])) for row in rows]
        total += values[0] * values[0]
    return total


def network(widths):
    """Rows of weights from each width to the next."""
    return [[[0.3 * math.sin(i + 2 * j + n + 1) for j in range(n)] for i in range(m)] for n, m in pairwise(widths)]


def flat(nested):
    """The numbers of nested lists."""
    return [x for part in nested for x in flat(part)] if isinstance(nested, list) else [nested]


@pytest.mark.parametrize("widths", [(2, 3, 1), (2, 9, 17, 4), (3, 700, 2)])
def test_lists_made_for_each_point(widths):
    layers = network(widths)
    points = [[math.cos(k * n + 1) for n in range(widths[0])] for k in range(7)]
    compiled = grad(chained, backend="numba")
    np.testing.assert_allclose(flat(compiled(layers, points)), flat(grad(chained)(layers, points)), rtol=1e-12)


def growing(x, n):
    """Lists that are longer in each iteration."""
    total = 0.0
    for k in range(n):
        a = [x * math.sin(j + 1.0) for j in range(3 * k)]
        for _ in range(k % 3):
            a = [math.sin(v) * x for v in a]
        total += sum([v * v for v in a])
    return total


def test_lists_that_grow():
    value, slope = value_and_grad(growing, backend="numba")(0.7, 60)
    expected, expected_slope = value_and_grad(growing)(0.7, 60)
    assert value == pytest.approx(expected, rel=1e-12)
    assert slope == pytest.approx(expected_slope, rel=1e-12)


def left_early(x, bound):
    """Each iteration makes a list, of which the last one is read where the loop is left."""
    total = 0.0
    for k in range(1000):
        a = [x * math.cos(j + k) for j in range(k % 5 + 1)]
        b = [math.sin(v) for v in a]
        total += sum(b)
        if total > bound:
            total += a[0] * b[0]
            break
    return total


def test_a_loop_that_is_left_early():
    for bound in (0.5, 2.0, 1e9):
        expected = grad(left_early)(0.9, bound)
        assert grad(left_early, backend="numba")(0.9, bound) == pytest.approx(expected, rel=1e-12)


def checked(x, n):
    """An iteration may raise, after it has made an array."""
    total = 0.0
    for k in range(n):
        a = np.zeros(k % 4 + 1)
        for j in range(len(a)):
            a[j] = x * (j + k)
        if a[0] > 4.0:
            raise ValueError(f"{a[0]}")
        total += np.sum(a * a)
    return total


def test_a_loop_that_raises():
    compiled = grad(checked, backend="numba")
    assert compiled(0.5, 6) == pytest.approx(grad(checked)(0.5, 6))
    with pytest.raises(ValueError, match=r"4\.5"):
        compiled(0.5, 20)


def handed_on(x, n):
    """What one iteration makes, the next one reads, and the last one's is the result."""
    kept = [x, 2.0 * x]
    for k in range(n):
        new = [math.sin(kept[0]) + j * kept[1] for j in range(k % 3 + 2)]
        kept = new
    return kept[0] * kept[1]


def test_arrays_that_outlive_the_iteration():
    for n in (0, 1, 2, 9):
        assert grad(handed_on, backend="numba")(0.3, n) == pytest.approx(grad(handed_on)(0.3, n), rel=1e-12)


def remembered(xs, n):
    """Lists of a list that is filled by one loop and read by another."""
    rows = []
    for k in range(n):
        rows.append([x * math.sin(k + 1.0) for x in xs[: k % len(xs) + 1]])
    total = 0.0
    for row in rows:
        for v in row:
            total += v * v * v
    return total


def test_arrays_in_lists_that_outlive_the_loop():
    xs = [0.2, -0.7, 1.1]
    np.testing.assert_allclose(grad(remembered, backend="numba")(xs, 40), grad(remembered)(xs, 40), rtol=1e-12)
