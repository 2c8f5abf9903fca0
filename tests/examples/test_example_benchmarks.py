"""The four objectives of the AD benchmarks against references written for torch or autograd."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from differences import complex_gradient, float_leaves
from references import assert_close, reference_gradients

from examples import bundle_adjustment, gmm, hand_pose, lstm
from s2sad import jacobian, jvp, value_and_grad

# Gaussian mixture ---------------------------------------------------------------------------------------------------


def reference_mixture(xp: Any, alphas: Any, means: Any, factors: Any, x: Any) -> Any:
    """The log-posterior with Wishart parameters gamma = 1.5 and m = 2, from the precisions themselves."""
    d, k = x.shape[1], len(alphas)
    p = d + 2 + 1
    prior_constant = p * d * (math.log(1.5) - 0.5 * math.log(2.0)) - 0.25 * d * (d - 1) * math.log(math.pi)
    prior_constant = prior_constant - sum(math.lgamma(0.5 * (p - j)) for j in range(d))
    zero = 0.0 * alphas[0]
    log_weights = alphas - xp.log(xp.sum(xp.exp(alphas)))
    densities, prior = zero, k * prior_constant
    for c in range(k):
        position = {(i, j): d + j * (d - 1) - j * (j - 1) // 2 + i - j - 1 for j in range(d) for i in range(j + 1, d)}
        rows = []
        for i in range(d):
            lower = [factors[c, position[i, j]] if i > j else zero for j in range(d)]
            lower[i] = xp.exp(factors[c, i])
            rows.append(xp.stack(lower))
        Q = xp.stack(rows)
        precision = Q.T @ Q
        away = x - means[c]
        log_det = xp.sum(factors[c, :d])
        exponent = -0.5 * xp.sum((away @ precision) * away, axis=1) + log_det - 0.5 * d * math.log(2.0 * math.pi)
        densities = densities + xp.exp(log_weights[c] + exponent)
        prior = prior - 0.5 * 1.5**2 * xp.sum(xp.stack([precision[i, i] for i in range(d)])) + 2 * log_det
    return xp.sum(xp.log(densities)) + prior


def test_gaussian_mixture() -> None:
    problem = gmm.make_problem(n=30, d=3, k=4)
    objective = value_and_grad(gmm.log_posterior, wrt=("alphas", "means", "factors"))
    value, gradient = objective(*problem, 1.5, 2)
    assert value == pytest.approx(float(reference_mixture(np, *problem)), rel=1e-12)
    for ours, theirs in zip(gradient, reference_gradients(reference_mixture, *problem, wrt=3)):
        assert_close(ours, theirs, 1e-11)


# LSTM ---------------------------------------------------------------------------------------------------------------


def reference_language_model(xp: Any, *arrays: Any) -> Any:
    """The loss of a two-layer model, one gate and one sequence at a time."""
    embedding, w0, b0, w1, b1, output, output_bias, one_hot = arrays
    length, batch, _ = one_hot.shape
    width = embedding.shape[1]
    total = 0.0 * output_bias[0]
    for s in range(batch):
        hidden = [0.0 * embedding[0], 0.0 * embedding[0]]
        memory = [0.0 * embedding[0], 0.0 * embedding[0]]
        for t in range(length - 1):
            x = one_hot[t, s] @ embedding
            for layer, (w, b) in enumerate(((w0, b0), (w1, b1))):
                net = x @ w[:width] + hidden[layer] @ w[width:] + b
                forget, write, expose = (1.0 / (1.0 + xp.exp(-net[g * width : (g + 1) * width])) for g in range(3))
                memory[layer] = forget * memory[layer] + write * xp.tanh(net[3 * width :])
                hidden[layer] = expose * xp.tanh(memory[layer])
                x = hidden[layer]
            logits = x @ output + output_bias
            total = total + xp.log(xp.sum(xp.exp(logits))) - xp.sum(logits * one_hot[t + 1, s])
    return total / ((length - 1) * batch)


def test_language_model() -> None:
    tokens, alphabet = lstm.make_tokens("a man a plan a canal panama ", 7, 3)
    model = lstm.make_model(len(alphabet), 5, 2)
    value, gradient = value_and_grad(lstm.loss)(model, tokens)
    assert isinstance(gradient, lstm.Model)
    assert all(isinstance(cell, lstm.Cell) for cell in gradient.cells)
    arrays = [*float_leaves(model), np.eye(len(alphabet))[tokens]]
    assert value == pytest.approx(float(reference_language_model(np, *arrays)), rel=1e-12)
    references = reference_gradients(reference_language_model, *arrays, wrt=7)
    for ours, theirs in zip(float_leaves(gradient), references, strict=True):
        assert_close(ours, theirs, 1e-11)


# Bundle adjustment --------------------------------------------------------------------------------------------------


def reference_rotation(xp: Any, v: Any) -> Any:
    """The rotation matrix of a rotation vector, as I + sin(t)/t K + (1 - cos(t))/t^2 K^2."""
    squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    angle = squared**0.5
    zero = 0.0 * v[0]
    K = xp.stack([xp.stack([zero, -v[2], v[1]]), xp.stack([v[2], zero, -v[0]]), xp.stack([-v[1], v[0], zero])])
    return xp.sin(angle) / angle * K + (1.0 - xp.cos(angle)) / squared * (K @ K)


def reference_bundle(xp: Any, cameras: Any, points: Any, weights: Any, features: Any) -> Any:
    """The objective of the example's synthetic scene with 3 cameras and 8 points."""
    total = xp.sum((1.0 - weights * weights) ** 2)
    k = 0
    for i in range(3):
        increment = reference_rotation(xp, cameras[i, :3])
        for j in range(8):
            if (i + j) % 4 != 0:
                away = points[j] - cameras[i, 3:6]
                local = away + increment @ away
                u, v = local[0] / local[2], local[1] / local[2]
                r = u * u + v * v
                scale = cameras[i, 6] * (1.0 + cameras[i, 9] * r + cameras[i, 10] * r * r)
                e1 = scale * u + cameras[i, 7] - features[k, 0]
                e2 = scale * v + cameras[i, 8] - features[k, 1]
                total = total + weights[k] ** 2 * (e1 * e1 + e2 * e2)
                k += 1
    return 0.5 * total


def test_bundle_adjustment() -> None:
    cameras, points, weights, observations, features = bundle_adjustment.make_problem()
    objective = value_and_grad(bundle_adjustment.objective, wrt=(0, 1, 2))
    value, gradient = objective(cameras, points, weights, observations, features)
    arrays = (cameras, points, weights, features)
    assert value == pytest.approx(float(reference_bundle(np, *arrays)), rel=1e-12)
    for ours, theirs in zip(gradient, reference_gradients(reference_bundle, *arrays, wrt=3)):
        assert_close(ours, theirs, 1e-10)


def test_reprojection_without_rotation() -> None:
    camera = np.array([0.0, 0.0, 0.0, 0.0, 0.0, -4.0, 1.5, 0.1, 0.2, 0.0, 0.0])
    point = np.array([0.3, -0.2, 1.0])
    J = jacobian(bundle_adjustment.project, wrt="point")(camera, point)
    depth = 5.0
    expected = 1.5 / depth * np.array([[1.0, 0.0, -point[0] / depth], [0.0, 1.0, -point[1] / depth]])
    assert_close(J, expected, 1e-13)


# Hand ---------------------------------------------------------------------------------------------------------------


def reference_hand_vertex(xp: Any, pose: Any, hand: hand_pose.Hand, vertex: int) -> Any:
    """One posed vertex: each bone's chain of motions is undone from the tip to the wrist."""
    total = 0.0 * pose[3:6]
    for bone, weight in enumerate(hand.weights[vertex]):
        if weight == 0.0:
            continue
        x = constant(xp, hand.vertices[vertex] - hand.anchors[bone]) + 0.0 * pose[3:6]
        while bone > 0:
            finger, joint = divmod(bone - 1, hand_pose.JOINTS)
            bend = pose[6 + 4 * finger + 1 + joint]
            x = xp.stack([x[0], x[1] * xp.cos(bend) - x[2] * xp.sin(bend), x[1] * xp.sin(bend) + x[2] * xp.cos(bend)])
            if joint == 0:
                c, s = xp.cos(pose[6 + 4 * finger]), xp.sin(pose[6 + 4 * finger])
                x = xp.stack([c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]])
            x = x + constant(xp, hand.offsets[bone])
            bone = hand.parents[bone]
        x = x + reference_rotation(xp, pose[:3]) @ x + pose[3:6] + constant(xp, hand.offsets[0])
        total = total + weight * x
    return total


def constant(xp: Any, array: np.ndarray) -> Any:
    """The array in the module's own type."""
    return xp.from_numpy(array) if hasattr(xp, "from_numpy") else array


def test_hand_pose() -> None:
    pose, hand, correspondences, points = hand_pose.make_problem()
    correspondences, points = correspondences[:10], points[:10]

    def reference(xp: Any, pose: Any) -> Any:
        total = 0.0 * pose[0]
        for vertex, point in zip(correspondences, points):
            away = constant(xp, point) - reference_hand_vertex(xp, pose, hand, int(vertex))
            total = total + 0.5 * xp.sum(away * away)
        return total

    value, gradient = value_and_grad(hand_pose.objective)(pose, hand, correspondences, points)
    assert value == pytest.approx(float(reference(np, pose)), rel=1e-12)
    assert_close(gradient, reference_gradients(reference, pose)[0], 1e-10)


def test_hand_pose_jacobian_gives_the_gradient_and_tangents() -> None:
    pose, hand, correspondences, points = hand_pose.make_problem()
    correspondences, points = correspondences[:10], points[:10]
    J = jacobian(hand_pose.residual, mode="forward")(pose, hand, correspondences, points)
    assert J.shape == (10, 3, hand_pose.POSE_SIZE)
    errors = hand_pose.residual(pose, hand, correspondences, points)
    gradient = value_and_grad(hand_pose.objective)(pose, hand, correspondences, points)[1]
    assert_close(np.tensordot(errors, J, axes=2), gradient, 1e-12)
    direction = np.random.default_rng(1).normal(size=pose.shape)
    _, tangent = jvp(lambda p: hand_pose.residual(p, hand, correspondences, points), (pose,), (direction,))
    assert_close(tangent, J @ direction, 1e-12)


def test_the_mixture_also_by_complex_steps_of_its_likelihood_terms() -> None:
    """``logsumexp`` shifts by a maximum, which is transparent to the derivative."""
    x = np.array([0.3, -2.0, 1.7])
    gradient = value_and_grad(gmm.logsumexp)(x)[1]
    (expected,) = complex_gradient(lambda v: np.log(np.sum(np.exp(v))), (x,), (0,))
    assert_close(gradient, expected, 1e-14)
