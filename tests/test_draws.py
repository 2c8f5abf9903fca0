"""Random numbers in functions that are differentiated: Jacobians, and compiled code."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, hessian, jacobian, jvp, value_and_grad, vjp

BACKENDS = ["python", *(["numba"] if importlib.util.find_spec("numba") else [])]
OUTSIDE = np.random.default_rng(4)
X = np.array([1.0, 2.0, 3.0])


def given(x, rng):
    return x * np.sum(x * rng.normal(size=3)) + rng.random() * x**2


def outside(x):
    return x * np.sum(x * OUTSIDE.normal(size=3))


def of_modules(x):
    return x * np.sum(x * np.random.normal(size=3)) + random.gauss(0.0, 1.0) * x**2


def one_number(x, rng):
    return np.sum(x * rng.standard_normal(3)) ** 2


@pytest.mark.parametrize("mode", ["forward", "reverse", "auto"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_jacobian_is_of_one_run(mode: Any, backend: Any) -> None:
    noise = np.random.default_rng(1)
    z, u = noise.normal(size=3), noise.random()
    left = np.random.default_rng(1)
    found = jacobian(given, mode=mode, backend=backend)(X, left)
    np.testing.assert_allclose(found, np.outer(X, z) + np.eye(3) * (X @ z) + np.diag(2.0 * u * X), rtol=1e-13)
    assert left.random() == noise.random()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_hessian_is_of_one_run(backend: Any) -> None:
    z = np.random.default_rng(1).standard_normal(3)
    found = hessian(one_number, backend=backend)(X, np.random.default_rng(1))
    np.testing.assert_allclose(found, 2.0 * np.outer(z, z), rtol=1e-13)


@pytest.mark.parametrize("mode", ["forward", "auto"])
def test_generators_outside_give_each_column_the_same(mode: Any) -> None:
    OUTSIDE.bit_generator.state = np.random.default_rng(2).bit_generator.state
    z = np.random.default_rng(2).normal(size=3)
    np.testing.assert_allclose(jacobian(outside, mode=mode)(X), np.outer(X, z) + np.eye(3) * (X @ z), rtol=1e-13)
    np.random.seed(3)
    random.seed(3)
    z, g = np.random.normal(size=3), random.gauss(0.0, 1.0)
    np.random.seed(3)
    random.seed(3)
    expected = np.outer(X, z) + np.eye(3) * (X @ z) + np.diag(2.0 * g * X)
    np.testing.assert_allclose(jacobian(of_modules, mode=mode)(X), expected, rtol=1e-13)


# ---------------------------------------------------------------- compiled


def walked(drift, spread, rng, n):
    x = 0.0
    for _ in range(n):
        x += drift + spread * rng.standard_normal()
    return x**2


def descended(w, seed, steps):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        k, z = rng.integers(len(w)), rng.normal(0.0, 0.1, size=(2, 3))
        w = w - 0.1 * w[k] * np.cos(w) + np.sum(z, axis=0)
    return np.sum(w**2)


def dropped(x, seed):
    rng = np.random.default_rng(seed)
    kept = rng.random(x.shape) < 0.7
    return np.sum(np.tanh(np.where(kept, x / 0.7, 0.0) + 0.1 * rng.standard_normal(x.shape)))


def of_all_sorts(x, seed):
    rng, total = np.random.default_rng(seed), 0.0
    for _ in range(3):
        total += x * (rng.uniform(1.0, 2.0) + rng.exponential() + rng.exponential(2.0) + rng.laplace())
        total += x * (rng.lognormal(0.0, 0.3) + rng.poisson(3.0) + rng.integers(5) + rng.integers(2, 9))
        total += x * (np.sum(rng.gamma(2.0, 1.5, 3)) + np.sum(rng.beta(2.0, 3.0, size=(2, 2))))
        total += x**2 * np.sum(rng.standard_exponential(2)) + x * rng.integers(4, size=3)[1]
    return total


def shuffled(x, seed):
    rng, total = np.random.default_rng(seed), 0.0
    for _ in range(2):
        total += np.sum(x[rng.permutation(len(x))] * np.arange(len(x))) + np.sum(x * rng.permutation(np.arange(3.0)))
    return total


def jacobian_of_draws(x, seed):
    rng = np.random.default_rng(seed)
    return x * np.sum(x * rng.normal(size=3)) + rng.random() * x**2


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (descended, (X, 5, 10)),
    (dropped, (X, 6)),
    (of_all_sorts, (0.7, 7)),
    (shuffled, (X, 8)),
]


@pytest.mark.parametrize("f, args", CASES, ids=[f.__name__ for f, _ in CASES])
def test_both_tiers_draw_the_same(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    pytest.importorskip("numba")
    for a, b in zip(value_and_grad(f, backend="numba")(*args), value_and_grad(f)(*args), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    tangents = (args[0], *[None] * (len(args) - 1))
    np.testing.assert_allclose(jvp(f, args, tangents, backend="numba"), jvp(f, args, tangents), rtol=1e-12)
    y, pullback = vjp(f, *args, backend="numba")
    np.testing.assert_allclose(pullback(1.0)[0], grad(f)(*args), rtol=1e-12)
    np.testing.assert_allclose(pullback(1.0)[0], grad(f)(*args), rtol=1e-12)
    assert y == pytest.approx(f(*args), rel=1e-12)


def test_a_generator_that_is_passed_goes_on() -> None:
    pytest.importorskip("numba")
    left, right = np.random.default_rng(8), np.random.default_rng(8)
    found = value_and_grad(walked, wrt=(0, 1), backend="numba")(0.3, 0.2, left, 20)
    expected = value_and_grad(walked, wrt=(0, 1))(0.3, 0.2, right, 20)
    assert found[0] == pytest.approx(expected[0], rel=1e-13)
    assert found[1] == pytest.approx(expected[1], rel=1e-13)
    assert left.random() == right.random()


def test_jacobians_of_what_makes_its_generator() -> None:
    pytest.importorskip("numba")
    for mode in ("forward", "reverse", "auto"):
        found = jacobian(jacobian_of_draws, mode=mode, backend="numba")(X, 3)  # type: ignore[arg-type]
        np.testing.assert_allclose(found, jacobian(jacobian_of_draws)(X, 3), rtol=1e-13)


def chosen(x, seed):
    rng = np.random.default_rng(seed)
    return np.sum(x[rng.choice(len(x), 2)])


def made_in_a_loop(x, seed):
    total = 0.0
    for k in range(3):
        total += x * np.random.default_rng(seed + k).random()
    return total


@pytest.mark.parametrize("f, x", [(chosen, X), (made_in_a_loop, 1.0)], ids=["chosen", "made_in_a_loop"])
def test_other_draws_are_refused_at_their_line(f: Callable[..., Any], x: Any) -> None:
    pytest.importorskip("numba")
    with pytest.raises(CompileError) as caught:
        grad(f, backend="numba")(x, 3)
    assert caught.value.lineno is not None
