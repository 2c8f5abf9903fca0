"""Derivatives of derivatives of programs that keep what they change in containers."""

from __future__ import annotations

import numpy as np
import pytest
from cases_contexts import shared_out
from cases_structures import arrays_replaced_in_dict

from s2sad import grad, hessian, hvp, vjp

X = np.array([0.3, 0.7, 1.1])


def test_of_arrays_replaced_in_a_dict() -> None:
    slope, h = grad(arrays_replaced_in_dict), 1e-5
    columns = [(slope(X + h * e) - slope(X - h * e)) / (2 * h) for e in np.eye(3)]
    assert hessian(arrays_replaced_in_dict)(X) == pytest.approx(np.array(columns).T, rel=1e-6, abs=1e-8)
    assert hvp(arrays_replaced_in_dict)(X, X) == pytest.approx(np.array(columns).T @ X, rel=1e-6)


def shifted_again_and_again(x: np.ndarray, n: int) -> float:
    y = x * 1.0
    for _ in range(n):
        y = np.concatenate([y[1:], y[:1] * x[0]])
        y[2] *= y[1] + y[0]
    return y @ y  # type: ignore[no-any-return]


def test_of_an_array_that_is_put_together_and_changed() -> None:
    slope, h = grad(shifted_again_and_again), 1e-5
    columns = [(slope(X + h * e, 3) - slope(X - h * e, 3)) / (2 * h) for e in np.eye(3)]
    back = vjp(slope, X, 3)[1]
    assert np.array([back(e)[0] for e in np.eye(3)]) == pytest.approx(np.array(columns), rel=1e-6, abs=1e-8)


def test_of_what_a_context_gives() -> None:
    x, h = np.array([0.3, 0.7]), 1e-5
    slope = grad(shared_out)
    columns = [(slope(x + h * e) - slope(x - h * e)) / (2 * h) for e in np.eye(2)]
    back = vjp(slope, x)[1]
    assert np.array([back(e)[0] for e in np.eye(2)]) == pytest.approx(np.array(columns), rel=1e-6, abs=1e-8)
