"""Loops over a few integers are spelt out, but for those whose bodies are long and go in loops themselves."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from s2sad import grad
from tests.texts import own_text

HEAD, NEXT = np.array([[0, 3, -1], [-1, 1, 5], [2, -1, 4]]), np.array([6, -1, 7, -1, -1, 8, -1, -1, -1])
X = np.linspace(0.3, 2.0, 9)


def over_neighbours(x: Any) -> Any:
    """Pairs in neighbouring cells, each cell being a chain."""
    total = 0.0
    for a in range(3):
        for b in range(3):
            for da in (-1, 0, 1):
                for db in (-1, 0, 1):
                    i = HEAD[a, b]
                    while i >= 0:
                        j = HEAD[(a + da) % 3, (b + db) % 3]
                        while j >= 0:
                            if i < j:
                                r = x[i] - x[j]
                                total += math.exp(-r * r) * (1.0 + 0.1 * da)
                            j = NEXT[j]
                        i = NEXT[i]
    return total


def over_pairs(x: Any) -> Any:
    """The same by pairs of offsets, in an order that is no range."""
    total = 0.0
    for a in range(3):
        for b in range(3):
            for da, db in ((1, 0), (0, 1), (0, 0), (-1, 0), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)):
                i = HEAD[a, b]
                while i >= 0:
                    j = HEAD[(a + da) % 3, (b + db) % 3]
                    while j >= 0:
                        if i < j:
                            r = x[i] - x[j]
                            total += math.exp(-r * r) * (1.0 + 0.1 * da)
                        j = NEXT[j]
                    i = NEXT[i]
    return total


def over_products(x: Any) -> Any:
    """The same by a product, of which one iteration is left out, and done behind."""
    total = 0.0
    for a in range(3):
        for b in range(3):
            for da, db in itertools.product((-1, 0, 1), (1, 0, -1)):
                if da == 0 and db == 0:
                    continue
                total += of_cells(x, HEAD[a, b], HEAD[(a + da) % 3, (b + db) % 3], da)
            total += of_cells(x, HEAD[a, b], HEAD[a, b], 0)
    return total


def of_cells(x: Any, i: Any, first: Any, da: Any) -> Any:
    total = 0.0
    while i >= 0:
        j = first
        while j >= 0:
            if i < j:
                r = x[i] - x[j]
                total += math.exp(-r * r) * (1.0 + 0.1 * da)
            j = NEXT[j]
        i = NEXT[i]
    return total


def differences(f: Any, x: Any) -> Any:
    steps = 1e-6 * np.eye(len(x))
    return np.array([(f(x + h) - f(x - h)) / 2e-6 for h in steps])


@pytest.mark.parametrize("f", [over_neighbours, over_pairs, over_products])
def test_long_bodies_stay_in_loops(f: Any) -> None:
    text = own_text(grad(f).source_for(X), f"{f.__name__}_grad")
    assert text.count("math.exp(") <= 4
    assert grad(f)(X) == pytest.approx(differences(f, X), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("f", [over_neighbours, over_pairs])
def test_compiled(f: Any) -> None:
    assert grad(f, backend="numba")(X) == pytest.approx(grad(f)(X), rel=1e-13)


def test_what_cannot_stay_a_loop_is_spelt_out() -> None:
    functions = (math.sin, math.cos, math.exp)

    def f(x: Any, n: Any) -> Any:
        total = 0.0
        for k in (0, 1, 2):
            y, i = x, 0
            while i < n:
                if y > 0.5:
                    y = 0.5 * functions[k](y) + 0.1 * y * y - 0.2 * y + 0.3 * x - 0.1 * x * y + 0.2
                    y = y + 0.01 * x * x - 0.02 * x + 0.03 * y * y * y - 0.1
                else:
                    y = y + 0.3 * x * y - 0.1 * x * x + 0.2
                i += 1
            total += y
        return total

    text = grad(f).source_for(0.7, 4)
    assert all(name in text for name in ("math.sin", "math.cos", "math.exp"))
    assert grad(f)(0.7, 4) == pytest.approx((f(0.7 + 1e-6, 4) - f(0.7 - 1e-6, 4)) / 2e-6, rel=1e-6)


def test_loops_along_arrays_are_spelt_out() -> None:
    def f(x: Any) -> Any:
        y = np.zeros(6)
        for d, w in ((-1, 0.2), (0, 0.5), (1, 0.3)):
            for i in range(1, 5):
                y[i] += w * x[i + d] ** 2 + 0.1 * x[i] * x[i + d] - 0.3 * x[i + d] + 0.2 * x[i] ** 3 - 0.1 * x[i]
        return np.sum(y * y)

    assert "(-1, 0, 1)" not in grad(f).source_for(np.ones(6))
    assert grad(f)(X[:6]) == pytest.approx(differences(f, X[:6]), rel=1e-5)
