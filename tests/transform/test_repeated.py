"""What a function computes twice has one adjoint."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad
from tests.texts import own_text


def leaky(w, x):
    """A layer that is written twice."""
    return np.sum(np.maximum(x @ w, 0.1 * (x @ w)) ** 2)


def changed_between(w, x):
    """The same text, of an array that was stored into between."""
    w = w.copy()
    a = np.sum((x @ w) ** 2)
    w[0] = 2.0 * w[1]
    return a * np.sum((x @ w) ** 2)


def returned_twice(x):
    """Two equal arrays, which callers may change apart."""
    return np.sin(x), np.sin(x)


W = np.array([[0.5, -1.0], [2.0, 0.25]])
X = np.array([[1.0, -2.0], [0.5, 3.0], [-1.0, 0.0]])


def central(f, w, h=1e-6):
    found = np.empty_like(w)
    for k in np.ndindex(w.shape):
        step = np.zeros_like(w)
        step[k] = h
        found[k] = (f(w + step, X) - f(w - step, X)) / (2 * h)
    return found


def test_one_product_passes_the_adjoint_on():
    source = s2sad.grad(leaky).source
    body = own_text(source, "leaky_grad")
    assert body.count("= x @ w") == 1 and body.count("_matmul_right(") == 1
    np.testing.assert_allclose(s2sad.grad(leaky)(W, X), central(leaky, W), rtol=1e-7)


def test_what_changes_between_is_computed_again():
    np.testing.assert_allclose(s2sad.grad(changed_between)(W, X), central(changed_between, W), rtol=1e-7)


def test_equal_results_stay_two():
    (a, b), pullback = s2sad.vjp(returned_twice, X)
    assert not np.shares_memory(a, b)
    np.testing.assert_allclose(pullback((np.ones_like(X), 2 * np.ones_like(X)))[0], 3 * np.cos(X))


def both_changed(x):
    """Equal arrays of which each is changed, and so is the other."""
    a, b = np.exp(x), np.exp(x)
    a += b
    b[0] = 0.0
    return np.sum(a * b)


def changed_in_a_loop(x):
    """Equal arrays that are changed in each iteration, in different places."""
    y = np.zeros(4)
    for i in range(3):
        u = np.sin(x)
        y += u
        u[i] = 5.0
        v = np.sin(x)
        v[0] += 1.0
        y *= v
    return np.sum(y * np.sin(x))


@pytest.mark.parametrize("f", [both_changed, changed_in_a_loop])
def test_equal_arrays_that_change_stay_two(f):
    x = np.array([0.3, 0.5, -0.2, 0.9])
    expected = central(lambda x, _: f(x), x)
    np.testing.assert_allclose(s2sad.grad(f)(x), expected, rtol=1e-7)
    np.testing.assert_allclose([s2sad.jvp(f, (x,), (e,))[1] for e in np.eye(4)], expected, rtol=1e-7)
