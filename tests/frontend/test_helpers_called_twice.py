"""Helpers with loops that are called with values of several kinds: each call is lowered for those it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad


def scaled(x: Any, n: int) -> Any:
    y = x
    for _ in range(n):
        y = y * x + 1.0
    return y


def number_first(a: Any, v: Any, m: Any) -> Any:
    return scaled(a, 2) + np.sum(scaled(v, 2)) + np.sum(scaled(m, 3)[0])


def matrix_first(a: Any, v: Any, m: Any) -> Any:
    return np.sum(scaled(m, 3)[0]) + np.sum(scaled(v, 2)) + scaled(a, 2)


def within_another(x: Any) -> Any:
    return scaled(x, 2) * scaled(x, 3)


def through_another(a: Any, v: Any, m: Any) -> Any:
    return within_another(a) + np.sum(within_another(v)) + np.sum(within_another(m))


@pytest.mark.parametrize("f", [number_first, matrix_first, through_another])
def test_each_call_has_its_own_kinds(f: Any) -> None:
    args = 0.7, np.array([0.3, 1.1]), np.array([[0.4, 0.9], [1.2, 0.6]])
    s2sad.check_grads(f, wrt=(0, 1, 2))(*args)
    assert "_unbroadcast" not in s2sad.grad(f, wrt=(0, 1, 2)).source_for(*args)


def test_of_two_calls_in_another_pass() -> None:
    """A list as an argument settles in a second pass, which starts from what the first one found of each call."""

    def network(layers: Any, x: Any) -> Any:
        for w, b in layers[:-1]:
            x = np.tanh(x @ w + b)
        w, b = layers[-1]
        return x @ w + b

    def bound(layers: Any, x: Any, generator: Any) -> Any:
        mean = network(layers, x)[:, :2]
        return np.sum(network(layers, mean + generator.randn(*mean.shape)) ** 2)

    rng = np.random.default_rng(3)
    layers = [(rng.normal(size=(2, 2)), rng.normal(size=2)), (rng.normal(size=(2, 2)), rng.normal(size=2))]
    x, drawn = rng.normal(size=(3, 2)), np.random.RandomState(0).randn(3, 2)
    found = s2sad.grad(bound)(layers, x, np.random.RandomState(0))
    expected = s2sad.grad(lambda p: np.sum(network(p, network(p, x) + drawn) ** 2))(layers)
    for (dw, db), (ew, eb) in zip(found, expected, strict=True):
        np.testing.assert_allclose(dw, ew, rtol=1e-12)
        np.testing.assert_allclose(db, eb, rtol=1e-12)
