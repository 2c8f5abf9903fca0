"""Lists and dicts that hold None beside numbers and arrays: what is added to its adjoint, which is None as well."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import grad, hvp, jvp


def numbers_by_key(x, n):
    found, s = {0: x, 1: None}, 0.0
    for k in range(2, n):
        found[k] = found[k - 2] * x if k % 2 == 0 else None
    for k, v in found.items():
        if v is not None:
            s += v * v * k
    return s


def of_a_function(x, n):
    def odd(k):
        return x * k if k % 2 else None

    found, s = {}, 0.0
    for k in range(n):
        found[k] = odd(k)
    for k in found:
        v = found[k]
        if v is not None:
            s += v * v
    return s


def arrays_in_a_list(x, n):
    found, s = [], 0.0
    for k in range(n):
        found.append(x * np.ones(2) if k % 2 else None)
    for v in found:
        if v is not None:
            s += v[0] * v[1]
    return s


def arrays_by_key(x, n):
    found, s = {}, 0.0
    for k in range(n):
        found[k] = x * np.ones(2) if k % 2 else None
    for k in found:
        v = found[k]
        if v is not None:
            s += v[0] * v[1]
    return s


def rows_of_a_table(x, n):
    rows, s = [], 0.0
    for k in range(n):
        rows.append([x * k, None] if k % 2 else [None, x * x])
    for row in rows:
        for v in row:
            if v is not None:
                s += v * v
    return s


PROGRAMS = [numbers_by_key, of_a_function, arrays_in_a_list, arrays_by_key, rows_of_a_table]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f: Any) -> None:
    x, h = 0.7, 1e-6
    slope = (f(x + h, 6) - f(x - h, 6)) / (2 * h)
    assert grad(f)(x, 6) == pytest.approx(slope, rel=1e-8)
    assert jvp(f, (x, 6), (1.0, None))[1] == pytest.approx(slope, rel=1e-8)
    curvature = (grad(f)(x + h, 6) - grad(f)(x - h, 6)) / (2 * h)
    assert hvp(f)(x, 6, 1.0) == pytest.approx(curvature, rel=1e-7)
