"""Small arrays that iterations make in one memory: those that outlive an iteration are not among them."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from s2sad import grad, hvp, value_and_grad
from s2sad.compiled.along import taken, taken_full


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def network(*widths: int) -> Any:
    """Rows of weights from each width to the next."""
    pairs = pairwise(widths)
    return [[[0.3 * math.sin(i + 2 * j + n + 1) for j in range(n)] for i in range(m)] for n, m in pairs]


def points_of(count: int, width: int) -> Any:
    return [[math.cos(1.3 * k * width + j) for j in range(width)] for k in range(count)]


def flat(nested: Any) -> list[float]:
    """The numbers of nested lists and tuples."""
    return [x for part in nested for x in flat(part)] if isinstance(nested, list | tuple) else [nested]


def staying(layers: Any, points: Any) -> Any:
    """The lists of a point are not read for the next."""
    total = 0.0
    for point in points:
        values = point
        for rows in layers:
            values = [math.tanh(sum([w * x for w, x in zip(row, values)])) for row in rows]
        total += values[0] * values[0]
    return total


def handed_on(layers: Any, points: Any) -> Any:
    """The last list of a point goes into the lists of the next."""
    total = 0.0
    state = [0.1] * len(layers[0][0])
    for point in points:
        values = [a + 0.5 * b for a, b in zip(point, state)]
        for rows in layers:
            values = [math.tanh(sum([w * x for w, x in zip(row, values)])) for row in rows]
        state = values
        total += values[0] * values[0]
    return total + sum(state)


def remembered(layers: Any, points: Any) -> Any:
    """The lists of a point are read once all are there."""
    history = []
    for point in points:
        values = point
        for rows in layers:
            values = [math.tanh(sum([w * x for w, x in zip(row, values)])) for row in rows]
        history.append(values)
    return sum([v[0] * v[-1] * (k + 1.0) for k, v in enumerate(history)])


def put_back(layers: Any, points: Any) -> Any:
    """A list outside holds the last list of a point in the end, as a part of a tuple."""
    kept = [(points[0], 1.0)]
    for k, point in enumerate(points):
        values = point
        for rows in layers:
            values = [math.tanh(sum([w * x for w, x in zip(row, values)])) for row in rows]
        if k % 2 == 0:
            kept[0] = (values, 2.0 + k)
    last, weight = kept[0]
    return weight * last[0] * last[0]


def best(layers: Any, points: Any) -> Any:
    """The list of one point, as a branch chose it, is read behind the loop."""
    chosen = points[0]
    most = -2.0
    for point in points:
        values = point
        for rows in layers:
            values = [math.tanh(sum([w * x for w, x in zip(row, values)])) for row in rows]
        if values[0] > most:
            most = values[0]
            chosen = values
    return chosen[0] * chosen[0]


def left(layers: Any, points: Any) -> Any:
    """The list of the iteration in which the loop is left is read behind it."""
    values = points[0]
    for point in points:
        values = point
        for rows in layers:
            values = [math.tanh(sum([w * x for w, x in zip(row, values)])) for row in rows]
        if values[0] < -0.05:
            break
    return values[0] * values[-1]


def sets(layers: Any, points: Any) -> Any:
    """Inner loops have lists of their own, and read the outer one's."""
    total = 0.0
    for point in points:
        outer = [x * x + 0.1 for x in point]
        sums = []
        for rows in layers:
            values = outer
            for _ in range(3):
                values = [math.sin(sum([w * x for w, x in zip(row, values)])) for row in rows]
            sums.append(values)
        for k, values in enumerate(sums):
            total += values[0] * outer[0] * (k + 1.0)
    return total


def until(layers: Any, points: Any) -> Any:
    """A loop that runs while something holds."""
    total, k = 0.0, 0
    while k < len(points) and total < 0.5:
        values = points[k]
        for rows in layers:
            values = [math.tanh(sum([w * x for w, x in zip(row, values)])) for row in rows]
        total += values[0] * values[0]
        k += 1
    return total


PROGRAMS = [
    *((f, network(3, 5, 3)) for f in (staying, handed_on, remembered, put_back, best, left, until)),
    (sets, network(3, 3)),
]


@pytest.mark.parametrize(("f", "layers"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_lists_of_iterations(f: Any, layers: Any) -> None:
    points = points_of(9, 3)
    value, slopes = value_and_grad(f, wrt=(0, 1), backend="numba")(layers, points)
    expected, expected_slopes = value_and_grad(f, wrt=(0, 1))(layers, points)
    assert value == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(flat(slopes), flat(expected_slopes), rtol=1e-12, atol=1e-15)


def uses_memory(f: Any, layers: Any) -> bool:
    return "_taken(" in grad(f, backend="numba").source_for(layers, points_of(2, 3))


def test_it_is_used_where_nothing_is_left_of_an_iteration() -> None:
    assert uses_memory(staying, network(3, 5, 3))


def test_what_does_not_fit_has_memory_of_its_own() -> None:
    layers, points = network(3, 3000, 1), points_of(3, 3)
    found, expected = (grad(staying, backend=b)(layers, points) for b in ("numba", "python"))
    np.testing.assert_allclose(flat(found), flat(expected), rtol=1e-10, atol=1e-15)


def test_second_derivatives() -> None:
    layers, points = network(3, 4, 2), points_of(5, 3)
    found, expected = (hvp(staying, backend=b)(layers, points, network(3, 4, 2)) for b in ("numba", "python"))
    np.testing.assert_allclose(flat(found), flat(expected), rtol=1e-11, atol=1e-14)


def test_parts_of_a_memory_do_not_overlap() -> None:
    memory, used = np.arange(10.0), np.zeros(1, np.int64)
    first, second, none = taken(memory, used, 4), taken_full(memory, used, 5, 2.0), taken(memory, used, 0)
    assert first.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert second.tolist() == [2.0] * 5
    assert none.shape == (0,)
    assert np.shares_memory(first, memory) and np.shares_memory(second, memory)
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(taken(memory, used, 2), memory)
    assert np.shares_memory(taken(memory, used, 1), memory)
    with pytest.raises(ValueError):
        taken(memory, used, -1)
