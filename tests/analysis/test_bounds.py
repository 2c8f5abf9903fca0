"""Between which numbers values are, and which adjoints need no care for that."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp, pipeline, structure
from s2sad.analysis.bounds import ANYTHING, Bounds, Interval
from s2sad.analysis.memory import Memory
from s2sad.lowerings import lowered
from tests.texts import own_text

INF = math.inf
X = np.array([[0.3, -0.7, 1.1], [1.2, 0.4, -2.0]])
V = np.array([0.3, -0.7, 1.1])


def changed(x: Any) -> Any:
    y = np.exp(-np.abs(x))
    y[0] = 5.0
    return y * 1.0


def changed_by_a_view(x: Any) -> Any:
    y = x * x
    y[1:][0] = -5.0
    return y + 0.0


def greatest_of_before(x: Any) -> Any:
    y = x * 1.0
    m = np.max(y)
    y[0] = 9.0
    return y - m


def carried(x: Any) -> Any:
    y = np.exp(-np.abs(x))
    for _ in range(3):
        y = 2.0 * y - 3.0
    return y


def branched(x: Any) -> Any:
    y = np.abs(x) if x[0] > 0 else 2.0 + np.sin(x)
    return y + 0.0


CASES: dict[str, tuple[Callable[..., Any], Any, Interval]] = {
    "square": (lambda x: x * x, V, (0.0, INF)),
    "product": (lambda x: x * np.sin(x), V, ANYTHING),
    "even power": (lambda x: x**4 + 1.0, V, (1.0, INF)),
    "odd power": (lambda x: np.sin(x) ** 3 - 1.0, V, (-2.0, 0.0)),
    "bell": (lambda x: np.exp(-(x**2)), V, (0.0, 1.0)),
    "quotient": (lambda x: 1.0 / (1.0 + x * x), V, (0.0, 1.0)),
    "quotient by what may be zero": (lambda x: 1.0 / (x * x), V, (0.0, INF)),
    "quotient by anything": (lambda x: 1.0 / x, V, ANYTHING),
    "logarithm": (lambda x: np.log(1.0 + np.exp(-np.abs(x))), V, (0.0, math.log(2.0))),
    "logarithm of what may be zero": (lambda x: np.log(np.abs(x)), V, ANYTHING),
    "root": (lambda x: np.sqrt(x**2 + 4.0), V, (2.0, INF)),
    "clipped": (lambda x: np.maximum(np.minimum(x, 2.0), -1.0), V, (-1.0, 2.0)),
    "chosen": (lambda x: np.where(x > 0, np.abs(x), 2.0), V, (0.0, INF)),
    "less the greatest": (lambda x: x - np.max(x), V, (-INF, 0.0)),
    "less the greatest of each row": (lambda x: x - np.max(x, axis=1, keepdims=True), X, (-INF, 0.0)),
    "less the greatest of rows, along columns": (lambda x: x[:, :2] - np.max(x, axis=1), X, ANYTHING),
    "less another's greatest": (lambda x: x - np.max(2.0 * x), V, ANYTHING),
    "weights": (lambda x: np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x))), V, (0.0, 1.0)),
    "total of weights": (lambda x: np.sum(np.exp(x - np.max(x, axis=0, keepdims=True)), axis=0), X, (1.0, INF)),
    "total along another axis": (lambda x: np.sum(np.exp(x - np.max(x, axis=0, keepdims=True)), axis=1), X, (0.0, INF)),
    "parts": (lambda x: (np.abs(x)[:, 1:].T)[0] + 1.0, X, (1.0, INF)),
    "changed": (changed, V, ANYTHING),
    "changed by a view": (changed_by_a_view, V, ANYTHING),
    "greatest of before": (greatest_of_before, V, ANYTHING),
    "carried": (carried, V, ANYTHING),
    "branched": (branched, V, (0.0, INF)),
    "small integers": (lambda x: x * x, np.array([3, 100], dtype=np.int8), ANYTHING),
    "complex": (lambda x: x * x, np.array([3.0, 1j]), ANYTHING),
}


@pytest.mark.parametrize("name", CASES)
def test_bounds(name: str) -> None:
    f, x, expected = CASES[name]
    pipeline._know_operators()
    function = lowered(f, (structure.describe(x),)).function
    found = Bounds(function, Memory(function)).of(function.result)
    assert found == pytest.approx(expected)
    if x.dtype == float:
        for seed in range(5):
            value = np.asarray(f(x * np.random.default_rng(seed).normal(size=x.shape)))
            assert np.all((value >= found[0]) & (value <= found[1]))


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return -np.sum(np.log(p[[0, 1], [2, 0]] + 1e-12))


def kernel(x: Any) -> Any:
    d = x[:, :1] - x[:, 1]
    return np.sum(np.tril(np.exp(-0.5 * d**2)))


def softplus(x: Any) -> Any:
    return np.max(np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0.0))


@pytest.mark.parametrize("f", [softmax, kernel, softplus])
def test_what_is_finite_is_multiplied_as_it_is(f: Callable[..., Any]) -> None:
    x = X[:, :2] if f is kernel else X
    assert "_times" not in own_text(grad(f).source_for(x), f"{f.__name__}_grad")
    direction = np.cos(x)
    moved = (f(x + 1e-6 * direction) - f(x - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(np.vdot(grad(f)(x), direction), moved, rtol=1e-7)
    np.testing.assert_allclose(jvp(f, (x,), (direction,))[1], moved, rtol=1e-7)
    far = np.where(x > 0, 800.0, -800.0) + x
    assert np.all(np.isfinite(grad(f)(far)))


def growing(x: Any) -> Any:
    return np.sum(np.tril(np.exp(x * x)))


def by_distance(x: Any) -> Any:
    return np.sum(np.tril(1.0 / (x[:, None] - x[None, :]), -1))


def test_what_may_be_infinite_is_not() -> None:
    with np.errstate(all="ignore"):
        assert np.all(np.isfinite(grad(growing)(np.array([[0.5, 40.0], [0.3, 0.2]]))))
        assert np.all(np.isfinite(grad(by_distance)(np.array([0.5, 2.0, 1.0]))))


def clipped(x: Any, s: Any) -> Any:
    return np.sum(np.clip(x / s, 0.0, 1.0))


def larger(x: Any, s: Any, w: Any) -> Any:
    return np.sum(np.maximum(x * (1.0 / s) * w, 0.0))


def test_a_number_may_be_a_pole_of_elements_that_are_not_taken() -> None:
    """Its quotients are infinite, what is made of them is not."""
    x, zero = np.array([-1.0, -2.0]), np.float64(0.0)
    with np.errstate(all="ignore"):
        assert clipped(x, zero) == larger(x, zero, np.ones(2)) == 0.0
        assert np.all(grad(clipped)(x, zero) == 0.0)
        assert np.all(grad(larger, wrt="w")(x, zero, np.ones(2)) == 0.0)


def test_half_precision_rounds_small_numbers_to_zero() -> None:
    function = lowered(lambda x: np.abs(x) + 1e-12, (structure.describe(np.ones(2, np.float16)),)).function
    assert Bounds(function, Memory(function)).of(function.result) == ANYTHING
