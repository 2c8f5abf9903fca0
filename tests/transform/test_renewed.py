"""Arrays that are changed as a whole: new ones where nothing else can reach them, the same derivative in any case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hessian, jvp, value_and_grad, vjp
from tests.texts import own_text

W = np.array([[0.5, -0.9, 0.25], [0.75, 0.4, 0.6]])
X = np.array([[0.3, -0.7], [1.2, 0.4], [-0.5, 0.9], [0.8, 0.1]])


def softmax(w, x):
    p = x @ w
    p -= p.max(axis=1, keepdims=True)
    np.exp(p, out=p)
    p /= p.sum(axis=1, keepdims=True)
    return np.sum(p**3)


def all_of_it(w, x):
    h = np.tanh(w)
    h[:, :] = h * w
    h[:] = np.sin(h)
    h **= 2
    return np.sum(h * w)


def in_iterations(w, x):
    v = x[0]
    for k in range(3):
        h = np.tanh(w.T @ v)
        h *= 0.5
        h -= h.sum()
        v = w @ h
    return np.sum(v**2)


def under_two_names(w, x):
    h = np.exp(w)
    g = h
    h *= w
    return np.sum(g**2) + np.sum(h)


def as_a_result_too(w, x):
    h = np.exp(w)
    h *= w
    h += 1.0
    return np.sum(h**2)


RENEWED = [softmax, all_of_it, in_iterations, under_two_names, as_a_result_too]


def with_a_view(w, x):
    h = np.exp(w)
    row = h[0]
    h *= w
    return np.sum(row**2) + np.sum(h)


def in_a_list(w, x):
    h = np.exp(w)
    parts = [h]
    h *= w
    return np.sum(parts[0] ** 2)


def in_a_branch(w, x):
    h = np.exp(w)
    if x[0, 0] > 0:
        h *= w
    return np.sum(h**2)


def made_before_the_loop(w, x):
    h = np.exp(w)
    for k in range(3):
        h *= w
    return np.sum(h**2)


def a_view_is_changed(w, x):
    h = np.exp(w)
    g = h.T
    g *= w.T
    return np.sum(h**2)


def changed_by_a_helper(w, x):
    h = np.exp(w)
    double(h, w)
    h *= w
    return np.sum(h**2)


def double(h, w):
    h *= 2.0 * w


def handed_on_by_a_branch(w, x):
    h = np.exp(w)
    g = h if x[0, 0] > 0 else w.copy()
    h *= w
    return np.sum(g**2)


def of_another_length(w, x):
    h = np.exp(w[:, 0])
    h *= np.sum(x, axis=0)
    return np.sum(h**2)


def an_argument(w, x):
    w *= 2.0
    w[:] = np.exp(w)
    return np.sum(w)


def asked_for_its_memory(w, x):
    h = np.exp(w)
    g = h.reshape(-1)
    h *= w
    return np.sum(g * g)


KEPT = [
    *(with_a_view, in_a_list, in_a_branch, made_before_the_loop, a_view_is_changed, handed_on_by_a_branch),
    *(of_another_length, an_argument, asked_for_its_memory),
]


def differences(f: Callable[..., Any], w: np.ndarray, h: float = 1e-6) -> np.ndarray:
    found = np.empty_like(w)
    for k in np.ndindex(w.shape):
        step = np.zeros_like(w)
        step[k] = h
        found[k] = (f(w + step, X) - f(w - step, X)) / (2 * h)
    return found


@pytest.mark.parametrize("f", [*RENEWED, *KEPT, changed_by_a_helper], ids=lambda f: f.__name__)
def test_derivatives_are_those_of_the_program(f: Callable[..., Any]) -> None:
    expected = differences(f, W)
    np.testing.assert_allclose(grad(f)(W, X), expected, rtol=1e-7, atol=1e-8)
    direction = np.cos(W)
    tangent = jvp(lambda w: f(w, X), (W,), (direction,))[1]
    np.testing.assert_allclose(tangent, np.vdot(expected, direction), rtol=1e-6)
    np.testing.assert_allclose(vjp(f, W, X)[1](2.0)[0], 2 * grad(f)(W, X), rtol=1e-12)
    second = hessian(f)(W, X).reshape(W.size, W.size)
    np.testing.assert_allclose(second, second.T, rtol=1e-9, atol=1e-10)
    change = (grad(f)(W + 1e-6 * direction, X) - grad(f)(W - 1e-6 * direction, X)) / 2e-6
    np.testing.assert_allclose((second @ direction.ravel()).reshape(W.shape), change, rtol=1e-5, atol=1e-7)


def own(f: Callable[..., Any]) -> str:
    lines = own_text(grad(f).source_for(W, X), f"{f.__name__}_grad").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


@pytest.mark.parametrize("f", RENEWED, ids=lambda f: f.__name__)
def test_nothing_is_put_back(f: Callable[..., Any]) -> None:
    assert "_old" not in own(f) and "[...]" not in own(f) and "[:] =" not in own(f)


@pytest.mark.parametrize("f", KEPT, ids=lambda f: f.__name__)
def test_what_others_reach_is_changed_in_place(f: Callable[..., Any]) -> None:
    assert "[...] = " in own(f) or "*= " in own(f)


def returned(x):
    y = np.exp(x)
    y *= x
    return {"of": y, "twice": (y, 2.0)}


def test_what_is_returned_is_the_new_array() -> None:
    x = np.array([0.5, -1.0])
    y, pullback = vjp(returned, x)
    np.testing.assert_allclose(y["of"], np.exp(x) * x)
    ct = {"of": np.array([1.0, 2.0]), "twice": (np.array([0.5, 0.25]), 0.0)}
    np.testing.assert_allclose(pullback(ct)[0], [1.5, 2.25] * np.exp(x) * (1 + x))


def test_an_array_that_does_not_fit_is_an_error_still() -> None:
    def widened(x, y):
        z = np.exp(x)
        z += y
        return np.sum(z)

    with pytest.raises(ValueError, match="non-broadcastable output"):
        value_and_grad(widened)(np.ones((1, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="non-broadcastable output"):
        grad(widened)(np.ones((1, 3)), np.ones((2, 3)))
