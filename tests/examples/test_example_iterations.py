"""Integrators, iterations and filters: against closed forms, complex steps and references of another shape."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from differences import complex_gradient
from references import assert_close, reference_gradients

from examples import fixed_point, hmm, kalman, newton, rosenbrock, runge_kutta
from s2sad import grad, jacobian, jvp, value_and_grad

rng = np.random.default_rng(3)

# Runge-Kutta --------------------------------------------------------------------------------------------------------


def test_runge_kutta_on_a_linear_system() -> None:
    """The method's step on ``y' = A y`` is the matrix polynomial of degree four."""
    A, y0, w = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    Z = A / 8
    step = np.eye(3) + Z + Z @ Z / 2 + Z @ Z @ Z / 6 + Z @ Z @ Z @ Z / 24
    value, (d_y0, d_A, d_w) = value_and_grad(runge_kutta.linear_endpoint, wrt=(0, 1, 2))(y0, A, w)
    end = np.linalg.matrix_power(step, 8) @ y0
    assert value == pytest.approx(w @ end, rel=1e-13)
    assert_close(d_w, end, 1e-13)
    assert_close(d_y0, np.linalg.matrix_power(step, 8).T @ w, 1e-13)
    assert_close(d_A, complex_gradient(runge_kutta.linear_endpoint, (y0, A, w), (1,))[0], 1e-12)


def test_runge_kutta_on_lorenz() -> None:
    observed = rng.normal(size=(9, 3))
    args = (np.array([1.0, -1.0, 20.0]), 10.0, 28.0, 8.0 / 3.0, observed)
    gradient = grad(runge_kutta.lorenz_mismatch, wrt=(0, 1, 2, 3))(*args)
    for ours, theirs in zip(gradient, complex_gradient(runge_kutta.lorenz_mismatch, args, (0, 1, 2, 3))):
        assert_close(ours, theirs, 1e-11)


def test_runge_kutta_with_a_closure() -> None:
    args = (np.array([1.0, 0.5]), 1.3, 0.2, 0.7)
    gradient = grad(runge_kutta.forced_oscillator, wrt=(0, 1, 2, 3))(*args)
    for ours, theirs in zip(gradient, complex_gradient(runge_kutta.forced_oscillator, args, (0, 1, 2, 3))):
        assert_close(ours, theirs, 1e-11)


# Newton -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mean", "eccentricity"), [(1.2, 0.5), (0.3, 0.1), (2.5, 0.9)])
def test_kepler_by_the_implicit_function_theorem(mean: float, eccentricity: float) -> None:
    E, (d_mean, d_eccentricity) = value_and_grad(newton.kepler, wrt=(0, 1))(mean, eccentricity)
    slope = 1.0 - eccentricity * math.cos(E)
    assert E - eccentricity * math.sin(E) == pytest.approx(mean, rel=1e-13)
    assert d_mean == pytest.approx(1.0 / slope, rel=1e-10)
    assert d_eccentricity == pytest.approx(math.sin(E) / slope, rel=1e-10)
    _, tangent = jvp(newton.kepler, (mean, eccentricity), (1.0, -2.0))
    assert tangent == pytest.approx((1.0 - 2.0 * math.sin(E)) / slope, rel=1e-10)


def test_cube_root() -> None:
    value, slope = value_and_grad(newton.cube_root)(5.0)
    assert value == pytest.approx(5.0 ** (1.0 / 3.0), rel=1e-14)
    assert slope == pytest.approx(5.0 ** (-2.0 / 3.0) / 3.0, rel=1e-12)


def test_newton_raises_in_the_gradient_too() -> None:
    def hopeless(a: float) -> float:
        return newton.newton(lambda x: x * x + a, lambda x: 2.0 * x, 0.7, 1e-30, 10)

    with pytest.raises(ArithmeticError, match="did not converge"):
        grad(hopeless)(1.0)


def test_circle_and_line() -> None:
    J = jacobian(newton.circle_and_line, wrt="slope")(2.0, 0.75)
    expected = 2.0 * np.array([-0.75, 1.0]) / 1.5625**1.5
    assert_close(J, expected, 1e-10)
    assert_close(jacobian(newton.circle_and_line, wrt="radius")(2.0, 0.75), np.array([0.8, 0.6]), 1e-10)


# Filters ------------------------------------------------------------------------------------------------------------


def reference_state_space(xp: Any, *arrays: Any) -> Any:
    """The log-density of all observations at once, from their joint mean and covariance."""
    F, H, Q, R, mean, covariance, observations = arrays
    count, size = observations.shape
    means, variances = [mean], [covariance]
    for _ in range(count - 1):
        means.append(F @ means[-1])
        variances.append(F @ variances[-1] @ F.T + Q)
    blocks: list[list[Any]] = [[None] * count for _ in range(count)]
    for s in range(count):
        cross = variances[s]
        for t in range(s, count):
            blocks[t][s] = H @ cross @ H.T + (R if s == t else 0.0 * R)
            blocks[s][t] = blocks[t][s].T
            cross = F @ cross
    joint = xp.concatenate([xp.concatenate(row, axis=1) for row in blocks], axis=0)
    away = xp.concatenate([observations[t] - H @ means[t] for t in range(count)], axis=0)
    distance = away @ xp.linalg.solve(joint, away)
    return -0.5 * (distance + xp.linalg.slogdet(joint)[1] + count * size * math.log(2.0 * math.pi))


def test_kalman_filter_equals_the_joint_density() -> None:
    def spread(n: int) -> np.ndarray:
        M = rng.normal(size=(n, n))
        return M @ M.T + np.eye(n)

    model = kalman.StateSpace(0.5 * rng.normal(size=(3, 3)), rng.normal(size=(2, 3)), spread(3), spread(2))
    mean, covariance, observations = rng.normal(size=3), spread(3), rng.normal(size=(5, 2))
    arrays = (model.F, model.H, model.Q, model.R, mean, covariance, observations)
    value, (d_model, d_mean, d_covariance, d_observations) = value_and_grad(kalman.log_likelihood, wrt=(0, 1, 2, 3))(
        model, mean, covariance, observations
    )
    assert value == pytest.approx(float(reference_state_space(np, *arrays)), rel=1e-12)
    assert isinstance(d_model, kalman.StateSpace)
    ours = (d_model.F, d_model.H, d_model.Q, d_model.R, d_mean, d_covariance, d_observations)
    for name, mine, theirs in zip("FHQRmPy", ours, reference_gradients(reference_state_space, *arrays)):
        symmetric = name in "QRP"  # only the symmetric part is meaningful: the two take other triangles on the way
        assert_close(mine + mine.T if symmetric else mine, theirs + theirs.T if symmetric else theirs, 1e-10)


def test_tracking_scales() -> None:
    observations = kalman.make_observations(8)
    log_scales = np.array([-0.3, -1.2])
    gradient = grad(kalman.tracking_likelihood)(log_scales, observations)

    def reference(xp: Any, drive: Any, blur: Any) -> Any:
        drive, blur = xp.exp(drive), xp.exp(blur)
        shape = constants(xp, [[0.125 / 3.0, 0.125], [0.125, 0.5]])
        F, H, one = constants(xp, [[1.0, 0.5], [0.0, 1.0]]), constants(xp, [[1.0, 0.0]]), constants(xp, [[1.0]])
        mean, covariance = constants(xp, [0.0, 0.0]), constants(xp, [[1.0, 0.0], [0.0, 1.0]])
        arrays = (F, H, drive**2 * shape, blur**2 * one, mean, covariance, constants(xp, observations))
        return reference_state_space(xp, *arrays)

    assert_close(gradient, np.array(reference_gradients(reference, *np.array(log_scales))), 1e-10)


def constants(xp: Any, values: Any) -> Any:
    """An array of the module's own."""
    return xp.from_numpy(np.array(values)) if hasattr(xp, "from_numpy") else np.array(values)


def enumerate_paths(initial: Any, transition: Any, emission: Any, observed: Any) -> Any:
    """The log-probability of a sequence, summed over every path of hidden states."""
    total = 0.0
    for path in itertools.product(range(len(initial)), repeat=len(observed)):
        probability = initial[path[0]] * emission[path[0], observed[0]]
        for (a, b), symbol in zip(itertools.pairwise(path), observed[1:]):
            probability = probability * transition[a, b] * emission[b, symbol]
        total = total + probability
    return np.log(total)


def test_hidden_markov_model_equals_the_sum_over_paths() -> None:
    params, observed = hmm.make_problem(length=5)
    args = (*(hmm.softmax(p) for p in params.values()), observed)
    value, gradient = value_and_grad(hmm.forward, wrt=(0, 1, 2))(*args)
    assert value == pytest.approx(enumerate_paths(*args), rel=1e-13)
    for ours, theirs in zip(gradient, complex_gradient(enumerate_paths, args, (0, 1, 2))):
        assert_close(ours, theirs, 1e-12)


def test_hidden_markov_model_in_logits() -> None:
    def over_paths(params: dict[str, np.ndarray], observed: np.ndarray) -> Any:
        normalised = (np.exp(p) / np.sum(np.exp(p), axis=-1, keepdims=True) for p in params.values())
        return enumerate_paths(*normalised, observed)

    params, observed = hmm.make_problem(length=5)
    gradient = grad(hmm.forward_logits)(params, observed)
    (expected,) = complex_gradient(over_paths, (params, observed), (0,))
    assert list(gradient) == list(params)
    for name in params:
        assert_close(gradient[name], expected[name], 1e-12)


# Fixed points and orbits --------------------------------------------------------------------------------------------


def test_fixed_point_by_the_implicit_function_theorem() -> None:
    x, (d_a, d_x) = value_and_grad(fixed_point.settled, wrt=(0, 1))(0.8, 1.0)
    assert x == pytest.approx(math.cos(0.8 * x), rel=1e-9)
    assert d_a == pytest.approx(-x * math.sin(0.8 * x) / (1.0 + 0.8 * math.sin(0.8 * x)), rel=1e-7)
    assert abs(d_x) < 1e-8


def test_every_iterate_by_its_own_recurrence() -> None:
    a, start = 0.8, 1.0
    iterates = fixed_point.cosine_iterates(a, start)
    slopes = [0.0]
    for x in iterates[:-1]:
        slopes.append(-math.sin(a * x) * (x + a * slopes[-1]))
    values, tangents = jvp(lambda p: fixed_point.cosine_iterates(p, start), (a,), (1.0,))
    np.testing.assert_array_equal(values, iterates)
    assert_close(tangents, slopes, 1e-13)
    assert_close(jacobian(lambda p: fixed_point.cosine_iterates(p, start), mode="reverse")(a), slopes, 1e-13)


def test_orbit_spread() -> None:
    gradient = grad(fixed_point.orbit_spread, wrt=(0, 1))(3.2, 0.3)
    assert_close(gradient, complex_gradient(fixed_point.orbit_spread, (3.2, 0.3), (0, 1)), 1e-11)


# Rosenbrock ---------------------------------------------------------------------------------------------------------


def rosenbrock_gradient(x: np.ndarray) -> np.ndarray:
    """The gradient, by hand."""
    g = np.zeros_like(x)
    valley = x[1:] - x[:-1] ** 2
    g[1:] = 200.0 * valley
    g[:-1] -= 400.0 * x[:-1] * valley + 2.0 * (1.0 - x[:-1])
    return g


def test_rosenbrock_gradient() -> None:
    x = rng.normal(size=50)
    assert_close(grad(rosenbrock.rosenbrock)(x), rosenbrock_gradient(x), 1e-13)


def test_rosenbrock_with_scipy() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    result = optimize.minimize(value_and_grad(rosenbrock.rosenbrock), rosenbrock.start(), jac=True)
    assert result.fun < 1e-9
    np.testing.assert_allclose(result.x, np.ones(50), atol=1e-4)
