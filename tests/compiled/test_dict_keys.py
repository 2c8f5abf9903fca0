"""Keys of dicts, of which Numba makes one type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad

X = np.array([1.1, -0.7, 1.2])


def begun_with_a_truth_value(x):
    d = {True: 1.0, 2: 3.0}
    return np.sum(x) * d[x[0] > 0.0]


def asked_for_a_float(x):
    d = {1: 1.0, 2: 3.0}
    key = x[0] + 1.4
    return np.sum(x) * (d[key] if key in d else 7.0) * d[x[0] > 0.0]


@pytest.mark.parametrize("f", [begun_with_a_truth_value, asked_for_a_float])
def test_of_several_types_is_refused(f: Any) -> None:
    with pytest.raises(s2sad.CompileError, match="among its keys"):
        s2sad.grad(f, backend="numba")(X)


def test_asked_for_by_a_truth_value() -> None:
    def f(x):
        d = {1: 1.0, 0: 3.0}
        return np.sum(x) * d[x[0] > 0.0] * d[int(x[1])]

    assert np.array_equal(s2sad.grad(f, backend="numba")(X), [3.0, 3.0, 3.0])
