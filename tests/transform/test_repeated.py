"""What a function computes twice has one adjoint."""

from __future__ import annotations

import numpy as np

import s2sad


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
    body = source[source.index("def leaky_grad") :]
    assert body.count("= x @ w") == 1 and body.count("_matmul_right(") == 1
    np.testing.assert_allclose(s2sad.grad(leaky)(W, X), central(leaky, W), rtol=1e-7)


def test_what_changes_between_is_computed_again():
    np.testing.assert_allclose(s2sad.grad(changed_between)(W, X), central(changed_between, W), rtol=1e-7)


def test_equal_results_stay_two():
    (a, b), pullback = s2sad.vjp(returned_twice, X)
    assert not np.shares_memory(a, b)
    np.testing.assert_allclose(pullback((np.ones_like(X), 2 * np.ones_like(X)))[0], 3 * np.cos(X))
