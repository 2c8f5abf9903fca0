"""Functions that call themselves, in the compiled tier: their subscripts, and what they give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from s2sad import grad, jvp, value_and_grad

X = np.array([0.5, 1.2, -0.7, 0.9])


def read_deep(x: Any, n: int) -> Any:
    def steps(k: int, y: Any) -> Any:
        return y if k == 0 else steps(k - 1, y * x[k - 1])

    return steps(n, x[0])


def read_at_data(x: Any, n: int) -> Any:
    places = [0, 3, 1, n]

    def steps(k: int, y: Any) -> Any:
        return y if k < 0 else steps(k - 1, y * x[places[k]])

    return steps(3, x[0])


def read_in_loops(x: Any, n: int) -> Any:
    def steps(k: int) -> Any:
        total = 0.0
        for i in range(k):
            total += x[i] * steps(i) * x[k]
        return total + x[0]

    return steps(n)


def stored_deep(x: Any, n: int) -> Any:
    y = np.zeros(4)

    def steps(k: int) -> None:
        if k >= 0:
            y[k] = x[0] * k
            steps(k - 1)

    steps(n)
    return np.sum(y * x)


DERIVATIVES: list[Callable[..., Any]] = [
    lambda f, n, backend: value_and_grad(f, backend=backend)(X, n),
    lambda f, n, backend: jvp(f, (X, n), (X, None), backend=backend),
]


@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize(
    ("f", "n", "beyond"),
    [(read_deep, 4, 5), (read_at_data, 2, 4), (read_at_data, -4, -5), (read_in_loops, 3, 4), (stored_deep, 3, 4)],
)
def test_nothing_is_read_or_stored_outside_of_arrays(f: Any, n: int, beyond: int, derivative: Any) -> None:
    for found, expected in zip(derivative(f, n, "numba"), derivative(f, n, "python"), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13)
    for backend in ("python", "numba"):
        with pytest.raises(IndexError):
            derivative(f, beyond, backend)


def with_signs(x: Any, n: int) -> Any:
    def minor(k: int) -> Any:
        if k == 0:
            return 1.0
        total = 0.0
        for j in range(k):
            total += (-1) ** j * x[j] * minor(k - 1)
        return total

    return minor(n)


def with_negative_powers(x: Any, n: int) -> Any:
    def steps(k: int, y: Any) -> Any:
        return y if k == 0 else 2 ** (k - 3) * steps(k - 1, y) * y

    return steps(n, x[1])


def by_minors(x: Any, n: int) -> Any:
    def det(a: Any) -> Any:
        if a.shape[0] == 1:
            return a[0, 0]
        total = 0.0
        for j in range(a.shape[0]):
            total += (-1) ** j * a[0, j] * det(np.delete(np.delete(a, 0, 0), j, 1))
        return total

    return det(np.outer(x, x[::-1] ** 2) + n * np.eye(4))


@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize("f", [with_signs, with_negative_powers, by_minors])
def test_powers_of_integers_in_recursion(f: Any, derivative: Any) -> None:
    for found, expected in zip(derivative(f, 3, "numba"), derivative(f, 3, "python"), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_python_tier_is_as_it_was() -> None:
    """One lowering serves both tiers."""
    assert grad(read_deep, backend="numba")(X, 3).tolist() == pytest.approx(grad(read_deep)(X, 3).tolist(), rel=1e-14)
    assert "need_places" not in grad(read_deep).source_for(X, 3)
