"""Derivatives that are taken inside a function."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, jvp, vjp


def split(x):
    return np.split(x * x, [1, 3])


X, PARTS = np.arange(1.0, 6.0), [np.ones(1), np.array([2.0, -1.0]), np.ones(2)]


def of_pullback(x, parts):
    return np.sum(vjp(split, x)[1](parts)[0] ** 2)


def test_a_list_of_cotangents_for_parts_of_an_array() -> None:
    v = np.array([1.0, 0.5, -1.0, 0.0, 2.0])
    _, tangent = jvp(lambda x: of_pullback(x, PARTS), (X,), (v,))
    e = 1e-6
    expected = (of_pullback(X + e * v, PARTS) - of_pullback(X - e * v, PARTS)) / (2.0 * e)
    assert tangent == pytest.approx(expected, rel=1e-7)
    slope = grad(of_pullback)(X, PARTS)
    assert slope @ v == pytest.approx(tangent, rel=1e-13)


def test_a_list_of_as_many() -> None:
    with pytest.raises(AssertionError, match="other lists"):
        jvp(lambda x: of_pullback(x, PARTS[:2]), (X,), (X,))
