"""Adjoints of what reads an array as a vector, by rows, of arrays that lie by columns in memory or have gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad

by_rows = np.array([[0.7, 0.3, 1.3, 0.9], [0.4, 1.1, 0.2, 0.8], [1.6, 0.1, 0.5, 1.2]])
by_columns = np.asfortranarray(by_rows)
with_gaps = np.repeat(np.repeat(by_rows, 2, axis=0), 2, axis=1)[::2, ::2]
keep = by_rows > 0.6

READERS = [
    lambda a: np.repeat(a, 2),
    lambda a: np.take(a, [0, 5, 5, -1]),
    lambda a: a.take(7),
    lambda a: np.take(a, [14, -3], mode="wrap"),
    lambda a: np.sort(a, axis=None),
    lambda a: np.partition(a, 4, axis=None)[4],
    lambda a: np.take_along_axis(a, np.array([3, 3, 8]), None),
    lambda a: np.resize(a, (2, 9)),
    lambda a: np.extract(keep, a),
    lambda a: np.compress([True, False, True], a),
    lambda a: np.delete(a, [2, 3]),
    lambda a: np.insert(a, 3, 2.0),
    lambda a: np.pad(a, 1, mode="edge"),
    lambda a: np.pad(a, ((2, 1), (0, 3)), mode="reflect"),
    lambda a: np.pad(a, 1, mode="symmetric"),
    lambda a: np.pad(a, (1, 2), mode="wrap"),
]


@pytest.mark.parametrize("a", [by_columns, with_gaps, by_rows.T], ids=["by_columns", "with_gaps", "transposed"])
@pytest.mark.parametrize("f", READERS, ids=range(len(READERS)))
def test_the_pullback_is_that_of_an_array_by_rows(f: Any, a: np.ndarray) -> None:
    if f is READERS[8] and a.shape != keep.shape:
        pytest.skip("the mask is of the other shape")
    ct = np.cos(np.arange(np.size(f(a)))).reshape(np.shape(f(a)))
    (expected,) = s2sad.vjp(f, a.copy(order="C"))[1](ct)
    (found,) = s2sad.vjp(f, a)[1](ct)
    assert np.array_equal(found, expected)
    assert np.isclose(np.sum(found * a), np.sum(ct * s2sad.jvp(f, (a,), (a,))[1]))
    assert np.any(found)
