"""Complex numbers in containers outside: each item counts as what it is, or the container is refused."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import UnsupportedSyntax, check_grads, grad

WAVES = [0.5, 3.0, {"wave": 1j}]
NESTED = [[1.0, {"wave": 1j}], [2.0, {"wave": 3.0 - 1j}]]
NAMED = {"x": {"rate": 1.0, "parts": [1j, 2.0]}, "y": {"rate": 2.0, "parts": [2j, 1.0]}}
PAIRS = [(1.0, 2j), (3.0, 1j)]
ROWS = [[1.0, 2.0], [1j, 2j]]
X = np.array([1.0, 2.0, 3.0])


def by_place(x):
    return np.sum(np.abs(x * WAVES[1]) ** 2) * WAVES[0] + np.sum(np.abs(x * WAVES[2]["wave"]) ** 2)


def nested(x):
    total = 0.0
    for rate, part in NESTED:
        total = total + rate * np.sum(np.abs(x * part["wave"]) ** 2)
    return total


def named(x):
    total = 0.0
    for part in NAMED.values():
        wave, weight = part["parts"]
        total = total + part["rate"] * np.sum(np.abs(x * wave) ** 2) * weight
    return total


def pairs(x):
    total = 0.0
    for rate, wave in PAIRS:
        total = total + rate * np.sum(np.abs(x * wave) ** 2)
    return total


def rows(x):
    total = 0.0
    for row in ROWS:
        for wave in row:
            total = total + np.sum(np.abs(x * wave) ** 2)
    return total


@pytest.mark.parametrize("f", [by_place, nested, named, pairs, rows])
def test_each_item_counts_as_what_it_is(f):
    check_grads(f)(X)


def test_an_item_that_a_run_picks_is_refused() -> None:
    with pytest.raises(UnsupportedSyntax, match="complex numbers beside other things"):
        grad(lambda x, n: np.sum(np.abs(x * WAVES[n]) ** 2))(X, 1)
