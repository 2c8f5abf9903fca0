"""Lists of floats in compiled code: arrays where their lengths are settled, and right in any case."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from s2sad import jvp, structure, value_and_grad

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def check(f: Callable[..., Any], *args: Any) -> str:
    """Both tiers agree, and leave arguments as they are; the text of the compiled function."""
    compiled, before = value_and_grad(f, backend="numba"), copy.deepcopy(args)
    expected = value_and_grad(f)(*args)
    for _ in range(2):
        found = compiled(*args)
        assert structure.leaves(found) == pytest.approx(structure.leaves(expected), rel=1e-13, abs=1e-13)
        assert [k for k, _ in structure.paths(found)] == [k for k, _ in structure.paths(expected)]
    tangents = tuple(None if isinstance(a, int) else structure.map_leaves(lambda leaf: 1.0, a) for a in args)
    pushed = jvp(f, args, tangents, backend="numba")
    assert pushed == pytest.approx(jvp(f, args, tangents), rel=1e-13, abs=1e-13)
    assert args == before
    return compiled.source_for(*args)


def network(layers, xs):
    for weights, biases in layers:
        sums = [b + sum_of_products(row, xs) for row, b in zip(weights, biases)]
        xs = [math.tanh(s) for s in sums]
    return xs[0]


def sum_of_products(a, b):
    s = 0.0
    for x, y in zip(a, b):
        s += x * y
    return s


LAYERS = [([[0.5, -1.0], [0.25, 2.0], [1.0, 0.5]], [0.1, 0.2, 0.3]), ([[1.0, -0.5, 0.75]], [0.5])]


def test_lists_of_settled_lengths_are_arrays() -> None:
    text = check(network, LAYERS, [0.7, -0.3])
    assert "sums = np.empty(" in text and "sums.append" not in text


def test_results_are_lists() -> None:
    def f(rows, scale):
        squares = [[x * x for x in row] for row in rows]
        return sum_of_products([sum_of_products(row, row) for row in squares], [scale] * len(rows))

    check(f, [[1.0, 2.0], [3.0], []], 0.5)
    check(f, [[], [2.0]], 0.5)


def test_names_of_one_list() -> None:
    def f(xs, n):
        ys = [math.sin(x) for x in xs]
        zs = ys if n > 2 else [0.0] * 3
        for i in range(3):
            zs[i] = zs[i] * ys[0] + i
        both = [ys, zs]
        both[0][1] = both[1][2] * xs[1]
        return ys[0] * zs[1] + ys[1] * zs[2]

    for n in (2, 3):
        check(f, [0.5, 1.5, 2.5], n)


def test_copies_and_slices() -> None:
    def f(xs):
        ys = list(xs)
        zs = xs[1:]
        ys[0] = xs[1] * xs[2]
        zs[0] = ys[0] * xs[0]
        return ys[0] * zs[0] + zs[-1] * len(zs) + xs[0]

    check(f, [0.5, 1.5, 2.5])


@pytest.mark.parametrize("taken", [4, 3, 1, 0])
def test_lists_taken_to_pieces_in_part(taken: int) -> None:
    def f(xs, n):
        ys = [x * x for x in xs]
        total = 0.0
        for i in range(n - 1, -1, -1):
            total += ys.pop() * xs[i]
        return total * xs[0]

    check(f, [0.5, 1.5, 2.5, 3.5], taken)


def test_lists_taken_to_pieces_twice() -> None:
    def f(xs):
        ys = [x * x for x in xs]
        total = 0.0
        for k in range(2):
            for i in range(1, -1, -1):
                total += ys.pop() * xs[i] * (k + 1.0)
        return total

    check(f, [0.5, 1.5, 2.5, 3.5])


def test_lengths_of_lists_taken_to_pieces() -> None:
    def f(xs):
        ys = [x * x for x in xs]
        total = 0.0
        for i in range(len(xs) - 1, -1, -1):
            total += ys.pop() * xs[i]
        if ys:
            total *= 2.0
        return total + len(ys)

    check(f, [0.5, 1.5, 2.5, 3.5])


def test_lists_that_grow_otherwise() -> None:
    def f(xs, n):
        ys = [xs[0]]
        for i in range(n):
            ys.append(ys[-1] * xs[i % 2])
        zs = []
        for y in ys:
            if y > 0.2:
                zs.append(y)
        ranges = []
        for i in range(5, 1, -1):
            ranges.append(i * xs[1])
        odd = []
        for i in range(1, n):
            odd.append(i * xs[0])
        return sum_of_products(ys, zs) + ranges[0] * ranges[-1] + odd[-1] * odd[0]

    check(f, [0.5, 1.5], 4)


def test_ranges_that_do_not_begin_at_zero() -> None:
    def f(xs, first, last):
        ys = []
        for i in range(first, last):
            ys.append(math.sin(i * xs[0]))
        return sum_of_products(ys, ys) * len(ys)

    for ends in ((1, 4), (-2, 3), (3, 1), (0, 0)):
        check(f, [0.5], *ends)


def test_lists_of_one_iteration() -> None:
    """What is asked for its length in each iteration, and taken to pieces behind that, is another list in the next."""

    def loss(layers, points):
        total = 0.0
        for point in points:
            total += network(layers, point)
        return total / len(points)

    text = check(loss, LAYERS, [[0.7, -0.3], [0.1, 0.4], [-0.5, 0.2]])
    body = text[text.index("def loss_value_and_grad_compiled(") :]
    assert "sums = _taken(" in body and "sums.append" not in body and "bsums_tape" not in body
